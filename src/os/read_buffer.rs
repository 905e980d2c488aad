//! The memory that a PTY is read into: pages of a file beside its keeper's socket, which outlive the server.
//!
//! Bytes that were read from a terminal cannot be read again. Between the system call that hands them out and the one
//! that writes them down a server can be killed, and nothing in its own memory is left then. Here the first of the two has
//! written them down already: whoever takes the agent back finds them (`left`). `output_log` owns one for each
//! PTY, empties it once its bytes are noted, and removes it with its own files. Never synced, as those are not.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{Ordering, fence};

use memmap2::MmapMut;
use nix::fcntl::posix_fallocate;

use super::regular_file;

/// Bytes that one read of a PTY hands out, at most: what the kernel's line discipline holds.
const READ_BYTES: usize = 4096;
/// A few reads are looked at together.
const BYTES: usize = 8 * READ_BYTES;
/// The place of the first byte in the agent's output stands at the head.
const HEAD: usize = 8;
/// What no byte was read into. A NUL draws nothing, so one at the end of what was read is not missed.
const BLANK: u8 = 0;

fn path(socket: &Path) -> PathBuf {
    socket.with_extension("read")
}

/// What was read before the server that read it was killed, and its place in the agent's output.
pub fn left(socket: &Path) -> Option<(u64, Vec<u8>)> {
    let bytes = regular_file::read(&path(socket), (HEAD + BYTES) as u64).ok()?;
    let (at, read) = bytes.split_first_chunk::<HEAD>()?;
    let end = read.iter().rposition(|byte| *byte != BLANK).map_or(0, |last| last + 1);
    Some((u64::from_be_bytes(*at), read[..end].to_vec()))
}

pub fn discard(socket: &Path) {
    // What is gone already is as wanted.
    drop(fs::remove_file(path(socket)));
}

#[derive(Debug)]
enum Memory {
    /// Those pages, a head and what is read, and the file that they are of.
    Shared(MmapMut, File),
    /// There is no room for them. What is read is lost if the server is killed before it is noted.
    Own(Vec<u8>),
}

/// What was read from one PTY and is not noted yet.
#[derive(Debug)]
pub struct ReadBuffer {
    memory: Memory,
    held: usize,
}

impl ReadBuffer {
    /// An empty one. `at`: the place in the agent's output of what is read next.
    pub fn begin(socket: &Path, at: u64) -> ReadBuffer {
        let memory = shared(socket).map_or_else(|_| own(), |(pages, file)| Memory::Shared(pages, file));
        let mut buffer = ReadBuffer { memory, held: 0 };
        buffer.empty(at);
        buffer
    }

    /// Where the next read goes. None: what is held is to be noted first.
    pub fn free(&mut self) -> Option<&mut [u8]> {
        let held = self.held;
        // Pages that somebody cut off take nothing: what is read into them is gone from the terminal and not here.
        if held == 0 && matches!(&self.memory, Memory::Shared(_, file) if !is_whole(file)) {
            self.memory = own();
        }
        self.bytes_mut().get_mut(held..held + READ_BYTES)
    }

    /// So many bytes were read to where `free` said.
    pub fn filled(&mut self, count: usize) {
        self.held += count;
    }

    pub fn held(&self) -> &[u8] {
        match &self.memory {
            Memory::Shared(pages, _) => &pages[HEAD..HEAD + self.held],
            Memory::Own(bytes) => &bytes[..self.held],
        }
    }

    /// What was held is noted, and what is read next is at this place in the agent's output.
    pub fn empty(&mut self, at: u64) {
        let held = std::mem::take(&mut self.held);
        self.bytes_mut()[..held].fill(BLANK);
        if let Memory::Shared(pages, _) = &mut self.memory {
            // Bytes of before at the new place would be taken for output. Whoever dies between the two leaves none.
            fence(Ordering::SeqCst);
            pages[..HEAD].copy_from_slice(&at.to_be_bytes());
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match &mut self.memory {
            Memory::Shared(pages, _) => &mut pages[HEAD..],
            Memory::Own(bytes) => bytes,
        }
    }
}

fn own() -> Memory {
    Memory::Own(vec![BLANK; BYTES])
}

fn is_whole(file: &File) -> bool {
    file.metadata().is_ok_and(|file| file.len() >= (HEAD + BYTES) as u64)
}

/// A file of its own, which takes the place of the one a server before has in use.
fn shared(socket: &Path) -> io::Result<(MmapMut, File)> {
    let aside = path(socket).with_extension("read.new");
    let options = &mut File::options();
    let file = regular_file::open(&aside, options.create(true).read(true).write(true).truncate(true))?;
    let size = i64::try_from(HEAD + BYTES).expect("a few pages");
    // A page for which there is no room would end the process that touches it.
    posix_fallocate(file.as_fd(), 0, size)?;
    // SAFETY: the file is of the length that is mapped, and counsel never shortens it. A process of the same user that
    // does ends this one by it, as it can by a signal.
    let pages = unsafe { MmapMut::map_mut(&file)? };
    fs::rename(&aside, path(socket))?;
    Ok((pages, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(buffer: &mut ReadBuffer, bytes: &[u8]) {
        buffer.free().unwrap()[..bytes.len()].copy_from_slice(bytes);
        buffer.filled(bytes.len());
    }

    /// A server was killed as its read of a PTY came back: what the program had drawn last was lost, and the dialog it had
    /// taken away stood for ever.
    #[test]
    fn what_a_killed_server_had_read_is_found_without_a_further_step_of_its() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("keep-a.sock");
        let mut buffer = ReadBuffer::begin(&socket, 1_000);
        assert_eq!(left(&socket), Some((1_000, Vec::new())));
        read(&mut buffer, b"first");
        buffer.free().unwrap()[..7].copy_from_slice(b", next\0");
        assert_eq!(left(&socket), Some((1_000, b"first, next".to_vec())), "nobody has counted it");
        buffer.filled(7);
        assert_eq!(buffer.held(), b"first, next\0");
        buffer.empty(1_012);
        assert_eq!((buffer.held(), left(&socket)), (&b""[..], Some((1_012, Vec::new()))));
        // The next server's is another file.
        read(&mut buffer, b"by a server that still runs");
        let mut next = ReadBuffer::begin(&socket, 1_039);
        read(&mut buffer, b"?");
        read(&mut next, b"!");
        assert_eq!(left(&socket), Some((1_039, b"!".to_vec())));
        discard(&socket);
        assert_eq!(left(&socket), None);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    /// Another program of the same user cut the file: the terminal was read into nothing, and an answer went to a dialog that was not
    /// the one on the screen as it was known.
    #[test]
    fn what_is_read_is_kept_where_somebody_cut_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("keep-a.sock");
        let mut buffer = ReadBuffer::begin(&socket, 0);
        File::create(path(&socket)).unwrap();
        read(&mut buffer, b"first");
        assert_eq!(buffer.held(), b"first");
        buffer.empty(5);
        read(&mut buffer, b"next");
        assert_eq!(buffer.held(), b"next");
    }

    #[test]
    fn it_takes_no_more_than_it_has_room_for_with_a_file_and_without() {
        let folder = tempfile::tempdir().unwrap();
        for socket in [folder.path().join("keep-a.sock"), folder.path().join("none/keep-a.sock")] {
            let mut buffer = ReadBuffer::begin(&socket, 0);
            let mut reads = 0;
            while let Some(free) = buffer.free() {
                free.fill(b'x');
                buffer.filled(READ_BYTES);
                reads += READ_BYTES;
            }
            assert_eq!((reads, buffer.held().len()), (BYTES, BYTES));
            assert!(buffer.held().iter().all(|byte| *byte == b'x'));
            buffer.empty(BYTES as u64);
            assert_eq!(buffer.free().map(|free| free.len()), Some(READ_BYTES));
        }
    }
}
