//! An answer that is no longer wanted: what was typed of it, or that it was taken already.
//!
//! The hub orders it once its question has gone or goes another way. Nothing is typed here.

use crate::core::deliver::{Proof, Step};

use super::Session;
use super::message::{AskKey, DeliveryOutcome};
use super::typing_slot::Typing;

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
        let refused = self.refused_by_now();
        self.slot.wake = None;
        if let Some(mut typing) = self.slot.typing.take() {
            self.leave_in_line(&mut typing);
        }
        let failed = refused.map(|why| DeliveryOutcome::Failed(why.to_owned()));
        let outcome = failed.unwrap_or(DeliveryOutcome::Withdrawn);
        self.tell_delivery(ask, outcome, keys);
    }

    /// What the log says where that question stands in its place still, with other words below it.
    fn refused_by_now(&mut self) -> Option<&'static str> {
        let mut typing = self.slot.typing.clone()?;
        typing.delivery().refusal(&self.context())
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
