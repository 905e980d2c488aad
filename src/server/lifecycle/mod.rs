//! An agent's life: admitted, started, stopped, gone, started again; and the server's own end.
//!
//! A machine of the hub. It owns the agents; it reads nothing of the other machines but whether replies are owed for
//! agents that come or go, and returns messages.

pub mod agent;
mod ending;
pub mod failed;
pub mod message;
mod next_pane;
mod not_started;
mod numbers;
mod replacement;
mod requests;
mod standstill;
mod takeover;
mod tie;

use std::collections::{BTreeMap, BTreeSet};

use crate::core::agent::{AgentSpec, Host, Isolate};
use crate::core::policy::Policy;
use crate::core::profile::Profiles;
use crate::core::question::State;
use crate::core::terminal::grid::Size;
use crate::core::terminal::history::History;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::server::effect::Effect;
use crate::server::hub::lookup::by_name;
use crate::server::hub::message::{Message, ToClients, ToConsultants, ToQuestions, ToReplies};
use crate::server::hub::settings::Settings;
use crate::server::hub::table::Table;
use crate::session::message::{AgentKey, AskKey, Now, Order, Sight};
use crate::session::{Life, Setup};
use crate::wire::keeper::ToKeeper;

use agent::{Agent, Agents};
use failed::FailedStarts;
use message::{Begun, ToLifecycle};
use next_pane::NextPanes;
use numbers::Numbers;
use replacement::Replacement;

/// How long a program that is restarted has to end by itself.
const GRACE_MS: u64 = 2_000;

#[derive(Debug)]
pub struct Lifecycle {
    pub agents: Agents,
    pub failed: FailedStarts,
    numbers: Numbers,
    next_panes: NextPanes,
    settings: Settings,
    profiles: Profiles,
    next: u64,
    /// The number of the last life that began: it tells cursors of one life from those of another.
    lives: u64,
    /// Agents to start again, and when.
    restarts: BTreeMap<AgentKey, u64>,
    /// The server ends when the last of these has gone.
    last: BTreeSet<AgentKey>,
    /// Since when nothing keeps the server alive.
    empty_since: Option<u64>,
    replacement: Option<Replacement>,
    leaving: bool,
    now: Now,
    out: Vec<Message>,
}

impl Lifecycle {
    pub fn new(settings: Settings, profiles: Profiles) -> Lifecycle {
        Lifecycle {
            agents: Table::new(),
            failed: FailedStarts::default(),
            numbers: Numbers::default(),
            next_panes: NextPanes::default(),
            settings,
            profiles,
            next: 1,
            lives: 0,
            restarts: BTreeMap::new(),
            last: BTreeSet::new(),
            empty_since: None,
            replacement: None,
            leaving: false,
            now: Now::default(),
            out: Vec::new(),
        }
    }

    pub fn on(&mut self, message: ToLifecycle, now: Now) -> Vec<Message> {
        self.now = now;
        match message {
            ToLifecycle::Started(agent, begun) => self.started(agent, *begun),
            ToLifecycle::StartFailed { agent, why } => self.start_failed(agent, &why),
            ToLifecycle::See(agent, sight) => self.see(agent, *sight),
            ToLifecycle::Typed { agent, typed } => {
                if let Some(agent) = self.agents.get_mut(agent) {
                    agent.sight.typed = typed;
                }
            }
            ToLifecycle::FirstPromptReady(agent) => self.first_prompt_ready(agent),
            ToLifecycle::Remember { agent, open, consent } => self.remember(agent, open, consent),
            ToLifecycle::NotReady(agent) => {
                if let Some(agent) = self.agents.get_mut(agent) {
                    agent.sight.ready = false;
                }
            }
            ToLifecycle::Stopped { agent, running } => self.stopped(agent, running),
            ToLifecycle::Continued(agent) => self.continued(agent),
            ToLifecycle::Exited { agent, code } => self.exited(agent, code),
            ToLifecycle::Swept { agent, left, kept } => self.swept(agent, left, kept),
            ToLifecycle::KeeperLost(agent) => self.keeper_lost(agent),
            ToLifecycle::SessionEnded(agent) => self.session_ended(agent),
            ToLifecycle::Retired(agent, history) => self.retired(agent, *history),
            ToLifecycle::Memory { agent, kib } => {
                if let Some(of) = self.agents.get_mut(agent) {
                    of.memory_kib = Some(kib);
                    self.tell(ToClients::TellAgent(agent));
                }
            }
            ToLifecycle::StartStandby { ask, asker, name } => self.start_standby(ask, asker, name),
            ToLifecycle::StopIdle(key) => {
                if let Some(agent) = self.agents.get_mut(key) {
                    (agent.ending.stop_wanted, agent.ending.unasked) = (true, true);
                    self.order_stop(key, GRACE_MS);
                }
            }
            ToLifecycle::Remove(agent) => self.remove(agent),
            ToLifecycle::Drop { agent, remains } => self.drop_agent(agent, &remains),
            ToLifecycle::ListFailed(failed) => self.list_failed(*failed),
            ToLifecycle::RestartDue(agent) => {
                if self.restarts.remove(&agent).is_some() {
                    self.order(agent, Order::Retire);
                }
            }
            ToLifecycle::SweepDue(agent) => self.sweep_due(agent),
            ToLifecycle::TieCut(agent) => self.tie_cut(agent),
            ToLifecycle::NextPane { client, next } => {
                if next.is_none() {
                    self.holder_left(client);
                }
                self.next_panes.tell(client, next);
            }
            ToLifecycle::End => self.end(),
            request => self.on_request(request),
        }
        std::mem::take(&mut self.out)
    }

    fn tell(&mut self, message: ToClients) {
        self.out.push(Message::Client(message));
    }

    fn reply(&mut self, message: ToReplies) {
        self.out.push(Message::Reply(message));
    }

    fn effect(&mut self, effect: Effect) {
        self.out.push(Message::Effect(effect));
    }

    fn order(&mut self, agent: AgentKey, order: Order) {
        self.effect(Effect::Order { agent, order: Box::new(order) });
    }

    fn keeper(&mut self, agent: AgentKey, message: ToKeeper) {
        self.order(agent, Order::Keeper(message));
    }

    /// Takes an agent in; its session is to be made from what comes back.
    fn admit(&mut self, spec: AgentSpec, policy: Policy, history: Option<History>) -> (AgentKey, Setup) {
        let key = AgentKey(self.next);
        self.next += 1;
        let profile = match spec.profile.as_deref().and_then(|name| self.profiles.get(name)) {
            Some(profile) => profile,
            None => self.profiles.for_command(&spec.command),
        };
        let size = spec.size.unwrap_or(Size::FALLBACK);
        let setup = Setup {
            name: spec.name.clone(),
            host: spec.host,
            adopted_pane: spec.pane.is_some(),
            profile: profile.clone(),
            command: if spec.pane.is_some() { Vec::new() } else { spec.command.clone() },
            identity: self.identity_for(spec.host),
            size,
            scrollback: spec.scrollback.unwrap_or(self.settings.scrollback),
            whole_output: spec.scrollback.is_some(),
            prompt: spec.prompt.clone(),
            history,
            record_bytes: self.settings.record_bytes,
            sizing: self.settings.sizing,
            title: spec.title.clone(),
            typed_line: None,
            asked: None,
            recording: None,
            // A pane of the user's own tmux is one life, and no keeper holds a number for it.
            life_id: spec.pane.is_none().then(|| self.next_life()),
            call: spec.call,
        };
        // One of its name that could not be started is no more: this is it, tried again.
        let tried = self.failed.take(&spec.name).is_some();
        let number = self.numbers.give(&spec.name, spec.number, self.now.ms);
        let mut agent = Agent::new(spec, policy, profile, self.now);
        (agent.number, agent.sight.size) = (number, size.clamped());
        (agent.started_again, agent.life_id) = (tried, setup.life_id);
        agent.prompt_due = setup.prompt.is_some();
        self.agents.insert(key, agent);
        self.tell(ToClients::TellAgent(key));
        (key, setup)
    }

    /// Takes an agent in and has it started.
    fn spawn(&mut self, spec: AgentSpec, policy: Policy, history: Option<History>) -> AgentKey {
        let lasting = AgentSpec { stdin: None, ..spec.clone() };
        let (key, setup) = self.admit(lasting, policy.clone(), history);
        let takes_hooks = setup.profile.hooks;
        // What runs in a container, on another machine or as another user cannot call this very program and its socket.
        let reaches = spec.wrap.is_empty() && spec.isolate != Isolate::Uid;
        let hooks = spec.hooks.unwrap_or(true) && takes_hooks && reaches;
        let (spec, policy, setup) = (Box::new(spec), Box::new(policy), Box::new(setup));
        self.effect(Effect::Spawn { agent: key, spec, policy, setup, hooks });
        key
    }

    /// tmux answers a program's queries there; two answers would be read as keys.
    fn identity_for(&self, host: Host) -> TerminalIdentity {
        TerminalIdentity { silent: host == Host::Tmux, ..self.settings.terminal_identity.clone() }
    }

    fn started(&mut self, key: AgentKey, begun: Begun) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(key) else { return };
        agent.pid = Some(begun.pid);
        agent.keeper = Some(begun.keeper);
        agent.token = begun.token;
        agent.place = begun.place;
        agent.life = if begun.stopped { Life::Paused } else { Life::Running };
        agent.started_ms = now.ms;
        // Whoever had it ended before there was a keeper to tell.
        let stop = agent.ending.stop_wanted || agent.ending.restart_wanted;
        if begun.stopped {
            self.out.push(Message::Question(ToQuestions::ClockStops(key)));
        }
        self.reply(ToReplies::Up(key));
        self.watch_tie(key);
        if stop {
            self.order_stop(key, GRACE_MS);
        }
    }

    /// Takes note of what an agent's terminal shows now.
    fn see(&mut self, key: AgentKey, sight: Sight) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(key) else { return };
        let before = std::mem::replace(&mut agent.sight, sight);
        let state = before.state != agent.sight.state;
        if state && !agent.gone() {
            agent.since_unix_ms = now.unix_ms;
        }
        if agent.sight.state != State::Starting
            && !agent.sight.redrawing
            && !agent.awaits_its_question()
            && agent.unseen_until_ms.take().is_some()
        {
            let earlier = agent.earlier.as_ref().filter(|earlier| earlier.state == agent.sight.state);
            agent.since_unix_ms =
                earlier.map_or(now.unix_ms, |earlier| earlier.since_unix_ms.min(now.unix_ms));
        }
        let shown = |sight: &Sight| (sight.size, sight.title.clone(), sight.untyped_prompt.clone());
        if state || shown(&before) != shown(&agent.sight) {
            self.tell(ToClients::TellAgent(key));
        }
    }

    fn exited(&mut self, key: AgentKey, code: i32) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(key).filter(|agent| !agent.gone()) else { return };
        // Its end is told before the screen it leaves; of one that is taken back it is known since when it has ended.
        if agent.sight.state != State::Exited && agent.unseen_until_ms.is_none() {
            agent.since_unix_ms = now.unix_ms;
        }
        agent.life = Life::Exited(code);
        let ran_ms = now.ms.saturating_sub(agent.started_ms);
        let pause_ms = agent.ending.ended(ran_ms);
        if agent.starts_again() {
            let pause_ms = if agent.ending.restart_wanted { 0 } else { pause_ms };
            self.restarts.insert(key, now.ms + pause_ms);
        }
        self.out.push(Message::Consultant(ToConsultants::Left(key)));
        self.reply(ToReplies::PauseOver(key));
        self.out.push(Message::Question(ToQuestions::Compare(key)));
        self.tell(ToClients::TellAgent(key));
    }

    /// The session of an agent that starts again has handed over what its successor goes on with.
    fn retired(&mut self, key: AgentKey, history: History) {
        // A stop that came meanwhile is not undone: its keeper says when everything is swept up.
        let Some(old) = self.agents.get(key).filter(|old| !old.ending.stop_wanted) else { return };
        // Whoever waited for the end of this life has nothing to do with the next one.
        let spec = AgentSpec { size: Some(old.sight.size), call: None, ..old.spec.clone() };
        let (policy, failures) = ((*old.policy).clone(), old.ending.failures);
        let counts_from = (!old.ending.restart_wanted).then_some(old.counts_from_unix_ms);
        let remains = Box::new(old.remains());
        self.effect(Effect::Forget { agent: key });
        // It keeps its name and its place: nobody is told that it has gone.
        self.agents.remove(key);
        self.restarts.remove(&key);
        self.let_go(key);
        let fresh = self.spawn_again(spec, policy, Some(history));
        self.reply(ToReplies::Again { ended: key, started: fresh });
        self.reply(ToReplies::Removed { agent: key, remains });
        if let Some(agent) = self.agents.get_mut(fresh) {
            agent.ending.failures = failures;
            agent.counts_from_unix_ms = counts_from.unwrap_or(agent.counts_from_unix_ms);
        }
    }

    /// Starts a consultant that stands by for this asker, in place of one that has ended.
    fn start_standby(&mut self, ask: AskKey, asker: AgentKey, name: String) {
        let policy = self.agents.get(asker).map(|agent| agent.policy.clone());
        let standby = policy.and_then(|policy| {
            let spec = policy.standby.iter().find(|spec| spec.name == name).cloned()?;
            Some((spec, policy)).filter(|_| self.goes_on().is_ok() && !self.is_held(&name))
        });
        let Some((spec, policy)) = standby else {
            let why = format!("{name} is not started any more");
            return self.out.push(Message::Question(ToQuestions::NextConsultant { ask, why }));
        };
        if let Some(old) = by_name(&self.agents, &name) {
            self.replace_gone(old);
        }
        let spec = self.next_panes.at_its_size(self.settings.sizing, spec);
        self.spawn(spec, (*policy).clone(), None);
        self.out.push(Message::Consultant(ToConsultants::Ask(ask)));
    }

    /// Another agent takes the name of one that has ended.
    fn replace_gone(&mut self, key: AgentKey) {
        let remains = self.agents.get(key).map(Agent::remains).unwrap_or_default();
        self.drop_agent(key, &remains);
    }

    /// When an agent is to be started again.
    pub fn restart_at(&self, agent: AgentKey) -> Option<u64> {
        self.restarts.get(&agent).copied()
    }

    /// When the server itself is to do something.
    pub fn wake(&self) -> Option<u64> {
        let empty = self.empty_since.filter(|_| !self.leaving).map(|since| since + self.empty_ms());
        self.replacement.as_ref().map(|it| it.by_ms).into_iter().chain(empty).min()
    }

    pub fn pid(&self) -> u32 {
        self.settings.pid
    }
}
