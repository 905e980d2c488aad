//! An answer that somebody types into: what stands of it is taken back before their key, or it would go with their Enter.
//!
//! `input.rs` says what is typed, and asks before it types a key of a person's. A key that comes behind the one that sends an
//! answer interrupts nothing.

use crate::core::terminal::encode::encode;
use crate::core::terminal::keys::Input as Keys;

use super::Session;
use super::message::{DeliveryOutcome, Output};
use super::typing_slot::Typing;

/// Why the answer ended.
const TAKEN_BACK: &str =
    "somebody typed into the pane, and what stood there of the answer was taken back before their key";

impl Session {
    /// Whether keys of an answer are on their way into the pane.
    pub(super) fn is_answering(&self) -> bool {
        matches!(self.slot.typing, Some(Typing::Answer(..)))
    }

    /// Ends the answer that is being typed, and leaves its line or field as it was found: without these letters, which the screen
    /// may still show.
    pub(super) fn take_answer_back(&mut self) -> String {
        if !self.is_answering() {
            return String::new();
        }
        let unsent = std::mem::take(&mut self.slot.unsent);
        let keys = unsent.taken_back(self.collects_lines() == Some(true));
        let Some((Typing::Answer(ask, delivery), keys)) =
            self.slot.typing.take_if(|_| keys.is_some()).zip(keys)
        else {
            return String::new();
        };
        self.slot.wake = None;
        let modes = self.terminal.screen.modes();
        let bytes = keys.iter().flat_map(|press| encode(&Keys::Key(*press), &modes)).collect();
        self.out.push(Output::Write(bytes));
        self.moved = true;
        let sent = delivery.keys_sent().to_vec();
        self.tell_delivery(ask, DeliveryOutcome::Failed(TAKEN_BACK.to_owned()), sent);
        unsent.into_letters()
    }
}
