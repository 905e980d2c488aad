//! Before each key of an answer, and before an Enter is pressed again: whether it is the agent that would take it.
//!
//! `session/task.rs` looks once everything printed is known, `session/input.rs` asks before it types.

use super::Session;
use crate::core::detect::front::{Front, NotNow, Started};

/// When to look again while nobody waits for a key.
const LOOK_MS: u64 = 50;
/// Who was held finds that its time is over, and asks something else: that is drawn first.
const RELEASED_MS: u64 = 1_000;

impl Session {
    /// Whoever is to take the keys that are typed here.
    pub fn agent(&self) -> Started<'_> {
        Started { profile: &self.profile, command: &self.command }
    }

    pub(super) fn in_front(&mut self, front: Front) {
        self.slot.agent_seen |= front == Front::Agent;
        if self.slot.front == Front::Held && front != Front::Held {
            self.slot.held_until = self.slot.held_until.max(self.now.ms + RELEASED_MS);
        }
        self.slot.front = front;
    }

    pub(super) fn not_now(&self) -> Option<NotNow> {
        match &self.slot.front {
            Front::Agent | Front::Unseen => None,
            // Where it was never seen to wait, it may do so in a way that is not known.
            Front::Nobody => self.slot.agent_seen.then_some(NotNow::Until(self.now.ms + LOOK_MS)),
            Front::Pending | Front::Held => Some(NotNow::Until(self.now.ms + LOOK_MS)),
            Front::Other(program) => {
                Some(NotNow::Never(format!("{program} takes the keys there, and not the agent")))
            }
            Front::Remapped => {
                let why = "its terminal makes something else of letters, of Return, or of the keys that edit a line";
                Some(NotNow::Never(why.to_owned()))
            }
        }
    }
}
