//! The foreground group of a terminal, process by process and thread by thread.
//!
//! `os/tty_witness.rs` calls it. The group is found in the tree below the terminal's session, which takes
//! microseconds where all of `/proc` takes milliseconds; one process that reads is enough, and the search ends.

use std::collections::VecDeque;
use std::fs;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::libc;
use nix::sys::termios::tcgetattr;
use nix::unistd::tcgetpgrp;

use super::background;
use super::blocked::{self, Doing, Tty};
use super::processes::{MAX_PROCESSES, Stat, children, stat, threads};
use crate::core::detect::witness::{Blind, Reader, Wait};
use crate::os::proc;

/// Programs that hand on what they read to where it cannot be seen, by their names, cut to 15 as the kernel does.
/// Those that do so through a terminal of their own are found by that.
const RELAYS: [&str; 15] = [
    "ssh",
    "mosh-client",
    "et",
    "telnet",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "oc",
    "lxc",
    "machinectl",
    "tmux: client",
    "screen",
    "abduco",
    "dtach",
];

/// Who reads the terminal of which this is the master.
pub fn look(master: &impl AsFd) -> Reader {
    let Ok(group) = tcgetpgrp(master) else { return Reader::Unknown(Blind::NoForeground) };
    let Some(tty) = of_master(master) else { return Reader::Unknown(Blind::Unsupported) };
    // SAFETY: tcgetsid reads a number from an open descriptor.
    let leader = unsafe { libc::tcgetsid(master.as_fd().as_raw_fd()) };
    let canonical = tcgetattr(master).is_ok_and(|termios| super::modes(&termios).0);
    match (u32::try_from(group.as_raw()), u32::try_from(leader)) {
        (Ok(group), Ok(leader)) if group > 0 => reader(group, leader, tty, canonical),
        _ => Reader::Unknown(Blind::NoForeground),
    }
}

/// The same by path and session leader, with the flags.
pub fn look_at_pane(path: &Path, leader: u32) -> (Option<(bool, bool)>, Reader) {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = fs::OpenOptions::new();
    options.read(true).custom_flags(libc::O_NOCTTY | libc::O_NONBLOCK);
    let Ok(file) = options.open(path) else { return (None, Reader::Unknown(Blind::NoForeground)) };
    let flags = super::flags(&file);
    let foreground =
        stat(leader).and_then(|stat| u32::try_from(stat.foreground).ok()).filter(|group| *group > 0);
    let (Some(group), Ok(meta)) = (foreground, file.metadata()) else {
        return (flags, Reader::Unknown(Blind::NoForeground));
    };
    let tty = Tty { filesystem: meta.dev(), device: meta.rdev() };
    let canonical = flags.is_some_and(|(canonical, _)| canonical);
    (flags, reader(group, leader, tty, canonical))
}

pub fn of_master(master: &impl AsFd) -> Option<Tty> {
    let mut name = [0_u8; 64];
    let fd = master.as_fd().as_raw_fd();
    // SAFETY: the buffer is as long as said, and written to by this call alone.
    let failed = unsafe { libc::ptsname_r(fd, name.as_mut_ptr().cast(), name.len()) } != 0;
    if failed {
        return None;
    }
    let name = std::ffi::CStr::from_bytes_until_nul(&name).ok()?.to_str().ok()?;
    let meta = fs::metadata(name).ok()?;
    Some(Tty { filesystem: meta.dev(), device: meta.rdev() })
}

/// Looks at the members of the group until one reads.
fn reader(group: u32, leader: u32, tty: Tty, canonical: bool) -> Reader {
    if !Path::new("/proc/self/stat").exists() {
        return Reader::Unknown(Blind::Unsupported);
    }
    let mut best = Reader::Nobody;
    // The group's own leader is most often who reads; then all the session's tree.
    let mut queue = VecDeque::from([group, leader]);
    let mut seen: Vec<u32> = Vec::new();
    while let Some(pid) = queue.pop_front() {
        if seen.contains(&pid) {
            continue;
        }
        if seen.len() >= MAX_PROCESSES {
            return Reader::Unknown(Blind::TooMany);
        }
        seen.push(pid);
        let Some(stat) = stat(pid) else { continue };
        let awake = !matches!(stat.state, b'Z' | b'X' | b'T' | b't');
        if stat.group == group && awake {
            match of_process(pid, &stat, tty, canonical) {
                found @ Reader::Reading(_) => {
                    let shared = background::who_else(group, leader, pid, tty);
                    return shared.map_or(found, |program| Reader::Unknown(Blind::Shared { program }));
                }
                found @ Reader::Unknown(Blind::Relayed { .. }) => return found,
                Reader::Nobody => {}
                // What may not be looked at hides more than what may be reading.
                found @ Reader::Unknown(_) => best = found,
                found @ Reader::MayRead { .. } if best == Reader::Nobody => best = found,
                Reader::MayRead { .. } => {}
            }
        }
        if pid == group && stat.parent != leader {
            // Its siblings are the rest of a pipeline; the way down from the session may be long.
            queue.push_back(stat.parent);
        }
        match children(pid) {
            Some(below) => queue.extend(below),
            None => return Reader::Unknown(Blind::Unsupported),
        }
    }
    best
}

fn of_process(pid: u32, stat: &Stat, tty: Tty, canonical: bool) -> Reader {
    let program = || stat.program.clone();
    let mut best = Reader::Nobody;
    for thread in threads(pid) {
        match blocked::doing(pid, thread, tty) {
            Doing::Reads { place, blocking } => {
                // In raw mode the keys go wherever the program sends them. Line by line it asks for itself.
                if !canonical && (RELAYS.contains(&stat.program.as_str()) || blocked::holds_a_master(pid)) {
                    return Reader::Unknown(Blind::Relayed { program: program() });
                }
                // Key by key, each read may be another call into another buffer: it is the same wait all the same.
                let place = if blocking && !canonical { u64::from(thread) } else { place };
                let (started, blocking) = (stat.started, blocking && canonical);
                let (sleeps, handles) = if blocking { status(pid, thread) } else { (0, false) };
                return Reader::Reading(Wait {
                    pid,
                    thread,
                    started,
                    program: program(),
                    place,
                    sleeps,
                    blocking,
                    handles,
                });
            }
            Doing::MayRead if best == Reader::Nobody => best = Reader::MayRead { program: program() },
            Doing::MayRead | Doing::Else => {}
            Doing::Denied => best = Reader::Unknown(Blind::Denied { program: program() }),
        }
    }
    best
}

/// Signals whose handlers ask no question: faults of the program itself, what ends it, and a child's end, which every
/// shell handles.
const QUIET_SIGNALS: [i32; 12] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGSEGV,
    libc::SIGPIPE,
    libc::SIGTERM,
    libc::SIGCHLD,
];

/// How often the thread went to sleep, and whether it handles other signals than those: from its `status`.
pub(super) fn status(pid: u32, thread: u32) -> (u64, bool) {
    let text = proc::read(format!("/proc/{pid}/task/{thread}/status")).unwrap_or_default();
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let sleeps = field("voluntary_ctxt_switches:").and_then(|count| count.parse().ok()).unwrap_or(0);
    // What cannot be read may handle anything.
    let caught = field("SigCgt:").and_then(|mask| u64::from_str_radix(mask, 16).ok()).unwrap_or(u64::MAX);
    let quiet = QUIET_SIGNALS.iter().fold(0_u64, |mask, signal| mask | 1 << (signal - 1));
    (sleeps, caught & !quiet != 0)
}
