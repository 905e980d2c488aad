//! A request that stands among signs of somebody else's: beside or below it, under it, or as a part of a screen that asks
//! something else.
//!
//! `Overdrawn` asks here where the screen as it stands asks for no consent. What quotes a request in a conversation is told
//! from one by the place for what is said next, which stands below.

use std::sync::LazyLock;

use regex::Regex;

use crate::core::profile::Profile;
use crate::core::question::Question;
use crate::core::terminal::grid::{Grid, Row};
use crate::core::terminal::screen::Screen;

use super::request::stands_as;
use super::words::has_word;
use super::{Overdrawn, snapshot};

/// Rows of a request below the last of the words, of which some may be blank.
const BELOW: usize = 3;
/// Places where a request may end, at most, in one look.
const MOST_ENDS: usize = 32;
/// Characters by which the row of a label is found.
const LABEL: usize = 16;
/// A row that begins like one that grants or refuses.
static ANSWER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\W*(?:\d+\W+)?(?:Yes|No,|Allow|Approve|Accept|Reject|Confirm|Trust|Proceed|Implement)")
        .expect("the pattern is a constant")
});

impl Overdrawn {
    /// A request that somebody drew beside, or that was drawn among what stood there before. What quotes one in a
    /// conversation stands above the place for what is said next, or above a question, and reads alike with and without
    /// what lay under it.
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

    /// A request that ends above other signs. Where it may end in more places than anybody draws, it is one.
    fn above_other_signs(&mut self, profile: &Profile, screen: &Screen, grid: &Grid) -> Option<Question> {
        let rows = grid.rows.len();
        let texts = || grid.rows.iter().enumerate();
        let answers = texts().filter(|(_, row)| ANSWER.is_match(&row.text())).map(|(at, _)| at);
        let mut ends: Vec<usize> =
            answers.chain(last_word(grid)).flat_map(|at| at..rows.min(at + BELOW)).collect();
        ends.sort_unstable();
        ends.dedup();
        self.unread |= ends.len() > MOST_ENDS;
        ends.truncate(MOST_ENDS);
        let mut ends = ends.into_iter().rev();
        ends.find_map(|end| self.consent(profile, &snapshot(screen, &until(grid, end), &[])))
    }

    /// The screen was looked at, and asks this: a request that stands above it may be what its program waits for, with what
    /// is asked below drawn by somebody else. One that is only quoted there looks no different.
    pub fn looked_above(&mut self, profile: &Profile, screen: &Screen, shown: &Question) {
        if profile.any_program {
            return;
        }
        let asks = self.asks_above(profile, screen, screen.grid(), shown);
        self.note_drawn(profile, screen, screen.grid(), asks);
    }

    /// Another request above what is asked in this grid.
    pub(super) fn asks_above(
        &mut self,
        profile: &Profile,
        screen: &Screen,
        grid: &Grid,
        shown: &Question,
    ) -> Option<Question> {
        let (first, last) = (shown.options.first()?, shown.options.last()?);
        // A long label goes on in the next row.
        let begin = |label: &str| label.chars().take(LABEL).collect::<String>();
        let row = |rows: &[Row], label: &str| rows.iter().rposition(|row| row.text().contains(&begin(label)));
        let end = row(&grid.rows, &last.label).unwrap_or(grid.rows.len() - 1);
        // Where it is not found, all of it may stand above.
        let top = row(&grid.rows[..=end], &first.label).unwrap_or(end);
        let words: Vec<usize> = (0..top).rev().filter(|row| has_word(&grid.rows[*row])).collect();
        words.into_iter().find_map(|end| {
            let asks = self.consent(profile, &snapshot(screen, &until(grid, end), &[]));
            // Its own words may read as one without its rows.
            asks.filter(|asks| !stands_as(shown, asks) && !asks.options.is_empty())
        })
    }
}

fn last_word(grid: &Grid) -> Option<usize> {
    grid.rows.iter().rposition(has_word)
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
