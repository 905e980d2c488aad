//! What befalls the machinery of an arena: servers, keepers and viewers that are killed, agents begun again.

use std::cmp::Reverse;
use std::fs;

use counsel::core::question::State;
use counsel::os::proc;
use counsel::wire::{Reply, Request};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::agent;
use super::field::{Act, Field};
use super::truth::now_us;
use super::viewer::Viewer;

/// What befalls the machinery, how often at most.
#[derive(Debug, Clone, Copy)]
pub struct Accidents {
    pub servers: u64,
    pub keepers: u64,
    /// Viewers: dashboards and attached terminals, of which there is one each where this is not 0.
    pub viewers: u64,
    /// Between two of them.
    pub every_ms: u64,
    /// Agents print numbered lines this far apart, and go on until all that was to happen has happened.
    pub stream_ms: Option<u64>,
}

impl Field {
    /// The next accident, if there is one more.
    pub(super) fn plan_kill(&mut self) {
        let Accidents { servers, keepers, viewers, every_ms, .. } = self.accidents;
        if servers + keepers + viewers > 0 {
            let at = now_us() + 1_000 * self.dice.between(every_ms / 4, every_ms * 7 / 4);
            self.acts.push(Reverse((at, Act::Kill)));
        } else if self.accidents.stream_ms.is_some() {
            fs::write(self.folder.path().join(agent::ENOUGH), "").unwrap();
        }
    }

    /// Kills one of what is still to be killed.
    pub(super) fn kill_one(&mut self) {
        let Accidents { servers, keepers, viewers, .. } = self.accidents;
        let which = self.dice.roll(servers + keepers + viewers);
        if which < servers {
            // The one killed before has to be followed by another first.
            if self.own(self.server) && self.seen.kills.last().is_none_or(|(_, up)| *up != 0) {
                self.accidents.servers -= 1;
                self.seen.kills.push((now_us(), 0));
                self.connection = None;
                let _ = kill(Pid::from_raw(self.server.cast_signed()), Signal::SIGKILL);
            }
        } else if which < servers + keepers {
            self.kill_keeper();
        } else {
            self.accidents.viewers -= 1;
            let at = self.dice.roll(self.viewers.len() as u64) as usize;
            self.viewers[at].kill_and_open();
            self.seen.viewers += 1;
        }
    }

    fn kill_keeper(&mut self) {
        let names: Vec<String> = self.agents.keys().cloned().collect();
        let name = self.dice.of(&names).clone();
        let keeper = self.agents[&name].pid.and_then(proc::look).map(|agent| agent.parent);
        // The agent may have ended just now, and its number be somebody else's.
        if let Some(keeper) = keeper.filter(|pid| self.own(*pid) && !self.agents[&name].exited) {
            self.accidents.keepers -= 1;
            // Where the server dies as well, nobody will tell of it.
            let act = Act::Restart { agent: name.clone() };
            self.acts.push(Reverse((now_us() + 3_000_000, act)));
            self.seen.lost.push((now_us(), name));
            let _ = kill(Pid::from_raw(keeper.cast_signed()), Signal::SIGKILL);
        }
    }

    /// Whether a process is a counsel of this run.
    fn own(&self, pid: u32) -> bool {
        let mine = format!("COUNSEL_RUNTIME_DIR={}/run\0", self.folder.path().display());
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ.windows(mine.len()).any(|window| window == mine.as_bytes())
    }

    /// An agent that was lost begins again, unless it has already.
    pub(super) fn restart(&mut self, name: &str) {
        if self.agents[name].ended {
            return;
        }
        let Some(Reply::Agents { agents }) = self.request(Request::List) else {
            let act = Act::Restart { agent: name.to_owned() };
            return self.acts.push(Reverse((now_us() + 1_000_000, act)));
        };
        match agents.iter().find(|info| info.name == name).map(|info| info.state) {
            Some(State::Exited) => drop(self.request(Request::Restart { name: name.to_owned() })),
            Some(_) => {}
            None => drop(self.request(self.start_request(name))),
        }
    }

    pub(super) fn open_viewers(&mut self) {
        if self.accidents.viewers > 0 {
            let name = self.agents.keys().next().unwrap().clone();
            self.viewers = vec![
                Viewer::open(&self.exe, &[]),
                Viewer::open(&self.exe, &["attach", "--read-only", &name]),
            ];
        }
    }
}
