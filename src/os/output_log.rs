//! What an agent printed last, put down by the very task that read it, before anybody looks at it.
//!
//! Bytes that were read from a terminal cannot be read again, and a server that is killed has told the
//! journal only of those its hub had come to. The rest is here: two files beside the keeper's socket, the
//! newest and the one before, each with its place in the agent's output, and the memory that the PTY was read into
//! (`read_buffer`). A session's task writes them, `executor` reads them when an agent is taken back. They are never
//! synced: they need to outlive a process, not the machine.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::read_buffer::{self, ReadBuffer};
use super::regular_file;

/// One file holds so much. What the hub has still to come to is no more: its queue of output has 32 places
/// of 32 KiB, for all agents together.
const FILE_BYTES: u64 = 1024 * 1024;
/// What a file holds at most: it begins with a keeper's ring and with what was known, and ends with a block behind the rest.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// At a file's head stand the place of its first byte in the agent's output, how much was known when it was
/// begun, and how much of that the keeper had just offered.
const HEAD: usize = 24;

fn newest(socket: &Path) -> PathBuf {
    socket.with_extension("noted")
}

fn former(socket: &Path) -> PathBuf {
    socket.with_extension("noted.old")
}

/// A file's numbers, as they stand at its head.
fn numbers(head: &[u8; HEAD]) -> [u64; 3] {
    [0, 8, 16].map(|at| head[at..at + 8].iter().fold(0, |all, byte| all << 8 | u64::from(*byte)))
}

/// The output from this place on, as far as it was noted. Empty if that part is not there. What a keeper
/// offers again, because it was never told that it is taken, is left to its ring.
pub fn since(socket: &Path, at: u64, ring: &[u8]) -> Vec<u8> {
    let mut found = Vec::new();
    let unnoted = read_buffer::left(socket);
    for path in [former(socket), newest(socket)] {
        let bytes = regular_file::read(&path, MAX_BYTES).unwrap_or_default();
        let Some((head, bytes)) = bytes.split_first_chunk::<HEAD>() else { continue };
        let [from, known, offered] = numbers(head);
        let wanted = at + found.len() as u64;
        let before = wanted.checked_sub(from).and_then(|before| usize::try_from(before).ok());
        let mut bytes = before.and_then(|before| bytes.get(before..)).unwrap_or_default();
        let offered = usize::try_from(offered).unwrap_or(usize::MAX);
        if from + known == wanted + bytes.len() as u64
            // What was read behind it was read by who had taken it.
            && !unnoted.as_ref().is_some_and(|(at, read)| *at == from + known && !read.is_empty())
            && let Some((rest, again)) = bytes.len().checked_sub(offered).map(|rest| bytes.split_at(rest))
            && ring.starts_with(again)
        {
            bytes = rest;
        }
        found.extend_from_slice(bytes);
    }
    if let Some((from, read)) = unnoted {
        let noted = (at + found.len() as u64).checked_sub(from).and_then(|noted| usize::try_from(noted).ok());
        found.extend_from_slice(noted.and_then(|noted| read.get(noted..)).unwrap_or_default());
    }
    found
}

pub fn discard(socket: &Path) {
    for path in [newest(socket), former(socket)] {
        // What is gone already is as wanted.
        drop(fs::remove_file(path));
    }
    read_buffer::discard(socket);
}

/// The notes of one agent. What cannot be noted is gone only if the server is killed just then: nobody is
/// told, and the next bytes are tried again.
#[derive(Debug)]
pub struct OutputLog {
    socket: PathBuf,
    file: Option<File>,
    /// The place of the next byte.
    at: u64,
    /// How much the newest file holds.
    held: u64,
    /// Absent until a PTY is read.
    buffer: Option<ReadBuffer>,
}

impl OutputLog {
    /// Begins at this place in the agent's output, with what is known from there on and what its keeper offers.
    /// To be done before that is taken. Earlier notes are in the journal by now.
    pub fn begin(socket: &Path, at: u64, known: &[u8], ring: &[u8]) -> OutputLog {
        let mut output_log =
            OutputLog { socket: socket.to_path_buf(), file: None, at, held: 0, buffer: None };
        let known = &[known, ring].concat()[..];
        output_log.file = output_log.create(known, ring.len()).ok();
        if output_log.file.is_some() {
            drop(fs::remove_file(former(socket)));
        }
        output_log.at += known.len() as u64;
        output_log.held = known.len() as u64;
        output_log
    }

    /// Output that nobody could read counts as one byte. It stands here as one that draws nothing.
    pub fn missed(&mut self) {
        self.add(&[0]);
    }

    /// Where a PTY is read to. What is held there is to be noted before anybody looks at it.
    pub fn buffer(&mut self) -> &mut ReadBuffer {
        self.buffer.get_or_insert_with(|| ReadBuffer::begin(&self.socket, self.at))
    }

    /// Notes what was read, and hands it out.
    pub fn note_read(&mut self) -> Vec<u8> {
        let block = self.buffer.as_ref().map_or(Vec::new(), |buffer| buffer.held().to_vec());
        if !block.is_empty() {
            self.add(&block);
        }
        block
    }

    /// Nothing may wait in the buffer beside these: `note_read` notes that.
    pub fn add(&mut self, bytes: &[u8]) {
        if self.held >= FILE_BYTES || self.file.is_none() {
            // Removed first: some file systems write a file out that takes the place of another, and nobody needs that.
            drop(fs::remove_file(former(&self.socket)));
            // If that fails, the newest is not there, and the one before is of no use without it.
            drop(fs::rename(newest(&self.socket), former(&self.socket)));
            self.file = self.create(&[], 0).ok();
            self.held = 0;
        }
        if self.file.as_mut().is_some_and(|file| file.write_all(bytes).is_err()) {
            self.file = None;
        }
        self.at += bytes.len() as u64;
        self.held += bytes.len() as u64;
        if let Some(buffer) = &mut self.buffer {
            buffer.empty(self.at);
        }
    }

    /// A file of its own that takes the newest's place in one go.
    fn create(&self, known: &[u8], offered: usize) -> io::Result<File> {
        let aside = self.socket.with_extension("noted.new");
        let mut file = regular_file::open(&aside, File::options().create(true).write(true).truncate(true))?;
        let numbers = [self.at, known.len() as u64, offered as u64].map(u64::to_be_bytes);
        file.write_all(&[&numbers.concat()[..], known].concat())?;
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
        let mut output_log = OutputLog::begin(&socket, 1_000, b"known", b"");
        let mut whole = b"known".to_vec();
        for round in 0..300_u32 {
            let block: Vec<u8> = (0..10_000).map(|n: u32| (n + round).to_le_bytes()[0]).collect();
            output_log.add(&block);
            whole.extend(block);
            let back = whole.len().min(usize::try_from(FILE_BYTES).unwrap());
            for back in [0, 1, back / 2, back] {
                let at = 1_000 + (whole.len() - back) as u64;
                assert_eq!(since(&socket, at, b""), whole[whole.len() - back..], "{round} {back}");
            }
        }
        assert!(since(&socket, 1_000, b"").is_empty(), "half of it would be worse than nothing");
        assert!(since(&socket, 1_001 + whole.len() as u64, b"").is_empty());
        discard(&socket);
        assert!(since(&socket, 1_000 + whole.len() as u64 - 1, b"").is_empty());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn taken_back_it_goes_on_where_the_journal_ends() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("keep-a.sock");
        OutputLog::begin(&socket, 0, b"", b"").add(b"journaled, not journaled");
        let rest = since(&socket, 11, b"");
        assert_eq!(rest, b"not journaled");
        OutputLog::begin(&socket, 11, &rest, b"").add(b", new");
        assert_eq!(since(&socket, 11, b""), b"not journaled, new");
        assert!(since(&socket, 5, b"").is_empty());
    }

    #[test]
    fn a_ring_that_is_offered_again_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("keep-a.sock");
        let mut output_log = OutputLog::begin(&socket, 7, b"rest", b"ring");
        for (ring, rest) in
            [("ring", "rest"), ("ring and more", "rest"), ("other", "restring"), ("", "restring")]
        {
            assert_eq!(since(&socket, 7, ring.as_bytes()), rest.as_bytes(), "{ring}");
        }
        // It was taken, for more was read since.
        output_log.add(b"+");
        assert_eq!(since(&socket, 7, b"ring"), b"restring+");
        // It is in the journal in part.
        OutputLog::begin(&socket, 7, b"", b"ring");
        assert_eq!(since(&socket, 9, b"ring"), b"ng");
    }

    /// A server was killed between its read of a PTY and the note of it.
    #[test]
    fn what_was_read_and_not_noted_is_there_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("keep-a.sock");
        let mut output_log = OutputLog::begin(&socket, 0, b"", b"ring");
        let read = |output_log: &mut OutputLog, bytes: &[u8]| {
            output_log.buffer().free().unwrap()[..bytes.len()].copy_from_slice(bytes);
        };
        read(&mut output_log, b"+");
        assert_eq!(since(&socket, 0, b"ring"), b"ring+", "the ring was taken before it was read");
        output_log.buffer().filled(1);
        assert_eq!(output_log.note_read(), b"+");
        assert_eq!(since(&socket, 0, b""), b"ring+");
        read(&mut output_log, b"more");
        assert_eq!(since(&socket, 0, b""), b"ring+more");
        assert_eq!(since(&socket, 6, b""), b"ore", "the journal has a part of it");
        assert_eq!(since(&socket, 10, b""), b"", "a part behind it was lost");
        // Taken back, it is noted, and stands in the buffer of the server before still.
        let rest = since(&socket, 3, b"");
        let mut next = OutputLog::begin(&socket, 3, &rest, b"");
        assert_eq!(since(&socket, 3, b""), b"g+more");
        next.add(b"!");
        assert_eq!(since(&socket, 3, b""), b"g+more!");
        read(&mut next, b"?");
        assert_eq!(since(&socket, 3, b""), b"g+more!?");
        next.buffer().filled(1);
        assert_eq!(next.note_read(), b"?");
        next.missed();
        assert_eq!(since(&socket, 3, b""), b"g+more!?\0");
    }

    #[test]
    fn where_nothing_can_be_written_nothing_is_lost_but_the_notes() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("none").join("keep-a.sock");
        let mut output_log = OutputLog::begin(&socket, 0, b"", b"");
        output_log.add(b"lost");
        fs::create_dir(folder.path().join("none")).unwrap();
        output_log.add(b"kept");
        assert_eq!(since(&socket, 4, b""), b"kept");
    }
}
