//! One task per agent: bytes from its PTY up to the hub, queued writes down, and the line to its keeper.
//!
//! Started by the server's loop. Reading and writing never wait for each other: a program that floods
//! while it is pasted into is read and written in the same turns of the same loop.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::{self, Sender, UnboundedReceiver};

use crate::core::terminal::grid::Size;
use crate::os::keeper_link::{FromKeeper, Link, ToKeeper};
use crate::os::pty::{self, Output};
use crate::wire::{Decoder, encode};

use super::effect::{AgentKey, Event};
use super::output_log::OutputLog;

/// Bytes read from a PTY at once; the kernel hands out about 4 KiB, a few of them make one event.
const READ_BYTES: usize = 32 * 1024;
/// Bytes that may wait to be written into an agent: several pastes of the largest size. An agent that
/// reads nothing at all refuses more.
const MAX_QUEUE: usize = 8 * 1024 * 1024;

/// Reads for one `Drain`, of `READ_BYTES` each: a terminal holds far less, unless its program floods, and a
/// screen that floods is not the one a key is meant for anyway.
const DRAIN_READS: usize = 8;
/// The same once the program has ended. What it wrote is in the terminal then; more comes only from a child it
/// left behind, which must not keep the news of the end from getting through.
const LAST_READS: usize = 32;

/// What the server's loop tells an agent's task.
#[derive(Debug)]
pub enum Command {
    Write(Vec<u8>),
    /// Tell everything that can be read now, then say so.
    Drain,
    Resize(Size),
    Keeper(ToKeeper),
    /// Close the PTY; the keeper sweeps up and leaves.
    Forget,
}

/// Runs until the agent is forgotten or its keeper is gone. When it returns, the keeper's files are gone
/// too, unless the server just leaves.
pub async fn run(
    agent: AgentKey,
    link: Link,
    output_log: OutputLog,
    inbox: Sender<Event>,
    commands: UnboundedReceiver<Command>,
) {
    let lost = match Task::new(agent, link, output_log, inbox.clone()) {
        Ok((task, from_keeper)) => task.run(from_keeper, commands).await,
        Err(error) => Err(error),
    };
    if let Err(error) = lost {
        tracing::warn!(agent = agent.0, %error, "the line to the keeper broke");
        let _ = inbox.send(Event::KeeperLost { agent }).await;
    }
}

struct Task {
    agent: AgentKey,
    master: Arc<AsyncFd<OwnedFd>>,
    /// The other end of the PTY is closed for good.
    ended: bool,
    output_log: OutputLog,
    keeper: OwnedWriteHalf,
    decoder: Decoder,
    inbox: Sender<Event>,
    queue: VecDeque<Vec<u8>>,
    queued: usize,
    /// Bytes of the first queued block that were taken already.
    written: usize,
}

impl Task {
    fn new(
        agent: AgentKey,
        link: Link,
        output_log: OutputLog,
        inbox: Sender<Event>,
    ) -> io::Result<(Task, OwnedReadHalf)> {
        link.stream.set_read_timeout(None)?;
        link.stream.set_nonblocking(true)?;
        let (from_keeper, keeper) = UnixStream::from_std(link.stream)?.into_split();
        let task = Task {
            agent,
            master: Arc::new(pty::watched(link.master)?),
            ended: false,
            output_log,
            keeper,
            decoder: Decoder::default(),
            inbox,
            queue: VecDeque::new(),
            queued: 0,
            written: 0,
        };
        Ok((task, from_keeper))
    }

    async fn run(
        mut self,
        mut keeper: OwnedReadHalf,
        mut commands: UnboundedReceiver<Command>,
    ) -> io::Result<()> {
        let mut said = [0; 4096];
        let (master, inbox) = (Arc::clone(&self.master), self.inbox.clone());
        loop {
            let (reading, writing) = (!self.ended, !self.ended && !self.queue.is_empty());
            tokio::select! {
                // Keys before floods.
                biased;
                command = commands.recv() => match command {
                    Some(Command::Forget) => return self.leave(keeper).await,
                    Some(command) => self.command(command).await?,
                    None => return Ok(()),
                },
                n = keeper.read(&mut said) => match n? {
                    0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                    n => self.keeper_said(&said[..n]).await?,
                },
                guard = master.writable(), if writing => {
                    let mut guard = guard?;
                    let (front, written) = (&self.queue[0], self.written);
                    match pty::write(guard.get_inner(), &front[written..]) {
                        Ok(0) => guard.clear_ready(),
                        Ok(n) => self.wrote(n),
                        Err(_) => self.ended = true,
                    }
                },
                // No read before the hub has room for it: a flooding agent blocks itself.
                room = readable(&master, &inbox), if reading => {
                    let (mut guard, permit) = room?;
                    let mut buffer = vec![0; READ_BYTES];
                    match fill(guard.get_inner(), &mut buffer)? {
                        (0, Output::Empty) => guard.clear_ready(),
                        (0, _) => self.ended = true,
                        (n, rest) => {
                            buffer.truncate(n);
                            self.output_log.add(&buffer);
                            permit.send(Event::Output { agent: self.agent, bytes: buffer });
                            self.ended = rest == Output::End;
                        }
                    }
                },
            }
        }
    }

    fn wrote(&mut self, count: usize) {
        self.written += count;
        self.queued -= count;
        if self.queue.front().is_some_and(|front| front.len() == self.written) {
            self.queue.pop_front();
            self.written = 0;
        }
    }

    async fn command(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Write(bytes) if self.queued + bytes.len() > MAX_QUEUE => {
                let _ = self.inbox.send(Event::WriteRefused { agent: self.agent }).await;
            }
            Command::Write(bytes) if !bytes.is_empty() && !self.ended => {
                self.queued += bytes.len();
                self.queue.push_back(bytes);
            }
            Command::Write(_) | Command::Forget => {}
            Command::Drain => {
                if !self.ended {
                    self.drain(DRAIN_READS).await?;
                }
                let lines = !self.ended && pty::is_canonical(self.master.get_ref());
                let _ = self.inbox.send(Event::Drained { agent: self.agent, lines }).await;
            }
            // The terminal may be closed already.
            Command::Resize(size) => drop(pty::resize(self.master.get_ref(), size)),
            Command::Keeper(message) => self.keeper.write_all(&encode(&message)).await?,
        }
        Ok(())
    }

    async fn keeper_said(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.decoder.push(bytes);
        while let Some(message) = self.decoder.take::<FromKeeper>().map_err(io::Error::other)? {
            if matches!(message, FromKeeper::Exited(_)) {
                self.drain(LAST_READS).await?;
            }
            let _ = self.inbox.send(Event::Keeper { agent: self.agent, message }).await;
        }
        Ok(())
    }

    /// Reads what is in the terminal, and sends it up before any news that follows.
    async fn drain(&mut self, reads: usize) -> io::Result<()> {
        for _ in 0..reads {
            let mut buffer = vec![0; READ_BYTES];
            let (count, rest) = fill(self.master.get_ref(), &mut buffer)?;
            if count > 0 {
                buffer.truncate(count);
                self.output_log.add(&buffer);
                let _ = self.inbox.send(Event::Output { agent: self.agent, bytes: buffer }).await;
            }
            match rest {
                Output::Bytes(_) => {}
                Output::Empty => return Ok(()),
                Output::End => {
                    self.ended = true;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Lets the keeper go and waits until it has.
    async fn leave(mut self, mut keeper: OwnedReadHalf) -> io::Result<()> {
        self.keeper.write_all(&encode(&ToKeeper::Leave)).await?;
        let mut rest = [0; 4096];
        while keeper.read(&mut rest).await? > 0 {}
        Ok(())
    }
}

type Readable<'a> = (tokio::io::unix::AsyncFdReadyGuard<'a, OwnedFd>, mpsc::Permit<'a, Event>);

/// Waits until there is something to read and room for it.
async fn readable<'a>(master: &'a AsyncFd<OwnedFd>, inbox: &'a Sender<Event>) -> io::Result<Readable<'a>> {
    let guard = master.readable().await?;
    let permit = inbox.reserve().await.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
    Ok((guard, permit))
}

/// Reads until the buffer is full or the terminal empty. Says what stopped it.
fn fill(master: &OwnedFd, buffer: &mut [u8]) -> io::Result<(usize, Output)> {
    let mut count = 0;
    while count < buffer.len() {
        match pty::read(master, &mut buffer[count..])? {
            Output::Bytes(n) => count += n,
            stopped @ (Output::Empty | Output::End) => return Ok((count, stopped)),
        }
    }
    Ok((count, Output::Bytes(0)))
}
