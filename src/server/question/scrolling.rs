//! A list that shows other rows of its own: it is the question that it was.
//!
//! Keys that were typed for an answer, or a person's, have scrolled it. Taken for another question it was brought to the
//! consultant once more at each row, and typed for again.

use crate::core::deliver::{other_rows, scrolled};
use crate::core::question::Question;
use crate::session::message::AskKey;

use super::{Questions, World};

const WHY: &str = "its list scrolls, and was not whole when it was read";

impl Questions {
    /// Whether what is seen is the open question with other rows in view. It stays the one it is, and becomes a person's.
    pub(super) fn scrolls(&mut self, key: AskKey, seen: &Question, world: World<'_>) -> bool {
        let Some(ask) = self.open(key) else { return false };
        if seen.origin.printed.is_none() || !other_rows(&ask.question, seen) {
            return false;
        }
        let agent = ask.agent;
        if ask.ordered.is_some() {
            // Its delivery sees that too, and ends.
            self.track(agent).missing_since = None;
            return true;
        }
        let touched = world.agent_of(ask).is_some_and(|agent| agent.sight.typed != ask.typed);
        let by_its_keys = !ask.typed_in_vain.is_empty() && !touched;
        if !(by_its_keys || touched && scrolled(&ask.question, seen)) {
            return false;
        }
        let track = self.track(agent);
        (track.missing_since, track.scrolled) = (None, Some(key));
        let Some(ask) = self.open_mut(key) else { return false };
        (ask.question, ask.fingerprint) = (seen.clone(), seen.fingerprint());
        if !ask.is_persons() {
            self.escalate(key, WHY.to_owned(), None, world);
        }
        self.tell_question(key);
        true
    }
}
