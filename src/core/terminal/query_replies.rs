//! Replies to terminal queries: constants and numbers of the pane's true state, nothing else.
//!
//! Called by `core/terminal/screen.rs` in the turn that read the query. A reply never carries a byte the
//! program printed, so that a program cannot make its terminal type.

use serde::{Deserialize, Serialize};

use crate::core::terminal::grid::{Cursor, Size};
use crate::core::terminal::query_parser::{Query, QueryParser};

/// Pixels of one cell reported to programs that ask: a common terminal font, since there is no font here.
pub const CELL_PIXELS: (u16, u16) = (10, 20);

/// An RGB colour, 8 bits a channel.
pub type Rgb = (u8, u8, u8);

/// What kind of terminal the agents see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalIdentity {
    /// Parameters of the DA1 reply: `62;22` (VT220 with colour) or `6` (VT102).
    pub primary_attributes: String,
    pub foreground: Rgb,
    pub background: Rgb,
    /// Say nothing at all: another terminal (tmux) answers.
    pub silent: bool,
    /// Answer each kind of query only the first time.
    pub once: bool,
}

impl Default for TerminalIdentity {
    fn default() -> TerminalIdentity {
        TerminalIdentity {
            primary_attributes: "62;22".into(),
            foreground: (0xd0, 0xd0, 0xd0),
            background: (0x10, 0x10, 0x10),
            silent: false,
            once: false,
        }
    }
}

/// The sixteen ANSI colours as xterm defines them, for palette queries.
const ANSI: [Rgb; 16] = [
    (0x00, 0x00, 0x00),
    (0xcd, 0x00, 0x00),
    (0x00, 0xcd, 0x00),
    (0xcd, 0xcd, 0x00),
    (0x00, 0x00, 0xee),
    (0xcd, 0x00, 0xcd),
    (0x00, 0xcd, 0xcd),
    (0xe5, 0xe5, 0xe5),
    (0x7f, 0x7f, 0x7f),
    (0xff, 0x00, 0x00),
    (0x00, 0xff, 0x00),
    (0xff, 0xff, 0x00),
    (0x5c, 0x5c, 0xff),
    (0xff, 0x00, 0xff),
    (0x00, 0xff, 0xff),
    (0xff, 0xff, 0xff),
];

/// The 256-colour palette: sixteen named ones, a 6x6x6 cube, a grey ramp (xterm's formula).
pub fn palette(index: u8) -> Rgb {
    let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    match index {
        0..=15 => ANSI[usize::from(index)],
        16..=231 => {
            let n = index - 16;
            (level(n / 36), level(n / 6 % 6), level(n % 6))
        }
        232..=255 => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    }
}

fn rgb_spec((r, g, b): Rgb) -> String {
    format!("rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}")
}

fn is_dark((r, g, b): Rgb) -> bool {
    // Rec. 601 luma, in thousandths of full white.
    299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b) < 127_500
}

/// The bytes that answer `query` for a pane of this size, cursor and mode set.
pub fn reply(
    query: &Query,
    me: &TerminalIdentity,
    size: Size,
    cursor: Cursor,
    query_parser: &QueryParser,
) -> String {
    let (row, col) = (cursor.row + 1, cursor.col + 1);
    let end = |bel: bool| if bel { "\x07" } else { "\x1b\\" };
    match *query {
        Query::PrimaryAttributes => format!("\x1b[?{}c", me.primary_attributes),
        Query::SecondaryAttributes => "\x1b[>0;0;0c".into(),
        Query::TertiaryAttributes => "\x1bP!|00000000\x1b\\".into(),
        Query::Version => format!("\x1bP>|counsel {}\x1b\\", env!("CARGO_PKG_VERSION")),
        Query::OperatingStatus => "\x1b[0n".into(),
        Query::CursorPosition { dec: false } => format!("\x1b[{row};{col}R"),
        Query::CursorPosition { dec: true } => format!("\x1b[?{row};{col}R"),
        Query::TextAreaPixels => {
            let (w, h) = (
                u32::from(CELL_PIXELS.0) * u32::from(size.cols),
                u32::from(CELL_PIXELS.1) * u32::from(size.rows),
            );
            format!("\x1b[4;{h};{w}t")
        }
        Query::CellPixels => format!("\x1b[6;{};{}t", CELL_PIXELS.1, CELL_PIXELS.0),
        Query::TextAreaCells => format!("\x1b[8;{};{}t", size.rows, size.cols),
        Query::PrivateMode(mode) => format!("\x1b[?{mode};{}$y", query_parser.private_mode(mode)),
        Query::AnsiMode(mode) => format!("\x1b[{mode};{}$y", query_parser.ansi_mode(mode)),
        Query::KittyFlags => format!("\x1b[?{}u", query_parser.modes().kitty),
        Query::DynamicColor { number, bel } => {
            let color = if number == 11 { me.background } else { me.foreground };
            format!("\x1b]{number};{}{}", rgb_spec(color), end(bel))
        }
        Query::PaletteColor { index, bel } => {
            format!("\x1b]4;{index};{}{}", rgb_spec(palette(index)), end(bel))
        }
        Query::ColorScheme => format!("\x1b[?997;{}n", if is_dark(me.background) { 1 } else { 2 }),
        Query::ProgramStatus => "\x1b]7501;?\x1b\\".into(),
        Query::SettingRefused { termcap: true } => "\x1bP0+r\x1b\\".into(),
        Query::SettingRefused { termcap: false } => "\x1bP0$r\x1b\\".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_is_xterms() {
        assert_eq!(palette(16), (0, 0, 0));
        assert_eq!(palette(196), (255, 0, 0));
        assert_eq!(palette(231), (255, 255, 255));
        assert_eq!(palette(255), (238, 238, 238));
    }
}
