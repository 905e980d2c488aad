//! A question of which the screen shows a part, in the words of the hook that told the whole: a dialog that is taller than
//! its pane loses its words and its first rows at the upper edge.
//!
//! Which row is which is told by the numbers that the program prints. Nothing here decides whether a row may be chosen.

use super::asked::{Asked, same_label};
use crate::core::question::normalize::squeezed;
use crate::core::question::{Choice, Question, Role};

impl Asked {
    /// The question of which the screen shows this part, as far as it is one; none where all of it is in view.
    pub fn whole(&self, part: &Question) -> Option<Question> {
        if !part.partial || self.shown_by(part).is_err() {
            return None;
        }
        self.first_in_view(part)?;
        let mut whole = Question { tab: part.tab, origin: part.origin.clone(), ..self.question(0, 1) };
        let of_program: Vec<Choice> =
            part.options.iter().filter(|choice| choice.role != Role::Choice).cloned().collect();
        if of_program.iter().any(|choice| choice.role == Role::FreeText) {
            whole.options.retain(|choice| choice.role != Role::FreeText);
        }
        whole.options.extend(of_program);
        follow(&mut whole, part);
        Some(whole)
    }
}

impl Asked {
    /// Whether the screen shows this question and nothing else: all of it, or a part in which its rows are known by their
    /// numbers and its words, if any are in view, are the last ones.
    pub fn shows(&self, seen: &Question) -> bool {
        let ends = squeezed(&self.prompt).ends_with(&squeezed(&seen.prompt));
        match seen.partial {
            true => ends && self.whole(seen).is_some(),
            false => self.shown_by(seen).is_ok(),
        }
    }
}

/// Takes the highlight and the ticks from the part that is in view.
pub fn follow(whole: &mut Question, part: &Question) {
    whole.selected = part.selected.and_then(|row| same_row(part, row, whole));
    whole.typing = part.typing;
    for row in 0..whole.options.len() {
        if let Some(at) = same_row(whole, row, part) {
            whole.options[row].checked = part.options[at].checked;
        }
    }
}

/// The row of `to` that is this row of `from`: the only one with its part to play, its number and its label, as far as both
/// are drawn.
pub fn same_row(from: &Question, row: usize, to: &Question) -> Option<usize> {
    let wanted = from.options.get(row)?;
    let label = squeezed(&wanted.label);
    let same = |choice: &Choice| {
        let other = squeezed(&choice.label);
        wanted.role == choice.role
            && wanted.number == choice.number
            && (same_label(&label, &other) || same_label(&other, &label))
    };
    let mut found = (0..to.options.len()).filter(|at| same(&to.options[*at]));
    found.next().filter(|_| found.next().is_none())
}
