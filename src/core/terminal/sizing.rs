//! Which size a program gets when several viewers of different sizes look at it.
//!
//! The hub asks whenever a viewer comes, goes, changes its size or types. Pure.

use serde::{Deserialize, Serialize};

use crate::core::terminal::grid::Size;

/// `[attach] size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sizing {
    /// That of the viewer who came, changed or typed last.
    #[default]
    Latest,
    /// What all viewers can show whole.
    Smallest,
}

/// One viewer that takes part: when it was last active, counted upwards, and its size.
pub type Vote = (u64, Size);

/// The size the viewers come to; `None` without any: the program keeps the one it has.
pub fn agreed(sizing: Sizing, votes: impl Iterator<Item = Vote>) -> Option<Size> {
    match sizing {
        Sizing::Latest => votes.max_by_key(|(active, _)| *active).map(|(_, size)| size),
        Sizing::Smallest => {
            let smaller = |a: Size, b: Size| Size::new(a.cols.min(b.cols), a.rows.min(b.rows));
            votes.map(|(_, size)| size).reduce(smaller)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_or_the_smallest() {
        let votes = [(1, Size::new(80, 50)), (3, Size::new(120, 40)), (2, Size::new(100, 24))];
        assert_eq!(agreed(Sizing::Latest, votes.into_iter()), Some(Size::new(120, 40)));
        assert_eq!(agreed(Sizing::Smallest, votes.into_iter()), Some(Size::new(80, 24)));
        assert_eq!(agreed(Sizing::Latest, std::iter::empty()), None);
        assert_eq!(agreed(Sizing::Smallest, std::iter::empty()), None);
    }
}
