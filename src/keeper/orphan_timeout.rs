//! What a keeper does when no server comes: nothing an agent is may depend on a server that never returns.
//!
//! A restart or an upgrade of the server takes seconds. After a longer absence a paused agent goes on, the
//! news of an ended one is given up, and an agent whom no server could find any more is ended.

use std::time::{Duration, Instant};

use super::run::Keeper;
use super::socket;
use super::tree::GRACE;
use crate::os::keeper_link::Run;
use crate::os::paths::private_dir;

/// Longer than any restart of a server, shorter than a person's patience with an agent that stands still.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// So long the first server may take to come before the terminal is read without it. A program that prints more than the ring
/// holds waits for the server that has it started, and that may be stopped, or wait for the processor; a server that is killed
/// just then holds no agent up for longer.
const FIRST_SERVER: Duration = Duration::from_secs(5);

impl Keeper {
    /// Until when the terminal is left to the first server; `None`: it has come.
    pub(super) fn first_server_by(&self) -> Option<Instant> {
        (!self.served).then(|| self.alone_since + FIRST_SERVER)
    }

    /// When the keeper is to look whether it is still alone.
    pub(super) fn alone_until(&self, now: Instant) -> Option<Instant> {
        let abandoned = self.line.is_none().then(|| self.alone_since + self.patience);
        let first = self.first_server_by().filter(|by| *by > now);
        abandoned.into_iter().chain(first).min()
    }

    /// Whether no server has been on the line for too long.
    pub(super) fn is_abandoned(&self) -> bool {
        self.line.is_none() && self.alone_since.elapsed() >= self.patience
    }

    /// Called once per `patience` of being alone.
    pub(super) fn orphan_timeout(&mut self) {
        self.alone_since = Instant::now();
        match self.run {
            // Nobody wants the news: the keeper may go.
            Run::Exited(_) => self.leaving = true,
            Run::Paused => self.resume(),
            // Its own doing, or a person's: not for us to undo.
            Run::Stopped | Run::Running => {}
        }
        if !self.leaving && self.listen_again().is_err() {
            // Without a socket the agent would run on unseen for ever.
            self.give_up(GRACE);
        }
    }

    /// Ends the agent with whoever had it run, where no server does.
    pub(super) fn end_with_its_caller(&mut self) {
        if self.line.is_none() && self.tied.take_if(|tied| tied.is_cut()).is_some() {
            self.give_up(GRACE);
        }
    }

    /// Listens at its path again, if somebody has removed that, or its folder. Called whenever a server has gone, too:
    /// the next one looks for its keepers at once.
    pub(super) fn listen_again(&mut self) -> Result<(), String> {
        if std::fs::symlink_metadata(&self.socket).is_ok() {
            return Ok(());
        }
        if let Some(folder) = self.socket.parent() {
            // Where others may write, somebody else may have made it meanwhile.
            private_dir(folder)?;
        }
        self.listener = socket::listen(&self.socket)?;
        Ok(())
    }
}
