//! Agents that somebody started for themselves alone, and that end with that process.

use crate::server::effect::Effect;
use crate::server::hub::lookup::by_name;
use crate::server::hub::replies::Caller;
use crate::session::message::{AgentKey, ClientKey};
use crate::wire::keeper::ToKeeper;
use crate::wire::message::Reply;

use super::agent::Agent;
use super::{GRACE_MS, Lifecycle};

impl Lifecycle {
    /// It runs, in whichever life, and under whichever server.
    pub(super) fn watch_tie(&mut self, key: AgentKey) {
        if let Some(tie) = self.agents.get(key).and_then(|agent| agent.spec.tied) {
            self.effect(Effect::WatchTie { agent: key, tie });
        }
    }

    /// That process has ended: nobody else knows of the agent, or reads what it prints.
    pub(super) fn tie_cut(&mut self, key: AgentKey) {
        if self.agents.get(key).is_some_and(|agent| agent.spec.tied.is_some()) {
            self.stop_one(key, GRACE_MS);
        }
    }

    /// Whether the agent of this name has somebody who waits for all that it prints: until they let go of it, the name is taken.
    pub(super) fn is_held(&self, name: &str) -> bool {
        by_name(&self.agents, name).and_then(|key| self.agents.get(key)).is_some_and(Agent::is_held)
    }

    pub(super) fn holder_left(&mut self, client: ClientKey) {
        let of_it = |(key, agent): (AgentKey, &Agent)| (agent.held_by == Some(client)).then_some(key);
        let held: Vec<AgentKey> = self.agents.iter().filter_map(of_it).collect();
        for key in held {
            self.agents.get_mut(key).into_iter().for_each(|agent| agent.held_by = None);
        }
    }

    /// It is told to somebody by its name, and runs on.
    pub(super) fn release(&mut self, from: Caller, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(key) else { return };
        agent.held_by = None;
        if agent.spec.tied.take().is_some() {
            self.keeper(key, ToKeeper::Untie);
        }
        self.respond(from, Reply::Done);
    }
}
