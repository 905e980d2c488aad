//! The demonstration from outside: its scripted agents on a real PTY, and the whole story through the
//! released program.
#![allow(clippy::unwrap_used, reason = "a test may fail where its fixture does")]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use counsel::core::terminal::grid::Size;
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::screen::Screen;
use counsel::demo::truth::{self, Record};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

const COUNSEL: &str = env!("CARGO_BIN_EXE_counsel");
/// Nothing here takes longer unless it hangs.
const DEADLINE: Duration = Duration::from_secs(60);

/// A program on a PTY with a terminal that answers it.
struct Terminal {
    master: File,
    child: Child,
    screen: Screen,
}

impl Terminal {
    fn agent(role: &str, log: &Path) -> Terminal {
        let mut command = Command::new(COUNSEL);
        command.args(["demo-agent", role]).env("COUNSEL_DEMO_LOG", log).env("COUNSEL_DEMO_HURRY", "1");
        Terminal::start(command, Size::new(80, 24))
    }

    fn start(mut command: Command, of: Size) -> Terminal {
        let size = nix::pty::Winsize { ws_row: of.rows, ws_col: of.cols, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = nix::pty::openpty(Some(&size), None).unwrap();
        let slave = || Stdio::from(pty.slave.try_clone().unwrap());
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
        Terminal { master: pty.master.into(), child, screen: Screen::new(of, TerminalIdentity::default()) }
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

    /// Reads until the program has ended, which must be well and with `text` among its last words.
    fn until_end(&mut self, text: &str) {
        let deadline = Instant::now() + DEADLINE;
        let mut last = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "it did not end; it said {}", String::from_utf8_lossy(&last));
            let mut fds = [PollFd::new(self.master.as_fd(), PollFlags::POLLIN)];
            poll(&mut fds, PollTimeout::try_from(left).unwrap()).unwrap();
            let mut buffer = [0; 4096];
            match self.master.read(&mut buffer) {
                Ok(count) if count > 0 => last.extend_from_slice(&buffer[..count]),
                Ok(_) | Err(_) => break,
            }
        }
        let status = self.child.wait().unwrap();
        let last = String::from_utf8_lossy(&last);
        assert!(status.success() && last.contains(text), "{status}: {last}");
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
    let mut terminal = Terminal::agent("api", log.path());
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

/// Folders that a demonstration left in the temporary folder `temp`.
fn left_in(temp: &Path) -> Vec<String> {
    let names = std::fs::read_dir(temp).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

#[test]
fn the_story_ends_well_without_a_terminal() {
    let temp = tempfile::tempdir().unwrap();
    let began = Instant::now();
    let out = Command::new(COUNSEL).args(["demo", "--headless"]).env("TMPDIR", temp.path()).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}\n{}", String::from_utf8_lossy(&out.stderr));
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}\n{text}", began.elapsed());
    let last = text.lines().last().unwrap();
    assert!(
        last.starts_with("6 questions answered by the advisor, 1 by a person, no other byte typed"),
        "{text}"
    );
    assert_eq!(left_in(temp.path()), Vec::<String>::new());
}

/// Whom a kill meets: the process that was started, or, as `timeout -s KILL` has it, its process group.
#[derive(Debug, Clone, Copy)]
enum Met {
    Process,
    Group,
}

fn kill(child: &mut Child, met: Met) {
    let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    let killed = match met {
        Met::Process => nix::sys::signal::kill(pid, nix::sys::signal::SIGKILL),
        Met::Group => nix::sys::signal::killpg(pid, nix::sys::signal::SIGKILL),
    };
    killed.unwrap();
    child.wait().unwrap();
}

/// What was killed cleared nothing up, and its server and agents ran on for ever: above all where it was only beginning.
#[test]
fn one_that_is_killed_leaves_nothing_either_whenever_that_is() {
    let begun = ["", "counsel-demo-", "/logs", "/run/counsel.sock", "/logs/api.log"];
    for (met, begun) in [Met::Process, Met::Group].into_iter().flat_map(|met| begun.map(|begun| (met, begun)))
    {
        let temp = tempfile::tempdir().unwrap();
        let mut command = Command::new(COUNSEL);
        command.args(["demo", "--headless"]).env("TMPDIR", temp.path());
        let mut child = command.process_group(0).stdout(Stdio::piped()).spawn().unwrap();
        let deadline = Instant::now() + DEADLINE;
        // What lies there by then says how far it has come.
        while !left_in(temp.path()).iter().any(|name| {
            begun
                .strip_prefix('/')
                .map_or(name.starts_with(begun), |file| temp.path().join(name).join(file).exists())
        }) && !begun.is_empty()
        {
            assert!(Instant::now() < deadline, "no {begun}");
        }
        kill(&mut child, met);
        // Whoever clears up holds its output until that is done.
        std::io::copy(&mut child.stdout.take().unwrap(), &mut std::io::sink()).unwrap();
        assert_eq!(left_in(temp.path()), Vec::<String>::new(), "{met:?} {begun}");
        assert_eq!(processes_of(temp.path()), Vec::<String>::new(), "{met:?} {begun}");
    }
}

#[test]
fn a_dashboard_that_is_killed_leaves_nothing() {
    for met in [Met::Process, Met::Group] {
        let temp = tempfile::tempdir().unwrap();
        let mut command = Command::new(COUNSEL);
        command.arg("demo").env("TMPDIR", temp.path()).env("TERM", "xterm-256color").env_remove("TMUX");
        let mut terminal = Terminal::start(command, Size::new(140, 44));
        terminal.until("Which database should I use");
        kill(&mut terminal.child, met);
        // Nobody has the terminal open any more once all is cleared up.
        while terminal.master.read(&mut [0; 4096]).is_ok_and(|count| count > 0) {}
        assert_eq!(left_in(temp.path()), Vec::<String>::new(), "{met:?}");
        assert_eq!(processes_of(temp.path()), Vec::<String>::new(), "{met:?}");
    }
}

/// The agents ended first, and what was told was how wrong their story had gone.
#[test]
fn one_that_is_interrupted_says_no_more_and_is_130() {
    let temp = tempfile::tempdir().unwrap();
    let mut command = Command::new(COUNSEL);
    command.args(["demo", "--headless"]).env("TMPDIR", temp.path());
    let mut terminal = Terminal::start(command, Size::new(140, 44));
    terminal.until("asks advisor");
    terminal.master.write_all(b"\x03").unwrap();
    let mut said = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(count @ 1..) = terminal.master.read(&mut piece) {
        said.extend_from_slice(&piece[..count]);
    }
    let said = String::from_utf8_lossy(&said);
    assert_eq!(terminal.child.wait().unwrap().code(), Some(130), "{said}");
    assert!(!said.contains("wrong:") && !said.contains("exited"), "{said}");
    assert_eq!(left_in(temp.path()), Vec::<String>::new());
}

/// Processes that keep their files in this temporary folder.
fn processes_of(temp: &Path) -> Vec<String> {
    let mark = format!("TMPDIR={}", temp.display());
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let of_it = |pid: &String| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(of_it).collect()
}

#[test]
fn the_story_is_shown_in_the_dashboard_and_leaves_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let mut command = Command::new(COUNSEL);
    command.arg("demo").env("TMPDIR", temp.path()).env("TERM", "xterm-256color").env_remove("TMUX");
    let mut terminal = Terminal::start(command, Size::new(140, 44));
    // What happens is told, and stands still while somebody reads.
    terminal.until("F8 pauses");
    terminal.until("4 ○»advisor");
    terminal.master.write_all(b"\x1b[19~").unwrap();
    terminal.until("paused · F8 goes on");
    terminal.until("1 ‖");
    terminal.master.write_all(b"\x1b[19~").unwrap();
    // The dashboard is up, an agent has asked, and its question went to the advisor and back.
    terminal.until("Which database should I use");
    terminal.until("→ SQLite");
    terminal.until("Do you want to proceed?");
    terminal.master.write_all(b"\x01d").unwrap();
    terminal.until_end("answered");
    assert_eq!(left_in(temp.path()), Vec::<String>::new());
}
