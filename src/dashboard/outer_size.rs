//! How large the outer terminal is, as far as it is drawn on.
//!
//! Dashboard and attach ask it at their beginning and when a signal says that it has changed.

use std::io;

use crate::core::terminal::grid::Size;

/// Columns and rows, from its upper left: no more than a pane can have, so that a terminal that gives absurd ones does not
/// cost gigabytes of cells.
///
/// # Errors
/// There is no terminal.
pub fn outer_size() -> io::Result<(u16, u16)> {
    crossterm::terminal::size().map(|(cols, rows)| (cols.min(Size::MAX.cols), rows.min(Size::MAX.rows)))
}
