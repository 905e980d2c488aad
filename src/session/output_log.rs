//! An agent's journal and recordings, as far as its session has a say: what goes in, and what a screen is when it
//! is rebuilt from it.
//!
//! The files themselves are the server's; nothing here touches a disk.

use crate::core::terminal::cost::Cost;
use crate::wire::message::Reply;

use super::Session;
use super::message::{ClientKey, JournalPart, News, Opening, Output};

/// A journal begins anew, with the screen as it stands, when it has grown beyond this.
const JOURNAL_BYTES: usize = 2 * 1024 * 1024;
/// What the output of one journal's file may cost when a screen is rebuilt from it. Twice the text of a whole file takes
/// a fraction of it; output that is made to be costly would keep a new server from everybody for minutes, and its
/// screen is the program's to redraw.
const FILE_COST: Cost = Cost(16 * 1024 * 1024);
/// What rebuilding it may cost in all: a journal has two files, and the output log is the third.
const REPLAY_COST: Cost = Cost(3 * FILE_COST.0);
/// The end of what was too costly is fed all the same: it is what stood on the screen last.
const TAIL: usize = 8 * 1024;
/// … and where it is costly as well, what it may cost before its own end is gone on with.
const TAIL_COST: Cost = Cost(2 * 1024 * 1024);
/// How many turns go to what a keeper held while no server was there, before the rest of it is passed over.
const BACKLOG_TURNS: u64 = FILE_COST.0 / Cost::STEP.0;

/// What rebuilding a screen may still cost, and the end of what was passed over.
#[derive(Debug)]
struct Budget {
    all: Cost,
    file: Cost,
    passed_over: Vec<u8>,
}

impl Budget {
    fn new() -> Budget {
        Budget { all: REPLAY_COST, file: FILE_COST, passed_over: Vec::new() }
    }

    fn left(&self) -> Cost {
        self.all.min(self.file)
    }

    fn spend(&mut self, cost: Cost) {
        self.all = Cost(self.all.0.saturating_sub(cost.0));
        self.file = Cost(self.file.0.saturating_sub(cost.0));
    }

    fn pass_over(&mut self, bytes: &[u8]) {
        self.passed_over.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
        let before = self.passed_over.len().saturating_sub(TAIL);
        self.passed_over.drain(..before);
    }
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

    /// Output that nobody could read: whoever reads it as it was printed is told.
    pub(super) fn missed(&mut self) {
        self.terminal.raw.miss();
        self.log.place += 1;
        self.out.push(Output::Journal(vec![JournalPart::Missed]));
    }

    /// Begins the journal anew: parts of it could not be taken.
    pub fn journal_anew(&mut self) -> JournalPart {
        self.log.bytes = 0;
        self.journal_begin(self.repainted())
    }

    /// The beginning of a journal's file, with the screen as it stands.
    pub(super) fn journal_begin(&self, seed: Vec<u8>) -> JournalPart {
        // A line that has partly scrolled off is numbered by its beginning.
        let line = self.first_line_shown();
        JournalPart::Begin { at: self.log.place, line, size: self.terminal.screen.size(), seed }
    }

    /// Rebuilds screen and scrollback. Seen and answered by an earlier server: queries and bells are not
    /// repeated. What it costs is bounded, whatever was printed.
    pub(super) fn replay(&mut self, journal: &[JournalPart]) {
        let mut budget = Budget::new();
        for part in journal {
            match part {
                JournalPart::Begin { at, line, size, seed } => {
                    self.terminal.raw.go_on_at(*at);
                    self.terminal.screen.resize(*size);
                    (budget.file, budget.passed_over) = (FILE_COST, Vec::new());
                    let seeded = self.terminal.screen.feed_some(seed, budget.left().min(TAIL_COST)).1;
                    budget.spend(seeded.cost);
                    self.terminal.history.begin_at(*line);
                }
                JournalPart::Output(bytes) => {
                    // As it was printed, so that cursors of `read --raw` outlive a server as all others do.
                    self.terminal.raw.push(bytes);
                    let taken = self.replay_some(bytes, &mut budget);
                    budget.pass_over(&bytes[taken..]);
                    self.log.bytes += bytes.len();
                }
                JournalPart::Missed => self.terminal.raw.miss(),
                JournalPart::Resized(size) => self.terminal.screen.resize(*size),
                JournalPart::Draft(text) => self.log.draft.clone_from(text),
            }
        }
        feed_end(&budget.passed_over, |piece| {
            let mut budget = Budget { all: TAIL_COST, ..Budget::new() };
            self.replay_some(piece, &mut budget)
        });
        // What the file before the newest held is not counted: it was full.
        self.log.bytes = self.log.bytes.checked_sub(JOURNAL_BYTES).unwrap_or(self.log.bytes);
    }

    /// Feeds as much of these bytes as may be spent on them; how many those were.
    fn replay_some(&mut self, bytes: &[u8], budget: &mut Budget) -> usize {
        if budget.left() == Cost::default() {
            return 0;
        }
        let (taken, fed) = self.terminal.screen.feed_some(bytes, budget.left());
        budget.spend(fed.cost);
        self.terminal.history.push(&fed.scrolled);
        taken
    }

    /// Takes what a keeper held while no server was there. The middle of what is too costly is passed over: its program
    /// is made to redraw.
    pub(super) fn take_backlog(&mut self, bytes: &[u8]) {
        let mut passed_over = bytes.len();
        let fed = self.feed_turns(bytes, BACKLOG_TURNS);
        passed_over -= fed;
        let rest = &bytes[fed..];
        feed_end(&rest[rest.len().saturating_sub(TAIL)..], |piece| {
            let fed = self.feed_turns(piece, TAIL_COST.0 / Cost::STEP.0);
            passed_over -= fed;
            fed
        });
        if passed_over > 0 {
            self.terminal.printed += passed_over as u64;
            self.log.place += passed_over as u64;
            self.terminal.raw.go_on_at(self.log.place);
            let begin = self.journal_anew();
            self.out.push(Output::Journal(vec![begin]));
        }
    }

    /// Feeds as much as so many turns may cost; how many bytes that were.
    fn feed_turns(&mut self, bytes: &[u8], turns: u64) -> usize {
        let mut fed = 0;
        for _ in 0..turns {
            if fed == bytes.len() {
                break;
            }
            fed += self.output(&bytes[fed..]);
        }
        fed
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

    /// Begins what is recorded of it from its start, or goes on with what the server before recorded. `drawn`: something is on
    /// the screen.
    pub(super) fn begin_recordings(&mut self, drawn: bool) {
        self.record_always(drawn);
        self.record_on();
    }

    /// Begins the recording each agent gets where that is configured. `drawn`: something is on the screen.
    fn record_always(&mut self, drawn: bool) {
        let Some(max_bytes) = self.record_bytes else { return };
        self.log.recorded.always = true;
        let seed = if drawn { self.repainted() } else { Vec::new() };
        let opening = self.opening(seed);
        self.out.push(Output::RecordAlways { opening, max_bytes });
    }

    /// What is printed from here on goes to that file; whoever asked is answered once it is there.
    pub(super) fn record(&mut self, to: (ClientKey, u64), path: Option<String>) {
        self.log.recorded.asked.clone_from(&path);
        let opening = self.opening(self.repainted());
        self.out.push(Output::Record { to: Some(to), path, opening });
    }

    /// The recording that the server before made of it goes on.
    fn record_on(&mut self) {
        let Some(path) = self.log.recorded.asked.clone() else { return };
        let opening = self.opening(self.repainted());
        self.out.push(Output::RecordOn { path, opening });
    }

    fn opening(&self, seed: Vec<u8>) -> Opening {
        Opening { command: self.command.clone(), size: self.terminal.screen.size(), seed }
    }

    pub(super) fn recorded_always(&mut self, now: Option<String>) {
        self.log.recorded.auto = now;
        self.moved = true;
    }

    pub(super) fn recorded(
        &mut self,
        to: Option<(ClientKey, u64)>,
        now: Option<String>,
        done: Result<(), String>,
    ) {
        self.log.recorded.asked = now;
        self.moved = true;
        match (to, done) {
            (Some((client, id)), done) => {
                self.reply_to(client, id, done.map_or_else(|why| Reply::error(1, why), |()| Reply::Done));
            }
            (None, Err(why)) => self.tell(News::Notify(format!("{}: {why}", self.name))),
            (None, Ok(())) => {}
        }
    }
}

/// Feeds bytes in pieces of which each may be too costly to be taken whole: the next is the end of what was left of
/// it. The last bytes are always fed.
fn feed_end(mut bytes: &[u8], mut feed: impl FnMut(&[u8]) -> usize) {
    while !bytes.is_empty() {
        let rest = &bytes[feed(bytes).max(1)..];
        bytes = if rest.len() < 4 { rest } else { &rest[rest.len() - rest.len() / 4..] };
    }
}
