//! An answer that somebody types into: what stands of it is taken back before their key, or it would go with their Enter.
//!
//! `input.rs` says what is typed, and asks before it types a key of a person's. A key that comes behind the one that sends an
//! answer interrupts nothing.

use crate::core::terminal::encode::encode;
use crate::core::terminal::keys::{Input as Keys, KeyPress};

use super::Session;
use super::draft::words_before_the_cursor;
use super::message::DeliveryOutcome;
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
        self.write(bytes);
        self.moved = true;
        let sent = delivery.keys_sent().to_vec();
        self.tell_delivery(ask, DeliveryOutcome::Failed(TAKEN_BACK.to_owned()), sent);
        unsent.into_letters()
    }

    /// Wipes the line of a terminal that holds a part of an answer that was given up: whoever reads it next has not asked for that.
    /// Once somebody has typed behind it nothing is wiped: their letters would go with it.
    pub(super) fn take_rest_back(&mut self, before: &[Keys]) {
        let (draft, wipe) = (&self.slot.draft, Keys::Key(KeyPress::ctrl('u')));
        let done = before.first() == Some(&wipe) || self.collects_lines() != Some(true);
        if done || !draft.is_left() || draft.is_held() {
            return;
        }
        self.write(encode(&wipe, &self.typing_modes()));
        self.slot.draft.typed_at(&wipe, || words_before_the_cursor(self.terminal.screen.grid()));
        self.observation.typed(&wipe);
    }
}
