//! The master of an agent's PTY: what is read from it, and when the event loop is asked to tell of more.
//!
//! `pty.rs` owns it. While a program prints more than is read at once, nobody is asked: the kernel would wake the event loop
//! for every few hundred bytes, on the processor that the program needs. Nothing here waits for the program.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::{AsyncFd, AsyncFdReadyGuard};

use crate::os::pty::{self, Output};
use crate::os::read_buffer::ReadBuffer;

/// Reads for one block: somebody who throws output away without end has something told at each.
const MOST_READS: usize = 64;
/// How often it is looked for output where the event loop takes no more descriptors.
const RETRY: Duration = Duration::from_millis(10);

/// How one learns that there is something to read.
#[derive(Debug, Clone)]
pub enum Watch {
    /// The event loop says so.
    Loop(Arc<AsyncFd<Arc<OwnedFd>>>),
    /// There was more than was read.
    Known,
    /// The event loop takes no more descriptors.
    Absent,
}

impl Watch {
    fn begin(fd: &Arc<OwnedFd>) -> io::Result<Watch> {
        Ok(Watch::Loop(Arc::new(pty::watched(Arc::clone(fd), Interest::READABLE)?)))
    }

    /// Ends when there may be something to read, with what the event loop is to be told once there is no more.
    pub async fn readable(&self) -> Option<AsyncFdReadyGuard<'_, Arc<OwnedFd>>> {
        match self {
            Watch::Loop(watched) => watched.readable().await.ok(),
            Watch::Known => {
                // Others of this thread have their turn, as they have where the event loop is asked.
                tokio::task::consume_budget().await;
                None
            }
            Watch::Absent => {
                tokio::time::sleep(RETRY).await;
                None
            }
        }
    }
}

/// A master that is read.
#[derive(Debug)]
pub struct Master {
    fd: Arc<OwnedFd>,
    watch: Watch,
}

/// What was read at once.
pub struct Filled {
    /// What stopped it; `Bytes`: there may be more.
    pub rest: Output,
    /// Something was kept from it.
    pub kept: bool,
    /// What was typed and not read yet was thrown away.
    pub flushed: bool,
}

impl Master {
    pub fn new(fd: OwnedFd) -> io::Result<Master> {
        let fd = Arc::new(fd);
        Ok(Master { watch: Watch::begin(&fd)?, fd })
    }

    pub fn fd(&self) -> &OwnedFd {
        &self.fd
    }

    pub fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// Reads until the buffer is full or the terminal is empty.
    pub fn fill(&mut self, buffer: &mut ReadBuffer) -> Filled {
        let filled = fill(&self.fd, buffer);
        match (filled.rest, &self.watch) {
            (Output::Bytes(_), _) => self.watch = Watch::Known,
            // What has come since that read is told of.
            (_, Watch::Known | Watch::Absent) => {
                self.watch = Watch::begin(&self.fd).unwrap_or(Watch::Absent);
            }
            (_, Watch::Loop(_)) => {}
        }
        filled
    }
}

fn fill(master: &OwnedFd, buffer: &mut ReadBuffer) -> Filled {
    let mut filled = Filled { rest: Output::Bytes(0), kept: false, flushed: false };
    for _ in 0..MOST_READS {
        let Some(free) = buffer.free() else { break };
        match pty::read(master, free) {
            Ok(Output::Bytes(count)) => buffer.filled(count),
            Ok(Output::Told { kept, flushed }) => {
                filled.kept |= kept;
                filled.flushed |= flushed;
            }
            Ok(stopped) => return Filled { rest: stopped, ..filled },
            // A terminal that cannot be read is one that has ended.
            Err(_) => return Filled { rest: Output::End, ..filled },
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};

    use super::*;
    use crate::core::terminal::grid::Size;

    fn pair() -> (Master, std::fs::File) {
        let pair = pty::open(Size::FALLBACK).unwrap();
        let mut line = tcgetattr(&pair.slave).unwrap();
        cfmakeraw(&mut line);
        tcsetattr(&pair.slave, SetArg::TCSANOW, &line).unwrap();
        pty::use_packets(&pair.master).unwrap();
        (Master::new(pair.master).unwrap(), pair.slave.into())
    }

    /// What is read at once.
    fn fill(master: &mut Master) -> (Vec<u8>, Output) {
        let folder = tempfile::tempdir().unwrap();
        let mut buffer = ReadBuffer::begin(&folder.path().join("keep-a.sock"), 0);
        let rest = master.fill(&mut buffer).rest;
        (buffer.held().to_vec(), rest)
    }

    /// All that comes, until it is as much.
    async fn read(master: &mut Master, bytes: usize) -> Vec<u8> {
        let mut all = Vec::new();
        while all.len() < bytes {
            let watch = master.watch();
            let guard = watch.readable().await;
            let (block, rest) = fill(master);
            if rest == Output::Empty
                && let Some(mut guard) = guard
            {
                guard.clear_ready();
            }
            all.extend(block);
        }
        all
    }

    /// Each few hundred bytes of a flood woke a second thread of the server.
    #[tokio::test]
    async fn whoever_floods_is_read_without_the_event_loop_and_heard_of_afterwards() {
        let (mut master, mut slave) = pair();
        // Several buffers full.
        const FLOOD: usize = 128 * 1024;
        let (go, flooded) = std::sync::mpsc::channel();
        let flooding = std::thread::spawn(move || {
            slave.write_all(&vec![b'x'; FLOOD]).unwrap();
            flooded.recv().unwrap();
            slave.write_all(b"last").unwrap();
            slave
        });
        let mut known = 0;
        let mut all = Vec::new();
        while all.len() < FLOOD {
            all.extend(read(&mut master, 1).await);
            known += usize::from(matches!(master.watch(), Watch::Known));
        }
        assert!(known > 0, "a block was full at least once");
        assert_eq!(all.len(), FLOOD);
        // It is found out that there is no more, and only then the event loop is asked.
        while matches!(master.watch(), Watch::Known) {
            assert!(fill(&mut master).0.is_empty());
        }
        assert!(matches!(master.watch(), Watch::Loop(_)));
        go.send(()).unwrap();
        assert_eq!(read(&mut master, 4).await, b"last");
        drop(flooding.join().unwrap());
    }

    /// Whoever throws output away without end has something told at each read, and nothing to read.
    #[tokio::test(flavor = "current_thread")]
    async fn others_have_their_turn_beside_a_terminal_that_always_has_more() {
        let other = tokio::spawn(async {});
        let mut waits = 0;
        while !other.is_finished() {
            assert!(waits < 10_000, "nobody else had a turn");
            assert!(Watch::Known.readable().await.is_none());
            waits += 1;
        }
    }
}
