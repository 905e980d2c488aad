//! Questions in lines, and what was typed for them: it is in the log with who gave it, and belongs to no question's words.

use super::*;
use crate::core::detect::front::Front;
use crate::core::detect::witness::{Reader, Wait, Witness};

/// A program without a profile that prints this and reads, with a consultant.
fn printing(text: &str) -> Stage {
    printing_with(text, |_| {})
}

/// The same with another reader.
pub fn printing_with(text: &str, reads: impl FnOnce(&mut Witness)) -> Stage {
    let mut stage = Stage::empty();
    reads(&mut stage.reader);
    let mut policy = Policy::default();
    policy.consultants.push(command("oracle", None));
    let spec = AgentSpec {
        name: "setup".into(),
        command: vec!["setup".into()],
        consultant: Some("oracle".into()),
        size: Some(Size::new(80, 24)),
        ..AgentSpec::default()
    };
    stage.request(Request::Start { spec: Box::new(spec), policy: Box::new(policy) });
    let start = Started { pid: 500, keeper: 499, token: "secret".into(), ..Started::default() };
    stage.step(Event::Started { agent: AgentKey(1), start });
    prints(&mut stage, text);
    stage
}

fn prints(stage: &mut Stage, text: &str) {
    stage.step(Event::Output { agent: AgentKey(1), bytes: text.as_bytes().to_vec() });
    stage.pass(500);
}

/// The read that waited has ended, and the next one waits.
fn next_read(stage: &mut Stage) {
    let Reader::Reading(wait) = stage.reader.reader.clone() else { panic!("somebody reads") };
    stage.reader.reader = Reader::Reading(Wait { sleeps: wait.sleeps + 1, ..wait });
}

/// What was typed behind the prompt became part of its words: the question was withdrawn, and the next one, "? Choose a
/// title: demo", was asked of the consultant and answered behind it.
#[test]
fn an_answer_behind_a_prompt_is_not_part_of_its_words() {
    for prompt in ["? Choose a title: ", "? Title: ", "$ lerna init\r\n? Choose a title: "] {
        let mut stage = printing(prompt);
        stage.say(r#"{"text": "demo"}"#);
        stage.pass(400);
        assert_eq!(stage.typed(), "demo", "{prompt:?}");
        prints(&mut stage, "demo");
        assert_eq!((stage.typed().as_str(), stage.entries().len()), ("demo\r", 0), "{prompt:?}");
        stage.reader = Witness { reader: Reader::Nobody, ..stage.reader.clone() };
        prints(&mut stage, "\r\nDone.\r\n");
        let entries = stage.entries();
        let told = (entries[0].outcome, entries[0].answer.as_deref(), entries[0].by.as_str());
        assert_eq!(told, (Outcome::Answered, Some("demo"), "consultant oracle"), "{prompt:?}");
        assert_eq!((entries[0].keys.join(" ").as_str(), entries.len()), ("\"demo\" enter", 1));
    }
}

/// A person's "y" went behind an "x" that was typed while the program worked: it read "xy", and the log called that answered.
#[test]
fn nothing_is_typed_behind_what_was_typed_ahead_of_the_prompt() {
    for (ahead, key, typed) in [("x", "ctrl-u", "x\u{15}demo"), ("\x1b", "enter", "\x1b\rdemo")] {
        let mut stage = printing("");
        let reading = stage.reader.clone();
        stage.reader = Witness { reader: Reader::Nobody, ..reading.clone() };
        let name = || "setup".to_owned();
        let input = vec![Input::Text(ahead.into())];
        stage.request(Request::Send { name: name(), input, enter: false });
        prints(&mut stage, &format!("{ahead}\r\n"));
        stage.reader = reading;
        prints(&mut stage, "? Choose a title: ");
        let id = stage.questions().pop().expect("it asks").id;
        let answer = || GivenAnswer { text: Some("demo".into()), ..GivenAnswer::default() };
        stage.request(Request::Answer { id: id.clone(), answer: answer() });
        stage.pass(1_000);
        assert_eq!(stage.typed(), ahead, "{:?}", stage.entries());
        let ask = stage.questions().pop().expect("it asks still");
        assert!(ask.note.as_deref().is_some_and(|note| note.contains("typed ahead")), "{ask:?}");
        // Once it is gone the answer goes in.
        let input = vec![Input::Key(KeyPress::parse(key).expect("a key"))];
        stage.request(Request::Send { name: name(), input, enter: false });
        if key == "enter" {
            next_read(&mut stage);
            prints(&mut stage, "\r\n? Choose a title: ");
        }
        stage.pass(1_000);
        let id = stage.questions().pop().expect("it asks again").id;
        stage.request(Request::Answer { id, answer: answer() });
        stage.pass(1_000);
        assert_eq!(stage.typed(), typed);
    }
}

/// `read -p "Use TypeScript? [Y/n]"`, without a blank behind it: with the answer right behind the bracket it was another
/// question, and its letter stood there without Enter.
#[test]
fn an_answer_goes_in_right_behind_a_prompt_that_ends_without_a_blank() {
    for (prompt, answer, echo) in [
        ("Use TypeScript? [Y/n]", r#"{"choice": 1}"#, "y"),
        ("Use TypeScript? (y/n):", r#"{"choice": 2}"#, "n"),
        ("1) React\r\n2) Vue\r\nWhich framework do you want to use?", r#"{"choice": 2}"#, "2"),
        ("Project name?", r#"{"text": "demo"}"#, "demo"),
    ] {
        let mut stage = printing(prompt);
        stage.say(answer);
        stage.pass(400);
        assert_eq!(stage.typed(), echo, "{prompt:?}");
        prints(&mut stage, echo);
        assert_eq!((stage.typed(), stage.entries().len()), (format!("{echo}\r"), 0), "{prompt:?}");
        stage.reader = Witness { reader: Reader::Nobody, ..stage.reader.clone() };
        prints(&mut stage, "\r\nDone.\r\n");
        let entries = stage.entries();
        assert_eq!((entries.len(), entries[0].outcome), (1, Outcome::Answered), "{prompt:?} {entries:?}");
        assert_eq!(entries[0].keys.join(" "), format!("{echo:?} enter"));
    }
}

/// What was typed ahead, and the prompt that came up behind it.
fn typed_ahead(ahead: &str, echo: &str, prompt: &str) -> Stage {
    let mut stage = printing_with("", |reader| reader.reader = Reader::Nobody);
    send(&mut stage, Input::Text(ahead.into()));
    prints(&mut stage, echo);
    stage.reader = Stage::empty().reader;
    prints(&mut stage, &format!("ready\r\n{prompt}"));
    stage
}

fn send(stage: &mut Stage, input: Input) {
    stage.request(Request::Send { name: "setup".to_owned(), input: vec![input], enter: false });
}

/// A person takes letters back, and the terminal wipes a column for each.
fn takes_back(stage: &mut Stage, key: &str, columns: usize) {
    send(stage, Input::Key(KeyPress::parse(key).expect("a key")));
    prints(stage, &"\x08 \x08".repeat(columns));
    stage.pass(1_000);
}

fn answers(stage: &mut Stage, answer: GivenAnswer) {
    let id = stage.questions().pop().expect("it asks").id;
    stage.request(Request::Answer { id, answer });
    stage.pass(1_000);
}

fn first_row() -> GivenAnswer {
    GivenAnswer { options: vec!["1".into()], ..GivenAnswer::default() }
}

/// ctrl-u took back a letter that was typed ahead, and with it the blank behind the prompt: the person's "y" was typed
/// without its Enter, and the log called the question answered in the pane.
#[test]
fn a_prompt_that_lost_its_blank_with_what_was_typed_ahead_is_answered_whole() {
    let mut stage = typed_ahead("x", "x", "Use TypeScript? [Y/n] ");
    takes_back(&mut stage, "ctrl-u", 1);
    answers(&mut stage, first_row());
    assert_eq!(stage.typed(), "x\u{15}y");
    prints(&mut stage, "y");
    stage.reader = Witness { reader: Reader::Nobody, ..stage.reader.clone() };
    prints(&mut stage, "\r\nDone.\r\n");
    let entries = stage.entries();
    assert_eq!(stage.typed(), "x\u{15}y\r");
    let told = (entries[0].outcome, entries[0].answer.as_deref(), entries[0].by.as_str());
    assert_eq!((entries.len(), told), (1, (Outcome::Answered, Some("y"), "person")), "{entries:?}");
    assert_eq!(entries[0].keys.join(" "), "\"y\" enter");
}

/// More was typed ahead than the blank: with the end of its prompt wiped away the question was another one, an answer was
/// typed behind the rest of it, and the log said that a person had answered.
#[test]
fn a_prompt_that_was_wiped_away_in_part_is_answered_in_its_pane() {
    let prompt = "Use TypeScript? [Y/n] ";
    let long = "a very long line that somebody typed";
    for (ahead, echo, keys) in [
        ("xy", "xy", &[("ctrl-u", 2)][..]),
        ("xyz", "xyz", &[("backspace", 1), ("backspace", 1), ("backspace", 1)]),
        ("abc def", "abc def", &[("ctrl-w", 3), ("ctrl-u", 4)]),
        ("\u{1b}", "^[", &[("ctrl-u", 2)]),
        (long, long, &[("ctrl-u", long.len())]),
    ] {
        let mut stage = typed_ahead(ahead, echo, prompt);
        let before = stage.questions();
        keys.iter().for_each(|(key, columns)| takes_back(&mut stage, key, *columns));
        let typed = stage.typed();
        let after = stage.questions();
        assert_eq!((after.len(), stage.entries().len()), (1, 0), "{ahead:?} {after:?} {:?}", stage.entries());
        assert_eq!((&after[0].id, &after[0].prompt), (&before[0].id, &before[0].prompt), "{ahead:?}");
        answers(&mut stage, first_row());
        assert_eq!(stage.typed(), typed, "{ahead:?}");
        let ask = stage.questions().pop().expect("it asks still");
        assert!(ask.note.as_deref().is_some_and(|note| note.contains("wiped")), "{ahead:?} {ask:?}");
        assert_eq!(stage.entries().len(), 0, "{ahead:?}");
        // A person answers it there, and the next prompt is whole.
        send(&mut stage, Input::Text("n\r".into()));
        next_read(&mut stage);
        prints(&mut stage, "n\r\nUse tabs? [Y/n] ");
        stage.pass(1_000);
        let entry = stage.entries().pop().expect("it has ended");
        let told = (entry.outcome, entry.by.as_str(), entry.keys.len());
        assert_eq!(told, (Outcome::Withdrawn, "person", 0), "{ahead:?} {entry:?}");
        let typed = stage.typed();
        answers(&mut stage, first_row());
        assert_eq!(stage.typed(), typed + "y", "{ahead:?} {:?}", stage.questions());
    }
}

/// What is taken back where it was typed wipes nothing else away, and what nobody asked behind is no prompt.
#[test]
fn what_is_taken_back_where_it_stands_leaves_its_prompt_whole() {
    for prompt in ["Use TypeScript? [Y/n] ", "Use TypeScript? [Y/n]"] {
        for (letters, key) in [("y", "backspace"), ("yes", "ctrl-u"), ("no no", "ctrl-u")] {
            let mut stage = printing(prompt);
            send(&mut stage, Input::Text(letters.into()));
            prints(&mut stage, letters);
            takes_back(&mut stage, key, letters.len());
            let typed = stage.typed();
            answers(&mut stage, first_row());
            assert_eq!(stage.typed(), typed + "y", "{prompt:?} {letters} {:?}", stage.questions());
        }
    }
    // Taken back before the prompt came up, or behind other words.
    for printed in ["", "Installing"] {
        let mut stage = printing_with("", |reader| reader.reader = Reader::Nobody);
        send(&mut stage, Input::Text("xyz".into()));
        prints(&mut stage, &format!("xyz{printed}"));
        takes_back(&mut stage, "ctrl-u", 3);
        stage.reader = Stage::empty().reader;
        prints(&mut stage, "\r\nUse TypeScript? [Y/n] ");
        let typed = stage.typed();
        answers(&mut stage, first_row());
        assert_eq!(stage.typed(), typed + "y", "{printed:?} {:?}", stage.questions());
    }
}

/// A person had typed into the pane before they answered: where the question went under the keys of their answer, the log
/// said that they had answered in the pane.
#[test]
fn what_was_typed_before_an_answer_was_given_has_not_ended_its_question() {
    let mut stage = printing("Use TypeScript? [Y/n] ");
    send(&mut stage, Input::Text("x".into()));
    prints(&mut stage, "x");
    takes_back(&mut stage, "backspace", 1);
    answers(&mut stage, first_row());
    prints(&mut stage, "\r\nSomething else is printed.\r\nUse tabs? [Y/n] ");
    stage.pass(1_000);
    let entry = stage.entries().pop().expect("it has ended");
    let told = (entry.outcome, entry.answer.as_deref(), entry.by.as_str(), entry.keys.join(" "));
    assert_eq!(told, (Outcome::Failed, Some("y"), "person", "\"y\"".to_owned()), "{entry:?}");
    assert!(stage.notifications() >= 1);
}

/// A program threw its terminal's input away between the letter of an answer and its Enter, as getpass does: it was sent the empty
/// line that says yes, and the log said "n".
#[test]
fn no_enter_is_sent_behind_an_answer_that_was_thrown_away() {
    let mut stage = printing("Use TypeScript? [Y/n] ");
    stage.say(r#"{"choice": 2}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "n");
    stage.session_hears(AgentKey(1), crate::session::message::Input::InputFlushed);
    prints(&mut stage, "n");
    stage.pass(10_000);
    assert_eq!(stage.typed(), "n");
    let ask = stage.questions().pop().expect("it asks still");
    assert_eq!(ask.status, Status::Escalated, "{ask:?}");
    assert!(ask.note.is_some_and(|note| note.contains("thrown away")), "{:?}", stage.entries());
}

/// The terminal's reply to a query waits in a line that the terminal does not show, and went with the answer: `\x1b[1;15Rmyapp`.
#[test]
fn nothing_is_typed_behind_a_reply_that_waits_in_the_line() {
    for behind_the_letter in [false, true] {
        let mut stage = printing("Use TypeScript? [Y/n] ");
        stage.lines = true;
        if !behind_the_letter {
            stage.step(Event::Output { agent: AgentKey(1), bytes: b"\x1b[6n".to_vec() });
        }
        stage.say(r#"{"choice": 2}"#);
        stage.pass(400);
        if behind_the_letter {
            assert_eq!(stage.typed(), "n");
            stage.step(Event::Output { agent: AgentKey(1), bytes: b"\x1b[6n".to_vec() });
            prints(&mut stage, "n");
        }
        stage.pass(10_000);
        assert!(!stage.typed().contains('\r') && stage.typed().contains('R'), "{:?}", stage.typed());
        let ask = stage.questions().pop().expect("it asks still");
        assert_eq!(ask.status, Status::Escalated, "{ask:?}");
        assert!(ask.note.is_some_and(|note| note.contains("reply to a query")), "{:?}", stage.entries());
    }
}

/// Between the letter of an answer and its Enter the prompt was drawn anew, without it: the Enter took the default.
#[test]
fn no_enter_is_sent_where_the_answer_stands_behind_the_prompt_no_more() {
    for again in ["\r\x1b[KUse TypeScript? [Y/n] ", "\r\nUse TypeScript? [Y/n] "] {
        let mut stage = printing("Use TypeScript? [Y/n] ");
        stage.say(r#"{"choice": 2}"#);
        stage.pass(400);
        stage.step(Event::Output { agent: AgentKey(1), bytes: b"n".to_vec() });
        stage.pass(60);
        assert_eq!(stage.typed(), "n");
        stage.step(Event::Output { agent: AgentKey(1), bytes: again.as_bytes().to_vec() });
        stage.pass(10_000);
        assert_eq!(stage.typed(), "n", "{again:?} {:?}", stage.entries());
    }
}

/// A letter of counsel's own stayed in the line of a question that was given up, and went with the next answer: `yn`, which
/// said yes, where a person had said no.
#[test]
fn nothing_is_typed_behind_what_is_left_of_an_answer() {
    let mut stage = printing("Use TypeScript? [Y/n] ");
    stage.say(r#"{"choice": 1}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "y");
    next_read(&mut stage);
    prints(&mut stage, "\r\nfine\r\nUse tabs? [Y/n] ");
    stage.pass(1_000);
    let second = || GivenAnswer { options: vec!["2".into()], ..GivenAnswer::default() };
    answers(&mut stage, second());
    assert_eq!(stage.typed(), "y", "{:?}", stage.entries());
    let ask = stage.questions().pop().expect("it asks still");
    assert!(ask.note.as_deref().is_some_and(|note| note.contains("given up")), "{ask:?}");
    // The next server knows it too.
    let sight = &stage.hub.lifecycle.agents.get(AgentKey(1)).expect("it runs").sight;
    assert!(sight.typed_line.as_ref().is_some_and(|line| line.wiped), "{:?}", sight.typed_line);
    // Once a person has taken it back the answer goes in.
    send(&mut stage, Input::Key(KeyPress::parse("ctrl-u").expect("a key")));
    stage.pass(1_000);
    answers(&mut stage, second());
    assert_eq!(stage.typed(), "y\u{15}n");
}

/// A question that stood for a while under the next server, and had been answered by the one before, was logged as gone without
/// a key.
#[test]
fn what_the_server_before_had_typed_is_logged_however_long_its_question_stands() {
    let mut asked = Stage::with_oracle(Policy::default());
    asked.play_to(5.9);
    asked.say(r#"{"choice": 2}"#);
    asked.pass(400);
    let open = asked.hub.questions.open_questions(AgentKey(1));
    let earlier = Remembered { state: State::Asking, open, ..Remembered::default() };
    let mut stage = super::look::taken_back_at(Size::new(119, 40), Some(earlier));
    stage.pass(5_000);
    stage.step(Event::Output { agent: stage.agent, bytes: b"\x1b[H\x1b[2Jworking on it\r\n".to_vec() });
    stage.pass(3_000);
    let entry = stage.entries().into_iter().find(|entry| entry.agent == "old").expect("it has ended");
    let told = (entry.outcome, entry.answer.as_deref(), entry.by.as_str());
    assert_eq!(told, (Outcome::Failed, Some("SQLite"), "consultant oracle"), "{entry:?}");
    assert!(entry.reason.is_some_and(|why| why.contains("server ended")));
}

/// An answer of one key that was taken at once, with the next prompt right behind it, was logged as given by nobody.
#[test]
fn a_key_that_was_taken_at_once_is_an_answer() {
    let mut stage = printing_with("1: Use colors? [Y/n] ", |reader| {
        reader.canonical = false;
        if let Reader::Reading(wait) = &mut reader.reader {
            (wait.blocking, wait.in_read) = (false, true);
        }
    });
    next_read(&mut stage);
    prints(&mut stage, "\r\n2: Use colors? [Y/n] ");
    let asks = stage.questions();
    assert_eq!(asks.last().map(|ask| ask.prompt.as_str()), Some("2: Use colors? [Y/n]"), "{asks:?}");
    let ask = stage.hub.questions.asks.iter().map(|(key, _)| key).last().expect("it asks");
    stage.step(Event::Consulted { ask, turn: 1, said: Ok(r#"{"choice": 1}"#.into()) });
    stage.pass(400);
    assert_eq!(stage.typed(), "y");
    next_read(&mut stage);
    prints(&mut stage, "y\r\n3: Use colors? [Y/n] ");
    let entry = stage.entries().pop().expect("it has ended");
    let told = (entry.outcome, entry.answer.as_deref(), entry.by.as_str());
    assert_eq!(told, (Outcome::Answered, Some("y"), "consultant oracle"), "{entry:?}");
    assert_eq!((entry.keys.as_slice(), stage.notifications()), (&["\"y\"".to_owned()][..], 0));
}

/// Another dialog stood there once the first key had gone in: that was logged as a question that went away, and nobody was
/// told that something had been typed.
#[test]
fn a_dialog_that_changes_under_the_keys_of_an_answer_calls_a_person() {
    let rule = "─".repeat(120);
    let other = format!(
        "\x1b[H\x1b[2J{rule}\r\n ☐ Data\r\n\r\nDelete the production database?\r\n\r\n  1. Keep it\r\n❯ 2. Yes\r\n  3. No\r\n\
         {rule}\r\n  4. Chat about this\r\n\r\nEnter to select · ↑/↓ to navigate · Esc to cancel"
    );
    for instead in [other, "\x1b[H\x1b[2Jworking on it\r\n".to_owned()] {
        let mut stage = Stage::with_oracle(Policy::default());
        stage.play_to(5.9);
        stage.say(r#"{"choice": 2}"#);
        stage.pass(400);
        assert_eq!((stage.typed().as_str(), stage.notifications()), ("\x1b[B", 0));
        stage.step(Event::Output { agent: stage.agent, bytes: instead.clone().into_bytes() });
        stage.pass(1_500);
        let entry = stage.entries().remove(0);
        let told = (entry.outcome, entry.answer.as_deref(), entry.by.as_str());
        assert_eq!(told, (Outcome::Failed, Some("SQLite"), "consultant oracle"), "{instead:?} {entry:?}");
        assert_eq!((entry.keys.as_slice(), entry.proof), (&["down".to_owned()][..], None));
        assert!(stage.notifications() >= 1, "{instead:?}");
        assert_eq!(stage.typed(), "\x1b[B");
    }
}

/// A dialog went out of sight under the first key of an answer, and came back: its consultant was asked again, and what it said
/// was typed into a dialog that had some keys of another answer already.
#[test]
fn a_dialog_that_comes_back_after_an_answer_was_given_up_is_a_persons() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    let dialog: Vec<u8> =
        stage.session(stage.agent).screen().grid().text().replace('\n', "\r\n").into_bytes();
    stage.say(r#"{"choice": 2}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[B");
    stage.step(Event::Output { agent: stage.agent, bytes: b"\x1b[H\x1b[2Jworking on it\r\n".to_vec() });
    stage.pass(3_000);
    assert_eq!(stage.entries().len(), 1, "{:?}", stage.entries());
    stage.step(Event::Output { agent: stage.agent, bytes: [b"\x1b[H\x1b[2J".to_vec(), dialog].concat() });
    stage.pass(3_000);
    let again = stage.questions().pop().expect("it asks again");
    assert_eq!((again.id.as_str(), again.status), ("q2", Status::Escalated), "{again:?}");
    assert!(again.note.is_some_and(|note| note.contains("given up")));
    assert_eq!(stage.typed(), "\x1b[B");
}

/// The next server took the question for one that nobody had begun to answer, asked its consultant anew and typed again.
#[test]
fn what_one_server_had_begun_to_type_the_next_leaves_to_a_person() {
    let mut asked = Stage::with_oracle(Policy::default());
    asked.play_to(5.9);
    let open = asked.hub.questions.open_questions(AgentKey(1));
    assert!(open.iter().all(|open| open.persons.is_none()), "nothing is typed yet: {open:?}");
    asked.say(r#"{"choice": 2}"#);
    asked.pass(400);
    assert_eq!(asked.typed(), "\x1b[B");
    let open = asked.hub.questions.open_questions(AgentKey(1));
    assert!(open.iter().any(|open| open.persons.is_some()), "{open:?}");
}

/// The draft that one server had left behind a prompt was part of the words that the next one read.
#[test]
fn a_question_in_place_of_one_that_was_being_answered_is_a_persons_under_the_next_server() {
    let fingerprint = crate::core::question::Fingerprint(1);
    let persons = Some("the server before was typing an answer".to_owned());
    let mut one = crate::server::remembered::OpenQuestion {
        id: "q41".into(),
        fingerprint,
        asked_at: 0,
        persons,
        suggested: None,
        called_unix_ms: None,
        typing: true,
        unfinished: None,
        ended: false,
    };
    for typing in [true, false] {
        one.typing = typing;
        let earlier = Remembered { state: State::Asking, open: vec![one.clone()], ..Remembered::default() };
        let mut stage = super::look::taken_back_at(Size::new(119, 40), Some(earlier));
        stage.pass(5_000);
        let question =
            stage.questions().into_iter().find(|question| question.agent == "old").expect("it asks");
        assert_eq!(question.note.is_some_and(|note| note.contains("q41")), typing);
    }
}

/// The time an answer took was counted from the start of the server that gave it.
#[test]
fn what_an_answer_took_is_counted_from_its_asking() {
    let mut asked = Stage::with_oracle(Policy::default());
    asked.play_to(5.9);
    let asked_at = asked.now.unix_ms - 188_000;
    let open = asked.hub.questions.open_questions(AgentKey(1));
    let open =
        open.into_iter().map(|one| crate::server::remembered::OpenQuestion { asked_at, ..one }).collect();
    let earlier = Remembered { state: State::Asking, open, ..Remembered::default() };
    let mut stage = super::look::taken_back_at(Size::new(119, 40), Some(earlier));
    stage.pass(5_000);
    let message = FromKeeper::Exited(Exit { code: Some(0), signal: None });
    stage.step(Event::Keeper { agent: stage.agent, message });
    stage.pass(1_000);
    let entry = stage.entries().pop().expect("it has ended");
    assert_eq!((entry.asked_at, entry.latency_ms), (asked_at, entry.settled_at - asked_at));
}

/// `npm init` said what is wrong with the name it had taken, and asked again in the same words: the answer was said not to
/// have gone in, and nobody was asked the second time.
#[test]
fn the_same_words_asked_again_are_another_question() {
    let mut stage = printing("package name: (shop) ");
    let (ask, _) = stage.hub.questions.asks.iter().last().expect("it asks");
    stage.step(Event::Consulted { ask, turn: 1, said: Ok(r#"{"text": "Demo"}"#.into()) });
    stage.pass(400);
    prints(&mut stage, "Demo");
    assert_eq!(stage.typed(), "Demo\r");
    next_read(&mut stage);
    prints(&mut stage, "\r\nSorry, name can only contain URL-friendly characters.\r\npackage name: (shop) ");
    stage.pass(1_000);
    let entry = stage.entries().pop().expect("it has ended");
    assert_eq!((entry.outcome, entry.answer.as_deref()), (Outcome::Answered, Some("Demo")), "{entry:?}");
    let open = stage.questions().pop().expect("it asks again");
    // What the program complains of stands above it.
    assert_eq!((open.prompt.as_str(), open.status), ("package name: (shop)", Status::Escalated), "{open:?}");
    assert_ne!(open.id, entry.id);
}

/// whiptail draws nothing anew in a smaller pane, and its buttons were out of it: its question went away, though it waited.
#[test]
fn a_box_whose_buttons_are_out_of_view_is_asked_all_the_same() {
    use crate::core::terminal::grid::Size;
    let drawn = "\x1b[2J\x1b[12;20H┌────────────────────┐\x1b[13;20H│ It is all in here  │\x1b[14;20H│                    │\
                 \x1b[15;20H│   <Yes>     <No>   │\x1b[16;20H└────────────────────┘\x1b[?25l";
    let mut stage = printing("");
    let Reader::Reading(wait) = stage.reader.reader.clone() else { panic!("somebody reads") };
    let reader = Reader::Reading(Wait { blocking: false, ..wait });
    stage.reader = Witness { reader, canonical: false, echo: false };
    prints(&mut stage, drawn);
    let id = stage.questions().pop().expect("it asks").id;
    let size = Size::new(80, 14);
    stage.request(Request::Resize { name: "setup".into(), size });
    stage.step(Event::Output {
        agent: AgentKey(1),
        bytes: "\x1b[2J\x1b[12;20H┌────────────────────┐\x1b[13;20H│ It is all in here  │\x1b[14;20H│                    │"
            .into(),
    });
    stage.pass(5_000);
    let open: Vec<_> =
        stage.questions().into_iter().filter(|question| question.status != Status::Withdrawn).collect();
    assert_eq!(open.iter().map(|question| &question.id).collect::<Vec<_>>(), [&id], "{open:?}");
}

/// A consultant and the command that calls a person ran in the folder that an isolated agent writes, with its
/// environment: what it put there was run outside.
#[test]
fn for_an_isolated_agent_nothing_runs_in_its_folder() {
    for isolate in [crate::core::agent::Isolate::None, crate::core::agent::Isolate::Namespace] {
        let isolated = isolate != crate::core::agent::Isolate::None;
        let mut stage = Stage::with_oracle(Policy::default());
        stage.agent_mut(1).spec.isolate = isolate;
        stage.agent_mut(1).spec.cwd = "/home/dev/shop".into();
        stage.agent_mut(1).spec.env.insert("EVIL".into(), "1".into());
        stage.play_to(5.9);
        let run = |e: &Effect| if let Effect::Consult { run, .. } = e { Some(run.clone()) } else { None };
        let run = stage.done.iter().find_map(run).expect("the consultant is asked");
        assert_eq!((run.cwd.is_empty(), run.env.contains_key("EVIL")), (isolated, !isolated));
    }
}

/// An agent that showed another harmless question every half second started 26 consultants in 14 seconds.
#[test]
fn an_agent_that_asks_without_end_is_left_to_a_person() {
    let mut stage = printing("Use colors? [Y/n] ");
    for n in 0..40 {
        next_read(&mut stage);
        prints(&mut stage, &format!("\r\n{n}: Use colors? [Y/n] "));
    }
    let asked = stage.done.iter().filter(|effect| matches!(effect, Effect::Consult { .. })).count();
    assert!((10..=20).contains(&asked), "{asked} consultants within 20 s");
    let last = stage.questions().pop().expect("it asks");
    assert_eq!(last.status, Status::Escalated, "{last:?}");
    assert!(last.note.is_some_and(|note| note.contains("within a minute")));
}

/// Words below the prompt, with the cursor put back, made it one that nobody saw: the program waited for ever.
#[test]
fn a_line_that_is_read_amid_other_words_calls_a_person() {
    let below = "Use colors? [Y/n] \x1b7\r\n\r\n(y deletes the production database)\x1b8";
    let margin: String =
        "DELETE".chars().enumerate().map(|(n, c)| format!("\x1b[{};70H{c}", n + 3)).collect();
    for printed in [below.to_owned(), format!("{margin}\x1b[1;1HUse colors? [Y/n] ")] {
        let mut stage = printing(&printed);
        stage.pass(2_000);
        let asks = stage.questions();
        assert!(matches!(&asks[..], [ask] if ask.status == Status::Escalated), "{printed:?}: {asks:?}");
    }
}

/// The age of its first question was shown for each that followed at once: thirteen minutes for what was just asked.
#[test]
fn a_question_that_follows_another_is_as_old_as_itself() {
    let mut stage = printing("Use colors? [Y/n] ");
    stage.pass(60_000);
    prints(&mut stage, "y\r\nUse tabs? [Y/n] ");
    let asked = stage.questions().last().expect("it asks").asked_at;
    let Some(Reply::Agents { agents }) = stage.request(Request::List) else { panic!("the list") };
    assert_eq!(agents[0].state, State::Asking);
    assert_eq!(agents[0].since, asked);
}

/// While nobody waited for a key that was due, who would take it was looked at again and again within one turn: the session
/// took a whole core, and served nobody, until the program read on.
#[test]
fn a_key_that_nobody_waits_for_is_held_and_not_asked_about_without_end() {
    let mut stage = printing("? Choose a title: ");
    stage.front = Front::Agent;
    stage.say(r#"{"text": "demo"}"#);
    stage.pass(400);
    stage.front = Front::Nobody;
    prints(&mut stage, "demo");
    assert_eq!(stage.typed(), "demo", "nobody reads");
    stage.front = Front::Agent;
    stage.pass(100);
    assert_eq!(stage.typed(), "demo\r");
}

/// Of letters that never reached the program, and of a question that its program took along, the log said that a person had
/// answered in the pane.
#[test]
fn only_what_was_submitted_is_an_answer_in_the_pane() {
    let name = || "setup".to_owned();
    let types = |stage: &mut Stage, keys: &[&str]| {
        let inputs = keys.iter().map(|key| match key.len() {
            2 => Input::Text((*key).to_owned()),
            _ => Input::Key(KeyPress::parse(key).expect("a key")),
        });
        stage.request(Request::Keys { name: name(), input: inputs.collect() });
    };
    let exits = |stage: &mut Stage| {
        let message = FromKeeper::Exited(Exit { code: None, signal: Some(15) });
        stage.step(Event::Keeper { agent: AgentKey(1), message });
    };
    let stop = || Request::Stop { names: vec![name()], grace_ms: 0 };
    let restart = || Request::Restart { name: name() };
    let ended = |stage: &Stage| {
        let entry = stage.entries().pop().expect("it has ended");
        (entry.outcome, entry.by, entry.reason.unwrap_or_default())
    };
    let withdrawn = |by: &str, why: &str| (Outcome::Withdrawn, by.to_owned(), why.to_owned());
    let unsent = "typed in the pane and not submitted; the question went with its program";
    for (keys, request) in
        [(&["zz"][..], stop()), (&["zz", "ctrl-u"], restart()), (&["zz", "backspace", "backspace"], stop())]
    {
        let mut stage = printing("Overwrite the file? [y/N] ");
        types(&mut stage, keys);
        stage.pass(200);
        stage.request(request);
        exits(&mut stage);
        assert_eq!(ended(&stage), withdrawn("none", unsent), "{keys:?}");
    }
    // Nobody had it stopped: its own time was up.
    for with_it in [true, false] {
        let mut stage = printing("Overwrite the file? [y/N] ");
        types(&mut stage, &["zz"]);
        prints(&mut stage, "zz");
        stage.reader = Witness { reader: Reader::Nobody, ..stage.reader.clone() };
        if with_it {
            exits(&mut stage)
        } else {
            prints(&mut stage, "\r\nToo late.\r\n")
        }
        let gone = "typed in the pane and not submitted; the question went away";
        assert_eq!(ended(&stage), withdrawn("none", if with_it { unsent } else { gone }));
    }
    // What was sent is an answer, also where a stop comes upon it.
    for stopped in [false, true] {
        let mut stage = printing("Overwrite the file? [y/N] ");
        types(&mut stage, &["zz", "enter"]);
        stage.reader = Witness { reader: Reader::Nobody, ..stage.reader.clone() };
        stage.step(Event::Output { agent: AgentKey(1), bytes: b"zz\r\nDone.\r\n".to_vec() });
        stage.pass(if stopped { 200 } else { 1_000 });
        if stopped {
            stage.request(stop());
            exits(&mut stage);
        }
        assert_eq!(ended(&stage), withdrawn("person", "answered in the pane"), "{stopped}");
    }
    // A menu takes each key, and it stood there until the end.
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    let input = vec![Input::Key(KeyPress::parse("down").expect("a key"))];
    stage.request(Request::Keys { name: "worker".into(), input });
    stage.pass(200);
    stage.request(Request::Stop { names: vec!["worker".into()], grace_ms: 0 });
    exits(&mut stage);
    assert_eq!(ended(&stage), withdrawn("none", "typed in the pane; the question went with its program"));
}
