//! Calling a person by a command, and what is kept out of that and of the log.

use super::*;
use crate::server::effect::Event as ToHub;
use crate::server::remembered::{OpenQuestion, Remembered};

/// What the `.env` file of the agent's folder holds on this stage.
const SECRET: &str = "hunter22";

fn notified(stage: &Stage) -> Vec<String> {
    let json = |e: &Effect| if let Effect::Notify { json, .. } = e { Some(json.clone()) } else { None };
    stage.done.iter().filter_map(json).collect()
}

fn policy() -> Policy {
    let mut policy = Policy::default();
    policy.notify.command = vec!["notify".into()];
    policy.notify.repeat_secs = 60;
    policy.rules = vec![toml::from_str("then = \"human\"").unwrap()];
    policy
}

#[test]
fn secrets_of_the_folder_are_not_logged_whoever_says_them() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    stage.say(&format!(r#"as {SECRET} says {{"choice": 2, "reason": "{SECRET} it is"}}"#));
    stage.pass(400);
    stage.play_to(8.0);
    stage.pass(1_000);
    stage.play_to(16.0);
    stage.pass(1_000);
    let entry = stage.entries().remove(0);
    assert_eq!(entry.reason.as_deref(), Some("[secret removed] it is"));
    assert!(!entry.line().contains(SECRET), "{}", entry.line());
    assert!(
        !stage.hub.questions.decisions.iter().any(|entry| entry.line().contains(SECRET)),
        "nor told to the next one"
    );
}

#[test]
fn a_person_is_called_once_it_is_known_what_must_not_be_told() {
    let mut stage = Stage { slow_disk: true, ..Stage::new(policy()) };
    stage.play_to(5.9);
    assert_eq!((stage.notifications(), notified(&stage).len()), (1, 0));
    stage.ask_mut(1).question.prompt = format!("Is it {SECRET}?");
    stage.step(Event::Context { ask: AskKey(1), files: Vec::new(), secrets: vec![SECRET.into()] });
    let calls = notified(&stage);
    assert_eq!(calls.len(), 1);
    assert!(calls[0].contains("Is it [secret removed]?") && !calls[0].contains(SECRET), "{}", calls[0]);
    stage.pass(10_000);
    assert_eq!(notified(&stage).len(), 1);
}

/// A question of the quiet hours was never announced: nobody was called when they were over.
#[test]
fn what_is_asked_in_quiet_hours_calls_a_person_once_they_are_over() {
    let mut policy = policy();
    policy.notify.repeat_secs = 0;
    policy.notify.quiet_hours = Some("22:00-07:00".parse().unwrap());
    let mut stage = Stage::new(policy);
    stage.play_to(5.9);
    assert_eq!((stage.notifications(), notified(&stage).len()), (1, 1));
    let quiet = ToHub::Quiet { ask: AskKey(1), left_ms: 600_000 };
    let effects = stage.hub.step(quiet, stage.now);
    stage.perform(effects);
    assert_eq!(stage.ask(1).called_unix_ms, None, "the next server calls");
    stage.pass(599_000);
    assert_eq!((stage.notifications(), notified(&stage).len()), (1, 1));
    stage.pass(2_000);
    assert_eq!((stage.notifications(), notified(&stage).len()), (2, 2));
    stage.pass(600_000);
    assert_eq!((stage.notifications(), notified(&stage).len()), (2, 2), "once");
}

/// Each reminder put the call off that was still to come: it was run every six seconds or later.
#[test]
fn a_person_is_called_again_as_often_as_told_and_by_command_every_five_seconds_at_most() {
    for (repeat_secs, commands) in [(1, 7), (2, 7), (4, 6), (6, 6), (10, 4)] {
        let mut policy = policy();
        policy.notify.repeat_secs = repeat_secs;
        let mut stage = Stage::new(policy);
        stage.play_to(5.9);
        stage.pass(30_500);
        let told = 1 + 30 / usize::try_from(repeat_secs).unwrap();
        assert_eq!((stage.notifications(), notified(&stage).len()), (told, commands), "{repeat_secs} s");
    }
}

#[test]
fn who_calls_a_person_is_told_of_times_in_milliseconds() {
    let mut stage = Stage::new(policy());
    stage.play_to(5.9);
    let told: serde_json::Value = serde_json::from_str(&notified(&stage)[0]).unwrap();
    assert!(
        told["asked_at"].as_u64().is_some_and(|ms| ms > 1_700_000_000_000 && ms < 1_700_000_100_000),
        "{told}"
    );
}

#[test]
fn a_disk_that_hangs_keeps_nobody_from_being_called() {
    let mut stage = Stage { slow_disk: true, ..Stage::new(policy()) };
    stage.play_to(5.9);
    stage.pass(2_000);
    assert_eq!(notified(&stage).len(), 1);
}

#[test]
fn nobody_is_called_again_while_the_answer_is_typed() {
    let mut stage = Stage::new(policy());
    stage.play_to(5.9);
    stage.pass(59_400);
    assert_eq!(notified(&stage).len(), 1);
    let answer = GivenAnswer { options: vec!["2".into()], ..GivenAnswer::default() };
    assert_eq!(stage.request(Request::Answer { id: "q1".into(), answer }), None);
    // The highlight does not move yet.
    stage.pass(700);
    assert_eq!((stage.questions()[0].status, notified(&stage).len()), (Status::Answering, 1));
}

#[test]
fn no_consultant_is_asked_about_what_cannot_be_taken_back_not_even_by_name() {
    let mut stage = Stage::with_oracle(Policy::default());
    let spec = AgentSpec { name: "deploy".into(), command: vec!["./deploy".into()], ..AgentSpec::default() };
    let policy = Policy { consultants: vec![command("oracle", None)], ..Policy::default() };
    stage.request(Request::Start { spec: Box::new(spec), policy: Box::new(policy) });
    let (agent, start) = (AgentKey(2), Started { pid: 600, keeper: 599, ..Started::default() });
    stage.step(Event::Started { agent, start });
    let asked = |stage: &mut Stage, words: &str| {
        super::typed::next_read(stage);
        stage.step(Event::Output { agent, bytes: format!("\x1b[2J\x1b[H{words}").into_bytes() });
        stage.pass(1_000);
        let id = stage.questions().last().unwrap().id.clone();
        stage.request(Request::Consult { id, with: Some("oracle".into()) })
    };
    assert_eq!(asked(&mut stage, "Use TypeScript? [y/N] "), Some(Reply::Done));
    let refused = asked(&mut stage, "Drop table users? [y/N] ");
    assert!(
        matches!(&refused, Some(Reply::Error { code: 4, message }) if message.contains("person")),
        "{refused:?}"
    );
}

#[test]
fn a_consultant_that_stands_by_is_found_when_a_person_names_it() {
    let spec = AgentSpec {
        name: "advisor".into(),
        command: vec!["claude".into()],
        role: crate::core::agent::Duty::Consultant,
        start: crate::core::agent::Start::Demand,
        ..AgentSpec::default()
    };
    let mut stage = Stage::new(Policy { standby: vec![spec], ..Policy::default() });
    stage.play_to(5.9);
    let request = |with: &str| Request::Consult { id: "q1".into(), with: Some(with.into()) };
    let unknown = stage.request(request("nobody"));
    assert!(matches!(unknown, Some(Reply::Error { code: 3, .. })), "{unknown:?}");
    assert_eq!(stage.request(request("advisor")), Some(Reply::Done));
    let started = |e: &Effect| matches!(e, Effect::Spawn { spec, .. } if spec.name == "advisor");
    assert!(stage.done.iter().any(started));
    assert_eq!(stage.questions()[0].status, Status::Consulting);
}

/// A disk was full, the answer was typed, the server was killed: nobody ever knew who had answered what.
#[test]
fn what_cannot_be_logged_is_not_answered_and_a_person_is_called_with_that_reason() {
    let full = Some("could not write decisions.jsonl: No space left on device".to_owned());
    let mut stage = Stage { full_disk: full, ..Stage::with_oracle(Policy::default()) };
    stage.play_to(5.9);
    stage.say(r#"{"choice": 2}"#);
    stage.pass(5_000);
    assert_eq!((stage.typed().as_str(), stage.notifications()), ("", 1));
    let question = stage.questions().remove(0);
    assert_eq!(question.status, Status::Escalated);
    let note = question.note.unwrap();
    assert!(note.contains("while the log cannot be written") && note.contains("No space left"), "{note}");
    // A person's own answer is theirs to give.
    let answer = GivenAnswer { options: vec!["2".into()], ..GivenAnswer::default() };
    stage.request(Request::Answer { id: "q1".into(), answer });
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[B");
    stage.play_to(16.0);
    stage.pass(1_000);
    // What the disk does not take holds nobody up, and is held for the next server until it is there.
    let ended = |stage: &Stage| {
        stage.hub.questions.open_questions(AgentKey(1)).into_iter().filter(|open| open.ended).count()
    };
    assert_eq!((stage.ask(1).settled(), ended(&stage)), (true, 1));
    stage.step(Event::Logged { ask: AskKey(1) });
    assert_eq!(ended(&stage), 0);
}

/// Each restart of the server ran the command once more for every question that waited for a person, who had been called
/// for it long before: `repeat_secs = 0` is never again.
#[test]
fn whom_the_server_before_has_called_the_next_does_not_call_again() {
    let mut asked = Stage::new(policy());
    asked.play_to(5.9);
    let open = asked.hub.questions.open_questions(AgentKey(1));
    assert_eq!((notified(&asked).len(), open.len()), (1, 1));
    assert!(open[0].called_unix_ms.is_some_and(|at| at <= asked.now.unix_ms), "{open:?}");
    let calls = |repeat_secs: u64, called_unix_ms: Option<u64>, pass_ms: u64| {
        let mut policy = policy();
        policy.notify.repeat_secs = repeat_secs;
        let open = open.iter().map(|one| OpenQuestion { called_unix_ms, ..one.clone() }).collect();
        let earlier = Remembered { state: State::Asking, open, ..Remembered::default() };
        let mut stage = look::taken_back_with(policy, Size::new(119, 40), Some(earlier));
        stage.pass(pass_ms);
        notified(&stage).len()
    };
    let called = open[0].called_unix_ms;
    assert_eq!(calls(0, called, 200_000), 0, "never again");
    assert_eq!((calls(60, called, 30_000), calls(60, called, 70_000)), (0, 1), "in its turn");
    assert_eq!(calls(0, None, 5_000), 1, "the server before was killed before it came to it");
    assert_eq!(calls(60, called.map(|at| at - 100_000), 5_000), 1, "it was due long ago");
}
