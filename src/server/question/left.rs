//! Answers that were being given when a server ended.
//!
//! `open_questions` has the keeper hold what the log would say of such an answer if nobody came to know more; the next server
//! writes it down where the question is gone by then. Where it still stands, it is an open question of a person's, and ends as
//! others do. Nothing is typed here.

use crate::core::log::log_entry::Entry;
use crate::server::hub::message::ToClients;
use crate::server::lifecycle::agent::Agent;
use crate::session::message::AgentKey;

use super::{Questions, World};

impl Questions {
    /// The first look at an agent that was taken back: what the server before was answering there is in the log, if the
    /// question is gone.
    pub(super) fn log_left(&mut self, key: AgentKey, agent: &Agent, world: World<'_>) {
        // The sight of an agent whose screen was not judged yet has no words.
        let sight = &agent.sight;
        let unseen = sight.redrawing || sight.text.is_empty() || agent.unseen_until(world.now.ms).is_some();
        if (unseen && !agent.gone()) || std::mem::replace(&mut self.track(key).left_looked, true) {
            return;
        }
        let shown = agent.on_screen().filter(|_| !agent.gone()).map(|question| question.fingerprint());
        let gone: Vec<Entry> = agent
            .left_open()
            .filter(|open| Some(open.fingerprint) != shown)
            .filter_map(|open| open.unfinished.as_deref().cloned())
            // Its end was written, and the keeper had not been told.
            .filter(|entry| !self.decisions.iter().any(|known| known.id == entry.id))
            .collect();
        for mut entry in gone {
            entry.settled_at = world.now.unix_ms;
            entry.latency_ms = entry.settled_at.saturating_sub(entry.asked_at);
            entry.after = agent.sight.text.to_string();
            let text = format!("{}: {}", entry.agent, entry.reason.clone().unwrap_or_default());
            let (agent, question) = (entry.agent.clone(), Some(entry.id.clone()));
            self.tell(ToClients::Notify { agent, question, text });
            let ask = self.next_key();
            self.remember(ask, entry);
        }
    }
}
