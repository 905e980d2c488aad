//! Tables: aligned by the width of what is shown, cut to the terminal, coloured on one, the same in every pipe.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::failure::Failure;
use super::out;
use crate::core::visible::visible;

/// Between two columns.
const GAP: &str = "  ";
/// A column narrower than this tells nothing: three or four words.
const LEAST: usize = 20;

/// How a cell looks on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    #[default]
    Plain,
    Dim,
    Bold,
    Red,
    Green,
    Yellow,
    Blue,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Style::Plain => "",
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Red => "31",
            Style::Green => "32",
            Style::Yellow => "33",
            Style::Blue => "34",
        }
    }

    /// The text in this style, if standard output gets colours.
    pub fn paint(self, text: &str) -> String {
        self.paint_if(text, out::colored())
    }

    fn paint_if(self, text: &str, colored: bool) -> String {
        match self.code() {
            "" => text.to_owned(),
            _ if !colored || text.is_empty() => text.to_owned(),
            code => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub fn new(text: impl AsRef<str>, style: Style) -> Cell {
        Cell { text: visible(text.as_ref()).into_owned(), style }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell::new(text, Style::Plain)
    }
}

/// Rows under a head.
#[derive(Debug, Clone)]
pub struct Table<const N: usize> {
    rows: Vec<[Cell; N]>,
}

impl<const N: usize> Table<N> {
    pub fn new(head: [&str; N]) -> Table<N> {
        Table { rows: vec![head.map(|text| Cell::new(text, Style::Dim))] }
    }

    pub fn row(&mut self, cells: [Cell; N]) {
        self.rows.push(cells);
    }

    /// Whether the last column, which is what is read, has some room on this terminal beside the others.
    pub fn has_room(&self) -> bool {
        out::terminal_width().is_none_or(|width| self.has_room_in(width))
    }

    fn has_room_in(&self, width: usize) -> bool {
        let widest = |at: usize| self.rows.iter().map(|row| row[at].text.width()).max().unwrap_or(0);
        let before = (0..N.saturating_sub(1)).map(|at| widest(at) + GAP.len()).sum::<usize>();
        width >= before + widest(N - 1).min(LEAST)
    }

    pub fn print(&self) -> Result<(), Failure> {
        out::line(&self.text(out::terminal_width(), out::colored()))
    }

    fn text(&self, width: Option<usize>, colored: bool) -> String {
        let mut widths = [0; N];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.width());
            }
        }
        let lines = self.rows.iter().map(|row| line(row, &widths, width, colored));
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// One row. Where the terminal has no room for all that is in it, its last column says so.
fn line(row: &[Cell], widths: &[usize], width: Option<usize>, colored: bool) -> String {
    let filled = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
    let row = &row[..filled];
    let before = widths.iter().take(filled.saturating_sub(1)).map(|width| width + GAP.len()).sum::<usize>();
    let whole = before + row.last().map_or(0, |cell| cell.text.width());
    let room = width.filter(|width| *width < whole).map(|width| width.saturating_sub(1));
    let (mut line, mut used) = (String::new(), 0);
    for (at, cell) in row.iter().enumerate() {
        let left = room.map_or(usize::MAX, |room| room.saturating_sub(used));
        let text = taken(&cell.text, left);
        line.push_str(&cell.style.paint_if(text, colored));
        let after = if at + 1 == filled { 0 } else { widths[at] + GAP.len() - cell.text.width() };
        let after = after.min(left - text.width().min(left));
        line.push_str(&" ".repeat(after));
        used += text.width() + after;
    }
    if room.is_some() && width != Some(0) {
        line.push('…');
    }
    line
}

/// The beginning of a text that takes at most `room` columns.
fn taken(text: &str, room: usize) -> &str {
    let mut used = 0;
    let within = text.grapheme_indices(true).find(|(_, grapheme)| {
        used += grapheme.width();
        used > room
    });
    within.map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table<3> {
        let mut table = Table::new(["NAME", "STATE", "TITLE"]);
        table.row(["漢字".into(), Cell::new("asking", Style::Yellow), "a long title, and on".into()]);
        table.row(["api".into(), "idle".into(), "\u{1b}]0;x".into()]);
        table
    }

    #[test]
    fn a_last_column_of_a_few_letters_is_no_room() {
        let mut table = Table::new(["TIME", "TEXT"]);
        table.row(["2026-11-24".into(), "some words that are looked for".into()]);
        assert!(table.has_room_in(12 + LEAST) && !table.has_room_in(11 + LEAST));
        let mut short = Table::new(["TIME", "TEXT"]);
        short.row(["2026-11-24".into(), "hits".into()]);
        assert!(short.has_room_in(16) && !short.has_room_in(15));
    }

    #[test]
    fn columns_are_aligned_by_width_not_by_bytes() {
        let text = "NAME  STATE   TITLE\n漢字  asking  a long title, and on\napi   idle    \\u{1b}]0;x";
        assert_eq!(table().text(None, false), text);
    }

    #[test]
    fn the_last_column_is_cut_to_the_terminal() {
        let text = table().text(Some(24), false);
        assert_eq!(text, "NAME  STATE   TITLE\n漢字  asking  a long ti…\napi   idle    \\u{1b}]0;x");
        // A column that is left out altogether is told of as well.
        let text = table().text(Some(15), false);
        assert_eq!(text, "NAME  STATE   …\n漢字  asking  …\napi   idle    …");
        let text = table().text(Some(9), false);
        assert_eq!(text, "NAME  ST…\n漢字  as…\napi   id…");
        let whole = table().text(None, false);
        for width in 1..40 {
            let text = table().text(Some(width), false);
            assert!(text.lines().all(|line| line.width() <= width), "{width}: {text}");
            for (line, whole) in text.lines().zip(whole.lines()) {
                assert_eq!(line.ends_with('…'), whole.width() > width, "{width}: {line}");
            }
        }
    }

    #[test]
    fn colours_change_no_width() {
        let text = table().text(None, true);
        assert!(text.contains("\x1b[33masking\x1b[0m  a long"), "{text:?}");
    }
}
