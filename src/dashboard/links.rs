//! The links that agents' screens show, and how the views carry them.
//!
//! A view's cell has no room for a link: its number travels behind the cell's glyph, as a character that shows nothing,
//! that no writing uses, and that no width counts. Only `view/rows.rs` puts one there, only `cells.rs` takes it off again.

use std::collections::HashMap;
use std::sync::Arc;

use crate::core::terminal::grid::{Cell, Grid, Link};
use crate::core::terminal::picture::Picture;

/// Characters that are never assigned and never shown, which is why each of them can stand for a number.
const FIRST: u32 = 0xe_01f0;
const LAST: u32 = 0xe_0fff;

/// Every link of an agent has a number of its own here, for as long as there are numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Links {
    numbers: HashMap<Arc<Link>, u16>,
    links: Vec<Arc<Link>>,
    /// How often the numbers were given out anew: then what was drawn with them says nothing any more.
    pub generation: u64,
}

impl Links {
    /// Numbers the links of a picture. `true`: all numbers are given out anew, and those on other screens have none.
    pub fn add(&mut self, picture: &Picture) -> bool {
        let mut anew = false;
        for link in picture.rows.iter().flat_map(|(_, line)| &line.runs).filter_map(|run| run.link.as_ref()) {
            anew |= self.number(link);
        }
        anew
    }

    /// Numbers the links of a screen.
    pub fn add_all(&mut self, grid: &Grid) {
        for link in grid.rows.iter().flat_map(|row| &row.cells).filter_map(Cell::link) {
            self.number(link);
        }
    }

    fn number(&mut self, link: &Arc<Link>) -> bool {
        if self.numbers.contains_key(link) {
            return false;
        }
        let full = self.links.len() > (LAST - FIRST) as usize;
        if full {
            *self = Links { generation: self.generation + 1, ..Links::default() };
        }
        self.numbers.insert(link.clone(), self.links.len() as u16);
        self.links.push(link.clone());
        full
    }

    /// What stands for a link behind the glyph of a cell.
    pub fn mark(&self, link: &Arc<Link>) -> Option<char> {
        mark(*self.numbers.get(link)?)
    }

    /// The link with this number.
    pub fn get(&self, number: u16) -> Option<&Link> {
        self.links.get(usize::from(number)).map(|link| &**link)
    }
}

/// What stands for this number.
pub fn mark(number: u16) -> Option<char> {
    char::from_u32(FIRST + u32::from(number)).filter(|mark| is_mark(*mark))
}

/// Whether a program's own character would be taken for one of ours.
pub fn is_mark(ch: char) -> bool {
    (FIRST..=LAST).contains(&u32::from(ch))
}

/// The glyph of a cell, and the number of its link.
pub fn split(symbol: &str) -> (&str, Option<u16>) {
    // Each takes four bytes, of which the first tells it from most of what there is.
    match symbol.char_indices().next_back().filter(|(at, ch)| *at > 0 && is_mark(*ch)) {
        Some((at, mark)) => (&symbol[..at], Some((u32::from(mark) - FIRST) as u16)),
        None => (symbol, None),
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::core::terminal::grid::Size;
    use crate::core::terminal::picture::Shadow;
    use crate::core::terminal::query_replies::TerminalIdentity;
    use crate::core::terminal::screen::Screen;

    fn picture(output: &str) -> Picture {
        let mut screen = Screen::new(Size::new(80, 24), TerminalIdentity::default());
        screen.feed(output.as_bytes());
        let rows = Picture::delta(&mut Shadow::default(), &screen).expect("a first picture");
        let (cursor, modes) = (screen.grid().cursor, screen.modes());
        Picture { size: screen.size(), rows, cursor, modes, title: String::new() }
    }

    #[test]
    fn a_mark_shows_nothing_and_is_taken_off_again() {
        for number in [FIRST, FIRST + 1, LAST] {
            let mark = char::from_u32(number).unwrap();
            assert_eq!(format!("漢{mark}").width(), 2);
            assert_eq!(split(&format!("e\u{301}{mark}")), ("e\u{301}", Some((number - FIRST) as u16)));
        }
        assert_eq!(split("e\u{301}"), ("e\u{301}", None));
        assert_eq!(split("x"), ("x", None));
    }

    /// An agent that runs for a week shows more links than there are numbers.
    #[test]
    fn numbers_are_given_out_anew_when_there_are_no_more() {
        let (mut links, mut anew) = (Links::default(), false);
        for round in 0..400 {
            let many: String = (0..10)
                .map(|at| format!("\x1b]8;;https://example.org/{round}/{at}\x1b\\x\x1b]8;;\x1b\\ "))
                .collect();
            anew |= links.add(&picture(&many));
        }
        assert!(anew && links.generation == 1);
        assert!(links.get(5).is_some_and(|link| link.uri.contains("example.org")));
    }
}
