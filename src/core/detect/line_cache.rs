//! The lines of one screen from one look to the next: a row that shows what it showed is not read again.
//!
//! `detect/watch.rs` keeps one for each screen it watches, `detect/mod.rs` takes a look's lines out of it and gives them
//! back. It rests on the numbers that the screen gives its rows (`core/terminal/shown.rs`), and must never be used for
//! two screens: both give the same ones.

use std::collections::HashMap;

use super::page::{self, Line, Page};
use super::panel;
use crate::core::terminal::grid::{Grid, Row};

/// What the rows of the last look read, by their numbers.
#[derive(Debug, Clone, Default)]
pub struct LineCache {
    rows: HashMap<u64, Known>,
}

/// A row that was read.
#[derive(Debug, Clone)]
struct Known {
    /// It may be the top edge of a panel.
    edge: bool,
    /// The column at which it was cut.
    limit: usize,
    line: Line,
}

/// The rows of one look, and what is to be kept of them beside their lines.
#[derive(Debug)]
pub struct Look {
    versions: Vec<u64>,
    edges: Vec<bool>,
    limits: Vec<usize>,
}

/// A screen that is looked at once.
pub fn page(grid: &Grid) -> Page {
    Page::of(grid, LineCache::default().lines(&grid.rows, &[]).0)
}

impl LineCache {
    /// The rows as lines; with what `keep` wants to have back. Rows without a number are all read.
    pub fn lines(&mut self, rows: &[Row], versions: &[u64]) -> (Vec<Line>, Look) {
        let numbered = if versions.len() == rows.len() { versions } else { &[] };
        let mut known: Vec<Option<Known>> =
            numbered.iter().map(|version| self.rows.remove(version)).collect();
        self.rows.clear();
        known.resize_with(rows.len(), || None);
        let edge = |(row, known): (&Row, &Option<Known>)| match known {
            Some(known) => known.edge,
            None => panel::may_begin(row),
        };
        let edges: Vec<bool> = rows.iter().zip(&known).map(edge).collect();
        let limits = panel::limits(rows, &edges);
        let line = |((row, known), limit): ((&Row, Option<Known>), &usize)| {
            let known = known.filter(|known| known.limit == *limit);
            known.map_or_else(|| page::line(row, *limit), |known| known.line)
        };
        let lines = rows.iter().zip(known).zip(&limits).map(line).collect();
        (lines, Look { versions: numbered.to_vec(), edges, limits })
    }

    /// Keeps the lines of a look for the next one.
    pub fn keep(&mut self, look: Look, lines: Vec<Line>) {
        let Look { versions, edges, limits } = look;
        let known = edges.into_iter().zip(limits).zip(lines);
        let known = known.map(|((edge, limit), line)| Known { edge, limit, line });
        self.rows.extend(versions.into_iter().zip(known));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::terminal::grid::Size;
    use crate::core::terminal::query_replies::TerminalIdentity;
    use crate::core::terminal::screen::Screen;

    #[test]
    fn a_row_that_shows_what_it_showed_is_not_read_again() {
        let mut screen = Screen::new(Size::new(30, 4), TerminalIdentity::default());
        let mut cache = LineCache::default();
        screen.feed(b"one\r\ntwo\r\nthree\r\nfour");
        let (mut lines, look) = cache.lines(&screen.grid().rows, screen.versions());
        for (line, mark) in lines.iter_mut().zip(["first", "second", "third", "fourth"]) {
            line.text = mark.to_owned();
        }
        cache.keep(look, lines);
        screen.feed(b"\r\nfive\x1b[2;1Hother");
        let (lines, _) = cache.lines(&screen.grid().rows, screen.versions());
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["second", "other", "fourth", "five"]);
    }

    /// Pieces of output that move rows, draw panels beside others, and change a row or its end.
    fn piece() -> impl Strategy<Value = String> {
        let row = (1..9_usize, 1..40_usize).prop_map(|(row, col)| format!("\x1b[{row};{col}H"));
        prop_oneof![
            row,
            Just("\r\n".to_owned()),
            Just("\x1b[1;1H\x1bM".to_owned()),
            Just("\x1b[2K".to_owned()),
            Just("\x1b[K".to_owned()),
            Just("┌─────┐".to_owned()),
            Just("│ see │".to_owned()),
            Just("└─────┘".to_owned()),
            Just("\x1b[7m".to_owned()),
            Just("\x1b[m".to_owned()),
            Just("\x1b[?1049h".to_owned()),
            Just("\x1b[?1049l".to_owned()),
            "[a-z ]{1,30}".prop_map(|word| word),
        ]
    }

    proptest! {
        #[test]
        fn what_is_kept_reads_like_what_is_read_anew(
            pieces in proptest::collection::vec((piece(), any::<bool>(), 0..40_u8), 1..60)
        ) {
            let mut screen = Screen::new(Size::new(40, 8), TerminalIdentity::default());
            let mut cache = LineCache::default();
            for (piece, looks, resized) in pieces {
                screen.feed(piece.as_bytes());
                if resized < 2 {
                    screen.resize(Size::new(30 + u16::from(resized) * 10, 8 - u16::from(resized)));
                }
                if looks {
                    let (rows, versions) = (&screen.grid().rows, screen.versions());
                    let (kept, look) = cache.lines(rows, versions);
                    prop_assert_eq!(&kept, &LineCache::default().lines(rows, &[]).0);
                    cache.keep(look, kept);
                }
            }
        }
    }
}
