//! What runs: the process table, the tree below a process, and signals that never hit a reused pid.
//!
//! The keeper asks for its agent's tree, the server for ancestry and memory. Linux tells through `/proc`;
//! elsewhere the tables are empty and callers fall back to process groups.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use nix::unistd::Pid;

/// More than any file of a process that is read often is long.
const SMALL_FILE: usize = 4096;
/// More of one is not read: an agent's own files there (what it polls, its command line) are as long as it likes.
const LARGEST_FILE: u64 = 256 * 1024;
/// Processes behind the one that was begun last that are looked at in a chase: a dozen lines that each begin one or two.
const CHASED: u32 = 24;
/// Looks in a chase: some milliseconds, within which the rest of the tree is left alone.
const CHASES: u32 = 50;
/// Looks in a row at which nobody was met that end a chase: one may come in the moment in which somebody begins and ends.
const CHASE_MISSES: u32 = 5;
/// Parents between one that was just begun and one that is known: a shell, `setsid`, and what they start.
const CHASE_DEPTH: usize = 4;

/// One process as it was when looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    pub parent: u32,
    pub group: u32,
    pub session: u32,
    /// The kernel's letter: `R`unning, `S`leeping, s`T`opped, `Z`ombie…
    pub state: char,
    /// Clock ticks after boot; with the pid this names a process for ever.
    pub started: u64,
    pub resident_kib: u64,
}

impl Process {
    /// It has ended and waits to be reaped, or is just being taken away.
    pub fn is_dead(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x')
    }

    /// Stopped by a signal, or held by a tracer.
    pub fn is_stopped(&self) -> bool {
        matches!(self.state, 'T' | 't')
    }
}

/// Which permissions files that this process makes do not get. The call that tells it would change it, for all threads.
pub fn own_umask() -> Option<u32> {
    let status = read("/proc/self/status".to_owned()).ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"))?;
    u32::from_str_radix(mask.trim(), 8).ok()
}

/// A file of `/proc`. They tell no size, and one that is read without a guess at it is read in a dozen steps. A
/// process names itself as it likes: what is no UTF-8 in it is replaced, so that no name hides a process.
pub fn read(path: String) -> io::Result<String> {
    let mut bytes = Vec::with_capacity(SMALL_FILE);
    File::open(path)?.take(LARGEST_FILE).read_to_end(&mut bytes)?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// One process, if it is there.
pub fn look(pid: u32) -> Option<Process> {
    let stat = read(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(&stat)
}

/// A process's command line; empty if it has ended, or where there is no `/proc`.
pub fn arguments(pid: u32) -> Vec<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = line.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// Everything that runs here; empty where there is no `/proc`.
pub fn table() -> Vec<Process> {
    running().collect()
}

/// What runs here, each as it is when its turn comes: whoever is started meanwhile comes behind the others, until the
/// pids begin anew.
fn running() -> impl Iterator<Item = Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(look)
}

/// Meets what lives below `root`, each process at the moment it is found: one that replaces itself every millisecond has
/// done so before a whole tree could be collected. Whoever begins meanwhile may be passed over, so what was met is all
/// there was only if nobody was met.
pub fn meet_below(root: u32, meet: impl FnMut(&Process)) {
    meet_all(Some(root), None, meet);
}

/// The same where there is a root, and whatever was started with this in its environment (`NAME=value`), wherever it is, with
/// all below it.
pub fn meet_all(root: Option<u32>, entry: Option<&str>, mut meet: impl FnMut(&Process)) {
    let belongs = |process: &Process| {
        root == Some(process.session) || entry.is_some_and(|entry| was_started_with(process.pid, entry))
    };
    let mut tree: HashSet<u32> = root.into_iter().collect();
    for process in running() {
        if Some(process.pid) != root && (tree.contains(&process.parent) || belongs(&process)) {
            tree.insert(process.pid);
            if !process.is_dead() {
                meet(&process);
            }
        }
    }
    // By its environment one is found that no tree leads to.
    if tree.iter().any(|pid| Some(*pid) != root) || entry.is_some() {
        chase(&tree, root, belongs, meet);
    }
}

/// Meets those that were begun last, for as long as there are some: by the time the table has been read to its end, a
/// process at its beginning has been replaced.
fn chase(
    tree: &HashSet<u32>,
    root: Option<u32>,
    belongs: impl Fn(&Process) -> bool,
    mut meet: impl FnMut(&Process),
) {
    let is_below = |process: &Process| {
        let mut line =
            std::iter::successors(Some(*process), |process| look(process.parent)).take(CHASE_DEPTH);
        Some(process.pid) != root && line.any(|above| tree.contains(&above.parent) || belongs(&above))
    };
    let mut missed = 0;
    for _ in 0..CHASES {
        let Some(newest) = newest() else { return };
        // The latest first, while it is there.
        let begun = (newest.saturating_sub(CHASED)..=newest).rev().filter_map(look);
        let mut found = false;
        for process in begun.filter(|process| !process.is_dead()).filter(is_below) {
            meet(&process);
            found = true;
        }
        missed = if found { 0 } else { missed + 1 };
        if missed == CHASE_MISSES {
            return;
        }
    }
}

/// The pid that was given last.
fn newest() -> Option<u32> {
    read("/proc/loadavg".to_owned()).ok()?.split_whitespace().last()?.parse().ok()
}

/// `pid (name) S ppid pgrp session …`; the name may hold blanks and brackets.
pub(super) fn parse_stat(stat: &str) -> Option<Process> {
    let pid = stat.split(' ').next()?.parse().ok()?;
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_whitespace().collect();
    // Fields are numbered from 1 in proc(5); the state, field 3, is the first after the name.
    let field = |number: usize| fields.get(number - 3).copied();
    let pages: u64 = field(24)?.parse().ok()?;
    Some(Process {
        pid,
        state: field(3)?.chars().next()?,
        parent: field(4)?.parse().ok()?,
        group: field(5)?.parse().ok()?,
        session: field(6)?.parse().ok()?,
        started: field(22)?.parse().ok()?,
        resident_kib: pages * page_kib(),
    })
}

fn page_kib() -> u64 {
    // SAFETY: sysconf only reads a constant of the system.
    let bytes = unsafe { nix::libc::sysconf(nix::libc::_SC_PAGESIZE) };
    u64::try_from(bytes).unwrap_or(4096) / 1024
}

/// Whatever was started with this in its environment (`NAME=value`), as far as its owner lets us look.
pub fn bearing(entry: &str) -> Vec<Process> {
    let bears = |process: &Process| was_started_with(process.pid, entry);
    table().into_iter().filter(|process| !process.is_dead()).filter(bears).collect()
}

/// Whoever works in this folder and was started with a variable of that name, and its value there; as far as its owner lets us
/// look.
pub fn working_in(folder: &Path, variable: &str) -> Option<(u32, String)> {
    let folder = std::fs::canonicalize(folder).ok()?;
    running().filter(|process| !process.is_dead()).find_map(|process| {
        let cwd = std::fs::read_link(format!("/proc/{}/cwd", process.pid)).ok()?;
        let environment = cwd.starts_with(&folder).then(|| environment(process.pid))?;
        let value = environment.iter().find_map(|entry| entry.strip_prefix(variable)?.strip_prefix('='))?;
        Some((process.pid, value.to_owned()))
    })
}

fn environment(pid: u32) -> Vec<String> {
    let entries = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    entries.split(|byte| *byte == 0).map(|entry| String::from_utf8_lossy(entry).into_owned()).collect()
}

fn was_started_with(pid: u32, entry: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|it| it == entry.as_bytes())
}

/// Everything below `root`, parents before their children, without `root`, without the dead. Processes
/// of the session that `root` leads count too; those that left it stay below `root` as long as it is
/// their subreaper.
pub fn tree(root: u32) -> Vec<Process> {
    tree_of(&table(), root)
}

fn tree_of(table: &[Process], root: u32) -> Vec<Process> {
    let mut children: HashMap<u32, Vec<&Process>> = HashMap::new();
    for process in table {
        children.entry(process.parent).or_default().push(process);
    }
    let mut seen = HashSet::from([root]);
    let mut order: Vec<Process> = Vec::new();
    let strays = table.iter().filter(|process| process.session == root);
    let mut queue: Vec<&Process> = children.get(&root).into_iter().flatten().copied().collect();
    queue.extend(strays);
    let mut at = 0;
    while at < queue.len() {
        let process = queue[at];
        at += 1;
        if seen.insert(process.pid) {
            order.push(*process);
            queue.extend(children.get(&process.pid).into_iter().flatten().copied());
        }
    }
    order.retain(|process| !process.is_dead());
    // A stray may have come before its parent.
    let depth = |process: &Process| depth_of(table, process.pid, root);
    order.sort_by_cached_key(depth);
    order
}

fn depth_of(table: &[Process], pid: u32, root: u32) -> usize {
    let parent = |pid: u32| table.iter().find(|process| process.pid == pid).map(|process| process.parent);
    let line = std::iter::successors(Some(pid), |pid| parent(*pid).filter(|up| *up != *pid && *up != 0));
    line.take_while(|pid| *pid != root).count()
}

/// Whether `pid` is `ancestor` or runs below it: how a client on the socket is known to be an agent's.
pub fn is_within(pid: u32, ancestor: u32) -> bool {
    let line = std::iter::successors(Some(pid), |pid| look(*pid).map(|process| process.parent));
    line.take_while(|pid| *pid != 0).any(|pid| pid == ancestor)
}

/// Resident memory of `root` and everything below it.
pub fn tree_resident_kib(root: u32) -> u64 {
    let table = table();
    let own = table.iter().filter(|process| process.pid == root).map(|process| process.resident_kib);
    own.chain(tree_of(&table, root).iter().map(|process| process.resident_kib)).sum()
}

/// Whether a process ignores a signal, so that sending it would be for nothing.
pub fn ignores(pid: u32, signal: Signal) -> bool {
    has_in_mask(pid, "SigIgn:", signal)
}

/// Whether a process has a handler for a signal, so that sending it ends nobody by itself.
pub fn catches(pid: u32, signal: Signal) -> bool {
    has_in_mask(pid, "SigCgt:", signal)
}

fn has_in_mask(pid: u32, mask: &str, signal: Signal) -> bool {
    let status = read(format!("/proc/{pid}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix(mask));
    let mask = mask.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (signal as u32 - 1)) != 0
}

/// Asks a process to end, and lets it: nothing here ends one that has chosen to go on for a while.
pub fn ask_to_end(process: &Process) {
    // One that has ended meanwhile is as wanted.
    let _ = send(process, Signal::SIGTERM);
    // An interactive shell ignores TERM but saves its history on HUP. Who does not catch that one would die of it.
    if ignores(process.pid, Signal::SIGTERM) && catches(process.pid, Signal::SIGHUP) {
        let _ = send(process, Signal::SIGHUP);
    }
}

/// Keeps other processes of this user out of this one's memory, descriptors and environment: they could take
/// a terminal from a keeper, or the connection of a person. Programs it starts are open again.
pub fn close_to_others() -> nix::Result<()> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_dumpable(false)?;
    Ok(())
}

/// Sends a signal to exactly that process; one that has ended meanwhile gets nothing, and neither does
/// whoever has its pid now.
pub fn send(process: &Process, signal: Signal) -> nix::Result<()> {
    #[cfg(target_os = "linux")]
    match handle(process.pid) {
        Ok(handle) => {
            let same = look(process.pid).is_some_and(|now| now.started == process.started);
            return if same { send_by_handle(&handle, signal) } else { Err(Errno::ESRCH) };
        }
        // A kernel before 5.3: the check and the signal are then two steps.
        Err(Errno::ENOSYS) => {}
        Err(e) => return Err(e),
    }
    let pid = i32::try_from(process.pid).map_err(|_| Errno::ESRCH)?;
    if look(process.pid).is_some_and(|now| now.started != process.started) {
        return Err(Errno::ESRCH);
    }
    nix::sys::signal::kill(Pid::from_raw(pid), signal)
}

/// Signals the process group of a process, by a name such as `TERM`; not that of a reused pid.
pub fn signal_group_of(process: &Process, name: &str) -> bool {
    let Ok(signal) = format!("SIG{name}").parse::<Signal>() else { return false };
    let Some(now) = look(process.pid).filter(|now| now.started == process.started) else { return false };
    i32::try_from(now.group).is_ok_and(|group| nix::sys::signal::killpg(Pid::from_raw(group), signal).is_ok())
}

/// A descriptor that can be read once exactly that process has ended.
pub fn end_of(process: &Process) -> Option<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        let handle = handle(process.pid).ok()?;
        look(process.pid).filter(|now| now.started == process.started).map(|_| handle)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = process;
        None
    }
}

/// Whether one of these processes has ended. What cannot be asked is not alive.
pub(super) fn any_ended(handles: &[OwnedFd]) -> bool {
    let mut fds: Vec<PollFd> =
        handles.iter().map(|handle| PollFd::new(handle.as_fd(), PollFlags::POLLIN)).collect();
    loop {
        match poll(&mut fds, PollTimeout::ZERO) {
            // A signal interrupts also a poll that does not wait: a keeper gets one whenever a child of its ends.
            Err(Errno::EINTR) => {}
            Ok(0) => return false,
            Ok(_) | Err(_) => return true,
        }
    }
}

#[cfg(target_os = "linux")]
pub(super) fn handle(pid: u32) -> nix::Result<OwnedFd> {
    use std::os::fd::FromRawFd;
    // SAFETY: pidfd_open takes a pid and flags, and returns a new descriptor or -1.
    let fd = Errno::result(unsafe { nix::libc::syscall(nix::libc::SYS_pidfd_open, pid, 0) })?;
    let fd = i32::try_from(fd).map_err(|_| Errno::EBADF)?;
    // SAFETY: the descriptor was just returned to us and nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Nothing stands for a process here but its pid.
#[cfg(not(target_os = "linux"))]
pub(super) fn handle(_pid: u32) -> nix::Result<OwnedFd> {
    Err(Errno::ENOSYS)
}

#[cfg(target_os = "linux")]
fn send_by_handle(handle: &OwnedFd, signal: Signal) -> nix::Result<()> {
    use std::os::fd::AsRawFd;
    let none = std::ptr::null::<nix::libc::siginfo_t>();
    // SAFETY: the descriptor is an open pidfd; a null siginfo means an ordinary kill.
    let sent = unsafe {
        nix::libc::syscall(nix::libc::SYS_pidfd_send_signal, handle.as_raw_fd(), signal as i32, none, 0)
    };
    Errno::result(sent).map(drop)
}

#[cfg(test)]
#[path = "proc_tests.rs"]
mod tests;
