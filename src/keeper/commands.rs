//! Commands of the server: pause, resume, stop, signal, leave; and the steps these take.
//!
//! Called by the keeper's loop with each message and after each event.

use std::str::FromStr;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::{getpgrp, tcgetpgrp};

use super::run::{Keeper, Work};
use super::tree::{self, Pausing, Sweeping};
use crate::os::keeper_link::{FromKeeper, Run, SIGNALS, ToKeeper};

impl Keeper {
    pub(super) fn handle(&mut self, message: ToKeeper) {
        match message {
            // `Line` has taken that one itself.
            ToKeeper::Take => {}
            ToKeeper::Pause => self.pause(),
            ToKeeper::Resume => self.resume(),
            ToKeeper::Stop { grace_ms } => self.sweep(Duration::from_millis(grace_ms)),
            ToKeeper::Signal { signal } => {
                let sent = self.signal(&signal);
                self.tell(&FromKeeper::Signalled { sent });
            }
            ToKeeper::Hold { note } => self.callers.hold(note),
            ToKeeper::Untie => self.tied = None,
            ToKeeper::Leave => self.leaving = true,
        }
    }

    fn pause(&mut self) {
        match self.work {
            // A tree that is being ended will not be still, but gone.
            Work::Sweeping(_) => self.tell(&FromKeeper::Paused { forced: vec![], running: vec![] }),
            Work::Pausing(_) => {}
            Work::None => {
                // Paused a second time, what stands still does so because of the first.
                let before = (self.run == Run::Paused).then(|| std::mem::take(&mut self.stopped_before));
                self.work = Work::Pausing(Pausing::begin(self.agent, before, Instant::now()));
            }
        }
    }

    pub(super) fn resume(&mut self) {
        if let Work::Pausing(pausing) = &mut self.work {
            self.stopped_before = pausing.take_before();
            self.work = Work::None;
        }
        tree::resume(self.agent, &std::mem::take(&mut self.stopped_before));
        if matches!(self.run, Run::Stopped | Run::Paused) {
            self.run = Run::Running;
        }
        // Told even if nothing stood still: whoever asked waits for it.
        self.tell(&FromKeeper::Continued);
    }

    pub(super) fn sweep(&mut self, grace: Duration) {
        let now = Instant::now();
        match &mut self.work {
            Work::Sweeping(sweeping) => sweeping.hasten(now + grace),
            Work::None | Work::Pausing(_) => {
                self.work = Work::Sweeping(Sweeping::begin(self.agent, grace, now));
            }
        }
    }

    /// To whoever has the terminal; CONT means the whole tree, as the pause did. Whether anybody was there.
    fn signal(&mut self, name: &str) -> bool {
        let known = SIGNALS.contains(&name);
        let Some(signal) = Signal::from_str(&format!("SIG{name}")).ok().filter(|_| known) else {
            return false;
        };
        if signal == Signal::SIGCONT {
            let stood_still = matches!(self.run, Run::Stopped | Run::Paused);
            self.resume();
            // One that runs is sent it like any other signal: it may have a handler for it.
            if stood_still || matches!(self.run, Run::Exited(_)) {
                return stood_still;
            }
        }
        let front = tcgetpgrp(&self.master).ok().filter(|group| group.as_raw() > 1 && *group != getpgrp());
        // The group may have ended since; then the agent's own is meant.
        front.is_some_and(|group| killpg(group, signal).is_ok()) || killpg(self.agent, signal).is_ok()
    }

    pub(super) fn work(&mut self) {
        let now = Instant::now();
        let report = match &mut self.work {
            Work::None => return,
            Work::Pausing(pausing) => pausing.step(now),
            Work::Sweeping(sweeping) => sweeping.step(self.agent, self.childless, self.token.as_deref(), now),
        };
        let Some(report) = report else { return };
        match std::mem::replace(&mut self.work, Work::None) {
            Work::None => {}
            Work::Sweeping(_) => self.swept = true,
            Work::Pausing(mut pausing) => {
                self.stopped_before = pausing.take_before();
                let agent = self.agent.as_raw().unsigned_abs();
                let moves = matches!(&report, FromKeeper::Paused { running, .. } if running.contains(&agent));
                if !moves && !matches!(self.run, Run::Exited(_)) {
                    self.run = Run::Paused;
                }
            }
        }
        self.tell(&report);
    }
}
