//! A server was killed between a question in a consultant's input line and its Enter.

use super::*;
use crate::session::message::JournalPart;

const LEFT: &str = "Lines that begin with a bar are quoted. Question q7: which database?\nReply with JSON.";

/// An advisor that is taken back with this in its input line, and this noted as put there.
fn taken_back(line: &str, noted: &str) -> (Stage, AgentKey) {
    let mut stage = Stage::new(Policy::default());
    stage.agent_mut(1).spec.consultant = Some("advisor".into());
    let size = Size::new(120, 40);
    let spec = AgentSpec {
        name: "advisor".into(),
        command: vec!["claude".into()],
        size: Some(size),
        ..AgentSpec::default()
    };
    let advisor = stage.adopt(spec, Policy::default(), None);
    let journal = vec![
        JournalPart::Begin { at: 0, line: 0, size, seed: Vec::new() },
        JournalPart::Output(screen(line)),
        JournalPart::Draft(noted.to_owned()),
    ];
    let start = Started { pid: 700, keeper: 699, journal, adopted: true, ..Started::default() };
    stage.step(Event::Started { agent: advisor, start });
    stage.pass(200);
    // It has drawn since.
    shows(&mut stage, advisor, line);
    stage.pass(1_000);
    (stage, advisor)
}

fn noted(stage: &mut Stage, advisor: AgentKey) -> &mut String {
    stage.sessions.get_mut(&advisor).unwrap().noted_draft()
}

fn screen(line: &str) -> Vec<u8> {
    let rule = "─".repeat(120);
    let text = format!(
        "\x1b[?2004h\x1b[?25l\x1b[H\x1b[2J● Hello.\r\n\r\n{rule}\r\n❯ {line}\r\n{rule}\r\n  ? for shortcuts"
    );
    text.into_bytes()
}

fn shows(stage: &mut Stage, advisor: AgentKey, line: &str) {
    stage.step(Event::Output { agent: advisor, bytes: screen(line) });
}

#[test]
fn what_was_left_is_sent_and_the_next_question_comes_behind_it() {
    let (mut stage, advisor) = taken_back("[Pasted text #1 +2 lines]", LEFT);
    assert_eq!(stage.typed(), "\r");
    shows(&mut stage, advisor, "");
    stage.pass(300);
    assert!(noted(&mut stage, advisor).is_empty());
    stage.play_to(5.9);
    assert_eq!(stage.questions()[0].route, "advisor");
    assert_eq!(stage.typed(), "\r", "it thinks about what was sent");
    stage.pass(4_000);
    let typed = stage.typed();
    assert!(typed.starts_with("\r\x1b[200~") && typed.ends_with("\x1b[201~"), "{typed:?}");
}

#[test]
fn another_draft_is_left_alone() {
    for (line, noted) in [("my own words", LEFT), ("[Pasted text #1 +2 lines]", "")] {
        let (mut stage, advisor) = taken_back(line, noted);
        assert_eq!((stage.typed().as_str(), self::noted(&mut stage, advisor).as_str()), ("", ""));
    }
}

#[test]
fn a_consultant_with_a_draft_is_said_to_be_held_up_by_it() {
    let (mut stage, _) = taken_back("my own words", "");
    stage.play_to(5.9);
    stage.pass(55_000);
    let question = &stage.questions()[0];
    let told = "somebody's draft stands in its input line";
    assert_eq!(question.status, Status::Escalated);
    assert!(question.note.as_deref().unwrap_or_default().contains(told), "{question:?}");
}

#[test]
fn a_person_who_types_makes_the_draft_theirs() {
    let (mut stage, advisor) = taken_back("", LEFT);
    assert_eq!(noted(&mut stage, advisor), "", "nothing stands there any more");
    *noted(&mut stage, advisor) = LEFT.into();
    let input = vec![Input::Text("no, wait".into())];
    stage.request(Request::Keys { name: "advisor".into(), input });
    shows(&mut stage, advisor, "[Pasted text #1 +2 lines]no, wait");
    stage.pass(1_000);
    assert_eq!(stage.typed(), "no, wait");
}
