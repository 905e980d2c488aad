//! The echo of a key as the few bytes that it is: the letters that are new in one row, where the cursor stands.
//!
//! `paint.rs` asks for it before it writes a whole row in a synchronized update: over a slow line each key would be a hundred
//! bytes. Pure.

use std::fmt::Write;

use crate::core::terminal::features::Features;
use crate::core::terminal::grid::{Cell, Cursor, Row, Size, Style, Width};
use crate::core::terminal::repaint::sgr;

/// Letters of one style that are new in a row: such as every terminal gives one column.
#[derive(Debug)]
pub(super) struct Span {
    row: usize,
    from: usize,
    text: String,
    style: Style,
}

impl Span {
    /// What turns one row into the other, if that is all.
    pub fn of(row: usize, before: &Row, now: &Row) -> Option<Span> {
        let differs = |at: &usize| before.cells.get(*at) != now.cells.get(*at);
        let from = (0..now.cells.len()).find(differs)?;
        let to = (0..now.cells.len()).rfind(differs)?;
        let (was, is) = (before.cells.get(from..=to)?, now.cells.get(from..=to)?);
        let plain =
            |cell: &Cell| cell.width == Width::One && cell.extra.is_none() && matches!(cell.ch, ' '..='~');
        let style = is.first()?.style;
        let alike = is.iter().all(|cell| plain(cell) && cell.style == style) && was.iter().all(plain);
        alike.then(|| Span { row, from, text: is.iter().map(|cell| cell.ch).collect(), style })
    }
}

/// Where it goes.
pub(super) struct Outer {
    pub size: Size,
    /// Column and row of the screen in its upper left corner.
    pub corner: (u16, u16),
    pub features: Features,
    /// Its cursor, and where that is to be.
    pub cursor: Cursor,
    pub wanted: Cursor,
}

impl Span {
    /// The letters, and the cursor behind them; `None`: it takes more than that.
    pub fn echo(&self, outer: &Outer) -> Option<String> {
        let Outer { size, corner, features, cursor, wanted } = outer;
        if !wanted.visible || cursor.shape != wanted.shape {
            return None;
        }
        let row = u16::try_from(self.row).ok()?.checked_sub(corner.1)?;
        let col = u16::try_from(self.from).ok()?.checked_sub(corner.0)?;
        let end = col + u16::try_from(self.text.len()).ok()?;
        // Behind its last column a terminal says no more where its cursor is.
        if row >= size.rows || end >= size.cols {
            return None;
        }
        let mut out = String::new();
        if (cursor.row, cursor.col) != (row, col) {
            let _ = write!(out, "\x1b[{};{}H", row + 1, col + 1);
        }
        let plain = self.style == Style::default();
        if !plain {
            out.push_str(&sgr(features.style(self.style)));
        }
        out.push_str(&self.text);
        if !plain {
            out.push_str("\x1b[m");
        }
        if (wanted.row, wanted.col) != (row, end) {
            let _ = write!(out, "\x1b[{};{}H", wanted.row + 1, wanted.col + 1);
        }
        Some(out)
    }
}
