//! Which rows of a screen differ from a grid that was made of it before, and how far they have moved up since.
//!
//! The door notes here what each sequence may change (the emulator's own account gives up at the first line that
//! scrolls); `screen.rs` asks for it before it brings its grid up to date. It must never leave out a row that differs:
//! one too many costs a comparison, one too few is shown, and judged, as it was.

use std::ops::Range;

use crate::core::terminal::grid::Size;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    all: bool,
    /// By what all rows together moved up, before `rows` is applied.
    moved_up: usize,
    rows: Vec<bool>,
}

impl Damage {
    /// Nothing of a screen with so many rows.
    pub fn none(rows: usize) -> Damage {
        Damage { all: false, moved_up: 0, rows: vec![false; rows] }
    }

    /// Everything, at whatever size.
    pub fn all() -> Damage {
        Damage { all: true, moved_up: 0, rows: Vec::new() }
    }

    pub fn moved_up(&self) -> usize {
        if self.all { 0 } else { self.moved_up }
    }

    pub fn has(&self, row: usize) -> bool {
        self.all || self.rows.get(row).copied().unwrap_or(true)
    }

    /// How many rows of a screen of this size differ.
    pub fn rows(&self, size: Size) -> usize {
        (0..usize::from(size.rows)).filter(|row| self.has(*row)).count()
    }

    pub fn add(&mut self, row: usize) {
        if let Some(damaged) = self.rows.get_mut(row) {
            *damaged = true;
        }
    }

    pub fn add_rows(&mut self, rows: Range<usize>) {
        if let Some(damaged) = self.rows.get_mut(rows) {
            damaged.fill(true);
        }
    }

    pub fn add_all(&mut self) {
        *self = Damage::all();
    }

    /// All rows move up by so many; those that come in at the bottom are new.
    pub fn move_up(&mut self, by: usize) {
        if self.all {
            return;
        }
        self.moved_up += by;
        if self.moved_up >= self.rows.len() {
            return self.add_all();
        }
        self.rows.rotate_left(by);
        let new = self.rows.len() - by;
        self.rows[new..].fill(true);
    }

    /// What has changed on top of this.
    pub fn append(&mut self, later: &Damage) {
        if self.all || later.all || self.rows.len() != later.rows.len() {
            return self.add_all();
        }
        self.move_up(later.moved_up);
        for (damaged, later) in self.rows.iter_mut().zip(&later.rows) {
            *damaged |= later;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn damaged(damage: &Damage, rows: usize) -> Vec<usize> {
        (0..rows).filter(|row| damage.has(*row)).collect()
    }

    #[test]
    fn what_was_damaged_moves_up_with_its_row() {
        let mut damage = Damage::none(5);
        damage.add(3);
        damage.move_up(2);
        assert_eq!((damaged(&damage, 5), damage.moved_up()), (vec![1, 3, 4], 2));
    }

    #[test]
    fn what_comes_later_moves_what_came_before() {
        let (mut first, mut later) = (Damage::none(4), Damage::none(4));
        first.add(2);
        later.move_up(1);
        later.add(0);
        first.append(&later);
        assert_eq!((damaged(&first, 4), first.moved_up()), (vec![0, 1, 3], 1));
    }

    #[test]
    fn a_screen_that_has_moved_out_of_sight_is_all_new() {
        let mut damage = Damage::none(3);
        damage.move_up(1);
        damage.move_up(2);
        assert_eq!((&damage, damage.moved_up(), damage.rows(Size::new(80, 3))), (&Damage::all(), 0, 3));
        damage.move_up(1);
        assert_eq!(damage, Damage::all());
    }

    #[test]
    fn another_size_is_all_new() {
        let mut damage = Damage::none(3);
        damage.append(&Damage::none(4));
        assert_eq!(damage, Damage::all());
    }
}
