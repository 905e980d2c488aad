//! The hub and its sessions under whatever may happen, in any order: clients that ask for anything and leave, agents
//! that print, end, stop and are started again, hooks, consultants' words, and time that passes.
//!
//! What must hold whatever comes: nothing panics, every request that has a reply gets one and no more, a question is
//! delivered at most once, the hub rests when nothing is due and wakes for all that is, and what one agent's terminal
//! is fed changes no other's.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::stage::{Effect, Event, Stage};
use super::*;
use crate::core::agent::{Restart, Start};
use crate::core::log::log_entry::Outcome;
use crate::core::policy::Mode;
use crate::core::terminal::grid::Size;
use crate::server::question::ask::Ask;
use crate::session::message::Started;
use crate::wire::keeper::FromKeeper;
use crate::wire::message::WaitFor;
use crate::wire::message::{Request, ServerMessage};

/// A request that was made: by whom, under which number, and whether it waits by its nature.
type Asked = BTreeMap<(ClientKey, u64), bool>;

#[derive(Debug, Clone)]
enum Act {
    Request(u8, Wish),
    Agent(u8, Happening),
    Said(u8, bool),
    Hook(u8, u8),
    Join(u8),
    Leave(u8),
    Pass(u64),
}

#[derive(Debug, Clone)]
enum Wish {
    Start(u8),
    Stop(u8),
    Restart(u8),
    Pause(u8),
    Resume(u8),
    Wait(u8, u8),
    Answer(u64, u8),
    Confirm(u64, bool),
    Consult(u64),
    Ask,
    Questions,
    List,
    Explain(u8),
    Subscribe,
}

#[derive(Debug, Clone)]
enum Happening {
    Up,
    Failed,
    Menu(u8),
    Idle,
    Noise,
    Exited(bool),
    Swept,
    Paused,
    Continued,
    Lost,
    Crashed,
    Typed,
    Resized(bool),
}

fn wish() -> impl Strategy<Value = Wish> {
    let name = || 0_u8..4;
    prop_oneof![
        2 => name().prop_map(Wish::Start),
        1 => name().prop_map(Wish::Stop),
        1 => name().prop_map(Wish::Restart),
        1 => name().prop_map(Wish::Pause),
        1 => name().prop_map(Wish::Resume),
        2 => (name(), 0_u8..4).prop_map(|(name, what)| Wish::Wait(name, what)),
        4 => (1_u64..12, 0_u8..4).prop_map(|(ask, choice)| Wish::Answer(ask, choice)),
        1 => (1_u64..12, any::<bool>()).prop_map(|(ask, yes)| Wish::Confirm(ask, yes)),
        1 => (1_u64..12).prop_map(Wish::Consult),
        2 => Just(Wish::Ask),
        1 => Just(Wish::Questions),
        1 => Just(Wish::List),
        1 => name().prop_map(Wish::Explain),
        1 => Just(Wish::Subscribe),
    ]
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        4 => Just(Happening::Up),
        1 => Just(Happening::Failed),
        6 => (0_u8..3).prop_map(Happening::Menu),
        3 => Just(Happening::Idle),
        1 => Just(Happening::Noise),
        1 => any::<bool>().prop_map(Happening::Exited),
        1 => Just(Happening::Swept),
        1 => Just(Happening::Paused),
        1 => Just(Happening::Continued),
        1 => Just(Happening::Lost),
        1 => Just(Happening::Crashed),
        1 => Just(Happening::Typed),
        1 => any::<bool>().prop_map(Happening::Resized),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => (0_u8..4, wish()).prop_map(|(client, wish)| Act::Request(client, wish)),
        8 => (0_u8..4, happening()).prop_map(|(name, what)| Act::Agent(name, what)),
        3 => (1_u8..12, any::<bool>()).prop_map(|(ask, well)| Act::Said(ask, well)),
        2 => (2_u8..4, 0_u8..5).prop_map(|(client, event)| Act::Hook(client, event)),
        1 => (1_u8..4).prop_map(Act::Join),
        1 => (1_u8..4).prop_map(Act::Leave),
        4 => prop_oneof![0_u64..400, 1_000_u64..70_000].prop_map(Act::Pass),
    ]
}

const NAMES: [&str; 4] = ["worker", "helper", "nobody", "human"];

fn menu(variant: u8) -> Vec<u8> {
    let line = "─".repeat(80);
    let prompt =
        ["Which database should I use?", "Which store shall it be?", "Shall I go on?"][variant as usize];
    format!(
        "\x1b[?25l\x1b[H\x1b[2J{line}\r\n ☐ Choice\r\n\r\n{prompt}\r\n\r\n❯ 1. PostgreSQL\r\n     Big\r\n  2. SQLite\r\n     \
         Small\r\n  3. Type something.\r\n{line}\r\n  4. Chat about this\r\n\r\nEnter to select · ↑/↓ to navigate · Esc to cancel"
    )
    .into_bytes()
}

fn idle() -> Vec<u8> {
    let line = "─".repeat(80);
    format!("\x1b[?2004h\x1b[?25l\x1b[H\x1b[2J● Done.\r\n\r\n{line}\r\n❯ \r\n{line}\r\n  ? for shortcuts")
        .into_bytes()
}

struct Play {
    stage: Stage,
    asked: Asked,
    next: u64,
    seen: usize,
    told: BTreeMap<(ClientKey, u64), usize>,
    delivered: BTreeMap<String, usize>,
}

impl Play {
    fn new(confirm: bool, shadow: bool) -> Play {
        let mut stage = Stage::empty();
        stage.done.clear();
        let mut play = Play {
            stage,
            asked: Asked::new(),
            next: 100,
            seen: 0,
            told: BTreeMap::new(),
            delivered: BTreeMap::new(),
        };
        for name in 0..4 {
            play.start(0, name, confirm, shadow);
            play.act(Act::Agent(name, Happening::Up));
        }
        // An agent's own are known by what it was given when it was started.
        for client in 1..4 {
            play.act(Act::Join(client));
        }
        play
    }

    fn client(number: u8) -> ClientKey {
        ClientKey(u64::from(number) + 1)
    }

    fn start(&mut self, client: u8, name: u8, confirm: bool, shadow: bool) {
        let name = NAMES[usize::from(name)];
        let command = |name: &str| crate::core::policy::CommandConsultant {
            name: name.into(),
            command: vec![name.into()],
            ..Default::default()
        };
        let mut policy = Policy { consultants: vec![command("oracle")], ..Policy::default() };
        policy.consult.confirm = confirm;
        if shadow {
            policy.consult.mode = Mode::Shadow;
        }
        policy.standby = vec![AgentSpec {
            name: "standby".into(),
            command: vec!["claude".into()],
            start: Start::Demand,
            ..AgentSpec::default()
        }];
        let consultant = match name {
            "worker" => "nobody,oracle",
            "helper" => "standby",
            "nobody" => "human",
            _ => "worker",
        };
        let spec = AgentSpec {
            name: name.into(),
            command: vec!["claude".into()],
            consultant: Some(consultant.into()),
            size: Some(Size::new(80, 30)),
            restart: if name == "helper" { Restart::OnFailure } else { Restart::Never },
            ..AgentSpec::default()
        };
        let request = Request::Start { spec: Box::new(spec), policy: Box::new(policy) };
        self.request(client, request, true);
    }

    fn request(&mut self, client: u8, request: Request, waits: bool) {
        let (client, id) = (Play::client(client), self.next);
        self.next += 1;
        if self.stage.hub.clients.clients.contains(client) {
            self.asked.insert((client, id), waits);
        }
        self.stage.step(Event::Request { client, id, request });
    }

    fn wish(&mut self, client: u8, wish: Wish) {
        let name = |of: u8| NAMES[usize::from(of)].to_owned();
        let names = |of: u8| vec![name(of)];
        let (request, waits) = match wish {
            Wish::Start(of) => return self.start(client, of, false, false),
            Wish::Stop(of) => (Request::Stop { names: names(of), grace_ms: 1_000 }, true),
            Wish::Restart(of) => (Request::Restart { name: name(of) }, true),
            Wish::Pause(of) => (Request::Pause { names: names(of) }, true),
            Wish::Resume(of) => (Request::Resume { names: names(of) }, true),
            Wish::Wait(of, what) => {
                let kinds = [WaitFor::Idle, WaitFor::Asking, WaitFor::Working, WaitFor::Exited];
                let timeout_ms = (what % 2 == 0).then_some(20_000);
                (Request::Wait { name: name(of), what: kinds[usize::from(what)], timeout_ms }, true)
            }
            Wish::Answer(ask, choice) => {
                let answer = match choice {
                    3 => crate::wire::message::GivenAnswer { reject: true, ..Default::default() },
                    at => crate::wire::message::GivenAnswer {
                        options: vec![(at + 1).to_string()],
                        ..Default::default()
                    },
                };
                (Request::Answer { id: format!("q{ask}"), answer }, true)
            }
            Wish::Confirm(ask, accept) => {
                (Request::Confirm { id: format!("q{ask}"), accept, answer: None }, true)
            }
            Wish::Consult(ask) => (Request::Consult { id: format!("q{ask}"), with: None }, false),
            Wish::Ask => {
                let options = vec!["one".into(), "two".into()];
                let question = "Which one?".into();
                (Request::AskCounsel { question, options, context: None, wait_ms: Some(30_000) }, true)
            }
            Wish::Questions => (Request::Questions { all: true }, false),
            Wish::List => (Request::List, false),
            Wish::Explain(of) => (Request::Explain { name: name(of) }, true),
            Wish::Subscribe => (Request::Subscribe, false),
        };
        self.request(client, request, waits);
    }

    fn happens(&mut self, name: u8, what: Happening) {
        let Some(agent) = self.stage.hub.agent_named(NAMES[usize::from(name)]) else { return };
        let start = || Started {
            pid: 1_000 + u32::from(name),
            keeper: 2_000 + u32::from(name),
            token: format!("token {name}"),
            ..Started::default()
        };
        let keeper = |message| Event::Keeper { agent, message };
        let spawning = self.stage.agent(agent.0).life == crate::session::Life::Spawning;
        let event = match what {
            Happening::Up if spawning => Event::Started { agent, start: start() },
            Happening::Failed if spawning => Event::StartFailed { agent, why: "no such file".into() },
            _ if spawning => return,
            Happening::Up | Happening::Failed => return,
            Happening::Menu(variant) => Event::Output { agent, bytes: menu(variant) },
            Happening::Idle => Event::Output { agent, bytes: idle() },
            Happening::Noise => Event::Output { agent, bytes: b"\x1b[2J\x1b[Hwords and words".to_vec() },
            Happening::Exited(well) => keeper(FromKeeper::Exited(crate::wire::keeper::Exit {
                code: Some(!well as i32),
                signal: None,
            })),
            Happening::Swept => {
                keeper(FromKeeper::Swept { killed: Vec::new(), left: Vec::new(), kept: Vec::new() })
            }
            Happening::Paused => keeper(FromKeeper::Paused { forced: Vec::new(), running: Vec::new() }),
            Happening::Continued => keeper(FromKeeper::Continued),
            Happening::Lost => Event::KeeperLost { agent },
            Happening::Crashed => Event::SessionEnded { agent },
            Happening::Typed => Event::PersonTyped { agent },
            Happening::Resized(small) => {
                Event::Resized { agent, size: if small { Size::new(30, 5) } else { Size::new(80, 30) } }
            }
        };
        self.stage.step(event);
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Request(client, wish) => self.wish(client, wish),
            Act::Agent(name, what) => {
                let fed = self.stage.hub.agent_named(NAMES[usize::from(name)]);
                let output = matches!(what, Happening::Menu(_) | Happening::Idle | Happening::Noise);
                let before: Vec<_> = self.others(fed);
                self.happens(name, what);
                let after = self.others(fed);
                let same = |(key, text): &(AgentKey, String)| {
                    after.iter().all(|(other, now)| other != key || now == text)
                };
                assert!(!output || before.iter().all(same), "what one prints is seen by another");
            }
            Act::Said(ask, well) => {
                let ask = AskKey(u64::from(ask));
                let Some(turn) = self.stage.hub.questions.asks.get(ask).map(Ask::turn_number) else { return };
                let said = if well { Ok(r#"{"choice": 2}"#.to_owned()) } else { Err("it failed".to_owned()) };
                self.stage.step(Event::Consulted { ask, turn, said });
            }
            Act::Hook(client, event) => self.hook(client, event),
            Act::Join(number) => {
                let client = Play::client(number);
                if self.stage.hub.clients.clients.contains(client) {
                    return;
                }
                self.stage.step(Event::Joined { client, pids: vec![50_000 + u32::from(number)] });
                // The first two are people; the others belong to agents.
                let token = (number >= 2).then(|| format!("token {}", number - 2));
                self.request(number, Request::Hello { version: crate::wire::VERSION, token }, false);
            }
            Act::Leave(number) => {
                let client = Play::client(number);
                self.asked.retain(|(of, _), _| *of != client);
                self.told.retain(|(of, _), _| *of != client);
                self.stage.step(Event::Left { client });
            }
            Act::Pass(ms) => self.pass(ms),
        }
    }

    /// Lets time pass; a hub that was woken for something has done it, and rests.
    fn pass(&mut self, ms: u64) {
        let until = self.stage.now.ms + ms;
        while let Some(wake) = self.stage.next_wake().filter(|wake| *wake <= until) {
            self.stage.advance_to(wake.max(self.stage.now.ms));
            self.stage.step(Event::Wake);
            let now = self.stage.now.ms;
            assert!(self.stage.next_wake().is_none_or(|wake| wake > now), "the server spins");
        }
        self.stage.advance_to(until.max(self.stage.now.ms));
    }

    fn hook(&mut self, client: u8, event: u8) {
        let questions = serde_json::json!([{
            "question": "Which database should I use?", "header": "Choice", "multiSelect": false,
            "options": [{"label": "PostgreSQL", "description": "Big"}, {"label": "SQLite", "description": "Small"}],
        }]);
        let (event, payload) = match event {
            0 | 1 => (
                "PermissionRequest",
                serde_json::json!({"tool_name": "AskUserQuestion", "tool_input": {"questions": questions}}),
            ),
            2 => (
                "PostToolUse",
                serde_json::json!({"tool_name": "AskUserQuestion", "tool_response": {"answers": {"Which database should I use?": "SQLite"}}}),
            ),
            3 => ("UserPromptSubmit", serde_json::json!({"prompt": "go on"})),
            _ => ("Stop", serde_json::json!({"last_assistant_message": "Done."})),
        };
        self.request(client, Request::Hook { event: event.into(), payload }, true);
    }

    /// What every terminal but this one shows.
    fn others(&self, but: Option<AgentKey>) -> Vec<(AgentKey, String)> {
        let others = self.stage.hub.lifecycle.agents.iter().filter(|(key, _)| Some(*key) != but);
        others.map(|(key, agent)| (key, agent.sight.text.to_string())).collect()
    }

    /// What has left since this was looked at last.
    fn check(&mut self) {
        for effect in &self.stage.done[self.seen..] {
            match effect {
                Effect::Send { client, message } => {
                    if let ServerMessage::Reply { id, .. } = &**message {
                        *self.told.entry((*client, *id)).or_default() += 1;
                    }
                }
                Effect::Append { entry, .. } if entry.outcome == Outcome::Answered => {
                    *self.delivered.entry(entry.id.clone()).or_default() += 1;
                }
                _ => {}
            }
        }
        self.seen = self.stage.done.len();
        assert!(self.told.values().all(|times| *times == 1), "told twice: {:?}", self.told);
        assert!(self.delivered.values().all(|times| *times == 1), "{:?}", self.delivered);
        for (asked, waits) in &self.asked {
            assert!(*waits || self.told.contains_key(asked), "no reply to {asked:?}");
        }
        assert_eq!(self.stage.hub.next_wake(), self.stage.hub.wake_of_all(), "a deadline is missed");
    }

    /// Everything ends: who waits for what comes no more is told.
    fn end(&mut self) {
        self.pass(120_000);
        let agents: Vec<AgentKey> = self.stage.hub.lifecycle.agents.keys().collect();
        for agent in agents {
            let message = Message::Life(ToLifecycle::Remove(agent));
            self.stage.step(Event::Wake);
            self.stage.remove(message);
        }
        self.pass(120_000);
        self.check();
        let unanswered: Vec<_> = self.asked.keys().filter(|asked| !self.told.contains_key(asked)).collect();
        assert!(unanswered.is_empty(), "never answered: {unanswered:?}");
    }
}

impl Stage {
    /// As a keeper's last words do it.
    fn remove(&mut self, message: Message) {
        self.hub.run(vec![message]);
        self.hub.settle();
        let effects = std::mem::take(&mut self.hub.out);
        self.perform(effects);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 400, ..ProptestConfig::default() })]
    #[test]
    fn whatever_happens(
        confirm in any::<bool>(),
        shadow in proptest::bool::weighted(0.2),
        acts in proptest::collection::vec(act(), 1..60),
    ) {
        let mut play = Play::new(confirm, shadow);
        for act in acts {
            play.act(act);
            play.check();
        }
        play.end();
    }
}

/// The acts of the test above are no use if the screens they draw are not understood.
#[test]
fn the_acts_reach_questions_consultants_and_hooks() {
    let mut play = Play::new(false, false);
    play.act(Act::Agent(1, Happening::Menu(0)));
    play.act(Act::Pass(300));
    assert!(play.stage.hub.agent_named("standby").is_some(), "a consultant is started for the helper");
    play.act(Act::Agent(0, Happening::Menu(1)));
    play.act(Act::Pass(300));
    let asked = |play: &Play, number| play.stage.ask(number).consultant().map(str::to_owned);
    assert_eq!(asked(&play, 2).as_deref(), Some("nobody"));
    play.act(Act::Pass(27_000));
    assert_eq!(asked(&play, 2).as_deref(), Some("oracle"));
    play.act(Act::Said(2, true));
    play.act(Act::Pass(1_000));
    assert!(play.stage.typed().contains("\x1b[B"), "{:?}", play.stage.typed());
    let helper = play.stage.hub.agent_named("helper").expect("it runs");
    play.act(Act::Hook(3, 0));
    assert!(play.stage.hub.hooks.states.get(helper).is_some_and(|hook| hook.alive));
    play.check();
    play.end();
}
