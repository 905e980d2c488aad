//! A key that was sent and has not been seen to work, and the one behind which nothing more is sent.
//!
//! `drive.rs` and `after.rs` make these and look for what they name; a `Delivery` keeps them from step to step.

use crate::core::question::Passing;
use crate::core::terminal::keys::KeyPress;

/// A key on its way.
#[derive(Debug, Clone)]
pub(super) struct Flight {
    pub first_ms: u64,
    pub last_ms: u64,
    pub tries: u64,
    pub press: Option<KeyPress>,
    pub wants: Effect,
    /// Where the highlight was when it was sent, on a row that cannot be chosen.
    pub passing: Option<Passing>,
}

/// What a key is seen by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// The highlight has left this row.
    Moved(usize),
    /// The highlight has come onto a row that can be chosen.
    Entered,
    /// The highlight has gone back by one from this row, of so many: what was sent before that arrow has come, or is lost.
    Back { from: usize, rows: usize, up: bool },
    /// The highlight has gone from this end of the list to the other one.
    Turned { from: usize, to: usize },
    /// The row's tick is this.
    Ticked(usize, bool),
    /// A field for text is open that was not.
    Opened,
    /// The text stands in the free-text row.
    Written,
    /// Something stands behind the prompt.
    Echoed,
    /// This text stands behind the prompt.
    Shown(String),
    /// Nothing stands behind the prompt any more.
    Emptied,
}

impl Effect {
    /// Where an arrow leads from a row of so many, in a list that turns round.
    pub(super) fn next(from: usize, rows: usize, up: bool) -> usize {
        (from + if up { rows - 1 } else { 1 }) % rows
    }

    /// Late arrows have moved the highlight: the one that is waited for goes back from there.
    pub(super) fn follow(&mut self, selected: Option<usize>) {
        if let (Effect::Back { from, .. }, Some(at)) = (self, selected) {
            *from = at;
        }
    }
}

/// Arrows that were sent again, and may still come: so many more than were seen to work.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surplus {
    pub press: KeyPress,
    pub count: u64,
}

/// The committing key was sent.
#[derive(Debug, Clone)]
pub(super) struct Committed {
    pub at_ms: u64,
    /// Of a prompt's Enter that was swallowed: the times it was sent.
    pub enters: u32,
    pub last_ms: u64,
    pub seen: String,
    pub gone: Gone,
}

/// When a commit has taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Gone {
    /// The dialog is no longer on the screen.
    Dialog,
    /// The draft is no longer in the input line.
    Draft(String),
    /// Nothing can be seen: the program shows no input line.
    Unseen,
}
