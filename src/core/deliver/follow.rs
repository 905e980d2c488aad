//! A list that scrolls under the arrows of a person's answer.
//!
//! `drive.rs` calls this before it looks for the dialog. A consultant's answer is not followed: it was chosen from rows that
//! were not all. A person has named one row, and that row is followed for as long as it is in view.

use super::flight::Effect;
use super::plan::Plan;
use super::{Delivery, sight};
use crate::core::question::Question;

impl Delivery {
    /// Goes on in a list that scrolls.
    pub fn following(mut self) -> Delivery {
        self.follows = true;
        self
    }

    /// Whether it is a person's own answer.
    pub fn is_persons(&self) -> bool {
        self.follows
    }

    /// Takes the rows that are in view now for those it counts by, if they are of the same list and the row of the answer is
    /// among them.
    pub(super) fn follow(&mut self, now: &Question) {
        let (Plan::Choose { row }, Some(asked), true) = (&self.plan, &self.question, self.follows) else {
            return;
        };
        let Some(by) = sight::scrolled_by(asked, now) else { return };
        let moved = |row: usize| row.checked_add_signed(-by).filter(|row| *row < now.options.len());
        let Some(row) = moved(*row) else { return };
        if let Some(Effect::Moved(from)) = self.flight.as_mut().map(|flight| &mut flight.wants) {
            // No row in view is one that was scrolled out of it.
            *from = moved(*from).unwrap_or(usize::MAX);
        }
        self.plan = Plan::Choose { row };
        self.question = Some(now.clone());
    }
}
