//! Which part of an agent's screen a pane shows, where the screen is larger than the pane.
//!
//! `view/pane.rs` and `mouse.rs` ask it, so that a click lands on what is seen. Pure.

use crate::core::layout::Area;
use crate::core::terminal::grid::{Grid, Size};
use crate::core::terminal::part::{first_column, written_columns};
use crate::wire::message::QuestionInfo;

/// No pane asks for a smaller screen than this; it shows a part of it instead. On lower screens agent
/// programs cut their dialogs, so that no question could be answered but by zooming; on narrower ones
/// the labels of most dialogs break in the middle of words.
const LEAST: Size = Size { cols: 24, rows: 20 };

/// The screen a pane with so much room asks for.
fn size_for(room: Area) -> Size {
    Size::new(room.cols.max(LEAST.cols), room.rows.max(LEAST.rows))
}

/// The screen that is asked for in a pane of this size, with its border; `None`: it is too small to show any.
pub fn screen_of(pane: Area) -> Option<Size> {
    let inner = pane.inner();
    let fits = inner.cols >= Size::MIN.cols && inner.rows >= Size::MIN.rows;
    fits.then(|| size_for(inner))
}

/// Words of a question by which its first line is found again; more would break at a narrow pane's edge.
const FIRST_WORDS: usize = 3;

/// Column and row of the grid that stand in the pane's upper left corner: the lines written last are in
/// view, or a question from its first line on, and where one `types`, the cursor is.
pub fn origin(grid: &Grid, room: Area, types: bool, question: Option<&QuestionInfo>) -> (u16, u16) {
    // Where all of it fits there is nothing to choose.
    if grid.size.0 <= room.cols && grid.size.1 <= room.rows {
        return (0, 0);
    }
    let cursor = grid.cursor;
    let used = grid.rows.iter().rposition(|row| !row.text().trim_end().is_empty()).unwrap_or(0);
    let used = u16::try_from(used).unwrap_or(u16::MAX);
    let last = if cursor.visible { used.max(cursor.row) } else { used };
    let mut row = (last + 1).saturating_sub(room.rows);
    if let Some(question) = question {
        let first = first_line(grid, question);
        row = first.map_or(row, |first| row.min(first.max(least(grid, room, question))));
    }
    let mut col = 0;
    if question.is_some() {
        let rows = usize::from(row)..(usize::from(row) + usize::from(room.rows)).min(grid.rows.len());
        let written = written_columns(grid.rows.get(rows).unwrap_or_default());
        col = first_column(written, room.cols);
    }
    if cursor.visible && types {
        row = row.min(cursor.row);
        col = col.max((cursor.col + 1).saturating_sub(room.cols)).min(cursor.col);
    }
    (col, row)
}

/// The first line of a question: where its words begin, or where the words above its options do, of a program that
/// prints its prompt below them.
fn first_line(grid: &Grid, question: &QuestionInfo) -> Option<u16> {
    let words = line_of(grid, &question.prompt, grid.rows.len())?;
    let option = question.options.first().and_then(|label| line_of(grid, label, usize::from(words)));
    Some(option.filter(|_| prompted_below(question)).map_or(words, |option| option.saturating_sub(1)))
}

/// Where what is asked has no room as a whole, its beginning is given up, not its options and the words beside them.
fn least(grid: &Grid, room: Area, question: &QuestionInfo) -> u16 {
    let last = question.options.last().filter(|_| !prompted_below(question));
    let last = last.and_then(|label| line_of(grid, label, grid.rows.len()));
    last.map_or(0, |last| (last + 1).saturating_sub(room.rows))
}

/// Whether its prompt is a sign behind which something is typed, such as `#?`: what is asked stands above the options.
pub fn prompted_below(question: &QuestionInfo) -> bool {
    !question.options.is_empty() && !question.prompt.contains(char::is_alphabetic)
}

/// What stands above the options of such a question, if it is on the screen.
pub fn line_above(grid: &Grid, question: &QuestionInfo) -> Option<String> {
    if !prompted_below(question) {
        return None;
    }
    let prompt = line_of(grid, &question.prompt, grid.rows.len())?;
    let option = line_of(grid, question.options.first()?, usize::from(prompt))?;
    let text = grid.rows.get(usize::from(option.checked_sub(1)?))?.text();
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The lowest of so many lines in which these words begin, also where a row ends within the first of them.
fn line_of(grid: &Grid, question: &str, lines: usize) -> Option<u16> {
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
    (0..lines.min(grid.rows.len())).rev().find(begins).and_then(|row| u16::try_from(row).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::grid::Cell;

    fn asked(prompt: &str, options: &[&str]) -> QuestionInfo {
        serde_json::from_value(serde_json::json!({
            "id": "q1", "agent": "api", "kind": "menu", "prompt": prompt, "options": options, "selected": null,
            "multi": false, "asked_at": 0.0, "deadline_at": null, "status": "escalated", "route": "human",
            "sources": [],
        }))
        .unwrap()
    }

    fn write(grid: &mut Grid, row: usize, text: &str) {
        for (at, ch) in text.chars().enumerate() {
            grid.rows[row].cells[at] = Cell { ch, ..Cell::default() };
        }
    }

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
        write(&mut grid, 9, "  Which database should I use?");
        let question = asked("Which database should I use? It stays.", &[]);
        assert_eq!(origin(&grid, room, false, Some(&question)), (0, 9));
        assert_eq!(origin(&grid, room, false, Some(&asked("Another question", &[]))), (0, 14));
        assert_eq!(
            origin(&grid, Area::new(0, 0, 20, 6), false, Some(&question)),
            (0, 9),
            "what does not fit is shown from its left edge"
        );
        assert_eq!(
            origin(&grid, Area::new(0, 0, 30, 12), false, Some(&question)),
            (0, 8),
            "all below it is in view too"
        );
    }

    /// What was printed right before a question was taken for its beginning, and the pane showed that and no option.
    #[test]
    fn of_a_question_without_room_the_options_are_in_view() {
        let mut grid = grid(20);
        write(&mut grid, 2, "line 17 compiling module 17");
        for (row, text) in [(12, "Which one?"), (14, "1. SQLite"), (15, "2. Redis"), (17, "Enter selects")] {
            write(&mut grid, row, text);
        }
        let question = asked("line 17 compiling module 17 Which one?", &["SQLite", "Redis"]);
        assert_eq!(origin(&grid, Area::new(0, 0, 30, 6), false, Some(&question)), (0, 10));
        assert_eq!(origin(&grid, Area::new(0, 0, 30, 18), false, Some(&question)), (0, 2), "there is room");
    }

    /// A shell's `select` prints its prompt below the options, and what is asked above them: neither was in view.
    #[test]
    fn a_prompt_below_its_options_is_in_view_from_the_words_above_them() {
        let mut grid = grid(20);
        for (row, text) in
            [(12, "Which framework?"), (13, "1) React"), (14, "2) Vue"), (18, "6) Qwik"), (19, "#? ")]
        {
            write(&mut grid, row, text);
        }
        let question = asked("#?", &["React", "Vue", "Solid", "Lit", "Ember", "Qwik"]);
        assert_eq!(origin(&grid, Area::new(0, 0, 30, 6), false, Some(&question)), (0, 12));
        assert_eq!(line_above(&grid, &question).as_deref(), Some("Which framework?"));
        assert_eq!(line_above(&grid, &asked("Which?", &["React"])), None, "it says itself what is asked");
    }

    /// A box that was drawn in the middle of 220 columns stood beside every pane: looking at the question showed nothing.
    #[test]
    fn a_question_in_the_middle_of_a_large_screen_is_in_view() {
        let mut grid = Grid::blank(Size::new(220, 50));
        for (row, text) in
            [(20, "│ Which framework? │"), (22, "│ a  React         │"), (23, "│ b  Vue           │")]
        {
            let mut wide = " ".repeat(90);
            wide.push_str(text);
            write(&mut grid, row, &wide);
        }
        grid.cursor.visible = false;
        let question = asked("Which framework?", &["a React", "b Vue"]);
        for types in [false, true] {
            let (col, row) = origin(&grid, Area::new(0, 0, 58, 20), types, Some(&question));
            assert!((52..=90).contains(&col) && row <= 20 && 24 <= row + 20, "{col} {row}");
        }
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
            write(&mut grid, 9, "  Which ");
            write(&mut grid, 10, second);
            grid.rows[9].cells.truncate(8);
            grid.rows[9].wrapped = wrapped;
            let question = asked("Which database should I use?", &[]);
            assert_eq!(origin(&grid, room, false, Some(&question)), (0, 9), "{wrapped}");
        }
    }
}
