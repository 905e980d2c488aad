//! A screen as the escape sequences that paint it: the beginning of a recording, or of a journal, made in
//! the middle of a program's life.
//!
//! Written from cells alone, so nothing a program printed passes through uninterpreted.

use std::fmt::Write;

use crate::core::terminal::grid::{Attrs, Color, Grid, Style, Width};
use crate::core::terminal::modes::Modes;

/// What turns a blank terminal of the same size into this one.
pub fn repaint(grid: &Grid, modes: Modes) -> Vec<u8> {
    let mut out = String::from(if modes.alternate_screen { "\x1b[?1049h" } else { "" });
    out.push_str("\x1b[H\x1b[2J");
    let mut style = Style::default();
    for (number, row) in grid.rows.iter().enumerate() {
        if row.text().is_empty() && row.cells.iter().all(|cell| cell.style == Style::default()) {
            continue;
        }
        let _ = write!(out, "\x1b[{};1H", number + 1);
        for cell in row.cells.iter().filter(|cell| cell.width != Width::Spacer) {
            if cell.style != style {
                out.push_str(&sgr(cell.style));
                style = cell.style;
            }
            cell.push_to(&mut out);
        }
    }
    let cursor = grid.cursor;
    let _ = write!(out, "\x1b[m\x1b[{};{}H", cursor.row + 1, cursor.col + 1);
    out.push_str(if cursor.visible { "\x1b[?25h" } else { "\x1b[?25l" });
    let private = [
        (modes.application_cursor, 1),
        (modes.mouse_click && !modes.mouse_drag, 1000),
        (modes.mouse_drag && !modes.mouse_motion, 1002),
        (modes.mouse_motion, 1003),
        (modes.focus_events, 1004),
        (modes.mouse_sgr, 1006),
        (modes.alternate_scroll, 1007),
        (modes.bracketed_paste, 2004),
    ];
    for (_, mode) in private.iter().filter(|(on, _)| *on) {
        let _ = write!(out, "\x1b[?{mode}h");
    }
    if modes.kitty != 0 {
        let _ = write!(out, "\x1b[>{}u", modes.kitty);
    }
    out.into_bytes()
}

/// The SGR sequence that sets exactly this style.
pub fn sgr(style: Style) -> String {
    let mut out = String::from("\x1b[0");
    let bits = [
        (Attrs::BOLD, 1),
        (Attrs::DIM, 2),
        (Attrs::ITALIC, 3),
        (Attrs::BLINK, 5),
        (Attrs::INVERSE, 7),
        (Attrs::HIDDEN, 8),
        (Attrs::STRIKE, 9),
    ];
    for (bit, code) in bits {
        if style.attrs.has(bit) {
            let _ = write!(out, ";{code}");
        }
    }
    // Colons, as ECMA-48 has it for what belongs to one parameter; a plain one needs none.
    let lines =
        [(Attrs::DOUBLE, "4:2"), (Attrs::CURLY, "4:3"), (Attrs::DOTTED, "4:4"), (Attrs::DASHED, "4:5")];
    if style.attrs.has(Attrs::UNDERLINE) {
        let other = lines.into_iter().find(|(bit, _)| style.attrs.has(*bit));
        let _ = write!(out, ";{}", other.map_or("4", |(_, code)| code));
    }
    for (color, base) in [(style.fg, 30), (style.bg, 40)] {
        let _ = match color {
            Color::Default => Ok(()),
            Color::Indexed(index @ 0..=7) => write!(out, ";{}", base + u16::from(index)),
            Color::Indexed(index @ 8..=15) => write!(out, ";{}", base + 60 + u16::from(index) - 8),
            Color::Indexed(index) => write!(out, ";{};5;{index}", base + 8),
            Color::Rgb(r, g, b) => write!(out, ";{};2;{r};{g};{b}", base + 8),
        };
    }
    // In the form with colons: a terminal that does not know it takes the numbers for nothing else.
    let _ = match style.underline {
        Color::Default => Ok(()),
        Color::Indexed(index) => write!(out, ";58:5:{index}"),
        Color::Rgb(r, g, b) => write!(out, ";58:2::{r}:{g}:{b}"),
    };
    out.push('m');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::grid::Size;
    use crate::core::terminal::query_replies::TerminalIdentity;
    use crate::core::terminal::screen::Screen;

    #[test]
    fn a_repainted_screen_is_the_same_screen() {
        let size = Size::new(30, 6);
        let mut first = Screen::new(size, TerminalIdentity::default());
        first.feed(
            "\x1b[1;31;48;5;200mab\x1b[0m\r\n  漢字 e\u{301}\x1b[7mx\x1b[0m\x1b[5;9H\x1b[38;2;1;2;3mz"
                .as_bytes(),
        );
        let mut second = Screen::new(size, TerminalIdentity::default());
        first.feed(b"\x1b[?1h\x1b[?1002h\x1b[?1006h\x1b[?1004h\x1b[?2004h\x1b[>5u\x1b[?25l");
        second.feed(&repaint(first.grid(), first.modes()));
        assert_eq!(first.grid(), second.grid());
        assert_eq!(first.modes(), second.modes());
    }
}
