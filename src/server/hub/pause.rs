//! What a pause does to an open question: its clock stands still, since the dialog waits as well, and an
//! answer that comes meanwhile is kept until the agent goes on and shows that dialog again.
//!
//! Called with the keeper's news, by the clock of questions and before each delivery. Never types itself.

use crate::session::message::{AgentKey, AskKey};
use crate::wire::message::Status;

use super::Hub;
use super::ask::Ask;

impl Hub {
    pub(super) fn stands_still(&mut self, key: AgentKey) {
        let now = self.now;
        if let Some(agent) = self.agents.get_mut(&key) {
            agent.paused_ms.get_or_insert(now.ms);
        }
    }

    /// Gives the question the time it stood still.
    pub(super) fn goes_on(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let Some(since) = agent.paused_ms.take() else { return };
        let stood = now.ms.saturating_sub(since);
        let Some((ask_key, ask)) = agent.ask.and_then(|ask| Some((ask, self.asks.get_mut(&ask)?))) else {
            return;
        };
        for clock in [&mut ask.deadline_ms, &mut ask.deadline_unix_ms, &mut ask.turn_until_ms] {
            *clock = clock.map(|at| at + stood);
        }
        self.tell_question(ask_key);
    }

    pub(super) fn clock_stands(&self, ask: &Ask) -> bool {
        self.agents.get(&ask.agent).is_some_and(|agent| agent.paused())
    }

    /// Whether the answer has to wait.
    pub(super) fn kept_for_later(&mut self, key: AskKey) -> bool {
        let Some(ask) = self.asks.get_mut(&key) else { return false };
        ask.kept = self.agents.get(&ask.agent).is_some_and(|agent| agent.paused());
        ask.kept
    }

    /// The screen of an agent that goes on has been judged.
    pub(super) fn deliver_kept(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get(&key).filter(|agent| !agent.paused() && agent.sight.current) else {
            return;
        };
        let Some(ask_key) = agent.ask else { return };
        let open = |ask: &&mut Ask| ask.kept && !ask.status.settled() && ask.status != Status::Escalated;
        if let Some(ask) = self.asks.get_mut(&ask_key).filter(open) {
            ask.kept = false;
            self.deliver(ask_key);
        }
    }
}
