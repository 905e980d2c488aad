//! The emulator's cells as cells of a grid, and as packed rows of a history.
//!
//! Both readings agree on what a cell shows: half of a wide glyph is a blank, a control character too.

use std::sync::Arc;

use alacritty_terminal::index::Line;
use alacritty_terminal::term::cell::{Cell as EngineCell, CellExtra, Flags};
use alacritty_terminal::vte::ansi::{Color as EngineColor, NamedColor};

use crate::core::terminal::grid::{Attrs, Cell, Color, Extra, Link, Row, Style, Width};
use crate::core::terminal::scrolled::Packer;

/// The colour of a cell that nothing was drawn on.
pub const NO_COLOR: EngineColor = EngineColor::Named(NamedColor::Background);

/// The ink of a cell that nothing was drawn on.
const NO_INK: EngineColor = EngineColor::Named(NamedColor::Foreground);

/// The one attribute the emulator has no flag for, in the bit it does not use.
pub const BLINK: Flags = Flags::from_bits_retain(1 << 15);
/// Flags that change what a cell looks like, also a blank.
const LOOK: Flags = Flags::BOLD
    .union(Flags::DIM)
    .union(Flags::ITALIC)
    .union(Flags::ALL_UNDERLINES)
    .union(Flags::INVERSE)
    .union(Flags::HIDDEN)
    .union(Flags::STRIKEOUT);
/// Flags of the halves of a wide glyph. The gap that one leaves at the end of a row is a blank like others.
const WIDE: Flags = Flags::WIDE_CHAR.union(Flags::WIDE_CHAR_SPACER);

/// How a row that leaves the screen ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowEnd {
    /// As it says itself.
    Own,
    /// It wraps now; the emulator has not marked it yet.
    Wraps,
    /// It wraps now, before a wide glyph for which the last column was too narrow.
    WrapsEarly,
}

/// Makes `row` the same as these cells, in the memory it has.
pub fn convert_row(from: &[EngineCell], row: &mut Row) {
    row.wrapped = from.last().is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE));
    row.cells.clear();
    row.cells.reserve(from.len());
    // Most of most rows is nothing, and nothing is the same everywhere.
    let drawn = from.iter().rposition(|cell| !is_nothing(cell)).map_or(0, |last| last + 1);
    let mut extra = (std::ptr::null(), None);
    let mut run: Option<(&EngineCell, Style)> = None;
    for cell in &from[..drawn] {
        let style = match run {
            Some((first, style)) if same_look(first, cell) => style,
            _ => style(cell),
        };
        run = Some((cell, style));
        row.cells.push(convert_cell(cell, style, &mut extra));
    }
    row.cells.resize(from.len(), Cell::default());
    let cells = &mut row.cells[..drawn];
    if cells.iter().all(|cell| cell.width == Width::One) {
        return;
    }
    // Half of a wide glyph, left by an erasure or a shift, is a blank to everyone who reads the grid.
    for at in 0..cells.len() {
        let whole = cells.get(at + 1).is_some_and(|next| next.width == Width::Spacer);
        let after_wide = at > 0 && cells[at - 1].width == Width::Two;
        match cells[at].width {
            Width::Two if !whole => cells[at] = Cell { style: cells[at].style, ..Cell::default() },
            Width::Spacer if !after_wide => cells[at].width = Width::One,
            Width::One | Width::Two | Width::Spacer => {}
        }
    }
}

/// Packs a row that leaves the screen, and that was drawn on up to column `reach` at most.
pub fn pack_row(cells: &[EngineCell], reach: usize, end: RowEnd, packer: &mut Packer) {
    let (cells, wrapped) = match (end, cells.split_last()) {
        (RowEnd::WrapsEarly, Some((_, cells))) => (cells, true),
        (RowEnd::Wraps, _) => (cells, true),
        (_, Some((last, before))) if last.flags.contains(Flags::WRAPLINE) => {
            // The gap before a wide glyph is no part of the line.
            let gap = last.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER);
            (if gap { before } else { cells }, true)
        }
        _ => (cells, false),
    };
    // The blanks that fill a row up are no part of a line that ends in it.
    let used = if wrapped { cells.len() } else { used(&cells[..reach.min(cells.len())]) };
    packer.begin_row();
    let mut at = 0;
    while let Some(cell) = cells[..used].get(at) {
        if cell.extra.is_none() && !cell.flags.intersects(WIDE) {
            let run = cells[at..used].iter().take_while(|next| alike(cell, next)).count();
            packer.run(style(cell), cells[at..at + run].iter().map(shown));
            at += run;
            continue;
        }
        let wide = cell.flags.contains(Flags::WIDE_CHAR);
        if is_half(cells, at) || cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
            packer.glyph(' ', std::iter::empty(), style(cell), false);
            at += 1;
        } else {
            let marks = cell.zerowidth().unwrap_or_default();
            packer.glyph(shown(cell), marks.iter().copied(), style(cell), wide);
            at += if wide { 2 } else { 1 };
        }
    }
    packer.end_row(wrapped);
}

/// How many cells there are up to the last that shows more than an empty one; the colour of a blank's ink does
/// not show.
fn used(cells: &[EngineCell]) -> usize {
    let shows = |cell: &EngineCell| {
        !matches!(cell.c, ' ' | '\t')
            || cell.bg != NO_COLOR
            || cell.flags.intersects(LOOK)
            || cell.zerowidth().is_some_and(|marks| !marks.is_empty())
    };
    let mut used = cells.len();
    while let Some(at) = cells[..used].iter().rposition(shows) {
        let blank = cells[at].bg == NO_COLOR && !cells[at].flags.intersects(LOOK);
        if !(blank && is_half(cells, at)) {
            return at + 1;
        }
        used = at;
    }
    0
}

/// Whether a cell is the left half of a wide glyph without the right one.
fn is_half(cells: &[EngineCell], at: usize) -> bool {
    cells[at].flags.contains(Flags::WIDE_CHAR)
        && !cells.get(at + 1).is_some_and(|next| next.flags.contains(Flags::WIDE_CHAR_SPACER))
}

/// Whether two cells of one column differ in nothing but their character.
fn alike(one: &EngineCell, other: &EngineCell) -> bool {
    let look = LOOK.union(BLINK).union(WIDE);
    one.fg == other.fg
        && one.bg == other.bg
        && one.flags.intersection(look) == other.flags.intersection(look)
        && other.extra.is_none()
}

fn shown(cell: &EngineCell) -> char {
    if cell.c.is_control() { ' ' } else { cell.c }
}

fn style(cell: &EngineCell) -> Style {
    let flags = cell.flags;
    let mut attrs = Attrs::default();
    if flags.intersects(LOOK.union(BLINK)) {
        attrs = attrs
            .with(Attrs::BOLD, flags.contains(Flags::BOLD))
            .with(Attrs::DIM, flags.contains(Flags::DIM))
            .with(Attrs::ITALIC, flags.contains(Flags::ITALIC))
            .with(Attrs::UNDERLINE, flags.intersects(Flags::ALL_UNDERLINES))
            .with(Attrs::DOUBLE, flags.contains(Flags::DOUBLE_UNDERLINE))
            .with(Attrs::CURLY, flags.contains(Flags::UNDERCURL))
            .with(Attrs::DOTTED, flags.contains(Flags::DOTTED_UNDERLINE))
            .with(Attrs::DASHED, flags.contains(Flags::DASHED_UNDERLINE))
            .with(Attrs::INVERSE, flags.contains(Flags::INVERSE))
            .with(Attrs::HIDDEN, flags.contains(Flags::HIDDEN))
            .with(Attrs::STRIKE, flags.contains(Flags::STRIKEOUT))
            .with(Attrs::BLINK, flags.contains(BLINK));
    }
    let underline = cell.extra.as_ref().and_then(|_| cell.underline_color()).map(color);
    Style { fg: color(cell.fg), bg: color(cell.bg), attrs, underline: underline.unwrap_or_default() }
}

/// What a cell has that few have. `last`: that of the cell before, which mostly has the same.
fn convert_extra(cell: &EngineCell, last: &mut (*const CellExtra, Option<Arc<Extra>>)) -> Option<Arc<Extra>> {
    let here = Arc::as_ptr(cell.extra.as_ref()?);
    if here != last.0 {
        let marks: String = cell.zerowidth().unwrap_or_default().iter().collect();
        let link = cell.hyperlink().map(|link| Link { id: link.id().into(), uri: link.uri().into() });
        let extra = Extra { marks: marks.into_boxed_str(), link: link.map(Arc::new) };
        *last = (here, (extra != Extra::default()).then(|| Arc::new(extra)));
    }
    last.1.clone()
}

/// A cell that nothing was ever drawn on, or that was erased without a colour.
fn is_nothing(cell: &EngineCell) -> bool {
    cell.c == ' ' && cell.flags.is_empty() && cell.extra.is_none() && cell.bg == NO_COLOR && cell.fg == NO_INK
}

/// Whether two cells have one style, as far as that can be said without looking at what few cells have.
fn same_look(one: &EngineCell, other: &EngineCell) -> bool {
    one.flags == other.flags
        && one.fg == other.fg
        && one.bg == other.bg
        && one.extra.is_none()
        && other.extra.is_none()
}

fn convert_cell(cell: &EngineCell, style: Style, last: &mut (*const CellExtra, Option<Arc<Extra>>)) -> Cell {
    let flags = cell.flags;
    let width = if !flags.intersects(WIDE) {
        Width::One
    } else if flags.contains(Flags::WIDE_CHAR_SPACER) {
        Width::Spacer
    } else {
        Width::Two
    };
    Cell {
        ch: if width == Width::Spacer { ' ' } else { shown(cell) },
        style,
        width,
        // The right half of a glyph has what its left half has.
        extra: if width == Width::Spacer { None } else { convert_extra(cell, last) },
    }
}

fn color(color: EngineColor) -> Color {
    match color {
        EngineColor::Spec(rgb) => Color::Rgb(rgb.r, rgb.g, rgb.b),
        EngineColor::Indexed(index) => Color::Indexed(index),
        EngineColor::Named(named) => match named as usize {
            index @ 0..=15 => Color::Indexed(index as u8),
            _ => match named {
                NamedColor::DimBlack => Color::Indexed(0),
                NamedColor::DimRed => Color::Indexed(1),
                NamedColor::DimGreen => Color::Indexed(2),
                NamedColor::DimYellow => Color::Indexed(3),
                NamedColor::DimBlue => Color::Indexed(4),
                NamedColor::DimMagenta => Color::Indexed(5),
                NamedColor::DimCyan => Color::Indexed(6),
                NamedColor::DimWhite => Color::Indexed(7),
                _ => Color::Default,
            },
        },
    }
}

/// A row of the screen, as the emulator counts them.
pub fn line_number(row: usize) -> Line {
    Line(i32::try_from(row).expect("a screen has at most a thousand rows, and a history of a screen's cells"))
}
