//! Runs a scripted agent on the terminal it was started on: the hidden verb `demo-agent ROLE`.
//!
//! Owns the terminal's raw mode and the log file; everything it does is decided in `actor.rs`.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::time::Instant;

use crossterm::terminal;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::actor::Actor;
use super::keys::Decoder;
use super::script::Role;
use crate::core::terminal::grid::Size;

/// Where the truth goes: a folder, one file for each role.
pub const LOG: &str = "COUNSEL_DEMO_LOG";
/// Set: the story is told fast, and agents end when they are done.
pub const HURRY: &str = "COUNSEL_DEMO_HURRY";
/// Set: its terminal is not counsel's own and answers less.
pub const ELSEWHERE: &str = "COUNSEL_DEMO_ELSEWHERE";
/// How long an escape byte may wait for the rest of its sequence before it is the Esc key.
const ESCAPE_MS: u64 = 40;
/// The terminal's size is looked at this often while nothing else happens; a resize has no event here.
const LOOK_MS: u64 = 100;

/// `demo-agent ROLE`.
pub fn agent_main(role: Option<&str>) -> ExitCode {
    let Some(role) = role.and_then(Role::named) else {
        eprintln!("counsel: could not start a demo agent: the roles are api, web, docs, advisor");
        return ExitCode::from(2);
    };
    match run(role) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("counsel: could not run the demo agent: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Raw mode, undone when dropped.
struct Raw;

impl Raw {
    fn enter() -> io::Result<Raw> {
        terminal::enable_raw_mode()?;
        Ok(Raw)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = io::stdout().write_all(Actor::RESTORE.as_bytes());
        let _ = io::stdout().flush();
        let _ = terminal::disable_raw_mode();
    }
}

fn run(role: Role) -> io::Result<u8> {
    let mut log = open_log(role)?;
    let _raw = Raw::enter()?;
    let start = Instant::now();
    let now_ms = || u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut actor = Actor::new(role, size(), std::env::var_os(HURRY).is_some());
    if std::env::var_os(ELSEWHERE).is_some() {
        actor.expect_only_what_any_terminal_answers();
    }
    let mut decoder = Decoder::default();
    loop {
        let bytes = actor.frame(size());
        if !bytes.is_empty() {
            io::stdout().write_all(bytes.as_bytes())?;
            io::stdout().flush()?;
        }
        for record in actor.take_records() {
            let line = serde_json::to_string(&record).map_err(io::Error::other)?;
            if let Some(log) = &mut log {
                writeln!(log, "{line}")?;
            }
        }
        if let Some(code) = actor.over() {
            return Ok(code);
        }
        let deadline = actor.next_wake().unwrap_or(u64::MAX).min(now_ms() + LOOK_MS);
        let deadline = if decoder.waits() { deadline.min(now_ms() + ESCAPE_MS) } else { deadline };
        let tokens = match wait(deadline.saturating_sub(now_ms()))? {
            Heard::Bytes(bytes) => decoder.push(&bytes),
            Heard::Nothing => decoder.flush(),
            Heard::HungUp => return Ok(0),
        };
        if tokens.is_empty() {
            actor.tick(now_ms());
        } else {
            actor.hear(&tokens, now_ms());
        }
    }
}

enum Heard {
    Bytes(Vec<u8>),
    Nothing,
    HungUp,
}

/// Waits for input, at most so long. One read is one batch: the dialogs' traps depend on it.
fn wait(ms: u64) -> io::Result<Heard> {
    let stdin = io::stdin();
    let mut fds = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
    let timeout = PollTimeout::try_from(ms.min(LOOK_MS)).unwrap_or(PollTimeout::ZERO);
    match poll(&mut fds, timeout) {
        Ok(0) | Err(nix::errno::Errno::EINTR) => return Ok(Heard::Nothing),
        Ok(_) => {}
        Err(error) => return Err(error.into()),
    }
    let mut buffer = [0; 4096];
    // Past the buffer of `Stdin`, which would keep bytes that poll then knows nothing of.
    let mut input = File::from(stdin.as_fd().try_clone_to_owned()?);
    match input.read(&mut buffer) {
        Ok(0) => Ok(Heard::HungUp),
        Ok(count) => Ok(Heard::Bytes(buffer[..count].to_vec())),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Heard::Nothing),
        // The PTY's other end is closed.
        Err(error) if error.raw_os_error() == Some(nix::libc::EIO) => Ok(Heard::HungUp),
        Err(error) => Err(error),
    }
}

fn size() -> Size {
    terminal::size().map_or(Size::FALLBACK, |(cols, rows)| Size::new(cols, rows)).clamped()
}

fn open_log(role: Role) -> io::Result<Option<File>> {
    let Some(folder) = std::env::var_os(LOG) else { return Ok(None) };
    let path = std::path::Path::new(&folder).join(format!("{}.log", role.name()));
    OpenOptions::new().create(true).append(true).open(path).map(Some)
}
