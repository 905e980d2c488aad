//! What a terminal shows: a rectangle of styled cells, and nothing about how it came to be.
//!
//! `core/terminal/screen.rs` makes a `Grid` of the emulator's cells, detection reads it, the wire carries its
//! rows, the dashboard and `attach` paint it. It must never know an escape sequence.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A terminal size in character cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Size {
    pub cols: u16,
    pub rows: u16,
}

impl Size {
    /// The size used when no terminal tells one: wide enough that no agent wraps its dialogs.
    pub const FALLBACK: Size = Size { cols: 220, rows: 50 };
    /// The smallest size the emulator is driven at; it does not terminate at one column.
    pub const MIN: Size = Size { cols: 2, rows: 1 };
    /// The largest size accepted, so that one request cannot ask for gigabytes of cells.
    pub const MAX: Size = Size { cols: 1000, rows: 1000 };

    pub fn new(cols: u16, rows: u16) -> Size {
        Size { cols, rows }
    }

    /// The nearest size the emulator can be driven at.
    pub fn clamped(self) -> Size {
        Size {
            cols: self.cols.clamp(Size::MIN.cols, Size::MAX.cols),
            rows: self.rows.clamp(Size::MIN.rows, Size::MAX.rows),
        }
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.cols, self.rows)
    }
}

impl Size {
    /// As somebody else wrote it down, for instance a recording: of any extent.
    ///
    /// # Errors
    /// The text is no size.
    pub fn recorded(text: &str) -> Result<Size, String> {
        let parse = |part: &str| part.parse::<u16>().ok().filter(|n| *n > 0);
        text.split_once(['x', 'X'])
            .and_then(|(cols, rows)| Some(Size { cols: parse(cols)?, rows: parse(rows)? }))
            .ok_or_else(|| format!("'{text}' is not a size; write it as COLSxROWS, for example 120x40"))
    }
}

impl std::str::FromStr for Size {
    type Err = String;

    /// As a person asks for it: one that no terminal can have is refused, not made another.
    fn from_str(text: &str) -> Result<Size, String> {
        let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let (min, max) = (Size::MIN, Size::MAX);
        match Size::recorded(text) {
            Ok(size) if size == size.clamped() => Ok(size),
            // A number too large for any terminal is a number all the same.
            Err(why) if !text.split_once(['x', 'X']).is_some_and(|(c, r)| number(c) && number(r)) => Err(why),
            Ok(_) | Err(_) => Err(format!("{text} is out of range; write {min} to {max}")),
        }
    }
}

/// A cell's colour as the program asked for it; what it looks like is the outer terminal's affair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Color {
    #[default]
    Default,
    Indexed(u8),
    Rgb(u8, u8, u8),
}

impl Color {
    pub fn is_default(&self) -> bool {
        *self == Color::Default
    }
}

/// Style bits of a cell. The values cross the socket: never renumber them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Attrs(pub u16);

impl Attrs {
    pub const BOLD: Attrs = Attrs(1);
    pub const DIM: Attrs = Attrs(1 << 1);
    pub const ITALIC: Attrs = Attrs(1 << 2);
    pub const UNDERLINE: Attrs = Attrs(1 << 3);
    pub const INVERSE: Attrs = Attrs(1 << 4);
    pub const HIDDEN: Attrs = Attrs(1 << 5);
    pub const STRIKE: Attrs = Attrs(1 << 6);
    /// Of an underline that is not a plain one; with `UNDERLINE`, and at most one of them.
    pub const DOUBLE: Attrs = Attrs(1 << 7);
    pub const CURLY: Attrs = Attrs(1 << 8);
    pub const DOTTED: Attrs = Attrs(1 << 9);
    pub const DASHED: Attrs = Attrs(1 << 10);
    /// At any speed.
    pub const BLINK: Attrs = Attrs(1 << 11);

    pub fn has(self, bit: Attrs) -> bool {
        self.0 & bit.0 != 0
    }

    pub fn with(self, bit: Attrs, on: bool) -> Attrs {
        if on { Attrs(self.0 | bit.0) } else { self }
    }
}

/// Colours and attributes together: what a run of cells shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub struct Style {
    pub fg: Color,
    pub bg: Color,
    pub attrs: Attrs,
    /// Of the underline, where it has a colour of its own.
    #[serde(default, skip_serializing_if = "Color::is_default")]
    pub underline: Color,
}

/// Where text leads, as OSC 8 says it: both parts are short and printable ASCII, the address is of a known kind.
/// `link.rs` alone makes one of what a program has printed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Link {
    /// The program's own name for it: pieces of one link have the same. Empty: none was given.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub id: Box<str>,
    pub uri: Box<str>,
}

/// What few cells have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extra {
    /// Combining marks that follow the base character.
    pub marks: Box<str>,
    pub link: Option<Arc<Link>>,
}

/// How many columns a cell's glyph takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Width {
    #[default]
    One,
    /// The left half of a glyph two columns wide.
    Two,
    /// The right half of such a glyph, or the blank a wide glyph left when it wrapped.
    Spacer,
}

/// One character cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The base character; a blank for an empty cell and for a spacer.
    pub ch: char,
    pub style: Style,
    pub width: Width,
    /// Shared by cells that have the same, and apart: a screen is thousands of cells.
    pub extra: Option<Arc<Extra>>,
}

impl Default for Cell {
    fn default() -> Cell {
        Cell { ch: ' ', style: Style::default(), width: Width::One, extra: None }
    }
}

impl Cell {
    /// Combining marks that follow the base character.
    pub fn marks(&self) -> &str {
        self.extra.as_ref().map_or("", |extra| &extra.marks)
    }

    pub fn link(&self) -> Option<&Arc<Link>> {
        self.extra.as_ref()?.link.as_ref()
    }

    /// Whether it is as a cell on which nothing was ever drawn.
    pub fn is_blank(&self) -> bool {
        self.ch == ' ' && self.width == Width::One && self.extra.is_none() && self.style == Style::default()
    }

    /// Appends the glyph; a spacer appends nothing.
    pub fn push_to(&self, text: &mut String) {
        if self.width != Width::Spacer {
            text.push(self.ch);
            text.push_str(self.marks());
        }
    }
}

/// One row of cells, as wide as the grid.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    pub cells: Vec<Cell>,
    /// The program went on writing past the right edge: the next row continues this line.
    pub wrapped: bool,
}

impl Row {
    pub fn blank(cols: u16) -> Row {
        Row { cells: vec![Cell::default(); usize::from(cols)], wrapped: false }
    }

    /// The row's whole text, blanks included: what a line that goes on in the next row consists of.
    pub fn full_text(&self) -> String {
        let mut text = String::with_capacity(self.cells.len());
        for cell in &self.cells {
            cell.push_to(&mut text);
        }
        text
    }

    /// The row's text with trailing blanks removed.
    pub fn text(&self) -> String {
        let mut text = self.full_text();
        text.truncate(text.trim_end_matches([' ', '\u{a0}']).len());
        text
    }
}

/// The cursor as the program left it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub struct Cursor {
    pub row: u16,
    pub col: u16,
    pub visible: bool,
    /// DECSCUSR parameter: 0 default, 1–2 block, 3–4 underline, 5–6 bar (odd blinks).
    pub shape: u8,
}

/// A whole screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grid {
    pub size: (u16, u16),
    pub rows: Vec<Row>,
    pub cursor: Cursor,
}

impl Grid {
    pub fn blank(size: Size) -> Grid {
        Grid {
            size: (size.cols, size.rows),
            rows: (0..size.rows).map(|_| Row::blank(size.cols)).collect(),
            cursor: Cursor { visible: true, ..Cursor::default() },
        }
    }

    /// Gives it another size: what does not fit is cut off, what is new is blank.
    pub fn cut(&mut self, size: Size) {
        self.size = (size.cols, size.rows);
        let cols = usize::from(size.cols);
        self.rows.resize_with(usize::from(size.rows), Row::default);
        for row in &mut self.rows {
            row.cells.resize(cols, Cell::default());
            if let Some(last) = row.cells.last_mut().filter(|last| last.width == Width::Two) {
                *last = Cell { style: last.style, ..Cell::default() };
            }
        }
        self.cursor.row = self.cursor.row.min(size.rows.saturating_sub(1));
        self.cursor.col = self.cursor.col.min(size.cols.saturating_sub(1));
    }

    pub fn cols(&self) -> u16 {
        self.size.0
    }

    pub fn cell(&self, row: u16, col: u16) -> Option<&Cell> {
        self.rows.get(usize::from(row))?.cells.get(usize::from(col))
    }

    /// Every row's text, trailing blanks removed, one line a row.
    pub fn text(&self) -> String {
        let lines: Vec<String> = self.rows.iter().map(Row::text).collect();
        lines.join("\n").trim_end_matches('\n').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_refused() {
        assert_eq!("120x40".parse::<Size>(), Ok(Size::new(120, 40)));
        for bad in ["", "120", "0x4", "x", "120x", "-1x5", "99999x1", "1x2x3"] {
            assert!(bad.parse::<Size>().is_err(), "{bad} was taken for a size");
        }
    }

    #[test]
    fn a_row_reads_without_spacers_and_trailing_blanks() {
        let mut row = Row::blank(6);
        row.cells[0] = Cell { ch: '漢', width: Width::Two, ..Cell::default() };
        row.cells[1].width = Width::Spacer;
        let acute = Extra { marks: "\u{301}".into(), link: None };
        row.cells[2] = Cell { ch: 'e', extra: Some(acute.into()), ..Cell::default() };
        assert_eq!(row.text(), "漢e\u{301}");
    }
}
