//! How large the outer terminal is, as far as it is drawn on.
//!
//! Dashboard and attach ask it at their beginning and when a signal says that it has changed.

use std::io;

use crate::core::terminal::grid::Size;

/// Columns and rows, from its upper left: no more than a pane can have, so that a terminal that gives absurd ones does not
/// cost gigabytes of cells; where it tells none, those of the usual terminal.
///
/// # Errors
/// There is no terminal.
pub fn outer_size() -> io::Result<(u16, u16)> {
    crossterm::terminal::size().map(drawn_on)
}

/// A serial line tells no size, and neither do `expect` and some containers: what is not told is as on the terminals that
/// everything is made for.
pub fn told_or_usual((cols, rows): (u16, u16)) -> (u16, u16) {
    /// Columns and rows of the usual terminal.
    const USUAL: (u16, u16) = (80, 24);
    (if cols == 0 { USUAL.0 } else { cols }, if rows == 0 { USUAL.1 } else { rows })
}

fn drawn_on(told: (u16, u16)) -> (u16, u16) {
    let (cols, rows) = told_or_usual(told);
    (cols.min(Size::MAX.cols), rows.min(Size::MAX.rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing was drawn there, and nothing said.
    #[test]
    fn a_terminal_that_tells_no_size_is_taken_for_the_usual_one() {
        assert_eq!(drawn_on((0, 0)), (80, 24));
        assert_eq!([drawn_on((0, 50)), drawn_on((132, 0))], [(80, 50), (132, 24)]);
        assert_eq!([drawn_on((1, 1)), drawn_on((100, 30))], [(1, 1), (100, 30)], "what is told is believed");
        assert_eq!(drawn_on((u16::MAX, u16::MAX)), (Size::MAX.cols, Size::MAX.rows));
    }
}
