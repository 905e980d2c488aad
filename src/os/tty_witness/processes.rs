//! Processes and their threads as `/proc` lists them, for who finds the reader of a terminal.
//!
//! `linux.rs` and `background.rs` call it. It judges nobody.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use nix::libc;

use crate::os::proc;

/// Processes looked at; a build below a prompt has dozens, and each costs some 10 µs.
pub(super) const MAX_PROCESSES: usize = 512;
/// Threads of one process; who has more is no program that prompts.
const MAX_THREADS: usize = 128;

/// Files and descriptors that one look asks for: a build below a prompt has a thousand. Each takes some 3 µs, in which other agents
/// of the same thread wait; sixty processes of sixty threads with five hundred descriptors each would be two million.
const MOST_ASKED: usize = 2_500;

thread_local! {
    /// What the look that is under way on this thread may still ask for.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// One look: from its beginning to its drop no more than so much is asked of the kernel.
pub(super) struct Allowance(());

impl Allowance {
    pub fn begin() -> Allowance {
        LEFT.set(MOST_ASKED);
        Allowance(())
    }

    /// Something was not asked for: what was found is not all there is.
    pub fn is_spent(&self) -> bool {
        LEFT.get() == 0
    }
}

impl Drop for Allowance {
    fn drop(&mut self) {
        LEFT.set(usize::MAX);
    }
}

/// Whether one more file may be asked for.
pub(super) fn may_ask() -> bool {
    let left = LEFT.get().saturating_sub(1);
    LEFT.set(left);
    left > 0
}

/// What is asked of `/proc/PID/stat`.
pub(super) struct Stat {
    pub program: String,
    pub state: u8,
    pub parent: u32,
    pub group: u32,
    pub session: u32,
    pub foreground: i64,
    pub started: u64,
    /// The signal that stopped it, where it stands still and the kernel tells; what its parent will be told at its end.
    pub exit_code: i32,
}

impl Stat {
    /// Whether it stands still since it read the terminal, or was to change how that takes keys, in the background.
    pub fn wanted_the_terminal(&self) -> bool {
        self.state == b'T' && matches!(self.exit_code, libc::SIGTTIN | libc::SIGTTOU)
    }
}

pub(super) fn stat(pid: u32) -> Option<Stat> {
    let text = may_ask().then(|| proc::read(format!("/proc/{pid}/stat")))?.ok()?;
    // The name stands in brackets and may hold brackets itself.
    let (open, close) = (text.find('(')?, text.rfind(')')?);
    let fields: Vec<&str> = text[close + 1..].split_whitespace().collect();
    // proc(5) counts from 1, and the state after the name is 3.
    let field = |number: usize| fields.get(number - 3).copied();
    Some(Stat {
        program: text[open + 1..close].to_owned(),
        state: *field(3)?.as_bytes().first()?,
        parent: field(4)?.parse().ok()?,
        group: field(5)?.parse().ok()?,
        session: field(6)?.parse().ok()?,
        foreground: field(8)?.parse().ok()?,
        started: field(22)?.parse().ok()?,
        exit_code: field(52).and_then(|code| code.parse().ok()).unwrap_or(0),
    })
}

/// The processes started by any thread of this one.
pub(super) fn children(pid: u32) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    for thread in threads(pid).into_iter().take_while(|_| may_ask()) {
        match proc::read(format!("/proc/{pid}/task/{thread}/children")) {
            Ok(list) => found.extend(list.split_whitespace().filter_map(|word| word.parse::<u32>().ok())),
            // The thread has ended, or the kernel was built without these lists.
            Err(_) if Path::new(&format!("/proc/{pid}/task/{thread}/stat")).exists() => return None,
            Err(_) => {}
        }
    }
    Some(found)
}

/// Its threads, as many as a program that prompts may have.
pub(super) fn threads(pid: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let found = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    found.take(MAX_THREADS).take_while(|_| may_ask()).collect()
}

/// Parents that are followed upwards.
const MOST_PARENTS: usize = 64;

/// The foreground program of the terminal that this session leader has, where neither the process is of its group nor started
/// it. `None`: it has the terminal, or the system does not tell.
pub(super) fn in_front_of(pid: u32, leader: u32) -> Option<String> {
    let own = stat(pid)?;
    let foreground = u32::try_from(stat(leader)?.foreground).ok().filter(|group| *group > 0)?;
    let first = stat(foreground)?;
    let mut above = std::iter::successors(Some(foreground), |at| stat(*at).map(|stat| stat.parent));
    let has_it = own.group == foreground || above.by_ref().take(MOST_PARENTS).any(|at| at == pid);
    (!has_it).then_some(first.program)
}
