//! Pictures of several characters: `👩🏽‍🚀`, `🏳️‍🌈`, `1️⃣`.
//!
//! The emulator by itself gives each of their characters cells of its own, or one cell where the picture takes two. Agent
//! programs count two columns for all of it, and go on in the third: what stood there before was drawn over, or a gap was
//! left. The door asks here for each character that may belong to the one before it.

use alacritty_terminal::index::Column;
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::vte::ansi::Handler;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::door::{Door, MARKS};

/// Makes one picture of what stands before and behind it.
const JOINER: char = '\u{200d}';
/// Asks for the character before it as a picture.
const PICTURE: char = '\u{fe0f}';
/// Draws the digit before it as a key of a telephone. Some programs leave out what asks for it as a picture.
const KEYCAP: char = '\u{20e3}';
/// Colours of skin.
const SKINS: std::ops::RangeInclusive<char> = '\u{1f3fb}'..='\u{1f3ff}';

impl Door<'_> {
    /// Whether a character of a width of its own is part of the picture before it. `before`: what was drawn last.
    pub fn joins(&self, c: char, before: Option<char>) -> bool {
        let Some(before) = before.filter(|before| *before == JOINER || SKINS.contains(&c)) else {
            return false;
        };
        let Some(glyph) = self.glyph_before().filter(|glyph| glyph.ends_with(before)) else { return false };
        let picture = glyph + c.encode_utf8(&mut [0; 4]);
        let one = picture.graphemes(true).count() == 1;
        one && self.takes_mark() && (before == JOINER || picture.width() == 2)
    }

    /// Adds a character to the picture before the cursor.
    pub fn join(&mut self, c: char) {
        let (line, column) = (self.term.grid().cursor.point.line, self.marked_column());
        self.drawn();
        self.term.grid_mut()[line][column].push_zerowidth(c);
        self.widen();
    }

    /// A mark was added to the character before the cursor, which may make a picture of it.
    pub fn widens_by(&mut self, mark: char) {
        let keys =
            |glyph: &str| glyph.starts_with(|key: char| key.is_ascii_digit() || matches!(key, '#' | '*'));
        let is_picture = match mark {
            PICTURE => self.glyph_before().is_some_and(|glyph| glyph.width() == 2),
            KEYCAP => self.glyph_before().is_some_and(|glyph| keys(&glyph)),
            _ => false,
        };
        if is_picture {
            self.widen();
        }
    }

    /// Whether the cell before the cursor, to which a combining mark goes, has room for one more.
    pub fn takes_mark(&self) -> bool {
        let column = self.marked_column();
        let cell = &self.term.grid()[self.term.grid().cursor.point.line][column];
        cell.zerowidth().is_none_or(|marks| marks.len() < MARKS)
    }

    /// The column of the cell to which a combining mark goes.
    fn marked_column(&self) -> Column {
        let grid = self.term.grid();
        let row = &grid[grid.cursor.point.line];
        let mut column = grid.cursor.point.column.0;
        if !grid.cursor.input_needs_wrap {
            column = column.saturating_sub(1);
        }
        if row[Column(column)].flags.contains(Flags::WIDE_CHAR_SPACER) {
            column = column.saturating_sub(1);
        }
        Column(column)
    }

    /// The glyph that ends where the cursor stands.
    fn glyph_before(&self) -> Option<String> {
        let grid = self.term.grid();
        if grid.cursor.point.column.0 == 0 && !grid.cursor.input_needs_wrap {
            return None;
        }
        let cell = &grid[grid.cursor.point.line][self.marked_column()];
        let marks = cell.zerowidth().unwrap_or_default();
        Some(std::iter::once(&cell.c).chain(marks).collect())
    }

    /// Gives the glyph before the cursor two columns, where it has one and there is a second.
    fn widen(&mut self) {
        let cursor = &self.term.grid().cursor;
        let (line, base, wraps) = (cursor.point.line, self.marked_column(), cursor.input_needs_wrap);
        if wraps || self.term.grid()[line][base].flags.contains(Flags::WIDE_CHAR) {
            return;
        }
        self.drawn();
        // A blank in the second column: the emulator clears what it draws over.
        self.term.input(' ');
        let row = &mut self.term.grid_mut()[line];
        row[base].flags.insert(Flags::WIDE_CHAR);
        row[base + 1].flags.insert(Flags::WIDE_CHAR_SPACER);
    }
}

#[cfg(test)]
mod tests {
    use crate::core::terminal::grid::{Size, Width};
    use crate::core::terminal::query_replies::TerminalIdentity;
    use crate::core::terminal::screen::Screen;

    fn screen(cols: u16, bytes: &str) -> Screen {
        let mut screen = Screen::new(Size::new(cols, 4), TerminalIdentity::default());
        screen.feed(bytes.as_bytes());
        screen
    }

    const PICTURES: [&str; 10] = [
        "👍🏽",
        "🧑\u{200d}💻",
        "👩🏽\u{200d}🚀",
        "👨🏻\u{200d}❤\u{fe0f}\u{200d}💋\u{200d}👨🏻",
        "🏳\u{fe0f}\u{200d}🌈",
        "🏳\u{200d}🌈",
        "🏃\u{200d}♂\u{fe0f}",
        "❤\u{fe0f}",
        "1\u{fe0f}\u{20e3}",
        "1\u{20e3}",
    ];

    /// Codex goes to the third column behind a picture, and Claude Code puts a blank into its second one first: "🧑‍💻" lost its
    /// second half, and behind the gap that "1⃣" had the rest of a label was read as its description.
    #[test]
    fn a_picture_takes_the_two_columns_that_programs_count() {
        for picture in PICTURES {
            let drawn = screen(20, &format!("a\x1b[3G \x1b[2G{picture}\r\x1b[4G Ship it"));
            assert_eq!(drawn.grid().text(), format!("a{picture} Ship it"));
            let shown = screen(20, &format!("{picture}b"));
            let widths: Vec<Width> = shown.grid().rows[0].cells[..3].iter().map(|cell| cell.width).collect();
            assert_eq!(widths, [Width::Two, Width::Spacer, Width::One], "{picture}");
            assert_eq!((shown.grid().text(), shown.grid().cursor.col), (format!("{picture}b"), 3));
        }
    }

    #[test]
    fn at_the_edge_a_picture_is_whole_or_in_the_next_row() {
        for picture in PICTURES {
            let shown = screen(4, &format!("ab{picture}c"));
            assert_eq!(shown.grid().text(), format!("ab{picture}\nc"), "{picture}");
        }
        // One column is left: what is there already stays.
        assert_eq!(screen(3, "ab❤\u{fe0f}c").grid().text(), "ab❤\u{fe0f}\nc");
        assert_eq!(screen(3, "ab👍🏽c").grid().text(), "ab\n👍🏽c");
    }

    #[test]
    fn what_is_no_picture_is_not_joined() {
        for (bytes, cursor) in [
            ("漢\u{200d}字", 4),
            ("漢🏽", 4),
            ("a\u{200d}💻", 3),
            ("a\u{fe0f}b", 2),
            ("a\u{20e3}b", 2),
            ("👍🏽🏽", 4),
            ("👍漢", 4),
        ] {
            let shown = screen(20, bytes);
            assert_eq!((shown.grid().text().as_str(), shown.grid().cursor.col), (bytes, cursor), "{bytes:?}");
        }
        // What was drawn last stands elsewhere.
        assert_eq!(screen(20, "🧑\u{200d}\x1b[2;1H💻").grid().text(), "🧑\u{200d}\n💻");
        assert_eq!(screen(20, "x\x1b[2;1H👍\x1b[1;2H🏽").grid().text(), "x🏽\n👍");
    }

    #[test]
    fn what_a_wide_picture_draws_over_is_gone() {
        assert_eq!(screen(20, "漢漢漢\r1\u{fe0f}\u{20e3}x").grid().text(), "1\u{fe0f}\u{20e3}x 漢");
        assert_eq!(screen(20, "abcd\r❤\u{fe0f}").grid().text(), "❤\u{fe0f}cd");
        assert_eq!(screen(20, "ab漢\r❤\u{fe0f}\x1b[4h❤\u{fe0f}").grid().text(), "❤\u{fe0f}❤\u{fe0f}漢");
    }
}
