//! A keeper under test: the real program, its agent a shell script, this process in the server's place.
//!
//! Every wait is for an event and has a deadline that tells what was seen until then.

#![allow(clippy::unwrap_used)] // Test code, which clippy does not see in a module of its own.
#![allow(dead_code)] // Each test program uses a part of it.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use counsel::core::terminal::grid::Size;
use counsel::os::keeper_link::{self, Exit, FromKeeper, KeeperReady, KeeperSpec, Link, ToKeeper};
use counsel::os::pty;
use counsel::wire::{Decoder, encode};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tempfile::TempDir;

pub const DEADLINE: Duration = Duration::from_secs(20);

pub fn exe() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_counsel"))
}

pub fn spec(folder: &Path, argv: &[&str]) -> KeeperSpec {
    let path = std::env::var("PATH").unwrap();
    KeeperSpec {
        stdin: None,
        name: "a".to_string(),
        argv: argv.iter().map(|word| word.to_string()).collect(),
        cwd: folder.display().to_string(),
        env: BTreeMap::from([("PATH".to_string(), path), ("TERM".to_string(), "xterm".to_string())]),
        umask: None,
        size: Size::new(91, 33),
        socket: keeper_link::socket_of(folder, "a"),
        ring_bytes: keeper_link::RING_BYTES,
        isolation: keeper_link::Isolation::default(),
        tied: None,
    }
}

pub struct Agent {
    pub folder: TempDir,
    pub socket: PathBuf,
    pub ready: KeeperReady,
    pub link: Link,
    pub output: Vec<u8>,
    decoder: Decoder,
}

impl Agent {
    /// Starts a shell script under a keeper and takes over.
    pub fn start(script: &str) -> Agent {
        let folder = tempfile::tempdir().unwrap();
        let spec = spec(folder.path(), &["/bin/sh", "-c", script]);
        Agent::start_with(folder, &spec)
    }

    pub fn start_with(folder: TempDir, spec: &KeeperSpec) -> Agent {
        Agent::start_by(exe(), folder, spec)
    }

    /// The same with a program in place of the real one.
    pub fn start_by(exe: &Path, folder: TempDir, spec: &KeeperSpec) -> Agent {
        let ready = keeper_link::spawn_keeper(exe, spec, &serde_json::json!({"name": "a"})).unwrap();
        Agent::taken(folder, spec, ready)
    }

    /// Takes over from the keeper that said this.
    pub fn taken(folder: TempDir, spec: &KeeperSpec, ready: KeeperReady) -> Agent {
        let link = keeper_link::connect(&spec.socket).unwrap();
        let output = link.ring.clone();
        let decoder = Decoder::default();
        Agent { folder, socket: spec.socket.clone(), ready, link, output, decoder }
    }

    /// As a server that dies: no word, the line just closes.
    pub fn hang_up(&mut self) {
        self.link.stream = std::os::unix::net::UnixStream::pair().unwrap().0;
    }

    /// As a new server after the old one has gone without a word.
    pub fn reconnect(&mut self) {
        self.hang_up();
        self.link = keeper_link::connect(&self.socket).unwrap();
        self.decoder = Decoder::default();
        self.output.extend_from_slice(&self.link.ring);
    }

    pub fn tell(&mut self, message: &ToKeeper) {
        self.link.stream.write_all(&encode(message)).unwrap();
    }

    pub fn type_in(&mut self, text: &str) {
        assert_eq!(pty::write(&self.link.master, text.as_bytes()).unwrap(), text.len());
    }

    pub fn seen(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }

    fn tail(&self) -> String {
        let from = self.output.len().saturating_sub(1000);
        String::from_utf8_lossy(&self.output[from..]).into_owned()
    }

    /// Reads the terminal until `text` has come `times` times.
    pub fn until_times(&mut self, text: &str, times: usize) -> String {
        let until = Instant::now() + DEADLINE;
        while self.seen().matches(text).count() < times {
            // A program that never pauses must not keep the deadline away.
            let waited = self.wait(until, false) && Instant::now() < until;
            assert!(waited, "no {text:?} in {DEADLINE:?}; the end of what was seen: {:?}", self.tail());
            self.read_some();
        }
        self.seen()
    }

    pub fn until(&mut self, text: &str) -> String {
        self.until_times(text, 1)
    }

    /// The next message of the keeper; the terminal is read meanwhile. `None`: it has closed the line.
    pub fn event(&mut self) -> Option<FromKeeper> {
        let until = Instant::now() + DEADLINE;
        loop {
            if let Some(message) = self.decoder.take().unwrap() {
                return Some(message);
            }
            let waited = self.wait(until, true) && Instant::now() < until;
            assert!(waited, "no event in {DEADLINE:?}; the end of what was seen: {:?}", self.tail());
            self.read_some();
            self.link.stream.set_nonblocking(true).unwrap();
            let mut buffer = [0; 4096];
            match self.link.stream.read(&mut buffer) {
                Ok(0) => return None,
                Ok(n) => self.decoder.push(&buffer[..n]),
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(e) => panic!("the line broke: {e}"),
            }
            self.link.stream.set_nonblocking(false).unwrap();
        }
    }

    /// The exit, with whatever else was told before it.
    pub fn exit(&mut self) -> Exit {
        loop {
            match self.event() {
                Some(FromKeeper::Exited(exit)) => break self.after(exit),
                Some(_) => {}
                None => panic!("the keeper left without telling the exit"),
            }
        }
    }

    /// After the exit, what is in the terminal is all there is.
    fn after(&mut self, exit: Exit) -> Exit {
        while self.read_some() {}
        exit
    }

    /// Says goodbye and waits until the keeper has gone.
    pub fn leave(&mut self) {
        self.tell(&ToKeeper::Stop { grace_ms: 0 });
        self.tell(&ToKeeper::Leave);
        while self.event().is_some() {}
        assert!(!self.socket.exists(), "the keeper left its socket");
        wait_gone(self.ready.keeper_pid);
    }

    fn wait(&self, until: Instant, line: bool) -> bool {
        let mut fds = vec![PollFd::new(self.link.stream.as_fd(), PollFlags::POLLIN)];
        if !line {
            fds.clear();
        }
        // A terminal at its end is always readable; it is asked only while there is something to come.
        if !line || !self.at_end() {
            fds.push(PollFd::new(self.link.master.as_fd(), PollFlags::POLLIN));
        }
        let left = until.saturating_duration_since(Instant::now());
        poll(&mut fds, PollTimeout::try_from(left).unwrap()).unwrap() > 0
    }

    fn at_end(&self) -> bool {
        let mut fds = [PollFd::new(self.link.master.as_fd(), PollFlags::POLLIN)];
        poll(&mut fds, PollTimeout::ZERO).unwrap();
        let events = fds[0].revents().unwrap();
        events.contains(PollFlags::POLLHUP) && !events.contains(PollFlags::POLLIN)
    }

    /// One read; true if there was something.
    pub fn read_some(&mut self) -> bool {
        let mut buffer = [0; 4096];
        match pty::read(&self.link.master, &mut buffer).unwrap() {
            pty::Output::Bytes(n) => {
                self.output.extend_from_slice(&buffer[..n]);
                true
            }
            pty::Output::Told { .. } | pty::Output::Empty | pty::Output::End => false,
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // Only a failed test comes here with a keeper alive; it takes its agent along.
        let keeper = nix::unistd::Pid::from_raw(i32::try_from(self.ready.keeper_pid).unwrap());
        if counsel::os::proc::look(self.ready.keeper_pid).is_some() {
            let _ = nix::sys::signal::kill(keeper, nix::sys::signal::Signal::SIGTERM);
        }
    }
}

/// Waits until a process that is not ours has ended.
pub fn wait_gone(pid: u32) {
    // SAFETY: pidfd_open returns a new descriptor or -1.
    let fd = unsafe { nix::libc::syscall(nix::libc::SYS_pidfd_open, pid, 0) };
    if fd < 0 {
        return;
    }
    // SAFETY: the descriptor was just made for us.
    let fd = unsafe { OwnedFd::from_raw_fd(i32::try_from(fd).unwrap()) };
    let timeout = PollTimeout::try_from(DEADLINE).unwrap();
    let gone = poll(&mut [PollFd::new(fd.as_fd(), PollFlags::POLLIN)], timeout).unwrap();
    assert!(gone > 0, "process {pid} lives on after {DEADLINE:?} (fd {})", fd.as_raw_fd());
}
