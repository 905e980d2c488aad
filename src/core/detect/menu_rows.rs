//! A menu as it is found: its rows, the highlighted one among them, and where they end.
//!
//! `detect/menu.rs`, `plain.rs`, `colour.rs` and `buttons.rs` make one; whoever reads a dialog is given it. It finds none itself.

use super::cut;
use super::item::{Direction, Item};
use super::page::{Line, Page};
use crate::core::profile::{MenuRule, Pattern};
use crate::core::question::Passing;

/// A menu as found on the page.
#[derive(Debug, Clone, Default)]
pub struct Menu {
    pub items: Vec<Item>,
    /// Index into `items`.
    pub selected: Option<usize>,
    /// First line after the last row and its description.
    pub after: usize,
    /// Rows are scrolled out of view above or below.
    pub cut: bool,
    /// Rows among these lines that the keys pass over: headings, and what cannot be chosen.
    pub passed: Vec<usize>,
    /// The highlight is on one of them.
    pub passing: Option<Passing>,
}

impl Menu {
    pub fn first_row(&self) -> usize {
        self.items.first().map_or(0, |item| item.row)
    }

    /// The last line of each row that shows any of its words.
    pub fn last_lines<'p>(&self, page: &'p Page) -> impl Iterator<Item = &'p Line> {
        let ends = self.items.iter().skip(1).map(|item| item.row).chain([self.after]);
        ends.filter_map(|end| page.lines[..end.min(page.lines.len())].iter().rfind(|line| !line.blank()))
    }

    pub fn boxes(&self) -> bool {
        self.items.iter().any(|item| item.ticked.is_some())
    }
}

/// Where the highlight is, in this line, of a list that begins in that one and has so many rows above it.
pub(super) fn passing(before: usize, lit: usize, first: usize) -> Passing {
    let line = |row: usize| i64::try_from(row).unwrap_or(i64::MAX);
    Passing { before, line: line(lit) - line(first) }
}

pub(super) fn any(patterns: &[Pattern], label: &str) -> bool {
    patterns.iter().any(|pattern| pattern.is_match(label))
}

/// A menu of these rows, down to where the description of the last one ends.
pub fn finish(
    page: &Page,
    rule: &MenuRule,
    items: Vec<Item>,
    selected: Option<usize>,
    cut: bool,
) -> Option<Menu> {
    let last = items.last()?;
    let mut after = last.row + 1;
    // The last row's description ends at a blank line, a rule, or the line that names the keys.
    while let Some(line) = page.lines.get(after) {
        if line.blank() || line.rule.is_some() || rule.is_hint(&line.text) || cut::is_scroll_mark(&line.text)
        {
            break;
        }
        // What the terminal carried over begins at its edge.
        let outside = line.start < last.head.min(last.label) && !page.lines[after - 1].wrapped;
        if line.frame.left != page.lines[last.row].frame.left || outside {
            break;
        }
        after += 1;
    }
    let cut = cut || cut::arrow_near(page, after, Direction::Down) || items.iter().any(|item| item.arrow);
    Some(Menu { items, selected, after, cut, ..Menu::default() })
}
