//! What is to be done outside once the state has changed.
//!
//! `update.rs` and what it calls return them as values, `perform.rs` does them. Nothing here does anything.

use crate::wire::message::ClientMessage;

use super::form::{Field, NewAgent};

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Send(ClientMessage),
    /// Base64, to the outer terminal's clipboard.
    Clipboard(String),
    Bell,
    /// Rings, with the reason for those who look elsewhere.
    Notify(String),
    /// A new agent in this environment; the request has this number.
    Start {
        id: u64,
        agent: Box<NewAgent>,
    },
    /// An agent of the configuration, once more; the request has this number.
    StartAgain {
        id: u64,
        name: String,
    },
    /// What there is that begins so: programs for the first word of a command, else paths.
    Complete {
        field: Field,
        word: String,
        first: bool,
    },
    /// The newest decisions of the log.
    ReadLog,
    /// The layout that was chosen, by name.
    Remember(String),
    Detach,
    Suspend,
    /// Everything is being stopped.
    Quit,
}
