//! Who reads an agent's terminal, be it ours or tmux's.
//!
//! The session's task asks before anything is said of a prompt, and before each key that goes to a line.

use crate::core::detect::front::{Front, Started};
use crate::core::detect::witness::{Blind, Witness};
use crate::os::tty_witness;
use crate::session::setting::Terminal;

pub fn of(terminal: Option<&Terminal>) -> Witness {
    match terminal {
        Some(Terminal::Pty(pty)) => pty.witness(),
        Some(Terminal::Remote { tty: Some(tty), .. }) => tty_witness::look_at_pane(tty),
        Some(Terminal::Remote { tty: None, .. }) | None => Witness::unknown(Blind::Elsewhere),
    }
}

/// Who would take a key that is typed for this agent.
pub fn front(terminal: Option<&Terminal>, agent: &Started) -> Front {
    match terminal {
        Some(Terminal::Pty(pty)) => pty.front(agent),
        Some(Terminal::Remote { tty: Some(tty), .. }) => tty_witness::front_of_pane(tty, agent),
        Some(Terminal::Remote { tty: None, .. }) | None => Front::Unseen,
    }
}
