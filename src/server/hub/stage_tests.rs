//! The hub and its sessions in lockstep, for tests: no tasks, no clock, no files. What is asked of a terminal or
//! of the disk is answered at once, and everything that leaves is kept.

use std::collections::{BTreeMap, VecDeque};

use super::*;
use crate::core::agent::AgentSpec;
use crate::core::ancestry::{Identity, Verdict};
use crate::core::detect::front::Front;
use crate::core::detect::witness::{Reader, Wait, Witness};
use crate::core::policy::Policy;
use crate::core::recording::asciicast::Asciicast;
use crate::core::terminal::grid::Size;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::sizing::Sizing;
use crate::server::lifecycle::agent::Agent;
use crate::server::question::ask::Ask;
use crate::server::standing::{Standing, no_agent, of_session, permitted};
use crate::session::message::{Input as ToSession, News, Output, Started};
use crate::session::{Session, Setup};
use crate::wire::message::{Notice, Reply, Request, ServerMessage};

#[path = "stage_asked_tests.rs"]
mod asked;
#[path = "stage_events_tests.rs"]
mod events;

use events::Step;
pub use events::{Effect, Event};

pub const PERSON: ClientKey = ClientKey(1);

impl Hub {
    pub fn agent_named(&self, name: &str) -> Option<AgentKey> {
        lookup::by_name(&self.lifecycle.agents, name)
    }

    /// When the hub wants to be woken, found the long way: by looking at everything there is.
    pub fn wake_of_all(&self) -> Option<u64> {
        let restarts = self.lifecycle.agents.keys().filter_map(|key| self.lifecycle.restart_at(key));
        let sweeps = self.lifecycle.agents.keys().filter_map(|key| self.lifecycle.sweep_look_at(key));
        let agents = self.lifecycle.agents.keys().filter_map(|key| self.agent_wake(key));
        let asks = self.questions.asks.keys().filter_map(|key| self.question_wake(key));
        let rest = self.replies.wake().into_iter().chain(self.lifecycle.wake());
        restarts.chain(sweeps).chain(agents).chain(asks).chain(rest).min()
    }
}

/// A hub with a person watching, and one worker that plays a recording.
pub struct Stage {
    pub hub: Hub,
    pub sessions: BTreeMap<AgentKey, Session>,
    pub now: Now,
    pub cast: Asciicast,
    pub next_event: usize,
    pub agent: AgentKey,
    pub done: Vec<Effect>,
    /// What the worker has printed and nobody has read.
    pub unread: Vec<u8>,
    /// Its terminal collects lines.
    pub lines: bool,
    /// Who reads the terminals.
    pub reader: Witness,
    /// Who would take a key.
    pub front: Front,
    /// Files are not read until somebody says so.
    pub slow_disk: bool,
    /// Why nothing can be written.
    pub full_disk: Option<String>,
    /// Paths that lead over a link.
    pub links: Vec<String>,
    pub standings: BTreeMap<ClientKey, Standing>,
    /// What each client shows: whoever is started anew is shown on.
    pub watching: BTreeMap<ClientKey, BTreeMap<String, Option<Size>>>,
}

/// Far more than anything leads to, also where bytes are fed one by one.
const MAX_STEPS: usize = 100_000;

impl Stage {
    /// A server with one client, a person, who is told everything.
    pub fn empty() -> Stage {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/claude-2.1.329-ask1-120x40.cast");
        let cast = Asciicast::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
        let settings = Settings {
            exit_when_empty_ms: 30_000,
            scrollback: 1000,
            terminal_identity: TerminalIdentity::default(),
            sizing: Sizing::Latest,
            record_bytes: None,
            pid: 1,
            nonce_key: [7; 16],
        };
        let mut stage = Stage {
            hub: Hub::new(settings, Profiles::builtin(), Vec::new(), 1),
            sessions: BTreeMap::new(),
            now: Now { ms: 1_000_000, unix_ms: 1_700_000_000_000 },
            cast,
            next_event: 0,
            agent: AgentKey(1),
            done: Vec::new(),
            unread: Vec::new(),
            lines: false,
            reader: a_reader(),
            front: Front::Unseen,
            slow_disk: false,
            full_disk: None,
            links: Vec::new(),
            standings: BTreeMap::new(),
            watching: BTreeMap::new(),
        };
        stage.step(Event::Joined { client: PERSON, pids: vec![4000] });
        stage.request(Request::Hello { version: crate::wire::VERSION, token: None });
        stage.request(Request::Subscribe);
        stage
    }

    pub fn new(policy: Policy) -> Stage {
        let mut stage = Stage::empty();
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

    /// An agent of an earlier server, found running.
    pub fn adopt(&mut self, spec: AgentSpec, policy: Policy, earlier: Option<Remembered>) -> AgentKey {
        let (agent, setup) = self.hub.adopt(spec, policy, earlier, self.now);
        self.open(agent, setup);
        agent
    }

    fn open(&mut self, agent: AgentKey, setup: Setup) {
        let name = setup.name.clone();
        self.sessions.insert(agent, Session::new(setup, self.now));
        let shown: Vec<_> =
            self.watching.iter().filter_map(|(client, names)| Some((*client, *names.get(&name)?))).collect();
        for (client, size) in shown {
            self.run(Step::Session(agent, ToSession::Watch { client, size }));
        }
    }

    pub fn ask(&self, number: u64) -> &Ask {
        self.hub.questions.asks.get(AskKey(number)).expect("the question is known")
    }

    pub fn ask_mut(&mut self, number: u64) -> &mut Ask {
        self.hub.questions.asks.get_mut(AskKey(number)).expect("the question is known")
    }

    pub fn agent(&self, number: u64) -> &Agent {
        self.hub.lifecycle.agents.get(AgentKey(number)).expect("the agent is known")
    }

    pub fn agent_mut(&mut self, number: u64) -> &mut Agent {
        self.hub.lifecycle.agents.get_mut(AgentKey(number)).expect("the agent is known")
    }

    pub fn session(&self, agent: AgentKey) -> &Session {
        &self.sessions[&agent]
    }

    /// One event, and what terminals and the disk say to it at once.
    pub fn step(&mut self, event: Event) {
        use crate::server::effect::Event as ToHub;
        let step = match event {
            Event::Started { agent, start } => Step::Session(agent, ToSession::Started(Box::new(start))),
            Event::StartFailed { agent, why } => {
                Step::Hub(ToHub::News { agent, news: News::StartFailed { why } })
            }
            Event::Output { agent, bytes } => Step::Feed(agent, bytes),
            Event::Keeper { agent, message } => Step::Session(agent, ToSession::Keeper(message)),
            Event::KeeperLost { agent } => Step::Session(agent, ToSession::KeeperLost),
            Event::SessionEnded { agent } => Step::Drop(agent),
            Event::Resized { agent, size } => Step::Session(agent, ToSession::Resized(size)),
            Event::PersonTyped { agent } => Step::Session(agent, ToSession::PersonTyped),
            Event::Joined { client, pids } => {
                let id = |pid| Identity { pid, started: 0 };
                // A process that has a parent worth naming is an agent's.
                let verdict = match pids[..] {
                    [_, above, ..] => Verdict::Agent(id(above)),
                    _ => Verdict::Person(id(pids[0])),
                };
                Step::Hub(ToHub::Joined { client, verdict })
            }
            Event::Request { client, id, request } => return self.route(client, id, request),
            Event::Flushed { client } => {
                for agent in self.sessions.keys().copied().collect::<Vec<_>>() {
                    self.run(Step::Session(agent, ToSession::Flushed { client }));
                }
                return;
            }
            Event::Left { client } => {
                self.watching.remove(&client);
                for agent in self.sessions.keys().copied().collect::<Vec<_>>() {
                    self.run(Step::Session(agent, ToSession::Left { client }));
                }
                Step::Hub(ToHub::Left { client })
            }
            Event::Context { ask, files, secrets } => Step::Hub(ToHub::Context { ask, files, secrets }),
            Event::Consulted { ask, turn, said } => Step::Hub(ToHub::Consulted { ask, turn, said }),
            Event::Logged { ask } => Step::Hub(ToHub::Logged { ask, written: true }),
            Event::Wake => {
                for agent in self.sessions.keys().copied().collect::<Vec<_>>() {
                    self.run(Step::Session(agent, ToSession::Wake));
                }
                Step::Hub(ToHub::Wake)
            }
        };
        self.run(step);
    }

    /// As a client's task does it.
    fn route(&mut self, client: ClientKey, id: u64, request: Request) {
        let standing = self.standings.get(&client).copied().unwrap_or(Standing::Stranger);
        if let Request::Watch { panes } = request {
            let wanted: BTreeMap<String, Option<Size>> =
                panes.into_iter().map(|pane| (pane.name, pane.size)).collect();
            let before = self.watching.insert(client, wanted.clone()).unwrap_or_default();
            for name in before.keys().filter(|name| !wanted.contains_key(*name)) {
                if let Some(agent) = self.hub.agent_named(name) {
                    self.run(Step::Session(agent, ToSession::Unwatch { client }));
                }
            }
            for (name, size) in wanted {
                if let Some(agent) = self.hub.agent_named(&name) {
                    self.run(Step::Session(agent, ToSession::Watch { client, size }));
                }
            }
            return self.reply(client, id, Reply::Done);
        }
        let Some(name) = of_session(&request).map(str::to_owned) else {
            return self.run(Step::Hub(crate::server::effect::Event::Request { client, id, request }));
        };
        let keys = matches!(request, Request::Keys { .. });
        let named = self.hub.agent_named(&name);
        let refused = match (permitted(standing, &request, named), named) {
            (Ok(()), Some(agent)) => {
                return self.run(Step::Session(agent, ToSession::Request { client, id, request }));
            }
            (Err(refusal), _) => refusal,
            (Ok(()), None) => no_agent(&name),
        };
        match refused {
            Reply::Error { message, .. } if keys => {
                let notice = Notice::KeysRefused { name, message };
                let message = Box::new(ServerMessage::Notice(notice));
                self.done.push(Effect::Send { client, message });
            }
            reply => self.reply(client, id, reply),
        }
    }

    fn reply(&mut self, client: ClientKey, id: u64, reply: Reply) {
        let message = Box::new(ServerMessage::Reply { id, reply });
        self.done.push(Effect::Send { client, message });
    }

    /// Its session hears of this alone.
    pub fn session_hears(&mut self, agent: AgentKey, input: ToSession) {
        self.run(Step::Session(agent, input));
    }

    fn run(&mut self, step: Step) {
        self.go_on(VecDeque::from([step]));
    }

    fn go_on(&mut self, mut steps: VecDeque<Step>) {
        let mut taken = 0;
        while let Some(step) = steps.pop_front() {
            taken += 1;
            assert!(taken < MAX_STEPS, "one thing leads to another without end");
            match step {
                Step::Hub(event) => {
                    for effect in self.hub.step(event, self.now) {
                        self.hub_does(effect, &mut steps);
                    }
                }
                Step::Session(agent, input) => {
                    let Some(session) = self.sessions.get_mut(&agent) else { continue };
                    let outputs = session.on(input, self.now);
                    self.session_does(agent, outputs, &mut steps);
                }
                Step::Drop(agent) => {
                    if self.sessions.remove(&agent).is_some() {
                        let news = News::SessionEnded;
                        steps.push_back(Step::Hub(crate::server::effect::Event::News { agent, news }));
                    }
                }
                Step::Feed(agent, bytes) => {
                    let Some(session) = self.sessions.get_mut(&agent) else { continue };
                    let (taken, outputs) = session.feed(&bytes, self.now);
                    if taken < bytes.len() {
                        steps.push_front(Step::Feed(agent, bytes[taken..].to_vec()));
                    }
                    self.session_does(agent, outputs, &mut steps);
                }
            }
        }
    }

    /// What the hub wants done, and all that follows from it.
    pub fn perform(&mut self, effects: Vec<crate::server::effect::Effect>) {
        let mut steps = VecDeque::new();
        effects.into_iter().for_each(|effect| self.hub_does(effect, &mut steps));
        self.go_on(steps);
    }

    fn session_does(&mut self, agent: AgentKey, outputs: Vec<Output>, steps: &mut VecDeque<Step>) {
        for output in outputs {
            let done = match output {
                Output::Write(bytes) => Effect::Write { agent, bytes },
                Output::LookAtReader => {
                    steps.push_back(Step::Session(agent, ToSession::Witnessed(self.reader.clone())));
                    continue;
                }
                Output::Confirm => {
                    steps.push_back(Step::Session(agent, ToSession::Confirmed { taken: true }));
                    continue;
                }
                Output::Drain => {
                    let unread = std::mem::take(&mut self.unread);
                    if !unread.is_empty() {
                        steps.push_back(Step::Feed(agent, unread));
                    }
                    let front = ToSession::InFront(self.front.clone());
                    steps.push_back(Step::Session(agent, front));
                    let drained = ToSession::Drained { canonical: self.lines };
                    steps.push_back(Step::Session(agent, drained));
                    continue;
                }
                Output::Resize(size) => Effect::Resize { agent, size },
                Output::Keeper(message) => Effect::Keeper { agent, message },
                Output::News(news) => {
                    steps.push_back(Step::Hub(crate::server::effect::Event::News { agent, news }));
                    continue;
                }
                Output::Reply { client, id, reply } => {
                    Effect::Send { client, message: Box::new(ServerMessage::Reply { id, reply }) }
                }
                Output::Send { client, message } => Effect::Send { client, message },
                Output::Journal(parts) => Effect::Journal { agent, parts },
                Output::Record { .. }
                | Output::RecordOn { .. }
                | Output::RecordAlways { .. }
                | Output::Recorded(_)
                | Output::RecordedSize(_) => Effect::Record { agent },
            };
            self.done.push(done);
        }
    }

    fn hub_does(&mut self, effect: crate::server::effect::Effect, steps: &mut VecDeque<Step>) {
        use crate::server::effect::{Effect as Hub, Event as ToHub};
        let done = match effect {
            Hub::Spawn { agent, spec, setup, .. } => {
                let size = setup.size;
                self.open(agent, *setup);
                Effect::Spawn { agent, spec, size }
            }
            Hub::Order { agent, order } => {
                steps.push_back(Step::Session(agent, ToSession::Order(*order)));
                return;
            }
            Hub::EndOrphans { agent, keeper, .. } => Effect::EndOrphans { agent, keeper },
            Hub::EndKeeper { keeper, overdue, .. } => Effect::EndKeeper { keeper, overdue },
            Hub::Forget { agent } => {
                steps.push_back(Step::Drop(agent));
                Effect::Forget { agent }
            }
            Hub::Admit { client, standing } => {
                self.standings.insert(client, standing);
                return;
            }
            Hub::Send { client, message } => Effect::Send { client, message },
            // The disk is quick here: what is written or read is there at once.
            Hub::ReadContext { ask, .. } => {
                if !self.slow_disk {
                    let secrets = vec!["hunter22".into()];
                    steps.push_back(Step::Hub(ToHub::Context { ask, files: Vec::new(), secrets }));
                }
                Effect::ReadContext { ask }
            }
            Hub::Consult { ask, turn, run } => Effect::Consult { ask, turn, run },
            Hub::CancelConsult { ask } => Effect::CancelConsult { ask },
            Hub::LogHead { client, id } => {
                let (log, head) = ("decisions.jsonl".to_owned(), None);
                steps.push_back(Step::Hub(ToHub::LogHead { client, id, log, head, waiting: 0 }));
                return;
            }
            Hub::LookAtPath { ask, path, .. } => {
                let link = self.links.contains(&path).then_some(path);
                steps.push_back(Step::Hub(ToHub::PathLooked { ask, link }));
                return;
            }
            Hub::ReserveLog { ask } => {
                let done = self.full_disk.clone().map_or(Ok(()), Err);
                steps.push_back(Step::Hub(ToHub::LogReserved { ask, done }));
                return;
            }
            Hub::Append { ask, entry } => {
                steps.push_back(Step::Hub(ToHub::Logged { ask, written: self.full_disk.is_none() }));
                Effect::Append { ask, entry }
            }
            // By day.
            Hub::AskWhetherQuiet { .. } => return,
            Hub::Notify { command, json, .. } => Effect::Notify { command, json },
            Hub::WatchTie { agent, tie } => Effect::WatchTie { agent, pid: tie.pid },
            Hub::MeasureMemory { agent, .. } => Effect::MeasureMemory { agent },
            Hub::Exit => Effect::Exit,
        };
        self.done.push(done);
    }
}

/// A program that waits for a line.
fn a_reader() -> Witness {
    let wait = Wait { pid: 7, thread: 7, program: "program".to_owned(), blocking: true, ..Wait::default() };
    Witness { reader: Reader::Reading(wait), canonical: true, echo: true }
}
