//! Reports that agree with the screen, come late, or contradict it, and what is typed then.

use super::*;
use crate::core::detect::channels::Trust;
use crate::core::question::Kind;
use crate::core::recording::asciicast::Asciicast;

/// The first key towards the second row.
const DOWN: &str = "\x1b[B";

fn report(stage: &mut Stage, fields: &str) {
    let bytes = format!("\x1b]7501;{fields}:app=claude-code\x07").into_bytes();
    stage.step(Event::Output { agent: AgentKey(1), bytes });
    stage.pass(200);
}

/// A worker whose question is on the screen, with this as its last report.
fn asking(fields: &str) -> Stage {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(4.0);
    report(&mut stage, fields);
    stage.play_to(5.9);
    assert_eq!(stage.questions().len(), 1);
    stage
}

fn say(stage: &mut Stage, words: &str) {
    let turn = stage.ask(1).turn_number();
    stage.step(Event::Consulted { ask: AskKey(1), turn, said: Ok(words.to_owned()) });
}

fn explained(stage: &mut Stage) -> (String, serde_json::Value) {
    match stage.request(Request::Explain { name: "worker".into() }) {
        Some(Reply::Explained { text, json }) => (text, json),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_report_that_agrees_is_a_source_and_raises_trust() {
    let mut stage = asking("state=blocked:kind=question");
    let question = stage.questions().remove(0);
    assert_eq!((question.sources, question.trust), (vec!["screen".to_owned(), "status".into()], Trust::High));
    let (text, json) = explained(&mut stage);
    assert_eq!((&json["trust"], &json["channels"][0]["stand"]), (&"high".into(), &"agrees".into()), "{text}");
}

#[test]
fn a_channel_that_changes_its_word_is_no_source_any_more() {
    let mut stage = asking("state=blocked:kind=question");
    report(&mut stage, "state=working");
    let question = stage.questions().remove(0);
    assert_eq!((question.sources, question.trust), (vec!["screen".to_owned()], Trust::Low));
}

#[test]
fn the_screen_alone_is_enough() {
    let mut stage = asking("state=clear");
    let question = stage.questions().remove(0);
    assert_eq!((question.sources, question.trust), (vec!["screen".to_owned()], Trust::Normal));
    say(&mut stage, r#"{"choice": 2}"#);
    stage.pass(1_000);
    assert!(stage.typed().starts_with(DOWN), "{}", stage.typed());
}

/// A background process draws the menu: the program that the report is of asks nothing.
#[test]
fn nothing_is_typed_into_a_menu_of_a_program_that_says_it_is_idle() {
    let mut stage = asking("state=done");
    assert_eq!((stage.questions()[0].trust, stage.notifications()), (Trust::Low, 0));
    say(&mut stage, r#"{"choice": 2}"#);
    stage.pass(5_000);
    let question = stage.questions().remove(0);
    assert_eq!((question.status, stage.typed().as_str(), stage.notifications()), (Status::Escalated, "", 1));
}

#[test]
fn nothing_is_typed_into_a_dialog_of_a_program_that_says_it_works() {
    let mut stage = asking("state=working");
    assert_eq!((stage.questions()[0].trust, stage.notifications()), (Trust::Low, 0));
    say(&mut stage, r#"{"choice": 2}"#);
    stage.pass(5_000);
    let question = stage.questions().remove(0);
    assert_eq!((question.status, stage.typed().as_str(), stage.notifications()), (Status::Escalated, "", 1));
    let note = question.note.unwrap();
    assert!(note.contains(r#"status reports "working", but the screen shows a question"#), "{note}");
    let (text, json) = explained(&mut stage);
    assert!(
        text.contains("! contradicts: status reports \"working\"") && text.contains("trust: low"),
        "{text}"
    );
    assert_eq!((&json["trust"], &json["channels"][0]["stand"]), (&"low".into(), &"contradicts".into()));
}

#[test]
fn an_answer_waits_for_a_report_that_is_late() {
    let mut stage = asking("state=working");
    say(&mut stage, r#"{"choice": 2}"#);
    stage.pass(1_000);
    assert_eq!((stage.typed().as_str(), stage.questions()[0].status), ("", Status::Answering));
    report(&mut stage, "state=blocked:kind=question");
    assert_eq!(stage.questions()[0].trust, Trust::High);
    stage.pass(1_000);
    assert!(stage.typed().starts_with(DOWN), "{}", stage.typed());
    assert_eq!(stage.notifications(), 0);
}

#[test]
fn a_menu_that_is_reported_as_a_permission_is_a_persons() {
    let mut stage = asking("state=blocked:kind=permission");
    say(&mut stage, r#"{"choice": 1}"#);
    stage.pass(5_000);
    assert_eq!((stage.questions()[0].status, stage.typed().as_str()), (Status::Escalated, ""));
}

#[test]
fn a_question_that_is_a_persons_anyhow_tells_of_the_doubt_for_as_long_as_it_lasts() {
    let mut stage = Stage::new(Policy::default());
    stage.play_to(4.0);
    report(&mut stage, "state=working");
    stage.play_to(5.9);
    let note = |stage: &mut Stage| stage.questions().remove(0).note.unwrap();
    assert_eq!(note(&mut stage), "oracle is not known");
    stage.pass(5_000);
    let both = note(&mut stage);
    assert!(both.starts_with("oracle is not known; the screen is in doubt: "), "{both}");
    assert_eq!(stage.notifications(), 1, "a person has been called already");
    report(&mut stage, "state=blocked:kind=question");
    assert_eq!(note(&mut stage), "oracle is not known");
}

#[test]
fn a_person_who_saw_the_doubtful_dialog_answers_it() {
    let mut stage = asking("state=working");
    stage.pass(5_000);
    assert_eq!(stage.questions()[0].status, Status::Escalated);
    let answer = GivenAnswer { options: vec!["2".into()], ..GivenAnswer::default() };
    stage.request(Request::Answer { id: "q1".into(), answer });
    stage.pass(1_000);
    assert!(stage.typed().starts_with(DOWN), "{}", stage.typed());
}

#[test]
fn a_person_is_called_once_where_a_program_waits_and_nothing_is_seen() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(4.0);
    stage.step(Event::Output { agent: AgentKey(1), bytes: b"\x1b[2J\x1b[Hsome words".to_vec() });
    report(&mut stage, "state=blocked:kind=question");
    stage.pass(2_000);
    assert_eq!((stage.notifications(), stage.questions().len()), (0, 0));
    stage.pass(60_000);
    assert_eq!((stage.notifications(), stage.questions().len(), stage.typed().as_str()), (1, 0, ""));
    let (text, _) = explained(&mut stage);
    assert!(text.contains("but no question is seen on the screen") && text.contains("trust: low"), "{text}");
}

fn menu(prompt: &str) -> Vec<u8> {
    let line = "─".repeat(80);
    let rows = "❯ 1. PostgreSQL\r\n     Big\r\n  2. SQLite\r\n     Small\r\n  3. Type something.";
    let keys = "Enter to select · ↑/↓ to navigate · Esc to cancel";
    let head = format!("\x1b[?25l\x1b[H\x1b[2J{line}\r\n ☐ Choice\r\n\r\n{prompt}\r\n\r\n");
    format!("{head}{rows}\r\n{line}\r\n  4. Chat about this\r\n\r\n{keys}").into_bytes()
}

/// Claude Code shows a permission dialog.
fn asking_for_consent() -> Stage {
    let mut stage = Stage::with_oracle(Policy::default());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/claude-2.1.150-permbash-120x40.cast");
    stage.cast = Asciicast::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    stage.play_to(3.885);
    stage.pass(1_000);
    assert_eq!(stage.questions()[0].kind, Kind::Permission);
    stage
}

/// The same where the server is killed before the menu is drawn: the next one knew of no dialog.
#[test]
fn what_stands_there_under_the_next_server_is_a_persons_too() {
    let blank = b"\x1b[2J\x1b[Hsome words".to_vec();
    for gone in [false, true] {
        let mut before = asking_for_consent();
        if gone {
            before.step(Event::Output { agent: AgentKey(1), bytes: blank.clone() });
            before.pass(1_000);
        }
        let earlier = before.agent(1).remembered.clone();
        assert_eq!(earlier.open.is_empty(), gone);
        let mut stage = super::look::taken_back_at(Size::new(119, 40), Some(earlier));
        stage.pass(5_000);
        let drawn = stage.questions().into_iter().find(|question| question.agent == "old").expect("it asks");
        assert_eq!((drawn.kind, drawn.status), (Kind::Menu, Status::Escalated), "{drawn:?}");
        assert!(drawn.note.is_some_and(|note| note.contains("went away without a key")));
    }
}

/// A process in the background drew a menu over a permission dialog and was gone at once: the permission counted as
/// withdrawn, the menu was answered, and its Enter approved the command.
#[test]
fn what_stands_where_consent_was_asked_for_is_a_persons_until_a_key_is_typed() {
    let mut stage = asking_for_consent();
    for words in ["Which database should I use?", "Which store shall it be?"] {
        stage.step(Event::Output { agent: AgentKey(1), bytes: menu(words) });
        stage.pass(1_000);
        let drawn = stage.questions().into_iter().find(|question| question.prompt == words).unwrap();
        assert_eq!((drawn.kind, drawn.status), (Kind::Menu, Status::Escalated), "{drawn:?}");
        assert!(drawn.note.is_some_and(|note| note.contains("went away without a key")));
    }
    stage
        .request(Request::Keys { name: "worker".into(), input: vec![Input::Key(KeyPress::plain(Key::Esc))] });
    stage.pass(1_000);
    let later = "Shall I go on?";
    stage.step(Event::Output { agent: AgentKey(1), bytes: menu(later) });
    stage.pass(1_000);
    let asked = stage.questions().into_iter().find(|question| question.prompt == later).unwrap();
    assert_eq!(asked.status, Status::Consulting, "{asked:?}");
    assert_eq!(stage.typed(), "\x1b");
}

/// Claude Code's box around a command.
fn request() -> Vec<u8> {
    let line = "─".repeat(80);
    let head =
        format!("\x1b[?25l\x1b[H\x1b[2J● Running.\r\n\r\n{line}\r\n Bash command\r\n\r\n   rm -rf /srv\r\n");
    let rows = " Do you want to proceed?\r\n ❯ 1. Yes\r\n   2. No\r\n\r\n Esc to cancel · Tab to amend";
    format!("{head}   Run the command\r\n\r\n{rows}").into_bytes()
}

/// The same in less time than a look takes: fifteen milliseconds were enough for the command to be run, and the log had
/// the answer as proven.
#[test]
fn what_was_drawn_over_a_request_that_nobody_saw_is_a_persons() {
    let words = "Which database should I use?";
    let mut stage = Stage::with_oracle(Policy::default());
    let both = [request(), menu(words)].concat();
    stage.step(Event::Output { agent: AgentKey(1), bytes: both });
    stage.pass(1_000);
    let drawn = stage.questions().into_iter().find(|question| question.prompt == words).unwrap();
    assert_eq!((drawn.kind, drawn.status), (Kind::Menu, Status::Escalated), "{drawn:?}");
    assert!(drawn.note.is_some_and(|note| note.contains("went away without a key")));
    assert_eq!(stage.typed(), "");
}

/// The menu stood there first, and was drawn anew as soon as the request came.
#[test]
fn a_question_that_is_drawn_over_a_request_while_it_is_open_becomes_a_persons() {
    let words = "Which database should I use?";
    for answered in [false, true] {
        let mut stage = Stage::with_oracle(Policy::default());
        stage.step(Event::Output { agent: AgentKey(1), bytes: menu(words) });
        stage.pass(1_000);
        assert_eq!(stage.questions()[0].status, Status::Consulting);
        let both = [request(), menu(words)].concat();
        stage.step(Event::Output { agent: AgentKey(1), bytes: both });
        if answered {
            // The answer comes before the screen is looked at.
            say(&mut stage, r#"{"choice": 2}"#);
        }
        stage.pass(3_000);
        let drawn = stage.questions().remove(0);
        assert_eq!(drawn.status, Status::Escalated, "{drawn:?}");
        assert_eq!(stage.typed(), "");
    }
}

/// Another process had its letters drawn as lines, so that no look saw a request.
#[test]
fn what_nobody_could_read_is_a_persons_under_the_next_server_too() {
    let words = "Which database should I use?";
    let mut stage = Stage::with_oracle(Policy::default());
    let bytes = [b"\x1b(0".to_vec(), request(), b"\x1b(B".to_vec(), menu(words)].concat();
    stage.step(Event::Output { agent: AgentKey(1), bytes });
    stage.pass(1_000);
    let drawn = stage.questions().into_iter().find(|question| question.prompt == words).unwrap();
    assert_eq!((drawn.kind, drawn.status), (Kind::Menu, Status::Escalated), "{drawn:?}");
    assert_eq!(stage.typed(), "");
    assert!(stage.agent(1).remembered.consent);
    stage
        .request(Request::Keys { name: "worker".into(), input: vec![Input::Key(KeyPress::plain(Key::Esc))] });
    stage.pass(1_000);
    assert!(!stage.agent(1).remembered.consent, "a key was typed");
}
