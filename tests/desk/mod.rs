//! A server's world of its own for tests, and a person's terminal in it.
//!
//! Every wait is for an event and has a deadline; whatever was started is gone when the world is dropped.
#![allow(dead_code, reason = "each test file uses its part of it")]

use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use counsel::core::terminal::grid::Size;
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::screen::Screen;
use counsel::os::pty;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{Termios, tcgetattr};
use nix::unistd::Pid;

/// Whatever takes longer on a loaded machine hangs.
pub const DEADLINE: Duration = Duration::from_secs(90);

/// A server's folders, and the way to run commands there.
pub struct World {
    pub root: tempfile::TempDir,
}

/// What a command came to.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl World {
    pub fn new() -> World {
        let root = tempfile::Builder::new().prefix("wld").tempdir().unwrap();
        for folder in ["run", "state", "home", "home/.config", "home/.config/counsel", "work"] {
            std::fs::DirBuilder::new().mode(0o700).create(root.path().join(folder)).unwrap();
        }
        World { root }
    }

    /// One whose server and person have this configuration.
    pub fn with_config(text: &str) -> World {
        let world = World::new();
        std::fs::write(world.path("home/.config/counsel/config.toml"), text).unwrap();
        world
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_counsel"));
        command.current_dir(self.path("work")).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.path("home"));
        command.env("COUNSEL_RUNTIME_DIR", self.path("run")).env("COUNSEL_STATE_DIR", self.path("state"));
        command.env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        command
    }

    pub fn run(&self, args: &[&str]) -> Done {
        finish(self.command().args(args))
    }

    pub fn ok(&self, args: &[&str]) -> String {
        let done = self.run(args);
        assert_eq!(done.code, 0, "{args:?}: {done:?}");
        done.out
    }

    /// An agent that is a shell script.
    pub fn script(&self, name: &str, script: &str) {
        self.ok(&["start", name, "--", "sh", "-c", script]);
    }

    /// What `ls` says of an agent.
    pub fn agent(&self, name: &str) -> serde_json::Value {
        let list = self.ok(&["ls", "--json"]);
        let lines = list.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.into_iter().find(|agent| agent["name"] == name).unwrap_or_else(|| panic!("no {name}: {list}"))
    }

    /// Reads an agent's output from a cursor until it holds these words.
    pub fn read_until(&self, name: &str, words: &str) -> String {
        let until = Instant::now() + DEADLINE;
        let (mut cursor, mut seen) = (0, String::new());
        loop {
            let args = ["read", name, "--json", "--since", &format!("{cursor}"), "--wait", "5000"];
            let done: serde_json::Value = serde_json::from_str(&self.ok(&args)).unwrap();
            seen.push_str(done["text"].as_str().unwrap());
            cursor = done["cursor"].as_u64().unwrap();
            if seen.contains(words) {
                return seen;
            }
            assert!(Instant::now() < until, "{words:?} did not come: {seen:?}");
        }
    }

    pub fn server_pid(&self) -> Pid {
        let out = self.ok(&["server"]);
        let pid = out.split("pid ").nth(1).and_then(|rest| rest.trim_end_matches([')', '\n']).parse().ok());
        Pid::from_raw(pid.unwrap())
    }

    /// A person's terminal of this size that runs a command.
    pub fn terminal(&self, size: Size, args: &[&str]) -> Terminal {
        Terminal::open(self.command().args(args), size)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = finish(self.command().args(["down", "--grace", "0"]));
    }
}

/// Runs to the end, or fails at the deadline.
pub fn finish(command: &mut Command) -> Done {
    let shown = format!("{command:?}");
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let Output { status, stdout, stderr } =
        receiver.recv_timeout(DEADLINE).unwrap_or_else(|_| panic!("{shown} took too long")).unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { code: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr) }
}

/// A terminal with a person before it: an emulator that answers what it is asked.
pub struct Terminal {
    master: OwnedFd,
    slave: OwnedFd,
    before: Termios,
    pub screen: Screen,
    /// It answers nothing that it is asked, as a slow line or a plain terminal.
    pub mute: bool,
    /// Everything that came, for what no cell shows.
    came: Vec<u8>,
    pub child: Child,
}

impl Terminal {
    pub fn open(command: &mut Command, size: Size) -> Terminal {
        let pty::Pair { master, slave } = pty::open(size).unwrap();
        let before = tcgetattr(&slave).unwrap();
        for end in [0, 1, 2] {
            let copy = Stdio::from(slave.try_clone().unwrap());
            match end {
                0 => command.stdin(copy),
                1 => command.stdout(copy),
                _ => command.stderr(copy),
            };
        }
        // SAFETY: both calls are async-signal-safe.
        let command = unsafe {
            command.pre_exec(|| {
                libc::setsid();
                libc::ioctl(0, libc::TIOCSCTTY, 0);
                Ok(())
            })
        };
        let child = command.spawn().unwrap();
        Terminal {
            master,
            slave,
            before,
            screen: Screen::new(size, TerminalIdentity::default()),
            mute: false,
            came: Vec::new(),
            child,
        }
    }

    pub fn text(&self) -> String {
        self.screen.grid().text()
    }

    /// Takes what there is to show; `false` if nothing came in time.
    fn take(&mut self, wait: Duration) -> bool {
        let mut fds = [PollFd::new(self.master.as_fd(), PollFlags::POLLIN)];
        if poll(&mut fds, PollTimeout::try_from(wait).unwrap()).unwrap() == 0 {
            return false;
        }
        let mut buffer = [0; 16 * 1024];
        let n = match pty::read(&self.master, &mut buffer).unwrap() {
            pty::Output::Bytes(n) => n,
            pty::Output::Told { .. } | pty::Output::Empty | pty::Output::End => return false,
        };
        self.came.extend(&buffer[..n]);
        let replies = self.screen.feed(&buffer[..n]).replies;
        if !self.mute {
            self.types(&replies);
        }
        true
    }

    pub fn types(&mut self, bytes: &[u8]) {
        std::fs::File::from(self.master.try_clone().unwrap()).write_all(bytes).unwrap();
    }

    pub fn until(&mut self, what: &str, seen: impl Fn(&Screen) -> bool) {
        let until = Instant::now() + DEADLINE;
        while !seen(&self.screen) {
            assert!(Instant::now() < until, "no {what} on the screen:\n{}", self.text());
            self.take(Duration::from_millis(500));
        }
    }

    pub fn until_text(&mut self, words: &str) {
        self.until(words, |screen| screen.grid().text().contains(words));
    }

    pub fn until_bytes(&mut self, bytes: &[u8]) {
        let until = Instant::now() + DEADLINE;
        while !self.came.windows(bytes.len()).any(|some| some == bytes) {
            let wanted = String::from_utf8_lossy(bytes);
            assert!(Instant::now() < until, "{wanted:?} did not come:\n{}", self.text());
            self.take(Duration::from_millis(500));
        }
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().cast_signed()), signal).unwrap();
    }

    /// Waits for the command to end, and finds the terminal as it was before.
    pub fn ends(&mut self) -> ExitStatus {
        let until = Instant::now() + DEADLINE;
        let status = loop {
            self.take(Duration::from_millis(20));
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < until, "it goes on:\n{}", self.text());
        };
        while self.take(Duration::ZERO) {}
        assert_eq!(tcgetattr(&self.slave).unwrap(), self.before, "the line is as it was");
        let modes = self.screen.modes();
        let plain = counsel::core::terminal::modes::Modes {
            alternate_scroll: modes.alternate_scroll,
            ..Default::default()
        };
        assert_eq!(modes, plain, "{}", self.text());
        assert!(self.screen.grid().cursor.visible);
        status
    }

    /// The window is closed, or the line to it is cut; the status of whatever ran there.
    pub fn hangs_up(&mut self) -> ExitStatus {
        let nothing = std::fs::File::open("/dev/null").unwrap();
        drop(std::mem::replace(&mut self.master, nothing.into()));
        let until = Instant::now() + DEADLINE;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            std::thread::yield_now();
        }
        panic!("it goes on without a terminal");
    }

    pub fn resize(&mut self, size: Size) {
        self.screen.resize(size);
        pty::resize(&self.master, size).unwrap();
    }

    pub fn raw_fd(&self) -> i32 {
        self.master.as_raw_fd()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
