//! The grid a screen shows, with a number for each row that says whether it changed.
//!
//! `screen.rs` keeps one. Who shows the screen elsewhere compares the numbers instead of thousands of cells. It must
//! never give a number twice.

use crate::core::terminal::engine::{Change, Damage, Engine};
use crate::core::terminal::grid::Grid;

/// A grid, and the versions of its rows.
#[derive(Default)]
pub struct Shown {
    pub grid: Grid,
    /// Of each row: it has the same number for as long as it shows the same, and no other row ever has it.
    pub versions: Vec<u64>,
    /// The last number given.
    last: u64,
}

impl Shown {
    /// Brings it up to date with the emulator, where all that differs is in `damage`.
    pub fn refresh(&mut self, engine: &Engine, damage: &Damage) {
        let Shown { grid, versions, last } = self;
        engine.show(damage, grid, |change| match change {
            Change::MovedUp(by) => versions.rotate_left(by),
            Change::Row(row) => {
                if versions.len() <= row {
                    versions.resize(row + 1, 0);
                }
                *last += 1;
                versions[row] = *last;
            }
        });
        versions.truncate(grid.rows.len());
    }

    /// Somebody else has changed the grid.
    pub fn all_changed(&mut self) {
        self.versions = (self.last + 1..).take(self.grid.rows.len()).collect();
        self.last += self.grid.rows.len() as u64;
    }
}
