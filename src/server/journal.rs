//! Agents' journals: what a server has seen of each agent, so that the next one can rebuild its screen and
//! scrollback.
//!
//! `file_io` writes them, `executor` reads one when an agent is taken back. A journal has at most two files,
//! the newest and the one before; each begins with the screen as it then stood. A file cut short by a crash
//! is read as far as it is whole.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::core::terminal::grid::Size;
use crate::os::regular_file;

pub use crate::session::message::JournalPart as Part;

const BEGIN: u8 = b'B';
const OUTPUT: u8 = b'o';
const MISSED: u8 = b'm';
const RESIZED: u8 = b'r';
const DRAFT: u8 = b'd';
/// A kind, and how many bytes follow.
const HEAD: usize = 5;
/// Bytes printed, a line number, columns and rows at the head of a `Begin`.
const NUMBERS: usize = 20;
/// No file of a journal gets as large: it is begun anew after a few MiB, and its screen is no more than that again.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

fn frame(part: &Part, out: &mut Vec<u8>) {
    let (kind, payload) = match part {
        Part::Begin { at, line, size, seed } => {
            let (cols, rows) = (size.cols.to_be_bytes(), size.rows.to_be_bytes());
            (BEGIN, [&at.to_be_bytes()[..], &line.to_be_bytes(), &cols, &rows, seed].concat())
        }
        Part::Output(bytes) => (OUTPUT, bytes.clone()),
        Part::Missed => (MISSED, Vec::new()),
        Part::Resized(size) => (RESIZED, size.to_string().into_bytes()),
        Part::Draft(text) => (DRAFT, text.clone().into_bytes()),
    };
    out.push(kind);
    out.extend(u32::try_from(payload.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend(payload);
}

/// The parts that are whole, and how many bytes they take.
fn parts(mut bytes: &[u8]) -> (Vec<Part>, usize) {
    let (mut parts, mut whole) = (Vec::new(), 0);
    while let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() {
        let [kind, length @ ..] = *head;
        let Some((payload, rest)) = rest.split_at_checked(u32::from_be_bytes(length) as usize) else { break };
        let part = match kind {
            BEGIN => payload.split_first_chunk::<NUMBERS>().map(|(numbers, seed)| {
                let number = |at: usize, count: usize| {
                    numbers[at..at + count].iter().fold(0, |all, byte| all << 8 | u64::from(*byte))
                };
                let side = |at| u16::try_from(number(at, 2)).expect("two bytes are sixteen bits");
                let size = Size::new(side(16), side(18));
                Part::Begin { at: number(0, 8), line: number(8, 8), size, seed: seed.to_vec() }
            }),
            OUTPUT => Some(Part::Output(payload.to_vec())),
            MISSED => Some(Part::Missed),
            RESIZED => {
                std::str::from_utf8(payload).ok().and_then(|s| Size::recorded(s).ok()).map(Part::Resized)
            }
            DRAFT => Some(Part::Draft(String::from_utf8_lossy(payload).into_owned())),
            _ => None,
        };
        let Some(part) = part else { break };
        parts.push(part);
        whole += HEAD + payload.len();
        bytes = rest;
    }
    (parts, whole)
}

/// Where the file before the newest lies.
fn former(path: &Path) -> PathBuf {
    path.with_extension("old")
}

/// All that is known of an agent, oldest first, and how much it had printed by then.
pub fn read(path: &Path) -> (Vec<Part>, u64) {
    let of = |path: &Path| match regular_file::read(path, MAX_BYTES) {
        Ok(bytes) => parts(&bytes).0,
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::warn!(path = %path.display(), %error, "a journal cannot be read");
            }
            Vec::new()
        }
    };
    let (mut all, newest) = (of(&former(path)), of(path));
    let end = end(if newest.is_empty() { &all } else { &newest });
    // With what came before it, the newest file's beginning is known already.
    let known = !all.is_empty() && matches!(newest.first(), Some(Part::Begin { .. }));
    all.extend(newest.into_iter().skip(usize::from(known)));
    (all, end)
}

fn end(parts: &[Part]) -> u64 {
    parts.iter().fold(0, |end, part| match part {
        Part::Begin { at, .. } => *at,
        Part::Output(bytes) => end + bytes.len() as u64,
        Part::Missed => end + 1,
        Part::Resized(_) | Part::Draft(_) => end,
    })
}

pub fn discard(path: &Path) {
    for path in [path.to_path_buf(), former(path)] {
        // It may never have been written.
        drop(fs::remove_file(path));
    }
}

/// One agent's journal while it is written.
#[derive(Debug, Default)]
struct Journal {
    file: Option<File>,
    /// What the disk has not taken yet. The hub begins a journal anew long before this is large.
    waiting: Vec<u8>,
    /// The waiting bytes begin a file of their own.
    anew: bool,
}

/// All journals of this server.
#[derive(Debug, Default)]
pub struct Journals {
    open: HashMap<PathBuf, Journal>,
}

impl Journals {
    /// Adds parts; what the disk does not take is kept until it does.
    pub fn add(&mut self, path: &Path, parts: &[Part]) -> io::Result<()> {
        let journal = self.open.entry(path.to_path_buf()).or_default();
        if matches!(parts.first(), Some(Part::Begin { .. })) {
            if !journal.waiting.is_empty() {
                // It waits in vain; what it was to tell is in the beginning that comes now.
                journal.waiting.clear();
                discard(path);
            }
            journal.anew = true;
        }
        for part in parts {
            frame(part, &mut journal.waiting);
        }
        journal.write(path)
    }

    /// Tries again; whether everything is written now.
    pub fn retry(&mut self) -> bool {
        // Each is tried, whatever became of the other.
        let waiting = self.open.iter_mut().filter_map(|(path, journal)| journal.write(path).err()).count();
        waiting == 0
    }

    pub fn discard(&mut self, path: &Path) {
        self.open.remove(path);
        discard(path);
    }
}

impl Journal {
    fn write(&mut self, path: &Path) -> io::Result<()> {
        let done = self.try_write(path);
        if done.is_err() {
            self.file = None;
        }
        done
    }

    fn try_write(&mut self, path: &Path) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        if std::mem::take(&mut self.anew) {
            self.file = None;
            // Removed first: some file systems write a file out that takes the place of another, and nobody needs that.
            drop(fs::remove_file(former(path)));
            // Nothing to move aside: this is the first.
            drop(fs::rename(path, former(path)));
        }
        if self.file.is_none() {
            if let Some(folder) = path.parent() {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            }
            let file = regular_file::open(path, File::options().create(true).append(true))?;
            // What an earlier server had begun to write when it died.
            file.set_len(parts(&regular_file::read(path, MAX_BYTES)?).1 as u64)?;
            self.file = Some(file);
        }
        let Some(file) = self.file.as_mut() else { return Ok(()) };
        let before = file.metadata()?.len();
        if let Err(error) = file.write_all(&self.waiting) {
            // Half a part at the end would hide what follows it.
            drop(file.set_len(before));
            return Err(error);
        }
        self.waiting.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(text: &str) -> Part {
        Part::Output(text.as_bytes().to_vec())
    }

    fn begin(line: u64, seed: &str) -> Part {
        Part::Begin { at: line * 100, line, size: Size::new(80, 24), seed: seed.as_bytes().to_vec() }
    }

    #[test]
    fn what_was_written_is_read_and_two_files_go_on_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journals").join("%run%keep-a.sock");
        let mut journals = Journals::default();
        journals.add(&path, &[begin(0, "")]).unwrap();
        journals.add(&path, &[output("one"), Part::Resized(Size::new(90, 20))]).unwrap();
        assert_eq!(read(&path), (vec![begin(0, ""), output("one"), Part::Resized(Size::new(90, 20))], 3));
        journals.add(&path, &[begin(7, "screen")]).unwrap();
        let draft = Part::Draft("words\nof two lines".into());
        journals.add(&path, &[output("two"), draft.clone()]).unwrap();
        let resized = Part::Resized(Size::new(90, 20));
        let all = vec![begin(0, ""), output("one"), resized, output("two"), draft.clone()];
        assert_eq!(read(&path), (all, 703));
        journals.add(&path, &[begin(9, "later")]).unwrap();
        assert_eq!(read(&path), (vec![begin(7, "screen"), output("two"), draft], 900));
        journals.discard(&path);
        assert_eq!(read(&path), (Vec::new(), 0));
    }

    #[test]
    fn a_torn_end_is_passed_over() {
        let mut bytes = Vec::new();
        frame(&output("whole"), &mut bytes);
        let whole = bytes.len();
        frame(&output("torn"), &mut bytes);
        for cut in whole..bytes.len() {
            assert_eq!(parts(&bytes[..cut]), (vec![output("whole")], whole));
        }
        assert_eq!(parts(b"?\0\0\0\0rest"), (Vec::new(), 0));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_loses_nothing_once_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        // The kernel's disk without room is a device, which is no file of ours: a folder takes nothing either.
        fs::create_dir(&path).unwrap();
        let mut journals = Journals::default();
        assert!(journals.add(&path, &[output("one")]).is_err());
        assert!(journals.add(&path, &[output("two")]).is_err());
        assert!(!journals.retry());
        fs::remove_dir(&path).unwrap();
        assert!(journals.retry());
        journals.add(&path, &[output("three")]).unwrap();
        assert_eq!(read(&path), (vec![output("one"), output("two"), output("three")], 11));
    }
}
