//! A key that was sent and has not been seen to work, and the one behind which nothing more is sent.
//!
//! `drive.rs` and `after.rs` make these and look for what they name; a `Delivery` keeps them from step to step.

use crate::core::terminal::keys::KeyPress;

/// A key on its way.
#[derive(Debug, Clone)]
pub(super) struct Flight {
    pub first_ms: u64,
    pub last_ms: u64,
    pub tries: u64,
    pub press: Option<KeyPress>,
    pub wants: Effect,
}

/// What a key is seen by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// The highlight has left this row.
    Moved(usize),
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
