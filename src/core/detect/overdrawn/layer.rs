//! Since how many looks each cell has been as it is: what was drawn of late, without what lay under it.
//!
//! A program that draws only the cells that have changed draws a request around whatever somebody else put into the
//! others. `Overdrawn` keeps one, and reads the request in what was drawn by itself.

use crate::core::terminal::grid::{Cell, Grid, Size};

use super::effect::Effect;

/// Looks that what was drawn since may be read by itself: whoever meddles may have drawn something in between.
const BACK: u32 = 3;

/// Of each cell the look before it was last drawn.
#[derive(Debug, Default)]
pub(super) struct Layer {
    cells: Vec<u32>,
    cols: usize,
    looks: u32,
}

impl Layer {
    pub(super) fn resize(&mut self, size: Size) {
        let (cols, rows) = (usize::from(size.cols), usize::from(size.rows));
        if (self.cols, self.cells.len()) != (cols, cols * rows) {
            *self = Layer { cells: vec![0; cols * rows], cols, looks: BACK };
        }
    }

    /// What is drawn from here on is told from what was drawn before.
    pub(super) fn looked(&mut self) {
        self.looks += 1;
    }

    /// Nothing is known of what was drawn meanwhile, which is more than fits into a request.
    pub(super) fn passed(&mut self) {
        self.looks += BACK;
    }

    /// What was drawn or erased, with the cursor before and after it. What is not known counts as drawn.
    pub(super) fn note(&mut self, effect: Effect, before: (u16, u16), after: (u16, u16), regional: bool) {
        let (row, col) = (usize::from(before.0), usize::from(before.1));
        let (begin, at) = (row * self.cols, row * self.cols + col.min(self.cols));
        let (row_end, end) = (begin + self.cols, self.cells.len());
        match effect {
            Effect::None | Effect::Part => {}
            Effect::Text => {
                let behind = usize::from(after.0) * self.cols + usize::from(after.1);
                // Scrolled within, where it is no longer known which cell is which.
                if behind < at { self.draw(0, end) } else { self.draw(at, behind) }
            }
            Effect::LineFeed if before.0 != after.0 => {}
            Effect::LineFeed if regional || row_end < end => self.draw(0, end),
            Effect::LineFeed => {
                self.cells.rotate_left(self.cols.min(end));
                self.draw(end.saturating_sub(self.cols), end);
            }
            Effect::Rest => self.draw(at, row_end),
            Effect::Row => self.draw(begin, row_end),
            Effect::Below => self.draw(at, end),
            Effect::Screen | Effect::All => self.draw(0, end),
        }
    }

    fn draw(&mut self, from: usize, to: usize) {
        let to = to.min(self.cells.len());
        self.cells[from.min(to)..to].fill(self.looks);
    }

    /// What was drawn since one of the last looks, each with blanks around it; nothing where that is all there is.
    pub(super) fn alone<'a>(&'a self, grid: &'a Grid) -> impl Iterator<Item = Grid> + 'a {
        let since = |back| self.looks.saturating_sub(back);
        let kept = move |back| self.cells.iter().filter(|look| **look >= since(back)).count();
        let mut before = 0;
        let differs = move |back: &u32| {
            let cells = kept(*back);
            std::mem::replace(&mut before, cells) != cells && cells < self.cells.len()
        };
        (0..BACK).filter(differs).map(move |back| self.only(grid, since(back)))
    }

    fn only(&self, grid: &Grid, since: u32) -> Grid {
        let mut grid = grid.clone();
        let looks = self.cells.chunks(self.cols.max(1));
        for (row, looks) in grid.rows.iter_mut().zip(looks) {
            let older = row.cells.iter_mut().zip(looks).filter(|(_, look)| **look < since);
            older.for_each(|(cell, _)| *cell = Cell::default());
        }
        grid
    }
}
