//! Pausing, resuming and ending everything an agent started, as steps the keeper's loop takes.
//!
//! Each step looks at the process table anew: a tree changes while it is signalled. Parents are stopped
//! before their children and continued after them, so that a shell with job control never sees a child
//! of its stop and takes the terminal back.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::os::keeper_link::FromKeeper;
use crate::os::proc::{self, Process};

/// The grace when nobody chose one.
pub const GRACE: Duration = Duration::from_secs(2);
/// How long a program may take to stop by itself: it restores the terminal first. Measured agents need
/// some 50 ms.
const STOP_PATIENCE: Duration = Duration::from_millis(500);
/// How long SIGSTOP and SIGKILL may take to show: longer only in an uninterruptible sleep.
const FORCE_PATIENCE: Duration = Duration::from_millis(500);
/// How long KILL is repeated against a tree that grows while it is cut.
pub const KILL_PATIENCE: Duration = Duration::from_secs(5);
/// For how long one step goes on killing while there is somebody to kill. Long enough for several passes through the
/// process table, short enough that whoever was killed is soon reaped: the dead lengthen each pass.
const KILL_STEP: Duration = Duration::from_millis(20);
/// How long a keeper that nobody needs any more goes on killing what it had to give up.
const OUTLAST: Duration = Duration::from_secs(60);
/// Between two looks then, where nobody new was found: a process that is stuck in the kernel may be so for hours.
const OUTLAST_LOOK: Duration = Duration::from_millis(250);
/// Between two looks at processes that are not our children, whose changes no event tells.
pub const LOOK_INTERVAL: Duration = Duration::from_millis(10);

/// A process for ever, unlike its pid.
pub type Identity = (u32, u64);

fn identity(process: &Process) -> Identity {
    (process.pid, process.started)
}

/// Everything below this keeper. Where the system does not tell, it is empty.
fn below() -> Vec<Process> {
    proc::tree(std::process::id())
}

/// Without a process table the agent's own group is all that can be reached.
fn signal_group(agent: Pid, signal: Signal) {
    if cfg!(not(target_os = "linux")) {
        // A group that is gone needs no signal.
        let _ = killpg(agent, signal);
    }
}

fn send_all<'a>(processes: impl IntoIterator<Item = &'a Process>, signal: Signal) {
    for process in processes {
        // One that has ended meanwhile is as wanted.
        let _ = proc::send(process, signal);
    }
}

/// Kills everything below this process, again and again until nobody is left or the step has lasted long enough.
/// Whether nobody is left.
pub fn kill_below(mut killed: impl FnMut(u32)) -> bool {
    let begun = Instant::now();
    loop {
        let mut empty = true;
        proc::meet_below(std::process::id(), |process| {
            send_all([process], Signal::SIGKILL);
            killed(process.pid);
            empty = false;
        });
        if empty || begun.elapsed() >= KILL_STEP {
            return empty;
        }
    }
}

/// Goes on killing what a sweep had to give up, while nobody waits for it any more: left alone, it would be nobody's, and
/// found by nobody.
pub fn outlast() {
    let until = Instant::now() + OUTLAST;
    let mut known = BTreeSet::new();
    while Instant::now() < until {
        let mut fresh = false;
        if kill_below(|pid| fresh |= known.insert(pid)) && reap_all() {
            return;
        }
        std::thread::sleep(if fresh { LOOK_INTERVAL } else { OUTLAST_LOOK });
    }
}

/// Takes away whoever has ended. Whether there are no more children.
fn reap_all() -> bool {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => return false,
            Err(Errno::ECHILD) => return true,
            // A death by a signal that nix does not know is an error to it.
            Ok(_) | Err(_) => {}
        }
    }
}

/// Stopping the whole tree.
#[derive(Debug)]
pub struct Pausing {
    force_at: Instant,
    give_up_at: Instant,
    /// Stood still before, and is not continued by a later resume.
    before: HashSet<Identity>,
    asked: HashSet<Identity>,
    forced: Vec<u32>,
}

impl Pausing {
    /// `before`: what an earlier, still lasting pause found standing still.
    pub fn begin(agent: Pid, before: Option<HashSet<Identity>>, now: Instant) -> Pausing {
        let before = before.unwrap_or_else(|| standing_still(agent));
        signal_group(agent, Signal::SIGTSTP);
        Pausing {
            force_at: now + STOP_PATIENCE,
            give_up_at: now + STOP_PATIENCE + FORCE_PATIENCE,
            before,
            asked: HashSet::new(),
            forced: Vec::new(),
        }
    }

    /// The report, once everything stands still or will not.
    pub fn step(&mut self, now: Instant) -> Option<FromKeeper> {
        let running: Vec<Process> = below().into_iter().filter(|p| !p.is_stopped()).collect();
        if running.is_empty() || now >= self.give_up_at {
            let running = running.iter().map(|p| p.pid).collect();
            return Some(FromKeeper::Paused { forced: std::mem::take(&mut self.forced), running });
        }
        // A shell with job control ignores the polite stop. What runs below it is left alone until it
        // stands, or it would see its job stop and take the terminal back.
        let mut waiting: HashSet<u32> = HashSet::new();
        for process in &running {
            if now < self.force_at && waiting.contains(&process.parent) {
                waiting.insert(process.pid);
                continue;
            }
            let deaf = proc::ignores(process.pid, Signal::SIGTSTP);
            if deaf {
                waiting.insert(process.pid);
            }
            self.ask(process, deaf || now >= self.force_at);
        }
        None
    }

    fn ask(&mut self, process: &Process, force: bool) {
        let fresh = self.asked.insert(identity(process));
        if force {
            if !self.forced.contains(&process.pid) {
                self.forced.push(process.pid);
            }
            send_all([process], Signal::SIGSTOP);
        } else if fresh {
            send_all([process], Signal::SIGTSTP);
        }
    }

    /// What a resume must leave as it is.
    pub fn take_before(&mut self) -> HashSet<Identity> {
        std::mem::take(&mut self.before)
    }
}

/// What a pause finds standing still for reasons of its own. Where the agent itself does (ctrl-z), its own group stopped with
/// it and goes on with it.
fn standing_still(agent: Pid) -> HashSet<Identity> {
    let own = agent.as_raw().unsigned_abs();
    let stopped: Vec<Process> = below().into_iter().filter(Process::is_stopped).collect();
    let leader = stopped.iter().any(|process| process.pid == own);
    stopped.iter().filter(|process| !leader || process.group != own).map(identity).collect()
}

/// Continues the tree, children first, except what stood still before it was paused.
pub fn resume(agent: Pid, except: &HashSet<Identity>) {
    let (stay, stopped): (Vec<Process>, Vec<Process>) =
        below().into_iter().filter(Process::is_stopped).partition(|p| except.contains(&identity(p)));
    send_all(stopped.iter().rev(), Signal::SIGCONT);
    // One for the whole group would wake those of it that are to stay as well.
    let own = agent.as_raw().unsigned_abs();
    if !stay.iter().any(|process| process.group == own) {
        signal_group(agent, Signal::SIGCONT);
    }
}

/// Ending the whole tree.
#[derive(Debug)]
pub struct Sweeping {
    kill_at: Instant,
    give_up_at: Instant,
    killed: BTreeSet<u32>,
}

impl Sweeping {
    pub fn begin(agent: Pid, grace: Duration, now: Instant) -> Sweeping {
        let tree = below();
        tree.iter().for_each(proc::ask_to_end);
        signal_group(agent, Signal::SIGTERM);
        // A stopped program takes its TERM only when it goes on.
        send_all(tree.iter().rev(), Signal::SIGCONT);
        signal_group(agent, Signal::SIGCONT);
        let kill_at = now + grace;
        Sweeping { kill_at, give_up_at: kill_at + KILL_PATIENCE, killed: BTreeSet::new() }
    }

    /// A second order may shorten the grace, never lengthen it.
    pub fn hasten(&mut self, kill_at: Instant) {
        self.kill_at = self.kill_at.min(kill_at);
        self.give_up_at = self.kill_at + KILL_PATIENCE;
    }

    /// The report, once nothing is left or will not go. `childless` is the proof: whatever an agent
    /// started is the keeper's child as soon as nobody else's.
    pub fn step(
        &mut self,
        agent: Pid,
        childless: bool,
        token: Option<&str>,
        now: Instant,
    ) -> Option<FromKeeper> {
        if childless {
            return Some(self.report(Vec::new(), token));
        }
        if now < self.kill_at {
            return None;
        }
        let mut met = BTreeSet::new();
        let empty = kill_below(|pid| {
            met.insert(pid);
        });
        signal_group(agent, Signal::SIGKILL);
        self.killed.extend(&met);
        // Whoever was there in this step has a successor, or does not go. Where nobody was, the children are dead and
        // about to be reaped, unless a tracer keeps them from it.
        let over = if empty { self.give_up_at + KILL_PATIENCE } else { self.give_up_at };
        (now >= over).then(|| self.report(met.into_iter().collect(), token))
    }

    /// `token`: the entry of the agent's environment that no other agent has.
    fn report(&mut self, left: Vec<u32>, token: Option<&str>) -> FromKeeper {
        let bearing = token.map(proc::bearing).unwrap_or_default();
        let kept = bearing.iter().map(|process| process.pid).filter(|pid| !left.contains(pid)).collect();
        FromKeeper::Swept { killed: std::mem::take(&mut self.killed).into_iter().collect(), left, kept }
    }

    /// When the next step has something to do without a child's death.
    pub fn next_look(&self, now: Instant) -> Instant {
        if now < self.kill_at { self.kill_at } else { now + LOOK_INTERVAL }
    }
}
