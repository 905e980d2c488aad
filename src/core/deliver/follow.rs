//! A dialog of which the screen shows other rows or words than it did: a list that scrolls under the arrows of a person's
//! answer, and a form that is taller than its pane.
//!
//! `drive.rs` calls `follow` before it looks for the dialog. A consultant's answer is not followed in a list: it was chosen from
//! rows that were not all. A person has named one row, and that row is followed for as long as it is in view.
//!
//! Of a form its hook has told all rows and words, to whoever answered. `mod.rs` calls `follow_part` before every step.

use super::flight::Effect;
use super::plan::Plan;
use super::{Delivery, sight};
use crate::core::hook::Asked;
use crate::core::question::{Question, Role};

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

    /// The same for a question that the program's hook has told whole.
    pub fn told(mut self, told: Option<Asked>) -> Delivery {
        self.told = told;
        self
    }

    /// Takes the part of the dialog that is in view now for the one it counts by. With the highlight on the row for words Claude
    /// Code names one more key below, and words typed there may take several lines: the question loses as many at its top.
    pub(super) fn follow_part(&mut self, now: &Question) {
        let (Some(asked), Some(told)) = (&self.question, &self.told) else { return };
        if sight::same(asked, now) || !is_part(told, asked, now) {
            return;
        }
        let moved = |row: usize| place_of(asked, row, now);
        let plan = match &self.plan {
            Plan::Choose { row } => moved(*row).map(|row| Plan::Choose { row }),
            Plan::Write { row, text, how, submit: None } => {
                moved(*row).map(|row| Plan::Write { row, text: text.clone(), how: *how, submit: None })
            }
            _ => None,
        };
        let Some(plan) = plan else { return };
        if let Some(Effect::Moved(from) | Effect::Back { from, .. }) =
            self.flight.as_mut().map(|flight| &mut flight.wants)
        {
            *from = moved(*from).unwrap_or(usize::MAX);
        }
        self.plan = plan;
        self.question = Some(now.clone());
    }
}

/// Whether both are what the screen shows of the question that was told. The rows that are the program's own stand at its end,
/// and are in view whatever is not.
fn is_part(told: &Asked, asked: &Question, now: &Question) -> bool {
    let own = |question: &Question| -> Vec<_> {
        let own = question.options.iter().filter(|row| row.role != Role::Choice);
        // What is typed into a row takes the place of its label.
        own.map(|row| (row.role, row.number, (row.role != Role::FreeText).then(|| row.label.clone())))
            .collect()
    };
    (asked.partial || now.partial)
        && asked.kind == now.kind
        && asked.multi == now.multi
        && asked.subject == now.subject
        && asked.tab.zip(now.tab).is_none_or(|(then, now)| then == now)
        && (!now.prompt.is_empty() || shares_a_row(asked, now))
        && asked.origin.same_wait(&now.origin)
        && asked.origin.same_place(&now.origin)
        && own(asked) == own(now)
        && told.shows(asked)
        && told.shows(now)
}

/// Whether a row that the program's agent has put up for choice is in both parts: with its words out of view a question is known
/// by those.
fn shares_a_row(part: &Question, other: &Question) -> bool {
    let choices = (0..part.options.len()).filter(|row| part.options[*row].role == Role::Choice);
    choices.filter_map(|row| place_of(part, row, other)).next().is_some()
}

/// Where this row of one part stands in another one, by its number and the part it plays.
fn place_of(part: &Question, row: usize, other: &Question) -> Option<usize> {
    let wanted = part.options.get(row).filter(|row| row.number.is_some())?;
    other.options.iter().position(|row| row.role == wanted.role && row.number == wanted.number)
}
