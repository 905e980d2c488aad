//! One agent as this client sees it: what the server says of it, its picture, what was not yet looked at.
//!
//! `state.rs` holds them, `agents.rs` keeps them in step with the server. Pure.

use crate::core::agent::AgentInfo;
use crate::core::question::State as AgentState;
use crate::core::terminal::grid::Grid;
use crate::core::terminal::modes::Modes;

#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    pub info: AgentInfo,
    pub grid: Grid,
    pub modes: Modes,
    pub number: usize,
    /// What its folder has checked out.
    pub branch: Option<String>,
    /// It rang since it was last in focus.
    pub rang: bool,
    /// It has finished something since it was last looked at.
    pub unseen: bool,
}

impl Agent {
    /// Whether it waits for an answer: what is typed into it would be one.
    pub fn asks(&self) -> bool {
        self.info.question.is_some() || self.info.state == AgentState::Asking
    }

    /// Whether it could not be started: it is on the list to be seen and tried again.
    pub fn failed(&self) -> bool {
        self.info.failed.is_some()
    }
}
