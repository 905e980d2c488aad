//! One row of a menu: marker, number, tick box, label.
//!
//! `detect/menu.rs` asks of each line what it would be as a row of a menu; whether it is one is
//! decided there, from its neighbours.

use super::page::{Line, faint};
use crate::core::profile::MenuRule;
use crate::core::terminal::grid::Attrs;

/// Glyphs of an empty and of a ticked box or ring.
const EMPTY: [char; 8] = ['☐', '◯', '○', '◻', '□', '▢', '⬜', '⬡'];
const TICKED: [char; 9] = ['☑', '☒', '◉', '◼', '■', '▣', '⬢', '⦿', '✅'];
/// Arrows that tell of rows out of view.
const ARROWS: [char; 4] = ['↑', '↓', '▲', '▼'];
/// Longest number a row carries: menus of a hundred rows are lists.
const MAX_DIGITS: usize = 2;
/// Columns by which a squeezed row may stand left of its neighbours.
pub const SQUEEZE: usize = 2;

/// Where the next row of the same menu is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Direction {
    Up,
    Down,
}

/// What a line is, read as a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub row: usize,
    /// Column of the marker that highlights the row.
    pub marker: Option<usize>,
    pub number: Option<u32>,
    /// Column of the number, or of the label if there is no number.
    pub head: usize,
    pub ticked: Option<bool>,
    /// Column and byte offset (in the line's text) where the label starts.
    pub label: usize,
    pub label_byte: usize,
    /// The same for a label that begins with what looks like a tick box.
    pub unboxed: (usize, usize),
    /// The same for a label that begins with what looks like a number.
    pub unnumbered: (usize, usize),
    /// An arrow in the marker's place: the list goes on out of view.
    pub arrow: bool,
}

impl Item {
    /// Takes the box for the label's first letters.
    pub fn unbox(&mut self) {
        self.ticked = None;
        (self.label, self.label_byte) = self.unboxed;
    }

    /// Takes the number for the label's first letters.
    pub fn unnumber(mut self) -> Item {
        self.number = None;
        (self.label, self.label_byte) = self.unnumbered;
        self
    }
}

/// Reads a line as a row. `None` if nothing is left for a label.
pub fn read(row: usize, line: &Line, rule: &MenuRule) -> Option<Item> {
    let text = line.text.as_str();
    if text.is_empty() || line.rule.is_some() {
        return None;
    }
    let first = text.chars().next()?;
    let (marker, mut at) = marked(line, first, rule);
    // An arrow in the marker's column tells that the list goes on above or below.
    let arrow = marker.is_none() && text.starts_with(ARROWS) && text[first.len_utf8()..].starts_with(' ');
    if arrow {
        at = text.len() - text[first.len_utf8()..].trim_start().len();
    }
    // The tick of the present value may stand before the label, in a column of its own.
    let present = text[at..].chars().next().filter(|ch| rule.current.contains(*ch));
    if let Some(mark) = present.filter(|mark| text[at + mark.len_utf8()..].starts_with(' ')) {
        at += mark.len_utf8();
        at += text[at..].len() - text[at..].trim_start().len();
    }
    let head = line.column_at(at);
    let (mut ticked, used) = shaded(line, at, rule).unwrap_or_else(|| tick(&text[at..], rule));
    at += used;
    let unnumbered = (line.column_at(at), at);
    let (number, used) = number(&text[at..], squeezed(line));
    at += used;
    let unboxed = (line.column_at(at), at);
    if ticked.is_none() {
        let (second, used) = tick(&text[at..], rule);
        (ticked, at) = (second, at + used);
    }
    if text[at..].trim().is_empty() {
        return None;
    }
    Some(Item {
        row,
        marker,
        number,
        head,
        ticked,
        label: line.column_at(at),
        label_byte: at,
        unnumbered,
        unboxed,
        arrow,
    })
}

/// The column of the mark that highlights a row, and the byte behind it and its blanks.
fn marked(line: &Line, first: char, rule: &MenuRule) -> (Option<usize>, usize) {
    let text = line.text.as_str();
    let mut at = 0;
    let mut marker = None;
    if let Some((chosen, rest)) = radio(line, rule) {
        marker = chosen.then_some(line.start);
        at = text.len() - rest.len();
    } else if rule.markers.contains(first) {
        let rest = &text[first.len_utf8()..];
        // The marker stands apart from the label, or a narrow screen pressed it against the number
        // or the box.
        let apart = |ch: char| ch == ' ' || ch.is_ascii_digit() || ch == '[' || box_glyph(ch, rule).is_some();
        if rest.starts_with(apart) || (!first.is_ascii() && !rest.is_empty()) {
            marker = Some(line.start);
            at = first.len_utf8();
            at += text[at..].len() - text[at..].trim_start().len();
        }
    }
    // A ring that is pressed against its label stands before the highlighted row alone.
    let ring =
        rule.owns_cursor && rule.radio.starts_with(first) && line.style_at(0).attrs.has(Attrs::INVERSE);
    if marker.is_none() && ring && text[first.len_utf8()..].starts_with(char::is_alphanumeric) {
        marker = Some(line.start);
        at = first.len_utf8();
    }
    (marker, at)
}

/// A marker alone on its line: a narrow screen pushed the rest of its row into the line above.
pub fn lone_marker(row: usize, line: &Line, rule: &MenuRule) -> Option<Item> {
    let mut chars = line.text.chars();
    let alone =
        chars.next().is_some_and(|ch| rule.markers.contains(ch) && !ch.is_ascii()) && chars.next().is_none();
    let at = line.start;
    let label_byte = line.text.len();
    alone.then_some(Item {
        row,
        marker: Some(at),
        number: None,
        head: at,
        ticked: None,
        label: line.end,
        label_byte,
        unboxed: (line.end, label_byte),
        unnumbered: (line.end, label_byte),
        arrow: false,
    })
}

/// Whether a row behind a bar begins with the glyph of the highlighted row or of another one, and its label.
pub fn radio<'l>(line: &'l Line, rule: &MenuRule) -> Option<(bool, &'l str)> {
    let barred = line.frame.left.is_some() && !line.frame.closed;
    if barred { ring(&line.text, rule) } else { None }
}

/// The same for words alone.
pub fn ring<'t>(text: &'t str, rule: &MenuRule) -> Option<(bool, &'t str)> {
    let mut glyphs = rule.radio.chars();
    let (chosen, other) = (glyphs.next()?, glyphs.next()?);
    let first = text.chars().next().filter(|first| *first == chosen || *first == other)?;
    let rest = text[first.len_utf8()..].strip_prefix(' ')?;
    Some((first == chosen, rest.trim_start()))
}

fn box_glyph(ch: char, rule: &MenuRule) -> Option<bool> {
    if own_boxes(rule) {
        return rule.empty.contains(ch).then_some(false).or_else(|| rule.ticked.contains(ch).then_some(true));
    }
    // What is no highlight behind a bar is a tick without one.
    if rule.radio.starts_with(ch) {
        return Some(true);
    }
    if EMPTY.contains(&ch) { Some(false) } else { TICKED.contains(&ch).then_some(true) }
}

/// A box whose tick is told by its colour alone, and the bytes it takes with the blanks after it.
fn shaded(line: &Line, at: usize, rule: &MenuRule) -> Option<(Option<bool>, usize)> {
    let glyph = line.text[at..].chars().next().filter(|glyph| rule.shaded.contains(*glyph))?;
    let rest = line.text[at + glyph.len_utf8()..].strip_prefix(' ')?;
    let used = line.text.len() - at - rest.trim_start().len();
    Some((Some(!faint(line.style_at(at))), used))
}

/// Whether a program draws boxes of its own; then brackets are letters of a label.
fn own_boxes(rule: &MenuRule) -> bool {
    !rule.empty.is_empty()
}

/// A tick box at the start of a text, and the bytes it takes with the blanks after it.
fn tick(text: &str, rule: &MenuRule) -> (Option<bool>, usize) {
    let mut chars = text.chars();
    let (ticked, used) = match chars.next() {
        Some('[' | '(') if !own_boxes(rule) => {
            let close = if text.starts_with('[') { ']' } else { ')' };
            let mark = chars.next();
            let shut = chars.next() == Some(close);
            // A narrow screen pushes the closing bracket into the next line.
            let pushed = !shut && close == ']' && text[1 + mark.map_or(0, char::len_utf8)..].starts_with(' ');
            if !shut && !pushed {
                return (None, 0);
            }
            let used = 1 + usize::from(shut) + mark.map_or(0, char::len_utf8);
            match mark {
                Some(' ' | '_' | '·') => (false, used),
                Some('x' | 'X' | '✔' | '✓' | '*' | '•' | '●' | '+') => (true, used),
                _ => return (None, 0),
            }
        }
        Some(glyph) => match box_glyph(glyph, rule) {
            Some(ticked) => (ticked, glyph.len_utf8()),
            None => return (None, 0),
        },
        None => return (None, 0),
    };
    let blanks = text[used..].len() - text[used..].trim_start().len();
    if blanks == 0 { (None, 0) } else { (Some(ticked), used + blanks) }
}

/// Whether a narrow screen may have pressed the blanks out of a line.
fn squeezed(line: &Line) -> bool {
    line.wrapped || (line.end - line.start) * 4 >= (line.inner.1 - line.inner.0) * 3
}

/// Whether a text begins as a row does: with a marker, a number or a box.
pub fn begins_like_a_row(text: &str, rule: &MenuRule) -> bool {
    text.starts_with(|ch| rule.markers.contains(ch))
        || number(text, false).0.is_some()
        || tick(text, rule).0.is_some()
}

/// A row's number with its stop, and the bytes they take with the blanks after them.
fn number(text: &str, squeezed: bool) -> (Option<u32>, usize) {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > MAX_DIGITS {
        return (None, 0);
    }
    if !text[digits..].starts_with(['.', ')', ':']) {
        return (None, 0);
    }
    let after = &text[digits + 1..];
    let blanks = after.len() - after.trim_start().len();
    // "2.5 seconds" and "1:30" are words of a sentence, "1.x" is a name.
    let glued = |ch: char| ch.is_ascii_digit() || (ch.is_lowercase() && !squeezed);
    if blanks == 0 && after.starts_with(glued) {
        return (None, 0);
    }
    (text[..digits].parse().ok(), digits + 1 + blanks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::detect::line_cache;
    use crate::core::terminal::grid::{Cell, Grid, Row, Size};

    fn item(text: &str) -> Option<Item> {
        let mut grid = Grid::blank(Size::new(80, 1));
        let mut row = Row::blank(80);
        for (cell, ch) in row.cells.iter_mut().zip(text.chars()) {
            *cell = Cell { ch, ..Cell::default() };
        }
        grid.rows[0] = row;
        read(0, &line_cache::page(&grid).lines[0], &MenuRule::default())
    }

    #[test]
    fn rows_are_taken_apart() {
        let row = item(" ❯ 2. [✔] Rate limit").unwrap();
        assert_eq!((row.marker, row.number, row.ticked), (Some(1), Some(2), Some(true)));
        assert_eq!((row.head, row.label), (3, 10));
        let row = item("  [ ] 1. Audit log").unwrap();
        assert_eq!((row.number, row.ticked, row.label), (Some(1), Some(false), 9));
        let row = item("❯2.Yes, and").unwrap();
        assert_eq!((row.marker, row.number, row.label), (Some(0), Some(2), 3));
        let row = item("❯ No, exit").unwrap();
        assert_eq!((row.marker, row.number, row.label), (Some(0), None, 2));
    }

    #[test]
    fn sentences_are_not_numbered_rows() {
        assert_eq!(item("2.5 seconds").unwrap().number, None);
        assert_eq!(item("1.x (until June)").unwrap().number, None);
        assert_eq!(item("1999. A year").unwrap().number, None);
        assert_eq!(item("(x) of y").unwrap().ticked, Some(true));
        assert_eq!(item("3."), None);
    }
}
