//! The reaper of a command and all it starts, for as long as somebody wants it: `counsel reaper COMMAND…`.
//!
//! The server runs command consultants through it. What the command starts stays below this process,
//! which is its subreaper, sessions of their own and daemons included; when the command ends, or this
//! process is told to end, or the server dies, all of it is killed. It reads and writes nothing itself.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::time::Instant;

use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::tree::{self, KILL_PATIENCE, LOOK_INTERVAL};
use crate::os::generation;

/// As a shell reports a command that is not there.
const NOT_FOUND: u8 = 127;
/// As a shell reports a command ended by a signal: this and its number.
const BY_SIGNAL: i32 = 128;

pub fn reaper_main(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(program) = args.next() else { return ExitCode::from(2) };
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGCHLD, Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        signals.add(signal);
    }
    // Held from the first on, so that none is missed; a child begins with none held.
    if signals.thread_block().is_err() || !claim() {
        return ExitCode::FAILURE;
    }
    let mut command = Command::new(program);
    command.args(args).process_group(0);
    // What a consultant starts is no person, however it comes back.
    generation::start_below(&mut command);
    let Ok(child) = command.spawn() else {
        return ExitCode::from(NOT_FOUND);
    };
    let own = Pid::from_raw(child.id().cast_signed());
    let code = loop {
        if let Some(code) = reap(own) {
            break code;
        }
        match signals.wait() {
            Ok(Signal::SIGCHLD) | Err(Errno::EINTR) => {}
            Ok(signal) => break BY_SIGNAL + signal as i32,
            Err(_) => break 1,
        }
    };
    end_all();
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Becomes the parent of whatever loses its own below, and ends with the server.
fn claim() -> bool {
    #[cfg(target_os = "linux")]
    let claimed = nix::sys::prctl::set_child_subreaper(true)
        .and_then(|()| nix::sys::prctl::set_pdeathsig(Signal::SIGTERM))
        .is_ok();
    #[cfg(not(target_os = "linux"))]
    let claimed = true;
    claimed
}

/// Takes away whoever has ended; the command's own code, if it is among them.
fn reap(own: Pid) -> Option<i32> {
    let mut code = None;
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(pid, status)) if pid == own => code = Some(status),
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == own => code = Some(BY_SIGNAL + signal as i32),
            Ok(WaitStatus::StillAlive) | Err(_) => return code,
            Ok(_) => {}
        }
    }
}

fn end_all() {
    let until = Instant::now() + KILL_PATIENCE;
    while !tree::kill_below(|_| {}) && Instant::now() < until {
        std::thread::sleep(LOOK_INTERVAL);
        reap(Pid::from_raw(0));
    }
}
