//! Whether a checklist is in view as a whole.
//!
//! Libraries scroll a list that is longer than its room, and many show no sign of it. The ticks of rows that nobody sees are
//! sent with the others. So before ticks are sent the highlight is moved past both ends: a list that stops there, or
//! turns round to its other end, is all that there is; in one that goes on, other rows come into view.

use super::flight::Effect;
use super::{Delivery, Step};
use crate::core::question::{Question, Widget};
use crate::core::terminal::keys::{Key, KeyPress};

/// The ends of a list that were found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ends {
    top: bool,
    bottom: bool,
}

impl Ends {
    fn both(self) -> bool {
        self.top && self.bottom
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

impl Delivery {
    /// A step towards an end of the list that was not found yet; none where there is nothing left to find.
    pub(super) fn find_ends(&mut self, q: &Question, now: u64) -> Option<Step> {
        // A box shows by its bar that there is more.
        if !self.keys.find_ends || q.origin.widget != Widget::Rows || self.ends.both() {
            return None;
        }
        let Some(at) = q.selected else {
            return Some(Step::Failed("no row is highlighted".into()));
        };
        let last = q.options.len() - 1;
        let up = !self.ends.top && (self.ends.bottom || at <= last - at);
        let (from, to, key) = if up { (0, last, Key::Up) } else { (last, 0, Key::Down) };
        let step = self.toward(q, from, now);
        Some(step.unwrap_or_else(|| self.press(KeyPress::plain(key), Effect::Turned { from, to }, now)))
    }
}
