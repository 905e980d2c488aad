//! Ends: an agent that is swept up after and taken off the list, and the server that nothing needs any more.

use crate::server::effect::Effect;
use crate::server::hub::message::{Message, ToClients, ToConsultants, ToHooks, ToQuestions, ToReplies};
use crate::session::message::{AgentKey, Now};
use crate::wire::Notice;
use crate::wire::keeper::ToKeeper;
use crate::wire::stopped::Stopped;

use super::Lifecycle;
use super::agent::Agent;
use super::message::ToLifecycle;

/// Beyond the grace: a keeper that works kills what is left within milliseconds. One that stands still then is kept so.
const SWEEP_LOOK_MS: u64 = 1_000;
/// Beyond the grace: longer than any keeper goes on killing before it tells what does not go (10 s, `keeper/tree.rs`).
const SWEEP_MOST_MS: u64 = 12_000;

/// Whoever had something run overnight comes back within a day.
const ENDED_KEPT_MS: u64 = 24 * 3_600_000;

impl Lifecycle {
    /// Has its keeper stop an agent, and looks after it: an agent may keep its keeper from doing anything.
    pub(super) fn order_stop(&mut self, key: AgentKey, grace_ms: u64) {
        let over = self.now.ms.saturating_add(grace_ms);
        // Where there is no keeper yet, it is ordered anew once there is.
        let swept = |agent: &&mut Agent| agent.spec.pane.is_none() && agent.keeper.is_some();
        if let Some(agent) = self.agents.get_mut(key).filter(swept) {
            // A second order may shorten the grace, never lengthen it.
            let before = agent.ending.sweep_look_ms.map(|_| agent.ending.grace_until_ms);
            agent.ending.grace_until_ms = before.map_or(over, |before| before.min(over));
            agent.ending.sweep_look_ms = Some(agent.ending.grace_until_ms.saturating_add(SWEEP_LOOK_MS));
        }
        self.keeper(key, ToKeeper::Stop { grace_ms });
    }

    pub(super) fn sweep_due(&mut self, key: AgentKey) {
        let now_ms = self.now.ms;
        let Some(agent) = self.agents.get_mut(key) else { return };
        let (Some(_), Some(keeper)) = (agent.ending.sweep_look_ms, agent.keeper) else { return };
        agent.ending.sweep_look_ms = Some(now_ms + SWEEP_LOOK_MS);
        let overdue = now_ms >= agent.ending.grace_until_ms.saturating_add(SWEEP_MOST_MS);
        let token = agent.token.clone();
        self.effect(Effect::EndKeeper { keeper, token, overdue });
    }

    /// When it is to be looked at whether its keeper sweeps.
    pub fn sweep_look_at(&self, key: AgentKey) -> Option<u64> {
        self.agents.get(key)?.ending.sweep_look_ms
    }

    /// The keeper has swept up after an agent: it is off the list, unless it starts again.
    pub(super) fn swept(&mut self, key: AgentKey, left: Vec<u32>, kept: Vec<u32>) {
        let Some(agent) = self.agents.get_mut(key) else { return };
        agent.ending.swept = true;
        agent.ending.sweep_look_ms = None;
        let (name, stop) = (agent.spec.name.clone(), agent.ending.stop_wanted);
        let text = format!("{name} left processes that could not be ended: {left:?}");
        let alarm = !left.is_empty();
        (agent.ending.left, agent.ending.kept) = (left, kept);
        if alarm {
            self.tell(ToClients::Notify { agent: name, question: None, text });
        }
        if stop {
            self.out.push(Message::Life(ToLifecycle::Remove(key)));
        }
    }

    /// Its keeper is dead: what it kept is ended without it.
    pub(super) fn keeper_lost(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(key) else { return };
        agent.ending.sweep_look_ms = None;
        match (agent.keeper, &agent.spec.pane) {
            (Some(keeper), None) => {
                let token = agent.token.clone();
                self.effect(Effect::EndOrphans { agent: key, keeper, token });
            }
            // Nobody is left who could sweep, or say that it has.
            _ => self.swept(key, Vec::new(), Vec::new()),
        }
    }

    /// An agent that is still on the list has lost its session: its keeper has the terminal again, until a server
    /// takes it back.
    pub(super) fn session_ended(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get(key) else { return };
        let name = agent.spec.name.clone();
        let text =
            format!("{name} runs on unseen: its session has failed; 'counsel server restart' takes it back");
        let remains = Stopped { name: name.clone(), ..Stopped::default() };
        self.tell(ToClients::Notify { agent: name, question: None, text });
        self.leave(key, remains);
    }

    /// Takes an agent off the list for good.
    pub(super) fn remove(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get(key) else { return };
        let remains = agent.remains();
        self.leave(key, remains);
    }

    /// The others let go of it first: its questions are withdrawn while it can still be told so.
    pub(super) fn leave(&mut self, agent: AgentKey, remains: Stopped) {
        self.out.push(Message::Hook(ToHooks::AgentLeaves(agent)));
        self.out.push(Message::Question(ToQuestions::AgentLeaves(agent)));
        self.out.push(Message::Consultant(ToConsultants::Left(agent)));
        self.out.push(Message::Life(ToLifecycle::Drop { agent, remains: Box::new(remains) }));
    }

    pub(super) fn drop_agent(&mut self, key: AgentKey, remains: &Stopped) {
        let Some(agent) = self.agents.remove(key) else { return };
        self.restarts.remove(&key);
        self.numbers.leave(&remains.name, self.now.ms);
        self.effect(Effect::Forget { agent: key });
        if !agent.ending.stays_listed {
            self.tell(ToClients::Tell(Notice::Gone { name: remains.name.clone() }));
        }
        self.let_go(key);
        self.reply(ToReplies::Removed { agent: key, remains: Box::new(remains.clone()) });
        if self.last.remove(&key) && self.last.is_empty() {
            self.out.push(Message::Life(ToLifecycle::End));
        }
    }

    /// Nobody keeps anything of it.
    pub(super) fn let_go(&mut self, key: AgentKey) {
        self.out.push(Message::Hook(ToHooks::Forget(key)));
        self.out.push(Message::Consultant(ToConsultants::Forget(key)));
        self.out.push(Message::Question(ToQuestions::AgentLeaves(key)));
        self.out.push(Message::Question(ToQuestions::Forget(key)));
    }

    pub(super) fn end(&mut self) {
        if !self.leaving {
            self.leaving = true;
            self.tell(ToClients::Tell(Notice::Bye));
            self.out.push(Message::Question(ToQuestions::ServerEnds));
            self.effect(Effect::Exit);
        }
    }

    /// What of the server itself is due: making way for another one, and ending when nothing needs it.
    /// `clients`: somebody is connected; `busy`: agents come or go, or are told to type.
    pub fn check(&mut self, now: Now, clients: bool, busy: bool) -> Vec<Message> {
        self.now = now;
        self.check_replacement(busy);
        self.check_empty(clients);
        std::mem::take(&mut self.out)
    }

    fn check_replacement(&mut self, busy: bool) {
        let Some(replacement) = &self.replacement else { return };
        let typing = self.agents.values().any(|agent| agent.sight.typing || agent.sight.submitting);
        let waits = typing || busy || replacement.waits_for(self.agents.keys());
        if self.leaving || (waits && self.now.ms < replacement.by_ms) {
            return;
        }
        self.replacement = None;
        self.reply(ToReplies::Replaced);
        // No goodbye: the clients find the next server.
        self.leaving = true;
        self.out.push(Message::Question(ToQuestions::ServerEnds));
        self.effect(Effect::Exit);
    }

    /// How long the server stays once nobody is connected and no agent runs. What those that have ended printed, and how they
    /// ended, goes with it.
    pub(super) fn empty_ms(&self) -> u64 {
        let kept = if self.agents.values().next().is_some() { ENDED_KEPT_MS } else { 0 };
        self.settings.exit_when_empty_ms.max(kept)
    }

    fn check_empty(&mut self, clients: bool) {
        if clients || !self.restarts.is_empty() || self.agents.values().any(|agent| !agent.gone()) {
            self.empty_since = None;
            return;
        }
        let since = *self.empty_since.get_or_insert(self.now.ms);
        if self.now.ms >= since + self.empty_ms() && !self.leaving {
            let agents: Vec<AgentKey> = self.agents.keys().collect();
            agents.into_iter().for_each(|agent| self.effect(Effect::Forget { agent }));
            self.end();
        }
    }
}
