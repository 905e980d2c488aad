//! The demonstration from outside: its scripted agents on a real PTY, and the whole story through the
//! released program.
#![allow(clippy::unwrap_used, reason = "a test may fail where its fixture does")]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use counsel::core::grid::Size;
use counsel::core::probes::Personality;
use counsel::core::screen::Screen;
use counsel::demo::truth::{self, Record};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

const COUNSEL: &str = env!("CARGO_BIN_EXE_counsel");
/// Nothing here takes longer unless it hangs.
const DEADLINE: Duration = Duration::from_secs(20);

/// A program on a PTY with a terminal that answers it.
struct Terminal {
    master: File,
    child: Child,
    screen: Screen,
}

impl Terminal {
    fn start(role: &str, log: &std::path::Path) -> Terminal {
        let size = nix::pty::Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = nix::pty::openpty(Some(&size), None).unwrap();
        let slave = || Stdio::from(pty.slave.try_clone().unwrap());
        let mut command = Command::new(COUNSEL);
        command.args(["demo-agent", role]).env("COUNSEL_DEMO_LOG", log).env("COUNSEL_DEMO_HURRY", "1");
        command.stdin(slave()).stdout(slave()).stderr(slave());
        // SAFETY: both calls are async-signal-safe.
        unsafe {
            command.pre_exec(|| {
                nix::unistd::setsid()?;
                if nix::libc::ioctl(0, nix::libc::TIOCSCTTY, 0) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
                Ok(())
            });
        }
        let child = command.spawn().unwrap();
        Terminal {
            master: pty.master.into(),
            child,
            screen: Screen::new(Size::new(80, 24), Personality::default()),
        }
    }

    /// Reads and answers until the screen holds `text`, or the program has ended.
    fn until(&mut self, text: &str) {
        let deadline = Instant::now() + DEADLINE;
        while !self.screen.grid().text().contains(text) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "no {text:?} on\n{}", self.screen.grid().text());
            let mut fds = [PollFd::new(self.master.as_fd(), PollFlags::POLLIN)];
            poll(&mut fds, PollTimeout::try_from(left).unwrap()).unwrap();
            let mut buffer = [0; 4096];
            let count = self.master.read(&mut buffer).unwrap_or_else(|_| {
                panic!("the program ended without {text:?} on\n{}", self.screen.grid().text())
            });
            let replies = self.screen.feed(&buffer[..count]).replies;
            self.master.write_all(&replies).unwrap();
        }
    }

    /// One key, once the dialog hears again.
    fn key(&mut self, bytes: &str) {
        // The dialog drops keys for 140 ms after it is drawn and says nothing when that is over.
        std::thread::sleep(Duration::from_millis(250));
        self.master.write_all(bytes.as_bytes()).unwrap();
    }
}

#[test]
fn a_scripted_agent_probes_its_pty_asks_and_tells_the_truth() {
    let log = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::start("api", log.path());
    terminal.until("❯ 1. PostgreSQL");
    terminal.key("\x1b[B");
    terminal.until("❯ 2. SQLite");
    terminal.key("\r");
    terminal.until("Do you want to proceed?");
    terminal.key("1");
    terminal.until("done: 2 questions answered");
    let status = terminal.child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    let records = truth::read(&std::fs::read_to_string(log.path().join("api.log")).unwrap());
    let heard: Vec<String> = records
        .iter()
        .filter_map(|record| match record {
            Record::Heard { bytes, did, .. } if *did != truth::Did::Reply => Some(format!("{bytes} {did:?}")),
            _ => None,
        })
        .collect();
    assert_eq!(heard, ["\\x1b[B Moved", "\\r Answered", "1 Answered"]);
    assert!(matches!(records.last(), Some(Record::End { .. })));
}
