//! Files the server writes: the decision log and recordings. One thread, so that a slow disk or an
//! fsync never holds up the hub.
//!
//! A file that cannot be written is reported once and given up; nothing else is lost with it.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::time::Instant;

use crate::core::grid::Size;
use crate::core::record::Entry;

use super::effect::{AgentKey, AskKey, Event};

/// A recording stops growing here.
const MAX_RECORDING: u64 = 256 * 1024 * 1024;
/// How much of the log's end is read at start: far more than the newest decisions need.
const LOG_TAIL: u64 = 8 * 1024 * 1024;

/// What the server's loop wants written.
#[derive(Debug)]
pub enum Job {
    Append(AskKey, Box<Entry>),
    Record {
        agent: AgentKey,
        path: Option<String>,
        size: Size,
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
        bytes: Vec<u8>,
        anew: bool,
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

/// The newest entries of the log, oldest first. A line cut short by a crash is passed over.
pub fn newest(path: &Path, count: usize) -> Vec<Entry> {
    let Ok(mut file) = File::open(path) else { return Vec::new() };
    let length = file.metadata().map_or(0, |data| data.len());
    if length > LOG_TAIL && file.seek(SeekFrom::Start(length - LOG_TAIL)).is_err() {
        return Vec::new();
    }
    let mut entries: Vec<Entry> = entries(file).map(|(entry, _)| entry).collect();
    entries.drain(..entries.len().saturating_sub(count));
    entries
}

/// The entries of a log with their lines. What is no entry, cut through a character even, is passed over.
pub fn entries(log: impl io::Read) -> impl Iterator<Item = (Entry, String)> {
    let lines = BufReader::new(log).split(b'\n').map_while(Result::ok);
    lines.filter_map(|line| {
        let line = String::from_utf8(line).ok()?;
        Some((serde_json::from_str(&line).ok()?, line))
    })
}

/// Where an agent's journal lies in the state folder; named by its keeper's socket, which no two agents share.
pub fn journal_path(state_dir: &Path, keeper: &Path) -> PathBuf {
    let name = keeper.to_string_lossy().trim_start_matches('/').replace('/', "%");
    state_dir.join("journals").join(name)
}

#[derive(Default)]
struct Journals {
    open: HashMap<PathBuf, File>,
    /// Journals that cannot be written; said once, not with every block of output.
    failed: std::collections::HashSet<PathBuf>,
}

impl Journals {
    fn write(&mut self, path: &Path, bytes: &[u8], anew: bool) -> io::Result<()> {
        if self.failed.contains(path) {
            return Ok(());
        }
        let done = self.try_write(path, bytes, anew);
        if done.is_err() {
            self.open.remove(path);
            self.failed.insert(path.to_path_buf());
        }
        done
    }

    fn try_write(&mut self, path: &Path, bytes: &[u8], anew: bool) -> io::Result<()> {
        if !self.open.contains_key(path) {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
            self.open.insert(path.to_path_buf(), file);
        }
        let Some(file) = self.open.get_mut(path) else { return Ok(()) };
        if anew {
            file.set_len(0)?;
        }
        file.write_all(bytes)
    }
}

struct Recording {
    file: File,
    started: Instant,
    written: u64,
    /// The beginning of a character whose end is still to come.
    partial: Vec<u8>,
}

/// Runs until the sender is dropped. `tell` hears what is on the disk, and what could not be written.
pub fn run(log: &Path, jobs: Receiver<Job>, tell: impl Fn(Event)) {
    let mut recordings: HashMap<AgentKey, Recording> = HashMap::new();
    let mut journals = Journals::default();
    for job in jobs {
        let failed = match job {
            Job::Append(ask, entry) => {
                let done = append(log, &entry).map_err(|e| format!("could not write {}: {e}", log.display()));
                tell(Event::Logged { ask });
                done
            }
            Job::Journal { path, bytes, anew } => {
                let written = journals.write(&path, &bytes, anew);
                written.map_err(|e| format!("could not write {}: {e}", path.display()))
            }
            Job::Discard { path } => {
                journals.open.remove(&path);
                // It may never have been written.
                drop(std::fs::remove_file(&path));
                Ok(())
            }
            Job::Record { agent, path: None, .. } => {
                recordings.remove(&agent);
                Ok(())
            }
            Job::Record { agent, path: Some(path), size } => open(&path, size)
                .map(|recording| drop(recordings.insert(agent, recording)))
                .map_err(|e| format!("could not record to {path}: {e}")),
            Job::Output { agent, bytes } => {
                event(&mut recordings, agent, |recording| recording.output(&bytes))
            }
            Job::Resized { agent, size } => {
                event(&mut recordings, agent, |recording| recording.line("r", &size.to_string()))
            }
        };
        if let Err(what) = failed {
            tracing::warn!(what);
            tell(Event::Trouble { what });
        }
    }
}

/// One line, flushed to the disk before the next question is dealt with. Appending never rewrites what
/// is there; a torn line of an earlier crash is ended first.
fn append(path: &Path, entry: &Entry) -> io::Result<()> {
    let new = !path.exists();
    let mut file = OpenOptions::new().create(true).append(true).read(true).mode(0o600).open(path)?;
    if let (true, Some(folder)) = (new, path.parent()) {
        // The file's name has to survive as well.
        File::open(folder)?.sync_all()?;
    }
    let mut line = entry.line();
    if !ends_with_newline(&mut file)? {
        line.insert(0, '\n');
    }
    line.push('\n');
    file.write_all(line.as_bytes())?;
    file.sync_data()
}

fn ends_with_newline(file: &mut File) -> io::Result<bool> {
    use std::io::Read;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn event(
    recordings: &mut HashMap<AgentKey, Recording>,
    agent: AgentKey,
    write: impl FnOnce(&mut Recording) -> io::Result<()>,
) -> Result<(), String> {
    let Some(recording) = recordings.get_mut(&agent) else { return Ok(()) };
    let done = if recording.written > MAX_RECORDING {
        Err(io::Error::other("the recording has reached its largest size"))
    } else {
        write(recording)
    };
    done.map_err(|error| {
        recordings.remove(&agent);
        format!("a recording was ended: {error}")
    })
}

fn open(path: &str, size: Size) -> io::Result<Recording> {
    let mut file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path)?;
    let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let header = serde_json::json!({
        "version": 2, "width": size.cols, "height": size.rows, "timestamp": since_epoch.as_secs(),
        "env": {"TERM": "xterm-256color"},
    });
    writeln!(file, "{header}")?;
    Ok(Recording { file, started: Instant::now(), written: 0, partial: Vec::new() })
}

impl Recording {
    fn output(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.partial.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.partial) {
            Ok(_) => self.partial.len(),
            // Only an unfinished character at the very end waits for the next output.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => self.partial.len(),
        };
        let rest = self.partial.split_off(whole);
        let text = String::from_utf8_lossy(&std::mem::replace(&mut self.partial, rest)).into_owned();
        if text.is_empty() { Ok(()) } else { self.line("o", &text) }
    }

    fn line(&mut self, kind: &str, data: &str) -> io::Result<()> {
        let seconds = (self.started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        let line = format!("{}\n", serde_json::json!([seconds, kind, data]));
        self.written += line.len() as u64;
        self.file.write_all(line.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn entry(id: &str) -> Entry {
        let line = format!(
            r#"{{"id":"{id}","agent":"a","asked_at":1,"settled_at":2,"latency_ms":1,"kind":"text",
            "prompt":"Wärme – 温度?","options":["ä"],"by":"none","rule":"","channel":"none","outcome":"withdrawn"}}"#
        );
        serde_json::from_str(&line).unwrap()
    }

    #[test]
    fn an_entry_torn_at_any_byte_costs_itself_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("decisions.jsonl");
        append(&path, &entry("q1")).unwrap();
        let first = std::fs::read(&path).unwrap();
        append(&path, &entry("q2")).unwrap();
        let both = std::fs::read(&path).unwrap();
        for cut in 0..=both.len() {
            std::fs::write(&path, &both[..cut]).unwrap();
            append(&path, &entry("q3")).unwrap();
            let read = newest(&path, 10);
            let ids: Vec<&str> = read.iter().map(|entry| entry.id.as_str()).collect();
            // Only the line feed is missing: the entry is whole.
            let (one, two) = (cut + 1 >= first.len(), cut + 1 >= both.len());
            let want: Vec<&str> = [("q1", one), ("q2", two), ("q3", true)]
                .into_iter()
                .filter(|(_, kept)| *kept)
                .map(|(id, _)| id)
                .collect();
            assert_eq!(ids, want, "cut after {cut} bytes");
            assert!(std::fs::read(&path).unwrap().starts_with(&both[..cut]), "what stood there was changed");
        }
    }

    #[test]
    fn whoever_is_told_finds_the_entry_on_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("decisions.jsonl");
        let (sender, jobs) = std::sync::mpsc::channel();
        for id in 1..=3 {
            sender.send(Job::Append(AskKey(id), Box::new(entry(&format!("q{id}"))))).unwrap();
        }
        drop(sender);
        let told = std::cell::RefCell::new(Vec::new());
        run(&path, jobs, |event| {
            let Event::Logged { ask } = event else { panic!("{event:?}") };
            assert_eq!(newest(&path, 10).len() as u64, ask.0);
            told.borrow_mut().push(ask.0);
        });
        assert_eq!(*told.borrow(), [1, 2, 3]);
        // A log that cannot be written holds nobody up.
        let (sender, jobs) = std::sync::mpsc::channel();
        sender.send(Job::Append(AskKey(4), Box::new(entry("q4")))).unwrap();
        drop(sender);
        let events = std::cell::RefCell::new(Vec::new());
        run(&folder.path().join("none/decisions.jsonl"), jobs, |event| events.borrow_mut().push(event));
        assert!(matches!(events.borrow()[..], [Event::Logged { .. }, Event::Trouble { .. }]));
    }
}
