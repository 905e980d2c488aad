//! What could not be started: whoever wanted the start says that it is to be listed, and a program that asks for one is
//! told the cause, which is all. An agent that could not be started *again* was on the list already, and stays.

use crate::core::agent::{AgentInfo, AgentSpec, name_fault};
use crate::core::policy::Policy;
use crate::core::question::State;
use crate::core::terminal::history::History;
use crate::server::hub::lookup::by_name;
use crate::server::hub::message::{Message, ToClients, ToReplies};
use crate::server::hub::replies::{Caller, Owed};
use crate::session::message::AgentKey;
use crate::wire::Notice;
use crate::wire::message::Reply;
use crate::wire::stopped::Stopped;

use super::Lifecycle;
use super::failed::FailedStart;
use super::message::ToLifecycle;

/// More than any team: beyond that the oldest goes.
const MOST: usize = 100;
/// A cause is a sentence or two.
const CAUSE_CHARS: usize = 1_000;
/// Exit codes of the contract.
const FAILED: u8 = 1;
const USAGE: u8 = 2;

impl Lifecycle {
    /// A program could not be started.
    pub(super) fn start_failed(&mut self, key: AgentKey, why: &str) {
        let Some(agent) = self.agents.get_mut(key) else { return };
        let name = agent.spec.name.clone();
        let text = format!("could not start {name}: {why}");
        // One that somebody wants to be gone is.
        let listed = agent.started_again && !agent.ending.stop_wanted;
        agent.ending.stays_listed = listed;
        let again = listed.then(|| Box::new((agent.spec.clone(), (*agent.policy).clone())));
        let (name_of, role) = (name.clone(), agent.spec.role);
        let failed = FailedStart { name: name_of, role, cause: text.clone(), number: 0, since: None, again };
        let remains = Stopped { name: name.clone(), ..Stopped::default() };
        self.reply(ToReplies::NotUp { agent: key, reply: Reply::error(FAILED, text.clone()) });
        self.tell(ToClients::Notify { agent: name, question: None, text });
        self.leave(key, remains);
        if failed.again.is_some() {
            self.out.push(Message::Life(ToLifecycle::ListFailed(Box::new(failed))));
        }
    }

    /// Somebody who wanted it started says that it could not be, and why.
    pub(super) fn not_started(&mut self, from: Caller, failed: FailedStart) {
        if let Some(what) = name_fault(&failed.name) {
            return self.respond(from, Reply::error(USAGE, what));
        }
        if let Some(old) = by_name(&self.agents, &failed.name) {
            if self.agents.get(old).is_some_and(|agent| !agent.gone() || agent.is_held()) {
                let what = format!("an agent '{}' runs", failed.name);
                return self.respond(from, Reply::error(FAILED, what));
            }
            self.replace_gone(old);
        }
        self.list_failed(failed);
        self.respond(from, Reply::Done);
    }

    pub(super) fn list_failed(&mut self, mut failed: FailedStart) {
        // What is known of how it is started again is not forgotten for another cause.
        let before = self.failed.take(&failed.name).and_then(|before| before.again);
        failed.again = failed.again.or(before);
        failed.cause = failed.cause.chars().take(CAUSE_CHARS).collect();
        let oldest = self.failed.infos().next().map(|info| info.name.clone());
        if let Some(oldest) = oldest.filter(|_| self.failed.infos().len() >= MOST) {
            self.forget_failed(&oldest);
        }
        let number = self.numbers.give(&failed.name, Some(failed.number), self.now.ms);
        let now = self.now.unix_ms as f64 / 1000.0;
        let info = AgentInfo {
            since: failed.since.map_or(now, |since| since.min(now)),
            role: failed.role,
            number,
            failed: Some(failed.cause.clone()),
            ..AgentInfo::of(&failed.name, State::Exited)
        };
        self.tell(ToClients::Tell(Notice::Agent(Box::new(info.clone()))));
        self.failed.put(failed, info);
    }

    /// Takes the one of this name off the list; whether there was one.
    pub(super) fn forget_failed(&mut self, name: &str) -> bool {
        let there = self.failed.take(name).is_some();
        if there {
            self.numbers.leave(name, self.now.ms);
            self.tell(ToClients::Tell(Notice::Gone { name: name.to_owned() }));
        }
        there
    }

    /// Starts it once more as it was started before.
    pub(super) fn try_again(&mut self, from: Caller, name: &str) {
        let again = self.failed.get(name).and_then(|start| start.again.as_deref().cloned());
        let Some((spec, policy)) = again else {
            let what = format!(
                "{name} never ran; start it as it was to be started, with 'counsel start {name} -- COMMAND' or \
                 'counsel up'"
            );
            return self.respond(from, Reply::error(FAILED, what));
        };
        if let Err(reply) = self.goes_on() {
            return self.respond(from, reply);
        }
        let spec = self.next_panes.at_its_size(self.settings.sizing, spec);
        let key = self.spawn_again(spec, policy, None);
        self.reply(ToReplies::Owe(from, Owed::Start(key)));
    }

    /// Has one started that was on the list before, and stays there if it cannot be.
    pub(super) fn spawn_again(
        &mut self,
        spec: AgentSpec,
        policy: Policy,
        history: Option<History>,
    ) -> AgentKey {
        let key = self.spawn(spec, policy, history);
        if let Some(agent) = self.agents.get_mut(key) {
            agent.started_again = true;
        }
        key
    }
}
