//! Cells of the dashboard as bytes for the outer terminal: which of a row have to be written, and how.
//!
//! `canvas.rs` draws through it. Colours are written as they are given: whether counsel's own are to be seen is
//! the theme's affair, and an agent's are its own.

use std::io::{self, Write};

use crossterm::cursor::MoveTo;
use crossterm::queue;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

use crate::core::terminal::features::Features;
use crate::core::terminal::grid::{Attrs, Color as CellColor, Style};
use crate::core::terminal::link;
use crate::core::terminal::repaint::sgr;

use super::links::{self, Links};

/// Asks for a glyph to be drawn as an emoji. Terminals differ on how wide it is then.
const EMOJI: char = '\u{fe0f}';

/// Underlines that are not plain. Views have no word for them: they travel in bits that ratatui keeps and does
/// not use.
const UNDERLINES: [(Attrs, Modifier); 4] = [
    (Attrs::DOUBLE, Modifier::from_bits_retain(1 << 12)),
    (Attrs::CURLY, Modifier::from_bits_retain(1 << 13)),
    (Attrs::DOTTED, Modifier::from_bits_retain(1 << 14)),
    (Attrs::DASHED, Modifier::from_bits_retain(1 << 15)),
];

const MODIFIERS: [(Attrs, Modifier); 8] = [
    (Attrs::BOLD, Modifier::BOLD),
    (Attrs::DIM, Modifier::DIM),
    (Attrs::ITALIC, Modifier::ITALIC),
    (Attrs::UNDERLINE, Modifier::UNDERLINED),
    (Attrs::INVERSE, Modifier::REVERSED),
    (Attrs::HIDDEN, Modifier::HIDDEN),
    (Attrs::STRIKE, Modifier::CROSSED_OUT),
    (Attrs::BLINK, Modifier::SLOW_BLINK),
];

/// An agent's attributes as the views carry them.
pub fn modifiers(attrs: Attrs) -> Modifier {
    let set = MODIFIERS.into_iter().chain(UNDERLINES).filter(|(bit, _)| attrs.has(*bit));
    set.fold(Modifier::empty(), |all, (_, modifier)| all | modifier)
}

fn style(cell: &Cell) -> Style {
    let set = MODIFIERS.into_iter().chain(UNDERLINES).filter(|(_, bit)| cell.modifier.intersects(*bit));
    let attrs = set.fold(Attrs::default(), |all, (bit, _)| all.with(bit, true));
    Style { fg: color(cell.fg), bg: color(cell.bg), attrs, underline: color(cell.underline_color) }
}

fn color(color: Color) -> CellColor {
    let index = match color {
        Color::Reset => return CellColor::Default,
        Color::Rgb(r, g, b) => return CellColor::Rgb(r, g, b),
        Color::Indexed(index) => index,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    };
    CellColor::Indexed(index)
}

fn width(cell: &Cell) -> usize {
    if cell.symbol().len() == 1 { 1 } else { cell.symbol().width().max(1) }
}

/// The columns of a row that have to be written, of a wide glyph its first one.
fn changed(before: &[Cell], now: &[Cell]) -> Vec<usize> {
    let (mut columns, mut at) = (Vec::new(), 0);
    // Whatever is written over half of a wide glyph takes its other half away: up to here.
    let mut broken = 0;
    while at < now.len() {
        let end = (at + width(&now[at])).min(now.len());
        if now[at] != before[at] || at < broken {
            columns.push(at);
            broken = (at..end).map(|column| column + width(&before[column])).fold(broken, usize::max);
        }
        at = end;
    }
    columns
}

/// What the terminal can show, and where the links lead that cells have by number.
#[derive(Debug, Clone, Copy)]
pub struct Manner<'a> {
    pub features: Features,
    pub links: &'a Links,
}

/// Writes of a row, whose first cell is at `(x, y)`, what differs from what the terminal shows.
pub fn write_row(
    out: &mut Vec<u8>,
    (x, y): (u16, u16),
    before: &[Cell],
    now: &[Cell],
    manner: Manner<'_>,
) -> io::Result<bool> {
    let columns = changed(before, now);
    // Where the terminal's cursor is, as far as that is known, and the style and the link it writes in.
    let (mut here, mut worn, mut linked) = (None, Style::default(), None);
    for column in &columns {
        let cell = &now[*column];
        if here != Some(*column) {
            queue!(out, MoveTo(x + *column as u16, y))?;
        }
        let wanted = style(cell);
        if wanted != worn {
            out.write_all(sgr(manner.features.style(wanted)).as_bytes())?;
            worn = wanted;
        }
        let (glyph, link) = links::split(cell.symbol());
        let link = link.filter(|_| manner.features.links);
        if link != linked {
            let to = link.and_then(|number| Some((manner.links.get(number)?, number)));
            out.write_all(link::sequence(to).as_bytes())?;
            linked = link;
        }
        if glyph.contains(EMOJI) {
            // A terminal that takes it for narrow leaves what stood beside it.
            write!(out, "{:1$}", "", width(cell).min(now.len() - column))?;
            queue!(out, MoveTo(x + *column as u16, y))?;
        }
        out.write_all(glyph.as_bytes())?;
        // The terminal may think otherwise about the width of all but the plainest characters.
        here = glyph.is_ascii().then_some(column + 1);
    }
    if linked.is_some() {
        out.write_all(link::sequence(None).as_bytes())?;
    }
    if worn != Style::default() {
        out.write_all(b"\x1b[m")?;
    }
    Ok(!columns.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> Vec<Cell> {
        let mut cells = Vec::new();
        for ch in text.chars() {
            let mut cell = Cell::default();
            cell.set_char(ch);
            let wide = width(&cell) == 2;
            cells.push(cell);
            if wide {
                cells.push(Cell::default());
            }
        }
        cells
    }

    fn columns(before: &str, now: &str) -> Vec<usize> {
        changed(&row(before), &row(now))
    }

    #[test]
    fn what_breaks_a_wide_glyph_is_written_with_what_stands_beside_it() {
        assert!(columns("abc", "abc").is_empty());
        assert_eq!(columns("abc", "axc"), [1]);
        assert_eq!(columns("漢c", "漢d"), [2]);
        assert_eq!(columns("漢c", "  c"), [0, 1], "the blank beside it may have taken its colour");
        assert_eq!(columns("a漢c", "漢 c"), [0, 2], "written over half of another");
    }

    #[test]
    fn underlines_and_colours_reach_the_terminal() {
        let mut cell = Cell::default();
        cell.set_symbol("x").set_fg(Color::Red);
        cell.modifier = modifiers(Attrs(Attrs::UNDERLINE.0 | Attrs::CURLY.0 | Attrs::BLINK.0));
        cell.underline_color = Color::Rgb(1, 2, 3);
        let written = |features| {
            let (mut out, links) = (Vec::new(), Links::default());
            let manner = Manner { features, links: &links };
            assert!(write_row(&mut out, (3, 1), &[Cell::default()], &[cell.clone()], manner).unwrap());
            String::from_utf8(out).unwrap()
        };
        let all = Features::default();
        assert_eq!(written(all), "\x1b[2;4H\x1b[0;5;4:3;31;58:2::1:2:3mx\x1b[m");
        assert_eq!(written(Features { underlines: false, ..all }), "\x1b[2;4H\x1b[0;5;4;31mx\x1b[m");
    }
}
