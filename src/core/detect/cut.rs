//! Menus of which a part is scrolled or cut out of view: how that shows.
//!
//! `detect/menu.rs`, `detect/block.rs` and `detect/dialog.rs` ask; nothing here guesses what the hidden rows say.

use super::item::{self, Item};
use super::menu::{self, Direction, Menu};
use super::page::{Line, Page};
use crate::core::profile::MenuRule;

/// Lines at the bottom in which the keys of a menu are named.
const KEY_LINES: usize = 6;

/// Whether all above a row is the description of rows scrolled out of view.
pub fn runs_up(page: &Page, first: &Item) -> bool {
    let deeper =
        |line: &Line| !line.blank() && line.rule.is_none() && line.start + menu::SQUEEZE >= first.head;
    first.arrow || page.lines[..first.row].iter().all(deeper)
}

/// A menu whose highlighted row is scrolled out of view: told by the keys named at the bottom.
pub fn headless(page: &Page, rule: &MenuRule, below: usize) -> Option<Menu> {
    let pattern = rule.headless.as_ref()?;
    let bottom = page.bottom()?;
    (bottom.saturating_sub(KEY_LINES)..=bottom).find(|&row| pattern.is_match(page.text(row)))?;
    let rows = (0..below.min(page.lines.len())).rev();
    let numbered =
        rows.filter_map(|row| item::read(row, &page.lines[row], rule)).filter(|item| item.number.is_some());
    numbered
        .filter_map(|item| menu::numbered_menu(page, rule, &item, None))
        .find(|menu| menu.cut && menu.items.len() > 1)
}

/// An arrow or a "more" notice in the line next to the list.
pub fn arrow_near(page: &Page, row: usize, direction: Direction) -> bool {
    let rows: Vec<usize> = match direction {
        Direction::Up => (row.saturating_sub(2)..row).collect(),
        Direction::Down => (row..(row + 3).min(page.lines.len())).collect(),
    };
    rows.into_iter().any(|row| is_scroll_mark(page.text(row)))
}

pub fn is_scroll_mark(text: &str) -> bool {
    matches!(text, "▲" | "▼" | "↑" | "↓" | "⋮" | "…" | "...")
        || (text.starts_with(['↑', '↓', '▲', '▼', '…']) && text.contains("more"))
        || text.strip_prefix("… +").is_some_and(|rest| rest.starts_with(|ch: char| ch.is_ascii_digit()))
}
