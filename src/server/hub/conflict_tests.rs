//! Reports that agree with the screen, come late, or contradict it, and what is typed then.

use super::*;
use crate::core::detect::channels::Trust;

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
    let mut stage = asking("state=done");
    let question = stage.questions().remove(0);
    assert_eq!((question.sources, question.trust), (vec!["screen".to_owned()], Trust::Normal));
    say(&mut stage, r#"{"choice": 2}"#);
    stage.pass(1_000);
    assert!(stage.typed().starts_with(DOWN), "{}", stage.typed());
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
