//! What few cells have besides a character: links and coloured underlines, kept once for all cells that share them.
//!
//! The door asks it when a program begins a link or colours an underline. Without it each such sequence would leave
//! another copy behind in the cells that follow.

use std::collections::HashSet;
use std::sync::Arc;

use alacritty_terminal::index::Line;
use alacritty_terminal::term::Term;
use alacritty_terminal::term::cell::{Cell, CellExtra};

/// Different links on a screen; the text of further ones is shown without. An address takes up to a kilobyte.
const MOST_LINKS: usize = 512;
/// What was in use lately: programs go back and forth between a few colours and links.
const RECENT: usize = 8;

#[derive(Debug, Default)]
pub struct Extras {
    recent: [Option<Arc<CellExtra>>; RECENT],
    /// Where the next is kept.
    next: usize,
    /// Links begun since those on the screen were counted, and these.
    links: usize,
}

impl Extras {
    /// Whether one more link may be begun; what it cost to find out, in cells.
    pub fn room_for_link<T>(&mut self, term: &Term<T>, rows: usize) -> (bool, usize) {
        self.links += 1;
        if self.links <= MOST_LINKS {
            return (true, 0);
        }
        let mut shown = HashSet::new();
        let mut cells = 0;
        for row in (0..).take(rows) {
            let row = &term.grid()[Line(row)][..];
            cells += row.len();
            shown.extend(row.iter().filter_map(Cell::hyperlink).map(|link| link.uri().as_ptr()));
        }
        self.links = shown.len();
        (self.links < MOST_LINKS, cells)
    }

    /// The same as `extra`, shared with the cells that have it already.
    pub fn shared(&mut self, extra: Arc<CellExtra>) -> Arc<CellExtra> {
        if let Some(known) = self.recent.iter().flatten().find(|known| **known == extra) {
            return known.clone();
        }
        self.recent[self.next] = Some(extra.clone());
        self.next = (self.next + 1) % RECENT;
        extra
    }
}
