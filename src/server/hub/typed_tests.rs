//! Questions in lines, and what was typed for them: it is in the log with who gave it, and belongs to no question's words.

use super::*;
use crate::core::detect::front::Front;
use crate::core::detect::witness::{Reader, Wait, Witness};

#[path = "answered_tests.rs"]
mod answered;

/// A program without a profile that prints this and reads, with a consultant.
fn printing(text: &str) -> Stage {
    printing_with(text, |_| {})
}

/// The same with another reader.
pub fn printing_with(text: &str, reads: impl FnOnce(&mut Witness)) -> Stage {
    printing_at(Size::new(80, 24), text, reads)
}

pub fn printing_at(size: Size, text: &str, reads: impl FnOnce(&mut Witness)) -> Stage {
    let mut stage = Stage::empty();
    reads(&mut stage.reader);
    let mut policy = Policy::default();
    policy.consultants.push(command("oracle", None));
    let spec = AgentSpec {
        name: "setup".into(),
        command: vec!["setup".into()],
        consultant: Some("oracle".into()),
        size: Some(size),
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
pub fn next_read(stage: &mut Stage) {
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
    assert!(sight.typed_line.as_ref().is_some_and(|line| line.left), "{:?}", sight.typed_line);
    // Once they have taken it back the answer goes in.
    send(&mut stage, Input::Key(KeyPress::parse("ctrl-u").expect("a key")));
    stage.pass(1_000);
    answers(&mut stage, second());
    assert_eq!(stage.typed(), "y\u{15}n");
}

/// The same letter went with a person's own key, in their pane: they typed `n`, and `yn` was read.
#[test]
fn what_is_left_of_an_answer_is_wiped_before_a_persons_key() {
    let mut stage = printing("Use TypeScript? [Y/n] ");
    stage.say(r#"{"choice": 1}"#);
    stage.pass(400);
    next_read(&mut stage);
    prints(&mut stage, "\r\nUse tabs? [Y/n] ");
    stage.pass(1_000);
    assert_eq!(stage.typed(), "y");
    for input in [Input::Text("n".into()), Input::Key(KeyPress::parse("enter").expect("a key"))] {
        stage.request(Request::Keys { name: "setup".into(), input: vec![input] });
    }
    assert_eq!(stage.typed(), "y\u{15}n\r");
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

/// The Enter of an answer went to another question: its program had begun a synchronized update, drawn it there, and not ended
/// the update, so that for a second nobody saw it.
#[test]
fn no_key_is_sent_into_a_frame_that_is_not_drawn_to_its_end() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    let dialog = stage.session(stage.agent).screen().grid().text().replace('\n', "\r\n");
    let second = dialog.replacen("❯ 1.", "  1.", 1).replacen("  2.", "❯ 2.", 1);
    assert_ne!(dialog, second);
    stage.say(r#"{"choice": 2}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[B");
    let other = "Delete the release?\r\n\r\n  1. Keep it\r\n❯ 2. Delete all\r\n\r\nEnter to select\r\n";
    let clear = "\x1b[H\x1b[2J";
    let bytes = format!("{clear}{second}").into_bytes();
    stage.step(Event::Output { agent: stage.agent, bytes });
    let bytes = format!("\x1b[?2026h{clear}{other}").into_bytes();
    stage.step(Event::Output { agent: stage.agent, bytes });
    stage.pass(6_000);
    assert_eq!(stage.typed(), "\x1b[B");
    let (one, other) = (stage.questions().remove(0), stage.questions().remove(1));
    assert_eq!((one.status, other.status), (Status::Withdrawn, Status::Escalated), "{one:?} {other:?}");
}
