//! A channel that contradicts the screen: how long it may, and what becomes of the question meanwhile.
//!
//! `core/detect/channels.rs` tells what report and title say. While they contradict, nothing is typed for the
//! question on the screen; if they go on, a person is called. Nothing is ever answered because of them.

use crate::core::detect::channels::{self, Agreement, Signal, Trust};
use crate::core::question::{Kind, Question};
use crate::server::hub::message::{ToClients, ToQuestions};
use crate::server::lifecycle::agent::Agent;
use crate::session::Life;
use crate::session::message::{AgentKey, AskKey, Now};

use super::ask::Source;
use super::phase::{HoldReason, Phase};
use super::{Questions, World};

impl Questions {
    /// Notes whether an agent's channels contradict its screen, before anything is made of that.
    pub(super) fn listen(&mut self, key: AgentKey, agent: &Agent, now: Now) {
        if channels::contradiction(agent.signals()).is_some() {
            self.track(key).conflict_since.get_or_insert(now.ms);
        }
    }

    fn forget_conflict(&mut self, key: AgentKey) {
        let track = self.track(key);
        (track.conflict_since, track.conflict_told) = (None, false);
    }

    /// The screen has been compared: its question is told of by other channels too, or doubted; and what was held
    /// back is typed once they agree.
    pub(super) fn reconcile(&mut self, key: AgentKey, world: World<'_>) {
        let Some(agent) = world.agents.get(key) else { return };
        let in_conflict = channels::contradiction(agent.signals()).is_some();
        if !in_conflict {
            self.forget_conflict(key);
        }
        let Some(ask_key) = self.open_of(key) else { return };
        let Some(ask) = self.asks.get_mut(ask_key) else { return };
        let cleared = !in_conflict && ask.conflict.take().is_some();
        let held = !in_conflict && ask.phase.held(HoldReason::Conflict);
        if self.corroborate(ask_key, world) || cleared {
            self.tell_question(ask_key);
        }
        if held {
            self.then(ToQuestions::Deliver(ask_key));
        }
    }

    /// Joins a question on the screen with what report and title say of it. Whether that is new.
    pub(super) fn corroborate(&mut self, key: AskKey, world: World<'_>) -> bool {
        let Some(ask) = self.asks.get_mut(key).filter(|ask| !ask.settled()) else { return false };
        let Some(agent) = world.agent_of(ask) else { return false };
        if agent.on_screen().map(Question::fingerprint) != Some(ask.fingerprint) {
            return false;
        }
        let signals = agent.signals();
        let agrees = |by_kernel: bool| {
            let by = |signal: &&Signal| (signal.channel == "tty") == by_kernel;
            signals.iter().filter(by).any(|signal| signal.agreement == Agreement::Agrees)
        };
        let witnessed = agrees(true) && ask.sources.insert(Source::Tty);
        let contradicted = channels::contradiction(signals).is_some();
        // Silence takes nothing back; another word does.
        let moved = match agrees(false) {
            true => ask.sources.insert(Source::Status),
            false => contradicted && ask.sources.remove(&Source::Status),
        };
        let conflict = channels::contradiction(signals).filter(|_| !ask.seen_on(Source::Hook));
        let trust = match conflict {
            Some(_) => Trust::Low,
            None if ask.sources.len() > 1 => Trust::High,
            None => Trust::Normal,
        };
        let changed = moved || witnessed || ask.trust != trust;
        ask.trust = trust;
        changed
    }

    /// Whether this answer has to wait until the channels agree. A person has seen the screen: theirs does not.
    pub(super) fn in_conflict(&mut self, key: AskKey, world: World<'_>) -> bool {
        let Some(ask) = self.asks.get_mut(key) else { return false };
        let agent = ask.agent;
        let Some(track) = self.tracks.get(agent) else { return false };
        let doubted = track.conflict_since.is_some() && track.open == Some(key);
        if !doubted || ask.decided_by_person() || ask.seen_on(Source::Hook) {
            return false;
        }
        ask.hold(HoldReason::Conflict);
        let lasts = track.conflict_told;
        self.tell_question(key);
        if lasts {
            self.conflict_lasts(agent, world);
        }
        true
    }

    /// Whatever of an agent's questions is due by now.
    pub(super) fn agent_due(&mut self, key: AgentKey, world: World<'_>) {
        self.missing(key, world);
        self.stands_still(key, world);
        let Some(agent) = world.agents.get(key) else { return };
        self.log_left(key, agent, world);
        let Some(track) = self.tracks.get(key) else { return };
        if agent.life != Life::Running {
            if track.conflict_since.is_some() || track.conflict_told {
                self.forget_conflict(key);
            }
        } else if track.conflict_wake().is_some_and(|at| world.now.ms >= at) {
            self.track(key).conflict_told = true;
            self.conflict_lasts(key, world);
        }
    }

    /// It is not that one of them was late: a person has to look.
    fn conflict_lasts(&mut self, key: AgentKey, world: World<'_>) {
        let Some(agent) = world.agents.get(key) else { return };
        let Some(Signal { channel, detail, .. }) = channels::contradiction(agent.signals()) else { return };
        let why = format!("the screen is in doubt: the program's {channel} {detail}");
        let open = self.open_of(key).and_then(|ask| Some((ask, self.open(ask)?)));
        let Some((ask_key, ask)) = open else {
            // It says that it waits, and nothing is seen that could be answered.
            if agent.on_screen().is_none_or(|seen| seen.kind == Kind::Text) {
                let name = agent.spec.name.clone();
                let text = format!("{name} needs you: {why}");
                self.tell(ToClients::Notify { agent: name, question: None, text });
            }
            return;
        };
        if ask.seen_on(Source::Hook) {
            return;
        }
        let untouched = match &ask.phase {
            Phase::Delivering(..) => ask.phase.held(HoldReason::Conflict) || ask.phase.held(HoldReason::Disk),
            Phase::Ignored => false,
            _ => true,
        };
        if matches!(ask.phase, Phase::Escalated { .. }) {
            // A person has been called already, for another reason; whoever looks is told this one too.
            if let Some(ask) = self.asks.get_mut(ask_key) {
                ask.conflict = Some(why);
            }
            self.tell_question(ask_key);
        } else if untouched {
            self.escalate(ask_key, why, None, world);
        }
    }
}
