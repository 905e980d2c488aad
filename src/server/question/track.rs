//! What the questions of one agent have been, and whether its channels agree with its screen.

use std::collections::VecDeque;

use crate::core::question::Fingerprint;
use crate::server::hub::table::Table;
use crate::session::message::{AgentKey, AskKey};

/// A question that is not on one screen may be back on the next (a redraw in two pieces); after this
/// long it is gone.
pub const MISSING_MS: u64 = 400;
/// The same of one that an answer is typed for: its session looks for it, and gives that up within 5 s.
pub const MISSING_TYPED_MS: u64 = 6_000;
/// A report or a title comes up to 0.75 s before the dialog it speaks of and never after it. Four times that, for
/// a machine that is busy.
const LATE_MS: u64 = 3_000;

pub type Tracks = Table<AgentKey, Track>;

/// A dialog that was hidden while its program was busy with a key comes back within this time.
const AGAIN_MS: u64 = 60_000;

#[derive(Debug, Default)]
pub struct Track {
    /// The question on its screen.
    pub open: Option<AskKey>,
    /// It has asked under this server.
    pub appeared: bool,
    /// Whether an answer that the server before was giving came to its end has been looked at.
    pub left_looked: bool,
    /// The open question has not been on the last screen; since when.
    pub missing_since: Option<u64>,
    /// The question of which other rows came into view since it was first told.
    pub scrolled: Option<AskKey>,
    /// When the open question was replaced by one with the same rows and other words, and nobody had typed.
    pub moved_ms: VecDeque<u64>,
    /// What it asks in words that have changed by themselves and stand still now.
    pub stood_still: Option<Fingerprint>,
    /// Since when another channel contradicts its screen.
    pub conflict_since: Option<u64>,
    /// That has lasted, and the consequences are drawn.
    pub conflict_told: bool,
    /// The question to which an answer did not go in last, and when that was.
    pub failed: Option<(Fingerprint, u64)>,
    /// When the command that calls a person last ran for it.
    pub called_ms: Option<u64>,
    /// Since when it stands still.
    pub paused_ms: Option<u64>,
    /// What asked for consent went away, and how often something had been typed into the pane by then.
    pub consent_gone: Option<u64>,
}

impl Track {
    /// Why a question that comes back is a person's: an answer to it was given up a moment ago.
    pub fn given_up(&self, question: Fingerprint, now_ms: u64) -> Option<String> {
        let same = |(of, at): &(Fingerprint, u64)| *of == question && now_ms < at + AGAIN_MS;
        let why =
            "an answer to this question was given up a moment ago, and some of its keys may have gone in";
        self.failed.as_ref().is_some_and(same).then(|| why.to_owned())
    }

    pub fn conflict_wake(&self) -> Option<u64> {
        self.conflict_since.filter(|_| !self.conflict_told).map(|since| since + LATE_MS)
    }
}
