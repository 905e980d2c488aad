//! Starting, stopping, pausing and signalling on request.

use std::collections::BTreeSet;

use crate::core::agent::{AgentSpec, PaneRef, name_fault};
use crate::core::deliver::prompt_fault;
use crate::core::policy::Policy;
use crate::core::tmux::PaneId;
use crate::server::hub::lookup::{by_name, named};
use crate::server::hub::message::{Message, ToReplies};
use crate::server::hub::replies::{Caller, Owed};
use crate::session::Life;
use crate::session::message::{AgentKey, Order};
use crate::wire::keeper::{SIGNALS, ToKeeper};
use crate::wire::message::Reply;
use crate::wire::stopped::Stopped;

use super::agent::Agent;
use super::message::ToLifecycle;
use super::replacement::Replacement;
use super::{GRACE_MS, Lifecycle};

/// Exit codes of the contract.
const FAILED: u8 = 1;
const USAGE: u8 = 2;
const NO_SUCH: u8 = 3;

impl Lifecycle {
    pub(super) fn on_request(&mut self, request: ToLifecycle) {
        match request {
            ToLifecycle::Start { from, spec, policy } => self.start(from, *spec, *policy),
            ToLifecycle::NotStarted { from, failed } => self.not_started(from, *failed),
            ToLifecycle::TryAgain { from, name } => self.try_again(from, &name),
            ToLifecycle::Stop { from, agents, failed, grace_ms, then_exit } => {
                let gone = self.stop_failed(failed);
                self.stop(from, (agents, gone), grace_ms, then_exit);
            }
            ToLifecycle::Restart { from, agent } => self.restart(from, agent),
            ToLifecycle::Release { from, agent } => self.release(from, agent),
            ToLifecycle::Signal { from, agent, signal } => self.signal(from, agent, &signal),
            ToLifecycle::Pause { from, names, pause } => self.pause(from, &names, pause),
            ToLifecycle::Replace(from) => {
                let agents: Vec<AgentKey> = self.agents.keys().collect();
                agents.iter().for_each(|agent| self.order(*agent, Order::Barrier));
                self.replacement = Some(Replacement::new(self.now.ms, agents.into_iter()));
                self.reply(ToReplies::Owe(from, Owed::Replace));
            }
            ToLifecycle::Barrier(agent) => {
                self.replacement.iter_mut().for_each(|replacement| replacement.barrier(agent));
            }
            // The rest are taken by `on`.
            _ => {}
        }
    }

    pub(super) fn respond(&mut self, from: Caller, reply: Reply) {
        self.effect(from.answered(reply));
    }

    fn start(&mut self, from: Caller, spec: AgentSpec, policy: Policy) {
        if let Err(reply) = self.may_start(&spec) {
            return self.respond(from, reply);
        }
        if let Some(old) = by_name(&self.agents, &spec.name) {
            self.replace_gone(old);
        }
        let spec = self.next_panes.at_its_size(self.settings.sizing, spec);
        let held_by = spec.call.map(|_| from.client);
        let key = self.spawn(spec, policy, None);
        self.agents.get_mut(key).into_iter().for_each(|agent| agent.held_by = held_by);
        self.reply(ToReplies::Owe(from, Owed::Start(key)));
    }

    fn may_start(&self, spec: &AgentSpec) -> Result<(), Reply> {
        if let Some(what) = name_fault(&spec.name) {
            return Err(Reply::error(USAGE, what));
        }
        if spec.command.first().is_none_or(|program| program.trim().is_empty()) {
            return Err(Reply::error(USAGE, "there is no program to start; name one"));
        }
        if let Some(what) = spec.prompt.as_deref().and_then(prompt_fault) {
            return Err(Reply::error(USAGE, what));
        }
        self.goes_on()?;
        self.pane_is_free(spec)?;
        if let Some(name) = spec.profile.as_deref().filter(|name| self.profiles.get(name).is_none()) {
            let known: Vec<&str> = self.profiles.names().collect();
            let what = format!("there is no profile '{name}'; there are {}", known.join(", "));
            return Err(Reply::error(USAGE, what));
        }
        if let Some(what) = spec.consultant.as_ref().and_then(|chain| chain.own_fault(&spec.name)) {
            return Err(Reply::error(USAGE, what));
        }
        self.name_is_free(spec)
    }

    /// One that has ended gives its name up, but for whoever still reads what it printed. And what is run for its output alone
    /// leaves nothing in the place of an agent that is kept for a person to look at.
    fn name_is_free(&self, spec: &AgentSpec) -> Result<(), Reply> {
        let named = by_name(&self.agents, &spec.name).and_then(|key| self.agents.get(key));
        let Some(agent) = named else { return Ok(()) };
        let name = &spec.name;
        let why = if !agent.gone() || agent.is_held() {
            format!("an agent '{name}' runs already; 'counsel stop {name}' ends it")
        } else if spec.call.is_some() {
            format!(
                "{name} has ended and is kept with what it printed; 'counsel stop {name}' takes it off the list"
            )
        } else {
            return Ok(());
        };
        Err(Reply::error(FAILED, why))
    }

    /// Two agents would type into one program. Whoever asked what there is before they adopted it may have been told too early:
    /// only here is nobody between the look and the taking.
    fn pane_is_free(&self, spec: &AgentSpec) -> Result<(), Reply> {
        let Some(pane) = &spec.pane else { return Ok(()) };
        let same = |other: &PaneRef| (&other.socket, other.pane) == (&pane.socket, pane.pane);
        let has_it = |agent: &&Agent| !agent.gone() && agent.spec.pane.as_ref().is_some_and(same);
        match self.agents.values().find(has_it) {
            Some(agent) => Err(Reply::error(
                FAILED,
                format!(
                    "{} is adopted already, as {1}; 'counsel stop {1}' releases it",
                    PaneId(pane.pane),
                    agent.spec.name
                ),
            )),
            None => Ok(()),
        }
    }

    /// Nothing is started any more once all is being stopped: it would be without a server, or be ended with the rest.
    pub(super) fn goes_on(&self) -> Result<(), Reply> {
        match self.last.is_empty() {
            true => Ok(()),
            false => {
                Err(Reply::error(FAILED, "'counsel down' is stopping everything; try again when it is done"))
            }
        }
    }

    /// The reply comes when its next life runs, or could not be started.
    fn restart(&mut self, from: Caller, key: AgentKey) {
        if let Some(refusal) = self.adopted(key, "started again") {
            return self.respond(from, refusal);
        }
        let now_ms = self.now.ms;
        let Some(agent) = self.agents.get_mut(key) else { return };
        if agent.ending.stop_wanted {
            let why = format!("{} is being stopped", agent.spec.name);
            return self.respond(from, Reply::error(FAILED, why));
        }
        if agent.is_held() {
            let name = &agent.spec.name;
            let why = format!(
                "'counsel exec' or a tool runs {name} and waits for its end; 'counsel stop {name}' ends it"
            );
            return self.respond(from, Reply::error(FAILED, why));
        }
        agent.ending.failures = 0;
        if agent.gone() {
            self.restarts.insert(key, now_ms);
        } else {
            agent.ending.restart_wanted = true;
            self.order_stop(key, GRACE_MS);
        }
        self.reply(ToReplies::Owe(from, Owed::Restart(key)));
    }

    /// Takes those off the list that could not be started.
    fn stop_failed(&mut self, names: Vec<String>) -> Vec<Stopped> {
        let listed = names.into_iter().filter(|name| self.forget_failed(name)).collect::<Vec<String>>();
        listed.into_iter().map(|name| Stopped { name, ..Stopped::default() }).collect()
    }

    /// Stops agents; the reply comes when nothing they ever started is left. A second `stop` of one
    /// that has exited takes it off the list.
    fn stop(
        &mut self,
        from: Caller,
        (keys, mut gone): (Vec<AgentKey>, Vec<Stopped>),
        grace_ms: u64,
        then_exit: bool,
    ) {
        let mut waiting = BTreeSet::new();
        for key in keys {
            if self.stop_one(key, grace_ms) {
                waiting.insert(key);
            } else {
                gone.extend(self.agents.get(key).map(Agent::remains));
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

    /// Has an agent stopped; whether its keeper has still to sweep up after it.
    pub(super) fn stop_one(&mut self, key: AgentKey, grace_ms: u64) -> bool {
        self.restarts.remove(&key);
        let Some(agent) = self.agents.get_mut(key) else { return false };
        if let Life::Exited(code) = agent.life
            && !agent.ending.stop_wanted
        {
            agent.ending.ended_before = Some(code);
        }
        agent.ending.stop_wanted = true;
        (agent.ending.restart_wanted, agent.ending.unasked) = (false, false);
        match agent.life {
            // What an agent left running after its own end is swept all the same.
            Life::Running | Life::Paused | Life::Exited(_)
                if agent.keeper.is_some() && !agent.ending.swept =>
            {
                self.order_stop(key, grace_ms);
                true
            }
            Life::Spawning => true,
            Life::Running | Life::Paused | Life::Exited(_) => {
                self.out.push(Message::Life(ToLifecycle::Remove(key)));
                false
            }
        }
    }

    fn signal(&mut self, from: Caller, key: AgentKey, signal: &str) {
        let life = self.agents.get(key).map(|agent| agent.life);
        let reply = if !SIGNALS.contains(&signal) {
            let known = SIGNALS.join(" ");
            Reply::error(USAGE, format!("'{signal}' is not a signal that can be sent; one of {known}"))
        } else if let None | Some(Life::Exited(_)) = life {
            Reply::error(FAILED, "the agent has exited")
        } else if life == Some(Life::Spawning) {
            Reply::error(FAILED, "the agent is only being started; try again")
        } else {
            if let Some(agent) = self.agents.get_mut(key).filter(|_| signal == "CONT") {
                agent.to_pause = Some(false);
            }
            let Caller { client, id } = from;
            self.order(key, Order::Signal { client, id, signal: signal.to_owned() });
            return self.reply(ToReplies::Owe(from, Owed::OfSession(key)));
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
        // Also what is only about to be what it shall not be.
        let meant = |agent: &Agent| {
            agent.spec.pane.is_none() && (agent.life == life || agent.to_pause == Some(!pause))
        };
        let of_it = |key: &AgentKey| self.agents.get(*key).is_some_and(meant);
        let agents: BTreeSet<AgentKey> = keys.into_iter().filter(of_it).collect();
        if agents.is_empty() {
            return self.respond(from, Reply::Done);
        }
        for key in &agents {
            self.keeper(*key, message.clone());
            if let Some(agent) = self.agents.get_mut(*key) {
                agent.to_pause = Some(pause);
            }
        }
        self.reply(ToReplies::Owe(from, Owed::Pause { agents, paused: pause, running: Vec::new() }));
    }

    fn may_pause(&self, names: &[String]) -> Result<Vec<AgentKey>, Reply> {
        if let Some(failed) = names.iter().find_map(|name| self.failed.get(name)) {
            return Err(Reply::error(NO_SUCH, failed.refusal()));
        }
        let keys = named(&self.agents, names)?;
        if names.is_empty() {
            return Ok(keys);
        }
        let gone = keys.iter().filter_map(|key| self.agents.get(*key)).find(|agent| agent.gone());
        if let Some(gone) = gone {
            return Err(Reply::error(FAILED, format!("{} has exited", gone.spec.name)));
        }
        let spawning = |agent: &&Agent| agent.life == Life::Spawning;
        if let Some(agent) = keys.iter().filter_map(|key| self.agents.get(*key)).find(spawning) {
            let what = format!("{} is only being started; try again", agent.spec.name);
            return Err(Reply::error(FAILED, what));
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
