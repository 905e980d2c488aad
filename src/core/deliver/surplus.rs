//! Arrows that were sent again, and may still come: nothing is pressed on a highlight that one of them may move.
//!
//! `drive.rs` sends an arrow again that seems lost, and asks here before the key after it. Over a slow link it was late, and comes
//! whenever the link goes on: no pause is long enough.

use super::after::GONE_MS;
use super::flight::{Effect, Surplus};
use super::{Delivery, Step, wait};
use crate::core::question::Question;
use crate::core::terminal::keys::{Key, KeyPress};

/// Why the answer ends.
pub(super) const LATE: &str =
    "an arrow was late and was sent again, and nothing shows that none is on its way any more";

/// After a repeated key had an effect, the one that seemed lost may turn out to be late: nothing is sent until an answer would be given
/// up, too. In a list whose ends are looked for, whose ticks are seen one by one.
pub(super) const LATE_MS: u64 = GONE_MS;

impl Delivery {
    /// Once an arrow was sent again, another may still come and move the highlight under the next key, however late. Keys come in
    /// their order: when one that goes back is seen to work, nothing sent before it is on its way any more.
    pub(super) fn account(&mut self, question: &Question, now: u64) -> Option<Step> {
        let Surplus { press, count } = self.surplus.take()?;
        let (from, rows) = (question.selected?, question.options.len());
        let (back, up) = match press.key {
            Key::Down => (Key::Up, true),
            Key::Right => (Key::Left, true),
            Key::Up => (Key::Down, false),
            Key::Left => (Key::Right, false),
            // A digit leads to its row however often it comes.
            _ => {
                self.quiet_until = self.quiet_until.max(now + LATE_MS);
                return Some(wait(now, self.quiet_until));
            }
        };
        // In a list that turns round, so many in one redraw would look like one that goes back.
        if (rows as u64) < count + 2 {
            return Some(Step::Failed(LATE.to_owned()));
        }
        self.moves += 1;
        let step = self.press(KeyPress::plain(back), Effect::Back { from, rows, up }, now);
        Some(step)
    }
}
