//! Agents whose terminal is not counsel's alone: those in tmux, where people attach, resize and type.

use crate::core::agent::Host;
use crate::core::terminal::grid::Size;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::server::effect::{AgentKey, Effect, Started};
use crate::wire::message::Reply;

use super::Hub;

impl Hub {
    /// tmux answers a program's queries there; two answers would be read as keys.
    pub(super) fn terminal_identity_for(&self, host: Host) -> TerminalIdentity {
        TerminalIdentity { silent: host == Host::Tmux, ..self.settings.terminal_identity.clone() }
    }

    /// Draws what an agent's terminal showed before this server looked at it.
    pub(super) fn restore(&mut self, key: AgentKey, start: &Started) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        agent.place.clone_from(&start.place);
        for piece in &start.restored {
            let scrolled = agent.screen.feed(piece).scrolled;
            agent.history.push(&scrolled);
        }
        if !start.restored.is_empty() {
            // It is there to be judged at once, as after output.
            agent.printed += start.restored.iter().map(|piece| piece.len() as u64).sum::<u64>();
            agent.output_ms = self.now.ms;
            agent.watcher.saw_output(self.now.ms);
        }
    }

    /// The refusal of what only the owner of an adopted pane may do to it.
    pub(super) fn adopted(&self, key: AgentKey, what: &str) -> Option<Reply> {
        let agent = self.agents.get(&key).filter(|agent| agent.spec.pane.is_some())?;
        let name = &agent.spec.name;
        Some(Reply::error(1, format!("{name} runs in a pane of your own tmux; it can be {what} only there")))
    }

    pub(super) fn terminal_resized(&mut self, key: AgentKey, size: Size) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        if agent.screen.size() == size.clamped() {
            return;
        }
        agent.screen.resize(size);
        agent.watcher.saw_resize(now.ms);
        if agent.recorded.any() {
            self.out.push(Effect::RecordedSize { agent: key, size });
        }
        self.mark_dirty(key);
        self.tell_agent(key);
    }

    /// A person always wins, wherever their keyboard is.
    pub(super) fn person_in_terminal(&mut self, key: AgentKey) {
        if let Some(agent) = self.agents.get_mut(&key) {
            agent.typed += 1;
            self.person_typed(key, true);
        }
    }
}
