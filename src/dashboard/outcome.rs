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
    /// The person stopped everything from here.
    Quit(ShutDown),
    /// A signal, or the end of the terminal.
    Interrupted,
}

/// What came of shutting down.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShutDown {
    /// Who is gone, as far as the server could still say.
    pub stopped: Vec<Stopped>,
    /// Who of them was let go: panes of the user's own tmux.
    pub let_go: Vec<String>,
}
