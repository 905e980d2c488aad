//! Which part of an agent's screen a pane shows, where the screen is larger than the pane.
//!
//! `view/pane.rs` and `mouse.rs` ask it, so that a click lands on what is seen. Pure.

use crate::core::layout::Area;
use crate::core::terminal::grid::{Grid, Size};

/// No pane asks for a smaller screen than this; it shows a part of it instead. On lower screens agent
/// programs cut their dialogs, so that no question could be answered but by zooming; on narrower ones
/// the labels of most dialogs break in the middle of words.
const LEAST: Size = Size { cols: 24, rows: 20 };

/// The screen a pane with so much room asks for.
pub fn size_for(room: Area) -> Size {
    Size::new(room.cols.max(LEAST.cols), room.rows.max(LEAST.rows))
}

/// Words of a question by which its first line is found again; more would break at a narrow pane's edge.
const FIRST_WORDS: usize = 3;

/// Column and row of the grid that stand in the pane's upper left corner: the lines written last are in
/// view, or a question from its first line on, and where one `types`, the cursor is.
pub fn origin(grid: &Grid, room: Area, types: bool, question: Option<&str>) -> (u16, u16) {
    // Where all of it fits there is nothing to choose.
    if grid.size.0 <= room.cols && grid.size.1 <= room.rows {
        return (0, 0);
    }
    let cursor = grid.cursor;
    let used = grid.rows.iter().rposition(|row| !row.text().trim_end().is_empty()).unwrap_or(0);
    let used = u16::try_from(used).unwrap_or(u16::MAX);
    let last = if cursor.visible { used.max(cursor.row) } else { used };
    let mut row = (last + 1).saturating_sub(room.rows);
    if let Some(first) = question.and_then(|words| line_of(grid, words)) {
        row = row.min(first);
    }
    let mut col = 0;
    if cursor.visible && types {
        row = row.min(cursor.row);
        col = (cursor.col + 1).saturating_sub(room.cols);
    }
    (col, row)
}

/// The lowest line in which the first words of a question begin, also where a row ends within them.
fn line_of(grid: &Grid, question: &str) -> Option<u16> {
    let words = question.split_whitespace().take(FIRST_WORDS).collect::<Vec<&str>>().join(" ");
    if words.is_empty() {
        return None;
    }
    let begins = |row: &usize| {
        let first = grid.rows[*row].text();
        if first.contains(&words) {
            return true;
        }
        // What goes on in the next row, without the indent a program gives it.
        let next = grid.rows.get(row + 1).map(|next| next.text()).unwrap_or_default();
        let wrapped = grid.rows[*row].wrapped;
        let first = if wrapped { grid.rows[*row].full_text() } else { format!("{first} ") };
        let joined = format!("{first}{}", if wrapped { &next } else { next.trim_start() });
        joined.find(&words).is_some_and(|at| at < first.trim_end().len())
    };
    (0..grid.rows.len()).rev().find(begins).and_then(|row| u16::try_from(row).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::grid::Cell;

    fn grid(used: usize) -> Grid {
        let mut grid = Grid::blank(Size::new(40, 20));
        for row in &mut grid.rows[..used] {
            row.cells[0] = Cell { ch: 'x', ..Cell::default() };
        }
        grid.cursor.visible = false;
        grid
    }

    #[test]
    fn the_last_lines_are_in_view() {
        let room = Area::new(0, 0, 30, 6);
        assert_eq!(origin(&grid(3), room, false, None), (0, 0), "it fits");
        assert_eq!(origin(&grid(20), room, true, None), (0, 14));
        assert_eq!(origin(&grid(20), Area::new(0, 0, 80, 40), true, None), (0, 0));
        assert_eq!(origin(&grid(20), Area::new(0, 0, 0, 0), true, None), (0, 20));
    }

    #[test]
    fn a_visible_cursor_is_in_view() {
        let room = Area::new(0, 0, 30, 6);
        let mut grid = grid(20);
        grid.cursor.visible = true;
        (grid.cursor.row, grid.cursor.col) = (10, 31);
        assert_eq!(origin(&grid, room, true, None), (2, 10));
        assert_eq!(origin(&grid, room, false, None), (0, 14), "others show their text from its left edge");
    }

    #[test]
    fn a_question_is_in_view_from_its_first_line() {
        let room = Area::new(0, 0, 30, 6);
        let mut grid = grid(20);
        for (at, ch) in "  Which database should I use?".chars().enumerate() {
            grid.rows[9].cells[at] = Cell { ch, ..Cell::default() };
        }
        let asked = Some("Which database should I use? It stays.");
        assert_eq!(origin(&grid, room, false, asked), (0, 9));
        assert_eq!(origin(&grid, room, false, Some("Another question")), (0, 14));
        assert_eq!(
            origin(&grid, Area::new(0, 0, 30, 12), false, asked),
            (0, 8),
            "all below it is in view too"
        );
    }

    #[test]
    fn a_small_pane_asks_for_a_screen_that_holds_a_dialog() {
        assert_eq!(size_for(Area::new(0, 0, 9, 6)), LEAST);
        assert_eq!(size_for(Area::new(0, 0, 100, 6)), Size::new(100, 20));
        assert_eq!(size_for(Area::new(0, 0, 100, 30)), Size::new(100, 30));
    }

    #[test]
    fn a_question_broken_over_two_rows_is_found_too() {
        let room = Area::new(0, 0, 30, 6);
        for (wrapped, second) in [(false, "  database should I use?"), (true, "database should I use?")] {
            let mut grid = grid(20);
            for (row, text) in [(9, "  Which "), (10, second)] {
                for (at, ch) in text.chars().enumerate() {
                    grid.rows[row].cells[at] = Cell { ch, ..Cell::default() };
                }
            }
            grid.rows[9].cells.truncate(8);
            grid.rows[9].wrapped = wrapped;
            assert_eq!(origin(&grid, room, false, Some("Which database should I use?")), (0, 9), "{wrapped}");
        }
    }
}
