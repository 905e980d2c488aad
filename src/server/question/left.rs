//! Answers that were being given when a server ended.
//!
//! `open_questions` has the keeper hold what the log would say of such an answer if nobody came to know more; the next server
//! writes it down where the question is gone by then. An entry that was on its way to the disk is held as well. Where it still stands, it is an open question of a person's, and ends as
//! others do. Nothing is typed here.

use crate::core::log::log_entry::Entry;
use crate::core::question::Fingerprint;
use crate::server::hub::message::ToClients;
use crate::server::lifecycle::agent::Agent;
use crate::server::remembered::OpenQuestion;
use crate::session::message::{AgentKey, Now};

use super::{Questions, World};

/// Nobody can say how far that had come, and typed again it would be there twice.
const PROMPT_BEGUN: &str =
    "the server before ended while it typed the first prompt; look whether that stands unsent";

impl Questions {
    /// The first look at an agent that was taken back: what the server before was answering there is in the log, if the
    /// question is gone.
    pub(super) fn log_left(&mut self, key: AgentKey, agent: &Agent, world: World<'_>) {
        // All of it was known; only the disk had not taken it.
        for (fingerprint, entry) in self.not_in_log(agent, |open| open.ended) {
            let ask = self.next_key();
            self.remember(ask, (key, fingerprint), entry);
        }
        // The sight of an agent whose screen was not judged yet has no words.
        let sight = &agent.sight;
        let unseen = sight.redrawing || sight.text.is_empty() || agent.unseen_until(world.now.ms).is_some();
        if (unseen && !agent.gone()) || std::mem::replace(&mut self.track(key).left_looked, true) {
            return;
        }
        if !agent.gone() && agent.earlier.as_ref().is_some_and(|earlier| earlier.prompt_begun) {
            let name = agent.spec.name.clone();
            let text = format!("{name}: {PROMPT_BEGUN}");
            self.tell(ToClients::Notify { agent: name, question: None, text });
        }
        let shown = agent.on_screen().filter(|_| !agent.gone());
        for (fingerprint, mut entry) in
            self.not_in_log(agent, |open| !shown.is_some_and(|shown| open.is(shown)))
        {
            entry.settled_at = world.now.unix_ms;
            entry.latency_ms = entry.settled_at.saturating_sub(entry.asked_at);
            entry.after = agent.sight.text.to_string();
            let text = format!("{}: {}", entry.agent, entry.reason.clone().unwrap_or_default());
            let (agent, question) = (entry.agent.clone(), Some(entry.id.clone()));
            self.tell(ToClients::Notify { agent, question, text });
            let ask = self.next_key();
            self.remember(ask, (key, fingerprint), entry);
        }
    }

    /// When that look is due at the latest, also at a screen that stays one of a program that starts.
    pub fn left_wake(&self, key: AgentKey, agent: &Agent, now: Now) -> Option<u64> {
        let looked = self.tracks.get(key).is_some_and(|track| track.left_looked);
        let unfinished = || agent.left_open().any(|open| open.unfinished.is_some());
        agent.unseen_until(now.ms).filter(|_| !looked && unfinished())
    }

    /// What the server before held of these questions, without those whose end it had written when it was killed.
    fn not_in_log(&mut self, agent: &Agent, of: impl Fn(&OpenQuestion) -> bool) -> Vec<(Fingerprint, Entry)> {
        let held = agent.left_open().filter(|open| of(open));
        let held = held.filter_map(|open| Some((open.fingerprint, open.unfinished.as_deref()?)));
        held.filter(|(_, entry)| self.in_log.insert(entry.id.clone()))
            .map(|(of, entry)| (of, entry.clone()))
            .collect()
    }
}
