//! Files the server writes: the decision log, journals and recordings. One thread, so that a slow disk or an
//! fsync never holds up the hub.
//!
//! What cannot be written is told once, kept in memory, and written when that works again.

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::core::log::chain::{Head, Verifier, believable, tied};
use crate::core::log::log_entry::Entry;
use crate::core::terminal::grid::Size;
use crate::os::regular_file;

use crate::session::message::{AgentKey, AskKey, ClientKey, Opening, Order};

use super::effect::Event;
use super::journal::{self, Journals};
use super::log_file::{append, make_room};
use super::recordings::Recordings;

/// How much of the log's end is read at start: far more than the newest decisions need.
const LOG_TAIL: u64 = 8 * 1024 * 1024;
/// A line of the log at most: two screens and what consultants were told and said are far less.
pub const MAX_LINE: usize = 4 * 1024 * 1024;
/// Kept free for each entry that is to come: more than the screens, the prompt and the replies of one take.
const RESERVE: u64 = 1024 * 1024;
/// Between two tries to write what could not be written.
const RETRY: Duration = Duration::from_secs(1);
/// Log entries that wait for the disk at most; a hundred questions an hour are a busy team.
const MAX_WAITING: usize = 10_000;

/// What the server's loop wants written.
#[derive(Debug)]
pub enum Job {
    /// Whoever asks is told what the log ends with.
    Head(ClientKey, u64),
    /// Room for this question's entry.
    Reserve(AskKey),
    Append(AskKey, Box<Entry>),
    /// Told once all that came before has been tried.
    Barrier(oneshot::Sender<()>),
    /// `path: None` ends a recording that was asked for. Whoever asked is told when that is done, or why it cannot be.
    Record {
        agent: AgentKey,
        to: Option<(ClientKey, u64)>,
        path: Option<String>,
        opening: Opening,
    },
    /// The same of one that an earlier server made.
    RecordOn {
        agent: AgentKey,
        path: String,
        opening: Opening,
    },
    /// Begins a recording of its own accord, in this folder.
    RecordAlways {
        agent: AgentKey,
        folder: PathBuf,
        name: String,
        opening: Opening,
        max_bytes: u64,
    },
    Output {
        agent: AgentKey,
        bytes: Vec<u8>,
    },
    Resized {
        agent: AgentKey,
        size: Size,
    },
    Journal {
        path: PathBuf,
        parts: Vec<journal::Part>,
    },
    /// The agent is gone, its recordings are complete.
    Close {
        agent: AgentKey,
    },
    /// The agent is gone, and its journal with it.
    Discard {
        path: PathBuf,
    },
}

/// Where the log lies in the state folder.
pub fn log_path(state_dir: &Path) -> PathBuf {
    state_dir.join("decisions.jsonl")
}

/// The newest entries of the log that its chain vouches for, oldest first. A line cut short by a crash is
/// passed over.
pub fn newest(path: &Path, count: usize) -> Vec<Entry> {
    let Ok((file, mut verifier)) = tail(path) else { return Vec::new() };
    let ties = lines(file).map(|line| {
        let tie = verifier.take(&line);
        (line, tie)
    });
    let mut entries: Vec<Entry> =
        believable(ties).iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    entries.drain(..entries.len().saturating_sub(count));
    entries
}

/// The log's end, and what checks it.
fn tail(path: &Path) -> io::Result<(File, Verifier)> {
    let mut file = regular_file::open_to_read(path)?;
    let length = file.metadata()?.len();
    if length <= LOG_TAIL {
        return Ok((file, Verifier::default()));
    }
    file.seek(SeekFrom::Start(length - LOG_TAIL))?;
    Ok((file, Verifier::inside()))
}

/// What the next line is tied to. A log without a single tied line is read whole: the first one seals it.
fn head(path: &Path) -> io::Result<Head> {
    let (file, mut verifier) = match tail(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Head::default()),
        opened => opened?,
    };
    verifier.take_all(lines(file));
    if verifier.tied == 0 {
        verifier = Verifier::default();
        verifier.take_all(lines(regular_file::open_to_read(path)?));
    }
    Ok(verifier.head().clone())
}

/// The lines of a log. One cut through a character is none.
fn lines(log: impl io::Read) -> impl Iterator<Item = String> {
    let lines = regular_file::lines(BufReader::new(log), MAX_LINE);
    lines.filter_map(|line| String::from_utf8(line).ok()).filter(|line| !line.is_empty())
}

/// The entries of a log with their lines. What is no entry, cut through a character even, is passed over.
pub fn entries(log: impl io::Read) -> impl Iterator<Item = (Entry, String)> {
    lines(log).filter_map(|line| Some((serde_json::from_str(&line).ok()?, line)))
}

/// The entries with the number of their line in the file, from 1.
pub fn numbered(log: impl io::Read) -> impl Iterator<Item = (Entry, u64)> {
    let lines = (1..).zip(regular_file::lines(BufReader::new(log), MAX_LINE));
    lines.filter_map(|(number, line)| Some((serde_json::from_slice(&line).ok()?, number)))
}

/// Where an agent's journal lies in the state folder; named by its keeper's socket, which no two agents share.
pub fn journal_path(state_dir: &Path, keeper: &Path) -> PathBuf {
    let name = keeper.to_string_lossy().trim_start_matches('/').replace('/', "%");
    state_dir.join("journals").join(name)
}

#[derive(Default)]
struct Files {
    log: PathBuf,
    waiting: VecDeque<(AskKey, Box<Entry>)>,
    /// The questions whose entries have come to the disk, of which nobody has heard yet.
    written: Vec<AskKey>,
    /// The questions for whose entries room is kept.
    reserved: HashSet<AskKey>,
    /// What this server wrote last, which no later look at the file replaces.
    chain: Option<Head>,
    recordings: Recordings,
    journals: Journals,
    /// Something could not be written, which was said.
    troubled: bool,
    /// The last of that in the log: a flood that finds no room would fill it with the same line.
    said: String,
}

/// Runs until the sender is dropped. `tell` hears what is on the disk, and what could not be written.
pub fn run(log: &Path, jobs: Receiver<Job>, tell: impl Fn(Event)) {
    // From here on this server knows what stands there, whoever else writes to it.
    let mut files = Files { log: log.to_path_buf(), chain: head(log).ok(), ..Files::default() };
    loop {
        let wait = if files.troubled { RETRY } else { Duration::MAX };
        let done = match jobs.recv_timeout(wait) {
            Ok(Job::Record { agent, to, path, opening }) => {
                let (now, done) = files.recordings.asked(agent, path, &opening);
                // Whoever asked is told.
                files.troubled |= files.recordings.has_unwritten_ends();
                tell(Event::ForSession { agent, order: Box::new(Order::Recorded { to, now, done }) });
                Ok(())
            }
            Ok(Job::RecordOn { agent, path, opening }) => {
                let done = files.recordings.go_on(agent, &path, &opening);
                let now = done.is_ok().then_some(path);
                tell(Event::ForSession { agent, order: Box::new(Order::Recorded { to: None, now, done }) });
                Ok(())
            }
            Ok(Job::RecordAlways { agent, folder, name, opening, max_bytes }) => {
                let begun = files.recordings.always(agent, (&folder, &name), &opening, max_bytes);
                let now = begun.as_ref().ok().cloned();
                tell(Event::ForSession { agent, order: Box::new(Order::RecordedAlways(now)) });
                begun.map(drop)
            }
            Ok(Job::Head(client, id)) => {
                let head = files.chain.as_ref().map(|head| head.text().to_owned());
                let log = log.to_string_lossy().into_owned();
                tell(Event::LogHead { client, id, log, head, waiting: files.waiting.len() });
                Ok(())
            }
            Ok(job) => {
                let logged = if let Job::Append(ask, _) = &job { Some(*ask) } else { None };
                let reserved = if let Job::Reserve(ask) = &job { Some(*ask) } else { None };
                let done = files.perform(job);
                reserved.into_iter().for_each(|ask| tell(Event::LogReserved { ask, done: done.clone() }));
                // What the disk does not take holds nobody up.
                let refused = logged.filter(|ask| !files.written.contains(ask));
                refused.into_iter().for_each(|ask| tell(Event::Logged { ask, written: false }));
                done
            }
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => break,
        };
        match done {
            Err(what) => files.trouble(what).into_iter().for_each(|what| tell(Event::Trouble { what })),
            Ok(()) if files.troubled && files.retry() => {
                tracing::info!("what could not be written is written");
                files.troubled = false;
                files.said.clear();
            }
            Ok(()) => {}
        }
        files.written.drain(..).for_each(|ask| tell(Event::Logged { ask, written: true }));
    }
    if files.troubled && !files.retry() {
        tracing::error!(entries = files.waiting.len(), "the log, a journal or a recording is incomplete");
    }
}

impl Files {
    /// What people are to be told of it, if they have not been told of another one.
    fn trouble(&mut self, what: String) -> Option<String> {
        if self.said != what {
            tracing::warn!(what);
            self.said.clone_from(&what);
        }
        let told = std::mem::replace(&mut self.troubled, true);
        (!told).then(|| format!("{what}; it is kept in memory and written when there is room"))
    }

    fn perform(&mut self, job: Job) -> Result<(), String> {
        match job {
            // `run` answers these.
            Job::Head(..) | Job::Record { .. } | Job::RecordOn { .. } | Job::RecordAlways { .. } => Ok(()),
            Job::Reserve(ask) => {
                self.reserve(ask).map_err(|e| format!("could not write {}: {e}", self.log.display()))
            }
            Job::Append(ask, entry) => {
                self.reserved.remove(&ask);
                self.waiting.push_back((ask, entry));
                if self.waiting.len() > MAX_WAITING {
                    self.waiting.pop_front();
                }
                self.write_log().map_err(|e| format!("could not write {}: {e}", self.log.display()))
            }
            Job::Journal { path, parts } => {
                let written = self.journals.add(&path, &parts);
                written.map_err(|e| format!("could not write {}: {e}", path.display()))
            }
            Job::Discard { path } => {
                self.journals.discard(&path);
                Ok(())
            }
            Job::Close { agent } => self.recordings.close(agent),
            Job::Barrier(told) => told.send(()).or(Ok(())),
            Job::Output { agent, bytes } => {
                self.recordings.write(agent, |recording| recording.output(&bytes))
            }
            Job::Resized { agent, size } => self.recordings.write(agent, |recording| recording.resized(size)),
        }
    }

    /// Oldest first; an entry leaves the queue when the disk has it.
    fn write_log(&mut self) -> io::Result<()> {
        while let Some((ask, entry)) = self.waiting.front() {
            let head = match self.chain.take() {
                Some(head) => head,
                None => head(&self.log)?,
            };
            let (line, next) = tied(&entry.line(), &head);
            let written = append(&self.log, line);
            self.chain = Some(if written.is_ok() { next } else { head });
            written?;
            self.written.push(*ask);
            self.waiting.pop_front();
        }
        Ok(())
    }

    /// What waits is written first: the next entry comes behind it.
    fn reserve(&mut self, ask: AskKey) -> io::Result<()> {
        let bytes = RESERVE * (self.reserved.len() as u64 + 1);
        self.write_log().and_then(|()| make_room(&self.log, bytes))?;
        self.reserved.insert(ask);
        Ok(())
    }

    /// Whether everything is written now.
    fn retry(&mut self) -> bool {
        let log = self.write_log().is_ok();
        let journals = self.journals.retry();
        log & journals & self.recordings.retry()
    }
}

#[cfg(test)]
#[path = "file_io_tests.rs"]
mod tests;
