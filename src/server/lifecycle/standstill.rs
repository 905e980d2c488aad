//! What keepers say of agents that stand still, and of those that go on.

use crate::server::effect::Effect;
use crate::server::hub::message::{Message, ToQuestions, ToReplies};
use crate::session::Life;
use crate::session::message::AgentKey;

use super::Lifecycle;

impl Lifecycle {
    pub(super) fn stopped(&mut self, key: AgentKey, running: Vec<u32>) {
        let Some(agent) = self.agents.get_mut(key).filter(|agent| !agent.gone()) else { return };
        agent.life = Life::Paused;
        agent.to_pause = None;
        if let Some(pid) = agent.pid {
            self.effect(Effect::MeasureMemory { agent: key, pid });
        }
        self.out.push(Message::Question(ToQuestions::ClockStops(key)));
        self.reply(ToReplies::Paused { agent: key, paused: true, running });
    }

    pub(super) fn continued(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(key).filter(|agent| !agent.gone()) else { return };
        agent.life = Life::Running;
        agent.memory_kib = None;
        // One that was ordered since is still to be done.
        let pauses = agent.to_pause == Some(true);
        agent.to_pause = agent.to_pause.filter(|_| pauses);
        self.out.push(Message::Question(ToQuestions::ClockRuns(key)));
        self.reply(ToReplies::Paused { agent: key, paused: false, running: Vec::new() });
        if !pauses {
            self.reply(ToReplies::PauseUndone(key));
        }
    }
}
