//! Menus of which a part is scrolled or cut out of view: how that shows.
//!
//! `detect/menu.rs`, `detect/block.rs` and `detect/dialog.rs` ask; nothing here guesses what the hidden rows say, nor reads
//! a row.

use super::item::{Direction, Item, SQUEEZE};
use super::page::{Line, Page};

/// Whether all above a row is the description of rows scrolled out of view.
pub fn runs_up(page: &Page, first: &Item) -> bool {
    let deeper = |line: &Line| !line.blank() && line.rule.is_none() && line.start + SQUEEZE >= first.head;
    first.arrow || page.lines[..first.row].iter().all(deeper)
}

/// An arrow or a "more" notice in the line next to the list.
pub fn arrow_near(page: &Page, row: usize, direction: Direction) -> bool {
    let rows: Vec<usize> = match direction {
        Direction::Up => (row.saturating_sub(2)..row).collect(),
        Direction::Down => (row..(row + 3).min(page.lines.len())).collect(),
    };
    rows.into_iter().any(|row| is_scroll_mark(page.text(row)))
}

/// Columns at the right edge of which a row that was cut off there leaves none free, or one where a blank stood.
const EDGE: usize = 1;
/// The same where three points say that it was cut off.
const EDGE_OF_POINTS: usize = 4;

/// Whether the end of a row whose last line this is may be out of view: some libraries cut off what does not fit, without a
/// sign.
pub fn at_the_edge(line: &Line) -> bool {
    let room = line.inner.1.saturating_sub(line.end);
    let points = line.text.ends_with('…') || line.text.ends_with("...");
    !line.wrapped && (room <= EDGE || points && room <= EDGE_OF_POINTS)
}

pub fn is_scroll_mark(text: &str) -> bool {
    matches!(text, "▲" | "▼" | "↑" | "↓" | "⋮" | "…" | "...")
        || (text.starts_with(['↑', '↓', '▲', '▼', '…']) && text.contains("more"))
        || text.strip_prefix("… +").is_some_and(|rest| rest.starts_with(|ch: char| ch.is_ascii_digit()))
}
