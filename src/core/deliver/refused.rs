//! Answers that a program has read and does not take: it says why, and its question stands there as it was left.
//!
//! `after.rs` asks once the last key is sent. A program that asks anew in the same words begins from its start: nothing is typed,
//! its highlight and its ticks are its own. Pure.

use super::plan::Plan;
use super::{Delivery, DeliveryContext};
use crate::core::question::Question;

/// So many characters of its words tell a question from other lines of its screen: what follows may be in the next line.
const TELLING: usize = 24;
const REFUSED: &str = "its program has not taken the answer, and asks on";
const STAYS: &str =
    "the answer was sent and its list is still there; whether its program has taken it is not known";

impl Delivery {
    /// Notes how often the words of the question stand on the screen, before a key is sent.
    pub(super) fn count_words(&mut self, view: &DeliveryContext) {
        self.words_shown = self.question.as_ref().map_or(0, |asked| times_shown(&asked.prompt, &view.text));
    }

    /// What is known of an answer whose last key was sent and whose question stands there as it has left it; none where it does
    /// not. A field holds on to what it does not take. A list that stays may have taken its row all the same: some programs act on
    /// it and read keys on.
    pub fn refusal(&self, view: &DeliveryContext) -> Option<&'static str> {
        let seen = view.verdict.question.as_ref().filter(|_| self.committed.is_some());
        seen.filter(|now| self.is_refused(view, now))?;
        Some(if self.chooses() { STAYS } else { REFUSED })
    }

    /// Whether it is one row of a list.
    pub(super) fn chooses(&self) -> bool {
        matches!(self.plan, Plan::Choose { .. })
    }

    /// Whether the question on the screen is the one that was answered, as the answer has left it.
    pub(super) fn is_refused(&self, view: &DeliveryContext, now: &Question) -> bool {
        let Some(asked) = &self.question else { return false };
        // Asked again further down, the words of the first time stand above.
        let again = self.words_shown == 0 || times_shown(&asked.prompt, &view.text) > self.words_shown;
        if !complains(asked, now) || again {
            return false;
        }
        // A line that its terminal collects is taken by whoever reads it.
        let drawn = asked.origin.unechoed;
        let rowless = now.options.is_empty();
        match &self.plan {
            Plan::Line { text, .. } if drawn => stands_behind(&asked.prompt, text, &view.text),
            Plan::Choose { row } => {
                self.moves > 0 && all_rows(asked, &view.text) && now.selected.is_none_or(|at| at == *row)
            }
            Plan::Tick { rows, .. } => {
                let left =
                    |(at, tick): (usize, &Option<bool>)| tick.is_none_or(|tick| tick == rows.contains(&at));
                let ticks: Vec<Option<bool>> = now.options.iter().map(|row| row.checked).collect();
                !rows.is_empty()
                    && all_rows(asked, &view.text)
                    && (rowless || ticks.iter().enumerate().all(left))
            }
            Plan::Accept { offered } if drawn => stands_behind(&asked.prompt, offered, &view.text),
            _ => false,
        }
    }
}

/// Whether these are the words of the question that was asked, and its rows, as far as they can be read beside a complaint.
fn complains(asked: &Question, now: &Question) -> bool {
    let words = !asked.prompt.is_empty() && now.prompt.starts_with(&asked.prompt);
    words && (now.options.is_empty() || asked.options.is_empty() || now.labels() == asked.labels())
}

fn times_shown(words: &str, screen: &str) -> usize {
    let telling: String = words.chars().take(TELLING).collect();
    if telling.is_empty() { 0 } else { screen.matches(telling.as_str()).count() }
}

fn all_rows(asked: &Question, screen: &str) -> bool {
    !asked.options.is_empty() && asked.options.iter().all(|row| screen.contains(&row.label))
}

/// Whether the text stands in the line of the question, behind its last word.
fn stands_behind(words: &str, text: &str, screen: &str) -> bool {
    let last = words.split_whitespace().last().unwrap_or_default();
    let behind = |line: &str| {
        line.rfind(last)
            .is_some_and(|at| line[at + last.len()..].trim_end_matches([' ', ')', ']']).ends_with(text))
    };
    !last.is_empty() && screen.lines().any(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value that a field offers, and validation refuses, was logged as taken.
    #[test]
    fn a_value_stands_behind_its_question_as_it_is_drawn() {
        for line in ["? Project name: (demo)", "? Project name: demo", "? Project name: [demo] "] {
            assert!(stands_behind("Project name:", "demo", &format!("{line}\n>> Too short")), "{line}");
        }
        for screen in ["? Project name: ", "? Project name: other\ndemo", "demo"] {
            assert!(!stands_behind("Project name:", "demo", screen), "{screen}");
        }
    }
}
