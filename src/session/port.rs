//! What passes between a session's task and a terminal it does not hold itself: one in tmux.

use crate::core::terminal::grid::Size;
use crate::wire::keeper::{FromKeeper, ToKeeper};

/// To the terminal.
#[derive(Debug)]
pub enum ToTerminal {
    Write(Vec<u8>),
    /// Tell whether all that was to be written before was taken.
    Confirm,
    /// Tell everything that can be read now, then say so.
    Drain,
    Resize(Size),
    Keeper(ToKeeper),
    /// Close the terminal; the keeper sweeps up and leaves.
    Forget,
}

/// From the terminal.
#[derive(Debug)]
pub enum FromTerminal {
    Output(Vec<u8>),
    /// Some of the output could not be read; what comes next draws what the terminal shows.
    Missed,
    /// Everything there was when `Drain` came has been told.
    Drained {
        /// The terminal still collects what is typed to lines.
        canonical: bool,
    },
    Keeper(FromKeeper),
    KeeperLost,
    /// The bytes were not taken.
    WriteRefused,
    /// What was written before `Confirm` was taken, or not all of it.
    Confirmed {
        taken: bool,
    },
    Resized(Size),
    /// A person typed there without counsel between.
    PersonTyped,
    /// A person should know.
    Notify(String),
}
