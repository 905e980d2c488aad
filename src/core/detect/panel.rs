//! Panels beside a menu: a box at the right that previews the highlighted row.
//!
//! `detect/page.rs` cuts the rows where such a panel begins, so that a menu reads as if it were
//! alone. It never looks at what a panel says.

use crate::core::terminal::grid::{Cell, Color, Row};

/// A panel starts right of this column: further left it is a box of its own.
const MIN_LEFT: usize = 12;
/// Lines below a panel that belong to it.
const CAPTION: usize = 3;

/// The first corner in a row that is far enough to the right for a panel.
fn corner(row: &Row) -> Option<usize> {
    let beyond = row.cells.get(MIN_LEFT..)?;
    Some(MIN_LEFT + beyond.iter().position(|cell| matches!(cell.ch, '┌' | '╭'))?)
}

/// Whether a row may be the top edge of a panel, whatever stands in the others.
pub fn may_begin(row: &Row) -> bool {
    corner(row).is_some()
}

/// For each row, the column at which what stands left of a panel ends. `edges` are the rows that may begin one.
pub fn limits(rows: &[Row], edges: &[bool]) -> Vec<usize> {
    let side = side(rows);
    let mut limits: Vec<usize> =
        rows.iter().map(|row| side.unwrap_or(row.cells.len()).min(row.cells.len())).collect();
    for (top, _) in edges.iter().enumerate().filter(|(_, edge)| **edge) {
        let Some((left, bottom)) = panel(rows, top) else { continue };
        for limit in &mut limits[top..=bottom] {
            *limit = left.min(*limit);
        }
        for row in bottom + 1..(bottom + 1 + CAPTION).min(rows.len()) {
            if first(&rows[row]) == Some(left) {
                limits[row] = left;
            }
        }
    }
    limits
}

/// The left column and the last row of a panel whose top edge is in this row.
fn panel(rows: &[Row], top: usize) -> Option<(usize, usize)> {
    let ch =
        |row: usize, col: usize| rows.get(row).and_then(|row| row.cells.get(col)).map_or(' ', |cell| cell.ch);
    let left = corner(&rows[top])?;
    let apart = ch(top, left - 1) == ' ' && ch(top, left - 2) == ' ';
    let bottom = (top + 1..rows.len()).find(|&row| ch(row, left) != '│')?;
    if !apart || !matches!(ch(bottom, left), '└' | '╰') {
        return None;
    }
    // With nothing at its left it is an indented box.
    let beside = (top..=bottom).filter(|&row| first(&rows[row]).is_some_and(|col| col < left)).count();
    (beside > 1).then_some((left, bottom))
}

fn first(row: &Row) -> Option<usize> {
    row.cells.iter().position(|cell| !matches!(cell.ch, ' ' | '\u{a0}'))
}

/// Where a panel begins that stands at the right of all rows, on a ground of its own, and takes the lesser part of them.
fn side(rows: &[Row]) -> Option<usize> {
    let first = rows.first()?;
    let ground = first.cells.last().map(|cell| cell.style.bg).filter(|ground| *ground != Color::Default)?;
    let own = |cell: &Cell| cell.style.bg == ground;
    let begins = |row: &Row| row.cells.iter().rposition(|cell| !own(cell)).map(|last| last + 1);
    let start = begins(first).filter(|start| *start > first.cells.len() / 2)?;
    rows.iter().all(|row| begins(row) == Some(start)).then_some(start)
}
