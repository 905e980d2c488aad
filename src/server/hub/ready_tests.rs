//! Keys for a program that has drawn its dialog and whose terminal still collects lines.

use super::*;

fn answered_in_cooked_mode() -> Stage {
    let mut stage = Stage::new(Policy::default());
    stage.lines = true;
    stage.play_to(5.9);
    let answer = GivenAnswer { options: vec!["SQLite".into()], ..GivenAnswer::default() };
    assert_eq!(stage.request(Request::Answer { id: "q1".into(), answer }), None);
    stage.pass(2_000);
    stage
}

#[test]
fn keys_wait_until_the_terminal_hands_them_over_one_by_one() {
    let mut stage = answered_in_cooked_mode();
    assert_eq!((stage.typed().as_str(), stage.questions()[0].status), ("", Status::Answering));
    stage.lines = false;
    stage.pass(200);
    assert_eq!(stage.typed(), "\x1b[B");
}

#[test]
fn a_terminal_that_collects_lines_for_ever_is_a_persons() {
    let mut stage = answered_in_cooked_mode();
    stage.pass(40_000);
    assert_eq!((stage.typed().as_str(), stage.questions()[0].status), ("", Status::Escalated));
    let reply = told(&stage);
    assert!(matches!(reply, Some(Reply::Error { code: 1, .. })), "whoever answered is told: {reply:?}");
}

#[test]
fn a_line_prompt_is_answered_where_lines_are_collected() {
    let mut stage = Stage::new(Policy::default());
    stage.lines = true;
    let spec = AgentSpec { name: "deploy".into(), command: vec!["./deploy".into()], ..AgentSpec::default() };
    stage.request(Request::Start { spec: Box::new(spec), policy: Box::new(Policy::default()) });
    let (agent, start) = (AgentKey(2), Started { pid: 600, keeper: 599, ..Started::default() });
    stage.step(Event::Started { agent, start });
    stage.step(Event::Output { agent, bytes: b"Overwrite app.py? [y/N] ".to_vec() });
    stage.pass(1_000);
    let questions = stage.questions();
    let [question] = questions.as_slice() else { panic!("{questions:?}") };
    let answer = GivenAnswer { options: vec!["y".into()], ..GivenAnswer::default() };
    assert_eq!(stage.request(Request::Answer { id: question.id.clone(), answer }), None);
    stage.pass(1_000);
    assert_eq!(stage.typed(), "y");
}
