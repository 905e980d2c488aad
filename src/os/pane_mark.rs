//! The mark of agents' processes (`generation.rs`) on a program that counsel did not start: the one in an adopted pane.
//!
//! The server marks it when the pane is adopted. Whatever that program starts from then on inherits the mark, daemons
//! too. A shell that a person will have again once the pane is released is spared: only what it starts is marked, and
//! looked for again and again (`goes_on`), since it bears none itself. A mark is never taken off.

use std::collections::{HashMap, HashSet};
use std::io;

use nix::sys::signal::Signal;

use super::generation;
use super::proc::{self, Process};

/// A pass over all processes finds whom the one before missed because they had just been started. Once everybody is marked
/// nobody unmarked begins; only a program that begins new ones all the while takes more than two.
const PASSES: usize = 20;
/// What a person's shell calls itself.
const SHELLS: [&str; 14] = [
    "sh", "bash", "dash", "ash", "zsh", "ksh", "ksh93", "mksh", "fish", "tcsh", "csh", "nu", "xonsh",
    "busybox",
];

/// What runs in an adopted pane, and its mark.
#[derive(Debug, Clone)]
pub struct PaneMark {
    program: Process,
    /// The first process of the pane.
    first: u32,
    /// Clock ticks after boot: what lost its parent in this session and is younger was started from here.
    since: u64,
    generation: u64,
}

impl PaneMark {
    /// Marks what runs there: the program, all below it, what shares its foreground, and what has left it since it began
    /// without a session of its own.
    ///
    /// # Errors
    /// It bears no mark, in words fit for "could not adopt the pane: …".
    pub fn put(program: Process, first: u32) -> Result<PaneMark, String> {
        let own = generation::own().map_err(|error| format!("the server's own limits: {error}"))?;
        let generation = generation::below(own).ok_or("no pane can be adopted so deep within agents")?;
        let newest = proc::table().iter().map(|process| process.started).max().unwrap_or(0);
        let spared = is_persons_shell(program.pid);
        let mark =
            PaneMark { program, first, since: if spared { newest } else { program.started }, generation };
        mark.look();
        match generation::of(program.pid) {
            Ok(its) if its > generation && !spared => {
                Err("the system refuses to mark its program as an agent's".to_owned())
            }
            // Another user's program reaches no socket of this one's.
            Ok(_) | Err(_) => Ok(mark),
        }
    }

    /// Whether what will be started there is still to be looked for.
    pub fn goes_on(&self) -> bool {
        generation::of(self.program.pid).is_ok_and(|its| its > self.generation) && self.is_there()
    }

    /// Marks what is not marked yet.
    pub fn look(&self) {
        if !self.is_there() {
            return;
        }
        for _ in 0..PASSES {
            let mut found = false;
            for process in self.members(&proc::table()) {
                // The number may be another process's by now: as late as possible before it is used.
                let same = proc::look(process.pid).is_some_and(|now| now.started == process.started);
                found |= same && generation::lower(process.pid, self.generation).unwrap_or(false);
            }
            if !found {
                return;
            }
        }
    }

    /// Whether some child of a shell is unmarked. One look at a file where the kernel lists children, else always.
    pub fn has_unmarked_children(&self) -> bool {
        let pid = self.program.pid;
        let children = proc::read(format!("/proc/{pid}/task/{pid}/children"));
        let unmarked = |pid: u32| generation::of(pid).is_ok_and(|its| its > self.generation);
        children.map_or(true, |pids| pids.split_whitespace().filter_map(|pid| pid.parse().ok()).any(unmarked))
    }

    fn is_there(&self) -> bool {
        proc::look(self.program.pid).is_some_and(|now| now.started == self.program.started)
    }

    fn members(&self, table: &[Process]) -> Vec<Process> {
        let parents: HashMap<u32, u32> = table.iter().map(|process| (process.pid, process.parent)).collect();
        let above = |pid: u32| {
            let mut seen = HashSet::new();
            let line = std::iter::successors(Some(pid), |pid| parents.get(pid).copied());
            line.take_while(move |pid| seen.insert(*pid)).skip(1)
        };
        let program = &self.program;
        let spared = is_persons_shell(program.pid);
        let belongs = |process: &&Process| {
            if process.pid == program.pid {
                return process.started == program.started && !spared;
            }
            let orphan = || process.started >= self.since && !above(process.pid).any(|pid| pid == self.first);
            let beside = process.group == program.group && !is_persons_shell(process.pid);
            above(process.pid).any(|pid| pid == program.pid)
                || beside
                || (process.session == program.session && process.pid != self.first && orphan())
        };
        table.iter().filter(|process| !process.is_dead()).filter(belongs).copied().collect()
    }
}

/// Whether it is a shell with job control, as a person types into: one that hands the terminal on is not to be stopped by
/// ctrl-z itself. That alone tells, for tmux has every program in its panes ignore the two other stops of a terminal.
fn is_persons_shell(pid: u32) -> bool {
    let name = proc::read(format!("/proc/{pid}/comm")).unwrap_or_default();
    SHELLS.contains(&name.trim_end()) && proc::ignores(pid, Signal::SIGTSTP)
}

/// The program that has the terminal of a pane: the leader of its foreground group, the oldest of that group where the
/// leader has ended, or the pane's first process.
///
/// # Errors
/// There is none.
pub fn foreground(first: u32) -> io::Result<Process> {
    let stat = proc::read(format!("/proc/{first}/stat"))?;
    // After the name in brackets: state, parent, group, session, terminal, foreground group.
    let front = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(5)?.parse::<u32>().ok());
    let of_group = |front: u32| {
        let members =
            proc::table().into_iter().filter(|process| process.group == front && !process.is_dead());
        proc::look(front)
            .filter(|leader| !leader.is_dead())
            .or_else(|| members.min_by_key(|process| (process.started, process.pid)))
    };
    front.and_then(of_group).or_else(|| proc::look(first)).ok_or_else(|| io::ErrorKind::NotFound.into())
}
