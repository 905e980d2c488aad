//! A screen that was cleared and drawn anew: nothing of what stands on it goes on above its first line.
//!
//! `screen.rs` tells what is erased, the session asks before it has a question judged that begins in the first line. Pure.

use super::screen::Screen;

impl Screen {
    /// Whether all that was printed since the screen was cleared is on it. Rows that scroll within a region leave without a trace.
    pub fn shows_all_since_cleared(&self) -> bool {
        !self.has_region() && self.packer.none_since_cleared()
    }

    /// The screen was erased: wholly, or from the cursor on.
    pub(super) fn erased(&mut self, wholly: bool) {
        // The other screen keeps what it shows.
        if !self.modes().alternate_screen && (wholly || self.cursor() == (0, 0)) {
            self.packer.cleared();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::core::terminal::grid::Size;
    use crate::core::terminal::query_replies::TerminalIdentity;
    use crate::core::terminal::screen::Screen;

    fn shows_all(written: &str) -> bool {
        let mut screen = Screen::new(Size::new(20, 4), TerminalIdentity::default());
        screen.feed(written.as_bytes());
        screen.shows_all_since_cleared()
    }

    #[test]
    fn a_screen_that_was_cleared_shows_all_until_something_scrolls_off() {
        let before = "1\r\n2\r\n3\r\n4\r\n5\r\n";
        assert!(!shows_all(before));
        for clear in ["\x1b[2J\x1b[H", "\x1b[H\x1b[2J\x1b[3J", "\x1b[H\x1b[J"] {
            assert!(shows_all(&format!("{before}{clear}Which?\r\n> 1. A\r\n  2. B")), "{clear:?}");
            assert!(!shows_all(&format!("{before}{clear}Which?\r\n1\r\n2\r\n3\r\n4")), "{clear:?}");
            assert!(!shows_all(&format!("{before}{clear}\x1b[2;3rWhich?")), "{clear:?}");
        }
        assert!(!shows_all(&format!("{before}\x1b[2;1H\x1b[J1")), "the first line is left");
        assert!(!shows_all(&format!("{before}\x1b[?1049h\x1b[2J\x1b[H1\x1b[?1049l")), "another screen was");
    }
}
