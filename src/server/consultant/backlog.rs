//! The questions that wait for one consultant in a pane, and whose turn is next.

use std::collections::VecDeque;

use crate::core::agent::{IDLE_SECS, Start};
use crate::server::hub::table::Table;
use crate::server::lifecycle::agent::Agent;
use crate::server::question::ask::Asks;
use crate::session::Life;
use crate::session::message::{AgentKey, AskKey};

pub type Backlogs = Table<AgentKey, Backlog>;

#[derive(Debug, Default)]
pub struct Backlog {
    /// The question that is being put to it, or that it thinks about.
    pub current: Option<AskKey>,
    pub waiting: VecDeque<AskKey>,
    /// When it was last asked, or typed into.
    pub used_ms: u64,
    /// Whose questions it was put, the latest last.
    served: Vec<AgentKey>,
}

impl Backlog {
    /// The first question in the queue of whoever was served longest ago.
    pub fn next_in_turn(&mut self, asks: &Asks) -> Option<AskKey> {
        self.waiting.retain(|ask| asks.get(*ask).is_some_and(|ask| ask.turn().is_some()));
        let served = |ask: &AskKey| {
            let asker = asks.get(*ask).map(|ask| ask.agent);
            self.served.iter().position(|served| Some(*served) == asker)
        };
        // `None`, never served, comes before every position.
        let (at, _) = self.waiting.iter().enumerate().min_by_key(|(at, ask)| (served(ask), *at))?;
        let ask = self.waiting.remove(at)?;
        let asker = asks.get(ask)?.agent;
        self.served.retain(|known| *known != asker);
        self.served.push(asker);
        Some(ask)
    }

    /// When a consultant started on demand is no longer wanted.
    pub fn idle_at(&self, agent: &Agent) -> Option<u64> {
        let secs = agent.spec.idle_secs.unwrap_or(IDLE_SECS);
        let busy = self.current.is_some() || agent.sight.typing || !self.waiting.is_empty();
        let ends = agent.spec.start == Start::Demand && secs > 0 && agent.life == Life::Running;
        let used_ms = self.used_ms.max(agent.admitted_ms);
        (ends && !busy && !agent.ending.stop_wanted)
            .then(|| used_ms.saturating_add(secs.saturating_mul(1000)))
    }
}
