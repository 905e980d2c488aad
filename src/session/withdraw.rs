//! An answer that is no longer wanted: what was typed of it, or that it was taken already.
//!
//! The hub orders it once its question has gone or goes another way. Nothing is typed here.

use crate::core::deliver::{Proof, Step};

use super::Session;
use super::message::{AskKey, DeliveryOutcome};
use super::typing_slot::Typing;

/// The reason that the log has.
const REFUSED: &str = "its program has not taken the answer, and asks on";

impl Session {
    /// Types nothing more for this question.
    pub(super) fn withdraw(&mut self, ask: AskKey, untouched: bool) {
        let ours = matches!(&self.slot.typing, Some(Typing::Answer(typed, _)) if *typed == ask);
        if !ours {
            return;
        }
        if let Some((typing, proof)) = self.taken_by_now() {
            (self.slot.typing, self.slot.wake) = (None, None);
            return self.typed_well(typing, proof);
        }
        let keys = self.slot.typing.as_mut().map(|typing| typing.delivery().keys_sent().to_vec());
        let keys = keys.unwrap_or_default();
        if untouched && !keys.is_empty() {
            return self.tell_delivery(ask, DeliveryOutcome::Touched, keys);
        }
        let refused = self.is_refused_by_now();
        self.slot.wake = None;
        if let Some(mut typing) = self.slot.typing.take() {
            self.leave_in_line(&mut typing);
        }
        let outcome =
            if refused { DeliveryOutcome::Failed(REFUSED.to_owned()) } else { DeliveryOutcome::Withdrawn };
        self.tell_delivery(ask, outcome, keys);
    }

    /// Whether what stands in place of its question is that question with a complaint.
    fn is_refused_by_now(&mut self) -> bool {
        let Some(mut typing) = self.slot.typing.clone() else { return false };
        typing.delivery().was_refused(&self.context())
    }

    /// What was being typed, if the screen shows that it was taken: then its question has gone because of that.
    fn taken_by_now(&self) -> Option<(Typing, Proof)> {
        let mut typing = self.slot.typing.clone()?;
        match typing.delivery().step(&self.context(), self.now.ms) {
            Step::Done(proof) => Some((typing, proof)),
            _ => None,
        }
    }
}
