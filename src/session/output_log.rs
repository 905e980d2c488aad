//! An agent's journal and recordings, as far as its session has a say: what goes in, and what a screen is when it
//! is rebuilt from it.
//!
//! The files themselves are the server's; nothing here touches a disk.

use crate::core::terminal::cost::Cost;
use crate::wire::message::Reply;

use super::Session;
use super::message::{JournalPart, Output};

/// A journal begins anew, with the screen as it stands, when it has grown beyond this.
const JOURNAL_BYTES: usize = 2 * 1024 * 1024;
/// What the rebuilding of one screen may cost. Twice the text of a whole journal takes a fraction of it; output that is
/// made to be costly would keep a new server from everybody for minutes, and its screen is the program's to redraw.
const REPLAY_COST: Cost = Cost(128 * 1024 * 1024);
/// The end of what was too costly is fed all the same: it is what stood on the screen last.
const REPLAY_TAIL: usize = 8 * 1024;
/// … as long as it is not made to be costly as well.
const REPLAY_TAIL_COST: Cost = Cost(16 * 1024 * 1024);

/// Which recordings an agent's output goes to.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorded {
    /// The file of one that somebody asked for.
    pub asked: Option<String>,
    /// The one that every agent gets.
    pub always: bool,
}

impl Recorded {
    pub(super) fn any(&self) -> bool {
        self.asked.is_some() || self.always
    }
}

/// How far an agent's journal goes.
#[derive(Debug, Default)]
pub(super) struct OutputLog {
    /// Bytes in it since it last began anew.
    pub bytes: usize,
    /// Bytes printed since the agent was started, whoever read them.
    pub place: u64,
    /// A question in the input line, put there by this server or an earlier one, and not sent.
    pub draft: String,
    pub recorded: Recorded,
}

impl Session {
    /// Puts down what was just fed.
    pub(super) fn log_output(&mut self, bytes: &[u8]) {
        if self.log.recorded.any() {
            self.out.push(Output::Recorded(bytes.to_vec()));
        }
        self.log.bytes += bytes.len();
        self.log.place += bytes.len() as u64;
        let part = if self.log.bytes > JOURNAL_BYTES {
            self.log.bytes = 0;
            self.journal_begin(self.repainted())
        } else {
            JournalPart::Output(bytes.to_vec())
        };
        self.out.push(Output::Journal(vec![part]));
    }

    /// Begins the journal anew: parts of it could not be taken.
    pub fn journal_anew(&mut self) -> JournalPart {
        self.log.bytes = 0;
        self.journal_begin(self.repainted())
    }

    /// The beginning of a journal's file, with the screen as it stands.
    pub(super) fn journal_begin(&self, seed: Vec<u8>) -> JournalPart {
        // A line that has partly scrolled off is numbered by its beginning.
        let history = &self.terminal.history;
        let line = history.end() - u64::from(history.open_line());
        JournalPart::Begin { at: self.log.place, line, size: self.terminal.screen.size(), seed }
    }

    /// Rebuilds screen and scrollback. Seen and answered by an earlier server: queries and bells are not
    /// repeated.
    pub(super) fn replay(&mut self, journal: &[JournalPart]) {
        let terminal = &mut self.terminal;
        let mut left = REPLAY_COST;
        for part in journal {
            match part {
                JournalPart::Begin { line, size, seed, .. } => {
                    terminal.screen.resize(*size);
                    left = REPLAY_COST;
                    drop(terminal.screen.feed_some(seed, left));
                    terminal.history.begin_at(*line);
                }
                JournalPart::Output(bytes) => {
                    let (taken, mut fed) = terminal.screen.feed_some(bytes, left);
                    left = Cost(left.0.saturating_sub(fed.cost.0));
                    if taken < bytes.len() {
                        let tail = taken.max(bytes.len().saturating_sub(REPLAY_TAIL));
                        terminal.history.push(&fed.scrolled);
                        fed = terminal.screen.feed_some(&bytes[tail..], REPLAY_TAIL_COST).1;
                    }
                    terminal.history.push(&fed.scrolled);
                    self.log.bytes += bytes.len();
                }
                JournalPart::Resized(size) => terminal.screen.resize(*size),
                JournalPart::Draft(text) => self.log.draft.clone_from(text),
            }
        }
        // What the file before the newest held is not counted: it was full.
        self.log.bytes = self.log.bytes.checked_sub(JOURNAL_BYTES).unwrap_or(self.log.bytes);
    }

    /// Output an earlier server read without having come to it. Queries in it may have been answered: a second
    /// answer would be read as keys.
    pub(super) fn take_output_log(&mut self, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            let parts = vec![JournalPart::Output(bytes)];
            self.replay(&parts);
            self.out.push(Output::Journal(parts));
        }
    }

    /// Begins the recording each agent gets where that is configured. `drawn`: something is on the screen.
    pub(super) fn record_always(&mut self, drawn: bool) {
        let Some(max_bytes) = self.record_bytes else { return };
        self.log.recorded.always = true;
        let seed = if drawn { self.repainted() } else { Vec::new() };
        self.out.push(Output::RecordAlways { size: self.terminal.screen.size(), seed, max_bytes });
    }

    pub(super) fn record(&mut self, path: Option<String>) -> Reply {
        self.log.recorded.asked.clone_from(&path);
        self.moved = true;
        let (seed, size) = (self.repainted(), self.terminal.screen.size());
        self.out.push(Output::Record { path, size, seed });
        Reply::Done
    }
}
