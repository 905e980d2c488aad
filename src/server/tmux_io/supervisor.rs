//! Who supervises the agent in a pane: a keeper of ours, or, in an adopted pane, whoever the user started it
//! from.
//!
//! The task orders and listens; both kinds speak the keeper's messages. A stranger's agent is signalled and
//! watched, never stopped or swept: it is not ours.

use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::time::Duration;

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::Instant;

use crate::os::keeper_link::{Exit, FromKeeper, ToKeeper};
use crate::os::pane_mark::PaneMark;
use crate::os::{proc, socket};
use crate::wire::{Decoder, encode};

/// How often it is looked whether somebody has stopped the tmux server, with all its agents: nobody has to do without them for
/// longer, and it costs a look at two files.
const WAKE_EVERY: Duration = Duration::from_secs(5);
/// How often it is looked for what a person's shell has started in an adopted pane.
const MARK_EVERY: Duration = Duration::from_secs(1);
/// The same once the pane has printed: what is typed there is echoed before it runs.
const MARK_SOON: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub enum Supervisor {
    Keeper(Box<Keeper>),
    Stranger(Stranger),
}

#[derive(Debug)]
pub struct Keeper {
    reading: OwnedReadHalf,
    writing: OwnedWriteHalf,
    decoder: Decoder,
    /// Its pid: the tmux server is its parent.
    pid: Option<u32>,
    looks_at: Instant,
}

/// An agent that somebody else started.
#[derive(Debug)]
pub struct Stranger {
    process: proc::Process,
    /// Readable once it has ended; none where the system has no such thing.
    end: Option<AsyncFd<OwnedFd>>,
    over: bool,
    mark: PaneMark,
    /// When it is looked for what is not marked yet. `None`: the program bears the mark itself, and all it starts inherits it.
    marks_at: Option<Instant>,
    /// The pane has printed since.
    printed: bool,
}

impl Supervisor {
    pub fn keeper(stream: std::os::unix::net::UnixStream) -> io::Result<Supervisor> {
        stream.set_read_timeout(None)?;
        stream.set_nonblocking(true)?;
        let stream = UnixStream::from_std(stream)?;
        let pid = stream.peer_cred()?.pid().and_then(|pid| u32::try_from(pid).ok());
        let (reading, writing) = stream.into_split();
        let (decoder, looks_at) = (Decoder::default(), Instant::now() + WAKE_EVERY);
        Ok(Supervisor::Keeper(Box::new(Keeper { reading, writing, decoder, pid, looks_at })))
    }

    pub fn is_keeper(&self) -> bool {
        matches!(self, Supervisor::Keeper(_))
    }

    /// What it says next. An error: it is gone. Can be dropped and called again without loss.
    pub async fn news(&mut self) -> io::Result<Vec<FromKeeper>> {
        match self {
            Supervisor::Keeper(keeper) => keeper.news().await,
            Supervisor::Stranger(stranger) => stranger.news().await,
        }
    }

    /// Passes an order on; what comes of it at once is returned.
    pub async fn order(&mut self, order: ToKeeper) -> io::Result<Vec<FromKeeper>> {
        match self {
            Supervisor::Keeper(keeper) => {
                match keeper.writing.write_all(&encode(&order)).await {
                    // That it is gone is heard where its last words are read.
                    Err(error)
                        if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => {}
                    written => written?,
                }
                Ok(Vec::new())
            }
            Supervisor::Stranger(stranger) => Ok(stranger.order(order)),
        }
    }

    /// Lets a keeper go and waits until it has.
    pub async fn leave(&mut self) -> io::Result<()> {
        let Supervisor::Keeper(keeper) = self else { return Ok(()) };
        keeper.writing.write_all(&encode(&ToKeeper::Leave)).await?;
        let mut rest = [0; 4096];
        while keeper.reading.read(&mut rest).await? > 0 {}
        Ok(())
    }

    /// When it is to look around.
    pub fn looks_at(&self) -> Option<Instant> {
        match self {
            Supervisor::Keeper(keeper) => Some(keeper.looks_at),
            Supervisor::Stranger(stranger) => stranger.marks_at,
        }
    }

    /// It is time; does nothing before.
    pub fn look(&mut self, now: Instant) {
        match self {
            Supervisor::Keeper(keeper) if now >= keeper.looks_at => keeper.wake_its_server(now),
            Supervisor::Stranger(stranger) if stranger.marks_at.is_some_and(|at| now >= at) => {
                stranger.mark_again(now);
            }
            Supervisor::Keeper(_) | Supervisor::Stranger(_) => {}
        }
    }

    pub fn printed(&mut self) {
        if let Supervisor::Stranger(stranger) = self {
            stranger.printed = true;
            stranger.marks_at = stranger.marks_at.map(|at| at.min(Instant::now() + MARK_SOON));
        }
    }

    /// The pane is gone; a keeper will say what became of its agent.
    pub fn pane_lost(&mut self) -> Vec<FromKeeper> {
        match self {
            Supervisor::Keeper(_) => Vec::new(),
            Supervisor::Stranger(stranger) => stranger.ended(),
        }
    }
}

impl Keeper {
    /// Nothing of counsel's stops the private tmux server; an agent that does stops all others in it.
    fn wake_its_server(&mut self, now: Instant) {
        self.looks_at = now + WAKE_EVERY;
        if socket::wake(self.pid.and_then(proc::look).map(|keeper| keeper.parent)) {
            tracing::warn!("the tmux server of the agents had been stopped, and goes on");
        }
    }

    async fn news(&mut self) -> io::Result<Vec<FromKeeper>> {
        let mut bytes = [0; 4096];
        match self.reading.read(&mut bytes).await? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            count => {
                self.decoder.push(&bytes[..count]);
                let mut said = Vec::new();
                while let Some(message) = self.decoder.take().map_err(io::Error::other)? {
                    said.push(message);
                }
                Ok(said)
            }
        }
    }
}

impl Stranger {
    pub fn new(process: proc::Process, mark: PaneMark) -> io::Result<Stranger> {
        let end = match proc::end_of(&process) {
            // SAFETY: an `OwnedFd` is open and stays the same descriptor until the `AsyncFd` is dropped.
            Some(end) => Some(unsafe { AsyncFd::register(end) }.map_err(io::Error::from)?),
            None => None,
        };
        let marks_at = mark.goes_on().then(Instant::now);
        Ok(Stranger { process, end, over: false, mark, marks_at, printed: false })
    }

    fn mark_again(&mut self, now: Instant) {
        self.marks_at = self.mark.goes_on().then(|| now + MARK_EVERY);
        if std::mem::take(&mut self.printed) || self.mark.has_unmarked_children() {
            let mark = self.mark.clone();
            // Nobody waits for it.
            drop(tokio::task::spawn_blocking(move || mark.look()));
        }
    }

    async fn news(&mut self) -> io::Result<Vec<FromKeeper>> {
        match &self.end {
            Some(end) if !self.over => {
                drop(end.readable().await?);
                Ok(self.ended())
            }
            _ => std::future::pending().await,
        }
    }

    /// How it ended only its own parent learns.
    fn ended(&mut self) -> Vec<FromKeeper> {
        if std::mem::replace(&mut self.over, true) {
            return Vec::new();
        }
        vec![FromKeeper::Exited(Exit { code: None, signal: None })]
    }

    fn order(&mut self, order: ToKeeper) -> Vec<FromKeeper> {
        match order {
            ToKeeper::Signal { signal } => {
                let sent = proc::signal_group_of(&self.process, &signal);
                return vec![FromKeeper::Signalled { sent }];
            }
            // Released: nothing of it is ours to end.
            ToKeeper::Stop { .. } => {
                return vec![FromKeeper::Swept { killed: Vec::new(), left: Vec::new(), kept: Vec::new() }];
            }
            // Its own parent would take the terminal back; the hub does not ask for it.
            ToKeeper::Pause | ToKeeper::Resume | ToKeeper::Take | ToKeeper::Leave => {}
            // There is no keeper to hold anything.
            ToKeeper::Hold { .. } | ToKeeper::Untie => {}
        }
        Vec::new()
    }
}
