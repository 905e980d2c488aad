//! Agents that end while something is typed into them.

use super::*;
use crate::session::message::News;

fn exits(stage: &mut Stage, agent: u64) {
    let message = FromKeeper::Exited(Exit { code: Some(0), signal: None });
    stage.step(Event::Keeper { agent: AgentKey(agent), message });
}

#[test]
fn a_program_that_ends_upon_its_answer_was_answered() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    stage.say(r#"{"choice": 1}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\r", "the first row is highlighted");
    exits(&mut stage, 1);
    let entry = stage.entries().remove(0);
    assert_eq!((entry.outcome, entry.answer.as_deref()), (Outcome::Answered, Some("PostgreSQL")));
    let proof = entry.proof.unwrap();
    assert_eq!((proof.seen.as_str(), proof.after.as_str()), ("PostgreSQL", "exited"));
    assert_eq!(stage.notifications(), 0);
}

/// The first word of an end had the time since when the agent had been in the state before it.
#[test]
fn an_end_is_told_with_its_own_time() {
    let mut stage = Stage::new(Policy::default());
    stage.pass(60_000);
    let from = stage.done.len();
    exits(&mut stage, 1);
    let ended = stage.now.unix_ms as f64 / 1000.0;
    let told: Vec<f64> = stage.done[from..]
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send { client: PERSON, message } => match &**message {
                ServerMessage::Notice(Notice::Agent(info)) if info.state == State::Exited => Some(info.since),
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert!(!told.is_empty() && told.iter().all(|since| *since == ended), "{told:?} {ended}");
}

#[test]
fn one_that_ends_before_its_answer_is_in_was_not() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    stage.say(r#"{"choice": 2}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[B");
    exits(&mut stage, 1);
    let entry = stage.entries().remove(0);
    assert_eq!((entry.outcome, entry.keys), (Outcome::Failed, vec!["down".to_owned()]));
    assert_eq!((entry.agent.as_str(), entry.by.as_str()), ("worker", "consultant oracle"));
    stage.pass(5_000);
    assert_eq!((stage.typed().as_str(), stage.entries().len(), stage.notifications()), ("\x1b[B", 1, 0));
}

/// A session that is given up says nothing more of the answer it was typing: the question was `answering` for ever,
/// and whoever had answered waited as long.
#[test]
fn a_session_that_fails_while_it_types_leaves_no_question_behind() {
    for removed in [false, true] {
        let mut stage = Stage::with_oracle(Policy::default());
        stage.play_to(5.9);
        let answer = GivenAnswer { options: vec!["2".into()], ..GivenAnswer::default() };
        stage.request(Request::Answer { id: "q1".into(), answer });
        stage.pass(400);
        assert_eq!(stage.typed(), "\x1b[B");
        assert_eq!(stage.questions()[0].status, Status::Answering);
        let agent = AgentKey(1);
        if removed {
            // Nobody is left who could hear that it is to type nothing more.
            let session = stage.sessions.remove(&agent).unwrap();
            stage.hub.run(vec![Message::Life(ToLifecycle::Remove(agent))]);
            stage.sessions.insert(agent, session);
        }
        stage.step(Event::SessionEnded { agent });
        let entry = stage.entries().remove(0);
        let outcome = if removed { Outcome::Withdrawn } else { Outcome::Failed };
        assert_eq!((entry.outcome, entry.by.as_str()), (outcome, if removed { "none" } else { "person" }));
        assert_eq!(
            stage.request(Request::Questions { all: false }),
            Some(Reply::Questions { questions: Vec::new() })
        );
        assert_eq!(stage.hub.agent_named("worker"), None);
        assert_eq!(stage.notifications(), usize::from(!removed), "somebody is told that it runs on unseen");
        stage.pass(60_000);
        assert_eq!(stage.typed(), "\x1b[B");
    }
}

#[test]
fn a_consultant_that_ends_while_it_is_put_a_question_is_passed_over_at_once() {
    let mut stage = Stage::new(Policy::default());
    stage.agent_mut(1).spec.consultant = Some("advisor".into());
    let spec = AgentSpec {
        name: "advisor".into(),
        command: vec!["claude".into()],
        size: Some(Size::new(120, 40)),
        ..AgentSpec::default()
    };
    stage.request(Request::Start { spec: Box::new(spec), policy: Box::new(Policy::default()) });
    let (advisor, start) = (AgentKey(2), Started { pid: 600, keeper: 599, ..Started::default() });
    stage.step(Event::Started { agent: advisor, start });
    let rule = "─".repeat(120);
    let idle = format!(
        "\x1b[?2004h\x1b[?25l\x1b[H\x1b[2J● Hello.\r\n\r\n{rule}\r\n❯ \r\n{rule}\r\n  ? for shortcuts"
    );
    stage.step(Event::Output { agent: advisor, bytes: idle.into_bytes() });
    stage.pass(500);
    stage.play_to(5.9);
    assert!(stage.session(advisor).is_typing(), "the question is on its way into the pane");
    exits(&mut stage, 2);
    let question = stage.questions().remove(0);
    assert_eq!((question.status, question.note.as_deref()), (Status::Escalated, Some("advisor has gone")));
}

/// `explain` waited for ever where the session died with the order in its mailbox.
#[test]
fn whoever_asks_a_session_that_dies_is_told() {
    use crate::server::effect::{Effect, Event as ToHub};
    let mut stage = Stage::new(Policy::default());
    let request = Request::Explain { name: "worker".into() };
    let now = stage.now;
    stage.hub.step(ToHub::Request { client: PERSON, id: 77, request }, now);
    let effects = stage.hub.step(ToHub::News { agent: AgentKey(1), news: News::SessionEnded }, now);
    let reply = effects.iter().find_map(|effect| match effect {
        Effect::Send { message, .. } => match &**message {
            ServerMessage::Reply { id: 77, reply } => Some(reply.clone()),
            _ => None,
        },
        _ => None,
    });
    assert!(matches!(reply, Some(Reply::Error { code: 3, .. })), "{reply:?}");
}

/// `down` counted agents that had ended hours before as stopped.
#[test]
fn whoever_stops_an_agent_that_had_ended_is_told_so() {
    for had_ended in [true, false] {
        let mut stage = Stage::new(Policy::default());
        if had_ended {
            exits(&mut stage, 1);
        }
        stage.request(Request::Stop { names: vec!["worker".into()], grace_ms: 2_000 });
        if !had_ended {
            exits(&mut stage, 1);
        }
        stage.step(Event::Keeper {
            agent: AgentKey(1),
            message: FromKeeper::Swept { left: Vec::new(), killed: Vec::new(), kept: Vec::new() },
        });
        let told = stage.done.iter().find_map(|effect| match effect {
            Effect::Send { message, .. } => match &**message {
                ServerMessage::Reply { reply: Reply::Stopped { agents }, .. } => Some(agents[0].ended),
                _ => None,
            },
            _ => None,
        });
        assert_eq!(told, Some(had_ended.then_some(0)));
    }
}

/// `down` while an answer was being typed: the log had no word of that question, and the next one got its number.
#[test]
fn an_answer_under_way_when_everything_is_stopped_is_in_the_log() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    stage.say(r#"{"choice": 2}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[B");
    stage.request(Request::Down { grace_ms: 2_000 });
    exits(&mut stage, 1);
    let message = FromKeeper::Swept { left: Vec::new(), killed: Vec::new(), kept: Vec::new() };
    stage.step(Event::Keeper { agent: AgentKey(1), message });
    assert!(stage.done.iter().any(|effect| matches!(effect, Effect::Exit)));
    let entries = stage.entries();
    let told = (entries.len(), entries[0].outcome, entries[0].agent.as_str());
    assert_eq!(told, (1, Outcome::Failed, "worker"), "{entries:?}");
}
