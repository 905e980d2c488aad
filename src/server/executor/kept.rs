//! What is left of what an earlier server knew of an agent: its journal, and what that server had read besides.
//!
//! Read when an agent is taken back, on a terminal of counsel's own or in tmux; whoever serves it goes on with the notes.

use std::path::Path;

use crate::os::output_log::{self, OutputLog};
use crate::server::journal;
use crate::session::message::Started;

/// What is left of what an earlier server knew of an agent.
#[derive(Debug)]
pub struct Kept {
    /// Without it the screen is rebuilt by the program's next redraw.
    pub(super) journal: Vec<journal::Part>,
    /// What that server had read besides.
    pub(super) rest: Vec<u8>,
    /// The place in the agent's output where `rest` ends.
    pub(super) at: u64,
    pub(super) output_log: OutputLog,
}

impl Kept {
    /// Notes what the keeper offers, which it forgets once that is taken.
    pub(super) fn of(journal: &Path, notes: &Path, ring: &[u8]) -> Kept {
        let (journal, end) = journal::read(journal);
        let rest = output_log::since(notes, end, ring);
        let output_log = OutputLog::begin(notes, end, &rest, ring);
        Kept { journal, at: end + rest.len() as u64, rest, output_log }
    }

    /// With what an earlier server saw of an agent in tmux. What that printed afterwards tmux has drawn, and nobody kept.
    pub(super) fn seen_by(self, start: Started) -> (Started, OutputLog) {
        let Kept { journal, rest, at, mut output_log } = self;
        output_log.missed();
        (Started { journal, output_log: rest, at, ..start }, output_log)
    }
}
