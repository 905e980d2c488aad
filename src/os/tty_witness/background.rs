//! Who has a terminal besides its foreground group: jobs in the background, and what was left behind.
//!
//! `linux.rs` asks once it has found a reader. A job that prints a prompt and is then not the one that reads leaves the
//! answer to the shell, which runs it.

use std::collections::{HashSet, VecDeque};

use super::blocked::{Tty, holds};
use super::processes::{MAX_PROCESSES, children, stat};

/// The name of a process that has the terminal open, is not of the foreground group, and does not wait for it as the
/// processes above the group do. One that stands still counts: it may have printed before.
pub fn who_else(group: u32, leader: u32, reader: u32, tty: Tty) -> Option<String> {
    let waiting: HashSet<u32> = above(group).chain(above(reader)).collect();
    let mut queue = VecDeque::from([leader]);
    // What lost its parent falls to whoever started the session.
    let starter = stat(leader).map(|leader| leader.parent).filter(|parent| *parent > 1);
    let orphans = starter.and_then(children).unwrap_or_default();
    let held = |pid: &u32| stat(*pid).is_some_and(|orphan| holds(*pid, orphan.session, tty));
    queue.extend(orphans.into_iter().filter(|pid| *pid != leader && held(pid)));
    let mut seen = 0;
    while let Some(pid) = queue.pop_front() {
        seen += 1;
        let Some(process) = stat(pid).filter(|_| seen <= MAX_PROCESSES) else { continue };
        let gone = matches!(process.state, b'Z' | b'X');
        if process.group != group && !gone && !waiting.contains(&pid) && holds(pid, process.session, tty) {
            return Some(process.program);
        }
        queue.extend(children(pid).unwrap_or_default());
    }
    None
}

/// Processes that lost their parent and are of the terminal's session: they fell to whoever started it.
pub fn orphans(leader: u32) -> Vec<u32> {
    let starter = stat(leader).map(|leader| leader.parent).filter(|parent| *parent > 1);
    let fell_to_it = starter.and_then(children).unwrap_or_default();
    let of_session = |pid: &u32| *pid != leader && stat(*pid).is_some_and(|orphan| orphan.session == leader);
    fell_to_it.into_iter().filter(of_session).collect()
}

/// A process and all above it.
pub fn above(pid: u32) -> impl Iterator<Item = u32> {
    let parent = |pid: &u32| stat(*pid).map(|process| process.parent).filter(|parent| *parent > 0);
    std::iter::successors(Some(pid), parent).take(MAX_PROCESSES)
}
