//! Scripts of events and the effects they must have. The screens are those of a recorded Claude Code;
//! time is made up.

use super::stage::{Effect, Event, PERSON, Stage};
use super::*;
use crate::core::agent::AgentSpec;
use crate::core::log::log_entry::Outcome;
use crate::core::policy::{CommandConsultant, Policy};
use crate::core::question::State;
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::{Input, Key, KeyPress};
use crate::session::message::Started;
use crate::wire::keeper::{Exit, FromKeeper};
use crate::wire::message::{GivenAnswer, Notice, Pane, Reply, Request, ServerMessage, Status};

impl Stage {
    fn with_oracle(mut policy: Policy) -> Stage {
        policy.consultants.push(command("oracle", None));
        Stage::new(policy)
    }

    fn notifications(&self) -> usize {
        let notification = |effect: &&Effect| matches!(effect, Effect::Send { message, .. } if matches!(**message, ServerMessage::Notice(Notice::Notification { .. })));
        self.done.iter().filter(notification).count()
    }
}

fn command(name: &str, then: Option<&str>) -> CommandConsultant {
    let then = then.map(str::to_owned);
    CommandConsultant { name: name.into(), command: vec![name.into()], then, ..Default::default() }
}

#[path = "chain_tests.rs"]
mod chain;
#[path = "end_tests.rs"]
mod end;
#[path = "failed_tests.rs"]
mod failed;
#[path = "first_prompt_tests.rs"]
mod first_prompt;
#[path = "interrupted_tests.rs"]
mod interrupted;
#[path = "list_tests.rs"]
mod list;
#[path = "snapshot_tests.rs"]
mod look;
#[path = "moving_tests.rs"]
mod moving;
#[path = "notify_tests.rs"]
mod notify;
#[path = "order_tests.rs"]
mod order;
#[path = "pause_tests.rs"]
mod pause;
#[path = "person_tests.rs"]
mod person;
#[path = "printed_over_tests.rs"]
mod printed_over;
#[path = "typed_tests.rs"]
mod typed;

#[test]
fn a_question_is_consulted_and_answered_key_by_key() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    let run =
        stage.done.iter().find_map(|e| if let Effect::Consult { run, .. } = e { Some(run) } else { None });
    let stdin = &run.expect("the consultant is asked").prompt;
    assert!(stdin.contains("Which database should I use") && stdin.contains("SQLite"), "{stdin}");
    stage.say(r#"I think {"choice": 2, "reason": "small"}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[B", "one arrow, and no further key before the highlight has moved");
    stage.play_to(8.0);
    stage.pass(1000);
    assert_eq!(stage.typed(), "\x1b[B\r");
    stage.play_to(16.0);
    stage.pass(1000);
    assert_eq!(stage.typed(), "\x1b[B\r");
    assert_eq!(stage.questions()[0].status, Status::Answered);
    let entries = stage.entries();
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].answer.as_deref(), entries[0].by.as_str()), (Some("SQLite"), "consultant oracle"));
    assert_eq!(stage.notifications(), 0);
}

#[test]
fn a_consultant_that_never_answers_costs_the_deadline_and_a_bell() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    stage.pass(51_000);
    assert_eq!(stage.questions()[0].status, Status::Consulting);
    stage.pass(4_000);
    assert_eq!(stage.questions()[0].status, Status::Escalated);
    assert!(stage.done.iter().any(|effect| matches!(effect, Effect::CancelConsult { .. })));
    assert_eq!((stage.notifications(), stage.typed().as_str()), (1, ""));
    stage.say(r#"{"choice": 1}"#);
    stage.pass(5_000);
    assert_eq!(stage.typed(), "", "an answer that comes too late is not typed");
}

#[test]
fn nonsense_is_asked_once_more_and_then_goes_to_a_person() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    stage.say("whatever you like");
    let asked = |stage: &Stage| stage.done.iter().filter(|e| matches!(e, Effect::Consult { .. })).count();
    assert_eq!(asked(&stage), 2);
    stage.say(r#"{"choice": 99}"#);
    assert_eq!((asked(&stage), stage.questions()[0].status), (2, Status::Escalated));
    stage.pass(60_000);
    assert_eq!(stage.typed(), "");
}

#[test]
fn a_person_who_types_always_wins() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    let input = vec![Input::Key(KeyPress::plain(Key::Up))];
    stage.request(Request::Keys { name: "worker".into(), input });
    stage.say(r#"{"choice": 2}"#);
    stage.pass(5_000);
    assert_eq!(stage.typed(), "\x1b[A", "only the person's key");
    assert_eq!((stage.questions()[0].status, stage.notifications()), (Status::Escalated, 0));
}

/// What a person has been told by now of what they asked.
fn told(stage: &Stage) -> Option<Reply> {
    stage.done.iter().rev().find_map(|effect| match effect {
        Effect::Send { client: PERSON, message } => match &**message {
            ServerMessage::Reply { id: 7, reply: reply @ (Reply::Done | Reply::Error { .. }) } => {
                Some(reply.clone())
            }
            _ => None,
        },
        _ => None,
    })
}

/// `counsel answer` ended with 0 once the first key was on its way: whether the answer went in, nobody was told.
#[test]
fn without_a_consultant_a_person_answers() {
    let mut stage = Stage::new(Policy::default());
    stage.play_to(5.9);
    assert_eq!((stage.questions()[0].status, stage.notifications()), (Status::Escalated, 1));
    let answer = GivenAnswer { options: vec!["PostgreSQL".into()], ..GivenAnswer::default() };
    stage.done.clear();
    let reply = stage.request(Request::Answer { id: "q1".into(), answer: answer.clone() });
    assert_eq!(reply, None, "it is not given yet");
    stage.pass(1_000);
    assert_eq!((stage.typed().as_str(), told(&stage)), ("\r", None), "its dialog still stands");
    stage.play_to(16.0);
    stage.pass(1_000);
    assert_eq!(told(&stage), Some(Reply::Done));
    assert_eq!(stage.entries()[0].by, "person");
    let late = stage.request(Request::Answer { id: "q1".into(), answer });
    assert!(matches!(late, Some(Reply::Error { code: 4, .. })), "{late:?}");
    let unknown = stage.request(Request::Answer { id: "q77".into(), answer: GivenAnswer::default() });
    assert!(matches!(unknown, Some(Reply::Error { code: 3, .. })), "{unknown:?}");
}

#[test]
fn an_agent_may_not_answer_nor_type() {
    let mut stage = Stage::new(Policy::default());
    stage.play_to(5.9);
    let (by_token, by_ancestry) = (ClientKey(2), ClientKey(3));
    stage.step(Event::Joined { client: by_token, pids: vec![9] });
    stage.step(Event::Joined { client: by_ancestry, pids: vec![9000, 500, 1] });
    let hello = |token: Option<&str>| Request::Hello {
        version: crate::wire::VERSION,
        token: token.map(str::to_owned),
    };
    stage.ask_as(by_token, hello(Some("secret")));
    stage.ask_as(by_ancestry, hello(None));
    for client in [by_token, by_ancestry] {
        let answer = GivenAnswer { options: vec!["1".into()], ..GivenAnswer::default() };
        let keys = vec![Input::Key(KeyPress::plain(Key::Enter))];
        for request in [
            Request::Answer { id: "q1".into(), answer },
            Request::Send { name: "worker".into(), input: keys.clone(), enter: true },
            Request::Confirm { id: "q1".into(), accept: true, answer: None },
            Request::Down { grace_ms: 0 },
        ] {
            let reply = stage.ask_as(client, request);
            assert!(matches!(reply, Some(Reply::Error { code: 4, .. })), "{reply:?}");
        }
        assert_eq!(stage.ask_as(client, Request::Keys { name: "worker".into(), input: keys }), None);
        assert!(stage.told(client).iter().any(|notice| matches!(notice, Notice::KeysRefused { .. })));
    }
    stage.pass(5_000);
    assert_eq!(stage.typed(), "");
}

#[test]
fn an_agent_that_exits_takes_its_question_along_and_the_hub_rests() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    let message = FromKeeper::Exited(Exit { code: Some(3), signal: None });
    stage.step(Event::Keeper { agent: AgentKey(1), message });
    stage.pass(10_000);
    assert_eq!(stage.questions()[0].status, Status::Withdrawn);
    assert_eq!(stage.agent(1).state(), State::Exited);
    stage.say(r#"{"choice": 1}"#);
    assert_eq!(stage.typed(), "");
}

#[test]
fn a_paused_agent_takes_no_keys() {
    let mut stage = Stage::new(Policy::default());
    stage.play_to(5.9);
    stage.step(Event::Keeper { agent: AgentKey(1), message: FromKeeper::Stopped });
    let input = vec![Input::Text("x".into())];
    let reply = stage.request(Request::Send { name: "worker".into(), input, enter: false });
    assert!(matches!(reply, Some(Reply::Error { code: 4, .. })), "{reply:?}");
    let answer = GivenAnswer { options: vec!["1".into()], ..GivenAnswer::default() };
    let reply = stage.request(Request::Answer { id: "q1".into(), answer });
    assert!(matches!(reply, Some(Reply::Error { code: 4, .. })), "{reply:?}");
    assert_eq!(stage.typed(), "");
}

#[test]
fn a_proposed_answer_waits_for_the_persons_word() {
    let mut policy = Policy::default();
    policy.consult.confirm = true;
    let mut stage = Stage::with_oracle(policy);
    stage.play_to(5.9);
    stage.say(r#"{"choice": 1, "reason": "it is there already"}"#);
    stage.pass(5_000);
    assert_eq!((stage.questions()[0].status, stage.typed().as_str()), (Status::Proposed, ""));
    assert_eq!(stage.questions()[0].note.as_deref(), Some("it is there already"), "a person is told why");
    stage.request(Request::Confirm { id: "q1".into(), accept: true, answer: None });
    stage.pass(1_000);
    assert_eq!(stage.typed(), "\r");
    stage.play_to(16.0);
    stage.pass(1_000);
    let entry = &stage.entries()[0];
    assert_eq!((entry.by.as_str(), entry.proposed.as_deref()), ("person", Some("PostgreSQL")));
    assert_eq!(entry.asked[0].with, "oracle", "whose proposal it was");
}

/// How many pictures clients were sent.
fn pictures(stage: &Stage) -> usize {
    let picture = |effect: &&Effect| match effect {
        Effect::Send { message, .. } => {
            matches!(**message, ServerMessage::Notice(Notice::Picture { .. }))
        }
        _ => false,
    };
    stage.done.iter().filter(picture).count()
}

/// `yes` in a pane kept a core busy: its screen was compared for each block it printed, and was always the same.
#[test]
fn a_screen_that_is_drawn_again_as_it_was_is_not_looked_at_each_time() {
    let mut stage = Stage::new(Policy::default());
    stage.request(Request::Watch { panes: vec![Pane { name: "worker".into(), size: None }] });
    let print = |stage: &mut Stage, text: &str| {
        stage.step(Event::Output { agent: AgentKey(1), bytes: text.into() });
        stage.step(Event::Flushed { client: PERSON });
    };
    print(&mut stage, "same");
    stage.pass(1_000);
    let before = pictures(&stage);
    (0..20).for_each(|_| print(&mut stage, "\rsame"));
    print(&mut stage, "\rnew!");
    assert_eq!(pictures(&stage), before, "it was looked at often enough for this moment");
    stage.pass(50);
    assert_eq!(pictures(&stage), before + 1);
}

#[test]
fn a_slow_viewer_gets_few_pictures_and_a_fast_one_the_newest() {
    let mut stage = Stage::new(Policy::default());
    stage.request(Request::Watch { panes: vec![Pane { name: "worker".into(), size: None }] });
    for n in 0..200 {
        let bytes = format!("line {n}\r\n").into_bytes();
        stage.step(Event::Output { agent: AgentKey(1), bytes });
        stage.pass(20);
    }
    assert_eq!(pictures(&stage), 2, "unread pictures are no backlog");
    stage.step(Event::Flushed { client: PERSON });
    stage.pass(20);
    assert_eq!(pictures(&stage), 3);
}

/// What follows a key is shown at once, and each picture of a flood was owed all the same: a person who had pressed Enter saw
/// nothing new for three seconds, long after it was over.
#[test]
fn a_flood_that_follows_a_key_is_shown_sixty_times_a_second() {
    let mut stage = Stage::new(Policy::default());
    stage.request(Request::Watch { panes: vec![Pane { name: "worker".into(), size: None }] });
    stage.request(Request::Keys { name: "worker".into(), input: vec![Input::Text("x".into())] });
    let flood = |stage: &mut Stage, ms: u64| {
        let before = pictures(stage);
        for n in 0..ms {
            let bytes = format!("line {n}\r\n").into_bytes();
            stage.step(Event::Output { agent: AgentKey(1), bytes });
            stage.step(Event::Flushed { client: PERSON });
            stage.pass(1);
        }
        pictures(stage) - before
    };
    assert!(flood(&mut stage, 150) > 100, "it may be what the key did");
    let shown = flood(&mut stage, 1_000);
    assert!((55..=65).contains(&shown), "{shown}");
    // Its last line as well.
    let before = pictures(&stage);
    stage.step(Event::Flushed { client: PERSON });
    stage.pass(17);
    assert!(pictures(&stage) <= before + 1);
    stage.step(Event::Output { agent: AgentKey(1), bytes: b"the end".to_vec() });
    stage.pass(17);
    assert!(pictures(&stage) > before);
}

#[test]
fn the_server_ends_when_nothing_needs_it() {
    let mut stage = Stage::new(Policy::default());
    stage.step(Event::Left { client: PERSON });
    stage.pass(100_000);
    assert!(!stage.done.iter().any(|effect| matches!(effect, Effect::Exit)), "an agent runs");
    let message = FromKeeper::Exited(Exit { code: Some(0), signal: None });
    stage.step(Event::Keeper { agent: AgentKey(1), message });
    // Its output and its exit code went with the server after half a minute.
    stage.pass(23 * 3_600_000);
    assert!(!stage.done.iter().any(|effect| matches!(effect, Effect::Exit)));
    stage.pass(3_600_001);
    assert_eq!(stage.done.iter().filter(|effect| matches!(effect, Effect::Exit)).count(), 1);
}

#[test]
fn an_answer_is_not_typed_on_a_screen_that_is_old() {
    // The server was stopped while the advisor's word was on its way; a person has answered since.
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    stage.unread =
        b"\x1b[H\x1b[2J\xe2\x9d\xaf 1. Drop the table\r\n  2. Keep it\r\n\r\nEnter to select".to_vec();
    stage.say(r#"{"choice": 1}"#);
    stage.pass(10_000);
    assert_eq!(stage.typed(), "");
}

#[path = "conflict_tests.rs"]
mod conflict_tests;

#[path = "submit_tests.rs"]
mod submit;

#[path = "hook_tests.rs"]
mod hook_tests;
#[path = "unsent_draft_tests.rs"]
mod unsent_draft_tests;

#[path = "rest_tests.rs"]
mod rest;

#[path = "ready_tests.rs"]
mod ready;

#[path = "pane_tests.rs"]
mod panes;

/// What stood behind a hello in the same write was now and then refused before the hello was, and for no reason that helps.
#[test]
fn a_hello_is_answered_before_its_client_may_go_on() {
    use crate::server::effect::{Effect, Event as ToHub};
    let mut stage = Stage::empty();
    let client = ClientKey(7);
    stage.step(Event::Joined { client, pids: vec![4_000] });
    let request = Request::Hello { version: crate::wire::VERSION, token: Some("guessed".into()) };
    let effects = stage.hub.step(ToHub::Request { client, id: 1, request }, stage.now);
    let at = |is: &dyn Fn(&Effect) -> bool| effects.iter().position(is).expect("there is one");
    let told = at(&|effect| matches!(effect, Effect::Send { client, .. } if *client == ClientKey(7)));
    assert!(told < at(&|effect| matches!(effect, Effect::Admit { .. })), "{effects:?}");
}
