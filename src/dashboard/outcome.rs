//! How the dashboard was left, for whoever opened it.
//!
//! `perform.rs` and the loop say it, the command line tells the person. Nothing but the value.

use crate::wire::stopped::Stopped;

/// How the dashboard was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// So many agents go on.
    Detached(usize),
    /// The server ended, and did not come back.
    ServerGone,
    /// The person stopped everything from here: these, as far as the server could still say.
    Quit(Vec<Stopped>),
    /// A signal, or the end of the terminal.
    Interrupted,
}
