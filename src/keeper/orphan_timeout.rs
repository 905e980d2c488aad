//! What a keeper does when no server comes: nothing an agent is may depend on a server that never returns.
//!
//! A restart or an upgrade of the server takes seconds. After a longer absence a paused agent goes on, the
//! news of an ended one is given up, and an agent whom no server could find any more is ended.

use std::time::Duration;

use super::commands::GRACE;
use super::run::Keeper;
use crate::os::keeper_link::Run;

/// Longer than any restart of a server, shorter than a person's patience with an agent that stands still.
pub const PATIENCE: Duration = Duration::from_secs(60);

impl Keeper {
    /// Whether no server has been on the line for too long.
    pub(super) fn is_abandoned(&self) -> bool {
        self.line.is_none() && self.alone_since.elapsed() >= self.patience
    }

    /// Called once per `patience` of being alone.
    pub(super) fn orphan_timeout(&mut self) {
        self.alone_since = std::time::Instant::now();
        match self.run {
            // Nobody wants the news: the keeper may go.
            Run::Exited(_) => self.leaving = true,
            Run::Paused => self.resume(),
            // Its own doing, or a person's: not for us to undo.
            Run::Stopped | Run::Running => {}
        }
        if self.leaving || std::fs::symlink_metadata(&self.socket).is_ok() {
            return;
        }
        // Somebody has cleaned the folder. Without a socket the agent would run on unseen for ever.
        match super::listen(&self.socket) {
            Ok(listener) => self.listener = listener,
            Err(_) => self.give_up(GRACE),
        }
    }
}
