//! Scripts of events and the effects they must have. The screens are those of a recorded Claude Code;
//! time is made up.

use super::*;
use crate::core::agent::AgentSpec;
use crate::core::log::log_entry::Outcome;
use crate::core::policy::{CommandConsultant, Policy};
use crate::core::question::State;
use crate::core::recording::asciicast::{Asciicast, What};
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::{Input, Key, KeyPress};
use crate::server::effect::Started;
use crate::wire::keeper::{Exit, FromKeeper};
use crate::wire::message::{GivenAnswer, Notice, Pane, QuestionInfo, Reply, Request, ServerMessage, Status};

const PERSON: ClientKey = ClientKey(1);

/// A hub with a person watching, and one worker that plays a recording.
struct Stage {
    hub: Hub,
    now: Now,
    cast: Asciicast,
    next_event: usize,
    agent: AgentKey,
    done: Vec<Effect>,
    /// What the worker has printed and nobody has read.
    unread: Vec<u8>,
    /// Its terminal collects lines.
    lines: bool,
    /// Files are not read until somebody says so.
    slow_disk: bool,
}

impl Stage {
    fn new(policy: Policy) -> Stage {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/claude-2.1.329-ask1-120x40.cast");
        let cast = Asciicast::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
        let settings = Settings {
            exit_when_empty_ms: 30_000,
            scrollback: 1000,
            terminal_identity: TerminalIdentity::default(),
            sizing: Sizing::Latest,
            record_bytes: None,
            pid: 1,
        };
        let hub = Hub::new(settings, Profiles::builtin(), Vec::new(), 1);
        let now = Now { ms: 1_000_000, unix_ms: 1_700_000_000_000 };
        let mut stage = Stage {
            hub,
            now,
            cast,
            next_event: 0,
            agent: AgentKey(1),
            done: Vec::new(),
            unread: Vec::new(),
            lines: false,
            slow_disk: false,
        };
        stage.step(Event::Joined { client: PERSON, pids: vec![4000] });
        stage.request(Request::Hello { version: crate::wire::VERSION, token: None });
        stage.request(Request::Subscribe);
        let spec = AgentSpec {
            name: "worker".into(),
            command: vec!["claude".into()],
            consultant: Some("oracle".into()),
            size: Some(Size::new(120, 40)),
            ..AgentSpec::default()
        };
        stage.request(Request::Start { spec: Box::new(spec), policy: Box::new(policy) });
        let start = Started { pid: 500, keeper: 499, token: "secret".into(), ..Started::default() };
        stage.step(Event::Started { agent: AgentKey(1), start });
        stage
    }

    fn with_oracle(mut policy: Policy) -> Stage {
        policy.consultants.push(command("oracle", None));
        Stage::new(policy)
    }

    /// One event, and what the agents' ports say to it at once.
    fn step(&mut self, event: Event) {
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            let effects = self.hub.step(event, self.now);
            let asked = effects.iter().filter_map(|effect| match effect {
                Effect::Drain { agent } => Some(*agent),
                _ => None,
            });
            for agent in asked {
                let unread = std::mem::take(&mut self.unread);
                events.extend((!unread.is_empty()).then_some(Event::Output { agent, bytes: unread }));
                events.push_back(Event::Drained { agent, lines: self.lines });
            }
            // The disk is quick here: what is written or read is there at once.
            events.extend(effects.iter().filter_map(|effect| match effect {
                Effect::Append { ask, .. } => Some(Event::Logged { ask: *ask }),
                Effect::ReadContext { ask, .. } if !self.slow_disk => {
                    Some(Event::Context { ask: *ask, files: Vec::new(), secrets: vec!["hunter22".into()] })
                }
                _ => None,
            }));
            self.done.extend(effects);
        }
    }

    fn request(&mut self, request: Request) -> Option<Reply> {
        self.ask_as(PERSON, request)
    }

    fn ask_as(&mut self, client: ClientKey, request: Request) -> Option<Reply> {
        let from = self.done.len();
        self.step(Event::Request { client, id: 7, request });
        self.done[from..].iter().find_map(|effect| match effect {
            Effect::Send { client: to, message } if *to == client => match &**message {
                ServerMessage::Reply { id: 7, reply } => Some(reply.clone()),
                _ => None,
            },
            _ => None,
        })
    }

    fn told(&self, client: ClientKey) -> Vec<&Notice> {
        let to_it = self.done.iter().filter_map(|effect| match effect {
            Effect::Send { client: to, message } if *to == client => Some(&**message),
            _ => None,
        });
        let notices = to_it.filter_map(|message| match message {
            ServerMessage::Notice(notice) => Some(notice),
            ServerMessage::Reply { .. } => None,
        });
        notices.collect()
    }

    /// Lets time pass, waking the hub whenever it wants to be woken.
    fn pass(&mut self, ms: u64) {
        let until = self.now.ms + ms;
        for _ in 0..100_000 {
            let Some(wake) = self.hub.next_wake().filter(|wake| *wake <= until) else { break };
            let ms = wake.max(self.now.ms);
            self.advance_to(ms);
            self.step(Event::Wake);
            // What was due has been done: nothing may wake the hub for it again.
            assert!(self.hub.next_wake().is_none_or(|wake| wake > ms), "the hub spins");
        }
        self.advance_to(until);
        assert!(self.hub.next_wake().is_none_or(|wake| wake > until), "the hub spins");
    }

    fn advance_to(&mut self, ms: u64) {
        self.now.unix_ms += ms - self.now.ms;
        self.now.ms = ms;
    }

    /// Plays the recording up to this second of it, in one piece.
    fn play_to(&mut self, seconds: f64) {
        let mut bytes = Vec::new();
        while let Some(event) = self.cast.events.get(self.next_event) {
            if event.at_ms as f64 > seconds * 1000.0 {
                break;
            }
            if let What::Output(text) = &event.what {
                bytes.extend(text.bytes());
            }
            self.next_event += 1;
        }
        self.step(Event::Output { agent: self.agent, bytes });
        self.pass(150);
    }

    /// Everything written to the agent so far, replies to its queries aside.
    fn typed(&self) -> String {
        let bytes = self.done.iter().filter_map(|effect| match effect {
            Effect::Write { bytes, .. } => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        });
        let reply = |text: &String| {
            ["\x1b[?", "\x1b[>", "\x1bP", "\x1b]", "\x1b[6;"].iter().any(|start| text.starts_with(start))
        };
        bytes.filter(|text| !reply(text)).collect()
    }

    fn questions(&mut self) -> Vec<QuestionInfo> {
        match self.request(Request::Questions { all: true }) {
            Some(Reply::Questions { questions }) => questions,
            other => panic!("{other:?}"),
        }
    }

    fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        for effect in &self.done {
            if let Effect::Append { entry, .. } = effect {
                entries.push((**entry).clone());
            }
        }
        entries
    }

    fn notifications(&self) -> usize {
        let notification = |effect: &&Effect| matches!(effect, Effect::Send { message, .. } if matches!(**message, ServerMessage::Notice(Notice::Notification { .. })));
        self.done.iter().filter(notification).count()
    }

    fn say(&mut self, words: &str) {
        let turn = self.hub.asks[&AskKey(1)].turn;
        self.hears(turn, Ok(words));
    }

    fn hears(&mut self, turn: u32, said: Result<&str, &str>) {
        let said = said.map(str::to_owned).map_err(str::to_owned);
        self.step(Event::Consulted { ask: AskKey(1), turn, said });
    }
}

fn command(name: &str, then: Option<&str>) -> CommandConsultant {
    let then = then.map(str::to_owned);
    CommandConsultant { name: name.into(), command: vec![name.into()], then, secs: None, share: None }
}

#[path = "chain_tests.rs"]
mod chain;
#[path = "end_tests.rs"]
mod end;
#[path = "snapshot_tests.rs"]
mod look;
#[path = "notify_tests.rs"]
mod notify;
#[path = "pause_tests.rs"]
mod pause;
#[path = "person_tests.rs"]
mod person;

#[test]
fn a_question_is_consulted_and_answered_key_by_key() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    let run =
        stage.done.iter().find_map(|e| if let Effect::Consult { run, .. } = e { Some(run) } else { None });
    let stdin = &run.expect("the consultant is asked").stdin;
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

#[test]
fn without_a_consultant_a_person_answers() {
    let mut stage = Stage::new(Policy::default());
    stage.play_to(5.9);
    assert_eq!((stage.questions()[0].status, stage.notifications()), (Status::Escalated, 1));
    let answer = GivenAnswer { options: vec!["PostgreSQL".into()], ..GivenAnswer::default() };
    let reply = stage.request(Request::Answer { id: "q1".into(), answer: answer.clone() });
    assert_eq!(reply, Some(Reply::Done));
    stage.pass(1_000);
    assert_eq!(stage.typed(), "\r");
    stage.play_to(16.0);
    stage.pass(1_000);
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
            Request::Confirm { id: "q1".into(), accept: true },
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
    assert_eq!(stage.hub.agents[&AgentKey(1)].state, State::Exited);
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
    stage.say(r#"{"choice": 1}"#);
    stage.pass(5_000);
    assert_eq!((stage.questions()[0].status, stage.typed().as_str()), (Status::Proposed, ""));
    stage.request(Request::Confirm { id: "q1".into(), accept: true });
    stage.pass(1_000);
    assert_eq!(stage.typed(), "\r");
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
    let pictures = |stage: &Stage| {
        let picture = |effect: &&Effect| matches!(effect, Effect::Send { message, .. } if matches!(**message, ServerMessage::Notice(Notice::Picture { .. })));
        stage.done.iter().filter(picture).count()
    };
    assert_eq!(pictures(&stage), 2, "unread pictures are no backlog");
    stage.step(Event::Flushed { client: PERSON });
    stage.pass(20);
    assert_eq!(pictures(&stage), 3);
}

#[test]
fn the_server_ends_when_nothing_needs_it() {
    let mut stage = Stage::new(Policy::default());
    stage.step(Event::Left { client: PERSON });
    stage.pass(100_000);
    assert!(!stage.done.iter().any(|effect| matches!(effect, Effect::Exit)), "an agent runs");
    let message = FromKeeper::Exited(Exit { code: Some(0), signal: None });
    stage.step(Event::Keeper { agent: AgentKey(1), message });
    stage.pass(29_000);
    assert!(!stage.done.iter().any(|effect| matches!(effect, Effect::Exit)));
    stage.pass(2_000);
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
mod leftover_tests;

#[path = "rest_tests.rs"]
mod rest;

#[path = "ready_tests.rs"]
mod ready;

#[path = "pane_tests.rs"]
mod panes;
