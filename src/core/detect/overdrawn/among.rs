//! A request that stands among signs of somebody else's: beside or below it, under it, or as a part of a screen that asks
//! something else.
//!
//! `Overdrawn` asks here where the screen as it stands asks for no consent. What quotes a request in a conversation is told
//! from one by the place for what is said next, which stands below.

use crate::core::profile::Profile;
use crate::core::question::Question;
use crate::core::terminal::grid::{Grid, Row};
use crate::core::terminal::screen::Screen;

use super::{Overdrawn, WORDS, snapshot};

/// Rows of a request below the last of the words, of which some may be blank.
const BELOW: usize = 3;
/// Rows with a word above a question, the nearest first, of which each may be the last one of a request.
const ABOVE: usize = 4;

impl Overdrawn {
    /// A request that somebody drew beside, or that was drawn among what stood there before. What quotes one in a
    /// conversation stands above the place for what is said next, or above a question, and reads alike with and without what lay under it.
    pub(super) fn among_other_signs(
        &mut self,
        profile: &Profile,
        screen: &Screen,
        grid: &Grid,
    ) -> Option<Question> {
        last_word(grid)?;
        let verdict = self.verdict(profile, &snapshot(screen, grid, &[]));
        let readable = verdict.composer.is_some() || verdict.question.is_some();
        let until_its_end = (!readable).then(|| self.above_other_signs(profile, screen, grid)).flatten();
        if until_its_end.is_some() {
            return until_its_end;
        }
        let alone: Vec<Grid> = self.layer.alone(grid).collect();
        let unlike = |alone: &&Grid| !readable || !reads_alike(alone, grid);
        alone.iter().filter(unlike).find_map(|alone| {
            let asks = self.consent(profile, &snapshot(screen, alone, &[]));
            asks.or_else(|| self.above_other_signs(profile, screen, alone))
        })
    }

    /// A request that ends above other signs.
    fn above_other_signs(&mut self, profile: &Profile, screen: &Screen, grid: &Grid) -> Option<Question> {
        let last = last_word(grid)?;
        let ends = last..grid.rows.len().min(last + BELOW);
        ends.into_iter().find_map(|end| self.consent(profile, &snapshot(screen, &until(grid, end), &[])))
    }

    /// The screen was looked at, and asks this: a request that stands above it may be what its program waits for, with the
    /// question drawn below by somebody else. One that is only quoted there looks no different.
    pub fn looked_above(&mut self, profile: &Profile, screen: &Screen, shown: &Question) {
        if profile.any_program || shown.kind.gives_consent() {
            return;
        }
        let grid = screen.grid();
        let first = shown.options.first().map(|option| option.label.as_str()).unwrap_or_default();
        let Some(top) = grid.rows.iter().rposition(|row| row.text().contains(first)) else { return };
        let words: Vec<usize> = (0..top).rev().filter(|row| has_word(&grid.rows[*row])).take(ABOVE).collect();
        let mut ends = words.into_iter();
        let asks = ends.find_map(|end| self.consent(profile, &snapshot(screen, &until(grid, end), &[])));
        if asks.is_some() {
            self.note(asks);
        }
    }
}

fn last_word(grid: &Grid) -> Option<usize> {
    grid.rows.iter().rposition(has_word)
}

fn has_word(row: &Row) -> bool {
    WORDS.is_match(row.text().as_bytes())
}

/// Whether the rows with one of the words are the same in both.
fn reads_alike(alone: &Grid, grid: &Grid) -> bool {
    alone.rows.iter().zip(&grid.rows).all(|(alone, row)| !has_word(alone) || alone.text() == row.text())
}

/// The rows down to this one.
fn until(grid: &Grid, end: usize) -> Grid {
    let mut grid = grid.clone();
    let cols = grid.cols();
    grid.rows.iter_mut().skip(end + 1).for_each(|row| *row = Row::blank(cols));
    grid
}
