//! The keeper's loop: its state, what wakes it, what it does then.
//!
//! One thread and one poll; nothing in it waits for the agent or for a server. It reads the terminal
//! exactly while no server is on the line.

use std::collections::HashSet;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::Pid;

use super::callers::Callers;
use super::end_mark;
use super::line::Line;
use super::ring::Ring;
use super::signals::Signals;
use super::tied::Tied;
use super::tree::{self, GRACE, LOOK_INTERVAL, Pausing, Sweeping};
use crate::core::terminal::grid::Size;
use crate::os::keeper_link::{Exit, FromKeeper, Hello, KeeperSpec, LINK_VERSION, Run, remove_files};
use crate::os::pty;

/// One read of the terminal; the kernel hands out 4 KiB at a time.
const READ_SIZE: usize = 4096;
/// Reads in a row before the loop looks at its other events.
const READS_PER_TURN: usize = 64;
/// How long the last messages may take to leave.
const GOODBYE: Duration = Duration::from_secs(1);

/// What `start` has made.
#[derive(Debug)]
pub struct Parts {
    pub master: OwnedFd,
    pub slave: OwnedFd,
    pub listener: UnixListener,
    pub agent: Pid,
    pub signals: Signals,
    pub patience: Duration,
    pub callers: Callers,
}

/// What is being done to the tree.
#[derive(Debug)]
pub(super) enum Work {
    None,
    Pausing(Pausing),
    Sweeping(Sweeping),
}

#[derive(Debug)]
pub struct Keeper {
    pub(super) name: String,
    pub(super) socket: PathBuf,
    pub(super) listener: UnixListener,
    pub(super) callers: Callers,
    pub(super) signals: Signals,
    pub(super) master: OwnedFd,
    /// tmux holds the terminal; `master` is the agent's own end of it, for its size and foreground group.
    pub(super) in_pane: bool,
    /// Held open while the agent lives: without it the terminal would read as ended whenever the agent's
    /// processes have all closed it for a moment.
    pub(super) slave: Option<OwnedFd>,
    pub(super) agent: Pid,
    pub(super) run: Run,
    pub(super) ring: Ring,
    pub(super) line: Option<Line>,
    pub(super) work: Work,
    /// Stood still before the pause.
    pub(super) stopped_before: HashSet<tree::Identity>,
    /// The terminal is read empty and closed by all.
    pub(super) ended: bool,
    /// No child is left, and so no descendant.
    pub(super) childless: bool,
    /// What could be ended has been.
    pub(super) swept: bool,
    /// Whom the agent ends with.
    pub(super) tied: Option<Tied>,
    /// What of the agent's environment nobody else has.
    pub(super) token: Option<String>,
    /// End as soon as the agent has.
    pub(super) leaving: bool,
    /// How long a keeper waits for a server before it helps itself.
    pub(super) patience: Duration,
    /// Since when it waits: the last server's going, the agent's end, the last time it helped itself.
    pub(super) alone_since: Instant,
    /// A server was on the line once.
    pub(super) served: bool,
    /// When the agent ended: no server may have been there to see it.
    pub(super) ended_unix_ms: Option<u64>,
}

/// What the poll found.
#[derive(Debug, Default)]
struct Woken {
    broken: bool,
    signals: bool,
    master: bool,
    caller: bool,
    /// No server was on the line.
    free: bool,
    line: bool,
}

impl Keeper {
    pub fn new(spec: &KeeperSpec, parts: Parts) -> Keeper {
        let Parts { master, slave, listener, agent, signals, patience, callers } = parts;
        Keeper {
            name: spec.name.clone(),
            socket: spec.socket.clone(),
            listener,
            callers,
            signals,
            master,
            in_pane: false,
            slave: Some(slave),
            agent,
            run: Run::Running,
            ring: Ring::new(spec.ring_bytes),
            line: None,
            work: Work::None,
            stopped_before: HashSet::new(),
            ended: false,
            childless: false,
            swept: false,
            tied: Tied::to(spec.tied),
            token: spec.env.get("COUNSEL_TOKEN").map(|token| format!("COUNSEL_TOKEN={token}")),
            leaving: false,
            patience,
            alone_since: Instant::now(),
            served: false,
            ended_unix_ms: None,
        }
    }

    /// A keeper in a pane of tmux: there is no output to read here.
    pub fn in_pane(spec: &KeeperSpec, parts: Parts) -> Keeper {
        Keeper { in_pane: true, ended: true, ..Keeper::new(spec, parts) }
    }

    /// Ends the agent and then the keeper.
    pub fn give_up(&mut self, grace: Duration) {
        self.leaving = true;
        self.sweep(grace);
    }

    /// Runs until the agent has ended and a server knows, or none came for the news.
    pub fn run(mut self) -> ExitCode {
        while !self.done() {
            // Without its events the keeper cannot do its work; better no agent than one unattended.
            let woken = self.wait().unwrap_or(Woken { broken: true, ..Woken::default() });
            if woken.broken || (woken.signals && self.signals.take_end()) {
                self.give_up(GRACE);
            }
            // A look costs one system call; a child's death may have come in the middle of the last turn.
            self.reap();
            if woken.line {
                self.listen_to_server();
            }
            // Before a caller is greeted, so that an agent's last words are in the ring it gets.
            if woken.master {
                self.drain(READS_PER_TURN);
            }
            if woken.caller {
                self.callers.accept(&self.listener);
            }
            // Only after a turn that could read the terminal: a line that has just closed kept it from being read.
            if woken.free && self.line.is_none() {
                self.greet_next();
            }
            self.work();
            self.flush();
            self.end_with_its_caller();
            if self.is_abandoned() {
                self.orphan_timeout();
            }
        }
        self.close()
    }

    fn done(&mut self) -> bool {
        let over = matches!(self.run, Run::Exited(_)) && !matches!(self.work, Work::Sweeping(_));
        if !(over && self.leaving) {
            return false;
        }
        if !self.childless && !self.swept {
            self.sweep(GRACE);
            return false;
        }
        true
    }

    /// The last words, the files, the line, in this order: a server that sees the end of the line may
    /// start another agent of that name at once.
    fn close(mut self) -> ExitCode {
        let until = Instant::now() + GOODBYE;
        while self.line.as_ref().is_some_and(Line::wants_room) && Instant::now() < until {
            let timeout = PollTimeout::try_from(until - Instant::now()).unwrap_or(PollTimeout::ZERO);
            let Some(line) = &self.line else { break };
            let room = poll(&mut [PollFd::new(line.stream().as_fd(), PollFlags::POLLOUT)], timeout);
            if !matches!(room, Ok(1..) | Err(Errno::EINTR)) {
                break;
            }
            self.flush();
        }
        // A listener without a file would look like one whose file somebody else deleted.
        drop(self.listener);
        remove_files(&self.socket);
        drop(self.line);
        if !self.childless {
            tree::outlast();
        }
        ExitCode::SUCCESS
    }

    fn wait(&self) -> nix::Result<Woken> {
        let line_events = match &self.line {
            Some(line) if line.wants_room() => PollFlags::POLLIN | PollFlags::POLLOUT,
            _ => PollFlags::POLLIN,
        };
        let left = self.first_server_by().is_some_and(|by| Instant::now() < by);
        let mut fds = vec![
            PollFd::new(self.signals.pipe.as_fd(), PollFlags::POLLIN),
            // Also with a server on the line: nobody may fill the queue before its successor.
            PollFd::new(self.listener.as_fd(), PollFlags::POLLIN),
        ];
        // With a server on the line the terminal is its to read.
        match &self.line {
            Some(line) => fds.push(PollFd::new(line.stream().as_fd(), line_events)),
            None if !self.ended && !left => fds.push(PollFd::new(self.master.as_fd(), PollFlags::POLLIN)),
            None => {}
        }
        fds.extend(self.tied.as_ref().filter(|_| self.line.is_none()).and_then(Tied::poll_fd));
        match poll(&mut fds, self.timeout()) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(e) => return Err(e),
        }
        let woken = |at: usize| fds.get(at).and_then(PollFd::any).unwrap_or(false);
        let (line, free) = (self.line.is_some(), self.line.is_none());
        Ok(Woken {
            broken: false,
            signals: woken(0),
            line: line && woken(2),
            caller: woken(1),
            free,
            master: free && !left && woken(2),
        })
    }

    fn timeout(&self) -> PollTimeout {
        let now = Instant::now();
        if self.line.is_none() && self.callers.any() {
            return PollTimeout::ZERO;
        }
        let work = match &self.work {
            Work::None => None,
            Work::Pausing(_) => Some(now + LOOK_INTERVAL),
            Work::Sweeping(sweeping) => Some(sweeping.next_look(now)),
        };
        let hand_over = self.line.as_ref().and_then(Line::deadline);
        let Some(at) = [work, hand_over, self.alone_until(now)].into_iter().flatten().min() else {
            return PollTimeout::NONE;
        };
        // Rounded up: waking a moment too early would turn into a busy loop.
        let left = at.saturating_duration_since(now) + Duration::from_millis(1);
        PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
    }

    /// Takes every change of every child: the agent's are news, the adopted ones' are just reaped.
    fn reap(&mut self) {
        loop {
            let mut status = 0;
            let flags = libc::WNOHANG | libc::WUNTRACED | libc::WCONTINUED;
            // SAFETY: `status` may be written. nix's own wrapper loses a death by a real-time signal.
            let pid = unsafe { libc::waitpid(-1, &raw mut status, flags) };
            match pid {
                0 => return self.childless = false,
                -1 if Errno::last() == Errno::EINTR => {}
                -1 => return self.childless = true,
                pid if pid == self.agent.as_raw() => self.agent_changed(status),
                _ => {}
            }
        }
    }

    fn agent_changed(&mut self, status: i32) {
        if libc::WIFEXITED(status) {
            self.exited(Exit { code: Some(libc::WEXITSTATUS(status)), signal: None });
        } else if libc::WIFSIGNALED(status) {
            self.exited(Exit { code: None, signal: Some(libc::WTERMSIG(status)) });
        } else if libc::WIFSTOPPED(status) {
            if self.run == Run::Running && !matches!(self.work, Work::Pausing(_)) {
                self.run = Run::Stopped;
                self.tell(&FromKeeper::Stopped);
            }
        } else if libc::WIFCONTINUED(status) {
            self.continued();
        }
    }

    fn continued(&mut self) {
        if matches!(self.run, Run::Stopped | Run::Paused) {
            self.run = Run::Running;
            self.tell(&FromKeeper::Continued);
        }
    }

    /// The line is free: whoever waits is greeted, or found to have gone.
    fn greet_next(&mut self) {
        let Some((stream, manifest)) = self.callers.next() else { return };
        let hello = Hello {
            version: LINK_VERSION,
            name: self.name.clone(),
            agent_pid: self.agent.as_raw().unsigned_abs(),
            keeper_pid: std::process::id(),
            run: self.run,
            size: pty::size_of(&self.master).unwrap_or(Size::FALLBACK),
            manifest: manifest.len() as u64,
            ring: self.ring.len() as u64,
            dropped: self.ring.dropped(),
            ended_unix_ms: self.ended_unix_ms,
            tells_signals: true,
            disturbed: self.ring.is_disturbed(),
        };
        self.line = Line::open(stream, &hello, &manifest, &self.ring, Instant::now()).ok();
        self.served = true;
    }

    fn exited(&mut self, exit: Exit) {
        self.run = Run::Exited(exit);
        self.alone_since = Instant::now();
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.ended_unix_ms = u64::try_from(unix.as_millis()).ok();
        // From now on the end of the terminal is the end of its last user.
        self.slave = None;
        if self.in_pane {
            end_mark::write(&self.master);
        }
        if self.line.is_none() {
            // Whatever the agent wrote is in the terminal now; background children may go on for ever.
            self.drain(usize::MAX);
        }
        self.tell(&FromKeeper::Exited(exit));
    }

    /// Reads the terminal into the ring: until it is empty, it has ended, or it was often enough.
    fn drain(&mut self, most: usize) {
        let mut buffer = [0; READ_SIZE];
        // A flood from a background child ends the drain of a dead agent at what the ring holds.
        let mut budget = most.min(self.ring.limit() / READ_SIZE + READS_PER_TURN);
        while budget > 0 && !self.ended {
            budget -= 1;
            match pty::read(&self.master, &mut buffer) {
                Ok(pty::Output::Bytes(n)) => self.ring.push(&buffer[..n]),
                Ok(pty::Output::Told { kept: true, .. }) => self.ring.disturbed(),
                Ok(pty::Output::Told { .. }) => {}
                Ok(pty::Output::Empty) => return,
                Ok(pty::Output::End) | Err(_) => self.ended = true,
            }
        }
    }

    pub(super) fn tell(&mut self, message: &FromKeeper) {
        if let Some(line) = &mut self.line {
            line.tell(message);
        }
    }

    fn flush(&mut self) {
        let Some(line) = &mut self.line else { return };
        let late = line.deadline().is_some_and(|until| Instant::now() >= until);
        if late || line.flush(&self.master, &mut self.ring).is_err() {
            self.hang_up();
        }
    }

    fn hang_up(&mut self) {
        self.line = None;
        self.alone_since = Instant::now();
        if !self.leaving {
            // What fails now is tried again once no server came for a while.
            let _ = self.listen_again();
        }
    }

    fn listen_to_server(&mut self) {
        let Some(line) = &mut self.line else { return };
        match line.receive() {
            Err(_) => self.hang_up(),
            Ok(messages) => messages.into_iter().for_each(|message| self.handle(message)),
        }
    }
}
