//! What a person is told, what they choose, and how that is noted.

use super::*;
use crate::core::policy::{Consult, Rule, Then};
use crate::core::question::Kind;
use crate::core::recording::asciicast::Asciicast;
use crate::server::question::notify::notification_text;

fn shadow() -> Stage {
    let mut policy = Policy::default();
    policy.consult.mode = crate::core::policy::Mode::Shadow;
    let mut stage = Stage::with_oracle(policy);
    stage.play_to(5.9);
    stage
}

fn press(stage: &mut Stage, key: Key) {
    let input = vec![Input::Key(KeyPress::plain(key))];
    stage.request(Request::Keys { name: "worker".into(), input });
}

/// Whoever thinks about it is asked no more, what they say late is not typed, and nobody is called: the person is
/// there.
#[test]
fn a_person_takes_a_question_from_its_consultant() {
    let mut policy = Policy::default();
    policy.notify.command = vec!["notify".into()];
    let mut stage = Stage::with_oracle(policy);
    stage.play_to(5.9);
    assert_eq!(stage.questions()[0].status, Status::Consulting);
    assert_eq!(stage.request(Request::TakeOver { id: "q1".into() }), Some(Reply::Done));
    let taken = stage.questions()[0].clone();
    assert_eq!((taken.status, taken.route.as_str()), (Status::Escalated, "human"));
    assert_eq!((taken.note.as_deref(), taken.deadline_at), (Some("a person took it over"), None));
    assert!(stage.done.iter().any(|effect| matches!(effect, Effect::CancelConsult { .. })));
    assert!(!stage.done.iter().any(|effect| matches!(effect, Effect::Notify { .. })));
    stage.say(r#"{"choice": 2}"#);
    stage.pass(60_000);
    assert_eq!((stage.questions()[0].status, stage.typed().as_str()), (Status::Escalated, ""));
    assert_eq!(stage.request(Request::TakeOver { id: "q1".into() }), Some(Reply::Done), "as it is already");
    let unknown = stage.request(Request::TakeOver { id: "q9".into() });
    assert!(matches!(unknown, Some(Reply::Error { code: 3, .. })), "{unknown:?}");
}

#[test]
fn a_noted_answer_is_scored_by_what_the_person_chose_in_the_pane() {
    // The recorded person moves to the second row and takes it.
    for (choice, agrees) in [(2, true), (1, false)] {
        let mut stage = shadow();
        stage.say(&format!("{{\"choice\": {choice}}}"));
        assert_eq!((stage.questions()[0].status, stage.typed().as_str()), (Status::Escalated, ""));
        press(&mut stage, Key::Down);
        stage.play_to(8.0);
        press(&mut stage, Key::Enter);
        stage.play_to(16.0);
        stage.pass(1_000);
        let entry = &stage.entries()[0];
        let noted = entry.shadow.as_ref().unwrap();
        assert_eq!((noted.chose.as_deref(), noted.agrees), (Some("SQLite"), Some(agrees)), "{entry:?}");
        assert_eq!((entry.by.as_str(), entry.chosen.as_deref()), ("person", Some("SQLite")));
    }
}

#[test]
fn a_noted_answer_is_scored_by_the_persons_command_too() {
    let mut stage = shadow();
    stage.say(r#"{"choice": 1}"#);
    let answer = GivenAnswer { options: vec!["PostgreSQL".into()], ..GivenAnswer::default() };
    assert_eq!(stage.request(Request::Answer { id: "q1".into(), answer }), None);
    stage.pass(1_000);
    stage.play_to(16.0);
    stage.pass(1_000);
    let noted = stage.entries()[0].shadow.clone().unwrap();
    assert_eq!((noted.agrees, noted.by.as_str()), (Some(true), "consultant oracle"));
}

/// `answer --reject` of a plain question was tried, failed, and wrote its failure over why a person was needed.
#[test]
fn a_plain_question_cannot_be_declined_and_keeps_its_note() {
    let mut stage = Stage::new(Policy::default());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/claude-2.1.150-plainlist-120x40.cast");
    stage.cast = Asciicast::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    stage.play_to(3.885);
    stage.pass(1_000);
    let before = stage.questions().remove(0);
    assert_eq!((before.kind, before.status), (Kind::Text, Status::Escalated), "{before:?}");
    let answer = GivenAnswer { reject: true, ..GivenAnswer::default() };
    let refused = stage.request(Request::Answer { id: before.id.clone(), answer });
    let nothing = |message: &String| message.contains("a plain question has nothing to decline");
    assert!(matches!(&refused, Some(Reply::Error { code: 2, message }) if nothing(message)), "{refused:?}");
    assert_eq!(stage.questions()[0].note, before.note);
}

fn proposed() -> Stage {
    let mut policy = Policy::default();
    policy.consult.confirm = true;
    policy.notify.command = vec!["notify".into()];
    policy.notify.repeat_secs = 60;
    let mut stage = Stage::with_oracle(policy);
    stage.play_to(5.9);
    stage.say(r#"{"choice": 2}"#);
    stage
}

#[test]
fn a_person_may_answer_otherwise_than_proposed() {
    let mut stage = proposed();
    assert_eq!(stage.questions()[0].answer.as_deref(), Some("SQLite"));
    let answer = GivenAnswer { options: vec!["1".into()], ..GivenAnswer::default() };
    assert_eq!(stage.request(Request::Answer { id: "q1".into(), answer }), None);
    stage.pass(1_000);
    assert_eq!(stage.typed(), "\r", "the first row, which is highlighted");
    stage.play_to(16.0);
    stage.pass(1_000);
    let entry = &stage.entries()[0];
    let (answer, proposed) = (entry.answer.as_deref(), entry.proposed.as_deref());
    assert_eq!((answer, proposed, entry.by.as_str()), (Some("PostgreSQL"), Some("SQLite"), "person"));
}

#[test]
fn a_proposal_may_be_turned_down_and_is_then_not_confirmed_any_more() {
    let mut stage = proposed();
    stage.request(Request::Confirm { id: "q1".into(), accept: false, answer: None });
    assert_eq!(stage.questions()[0].status, Status::Escalated);
    assert_eq!(stage.questions()[0].answer, None, "what was turned down is no answer");
    let late = stage.request(Request::Confirm { id: "q1".into(), accept: true, answer: None });
    assert!(matches!(late, Some(Reply::Error { code: 4, .. })), "{late:?}");
    stage.pass(5_000);
    assert_eq!(stage.typed(), "");
}

/// A suggestion waited, the person pressed Esc in the pane for something else, and a minute later the program's own time
/// was up: the log said that the person had declined, and so were the consultants told.
#[test]
fn a_question_that_lapses_is_nobodys_decision() {
    let ended = |waits_ms: u64| {
        let mut stage = proposed();
        press(&mut stage, Key::Esc);
        stage.pass(waits_ms);
        stage.play_to(16.0);
        stage.pass(1_000);
        stage.entries().remove(0)
    };
    let lapsed = ended(60_000);
    assert_eq!((lapsed.by.as_str(), lapsed.chosen.as_deref()), ("none", None), "{lapsed:?}");
    assert_eq!(lapsed.reason.as_deref(), Some("the question went away"), "not why it was suggested");
    let told = lapsed.summary_for_consultant();
    assert!(told.ends_with("withdrawn by none because the question went away"), "{told}");
    let declined = ended(0);
    assert_eq!((declined.by.as_str(), declined.chosen.as_deref()), ("person", Some("(declined)")));
}

/// A second consultant's proposal once came between the eye and the Enter key.
#[test]
fn only_the_proposal_that_was_shown_is_confirmed() {
    let mut stage = proposed();
    let confirm =
        |answer: &str| Request::Confirm { id: "q1".into(), accept: true, answer: Some(answer.into()) };
    let other = stage.request(confirm("PostgreSQL"));
    assert!(matches!(other, Some(Reply::Error { code: 4, .. })), "{other:?}");
    stage.pass(1_000);
    assert_eq!((stage.questions()[0].status, stage.typed().as_str()), (Status::Proposed, ""));
    stage.request(confirm("SQLite"));
    stage.pass(1_000);
    assert_ne!(stage.typed(), "");
}

#[test]
fn a_person_is_called_again_and_whoever_comes_later_is_told() {
    let mut stage = proposed();
    let calls = |stage: &Stage| stage.done.iter().filter(|e| matches!(e, Effect::Notify { .. })).count();
    assert_eq!((stage.notifications(), calls(&stage)), (1, 1));
    stage.pass(130_000);
    assert_eq!((stage.notifications(), calls(&stage)), (3, 3), "after 60 s, and after 120");
    assert_eq!(stage.questions()[0].status, Status::Proposed, "no deadline takes it from the person");
    // Nobody is there, and somebody comes.
    stage.step(Event::Left { client: PERSON });
    stage.pass(60_000);
    assert_eq!((stage.notifications(), calls(&stage)), (3, 4), "the command is run with nobody attached");
    stage.step(Event::Joined { client: PERSON, pids: vec![4000] });
    stage.request(Request::Hello { version: crate::wire::VERSION, token: None });
    stage.request(Request::Subscribe);
    assert_eq!(stage.notifications(), 4);
}

#[test]
fn an_alarm_is_one_line_of_plain_words() {
    let mut stage = Stage::new(Policy::default());
    stage.play_to(5.9);
    let ask = stage.ask_mut(1);
    ask.question.prompt = "a\u{1b}]0;x\u{7}b\nc\u{9b}31m \u{202e}d".into();
    assert_eq!(
        notification_text(&stage.hub.lifecycle.agents, stage.ask(1), "why"),
        "worker needs you (menu): ab c d [why]"
    );
}

/// With `confirm = true` in the user's own file the answer of a rule that came with a repository was typed all the same.
#[test]
fn what_a_projects_rule_answers_waits_for_its_person_where_they_confirm() {
    for (from_project, status) in [(true, Status::Proposed), (false, Status::Answering)] {
        let rule = Rule {
            kind: Some(Kind::Menu),
            then: Then::Answer,
            answer: Some("SQLite".into()),
            from_project,
            agent: None,
            prompt: None,
            command: None,
            option: None,
            with: None,
        };
        let consult = Consult { confirm: true, ..Consult::default() };
        let mut stage = Stage::new(Policy { rules: vec![rule], consult, ..Policy::default() });
        stage.play_to(5.9);
        assert_eq!(stage.questions()[0].status, status);
        stage.pass(400);
        assert_eq!(stage.typed().is_empty(), from_project);
    }
}

/// A rule for `src/` approved the file that a link in there led to, which git runs at the next commit.
#[test]
fn a_rule_changes_no_file_that_a_link_leads_to() {
    let path = format!("{}/tests/recordings/claude-2.1.329-permedit-120x40.cast", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    for (answer, links, status, typed) in [
        ("Yes", vec![], Status::Answering, "\r"),
        ("Yes", vec!["app.py".to_owned()], Status::Escalated, ""),
        ("No", vec!["app.py".to_owned()], Status::Answering, "\x1b[B"),
    ] {
        let rule = Rule {
            kind: Some(Kind::Permission),
            then: Then::Answer,
            answer: Some(answer.into()),
            from_project: false,
            agent: None,
            prompt: None,
            command: Some("^edit ".into()),
            option: None,
            with: None,
        };
        let mut stage = Stage::new(Policy { rules: vec![rule], ..Policy::default() });
        (stage.cast, stage.links) = (Asciicast::parse(&text).unwrap(), links.clone());
        stage.play_to(4.7);
        stage.pass(400);
        let question = &stage.questions()[0];
        let note = question.note.clone().unwrap_or_default();
        assert_eq!((question.status, &*stage.typed()), (status, typed), "{answer} {links:?} {note}");
        assert_eq!(note.contains("leads over a link, app.py"), status == Status::Escalated, "{note}");
    }
}
