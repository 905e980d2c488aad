//! Agents that somebody started for themselves alone, and that end with that process.

use crate::server::effect::Effect;
use crate::server::hub::replies::Caller;
use crate::session::message::AgentKey;
use crate::wire::keeper::ToKeeper;
use crate::wire::message::Reply;

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

    /// It is told to somebody by its name, and runs on.
    pub(super) fn release(&mut self, from: Caller, key: AgentKey) {
        if self.agents.get_mut(key).and_then(|agent| agent.spec.tied.take()).is_some() {
            self.keeper(key, ToKeeper::Untie);
        }
        self.respond(from, Reply::Done);
    }
}
