//! What cursors were given out for: how far, and what stood before their places.
//!
//! `read.rs` notes each cursor here. A line that is drawn over behind a reader's back is new to them from its beginning on:
//! its place alone does not tell that.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Readers at a time, and reads each of them may be behind.
const KEPT: usize = 64;

/// The cursors of one life.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// The furthest place: a program that leaves the alternate screen has fewer lines.
    furthest: u64,
    /// The newest places, and a hash of what stood before each in its line.
    before: VecDeque<(u64, u64)>,
}

impl Given {
    pub fn furthest(&self) -> u64 {
        self.furthest
    }

    /// A cursor is given out for a place in a line that begins so.
    pub fn note(&mut self, place: u64, before: &str) {
        self.furthest = self.furthest.max(place);
        self.before.retain(|(known, _)| *known != place);
        if self.before.len() == KEPT {
            self.before.pop_front();
        }
        self.before.push_back((place, hash(before)));
    }

    /// Whether something else stands before that place now.
    pub fn is_drawn_over(&self, place: u64, now: &str) -> bool {
        self.before.iter().any(|(known, before)| *known == place && *before != hash(now))
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_drawn_over_where_it_was_given_and_begins_otherwise() {
        let mut given = Given::default();
        given.note(5, "10%");
        assert!(!given.is_drawn_over(5, "10%"));
        assert!(given.is_drawn_over(5, "100"));
        assert!(!given.is_drawn_over(6, "100"), "nobody was given that");
        given.note(5, "100");
        assert!(!given.is_drawn_over(5, "100"));
        for place in 10..10 + KEPT as u64 {
            given.note(place, "");
        }
        assert!(!given.is_drawn_over(5, "other"), "too long ago");
        assert_eq!(given.furthest(), 9 + KEPT as u64);
    }
}
