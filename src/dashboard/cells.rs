//! Cells of the dashboard as bytes for the outer terminal: which of a row have to be written, and how.
//!
//! `canvas.rs` draws through it. Colours are written as they are given: whether counsel's own are to be seen is
//! the theme's affair, and an agent's are its own.

use std::io::{self, Write};

use crossterm::cursor::MoveTo;
use crossterm::queue;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::core::terminal::features::Features;
use crate::core::terminal::grid::{Attrs, Color as CellColor, Style};
use crate::core::terminal::link;
use crate::core::terminal::repaint::sgr;

use super::links::{self, Links};

/// Asks for a glyph to be drawn as an emoji. Terminals differ on how wide it is then.
const EMOJI: char = '\u{fe0f}';
/// Makes one picture of what stands before and behind it, on terminals that know the picture.
const JOINER: char = '\u{200d}';
/// Emoji and flags begin here. Terminals differ on how wide they are, too, and join some of them.
const PICTURES: char = '\u{1f000}';

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

/// Whether terminals differ on how wide it is.
fn doubtful(glyph: &str) -> bool {
    let mut chars = glyph.chars();
    chars.next().is_some_and(|first| first >= PICTURES) || !glyph.is_ascii() && chars.next().is_some()
}

/// How many columns any terminal may take for it.
fn at_most(cell: &Cell) -> usize {
    let (glyph, _) = links::split(cell.symbol());
    if glyph.len() == 1 {
        return 1;
    }
    match doubtful(glyph) {
        // Each of its characters may be drawn by itself.
        true => 2 * glyph.chars().filter(|ch| ch.width().unwrap_or(0) > 0).count().max(1),
        false => width(cell),
    }
}

/// A glyph of an agent's screen that takes just these columns on every terminal: what would join it to its neighbour, or
/// draw it wider than its cell, is left out. The neighbour has a cell of its own, and would be drawn over or not at all.
pub fn within(mut glyph: String, columns: usize) -> String {
    while glyph.ends_with(JOINER) {
        glyph.pop();
    }
    if glyph.width() > columns {
        glyph.retain(|ch| ch != EMOJI);
    }
    if glyph.width() != columns {
        glyph.truncate(glyph.chars().next().map_or(0, char::len_utf8));
    }
    glyph
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
            // What stood or stands here may be wider there than here, and lie over what is beside it.
            broken = (at..end).map(|column| column + at_most(&before[column])).fold(broken, usize::max);
            broken = broken.max(at + at_most(&now[at]));
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
        if doubtful(glyph) {
            // A terminal that takes it for narrow, or joins it to what it follows, leaves what stood there.
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

    /// A row of a terminal full of `X`, and how it takes what it is sent.
    struct Outer {
        cells: Vec<String>,
        cursor: usize,
        /// The columns of an emoji.
        emoji: usize,
        /// Whether U+FE0F makes two columns of one.
        widens: bool,
        /// Whether what follows a joiner is drawn into the cell before, wherever the cursor has been meanwhile.
        joins: bool,
    }

    impl Outer {
        fn put(&mut self, ch: char) {
            let before = (0..self.cursor).rev().find(|at| !self.cells[*at].is_empty());
            let joined = self.joins && before.is_some_and(|at| self.cells[at].ends_with(JOINER));
            let columns = if ch >= PICTURES { self.emoji } else { ch.width().unwrap_or(0) };
            if columns == 0 || joined {
                let Some(at) = before else { return };
                self.cells[at].push(ch);
                if ch == EMOJI && self.widens && self.cursor == at + 1 {
                    self.cells[self.cursor].clear();
                    self.cursor += 1;
                }
                return;
            }
            let (at, end) = (self.cursor, self.cursor + columns);
            // Half of a wide glyph takes the other half away.
            if self.cells[at].is_empty() {
                self.cells[before.unwrap()] = " ".into();
            }
            if self.cells.get(end).is_some_and(String::is_empty) {
                self.cells[end] = " ".into();
            }
            self.cells[at..end].iter_mut().for_each(String::clear);
            self.cells[at] = ch.to_string();
            self.cursor = end;
        }

        fn read(&mut self, bytes: &str) {
            let mut rest = bytes;
            while let Some(ch) = rest.chars().next() {
                rest = &rest[ch.len_utf8()..];
                if ch != '\x1b' {
                    self.put(ch);
                    continue;
                }
                let end = rest.find(|ch: char| ch.is_ascii_alphabetic()).unwrap();
                if let Some((_, column)) =
                    rest[1..end].split_once(';').filter(|_| rest[end..].starts_with('H'))
                {
                    self.cursor = column.parse::<usize>().unwrap() - 1;
                }
                rest = &rest[end + 1..];
            }
        }
    }

    /// Families, flags and skins as an agent's screen has them: each character has the cells it takes by itself.
    fn printed(text: &str) -> Vec<Cell> {
        let mut cells: Vec<(String, usize)> = Vec::new();
        for ch in text.chars() {
            match ch.width().unwrap_or(0) {
                0 => cells.last_mut().unwrap().0.push(ch),
                columns => cells.push((ch.into(), columns)),
            }
        }
        let mut row = Vec::new();
        for (glyph, columns) in cells {
            let mut cell = Cell::default();
            cell.set_symbol(&within(glyph, columns));
            row.push(cell);
            row.extend((1..columns).map(|_| Cell::default()));
        }
        row
    }

    /// What stood on the screen before was left between them, in terminals that give them other widths.
    #[test]
    fn emoji_of_several_characters_leave_nothing_of_what_stood_there() {
        let text = "a 👩\u{200d}💻 b 👨\u{200d}👩\u{200d}👧 c 🏳\u{fe0f}\u{200d}🌈 d ❤\u{fe0f}e 👍🏽 f 🇩🇪g é h";
        let now = printed(text);
        let x = |count: usize| row(&"X".repeat(count));
        for (emoji, widens, joins) in
            [(2, false, false), (2, true, false), (2, true, true), (2, false, true), (1, false, false)]
        {
            let mut outer = Outer { cells: vec!["X".into(); now.len() + 4], cursor: 0, emoji, widens, joins };
            let (mut out, links) = (Vec::new(), Links::default());
            let manner = Manner { features: Features::default(), links: &links };
            write_row(&mut out, (0, 0), &x(now.len()), &now, manner).unwrap();
            outer.read(std::str::from_utf8(&out).unwrap());
            let shown = outer.cells[..now.len()].concat();
            assert!(!shown.contains('X'), "{emoji} {widens} {joins}: {shown}");
            for (at, cell) in
                now.iter().enumerate().filter(|(_, cell)| cell.symbol().starts_with(char::is_alphabetic))
            {
                assert_eq!(outer.cells[at], cell.symbol(), "{emoji} {widens} {joins}: {shown}");
            }
            // And one that is drawn over them leaves none of them.
            let (mut out, plain) = (Vec::new(), row(&"-".repeat(now.len())));
            write_row(&mut out, (0, 0), &now, &plain, manner).unwrap();
            outer.read(std::str::from_utf8(&out).unwrap());
            assert_eq!(outer.cells[..now.len()].concat(), "-".repeat(now.len()), "{emoji} {widens} {joins}");
        }
    }

    /// A heart that asks to be an emoji has one cell, and took the letter behind it away.
    #[test]
    fn no_glyph_takes_its_neighbours_cell() {
        assert_eq!(within("❤\u{fe0f}".into(), 1), "❤");
        assert_eq!(within("👩\u{200d}".into(), 2), "👩");
        assert_eq!(within("e\u{301}".into(), 1), "e\u{301}");
        assert_eq!(within("👍\u{fe0f}".into(), 2), "👍\u{fe0f}");
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
