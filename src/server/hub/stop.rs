//! Starting and stopping on request, and whoever waits for either.

use std::collections::BTreeSet;

use crate::core::agent::{AgentSpec, valid_name};
use crate::core::policy::Policy;
use crate::server::effect::Effect;
use crate::session::Life;
use crate::session::message::{AgentKey, ClientKey};
use crate::wire::Notice;
use crate::wire::keeper::ToKeeper;
use crate::wire::message::Reply;
use crate::wire::stopped::{Stopped, far_wrapper};

use super::Hub;
use super::agent::{Agent, Ending};

/// An answer is typed within seconds; longer than that nobody wants to wait for an upgrade.
const REPLACE_MS: u64 = 10_000;

/// A client that waits for agents to be up, or to be gone.
#[derive(Debug)]
pub(super) struct PendingLife {
    pub client: ClientKey,
    pub id: u64,
    pub agents: BTreeSet<AgentKey>,
    /// The server ends when the last of them has gone.
    pub then_exit: bool,
    pub gone: Vec<Stopped>,
}

impl Agent {
    /// What is left of it now that its keeper has done what it can.
    fn remains(&self) -> Stopped {
        // Released, not ended: nothing of it is ours to tell.
        let wrapper = if self.spec.pane.is_none() && self.pid.is_some() {
            far_wrapper(&self.spec.wrap, &self.spec.command)
        } else {
            None
        };
        let Ending { left, kept, .. } = &self.ending;
        Stopped { name: self.spec.name.clone(), left: left.clone(), kept: kept.clone(), wrapper }
    }
}

impl Hub {
    pub(super) fn start(
        &mut self,
        client: ClientKey,
        id: u64,
        spec: AgentSpec,
        policy: Policy,
    ) -> Option<Reply> {
        if !valid_name(&spec.name) {
            return Some(Reply::error(
                2,
                format!("'{}' is not a name; use [a-z0-9][a-z0-9_-]{{0,31}}", spec.name),
            ));
        }
        if spec.command.is_empty() {
            return Some(Reply::error(2, "there is no command to start"));
        }
        if let Some(name) = spec.profile.as_deref().filter(|name| self.profiles.get(name).is_none()) {
            let known: Vec<&str> = self.profiles.names().collect();
            let what = format!("there is no profile '{name}'; there are {}", known.join(", "));
            return Some(Reply::error(2, what));
        }
        if let Some(old) = self.by_name(&spec.name) {
            if !self.agents[&old].gone() {
                return Some(Reply::error(1, format!("an agent '{}' runs already", spec.name)));
            }
            self.agents.remove(&old);
            self.out.push(Effect::Forget { agent: old });
            self.broadcast(Notice::Gone { name: spec.name.clone() });
        }
        let key = self.spawn(spec, policy, None);
        let agents = BTreeSet::from([key]);
        self.starting.push(PendingLife { client, id, agents, then_exit: false, gone: Vec::new() });
        None
    }

    /// Tells whoever asked for this agent that it is up.
    pub(super) fn start_waiters(&mut self, key: AgentKey) {
        for wait in self.starting.extract_if(.., |wait| wait.agents.contains(&key)).collect::<Vec<_>>() {
            self.reply(wait.client, wait.id, Reply::Done);
        }
    }

    pub(super) fn fail_start_waiters(&mut self, key: AgentKey, name: &str, why: &str) {
        for wait in self.starting.extract_if(.., |wait| wait.agents.contains(&key)).collect::<Vec<_>>() {
            self.reply(wait.client, wait.id, Reply::error(1, format!("could not start {name}: {why}")));
        }
    }

    pub(super) fn restart(&mut self, key: AgentKey) -> Reply {
        if let Some(refusal) = self.adopted(key, "started again") {
            return refusal;
        }
        let Some(agent) = self.agents.get_mut(&key) else { return Reply::Done };
        agent.ending.failures = 0;
        if agent.gone() {
            self.restarts.push((self.now.ms, key));
        } else {
            agent.ending.restart_wanted = true;
            self.keeper(key, ToKeeper::Stop { grace_ms: super::life::GRACE_MS });
        }
        Reply::Done
    }

    /// Stops agents; the reply comes when nothing they ever started is left. A second `stop` of one
    /// that has exited takes it off the list.
    pub(super) fn stop(
        &mut self,
        client: ClientKey,
        id: u64,
        names: &[String],
        grace_ms: u64,
    ) -> Option<Reply> {
        let keys = match self.named(names) {
            Ok(keys) => keys,
            Err(reply) => return Some(reply),
        };
        self.stop_all(client, id, keys, grace_ms, false)
    }

    pub(super) fn down(&mut self, client: ClientKey, id: u64, grace_ms: u64) -> Option<Reply> {
        let keys = self.agents.keys().copied().collect();
        self.stop_all(client, id, keys, grace_ms, true)
    }

    fn stop_all(
        &mut self,
        client: ClientKey,
        id: u64,
        keys: Vec<AgentKey>,
        grace_ms: u64,
        then_exit: bool,
    ) -> Option<Reply> {
        let (mut waiting, mut gone) = (BTreeSet::new(), Vec::new());
        for key in keys {
            self.restarts.retain(|(_, restart)| *restart != key);
            let Some(agent) = self.agents.get_mut(&key) else { continue };
            agent.ending.stop_wanted = true;
            agent.ending.restart_wanted = false;
            match agent.life {
                // What an agent left running after its own end is swept all the same.
                Life::Running | Life::Paused | Life::Exited(_)
                    if agent.keeper.is_some() && !agent.ending.swept =>
                {
                    waiting.insert(key);
                    self.keeper(key, ToKeeper::Stop { grace_ms });
                }
                Life::Spawning => {
                    waiting.insert(key);
                }
                Life::Running | Life::Paused | Life::Exited(_) => {
                    gone.push(agent.remains());
                    self.remove(key);
                }
            }
        }
        if waiting.is_empty() {
            self.reply(client, id, Reply::Stopped { agents: gone });
            if then_exit {
                self.end();
            }
            return None;
        }
        self.stopping.push(PendingLife { client, id, agents: waiting, then_exit, gone });
        None
    }

    /// The keeper has swept up after an agent: it is off the list, unless it starts again.
    pub(super) fn swept(&mut self, key: AgentKey, left: Vec<u32>, kept: Vec<u32>) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        agent.ending.swept = true;
        let name = agent.spec.name.clone();
        if !left.is_empty() {
            let text = format!("{name} left processes that could not be ended: {left:?}");
            self.broadcast_notification(&name, None, &text);
        }
        if let Some(agent) = self.agents.get_mut(&key) {
            (agent.ending.left, agent.ending.kept) = (left, kept);
        }
        if self.agents[&key].ending.stop_wanted {
            self.remove(key);
        }
    }

    /// Takes an agent off the list for good.
    pub(super) fn remove(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get(&key) else { return };
        if let Some(ask) = agent.ask {
            self.withdraw(ask);
        }
        self.consultant_left(key);
        let Some(agent) = self.agents.remove(&key) else { return };
        self.out.push(Effect::Forget { agent: key });
        let remains = agent.remains();
        self.waits_over(key, &agent.spec.name);
        self.broadcast(Notice::Gone { name: agent.spec.name });
        self.stop_waiters(key, &remains);
    }

    pub(super) fn stop_waiters(&mut self, key: AgentKey, remains: &Stopped) {
        for wait in &mut self.stopping {
            if wait.agents.remove(&key) {
                wait.gone.push(remains.clone());
            }
        }
        for wait in self.stopping.extract_if(.., |wait| wait.agents.is_empty()).collect::<Vec<_>>() {
            self.reply(wait.client, wait.id, Reply::Stopped { agents: wait.gone });
            if wait.then_exit {
                self.end();
            }
        }
    }

    /// Ends once no answer is half typed, so that the next server finds every dialog as it was.
    pub(super) fn replace(&mut self, client: ClientKey, id: u64) -> Option<Reply> {
        self.replacing = Some((client, id, self.now.ms + REPLACE_MS));
        None
    }

    pub(super) fn tick_replace(&mut self) {
        let Some((client, id, until)) = self.replacing else { return };
        let typing = self.agents.values().any(|agent| agent.sight.typing || agent.sight.submitting);
        let starting = !self.starting.is_empty() || !self.stopping.is_empty();
        if self.leaving || ((typing || starting) && self.now.ms < until) {
            return;
        }
        self.replacing = None;
        self.reply(client, id, Reply::Done);
        // No goodbye: the clients find the next server.
        self.leaving = true;
        self.out.push(Effect::Exit);
    }

    pub(super) fn end(&mut self) {
        if !self.leaving {
            self.leaving = true;
            self.broadcast(Notice::Bye);
            self.out.push(Effect::Exit);
        }
    }
}
