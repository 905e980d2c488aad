//! Questions in which something moves by itself.

use super::typed::printing_with;
use super::*;
use crate::core::detect::witness::{Reader, Witness};

/// A menu in the open, drawn anew with these words, its other row dimmed.
fn menu(words: &str) -> String {
    format!("\x1b[2J\x1b[H◆  {words}\r\n│  ● React\r\n│  ○ \x1b[2mVue\x1b[m\r\n└\r\n")
}

/// A program that prints this and reads key by key.
pub fn keyed(text: &str) -> Stage {
    printing_with(text, |reader| {
        (reader.canonical, reader.echo) = (false, false);
        if let Reader::Reading(wait) = &mut reader.reader {
            (wait.blocking, wait.sleeps) = (false, 0);
        }
    })
}

fn asking(words: &str) -> Stage {
    keyed(&menu(words))
}

fn draws(stage: &mut Stage, words: &str, ms: u64) {
    stage.step(Event::Output { agent: AgentKey(1), bytes: menu(words).into_bytes() });
    stage.pass(ms);
}

fn consulted(stage: &Stage) -> usize {
    stage.done.iter().filter(|effect| matches!(effect, Effect::Consult { .. })).count()
}

/// Each second that was counted down was another question: the one before counted as answered, and Enter went in once a second.
#[test]
fn a_countdown_in_its_words_gets_one_answer() {
    let mut stage = asking("Which framework? (20s)");
    assert_eq!(consulted(&stage), 1, "{:?}", stage.questions());
    stage.say(r#"{"choice": 1}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\r");
    for left in (5..20).rev() {
        draws(&mut stage, &format!("Which framework? ({left}s)"), 1_000);
    }
    let asks = stage.questions();
    assert!(matches!(&asks[..], [ask] if ask.status == Status::Escalated), "{asks:?}");
    assert!(
        asks[0].note.as_ref().is_some_and(|note| note.contains("still there after 5 s; typed: enter")),
        "{asks:?}"
    );
    assert_eq!((stage.typed().as_str(), consulted(&stage), stage.entries().len()), ("\r", 1, 0));
}

/// A spinner in the question's row made another question of it ten times a second, each taken to the consultant.
#[test]
fn a_spinner_beside_a_question_makes_no_other_of_it() {
    let turn = |at: usize| format!("Which framework?          {}", ["|", "/", "-", "\\"][at % 4]);
    let mut stage = asking(&turn(0));
    for at in 1..40 {
        draws(&mut stage, &turn(at), 100);
    }
    assert_eq!((consulted(&stage), stage.questions().len()), (1, 1), "{:?}", stage.questions());
    stage.say(r#"{"choice": 1}"#);
    for at in 0..8 {
        draws(&mut stage, &turn(at), 100);
    }
    assert_eq!(stage.typed(), "\r", "{:?}", stage.questions());
    stage.step(Event::Output {
        agent: AgentKey(1),
        bytes: b"\x1b[2J\x1b[H\xe2\x97\x87  Which framework?\r\n".to_vec(),
    });
    stage.reader = Witness { reader: Reader::Nobody, ..stage.reader.clone() };
    stage.pass(2_000);
    assert_eq!(stage.entries()[0].outcome, Outcome::Answered);
}

/// Words that change, and may mean something else each time, are nobody's to answer but a person's.
#[test]
fn a_question_that_is_another_every_second_is_a_persons_and_stays() {
    let mut stage = asking("Which framework for shop a?");
    for shop in "bcdefghijk".chars() {
        draws(&mut stage, &format!("Which framework for shop {shop}?"), 1_000);
    }
    let open =
        |stage: &mut Stage| stage.questions().into_iter().filter(|ask| ask.status == Status::Escalated);
    let asks: Vec<_> = open(&mut stage).collect();
    assert!(
        matches!(&asks[..], [ask] if ask.note.as_ref().is_some_and(|note| note.contains("change"))),
        "{asks:?}"
    );
    assert!(asks[0].prompt.ends_with("shop k?"), "{asks:?}");
    assert!(consulted(&stage) <= 3, "{}", consulted(&stage));
    assert_eq!(stage.typed(), "");
    draws(&mut stage, "Which framework for shop l?", 1_000);
    assert_eq!(open(&mut stage).map(|ask| ask.id).collect::<Vec<_>>(), [asks[0].id.clone()]);
}

fn gives(stage: &mut Stage, id: &str) -> Option<Reply> {
    let answer = GivenAnswer { options: vec!["1".into()], ..GivenAnswer::default() };
    stage.request(Request::Answer { id: id.to_owned(), answer })
}

fn is_refused(reply: Option<&Reply>) -> bool {
    matches!(reply, Some(Reply::Error { code: 4, .. }))
}

/// From the third change on the question kept its id, and whoever had read "Read the notes?" under it answered "Drop the production
/// database?" by it: while the words change nothing is answered, and once they stand still they have an id of their own.
#[test]
fn an_answer_to_words_that_have_changed_by_themselves_is_refused() {
    let mut stage = asking("Run it?");
    for words in ["Build the thing?", "Which one do we take?", "Format these files?", "Read the notes?"] {
        draws(&mut stage, words, 700);
    }
    let read = stage.questions().pop().expect("it asks");
    assert_eq!((read.prompt.as_str(), read.status), ("Read the notes?", Status::Escalated));
    draws(&mut stage, "Drop the production database?", 400);
    let refused = gives(&mut stage, &read.id);
    assert!(is_refused(refused.as_ref()), "they change: {refused:?}");
    stage.pass(3_000);
    let stands = stage.questions().pop().expect("it asks");
    assert_ne!(stands.id, read.id);
    assert_eq!((stands.prompt.as_str(), stands.status), ("Drop the production database?", Status::Escalated));
    assert!(stands.note.as_ref().is_some_and(|note| note.contains("have changed")), "{stands:?}");
    assert_eq!(stage.questions().iter().filter(|ask| ask.status == Status::Escalated).count(), 1);
    let refused = gives(&mut stage, &read.id);
    assert!(is_refused(refused.as_ref()), "they were others: {refused:?}");
    assert_eq!((stage.typed().as_str(), consulted(&stage) <= 3), ("", true));
    assert_eq!(gives(&mut stage, &stands.id), None);
    stage.pass(400);
    assert_eq!(stage.typed(), "\r", "whoever read these words answers them");
}

/// The same once they have stood still: the next words are not answered by the id of those before either.
#[test]
fn words_that_change_once_more_behind_a_rest_are_refused_at_once() {
    let mut stage = asking("Run it?");
    for words in ["Build the thing?", "Which one do we take?", "Read the notes?"] {
        draws(&mut stage, words, 700);
    }
    stage.pass(20_000);
    let read = stage.questions().pop().expect("it asks");
    draws(&mut stage, "Drop the production database?", 300);
    let (count, refused) = (consulted(&stage), gives(&mut stage, &read.id));
    assert!(is_refused(refused.as_ref()), "{refused:?}");
    stage.pass(3_000);
    let refused = gives(&mut stage, &read.id);
    assert!(is_refused(refused.as_ref()), "{refused:?}");
    assert_eq!((stage.typed().as_str(), consulted(&stage)), ("", count), "it is a person's");
}

/// Half drawn at the very moment at which they had stood still for long enough, they are looked at once more, and nobody waits for ever.
#[test]
fn words_that_cannot_be_seen_for_a_moment_are_a_question_all_the_same() {
    let mut stage = asking("Run it?");
    for words in ["Build the thing?", "Which one do we take?", "Format these files?", "Read the notes?"] {
        draws(&mut stage, words, 700);
    }
    let read = stage.questions().pop().expect("it asks").id;
    stage.pass(1_200);
    stage.step(Event::Output { agent: AgentKey(1), bytes: b"\x1b[2J\x1b[H".to_vec() });
    stage.pass(300);
    draws(&mut stage, "Read the notes?", 10_000);
    let asks = stage.questions();
    let last = asks.last().expect("it asks");
    assert_eq!((last.status, last.prompt.as_str()), (Status::Escalated, "Read the notes?"), "{asks:?}");
    assert_ne!(last.id, read, "{asks:?}");
    assert_eq!(gives(&mut stage, &last.id.clone()), None);
    stage.pass(400);
    assert_eq!(stage.typed(), "\r");
}

/// A program that changes its words ten times a second makes no question of each.
#[test]
fn words_that_never_stand_still_make_few_questions() {
    let mut stage = asking("Take number one?");
    for at in 0..300_u32 {
        let letters: String =
            at.to_string().chars().map(|digit| char::from(digit as u8 + b'a' - b'0')).collect();
        draws(&mut stage, &format!("Take number {letters}?"), 100);
    }
    assert!(stage.questions().len() <= 3, "{}", stage.questions().len());
    assert_eq!(stage.typed(), "");
}

/// Seconds that are counted down where no rule knows them for a clock: a person answers those as they go on.
#[test]
fn a_countdown_in_the_midst_of_the_words_is_answered() {
    let mut stage = asking("Which one? React in 20 s, unless you choose");
    for left in (12..20).rev() {
        draws(&mut stage, &format!("Which one? React in {left} s, unless you choose"), 1_000);
    }
    let asks = stage.questions();
    let last = asks.last().expect("it asks");
    assert_eq!((last.status, asks.len()), (Status::Escalated, 3), "{asks:?}");
    assert!(last.prompt.contains("12 s"), "{last:?}");
    assert_eq!(gives(&mut stage, &last.id), None);
    stage.pass(400);
    assert_eq!(stage.typed(), "\r");
}

/// A line that is asked for this package, with a time set: its program goes on by itself, and asks for the next one.
fn timed(package: &str) -> String {
    format!("Setting up package {package}\r\nUse TypeScript? [Y/n] ")
}

fn asking_in_time() -> Stage {
    printing_with(&timed("alpha"), |reader| {
        if let Reader::Reading(wait) = &mut reader.reader {
            (wait.blocking, wait.sleeps) = (false, 0);
        }
    })
}

fn time_is_over(stage: &mut Stage, next: &str) {
    let bytes = format!("\r\n{}", timed(next)).into_bytes();
    stage.step(Event::Output { agent: AgentKey(1), bytes });
    stage.pass(600);
}

/// What a consultant said of one package was typed for the next, whose question had come up in the same words meanwhile.
#[test]
fn an_answer_goes_to_no_question_that_is_asked_later_in_the_same_words() {
    let mut stage = asking_in_time();
    assert_eq!(consulted(&stage), 1, "{:?}", stage.questions());
    time_is_over(&mut stage, "beta");
    stage.say(r#"{"choice": 2}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "", "that was of the other package");
    let statuses: Vec<_> = stage.questions().into_iter().map(|ask| (ask.id, ask.status)).collect();
    assert!(matches!(&statuses[..], [(_, Status::Withdrawn), (_, Status::Consulting)]), "{statuses:?}");
    assert_eq!(stage.typed(), "");
}

/// The same where the screen is cleared in between, with its lines kept or not, and the words stand where they stood.
/// A menu whose time was over gave way to other words for 0.3 s and was asked for the next file: the answer to the first went in.
#[test]
fn the_same_menu_behind_other_words_is_another_question() {
    let mut stage = asking("Which framework?");
    let first = stage.questions()[0].id.clone();
    let says = |stage: &mut Stage, words: &str| {
        let bytes = format!("\x1b[2J\x1b[H{words}").into_bytes();
        stage.step(Event::Output { agent: AgentKey(1), bytes });
        stage.pass(250);
    };
    says(&mut stage, "");
    draws(&mut stage, "Which framework?", 100);
    assert_eq!(stage.questions()[0].id, first, "drawn anew: {:?}", stage.questions());
    says(&mut stage, "a.txt stays as it is. Next: b.txt");
    draws(&mut stage, "Which framework?", 100);
    let asks = stage.questions();
    assert!(
        matches!(&asks[..], [then, now] if then.status == Status::Withdrawn && now.id != first),
        "{asks:?}"
    );
    stage.say(r#"{"choice": 2}"#);
    stage.pass(300);
    assert_eq!(stage.typed(), "", "the reply was to the first");
}

/// The line above a field, or above its rows, changes with each letter: the question went away while its answer was typed, and a
/// letter of that was left there.
#[test]
fn what_is_typed_below_a_question_makes_no_other_of_it() {
    for (asked, then) in [
        ("◆  Project name?\r\n│  _\r\n└\r\n", "◆  Project name?\r\n│  d█\r\n└\r\n"),
        (
            "◆  Which framework?\r\n│\r\n│  Search: _\r\n│  ● React\r\n│  ○ \x1b[2mVue\x1b[m\r\n└\r\n",
            "◆  Which framework?\r\n│\r\n│  Search:\r\n│  ○ \x1b[2mReact\x1b[m\r\n│  ● Vue\r\n└\r\n",
        ),
    ] {
        let mut stage = keyed(&format!("\x1b[2J\x1b[H│\r\n{asked}"));
        let bytes = format!("\x1b[2J\x1b[H│\r\n{then}").into_bytes();
        stage.step(Event::Output { agent: AgentKey(1), bytes });
        stage.pass(500);
        let asks = stage.questions();
        assert!(matches!(&asks[..], [ask] if ask.status != Status::Withdrawn), "{asks:?}");
    }
}

/// The name of a file between the words that ask and the rows was passed over with the fields that stand there: the answer for one
/// file was given for the next.
#[test]
fn what_stands_between_a_question_and_its_rows_tells_it_from_the_next() {
    let about = |file: &str| {
        format!(
            "\x1b[2J\x1b[H│\r\n◆  Which color?\r\n│  {file}\r\n│\r\n│  ● React\r\n│  ○ \x1b[2mVue\x1b[m\r\n└\r\n"
        )
    };
    let mut stage = keyed(&about("a.txt"));
    stage.step(Event::Output { agent: AgentKey(1), bytes: about("b.txt").into_bytes() });
    stage.pass(500);
    let asks = stage.questions();
    assert!(matches!(&asks[..], [then, _] if then.status == Status::Withdrawn), "{asks:?}");
}

/// A menu that looked at its Enter for two seconds, and did not take it, stood there all the time: it was logged as answered.
#[test]
fn a_menu_that_stands_while_its_program_looks_at_the_answer_is_not_answered() {
    for refused in [true, false] {
        let mut stage = asking("Which framework?");
        stage.say(r#"{"choice": 1}"#);
        stage.pass(400);
        assert_eq!(stage.typed(), "\r");
        let waits = std::mem::replace(&mut stage.reader.reader, Reader::Nobody);
        stage.pass(2_000);
        assert_eq!(stage.entries().len(), 0, "{:?}", stage.questions());
        if refused {
            stage.reader.reader = waits;
            draws(&mut stage, "Which framework?", 100);
        }
        stage.pass(4_000);
        let asks = stage.questions();
        let (status, note) = (asks[0].status, asks[0].note.clone().unwrap_or_default());
        assert_eq!((status == Status::Escalated, asks.len()), (refused, 1), "{note}");
        assert_eq!(
            stage.entries().first().map(|entry| entry.outcome.name()),
            (!refused).then_some("answered")
        );
        assert_eq!(stage.typed(), "\r");
    }
}

#[test]
fn the_same_words_below_others_are_another_question() {
    for clear in ["\x1b[H\x1b[2J", "\x1b[H\x1b[J"] {
        let mut stage = asking_in_time();
        let bytes = format!("{clear}{}", timed("beta")).into_bytes();
        stage.step(Event::Output { agent: AgentKey(1), bytes });
        stage.pass(600);
        stage.say(r#"{"choice": 2}"#);
        stage.pass(400);
        assert_eq!((stage.questions().len(), stage.typed().as_str()), (2, ""), "{:?}", stage.questions());
    }
}

/// Who asks again every few seconds would cost a consultation each time, of which none comes in time.
#[test]
fn a_program_that_waits_for_no_answer_is_a_persons() {
    let mut stage = asking_in_time();
    for package in ["beta", "gamma", "delta", "epsilon"] {
        time_is_over(&mut stage, package);
    }
    let asks = stage.questions();
    let last = asks.last().expect("it asks");
    assert_eq!(last.status, Status::Escalated, "{asks:?}");
    // From the third on it is the person's whom it was given to, who would have found another number each time.
    assert_eq!((consulted(&stage), asks.len(), stage.typed().as_str()), (2, 3, ""), "{asks:?}");
}

/// The same of a request for consent, which has a number of its own each time: `counsel answer` gives a yes to that alone.
#[test]
fn a_request_that_is_asked_again_is_another_one_each_time() {
    let asked = |folder: &str| format!("About to run: rm -rf {folder}\r\nProceed? [y/N] ");
    let mut stage = printing_with(&asked("./a"), |reader| {
        if let Reader::Reading(wait) = &mut reader.reader {
            (wait.blocking, wait.sleeps) = (false, 0);
        }
    });
    for folder in ["./b", "./c", "./d", "./e"] {
        let bytes = format!("\r\n{}", asked(folder)).into_bytes();
        stage.step(Event::Output { agent: AgentKey(1), bytes });
        stage.pass(600);
    }
    let asks = stage.questions();
    assert!(asks.iter().all(|ask| ask.kind == crate::core::question::Kind::Permission), "{asks:?}");
    assert_eq!((asks.len(), stage.typed().as_str()), (5, ""), "{asks:?}");
}

/// Progress drawn above a request for consent made another one of it with each number, fifteen a second: none of them could be
/// answered, and the log was full of them.
#[test]
fn a_request_below_words_that_change_is_one_and_is_answered_in_its_pane() {
    let draws = |at: usize| format!("\x1b[2J\x1b[Hline {at}\r\n\r\nRemove the backup? [y/N] ");
    let mut stage = printing_with(&draws(0), |_| ());
    for at in 1..40 {
        stage.step(Event::Output { agent: AgentKey(1), bytes: draws(at).into_bytes() });
        stage.pass(100);
    }
    let asks = stage.questions();
    assert!(asks.len() <= 3, "{}: {asks:?}", asks.len());
    let last = asks.last().expect("it asks");
    let note = last.note.clone().unwrap_or_default();
    assert!(last.status == Status::Escalated && note.contains("answer it in its pane"), "{last:?}");
    let answer = crate::wire::message::GivenAnswer { options: vec!["y".into()], text: None, reject: false };
    let id = last.id.clone();
    stage.request(Request::Answer { id, answer });
    assert_eq!(stage.typed(), "", "it is not known what it would be a yes to");
}

/// A list in the open, of which these rows are in view, the highlight on the last of them.
fn list(rows: std::ops::Range<usize>) -> Vec<u8> {
    let last = rows.end - 1;
    let row = |at| format!("│  {} Option {at}\r\n", if at == last { "●" } else { "○" });
    let rows: String = rows.map(row).collect();
    format!("\x1b[2J\x1b[H◆  Which option?\r\n{rows}└\r\n").into_bytes()
}

fn scrolls_to(stage: &mut Stage, rows: std::ops::Range<usize>) {
    stage.step(Event::Output { agent: AgentKey(1), bytes: list(rows) });
    stage.pass(1_000);
}

/// A list of forty rows scrolled under each arrow of its answer. That made another question of it each time: the consultant was
/// asked again, its answer typed again, and so twenty times.
#[test]
fn a_list_that_scrolls_under_its_answer_is_asked_once() {
    let mut stage = printing_with(std::str::from_utf8(&list(14..21)).unwrap(), |reader| {
        (reader.canonical, reader.echo) = (false, false);
        if let Reader::Reading(wait) = &mut reader.reader {
            (wait.blocking, wait.sleeps) = (false, 0);
        }
    });
    assert_eq!(consulted(&stage), 1, "{:?}", stage.questions());
    stage.say(r#"{"choice": 1}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[A");
    for first in (8..14).rev() {
        scrolls_to(&mut stage, first..first + 7);
    }
    let asks = stage.questions();
    let why = |ask: &crate::wire::message::QuestionInfo| {
        ask.note.as_ref().is_some_and(|note| note.contains("other rows"))
    };
    assert!(matches!(&asks[..], [ask] if ask.status == Status::Escalated && why(ask)), "{asks:?}");
    assert_eq!(asks[0].options[0], "Option 8");
    assert_eq!((consulted(&stage), stage.typed().as_str(), stage.entries().len()), (1, "\x1b[A", 0));
}

/// The same answer by a person failed each time, and they had to type in the pane.
#[test]
fn a_list_that_scrolls_under_a_persons_answer_takes_it() {
    let mut stage = printing_with(std::str::from_utf8(&list(14..21)).unwrap(), |reader| {
        (reader.canonical, reader.echo) = (false, false);
        if let Reader::Reading(wait) = &mut reader.reader {
            (wait.blocking, wait.sleeps) = (false, 0);
        }
    });
    let answer = GivenAnswer { options: vec!["1".into()], ..GivenAnswer::default() };
    stage.request(Request::Answer { id: "q1".into(), answer });
    stage.pass(400);
    for (up, first) in (8..14).rev().enumerate() {
        assert_eq!(stage.typed(), "\x1b[A".repeat(up + 1), "{:?}", stage.questions());
        stage.step(Event::Output { agent: AgentKey(1), bytes: list(first..first + 7) });
        stage.pass(200);
    }
    assert_eq!(stage.typed(), format!("{}\r", "\x1b[A".repeat(6)), "{:?}", stage.questions());
    let answered = "\x1b[2J\x1b[H\u{25c7}  Which option?\r\n".as_bytes().to_vec();
    stage.step(Event::Output { agent: AgentKey(1), bytes: answered });
    stage.reader = Witness { reader: Reader::Nobody, ..stage.reader.clone() };
    stage.pass(2_000);
    let entries = stage.entries();
    assert_eq!((entries[0].outcome, entries[0].by.as_str()), (Outcome::Answered, "person"), "{entries:?}");
}

/// Whoever scrolls a list in its pane is choosing: each row that came into view was taken to the consultant.
#[test]
fn a_list_that_a_person_scrolls_stays_theirs() {
    let mut stage = printing_with(std::str::from_utf8(&list(14..21)).unwrap(), |reader| {
        (reader.canonical, reader.echo) = (false, false);
        if let Reader::Reading(wait) = &mut reader.reader {
            (wait.blocking, wait.sleeps) = (false, 0);
        }
    });
    for first in 15..20 {
        let input = vec![Input::Key(KeyPress::plain(Key::Down))];
        stage.request(Request::Keys { name: "setup".into(), input });
        scrolls_to(&mut stage, first..first + 7);
    }
    let asks = stage.questions();
    assert!(matches!(&asks[..], [ask] if ask.status == Status::Escalated), "{asks:?}");
    assert_eq!((consulted(&stage), asks[0].options[0].as_str()), (1, "Option 19"));
    // Whoever says 2 may have read the rows that stood there before: another one was chosen.
    let answer = |option: &str| Request::Answer {
        id: asks[0].id.clone(),
        answer: crate::wire::message::GivenAnswer { options: vec![option.into()], text: None, reject: false },
    };
    let refused = stage.request(answer("2"));
    assert!(
        matches!(&refused, Some(Reply::Error { code: 4, message }) if message.contains("give the label")),
        "{refused:?}"
    );
    assert_eq!(stage.request(answer("Option 20")), None, "that is taken");
}

/// On a busy machine the list was read between the words and the rows that were drawn anew behind an arrow: it "went away", and was
/// asked again.
#[test]
fn words_without_their_rows_behind_a_key_are_a_redraw() {
    let mut stage = asking("Which framework?");
    stage.say(r#"{"choice": 2}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[B");
    let half = "\x1b[2J\x1b[H◆  Which framework?\r\n│\r\n└\r\n";
    stage.step(Event::Output { agent: AgentKey(1), bytes: half.as_bytes().to_vec() });
    stage.pass(200);
    let whole = "\x1b[2J\x1b[H◆  Which framework?\r\n│  ○ \x1b[2mReact\x1b[m\r\n│  ● Vue\r\n└\r\n";
    stage.step(Event::Output { agent: AgentKey(1), bytes: whole.as_bytes().to_vec() });
    stage.pass(600);
    assert_eq!((stage.typed().as_str(), stage.questions().len()), ("\x1b[B\r", 1), "{:?}", stage.questions());
}

/// What stays so is another question.
#[test]
fn words_that_stay_without_rows_are_a_question_of_their_own() {
    let mut stage = asking("Which framework?");
    stage.say(r#"{"choice": 2}"#);
    stage.pass(400);
    let half = "\x1b[2J\x1b[H◆  Which framework?\r\n│\r\n└\r\n";
    stage.step(Event::Output { agent: AgentKey(1), bytes: half.as_bytes().to_vec() });
    stage.pass(10_000);
    let asks = stage.questions();
    assert_eq!((stage.typed().as_str(), asks.len()), ("\x1b[B", 2), "{asks:?}");
    assert!(matches!(&asks[..], [_, now] if now.status == Status::Escalated), "{asks:?}");
}
