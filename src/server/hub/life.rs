//! An agent's life: admitted, started, stopped, gone, started again; and the news of its session.

use crate::core::agent::{AgentSpec, Host, Restart};
use crate::core::policy::Policy;
use crate::core::terminal::grid::Size;
use crate::core::terminal::history::History;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::server::effect::Effect;
use crate::session::message::{AgentKey, News, Now, Order, Sight};
use crate::session::{Life, Setup};
use crate::wire::Notice;
use crate::wire::keeper::ToKeeper;
use crate::wire::stopped::Stopped;

use super::Hub;
use super::agent::Agent;

/// How long a program that is restarted has to end by itself.
pub(super) const GRACE_MS: u64 = 2_000;
/// The pause before a program that ended is started again; doubled with every failure in a row.
const RESTART_MS: u64 = 500;
/// The longest such pause.
const RESTART_MAX_MS: u64 = 60_000;
/// A program that ran for this long did not fail at once.
const RESTART_GOOD_MS: u64 = 10_000;

impl Hub {
    /// Takes an agent in; its session is to be made from what comes back.
    fn admit(&mut self, spec: AgentSpec, policy: Policy, history: Option<History>) -> (AgentKey, Setup) {
        let key = AgentKey(self.next_agent);
        self.next_agent += 1;
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
            identity: self.identity_for(spec.host),
            size,
            scrollback: spec.scrollback.unwrap_or(self.settings.scrollback),
            whole_output: spec.scrollback.is_some(),
            prompt: spec.prompt.clone(),
            history,
            record_bytes: self.settings.record_bytes,
            sizing: self.settings.sizing,
            title: spec.title.clone(),
        };
        let mut agent = Agent::new(spec, policy, profile, self.now);
        agent.sight.size = size.clamped();
        self.agents.insert(key, agent);
        self.tell_agent(key);
        (key, setup)
    }

    /// Takes an agent in and has it started.
    pub(super) fn spawn(&mut self, spec: AgentSpec, policy: Policy, history: Option<History>) -> AgentKey {
        let (key, setup) = self.admit(spec.clone(), policy.clone(), history);
        let takes_hooks = setup.profile.hooks;
        // What runs in a container or on another machine cannot call this very program.
        let hooks = spec.hooks.unwrap_or(true) && takes_hooks && spec.wrap.is_empty();
        let (spec, policy, setup) = (Box::new(spec), Box::new(policy), Box::new(setup));
        self.out.push(Effect::Spawn { agent: key, spec, policy, setup, hooks });
        key
    }

    /// An agent found running by a new server.
    pub fn adopt(&mut self, spec: AgentSpec, policy: Policy, now: Now) -> (AgentKey, Setup) {
        self.now = now;
        self.admit(spec, policy, None)
    }

    /// tmux answers a program's queries there; two answers would be read as keys.
    fn identity_for(&self, host: Host) -> TerminalIdentity {
        TerminalIdentity { silent: host == Host::Tmux, ..self.settings.terminal_identity.clone() }
    }

    /// A session has something to tell.
    pub(super) fn news(&mut self, key: AgentKey, news: News) {
        match news {
            News::Started { pid, keeper, token, place, stopped } => {
                self.started(key, Begun { pid, keeper, token, place, stopped });
            }
            News::StartFailed { why } => self.start_failed(key, why),
            News::Looked(sight) => self.looked(key, *sight),
            News::Typed { typed, person, choice } => self.typed(key, typed, person, choice),
            News::Delivery { ask, outcome, keys, sight } => self.delivery(key, ask, outcome, keys, *sight),
            News::NotPut { ask, why } => self.question_not_put(key, ask, why),
            News::Replied { ask, text } => self.replied(key, ask, &text),
            News::Stopped { running } => self.agent_stopped(key, &running),
            News::Continued => self.agent_continued(key),
            News::Exited { code } => self.exited(key, code),
            News::Swept { left, kept } => self.swept(key, left, kept),
            News::KeeperLost => self.keeper_lost(key),
            News::Bell => {
                if let Some(agent) = self.agents.get(&key) {
                    self.broadcast(Notice::Bell { name: agent.spec.name.clone() });
                }
            }
            News::Alarm(text) => {
                let name = self.agents.get(&key).map(|agent| agent.spec.name.clone()).unwrap_or_default();
                self.broadcast_notification(&name, None, &text);
            }
            News::Wait { client, id, what, timeout_ms } => self.wait_for(client, id, key, what, timeout_ms),
            News::Retired { history } => self.retired(key, *history),
            News::Explained { client, id, reply } => self.reply(client, id, *reply),
        }
    }

    fn started(&mut self, key: AgentKey, begun: Begun) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        agent.pid = Some(begun.pid);
        agent.keeper = Some(begun.keeper);
        agent.token = begun.token;
        agent.place = begun.place;
        agent.life = if begun.stopped { Life::Paused } else { Life::Running };
        agent.paused_ms = begun.stopped.then_some(now.ms);
        agent.started_ms = now.ms;
        let stop = agent.ending.stop_wanted;
        self.start_waiters(key);
        if stop {
            self.keeper(key, ToKeeper::Stop { grace_ms: GRACE_MS });
        }
    }

    pub(super) fn start_failed(&mut self, key: AgentKey, why: String) {
        let Some(agent) = self.agents.remove(&key) else { return };
        let name = agent.spec.name;
        self.out.push(Effect::Forget { agent: key });
        self.fail_start_waiters(key, &name, &why);
        self.waits_over(key, &name);
        self.broadcast_notification(&name, None, &format!("could not start {name}: {why}"));
        self.stop_waiters(key, &Stopped { name: name.clone(), ..Stopped::default() });
        self.broadcast(Notice::Gone { name });
    }

    /// The agent's screen, or what is thought of it, has changed.
    fn looked(&mut self, key: AgentKey, sight: Sight) {
        self.see(key, sight);
        self.act_on_sight(key);
    }

    /// Takes note of what an agent's terminal shows now.
    pub(super) fn see(&mut self, key: AgentKey, sight: Sight) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let before = std::mem::replace(&mut agent.sight, sight);
        let state = before.state != agent.sight.state;
        if state {
            agent.since_unix_ms = now.unix_ms;
        }
        if state || before.size != agent.sight.size || before.title != agent.sight.title {
            self.tell_agent(key);
        }
    }

    /// Draws the consequences of what was seen.
    pub(super) fn act_on_sight(&mut self, key: AgentKey) {
        self.check_waits(key);
        self.listen(key);
        self.compare(key);
        self.reconcile(key);
        self.pump(key);
        self.deliver_kept(key);
    }

    fn agent_stopped(&mut self, key: AgentKey, running: &[u32]) {
        let Some(agent) = self.agents.get_mut(&key).filter(|agent| !agent.gone()) else { return };
        agent.life = Life::Paused;
        if let Some(pid) = agent.pid {
            self.out.push(Effect::MeasureMemory { agent: key, pid });
        }
        self.stands_still(key);
        self.pause_confirmed(key, true, running);
    }

    fn agent_continued(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(&key).filter(|agent| !agent.gone()) else { return };
        agent.life = Life::Running;
        agent.memory_kib = None;
        self.goes_on(key);
        self.pause_confirmed(key, false, &[]);
    }

    /// Its keeper is dead: what it kept is ended without it.
    fn keeper_lost(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get(&key) else { return };
        match (agent.keeper, &agent.spec.pane) {
            (Some(keeper), None) => {
                let token = agent.token.clone();
                self.out.push(Effect::EndOrphans { agent: key, keeper, token });
            }
            // Nobody is left who could sweep, or say that it has.
            _ => self.swept(key, Vec::new(), Vec::new()),
        }
    }

    fn exited(&mut self, key: AgentKey, code: i32) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key).filter(|agent| !agent.gone()) else { return };
        agent.life = Life::Exited(code);
        let ran_ms = now.ms.saturating_sub(agent.started_ms);
        agent.ending.failures = if ran_ms >= RESTART_GOOD_MS { 0 } else { agent.ending.failures + 1 };
        let by_policy = match agent.spec.restart {
            Restart::Never => false,
            Restart::OnFailure => code != 0 && !agent.ending.stop_wanted,
            Restart::Always => !agent.ending.stop_wanted,
        };
        let wanted = agent.ending.restart_wanted;
        let pause = RESTART_MS.saturating_mul(1 << agent.ending.failures.min(7)).min(RESTART_MAX_MS);
        self.consultant_left(key);
        self.pause_over(key);
        self.compare(key);
        self.tell_agent(key);
        if wanted {
            self.restarts.push((now.ms, key));
        } else if by_policy {
            self.restarts.push((now.ms + pause, key));
        }
    }

    /// Starts again whatever is due; a stopped agent keeps its name, its history and its place.
    pub(super) fn tick_restarts(&mut self) {
        let now = self.now;
        for (_, key) in self.restarts.extract_if(.., |(at, _)| *at <= now.ms).collect::<Vec<_>>() {
            self.order(key, Order::Retire);
        }
    }

    /// The session of an agent that starts again has handed over what its successor goes on with.
    fn retired(&mut self, key: AgentKey, history: History) {
        let Some(old) = self.agents.remove(&key) else { return };
        self.out.push(Effect::Forget { agent: key });
        let size = old.sight.size;
        let spec = AgentSpec { size: Some(size), ..old.spec };
        let fresh = self.spawn(spec, (*old.policy).clone(), Some(history));
        if let Some(agent) = self.agents.get_mut(&fresh) {
            agent.ending.failures = old.ending.failures;
        }
    }

    /// Whatever of an agent is due by now.
    pub(super) fn tick_agent(&mut self, key: AgentKey) {
        self.question_missing(key);
        self.tick_hook(key);
        self.tick_conflict(key);
        self.end_idle(key);
    }

    pub(super) fn memory_measured(&mut self, key: AgentKey, kib: u64) {
        if let Some(agent) = self.agents.get_mut(&key) {
            agent.memory_kib = Some(kib);
            self.tell_agent(key);
        }
    }

    pub(super) fn keeper(&mut self, key: AgentKey, message: ToKeeper) {
        self.order(key, Order::Keeper(message));
    }

    pub(super) fn order(&mut self, agent: AgentKey, order: Order) {
        self.out.push(Effect::Order { agent, order: Box::new(order) });
    }
}

/// What a session tells of an agent's beginning.
struct Begun {
    pid: u32,
    keeper: u32,
    token: String,
    place: Option<String>,
    stopped: bool,
}
