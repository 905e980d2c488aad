//! The PTY master that a session's task holds, and the line to the agent's keeper: reads, queued writes, frames.
//!
//! It also tells where somebody keeps output from being read as it was meant: threw it away, holds it back, has given the
//! terminal another size or makes capitals of it (`take_told`), and where what was typed was thrown away.
//!
//! Nothing here waits for the program: a write that does not fit is queued up to a bound, and once nobody has the
//! other end open any more nothing is queued at all.

mod master;

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::unix::{AsyncFd, AsyncFdReadyGuard};
use tokio::io::{AsyncReadExt, Interest};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use crate::core::detect::front::{Front, Started};
use crate::core::detect::witness::Witness;
use crate::core::policy::typing::{BRACKETS, PASTE_BYTES};
use crate::core::terminal::grid::Size;
use crate::os::keeper_link::{FromKeeper, Link, ToKeeper};
use crate::os::output_log::OutputLog;
use crate::os::pty::{self, Output};
use crate::os::tty_witness;
use crate::wire::{Decoder, encode};

use super::message::Input;
use master::{Filled, Master};

/// Bytes that may wait to be written into an agent: the largest paste. One that reads nothing at all refuses more.
const MAX_QUEUE: usize = PASTE_BYTES + BRACKETS;

/// What a keeper says at once: a few frames of some hundred bytes. Room for it is made where it speaks and nowhere else: a
/// key passes by here several times.
const KEEPER_BYTES: usize = 4096;

/// How often a queue is tried again where there was no descriptor left to wait for room with.
const RETRY: Duration = Duration::from_millis(10);

/// What a PTY has to say.
#[derive(Debug)]
pub enum Ready {
    Output(Vec<u8>),
    Keeper(Vec<FromKeeper>),
    KeeperLost,
    /// Some of what was queued has been written, or nothing came of it.
    Nothing,
}

/// The terminal of one agent.
#[derive(Debug)]
pub struct Pty {
    master: Master,
    /// Tells of room, as long as something is queued.
    room: Option<Arc<AsyncFd<Arc<OwnedFd>>>>,
    /// The other end of the PTY is closed for good.
    ended: bool,
    /// The size it was given.
    size: Size,
    /// Its program's output may not be what was read, since that was last asked.
    disturbed: bool,
    /// What was typed and not read yet was thrown away, since that was last asked.
    flushed: bool,
    log: OutputLog,
    from_keeper: Option<OwnedReadHalf>,
    to_keeper: OwnedWriteHalf,
    /// Frames for the keeper that its socket did not take yet.
    unsent: Vec<u8>,
    decoder: Decoder,
    queue: VecDeque<Vec<u8>>,
    queued: usize,
    /// Bytes of the first queued block that were taken already.
    written: usize,
}

impl Pty {
    pub fn new(link: Link, log: OutputLog) -> io::Result<Pty> {
        link.stream.set_read_timeout(None)?;
        link.stream.set_nonblocking(true)?;
        let (from_keeper, to_keeper) = UnixStream::from_std(link.stream)?.into_split();
        // A keeper of an earlier version has not done so.
        pty::use_packets(&link.master)?;
        Ok(Pty {
            size: link.hello.size,
            disturbed: link.hello.disturbed,
            flushed: false,
            master: Master::new(link.master)?,
            room: None,
            ended: false,
            log,
            from_keeper: Some(from_keeper),
            to_keeper,
            unsent: Vec::new(),
            decoder: Decoder::default(),
            queue: VecDeque::new(),
            queued: 0,
            written: 0,
        })
    }

    /// Waits for what comes next; output only if it is wanted now.
    pub async fn ready(&mut self, reading: bool) -> Ready {
        let (watch, room) = (self.master.watch(), self.room.clone());
        let retrying = !self.ended && !self.queue.is_empty() && room.is_none();
        let unsent = !self.unsent.is_empty();
        tokio::select! {
            biased;
            said = keeper_speaks(&self.from_keeper) => match said {
                Ok(()) => self.hear_keeper(),
                Err(_) => self.keeper_lost(),
            },
            sent = self.to_keeper.writable(), if unsent => {
                if sent.is_ok() {
                    self.send_frames();
                }
                Ready::Nothing
            }
            guard = writable(&room) => {
                if let Ok(mut guard) = guard {
                    let hung_up = guard.ready().is_write_closed();
                    if self.write_queued() == 0 {
                        // With nobody at the other end the terminal is ready for ever and takes nothing.
                        if hung_up { self.drop_queue() } else { guard.clear_ready() }
                    }
                }
                Ready::Nothing
            }
            () = tokio::time::sleep(RETRY), if retrying => {
                self.write_queued();
                Ready::Nothing
            }
            guard = watch.readable(), if reading && !self.ended => {
                let (block, rest) = self.read_block();
                if rest == Output::Empty && let Some(mut guard) = guard {
                    guard.clear_ready();
                }
                if block.is_empty() { Ready::Nothing } else { Ready::Output(block) }
            }
        }
    }

    /// Whatever can be read now, up to one block. Noted at once: bytes that were read cannot be read again.
    pub fn read_block(&mut self) -> (Vec<u8>, Output) {
        if self.ended {
            return (Vec::new(), Output::End);
        }
        let Filled { rest, kept, flushed } = self.master.fill(self.log.buffer());
        self.disturbed |= kept || self.is_meddled_with();
        self.flushed |= flushed;
        if rest == Output::End {
            self.ended = true;
            self.drop_queue();
        }
        (self.log.note_read(), rest)
    }

    /// Somebody else has given the terminal another size, so that its program draws what nobody can read, or has it make
    /// capitals of what is printed. Its size is given back: the program then draws anew.
    fn is_meddled_with(&self) -> bool {
        let master = self.master.fd();
        let resized = pty::size_of(master).is_ok_and(|now| now != self.size);
        if resized {
            self.set_size(self.size);
        }
        resized || pty::is_capitals(master)
    }

    /// What else has come to pass on the terminal since that was last asked: output that was not read as it was meant, and input that
    /// nobody will read.
    pub fn take_told(&mut self) -> Vec<Input> {
        let disturbed = std::mem::take(&mut self.disturbed).then_some(Input::Disturbed);
        let flushed = std::mem::take(&mut self.flushed).then_some(Input::InputFlushed);
        disturbed.into_iter().chain(flushed).collect()
    }

    /// Who reads the terminal now.
    pub fn witness(&self) -> Witness {
        tty_witness::look(self.master.fd())
    }

    /// Who would take a key that is typed for this agent.
    pub fn front(&self, agent: &Started) -> Front {
        if self.ended { Front::Unseen } else { tty_witness::front(self.master.fd(), agent) }
    }

    /// Whether the terminal collects what is typed to lines.
    pub fn is_canonical(&self) -> bool {
        !self.ended && pty::is_canonical(self.master.fd())
    }

    /// Writes at once what fits, and queues the rest. `false`: the queue is full, and nothing was taken.
    pub fn write(&mut self, bytes: Vec<u8>) -> bool {
        if self.ended || bytes.is_empty() {
            return true;
        }
        if self.queued + bytes.len() > MAX_QUEUE {
            return false;
        }
        self.queued += bytes.len();
        self.queue.push_back(bytes);
        if self.queue.len() == 1 {
            self.write_queued();
        }
        true
    }

    /// Whether everything that was written has gone into the terminal.
    pub fn has_taken_all(&self) -> bool {
        self.queue.is_empty()
    }

    /// Bytes that can still be queued.
    pub fn room(&self) -> usize {
        MAX_QUEUE.saturating_sub(self.queued)
    }

    fn write_queued(&mut self) -> usize {
        let Some(front) = self.queue.front() else { return 0 };
        let Ok(count) = pty::write(self.master.fd(), &front[self.written..]) else {
            self.drop_queue();
            return 0;
        };
        self.written += count;
        self.queued -= count;
        if front.len() == self.written {
            self.queue.pop_front();
            self.written = 0;
        }
        if self.queue.is_empty() {
            self.room = None;
        } else if self.room.is_none() {
            let again =
                self.master.fd().try_clone().and_then(|fd| pty::watched(Arc::new(fd), Interest::WRITABLE));
            self.room = again.ok().map(Arc::new);
        }
        count
    }

    fn drop_queue(&mut self) {
        self.queue.clear();
        self.room = None;
        (self.queued, self.written) = (0, 0);
    }

    pub fn resize(&mut self, size: Size) {
        self.size = size;
        self.set_size(size);
    }

    fn set_size(&self, size: Size) {
        // The terminal may be closed already.
        drop(pty::resize(self.master.fd(), size));
    }

    pub fn order_keeper(&mut self, message: &ToKeeper) {
        self.unsent.extend(encode(message));
        self.send_frames();
    }

    fn send_frames(&mut self) {
        match self.to_keeper.try_write(&self.unsent) {
            Ok(count) => drop(self.unsent.drain(..count)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            // That it is dead is heard on the reading side.
            Err(_) => self.unsent.clear(),
        }
    }

    fn hear_keeper(&mut self) -> Ready {
        let mut said = [0; KEEPER_BYTES];
        let read = self.from_keeper.as_ref().map_or(Ok(0), |keeper| keeper.try_read(&mut said));
        match read {
            Ok(n @ 1..) => self.keeper_said(&said[..n]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ready::Nothing,
            Ok(0) | Err(_) => self.keeper_lost(),
        }
    }

    fn keeper_said(&mut self, bytes: &[u8]) -> Ready {
        self.decoder.push(bytes);
        let mut messages = Vec::new();
        loop {
            match self.decoder.take::<FromKeeper>() {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => return Ready::Keeper(messages),
                Err(error) => {
                    tracing::warn!(error, "a keeper sent what cannot be read");
                    return self.keeper_lost();
                }
            }
        }
    }

    fn keeper_lost(&mut self) -> Ready {
        self.from_keeper = None;
        self.unsent.clear();
        Ready::KeeperLost
    }

    /// Lets the keeper go and waits until it has.
    pub async fn leave(mut self) {
        let Some(mut keeper) = self.from_keeper.take() else { return };
        self.order_keeper(&ToKeeper::Leave);
        while !self.unsent.is_empty() && self.to_keeper.writable().await.is_ok() {
            self.send_frames();
        }
        let mut rest = [0; 4096];
        while let Ok(1..) = keeper.read(&mut rest).await {}
    }
}

async fn writable(
    room: &Option<Arc<AsyncFd<Arc<OwnedFd>>>>,
) -> io::Result<AsyncFdReadyGuard<'_, Arc<OwnedFd>>> {
    match room {
        Some(room) => room.writable().await,
        None => std::future::pending().await,
    }
}

async fn keeper_speaks(keeper: &Option<OwnedReadHalf>) -> io::Result<()> {
    match keeper {
        Some(keeper) => keeper.readable().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};

    use super::*;
    use crate::os::keeper_link::{Hello, Run};

    /// How often a terminal may have something to say about bytes that nobody takes.
    const WAKES: usize = 50;

    pub(in crate::session) fn pty() -> (Pty, OwnedFd, std::os::unix::net::UnixStream, tempfile::TempDir) {
        let pair = pty::open(Size::FALLBACK).unwrap();
        // One that collects lines throws away what does not fit, and so takes everything.
        let mut line = tcgetattr(&pair.slave).unwrap();
        cfmakeraw(&mut line);
        tcsetattr(&pair.slave, SetArg::TCSANOW, &line).unwrap();
        let (stream, keeper) = std::os::unix::net::UnixStream::pair().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let hello = Hello {
            version: 1,
            name: "deaf".to_owned(),
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
        let link = Link { stream, master: pair.master, hello, ring: Vec::new() };
        let log = OutputLog::begin(&folder.path().join("keep-deaf.sock"), 0, &[], &[]);
        (Pty::new(link, log).unwrap(), pair.slave, keeper, folder)
    }

    /// How often the terminal wakes its session before it falls silent.
    async fn wakes(pty: &mut Pty) -> usize {
        for wake in 0..WAKES {
            if tokio::time::timeout(Duration::from_millis(200), pty.ready(true)).await.is_err() {
                return wake;
            }
        }
        WAKES
    }

    /// Bytes for a program that had gone were written again and again: the kernel says that such a terminal is
    /// ready, and takes nothing. One agent that ended with unread input stopped the whole server.
    #[tokio::test]
    async fn unread_input_of_a_program_that_has_gone_wakes_nobody() {
        let (mut pty, slave, _keeper, _folder) = pty();
        assert!(pty.write(vec![b'x'; 1024 * 1024]), "it is queued");
        assert!(wakes(&mut pty).await < WAKES, "a program that does not read is waited for");
        drop(slave);
        assert!(wakes(&mut pty).await < WAKES, "nobody will ever read it");
        assert_eq!(pty.queued, 0);
        assert!(pty.write(vec![b'y'; 1024 * 1024]), "nor what comes later");
        assert_eq!(pty.queued, 0);
    }
}
