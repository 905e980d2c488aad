//! The foreground group of a terminal, process by process and thread by thread.
//!
//! `os/tty_witness.rs` calls it. The group is found in the tree below the terminal's session, which takes
//! microseconds where all of `/proc` takes milliseconds; one process that reads is enough, and the search ends.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::libc;
use nix::sys::termios::tcgetattr;
use nix::unistd::tcgetpgrp;

use super::background;
use super::blocked::{self, Doing, Tty};
use super::executable;
use super::flags;
use super::processes::{Allowance, MAX_PROCESSES, Stat, children, stat, threads};
use crate::core::detect::front::{Front, Started};
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

/// Those of them that leave the terminal to a server of theirs, which reads it: they are not seen to.
const SERVED: [&str; 2] = ["tmux: client", "screen"];

/// A terminal with its foreground group and its session's leader.
struct Place {
    group: u32,
    leader: u32,
    tty: Tty,
    canonical: bool,
}

/// Who reads the terminal of which this is the master.
pub fn look(master: &impl AsFd) -> Reader {
    match of_terminal(master) {
        Ok(place) => reader(&place),
        Err(blind) => Reader::Unknown(blind),
    }
}

/// Who would take a key there.
pub fn front(master: &impl AsFd, agent: &Started) -> Front {
    of_terminal(master).map_or(Front::Unseen, |place| who(&place, agent))
}

fn of_terminal(master: &impl AsFd) -> Result<Place, Blind> {
    let group = tcgetpgrp(master).map_err(|_| Blind::NoForeground)?;
    // SAFETY: tcgetsid reads a number from an open descriptor.
    let leader = unsafe { libc::tcgetsid(master.as_fd().as_raw_fd()) };
    let session = u32::try_from(leader).unwrap_or_default();
    let tty = of_master(master, session).ok_or(Blind::Unsupported)?;
    let canonical = tcgetattr(master).is_ok_and(|termios| flags::modes(&termios).0);
    match (u32::try_from(group.as_raw()), u32::try_from(leader)) {
        (Ok(group), Ok(leader)) if group > 0 => Ok(Place { group, leader, tty, canonical }),
        _ => Err(Blind::NoForeground),
    }
}

/// The same by path and session leader, with the flags.
pub fn look_at_pane(path: &Path, leader: u32) -> (Option<(bool, bool)>, Reader) {
    let (flags, place) = of_pane(path, leader);
    (flags, place.map_or(Reader::Unknown(Blind::NoForeground), |place| reader(&place)))
}

/// Who would take a key in that pane.
pub fn front_of_pane(path: &Path, leader: u32, agent: &Started) -> Front {
    of_pane(path, leader).1.map_or(Front::Unseen, |place| who(&place, agent))
}

fn of_pane(path: &Path, leader: u32) -> (Option<(bool, bool)>, Option<Place>) {
    let Some(file) = flags::open(path) else { return (None, None) };
    let flags = flags::flags(&file);
    let foreground =
        stat(leader).and_then(|stat| u32::try_from(stat.foreground).ok()).filter(|group| *group > 0);
    let place = foreground.zip(file.metadata().ok()).map(|(group, meta)| {
        let tty = Tty { session: leader, filesystem: meta.dev(), device: meta.rdev() };
        Place { group, leader, tty, canonical: flags.is_some_and(|(canonical, _)| canonical) }
    });
    (flags, place)
}

pub fn of_master(master: &impl AsFd, session: u32) -> Option<Tty> {
    let mut name = [0_u8; 64];
    let fd = master.as_fd().as_raw_fd();
    // SAFETY: the buffer is as long as said, and written to by this call alone.
    let failed = unsafe { libc::ptsname_r(fd, name.as_mut_ptr().cast(), name.len()) } != 0;
    if failed {
        return None;
    }
    let name = std::ffi::CStr::from_bytes_until_nul(&name).ok()?.to_str().ok()?;
    let meta = fs::metadata(name).ok()?;
    Some(Tty { session, filesystem: meta.dev(), device: meta.rdev() })
}

fn reader(place: &Place) -> Reader {
    let look = Allowance::begin();
    let found = match members(place) {
        Ok(seen) => seen.reader(place.group, place.leader, place.tty),
        Err(known) => known,
    };
    if look.is_spent() { Reader::Unknown(Blind::TooMany) } else { found }
}

/// Whoever else has the terminal open, its reader takes the keys.
fn who(place: &Place, agent: &Started) -> Front {
    let look = Allowance::begin();
    let seen = members(place).ok().filter(|_| !look.is_spent());
    let Some(seen) = seen else { return Front::Unseen };
    if seen.is_pending() {
        return Front::Pending;
    }
    let unseen = !seen.denied.is_empty() || seen.others.is_some();
    match seen.readers.iter().find(|wait| !executable::is_agent(wait.pid, agent)) {
        Some(other) => Front::Other(other.program.clone()),
        None if !seen.readers.is_empty() => Front::Agent,
        None if seen.held => Front::Held,
        None if unseen => Front::Unseen,
        None => Front::Nobody,
    }
}

/// Looks at all members of the group: the kernel gives a line to whoever came to its read first, and that need not be
/// who asks.
fn members(place: &Place) -> Result<Seen, Reader> {
    let Place { group, leader, tty, canonical } = *place;
    if !Path::new("/proc/self/stat").exists() {
        return Err(Reader::Unknown(Blind::Unsupported));
    }
    let mut seen = Seen::default();
    // The group's own leader is most often who reads; then all the session's tree, and what lost its parent.
    let mut queue = VecDeque::from([group, leader]);
    queue.extend(background::orphans(leader));
    let mut looked_at: HashSet<u32> = HashSet::new();
    // What a member has started in a session of its own, as `su -c` does, and what that has started.
    let mut apart: HashSet<u32> = HashSet::new();
    while let Some(pid) = queue.pop_front() {
        if !looked_at.insert(pid) {
            continue;
        }
        if looked_at.len() > MAX_PROCESSES {
            return Err(Reader::Unknown(Blind::TooMany));
        }
        let Some(stat) = stat(pid) else { continue };
        let awake = !matches!(stat.state, b'Z' | b'X' | b'T' | b't');
        if stat.group == group && awake {
            match of_process(pid, &stat, tty, canonical) {
                relayed @ Reader::Unknown(Blind::Relayed { .. }) => return Err(relayed),
                found => seen.add(pid, found),
            }
        } else if awake && apart.contains(&pid) {
            // No rule of jobs holds there: whoever sleeps in a read of the terminal is given what is typed.
            if let Reader::Reading(wait) = of_process(pid, &stat, tty, canonical) {
                seen.apart.push(wait);
            }
        } else if stat.group == group && matches!(stat.state, b'T' | b't') {
            seen.held = true;
        } else if stat.session == leader && stat.wanted_the_terminal() {
            seen.stopped = Some(stat.program.clone());
        }
        if pid == group && stat.parent != leader {
            // Its siblings are the rest of a pipeline; the way down from the session may be long.
            queue.push_back(stat.parent);
        }
        let Some(below) = children(pid) else { return Err(Reader::Unknown(Blind::Unsupported)) };
        if stat.group == group || apart.contains(&pid) {
            apart.extend(below.iter().filter(|pid| session_of(**pid).is_some_and(|own| own != leader)));
        }
        queue.extend(below);
    }
    if seen.readers.is_empty() {
        seen.readers.append(&mut seen.apart);
    }
    Ok(seen)
}

fn session_of(pid: u32) -> Option<u32> {
    stat(pid).map(|stat| stat.session)
}

/// What the members of a foreground group do.
#[derive(Default)]
struct Seen {
    readers: Vec<Wait>,
    /// The same in sessions of their own, below the group: they matter only while no member reads.
    apart: Vec<Wait>,
    /// May not be looked at.
    denied: Vec<(u32, Reader)>,
    others: Option<Reader>,
    /// Stands still in the background, since it wanted the terminal.
    stopped: Option<String>,
    /// One of the group stands still.
    held: bool,
}

impl Seen {
    fn add(&mut self, pid: u32, found: Reader) {
        match found {
            Reader::Reading(wait) => self.readers.push(wait),
            Reader::Nobody => {}
            denied @ Reader::Unknown(_) => self.denied.push((pid, denied)),
            maybe @ Reader::MayRead { .. } => self.others = self.others.take().or(Some(maybe)),
        }
    }

    /// Of somebody who reads it is not known yet what it is.
    fn is_pending(&self) -> bool {
        self.denied.iter().any(|(_, denied)| matches!(denied, Reader::Unknown(Blind::Pending { .. })))
    }

    fn reader(mut self, group: u32, leader: u32, tty: Tty) -> Reader {
        let Some(wait) = self.readers.pop() else {
            // What may not be looked at hides more than what may be reading.
            let denied = self.denied.pop().map(|(_, denied)| denied);
            let stopped = self.stopped.map(|program| Reader::Unknown(Blind::Stopped { program }));
            return denied.or(self.others).or(stopped).unwrap_or(Reader::Nobody);
        };
        if let Some(other) = self.readers.pop() {
            return Reader::Unknown(Blind::Contended { program: other.program });
        }
        // Who started the reader waits for its end.
        let above: HashSet<u32> = background::above(wait.pid).collect();
        if let Some((_, denied)) = self.denied.into_iter().find(|(pid, _)| !above.contains(pid)) {
            return denied;
        }
        match background::who_else(group, leader, wait.pid, tty) {
            Some(program) => Reader::Unknown(Blind::Shared { program }),
            None => Reader::Reading(wait),
        }
    }
}

fn of_process(pid: u32, stat: &Stat, tty: Tty, canonical: bool) -> Reader {
    let program = || stat.program.clone();
    let mut best = Reader::Nobody;
    let mut reads: Option<Wait> = None;
    let mut holds_a_master = None;
    let threads = threads(pid);
    for &thread in &threads {
        match blocked::doing(pid, thread, tty) {
            Doing::Reads { place, blocking, alone } => {
                // In raw mode the keys go wherever the program sends them; line by line it asks for itself, unless it
                // holds another terminal to pass the line on to.
                let hands_on = || blocked::holds_a_master(pid);
                if (!canonical && RELAYS.contains(&stat.program.as_str()))
                    || *holds_a_master.get_or_insert_with(hands_on)
                {
                    return Reader::Unknown(Blind::Relayed { program: program() });
                }
                // Key by key, each read may be another call into another buffer: it is the same wait all the same.
                let place = if blocking && !canonical { u64::from(thread) } else { place };
                let (started, in_read, blocking) = (stat.started, blocking, blocking && canonical);
                let sleeps = if blocking { sleeps(pid, thread) } else { 0 };
                let transferred =
                    (blocking && threads.len() == 1).then(|| transferred(pid, thread)).flatten();
                let Some(takes) = executable::takes(pid) else {
                    return Reader::Unknown(Blind::Pending { program: program() });
                };
                // An event loop of the program's own may watch the terminal beside the thread that reads it.
                if let Some(other) = reads.filter(|other| other.blocking && blocking) {
                    return Reader::Unknown(Blind::Contended { program: other.program });
                }
                reads = Some(Wait {
                    pid,
                    thread,
                    started,
                    program: program(),
                    place,
                    sleeps,
                    blocking,
                    in_read,
                    transferred,
                    alone: alone && threads.len() == 1,
                    asks_nothing: takes.asks_nothing,
                    given_code: takes.given_code,
                    acts: takes.acts,
                });
            }
            Doing::MayRead if best == Reader::Nobody => best = Reader::MayRead { program: program() },
            Doing::MayRead | Doing::Else => {}
            Doing::Denied => best = Reader::Unknown(Blind::Denied { program: program() }),
        }
    }
    if reads.is_none() && !canonical && SERVED.contains(&stat.program.as_str()) {
        return Reader::Unknown(Blind::Relayed { program: program() });
    }
    reads.map_or(best, Reader::Reading)
}

/// How often the thread went to sleep: from its `status`.
pub(super) fn sleeps(pid: u32, thread: u32) -> u64 {
    let text = proc::read(format!("/proc/{pid}/task/{thread}/status")).unwrap_or_default();
    let count = text.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

/// Bytes the thread has read and written so far, to the terminal or elsewhere (proc(5), `io`); none where the kernel does not
/// count them. Those of a thread alone: what a process has reaped of its children is counted as its own.
fn transferred(pid: u32, thread: u32) -> Option<u64> {
    let text = proc::read(format!("/proc/{pid}/task/{thread}/io")).ok()?;
    let bytes =
        |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    Some(bytes("rchar:")? + bytes("wchar:")?)
}
