//! What wakes a session's task, and what it waits for besides its mailboxes: its program's start, its terminal, the time.
//!
//! Polled by `next_turn`. Nothing here acts, and each of them may be dropped before it is ready.

use std::time::Instant;

use super::super::mailbox::{Command, Mail};
use super::super::message::Started;
use super::super::port::FromTerminal;
use super::super::pty::Ready;
use super::super::setting::{Starting, Terminal};
use crate::wire::Request;

/// What woke the task.
pub(super) enum Turn {
    Command(Option<Command>),
    Mail(Mail),
    Started(Result<(Started, Terminal), String>),
    Pty(Ready),
    Remote(Option<FromTerminal>),
    Feed,
    Time,
    NewsSent,
}

impl Turn {
    pub(super) fn is_keys(&self) -> bool {
        matches!(self, Turn::Mail(Mail::Request { request: Request::Keys { .. }, .. }))
    }
}

pub(super) async fn begun(starting: &mut Option<Starting>) -> Result<(Started, Terminal), String> {
    match starting {
        Some(starting) => starting.await,
        None => std::future::pending().await,
    }
}

pub(super) async fn terminal_ready(terminal: &mut Option<Terminal>, reading: bool) -> Turn {
    match terminal {
        Some(Terminal::Pty(pty)) => Turn::Pty(pty.ready(reading).await),
        Some(Terminal::Remote { from, .. }) if reading => Turn::Remote(from.recv().await),
        Some(Terminal::Remote { .. }) | None => std::future::pending().await,
    }
}

pub(super) async fn sleep_until(wake: Option<Instant>) {
    match wake {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
