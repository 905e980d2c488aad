//! Answers that were being given when a server ended.
//!
//! `open_questions` has the keeper hold what the log would say of such an answer if nobody came to know more; the next server
//! writes it down where the question is gone by then. Where it still stands, it is an open question of a person's, and ends as
//! others do. Nothing is typed here.

use crate::core::log::log_entry::{Entry, Outcome};
use crate::server::hub::message::ToClients;
use crate::server::lifecycle::agent::Agent;
use crate::session::message::{AgentKey, Now};

use super::ask::Ask;
use super::log_entry::entry;
use super::phase::{End, Lane, Phase};
use super::{Questions, World};

/// What is known of an answer under way: whose it is, and to what.
pub(super) fn unfinished(ask: &Ask) -> Option<Box<Entry>> {
    let by_hook = matches!(&ask.phase, Phase::Delivering(_, Lane::Hook));
    if ask.ordered.is_none() && !by_hook {
        return None;
    }
    let by = ask.decision().map(|decision| decision.by.clone());
    let why = "the server ended while this answer was being given; whether it went in is not known";
    let end = End::new(Outcome::Failed, Some(why.to_owned()), by);
    // As it was asked: what is held is sent anew whenever it changes.
    let then = Now { unix_ms: ask.asked_unix_ms, ..Now::default() };
    let entry = Entry { agent: ask.agent_name.clone(), ..entry(ask, &end, None, then) };
    Some(Box::new(entry.withheld(&ask.secrets)))
}

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
