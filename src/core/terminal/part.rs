//! Which part of a screen is shown where there is no room for all of it.
//!
//! `core/terminal/paint.rs` asks for `attach`, `dashboard/window.rs` for panes. A dialog that a program drew in the middle of a
//! large screen stands beside and below the first rows and columns: those alone would be blank. Pure.

use super::grid::{Grid, Row, Size};

/// The first column in which something is written, and the one behind the last.
pub fn written_columns(rows: &[Row]) -> Option<(u16, u16)> {
    let written = |row: &Row| {
        let glyph = |cell: &super::grid::Cell| cell.ch != ' ' && !cell.ch.is_control();
        let first = row.cells.iter().position(glyph)?;
        Some((first, row.cells.iter().rposition(glyph)? + 1))
    };
    let all = rows.iter().filter_map(written).reduce(|all, row| (all.0.min(row.0), all.1.max(row.1)))?;
    Some((column(all.0), column(all.1)))
}

fn column(at: usize) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX)
}

/// The first column to show of these, in so much room: 0, unless what is written goes on beyond it.
pub fn first_column(written: Option<(u16, u16)>, room: u16) -> u16 {
    written.map_or(0, |(first, end)| end.saturating_sub(room).min(first))
}

/// Column and row of a screen that stand in the upper left corner of a terminal with less room: all that is written is in
/// view if it can be, the cursor and the lines written last otherwise.
pub fn corner(grid: &Grid, room: Size) -> (u16, u16) {
    if grid.size.0 <= room.cols && grid.size.1 <= room.rows {
        return (0, 0);
    }
    let is_written = |row: &Row| !row.text().trim_end().is_empty();
    let first = column(grid.rows.iter().position(is_written).unwrap_or(0));
    let end = grid.rows.iter().rposition(is_written).map_or(0, |last| column(last + 1));
    // The last row is left free where it can be: it may be covered by a line of our own.
    let (mut col, mut row) =
        (first_column(written_columns(&grid.rows), room.cols), (end + 1).saturating_sub(room.rows));
    if end - first.min(end) <= room.rows {
        row = row.min(first);
    }
    let cursor = grid.cursor;
    if cursor.visible {
        row = row.max((cursor.row + 1).saturating_sub(room.rows)).min(cursor.row);
        col = col.max((cursor.col + 1).saturating_sub(room.cols)).min(cursor.col);
    }
    (col, row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::query_replies::TerminalIdentity;
    use crate::core::terminal::screen::Screen;

    fn shown(bytes: &str) -> Grid {
        let mut screen = Screen::new(Size::new(220, 50), TerminalIdentity::default());
        screen.feed(bytes.as_bytes());
        screen.grid().clone()
    }

    #[test]
    fn a_box_in_the_middle_is_in_view() {
        let grid = shown("\x1b[?25l\x1b[20;86H┌─ Which? ──┐\x1b[21;86H│ React     │\x1b[22;86H└───────────┘");
        let (col, row) = corner(&grid, Size::new(80, 24));
        assert!(col <= 85 && 98 <= col + 80 && row <= 19 && 22 <= row + 24, "{col} {row}");
        assert_eq!(corner(&grid, Size::new(220, 50)), (0, 0));
        assert_eq!(corner(&grid, Size::new(5, 2)), (85, 21), "its beginning and its last lines");
    }

    #[test]
    fn the_cursor_and_the_last_lines_are_in_view() {
        let lines: String = (0..49).map(|at| format!("line {at}\r\n")).collect();
        assert_eq!(corner(&shown(&lines), Size::new(80, 24)), (0, 26));
        assert_eq!(corner(&shown(&format!("{lines}\x1b[H")), Size::new(80, 24)), (0, 0));
        assert_eq!(corner(&shown("\x1b[1;100H"), Size::new(80, 24)), (20, 0));
    }
}
