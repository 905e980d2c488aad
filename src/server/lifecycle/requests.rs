//! Starting, stopping, pausing and signalling on request.

use std::collections::BTreeSet;

use crate::core::agent::{AgentSpec, valid_name};
use crate::core::policy::Policy;
use crate::server::hub::lookup::{by_name, named};
use crate::server::hub::message::{Message, ToReplies};
use crate::server::hub::replies::{Caller, Owed};
use crate::session::Life;
use crate::session::message::AgentKey;
use crate::wire::keeper::{SIGNALS, ToKeeper};
use crate::wire::message::Reply;

use super::message::ToLifecycle;
use super::{GRACE_MS, Lifecycle};

/// An answer is typed within seconds; longer than that nobody wants to wait for an upgrade.
const REPLACE_MS: u64 = 10_000;
/// Exit codes of the contract.
const FAILED: u8 = 1;
const USAGE: u8 = 2;

impl Lifecycle {
    pub(super) fn on_request(&mut self, request: ToLifecycle) {
        match request {
            ToLifecycle::Start { from, spec, policy } => self.start(from, *spec, *policy),
            ToLifecycle::Stop { from, agents, grace_ms, then_exit } => {
                self.stop(from, agents, grace_ms, then_exit);
            }
            ToLifecycle::Restart { from, agent } => self.restart(from, agent),
            ToLifecycle::Signal { from, agent, signal } => self.signal(from, agent, &signal),
            ToLifecycle::Pause { from, names, pause } => self.pause(from, &names, pause),
            ToLifecycle::Replace(from) => {
                // It ends once no answer is half typed, so that the next server finds every dialog as it was.
                self.replace_by = Some(self.now.ms + REPLACE_MS);
                self.reply(ToReplies::Owe(from, Owed::Replace));
            }
            // The rest are taken by `on`.
            _ => {}
        }
    }

    fn respond(&mut self, from: Caller, reply: Reply) {
        self.effect(from.answered(reply));
    }

    fn start(&mut self, from: Caller, spec: AgentSpec, policy: Policy) {
        if let Err(reply) = self.may_start(&spec) {
            return self.respond(from, reply);
        }
        if let Some(old) = by_name(&self.agents, &spec.name) {
            self.replace_gone(old);
        }
        let key = self.spawn(spec, policy, None);
        self.reply(ToReplies::Owe(from, Owed::Start(key)));
    }

    fn may_start(&self, spec: &AgentSpec) -> Result<(), Reply> {
        if !valid_name(&spec.name) {
            let what = format!("'{}' is not a name; use [a-z0-9][a-z0-9_-]{{0,31}}", spec.name);
            return Err(Reply::error(USAGE, what));
        }
        if spec.command.is_empty() {
            return Err(Reply::error(USAGE, "there is no command to start"));
        }
        if let Some(name) = spec.profile.as_deref().filter(|name| self.profiles.get(name).is_none()) {
            let known: Vec<&str> = self.profiles.names().collect();
            let what = format!("there is no profile '{name}'; there are {}", known.join(", "));
            return Err(Reply::error(USAGE, what));
        }
        let named = by_name(&self.agents, &spec.name).and_then(|key| self.agents.get(key));
        match named.is_some_and(|agent| !agent.gone()) {
            true => Err(Reply::error(FAILED, format!("an agent '{}' runs already", spec.name))),
            false => Ok(()),
        }
    }

    fn restart(&mut self, from: Caller, key: AgentKey) {
        if let Some(refusal) = self.adopted(key, "started again") {
            return self.respond(from, refusal);
        }
        let now_ms = self.now.ms;
        if let Some(agent) = self.agents.get_mut(key) {
            agent.ending.failures = 0;
            if agent.gone() {
                self.restarts.insert(key, now_ms);
            } else {
                agent.ending.restart_wanted = true;
                self.keeper(key, ToKeeper::Stop { grace_ms: GRACE_MS });
            }
        }
        self.respond(from, Reply::Done);
    }

    /// Stops agents; the reply comes when nothing they ever started is left. A second `stop` of one
    /// that has exited takes it off the list.
    fn stop(&mut self, from: Caller, keys: Vec<AgentKey>, grace_ms: u64, then_exit: bool) {
        let (mut waiting, mut gone) = (BTreeSet::new(), Vec::new());
        for key in keys {
            self.restarts.remove(&key);
            let Some(agent) = self.agents.get_mut(key) else { continue };
            agent.ending.stop_wanted = true;
            agent.ending.restart_wanted = false;
            match agent.life {
                // What an agent left running after its own end is swept all the same.
                Life::Running | Life::Paused | Life::Exited(_)
                    if agent.keeper.is_some() && !agent.ending.swept =>
                {
                    waiting.insert(key);
                    self.keeper(key, ToKeeper::Stop { grace_ms });
                }
                Life::Spawning => {
                    waiting.insert(key);
                }
                Life::Running | Life::Paused | Life::Exited(_) => {
                    gone.push(agent.remains());
                    self.out.push(Message::Life(ToLifecycle::Remove(key)));
                }
            }
        }
        if waiting.is_empty() {
            self.respond(from, Reply::Stopped { agents: gone });
            if then_exit {
                self.out.push(Message::Life(ToLifecycle::End));
            }
            return;
        }
        if then_exit {
            self.last.extend(&waiting);
        }
        self.reply(ToReplies::Owe(from, Owed::Stop { agents: waiting, gone }));
    }

    fn signal(&mut self, from: Caller, key: AgentKey, signal: &str) {
        let gone = self.agents.get(key).is_none_or(|agent| agent.gone());
        let reply = if !SIGNALS.contains(&signal) {
            let known = SIGNALS.join(" ");
            Reply::error(USAGE, format!("'{signal}' is not a signal that can be sent; one of {known}"))
        } else if gone {
            Reply::error(FAILED, "the agent has exited")
        } else {
            self.keeper(key, ToKeeper::Signal { signal: signal.to_owned() });
            Reply::Done
        };
        self.respond(from, reply);
    }

    /// Asked of the keepers, answered when they have seen it happen.
    fn pause(&mut self, from: Caller, names: &[String], pause: bool) {
        let keys = match self.may_pause(names) {
            Ok(keys) => keys,
            Err(reply) => return self.respond(from, reply),
        };
        let (life, message) = match pause {
            true => (Life::Running, ToKeeper::Pause),
            false => (Life::Paused, ToKeeper::Resume),
        };
        let of_it = |key: &AgentKey| {
            self.agents.get(*key).is_some_and(|agent| agent.spec.pane.is_none() && agent.life == life)
        };
        let agents: BTreeSet<AgentKey> = keys.into_iter().filter(of_it).collect();
        if agents.is_empty() {
            return self.respond(from, Reply::Done);
        }
        for key in &agents {
            self.keeper(*key, message.clone());
        }
        self.reply(ToReplies::Owe(from, Owed::Pause { agents, paused: pause, running: Vec::new() }));
    }

    fn may_pause(&self, names: &[String]) -> Result<Vec<AgentKey>, Reply> {
        let keys = named(&self.agents, names)?;
        if names.is_empty() {
            return Ok(keys);
        }
        let gone = keys.iter().filter_map(|key| self.agents.get(*key)).find(|agent| agent.gone());
        if let Some(gone) = gone {
            return Err(Reply::error(FAILED, format!("{} has exited", gone.spec.name)));
        }
        match keys.iter().find_map(|key| self.adopted(*key, "paused")) {
            Some(refusal) => Err(refusal),
            None => Ok(keys),
        }
    }

    /// The refusal of what only the owner of an adopted pane may do to it.
    fn adopted(&self, key: AgentKey, what: &str) -> Option<Reply> {
        let agent = self.agents.get(key).filter(|agent| agent.spec.pane.is_some())?;
        let name = &agent.spec.name;
        let why = format!("{name} runs in a pane of your own tmux; it can be {what} only there");
        Some(Reply::error(FAILED, why))
    }
}
