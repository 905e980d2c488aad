//! Ends what an agent leaves behind when its keeper was killed, in the keeper's place.
//!
//! Called by the executor, on a thread that may wait. The terminal's end sends the agent a hangup; who ignores
//! that would run on with nobody to read, pause or stop it. Never for a pane of the user's own.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::os::proc::{self, Process};
use crate::wire::keeper::FromKeeper;

/// As long as any agent that is stopped has to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// Longer than KILL takes to show, except in an uninterruptible sleep.
const PATIENCE: Duration = Duration::from_secs(5);
/// The kernel tells nobody of processes that are not our children: one looks again.
const LOOK: Duration = Duration::from_millis(20);

/// Looks again each time, since a tree changes while it is signalled.
struct Orphans<'a> {
    /// None where it was never known.
    keeper: Option<u32>,
    token: &'a str,
}

fn send_all(processes: &BTreeMap<u32, Process>, signal: Signal) {
    for process in processes.values() {
        // One that has ended meanwhile is as wanted.
        let _ = proc::send(process, signal);
    }
}

impl Orphans<'_> {
    /// The session the keeper led and all below it, and whoever left it with the agent's environment.
    fn left(&self) -> BTreeMap<u32, Process> {
        let mut left = self.keeper.map(proc::tree).unwrap_or_default();
        if !self.token.is_empty() {
            left.extend(proc::bearing(&format!("COUNSEL_TOKEN={}", self.token)));
        }
        left.into_iter().map(|process| (process.pid, process)).collect()
    }

    fn ask_to_end(&self) {
        let left = self.left();
        left.values().for_each(proc::ask_to_end);
        // A stopped program takes its TERM only when it goes on.
        send_all(&left, Signal::SIGCONT);
    }

    fn kill(&self) -> Vec<u32> {
        let left = self.left();
        send_all(&left, Signal::SIGKILL);
        left.into_keys().collect()
    }

    fn gone_by(&self, until: Instant) -> bool {
        loop {
            match (self.left().is_empty(), Instant::now() >= until) {
                (true, _) => return true,
                (false, true) => return false,
                (false, false) => std::thread::sleep(LOOK),
            }
        }
    }

    /// Those that had to be killed, and those that are still there.
    fn end(&self) -> (Vec<u32>, Vec<u32>) {
        let mut killed = Vec::new();
        self.ask_to_end();
        if !self.gone_by(Instant::now() + GRACE) {
            let until = Instant::now() + PATIENCE;
            while !self.gone_by(Instant::now()) && Instant::now() < until {
                killed.extend(self.kill());
                std::thread::sleep(LOOK);
            }
        }
        killed.sort_unstable();
        killed.dedup();
        (killed, self.left().into_keys().collect())
    }
}

/// Waits until all of it is gone or will not go, and tells what the keeper would have told.
pub fn end(keeper: u32, token: &str) -> FromKeeper {
    let (killed, left) = Orphans { keeper: Some(keeper), token }.end();
    FromKeeper::Swept { killed, left, kept: Vec::new() }
}

/// The same of an agent whose keeper was gone before it was known. What could not be ended.
pub fn end_bearing(token: &str) -> Vec<u32> {
    Orphans { keeper: None, token }.end().1
}
