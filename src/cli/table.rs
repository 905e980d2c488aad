//! Tables: aligned by the width of what is shown, cut to the terminal, coloured on one, the same in every pipe.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::failure::Failure;
use super::out;
use crate::core::visible::visible;

/// Between two columns.
const GAP: &str = "  ";

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
        let lines = self.rows.iter().map(|row| {
            let (mut line, mut used) = (String::new(), 0);
            for (at, cell) in row.iter().enumerate() {
                let last = at + 1 == N;
                let room = width.map_or(usize::MAX, |width| width.saturating_sub(used));
                let text = cut(&cell.text, room);
                let padding = if last { 0 } else { widths[at] - cell.text.width() };
                used += text.width() + padding + GAP.len();
                line.push_str(&cell.style.paint_if(&text, colored));
                if !last {
                    line.push_str(&" ".repeat(padding));
                    line.push_str(GAP);
                }
            }
            line.trim_end().to_owned()
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// At most `room` columns, the last of them `…` where something was cut.
pub fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let (mut kept, mut used) = (String::new(), 0);
    for grapheme in text.graphemes(true) {
        used += grapheme.width();
        if used + 1 > room {
            break;
        }
        kept.push_str(grapheme);
    }
    if room > 0 {
        kept.push('…');
    }
    kept
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
    fn columns_are_aligned_by_width_not_by_bytes() {
        let text = "NAME  STATE   TITLE\n漢字  asking  a long title, and on\napi   idle    \\u{1b}]0;x";
        assert_eq!(table().text(None, false), text);
    }

    #[test]
    fn the_last_column_is_cut_to_the_terminal() {
        let text = table().text(Some(24), false);
        assert_eq!(text, "NAME  STATE   TITLE\n漢字  asking  a long ti…\napi   idle    \\u{1b}]0;x");
        for width in 1..30 {
            let text = table().text(Some(width), false);
            assert!(text.lines().all(|line| line.width() <= width), "{width}: {text}");
        }
    }

    #[test]
    fn colours_change_no_width() {
        let text = table().text(None, true);
        assert!(text.contains("\x1b[33masking\x1b[0m  a long"), "{text:?}");
    }
}
