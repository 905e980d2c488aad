//! Ends what an agent leaves behind when its keeper was killed, or does nothing, in the keeper's place.
//!
//! Called by the executor, on a thread that may wait. The terminal's end sends the agent a hangup; who ignores
//! that would run on with nobody to read, pause or stop it. Never for a pane of the user's own.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::core::ancestry::Identity;
use crate::os::proc::{self, Process};
use crate::wire::keeper::FromKeeper;

/// As long as any agent that is stopped has to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// Longer than KILL takes to show, except in an uninterruptible sleep.
const PATIENCE: Duration = Duration::from_secs(5);
/// The kernel tells nobody of processes that are not our children: one looks again.
const LOOK: Duration = Duration::from_millis(20);
/// Looks in a row that must find nobody: one alone may come between two lives of a process that only forks and ends.
const EMPTY_LOOKS: u32 = 2;

/// Looks again each time, since a tree changes while it is signalled.
struct Orphans {
    /// None where it was never known.
    keeper: Option<Identity>,
    /// The entry of the agent's environment that no other agent has.
    mark: Option<String>,
}

impl Orphans {
    fn new(keeper: Option<Identity>, token: &str) -> Orphans {
        Orphans { keeper, mark: (!token.is_empty()).then(|| format!("COUNSEL_TOKEN={token}")) }
    }

    /// The session the keeper led and all below it, and whoever left it with the agent's environment, each at the
    /// moment it is found. Who was there.
    fn meet(&self, mut meet: impl FnMut(&Process)) -> BTreeSet<u32> {
        let mut met = BTreeSet::new();
        // Somebody else may have got its pid by now: below that one nothing is an agent's.
        let is_it =
            |keeper: &Identity| proc::look(keeper.pid).is_none_or(|now| now.started == keeper.started);
        let root = self.keeper.filter(is_it).map(|keeper| keeper.pid);
        proc::meet_all(root, self.mark.as_deref(), |process| {
            meet(process);
            met.insert(process.pid);
        });
        met
    }

    fn kill(&self) -> BTreeSet<u32> {
        self.meet(|process| {
            // One that has ended meanwhile is as wanted.
            let _ = proc::send(process, Signal::SIGKILL);
        })
    }

    fn ask_to_end(&self) {
        self.meet(|process| {
            proc::ask_to_end(process);
            // A stopped program takes its TERM only when it goes on.
            let _ = proc::send(process, Signal::SIGCONT);
        });
    }

    /// Whether nobody is there any more by then, at several looks in a row. Who was there last; `look` may do something
    /// about them.
    fn gone_by(&self, until: Instant, look: impl Fn() -> BTreeSet<u32>) -> BTreeSet<u32> {
        let mut empty = 0;
        loop {
            let there = look();
            empty = if there.is_empty() { empty + 1 } else { 0 };
            if empty == EMPTY_LOOKS || (Instant::now() >= until && !there.is_empty()) {
                return there;
            }
            // A chase has no time to lose.
            if there.is_empty() {
                std::thread::sleep(LOOK);
            }
        }
    }

    /// Kills until nobody is left. Those that had to be killed, and those that are still there.
    fn cut(&self) -> (Vec<u32>, Vec<u32>) {
        let killed = std::cell::RefCell::new(BTreeSet::new());
        let left = self.gone_by(Instant::now() + PATIENCE, || {
            let met = self.kill();
            killed.borrow_mut().extend(&met);
            met
        });
        (killed.into_inner().into_iter().collect(), left.into_iter().collect())
    }

    fn end(&self) -> (Vec<u32>, Vec<u32>) {
        self.ask_to_end();
        let asked = self.gone_by(Instant::now() + GRACE, || {
            std::thread::sleep(LOOK);
            self.meet(|_| {})
        });
        if asked.is_empty() { (Vec::new(), Vec::new()) } else { self.cut() }
    }
}

/// Waits until all of it is gone or will not go, and tells what the keeper would have told.
pub fn end(keeper: Option<Identity>, token: &str) -> FromKeeper {
    let (killed, left) = Orphans::new(keeper, token).end();
    FromKeeper::Swept { killed, left, kept: Vec::new() }
}

/// The same of an agent whose keeper was gone before it was known. What could not be ended.
pub fn end_bearing(token: &str) -> Vec<u32> {
    if token.is_empty() { Vec::new() } else { Orphans::new(None, token).end().1 }
}

/// Ends an agent whose grace is over in place of its keeper, and then that keeper, if it stands still: an agent may keep it
/// so for ever. `overdue`: it has had longer than any keeper takes, and is ended whatever it does. The keeper is still the
/// parent of all that the agent has started, so that nothing of it is lost before it is ended.
pub fn end_with_keeper(keeper: Identity, token: &str, overdue: bool) {
    let is_it = |now: &Process| now.started == keeper.started && (overdue || now.is_stopped());
    let Some(process) = proc::look(keeper.pid).filter(is_it) else { return };
    let (_, left) = Orphans::new(Some(keeper), token).cut();
    tracing::warn!(keeper = keeper.pid, overdue, ?left, "a keeper that does nothing is ended with its agent");
    let _ = proc::send(&process, Signal::SIGKILL);
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    use super::*;

    /// A killed keeper's pid may be a person's shell a moment later, when an agent begins processes until it comes round.
    #[cfg(target_os = "linux")]
    #[test]
    fn below_whoever_has_a_keepers_pid_nobody_is_ended() {
        let mut other = Command::new("sh");
        other.args(["-c", "sleep 1000 & echo began; wait"]).stdout(Stdio::piped()).process_group(0);
        let mut other = other.spawn().unwrap();
        let mut began = String::new();
        BufReader::new(other.stdout.as_mut().unwrap()).read_line(&mut began).unwrap();
        let pid = other.id();
        let started = proc::look(pid).unwrap().started;
        let met = |started| Orphans::new(Some(Identity { pid, started }), "").meet(|_| {}).len();
        let (its_own, of_another) = (met(started), met(started - 1));
        nix::sys::signal::killpg(nix::unistd::Pid::from_raw(pid.cast_signed()), Signal::SIGKILL).unwrap();
        other.wait().unwrap();
        assert_eq!((its_own, of_another), (1, 0));
    }
}
