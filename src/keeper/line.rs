//! The keeper's end of the line to a server: greeting, hand-over, messages, never waiting.
//!
//! The loop polls the stream and calls `receive` and `flush`. A hand-over that does not complete leaves
//! the ring untouched; one that does empties it in the same step.

use std::io::{self, IoSlice, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::sys::socket::{ControlMessage, MsgFlags, UnixAddr, sendmsg};

use super::ring::Ring;
use crate::os::keeper_link::{FromKeeper, Hello, MASTER_BYTE, ToKeeper};
use crate::wire::{Decoder, encode};

/// A server that has not taken over within this time leaves the agent without a reader: it is dropped.
const TAKE_DEADLINE: Duration = Duration::from_secs(5);
/// A server that lets this much lie unread is stuck; messages are tens of bytes.
const UNREAD_MAX: usize = 256 * 1024;

#[derive(Debug, PartialEq, Eq)]
enum Stage {
    /// Hello and ring are on their way; the keeper does not read, and still owns the ring.
    Greeting { until: Instant },
    /// The server has the ring and waits for the terminal.
    Handing { until: Instant },
    /// The server reads the terminal.
    Taken,
}

#[derive(Debug)]
pub struct Line {
    stream: UnixStream,
    decoder: Decoder,
    stage: Stage,
    out: Vec<u8>,
    sent: usize,
    /// Messages that wait for the end of the hand-over.
    held: Vec<u8>,
}

impl Line {
    /// Greets a server. `hello` must tell the lengths of manifest and ring.
    pub fn open(
        stream: UnixStream,
        hello: &Hello,
        manifest: &[u8],
        ring: &Ring,
        now: Instant,
    ) -> io::Result<Line> {
        stream.set_nonblocking(true)?;
        let mut out = encode(hello);
        out.extend_from_slice(manifest);
        ring.copy_into(&mut out);
        let stage = Stage::Greeting { until: now + TAKE_DEADLINE };
        let decoder = Decoder::default();
        Ok(Line { stream, decoder, stage, out, sent: 0, held: Vec::new() })
    }

    pub fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// Whether there is something to write, so that the loop asks for room.
    pub fn wants_room(&self) -> bool {
        self.sent < self.out.len() || matches!(self.stage, Stage::Handing { .. })
    }

    /// When the hand-over must be done.
    pub fn deadline(&self) -> Option<Instant> {
        match self.stage {
            Stage::Greeting { until } | Stage::Handing { until } => Some(until),
            Stage::Taken => None,
        }
    }

    pub fn tell(&mut self, message: &FromKeeper) {
        let frame = encode(message);
        match self.stage {
            Stage::Greeting { .. } | Stage::Handing { .. } => self.held.extend(frame),
            Stage::Taken => self.out.extend(frame),
        }
    }

    /// What the server said, less what only later keepers know. An error, or its end: the line is to be
    /// dropped. What it said before it ended comes first; the end is met again then.
    pub fn receive(&mut self) -> io::Result<Vec<ToKeeper>> {
        let mut buffer = [0; 1024];
        let end = loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => break Some(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => self.decoder.push(&buffer[..n]),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => break None,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => break Some(e),
            }
        };
        let mut messages = Vec::new();
        while let Some(message) = self.decoder.take().map_err(io::Error::other)? {
            match (message, &self.stage) {
                (ToKeeper::Take, Stage::Greeting { until }) if self.sent == self.out.len() => {
                    self.stage = Stage::Handing { until: *until };
                }
                (ToKeeper::Take, _) => return Err(io::Error::other("taken before it was given")),
                (message, _) => messages.push(message),
            }
        }
        match end {
            Some(end) if messages.is_empty() => Err(end),
            _ => Ok(messages),
        }
    }

    /// Writes what fits; completes the hand-over when it is its turn.
    pub fn flush(&mut self, master: &OwnedFd, ring: &mut Ring) -> io::Result<()> {
        while self.sent < self.out.len() {
            match self.stream.write(&self.out[self.sent..]) {
                Ok(n) => self.sent += n,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        if self.sent == self.out.len() {
            self.out = Vec::new();
            self.sent = 0;
        } else if self.stage == Stage::Taken && self.out.len() - self.sent > UNREAD_MAX {
            return Err(io::Error::other("the server does not read"));
        }
        if matches!(self.stage, Stage::Handing { .. }) && send_master(&self.stream, master)? {
            self.stage = Stage::Taken;
            ring.clear();
            self.out = std::mem::take(&mut self.held);
            return self.flush(master, ring);
        }
        Ok(())
    }
}

/// Sends the terminal along with one byte; false if there is no room now.
fn send_master(stream: &UnixStream, master: &OwnedFd) -> io::Result<bool> {
    let fds = [master.as_raw_fd()];
    let along = [ControlMessage::ScmRights(&fds)];
    let byte = [IoSlice::new(&[MASTER_BYTE])];
    match sendmsg::<UnixAddr>(stream.as_raw_fd(), &byte, &along, MsgFlags::empty(), None) {
        Ok(_) => Ok(true),
        Err(nix::errno::Errno::EAGAIN | nix::errno::Errno::EINTR) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::grid::Size;
    use crate::os::keeper_link::Run;

    /// What a server said right before it was killed was thrown away with the line: the answer it was giving was in no log.
    #[test]
    fn what_was_said_before_the_end_is_heard() {
        let (stream, mut server) = UnixStream::pair().unwrap();
        let hello = Hello {
            version: 1,
            name: "a".to_owned(),
            agent_pid: 1,
            keeper_pid: 1,
            run: Run::Running,
            size: Size::FALLBACK,
            manifest: 0,
            ring: 0,
            dropped: 0,
            ended_unix_ms: None,
            tells_signals: true,
            disturbed: false,
        };
        let mut line = Line::open(stream, &hello, b"", &Ring::new(1024), Instant::now()).unwrap();
        server.write_all(&encode(&ToKeeper::Hold { note: "an answer".into() })).unwrap();
        drop(server);
        let said = line.receive().unwrap();
        assert!(matches!(&said[..], [ToKeeper::Hold { note }] if note == "an answer"), "{said:?}");
        assert!(line.receive().is_err(), "and then it has ended");
    }
}
