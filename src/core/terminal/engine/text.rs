//! What most output is made of, drawn without being read letter by letter: letters, line ends, and the sequences that do
//! nothing but draw.
//!
//! `engine/mod.rs` asks for it between two sequences. It takes only what nobody but the emulator has to know of, which is
//! nothing that asks, reports, switches a mode, or may cost more than the cells it touches: those are `query_parser.rs`'s
//! first.

use alacritty_terminal::index::Column;
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::vte::ansi::{Handler, StandardCharset};

use super::colours::Attributes;
use super::door::Door;

/// Bytes of the longest sequence that is taken for one that draws: five colours as three numbers each.
const LONGEST_SEQUENCE: usize = 80;
const ESC: u8 = 0x1b;

/// What a stream of output goes on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// So many letters of one column each.
    Letters(usize),
    CarriageReturn,
    LineFeed,
    /// A sequence of so many bytes that colours, moves the cursor, or changes the cells of a row.
    Drawing(usize),
    /// Something else, or the beginning of it.
    Other,
}

/// Reads what comes next, between two sequences.
pub fn next(bytes: &[u8]) -> Next {
    match bytes.first() {
        Some(b' '..=b'~') => {
            let letters = bytes.iter().position(|byte| !matches!(byte, b' '..=b'~'));
            Next::Letters(letters.unwrap_or(bytes.len()))
        }
        Some(b'\r') => Next::CarriageReturn,
        Some(b'\n') => Next::LineFeed,
        Some(&ESC) => drawing(bytes).map_or(Next::Other, Next::Drawing),
        _ => Next::Other,
    }
}

/// The length of a sequence that only draws: no mark of a private one, no intermediate, no control character within.
fn drawing(bytes: &[u8]) -> Option<usize> {
    let parameters = bytes.strip_prefix(b"\x1b[")?;
    let length = parameters.iter().take(LONGEST_SEQUENCE).position(|byte| !matches!(byte, b'0'..=b';'))?;
    // Colours; the cursor up, down, right, left, to a line, a column, a place; a row erased, shifted, closed up.
    let draws = matches!(
        parameters[length],
        b'm' | b'A'..=b'H' | b'd' | b'f' | b'`' | b'a' | b'e' | b'K' | b'P' | b'X' | b'@'
    );
    draws.then_some(length + 3)
}

impl Door<'_> {
    /// Sets the usual colours and attributes; false for a sequence that is left to the emulator's parser.
    pub fn colours(&mut self, sequence: &[u8]) -> bool {
        let parameters = sequence.strip_prefix(b"\x1b[").and_then(|rest| rest.strip_suffix(b"m"));
        let read = parameters.and_then(Attributes::read);
        let known = read.is_some();
        read.iter().flat_map(Attributes::iter).for_each(|(attr, _)| self.terminal_attribute(attr));
        known
    }

    /// Draws letters of one column each.
    pub fn letters(&mut self, letters: &[u8]) {
        let mut rest = letters;
        while let Some(letter) = rest.first() {
            let drawn = self.letters_at_once(rest);
            if drawn == 0 {
                self.input(char::from(*letter));
            }
            rest = &rest[drawn.max(1)..];
        }
    }

    /// As many of them as go into the row of the cursor, but for its last column: the emulator notes there that the next
    /// letter begins a row. None where cells are shifted, glyphs of two columns are in the way, or letters are lines.
    fn letters_at_once(&mut self, letters: &[u8]) -> usize {
        let grid = self.term.grid();
        let (line, column) = (grid.cursor.point.line, grid.cursor.point.column.0);
        let plain = grid.cursor.charsets[self.tracked.charset] == StandardCharset::Ascii;
        if !plain || grid.cursor.input_needs_wrap || self.term.mode().contains(TermMode::INSERT) {
            return 0;
        }
        let room = (self.tracked.cols - 1).saturating_sub(column).min(letters.len());
        let grid = self.term.grid_mut();
        let pen = grid.cursor.template.clone();
        let cells = &mut grid[line][Column(column)..Column(column + room)];
        let mut drawn = 0;
        for (cell, letter) in cells.iter_mut().zip(letters) {
            if cell.flags.intersects(Flags::WIDE_CHAR | Flags::WIDE_CHAR_SPACER) {
                break;
            }
            (cell.c, cell.fg, cell.bg, cell.flags) = (char::from(*letter), pen.fg, pen.bg, pen.flags);
            if cell.extra.is_some() || pen.extra.is_some() {
                cell.extra.clone_from(&pen.extra);
            }
            drawn += 1;
        }
        grid.cursor.point.column += drawn;
        if let Some(last) = drawn.checked_sub(1) {
            self.tracked.last = Some(char::from(letters[last]));
            self.drawn();
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_draws_is_taken() {
        for (bytes, length) in [
            ("\x1b[m", 3),
            ("\x1b[1;38;2;1;2;3m", 15),
            ("\x1b[4:3mx", 6),
            ("\x1b[12;40H", 8),
            ("\x1b[Kab", 3),
        ] {
            assert_eq!(next(bytes.as_bytes()), Next::Drawing(length), "{bytes:?}");
        }
        let asks_or_costs = [
            "\x1b[6n",
            "\x1b[c",
            "\x1b[?25h",
            "\x1b[>4m",
            "\x1b[2J",
            "\x1b[9S",
            "\x1b[5b",
            "\x1b[18t",
            "\x1b[4h",
            "\x1b[5 q",
        ];
        let others = [
            "\x1b[",
            "\x1b[38;5",
            "\x1b",
            "\x1bM",
            "\x1b]0;a\x07",
            "\x1b[1\n2m",
            "\t",
            "\x07",
            "\x7f",
            "é",
            "\x08",
            "\x0e",
            "",
        ];
        for bytes in asks_or_costs.iter().chain(&others) {
            assert_eq!(next(bytes.as_bytes()), Next::Other, "{bytes:?}");
        }
        assert_eq!(
            (next(b"ab~ \r"), next(b"\r\n"), next(b"\n")),
            (Next::Letters(4), Next::CarriageReturn, Next::LineFeed)
        );
    }
}
