//! What one sleeping thread waits for, by its system call: the terminal, perhaps the terminal, or something else.
//!
//! `os/tty_witness.rs` asks for every thread of the foreground group. All numbers are those of the running
//! processor; where they are not known nothing is concluded. Sources: proc(5), and the kernel's `fs/proc/array.c`
//! and `fs/eventpoll.c` for the formats of `syscall`, `wchan` and `fdinfo`.

use std::fs;
use std::io::IoSliceMut;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use nix::libc::{self, c_long};
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;

use super::processes::{may_ask, threads};
use crate::os::proc;

/// The terminal looked for, by device.
#[derive(Debug, Clone, Copy)]
pub struct Tty {
    /// Its session's leader. `/dev/tty` is this terminal to who belongs to that session.
    pub session: u32,
    /// Device of the file system the terminal's file is in: each container may have a `/dev/pts` of its own.
    pub filesystem: u64,
    pub device: u64,
}

/// What a thread does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doing {
    /// It sleeps until the terminal has input. `alone`: for nothing else, and for ever.
    Reads { place: u64, blocking: bool, alone: bool },
    /// It sleeps in something that may be the terminal's input.
    MayRead,
    /// It runs, or waits for something else.
    Else,
    /// We may not look.
    Denied,
}

/// `/proc/PID/task/TID/syscall` of a thread that sleeps in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Call {
    number: c_long,
    arguments: [u64; 6],
    stack: u64,
    program: u64,
}

/// Addresses below this are a 32-bit program's stack, whose calls have other numbers.
const FIRST_WIDE_ADDRESS: u64 = 1 << 32;
/// Descriptors in one poll or select, and in one epoll set, that are looked through; a prompt waits for few.
const MAX_WATCHED: usize = 1024;
/// An event loop within an event loop.
const MAX_NESTED: usize = 2;
const POLL_IN: u64 = libc::POLLIN as u64;

#[cfg(target_arch = "x86_64")]
const POLL_CALLS: [c_long; 2] = [libc::SYS_poll, libc::SYS_ppoll];
#[cfg(target_arch = "x86_64")]
const SELECT_CALLS: [c_long; 2] = [libc::SYS_select, libc::SYS_pselect6];
#[cfg(target_arch = "x86_64")]
const EPOLL_CALLS: [c_long; 3] = [libc::SYS_epoll_wait, libc::SYS_epoll_pwait, libc::SYS_epoll_pwait2];
#[cfg(not(target_arch = "x86_64"))]
const POLL_CALLS: [c_long; 1] = [libc::SYS_ppoll];
#[cfg(not(target_arch = "x86_64"))]
const SELECT_CALLS: [c_long; 1] = [libc::SYS_pselect6];
#[cfg(not(target_arch = "x86_64"))]
const EPOLL_CALLS: [c_long; 2] = [libc::SYS_epoll_pwait, libc::SYS_epoll_pwait2];

/// A thread with the descriptors it has: most share those of their process, and one that does not may hide in that.
#[derive(Debug, Clone, Copy)]
struct Thread {
    pid: u32,
    thread: u32,
}

impl Thread {
    fn file(self, name: &str) -> String {
        format!("/proc/{}/task/{}/{name}", self.pid, self.thread)
    }
}

/// What the thread does that `/proc/PID/task/TID` describes.
pub fn doing(pid: u32, thread: u32, tty: Tty) -> Doing {
    let of = Thread { pid, thread };
    if !may_ask() {
        return Doing::Denied;
    }
    match proc::read(of.file("syscall")) {
        Ok(line) => match parse(&line) {
            Some(call) => in_call(of, &call, tty),
            // "running", or asleep without a call: a page is being read.
            None => Doing::Else,
        },
        // It has just ended.
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ESRCH)) => Doing::Else,
        Err(_) => unprivileged(pid, thread, tty),
    }
}

/// `NR A0 A1 A2 A3 A4 A5 SP PC`, the number in decimal, all else in hexadecimal.
fn parse(line: &str) -> Option<Call> {
    let mut words = line.split_whitespace();
    let number = words.next()?.parse().ok().filter(|number| *number >= 0)?;
    let mut next = || u64::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok();
    let mut arguments = [0; 6];
    for argument in &mut arguments {
        *argument = next()?;
    }
    Some(Call { number, arguments, stack: next()?, program: next()? })
}

fn in_call(of: Thread, call: &Call, tty: Tty) -> Doing {
    let [first, second, third, _, fifth, _] = call.arguments;
    let unseen = || if has_open(of, tty) != Some(false) { Doing::MayRead } else { Doing::Else };
    let loops = |fd: Option<Vec<u64>>, endless: bool| match fd {
        Some(fds) => match fds.iter().find(|fd| is_tty(of, **fd, tty)) {
            Some(fd) => Doing::Reads {
                place: hash(&[call.number.unsigned_abs(), *fd]),
                blocking: false,
                alone: endless && fds.iter().all(|fd| is_tty(of, *fd, tty)),
            },
            None => Doing::Else,
        },
        None => unseen(),
    };
    if call.stack < FIRST_WIDE_ADDRESS {
        return unseen();
    }
    match call.number {
        libc::SYS_read | libc::SYS_readv if is_tty(of, first, tty) => {
            let place = [call.number.unsigned_abs(), first, second, third, call.stack, call.program];
            Doing::Reads { place: hash(&place), blocking: true, alone: true }
        }
        // What a loop of events waits for besides, it does without a descriptor: timers, other threads.
        number if EPOLL_CALLS.contains(&number) => loops(watched_by_epoll(of, first, MAX_NESTED), false),
        number if POLL_CALLS.contains(&number) => {
            let endless = if number == libc::SYS_ppoll { third == 0 } else { (third as i32) < 0 };
            loops(polled(of.pid, first, second), endless)
        }
        number if SELECT_CALLS.contains(&number) => loops(selected(of.pid, first, second), fifth == 0),
        // Its descriptors are in a ring; or the call that goes on after a stop does not name them.
        libc::SYS_io_uring_enter | libc::SYS_restart_syscall => unseen(),
        _ => Doing::Else,
    }
}

/// Where the call may not be seen (`ptrace_scope`, for who is no ancestor), the function in which the thread sleeps
/// may. It proves little, but by exclusion: a thread asleep in `wait_woken` reads or writes a terminal or a socket,
/// and a process that has nothing open but this terminal, files and pipes can only mean the terminal.
pub fn unprivileged(pid: u32, thread: u32, tty: Tty) -> Doing {
    let of = Thread { pid, thread };
    let Ok(place) = proc::read(of.file("wchan")) else {
        return Doing::Denied;
    };
    match place.trim() {
        // Hidden, or running.
        "" | "0" => match has_open(of, tty) {
            Some(true) => Doing::MayRead,
            Some(false) => Doing::Else,
            None => Doing::Denied,
        },
        "wait_woken" | "n_tty_read" if only_tty_sleeps_so(of, tty) => {
            Doing::Reads { place: hash(&[u64::from(thread)]), blocking: true, alone: true }
        }
        "do_wait" | "hrtimer_nanosleep" | "common_nsleep" | "pipe_read" | "anon_pipe_read" | "pipe_write"
        | "anon_pipe_write" | "futex_wait_queue" | "futex_do_wait" | "do_sigtimedwait" | "sigsuspend"
        | "ptrace_stop" | "do_signal_stop" => Doing::Else,
        _ => match has_open(of, tty) {
            Some(true) => Doing::MayRead,
            Some(false) => Doing::Else,
            None => Doing::Denied,
        },
    }
}

/// `/dev/tty`: the controlling terminal of whoever opened it.
const CONTROLLING: u64 = libc::makedev(5, 0);

/// The file system a descriptor's device file is in, and the device; none where it is something else.
fn device(of: Thread, fd: u64) -> Option<(u64, u64)> {
    let meta = may_ask().then(|| fs::metadata(of.file(&format!("fd/{fd}"))))?.ok()?;
    meta.file_type().is_char_device().then(|| (meta.dev(), meta.rdev()))
}

/// Whether a descriptor of that thread, which is of the foreground group and so of the session, is the terminal.
fn is_tty(of: Thread, fd: u64, tty: Tty) -> bool {
    device(of, fd).is_some_and(|(filesystem, device)| {
        device == CONTROLLING || (device == tty.device && filesystem == tty.filesystem)
    })
}

/// Its open descriptors; none where we may not look.
fn descriptors(of: Thread) -> Option<Vec<u64>> {
    let entries = fs::read_dir(of.file("fd")).ok()?;
    let found = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    // The kernel makes something of each as it lists it.
    Some(found.take_while(|_| may_ask()).collect())
}

fn has_open(of: Thread, tty: Tty) -> Option<bool> {
    Some(descriptors(of)?.into_iter().any(|fd| is_tty(of, fd, tty)))
}

/// Whether nothing it has open but this terminal could be waited for in `wait_woken`.
fn only_tty_sleeps_so(of: Thread, tty: Tty) -> bool {
    let Some(fds) = descriptors(of) else { return false };
    let mut own = false;
    for fd in fds {
        if is_tty(of, fd, tty) {
            own = true;
            continue;
        }
        let meta = may_ask().then(|| fs::metadata(of.file(&format!("fd/{fd}"))));
        let Some(Ok(meta)) = meta else { return false };
        let kind = meta.file_type();
        let null = kind.is_char_device() && libc::major(meta.rdev()) == 1;
        if !(kind.is_file() || kind.is_dir() || kind.is_fifo() || null) {
            return false;
        }
    }
    own
}

/// Whether the process holds the other end of some terminal: it is a relay for a program behind it.
pub fn holds_a_master(pid: u32) -> bool {
    let of = Thread { pid, thread: pid };
    let master = |fd: u64| {
        may_ask()
            && fs::metadata(of.file(&format!("fd/{fd}"))).is_ok_and(|meta| meta.rdev() == libc::makedev(5, 2))
    };
    descriptors(of).is_some_and(|fds| fds.into_iter().any(master))
}

/// Whether this process, which belongs to that session, has the terminal open.
pub fn holds(pid: u32, session: u32, tty: Tty) -> bool {
    let holds = |of: Thread| {
        let is_it = |fd: u64| match device(of, fd) {
            Some((filesystem, device)) => {
                (device == tty.device && filesystem == tty.filesystem)
                    || (device == CONTROLLING && session == tty.session)
            }
            None => false,
        };
        descriptors(of).is_some_and(|fds| fds.into_iter().any(is_it))
    };
    let others = threads(pid).into_iter().filter(|thread| *thread != pid && !shares_files(pid, *thread));
    std::iter::once(pid).chain(others).any(|thread| holds(Thread { pid, thread }))
}

/// Whether a thread has the descriptors of its process. Where the system does not say, it may have others.
fn shares_files(pid: u32, thread: u32) -> bool {
    /// KCMP_FILES, see kcmp(2).
    const FILES: c_long = 2;
    // SAFETY: kcmp takes numbers and touches no memory.
    unsafe { libc::syscall(libc::SYS_kcmp, c_long::from(pid), c_long::from(thread), FILES, 0, 0) == 0 }
}

/// Descriptors an epoll set waits for input of: lines `tfd: N events: MASK …` of its `fdinfo`.
fn watched_by_epoll(of: Thread, epoll: u64, depth: usize) -> Option<Vec<u64>> {
    let text = proc::read(of.file(&format!("fdinfo/{epoll}"))).ok()?;
    let mut watched = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("tfd:")).take(MAX_WATCHED) {
        let mut words = line.split_whitespace().skip(1);
        let fd: u64 = words.next()?.parse().ok()?;
        let events = u64::from_str_radix(words.nth(1)?, 16).ok()?;
        if events & POLL_IN == 0 {
            continue;
        }
        watched.push(fd);
        let nested = fs::read_link(of.file(&format!("fd/{fd}")));
        if depth > 0 && nested.is_ok_and(|link| link.as_os_str() == "anon_inode:[eventpoll]") {
            watched.extend(watched_by_epoll(of, fd, depth - 1)?);
        }
    }
    Some(watched)
}

/// Descriptors whose input a `poll` waits for, read from the program's memory; an ancestor may.
fn polled(pid: u32, array: u64, count: u64) -> Option<Vec<u64>> {
    let count = usize::try_from(count).ok().filter(|count| *count <= MAX_WATCHED)?;
    // struct pollfd: int fd; short events; short revents.
    let bytes = memory(pid, array, count * 8)?;
    let entries = bytes.chunks_exact(8).filter_map(|entry| {
        let fd = i32::from_ne_bytes(entry[..4].try_into().ok()?);
        let events = u16::from_ne_bytes(entry[4..6].try_into().ok()?);
        (u64::from(events) & POLL_IN != 0).then(|| u64::try_from(fd).ok()).flatten()
    });
    Some(entries.collect())
}

/// Descriptors whose input a `select` waits for: the bits of its first set.
fn selected(pid: u32, count: u64, set: u64) -> Option<Vec<u64>> {
    if set == 0 {
        return Some(Vec::new());
    }
    let count = usize::try_from(count).ok().filter(|count| *count <= MAX_WATCHED)?;
    // fd_set is an array of longs; on little-endian machines its bits run on through the bytes.
    let bytes = memory(pid, set, count.div_ceil(8))?;
    let is_set = |fd: &usize| bytes[fd / 8] & (1 << (fd % 8)) != 0;
    Some((0..count).filter(is_set).map(|fd| fd as u64).collect())
}

fn memory(pid: u32, address: u64, length: usize) -> Option<Vec<u8>> {
    if length == 0 {
        return Some(Vec::new());
    }
    let mut bytes = vec![0; length];
    let remote = RemoteIoVec { base: usize::try_from(address).ok()?, len: length };
    let pid = Pid::from_raw(i32::try_from(pid).ok()?);
    let read = process_vm_readv(pid, &mut [IoSliceMut::new(&mut bytes)], &[remote]).ok()?;
    (read == length).then_some(bytes)
}

/// FNV-1a over the numbers.
fn hash(numbers: &[u64]) -> u64 {
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read_and_a_running_thread_is_none() {
        let line = "0 0x0 0x5581 0x1 0x0 0x0 0x0 0x7ffd12345678 0x7f1234567890\n";
        let call = parse(line).unwrap();
        assert_eq!((call.number, call.arguments[2], call.stack), (0, 1, 0x7ffd_1234_5678));
        assert_eq!(parse("running\n"), None);
        assert_eq!(parse("-1 0x7ffd12345678 0x7f1234567890\n"), None, "asleep outside of a call");
        assert_eq!(parse(""), None);
    }
}
