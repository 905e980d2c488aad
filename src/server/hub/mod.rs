//! The hub: the whole server as a state machine. Every agent, client and open question is owned here.
//!
//! The server's loop feeds it one event at a time and performs the effects it returns. It has no
//! lock, no clock and no I/O, and it never waits for anyone.

mod agent;
mod ask;
mod asked;
mod clients;
mod conflict;
mod consult;
mod consultant;
mod deliver;
mod hook;
mod hook_form;
mod hook_lane;
mod hook_sent;
mod life;
mod limits;
mod notify;
mod pause;
mod pause_requests;
mod question_lifecycle;
mod requests;
mod room;
mod stop;
mod waits;

use std::collections::{BTreeMap, VecDeque};

use crate::core::log::log_entry::Entry;
use crate::core::profile::Profiles;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::sizing::Sizing;

use crate::session::message::{AgentKey, AskKey, ClientKey, Now};

use super::effect::{Effect, Event};

pub use agent::Agent;
pub use ask::Ask;
use clients::Client;
use pause_requests::PauseRequest;
use stop::PendingLife;
use waits::PendingWait;

/// Settled questions kept for `questions --all`; the log keeps them all.
const KEPT_ASKS: usize = 500;
/// Log entries kept in memory for consultants; `[consult] decisions` takes the newest of them.
const KEPT_DECISIONS: usize = 200;

/// What holds for the whole server.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The server ends this long after the last agent has gone and no client is connected.
    pub exit_when_empty_ms: u64,
    /// Logical lines of history kept for each agent.
    pub scrollback: usize,
    pub terminal_identity: TerminalIdentity,
    /// Whose size an agent gets that several look at.
    pub sizing: Sizing,
    /// Most bytes of the recording each agent gets by itself; `None`: it gets none.
    pub record_bytes: Option<u64>,
    pub pid: u32,
}

/// All state of the server.
#[derive(Debug)]
pub struct Hub {
    settings: Settings,
    profiles: Profiles,
    agents: BTreeMap<AgentKey, Agent>,
    clients: BTreeMap<ClientKey, Client>,
    asks: BTreeMap<AskKey, Ask>,
    /// Questions put in words, and who waits for their answers.
    asked: BTreeMap<AskKey, asked::Asked>,
    decisions: VecDeque<Entry>,
    spent: limits::Spent,
    waits: Vec<PendingWait>,
    starting: Vec<PendingLife>,
    stopping: Vec<PendingLife>,
    pause_requests: Vec<PauseRequest>,
    next_agent: u64,
    next_ask: u64,
    /// Since when nothing keeps the server alive.
    empty_since: Option<u64>,
    leaving: bool,
    /// Another server is to take over: who asked for it, and when it is done at the latest.
    replacing: Option<(ClientKey, u64, u64)>,
    /// Agents to start again, and when.
    restarts: Vec<(u64, AgentKey)>,
    now: Now,
    out: Vec<Effect>,
}

impl Hub {
    /// `decisions`: the newest log entries of earlier servers, oldest first.
    pub fn new(settings: Settings, profiles: Profiles, decisions: Vec<Entry>, next_ask: u64) -> Hub {
        let older = decisions.len().saturating_sub(KEPT_DECISIONS);
        Hub {
            settings,
            profiles,
            agents: BTreeMap::new(),
            clients: BTreeMap::new(),
            asks: BTreeMap::new(),
            asked: BTreeMap::new(),
            spent: limits::Spent::of(&decisions),
            decisions: decisions.into_iter().skip(older).collect(),
            waits: Vec::new(),
            starting: Vec::new(),
            stopping: Vec::new(),
            pause_requests: Vec::new(),
            next_agent: 1,
            next_ask,
            empty_since: None,
            leaving: false,
            replacing: None,
            restarts: Vec::new(),
            now: Now::default(),
            out: Vec::new(),
        }
    }

    /// Takes one event; what is to be done about it comes back, in order.
    pub fn step(&mut self, event: Event, now: Now) -> Vec<Effect> {
        self.now = now;
        match event {
            Event::News { agent, news } => self.news(agent, news),
            Event::Joined { client, pids } => self.joined(client, pids),
            Event::Request { client, id, request } => self.request(client, id, request),
            Event::Left { client } => self.left(client),
            Event::Context { ask, files, secrets } => self.context_read(ask, files, secrets),
            Event::Logged { ask } => self.logged(ask),
            Event::Consulted { ask, turn, said } => self.command_said(ask, turn, said),
            Event::Trouble { what } => self.broadcast_notification("", None, &what),
            Event::Memory { agent, kib } => self.memory_measured(agent, kib),
            Event::Wake => {}
            Event::Leave => self.end(),
        }
        self.tick();
        std::mem::take(&mut self.out)
    }

    /// Whatever is due by now, whichever event woke the hub.
    fn tick(&mut self) {
        let keys: Vec<AgentKey> = self.agents.keys().copied().collect();
        for key in keys {
            self.tick_agent(key);
        }
        self.tick_asked();
        self.tick_asks();
        self.tick_restarts();
        self.tick_waits();
        self.tick_replace();
        self.tick_empty();
    }

    /// When the hub wants to be woken without an event.
    pub fn next_wake(&self) -> Option<u64> {
        let agents = self.agents.values().filter_map(Agent::next_wake);
        let asks = self.asks.values().filter_map(|ask| self.ask_wake(ask));
        let waits = self.waits.iter().filter_map(|wait| wait.until_ms);
        let restarts = self.restarts.iter().map(|(at, _)| *at);
        let empty =
            self.empty_since.filter(|_| !self.leaving).map(|since| since + self.settings.exit_when_empty_ms);
        agents
            .chain(asks)
            .chain(waits)
            .chain(restarts)
            .chain(self.replacing.map(|(_, _, until)| until))
            .chain(self.asked_wake())
            .chain(empty)
            .min()
    }

    fn by_name(&self, name: &str) -> Option<AgentKey> {
        self.agents.iter().find(|(_, agent)| agent.spec.name == name).map(|(key, _)| *key)
    }

    fn tick_empty(&mut self) {
        let alive = self.agents.values().any(|agent| !agent.gone()) || !self.restarts.is_empty();
        if alive || !self.clients.is_empty() {
            self.empty_since = None;
            return;
        }
        let since = *self.empty_since.get_or_insert(self.now.ms);
        if self.now.ms >= since + self.settings.exit_when_empty_ms && !self.leaving {
            for key in self.agents.keys() {
                self.out.push(Effect::Forget { agent: *key });
            }
            self.end();
        }
    }

    fn next_ask_key(&mut self) -> AskKey {
        let key = AskKey(self.next_ask);
        self.next_ask += 1;
        key
    }

    fn remember(&mut self, ask: AskKey, entry: Entry) {
        if self.decisions.len() == KEPT_DECISIONS {
            self.decisions.pop_front();
        }
        self.decisions.push_back(entry.clone());
        self.out.push(Effect::Append { ask, entry: Box::new(entry) });
        let settled: Vec<AskKey> = self
            .asks
            .iter()
            .filter(|(_, ask)| ask.status.settled() && ask.shown.is_none())
            .map(|(key, _)| *key)
            .collect();
        for key in settled.iter().take(settled.len().saturating_sub(KEPT_ASKS)) {
            self.asks.remove(key);
        }
    }
}

#[cfg(test)]
#[path = "stage_tests.rs"]
mod stage;
#[cfg(test)]
#[path = "hub_tests.rs"]
mod tests;
