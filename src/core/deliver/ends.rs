//! Whether a checklist is in view as a whole.
//!
//! Libraries scroll a list that is longer than its room, and many show no sign of it. The ticks of rows that nobody sees are
//! sent with the others. So before ticks are sent the highlight is moved past both ends: a list that stops there, or
//! turns round to its other end, is all that there is; in one that goes on, other rows come into view. `drive.rs` moves it
//! and notes here what was found. Pure.

use crate::core::terminal::keys::{Key, KeyPress};

/// The ends of a list that were found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ends {
    top: bool,
    bottom: bool,
}

impl Ends {
    pub(super) fn both(self) -> bool {
        self.top && self.bottom
    }

    /// Whether the top is to be looked for next: the nearer end first. `at`: the highlighted row of those up to `last`.
    pub(super) fn top_first(self, at: usize, last: usize) -> bool {
        !self.top && (self.bottom || at <= last - at)
    }

    /// The highlight went from one end to the other one, over rows that stayed.
    pub(super) fn turned(&mut self) {
        (self.top, self.bottom) = (true, true);
    }

    /// The highlight stays at this end, and whether the other one is known too.
    pub(super) fn stopped(&mut self, key: Option<KeyPress>) -> bool {
        match key.map(|press| press.key) {
            Some(Key::Up) => self.top = true,
            _ => self.bottom = true,
        }
        self.both()
    }
}
