//! Colours and marks. Every state has a mark of its own, so that nothing is told by colour alone.
//!
//! Only the sixteen colours of the terminal's own theme: they are readable on its background.

use ratatui::style::{Color, Modifier, Style};

use crate::core::agent::AgentInfo;
use crate::core::question::State;
use crate::wire::message::Status;

pub const FOCUS: Style = Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD);
pub const DIM: Style = Style::new().fg(Color::DarkGray);
pub const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
pub const NEEDED: Style = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
pub const SELECTED: Style = Style::new().add_modifier(Modifier::REVERSED);
pub const WARNING: Style =
    Style::new().fg(Color::Red).add_modifier(Modifier::BOLD).add_modifier(Modifier::REVERSED);

pub fn mark(info: &AgentInfo) -> &'static str {
    match info.state {
        State::Starting => "◌",
        State::Working => "●",
        State::Idle => "○",
        State::Asking => "◆",
        State::Exited if info.exit_code == Some(0) => "✓",
        State::Exited => "✗",
        State::Unknown => "?",
        State::Paused => "‖",
    }
}

pub fn state_style(info: &AgentInfo) -> Style {
    match info.state {
        State::Starting => DIM,
        State::Working => Style::new().fg(Color::Green),
        State::Idle => Style::new(),
        State::Asking => NEEDED,
        State::Exited if info.exit_code == Some(0) => DIM,
        State::Exited => Style::new().fg(Color::Red),
        State::Unknown => Style::new().fg(Color::Magenta),
        State::Paused => Style::new().fg(Color::Blue),
    }
}

pub fn status_style(status: Status) -> Style {
    match status {
        Status::Open | Status::Consulting | Status::Answering => Style::new().fg(Color::Cyan),
        Status::Proposed | Status::Escalated => NEEDED,
        Status::Answered => Style::new().fg(Color::Green),
        Status::Withdrawn => DIM,
    }
}
