//! What an agent printed last, put down by the very task that read it, before anybody looks at it.
//!
//! Bytes that were read from a terminal cannot be read again, and a server that is killed has told the
//! journal only of those its hub had come to. The rest is here: two files beside the keeper's socket, the
//! newest and the one before, each with its place in the agent's output. `agent_io` writes them, `ports` reads
//! them when an agent is taken back. They are never synced: they need to outlive a process, not the machine.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// One file holds so much. What the hub has still to come to is no more: its queue of output has 32 places
/// of 32 KiB, for all agents together.
const FILE_BYTES: u64 = 1024 * 1024;
/// The place of a file's first byte in the agent's output stands at its head.
const HEAD: usize = 8;

fn newest(socket: &Path) -> PathBuf {
    socket.with_extension("noted")
}

fn former(socket: &Path) -> PathBuf {
    socket.with_extension("noted.old")
}

/// The output from this place on, as far as it was noted. Empty if that part is not there.
pub fn since(socket: &Path, at: u64) -> Vec<u8> {
    let mut found = Vec::new();
    for path in [former(socket), newest(socket)] {
        let bytes = fs::read(path).unwrap_or_default();
        let Some((head, bytes)) = bytes.split_first_chunk::<HEAD>() else { continue };
        let (from, wanted) = (u64::from_be_bytes(*head), at + found.len() as u64);
        let known = wanted.checked_sub(from).and_then(|known| usize::try_from(known).ok());
        found.extend_from_slice(known.and_then(|known| bytes.get(known..)).unwrap_or_default());
    }
    found
}

pub fn discard(socket: &Path) {
    for path in [newest(socket), former(socket)] {
        // What is gone already is as wanted.
        drop(fs::remove_file(path));
    }
}

/// The notes of one agent. What cannot be noted is gone only if the server is killed just then: nobody is
/// told, and the next bytes are tried again.
#[derive(Debug)]
pub struct Noted {
    socket: PathBuf,
    file: Option<File>,
    /// The place of the next byte.
    at: u64,
    /// How much the newest file holds.
    held: u64,
}

impl Noted {
    /// Begins at this place in the agent's output, with what is known from there on. Earlier notes are in the
    /// journal by now.
    pub fn begin(socket: &Path, at: u64, known: &[u8]) -> Noted {
        let mut noted = Noted { socket: socket.to_path_buf(), file: None, at, held: 0 };
        noted.file = noted.create(known).ok();
        if noted.file.is_some() {
            drop(fs::remove_file(former(socket)));
        }
        noted.at += known.len() as u64;
        noted.held = known.len() as u64;
        noted
    }

    pub fn add(&mut self, bytes: &[u8]) {
        if self.held >= FILE_BYTES || self.file.is_none() {
            // If that fails, the newest is not there, and the one before is of no use without it.
            drop(fs::rename(newest(&self.socket), former(&self.socket)));
            self.file = self.create(&[]).ok();
            self.held = 0;
        }
        if self.file.as_mut().is_some_and(|file| file.write_all(bytes).is_err()) {
            self.file = None;
        }
        self.at += bytes.len() as u64;
        self.held += bytes.len() as u64;
    }

    /// A file of its own that takes the newest's place in one go.
    fn create(&self, known: &[u8]) -> io::Result<File> {
        let aside = self.socket.with_extension("noted.new");
        let mut file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&aside)?;
        file.write_all(&[&self.at.to_be_bytes()[..], known].concat())?;
        fs::rename(&aside, newest(&self.socket))?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_after_any_place_is_there_as_long_as_one_file_goes_back() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("keep-a.sock");
        let mut noted = Noted::begin(&socket, 1_000, b"known");
        let mut whole = b"known".to_vec();
        for round in 0..300_u32 {
            let block: Vec<u8> = (0..10_000).map(|n: u32| (n + round).to_le_bytes()[0]).collect();
            noted.add(&block);
            whole.extend(block);
            let back = whole.len().min(usize::try_from(FILE_BYTES).unwrap());
            for back in [0, 1, back / 2, back] {
                let at = 1_000 + (whole.len() - back) as u64;
                assert_eq!(since(&socket, at), whole[whole.len() - back..], "{round} {back}");
            }
        }
        assert!(since(&socket, 1_000).is_empty(), "half of it would be worse than nothing");
        assert!(since(&socket, 1_001 + whole.len() as u64).is_empty());
        discard(&socket);
        assert!(since(&socket, 1_000 + whole.len() as u64 - 1).is_empty());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn taken_back_it_goes_on_where_the_journal_ends() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("keep-a.sock");
        Noted::begin(&socket, 0, b"").add(b"journaled, not journaled");
        let rest = since(&socket, 11);
        assert_eq!(rest, b"not journaled");
        Noted::begin(&socket, 11, &rest).add(b", new");
        assert_eq!(since(&socket, 11), b"not journaled, new");
        assert!(since(&socket, 5).is_empty());
    }

    #[test]
    fn where_nothing_can_be_written_nothing_is_lost_but_the_notes() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("none").join("keep-a.sock");
        let mut noted = Noted::begin(&socket, 0, b"");
        noted.add(b"lost");
        fs::create_dir(folder.path().join("none")).unwrap();
        noted.add(b"kept");
        assert_eq!(since(&socket, 4), b"kept");
    }
}
