//! Options side by side in one line, the chosen one told by its background.
//!
//! The words of the line that name keys stand further right, behind a wide gap.

use super::item;
use super::page::{Line, Page};
use crate::core::profile::MenuRule;
use crate::core::question::{Choice, Question};
use crate::core::terminal::grid::Color;

/// Blanks between two options at most; more part the options from the names of keys.
const MAX_GAP: usize = 4;

/// Lines by which the names of keys may stand below the options.
const NARROW: usize = 2;

/// A line of options.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub row: usize,
    pub labels: Vec<String>,
    pub selected: Option<usize>,
}

/// The lowest line of options on the page.
pub fn find(page: &Page, rule: &MenuRule) -> Option<Found> {
    let pattern = rule.row.as_ref()?;
    let row = page.lines.iter().rposition(|line| pattern.is_match(&line.text))?;
    // On a narrow screen the keys stand in a line of their own, a little below the options.
    let rows = (row.saturating_sub(NARROW)..=row).rev();
    let found = |row: usize| rings(&page.lines[row], row, rule).or_else(|| options(&page.lines[row], row));
    rows.filter_map(found).find(|found| found.selected.is_some())
}

/// Options apart by a stroke, each behind the glyph that tells whether it is the chosen one.
fn rings(line: &Line, row: usize, rule: &MenuRule) -> Option<Found> {
    let parts: Option<Vec<(bool, &str)>> =
        line.text.split(" / ").map(|part| item::ring(part, rule)).collect();
    let parts = parts.filter(|parts| parts.len() > 1)?;
    let selected = parts.iter().position(|(chosen, _)| *chosen);
    Some(Found {
        row,
        labels: parts.into_iter().map(|(_, label)| label.trim().to_owned()).collect(),
        selected,
    })
}

fn options(line: &Line, row: usize) -> Option<Found> {
    let mut labels: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    for (byte, word) in words(&line.text) {
        let gap = line.column_at(byte).saturating_sub(line.column_at(at));
        // A key and what it does are drawn in two colours, an option in one.
        let inks = word.char_indices().filter(|(_, ch)| *ch != ' ');
        let inks: Vec<Color> = inks.map(|(at, _)| line.style_at(byte + at).fg).collect();
        let key = inks.iter().any(|ink| *ink != inks[0]);
        if !labels.is_empty() && (gap > MAX_GAP || key) {
            break;
        }
        at = byte + word.len();
        labels.push((byte, word.to_owned()));
    }
    if labels.len() < 2 {
        return None;
    }
    let grounds: Vec<Color> = labels.iter().map(|(byte, _)| line.style_at(*byte).bg).collect();
    let alone = |index: usize| grounds.iter().filter(|ground| **ground == grounds[index]).count() == 1;
    // Of two, the one that does not stand on the ground of the line.
    let selected = (0..labels.len()).find(|&index| alone(index) && grounds[index] != line.ground);
    Some(Found { row, labels: labels.into_iter().map(|(_, label)| label).collect(), selected })
}

/// The parts of a text that two or more blanks keep apart, with their places.
fn words(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut start) = (Vec::new(), 0);
    while start < text.len() {
        let end = text[start..].find("  ").map_or(text.len(), |gap| start + gap);
        if end > start {
            found.push((start, &text[start..end]));
        }
        let rest = &text[end..];
        start = end + (rest.len() - rest.trim_start().len()).max(1);
    }
    found
}

impl Found {
    pub fn choices(&self) -> Vec<Choice> {
        self.labels.iter().map(|label| Choice { label: label.clone(), ..Choice::default() }).collect()
    }

    /// Fills a question with these options.
    pub fn fill(&self, question: &mut Question) {
        question.options = self.choices();
        question.selected = self.selected;
    }
}
