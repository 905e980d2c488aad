//! For how long each row of a screen has shown what it shows.
//!
//! A session keeps one for its screen and brings it up to date at each look: a row is as old as the number it has
//! (`core/terminal/shown.rs`), wherever it has moved to since.

use std::collections::HashMap;

/// When each row came to show what it shows, by its number.
#[derive(Debug, Default)]
pub struct RowAges {
    since: HashMap<u64, u64>,
}

impl RowAges {
    /// The screen's rows are these now. Milliseconds, as all times.
    pub fn look(&mut self, versions: &[u64], now_ms: u64) {
        let since = |version: &u64| (*version, self.since.get(version).copied().unwrap_or(now_ms));
        self.since = versions.iter().map(since).collect();
    }

    /// For how long each of these rows has shown the same, as far as that was looked at.
    pub fn of(&self, versions: &[u64], now_ms: u64) -> Vec<u64> {
        let age = |version| self.since.get(version).map_or(0, |since| now_ms.saturating_sub(*since));
        versions.iter().map(age).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::grid::Size;
    use crate::core::terminal::query_replies::TerminalIdentity;
    use crate::core::terminal::screen::Screen;

    #[test]
    fn a_row_is_as_old_as_what_it_shows_wherever_it_has_moved_to() {
        let mut screen = Screen::new(Size::new(20, 4), TerminalIdentity::default());
        let mut ages = RowAges::default();
        let mut after = |printed: &str, now_ms| {
            screen.feed(printed.as_bytes());
            screen.grid();
            ages.look(screen.versions(), now_ms);
            ages.of(screen.versions(), now_ms)
        };
        after("one\r\ntwo\r\nthree\r\nfour", 1_000);
        assert_eq!(
            after("\x1b[1;1Hone\x1b[2;1HTWO\x1b[4;5H", 3_000),
            [2_000, 0, 2_000, 2_000],
            "the same again"
        );
        assert_eq!(after("\r\nfive", 4_000), [1_000, 3_000, 3_000, 0], "all have moved up");
        assert_eq!(RowAges::default().of(&[1, 2], 9), [0, 0], "nobody has looked");
    }
}
