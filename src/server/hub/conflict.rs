//! A channel that contradicts the screen: how long it may, and what becomes of the question meanwhile.
//!
//! `core/detect/channels.rs` tells what report and title say; `classify` comes here after each verdict. While
//! they contradict, nothing is typed for the question on the screen; if they go on, a person is called. Nothing
//! is ever answered because of them.

use crate::core::detect::channels::{self, Agreement, Signal, Trust};
use crate::core::question::{Kind, Question};
use crate::session::Life;
use crate::session::message::{AgentKey, AskKey};
use crate::wire::message::Status;

use super::Hub;
use super::agent::Agent;

/// A report or a title comes up to 0.75 s before the dialog it speaks of and never after it. Four times that, for
/// a machine that is busy.
const LATE_MS: u64 = 3_000;

/// What an agent's channels and its screen tell differently.
#[derive(Debug, Default)]
pub(super) struct Conflict {
    since_ms: Option<u64>,
    /// It has lasted, and the consequences are drawn.
    told: bool,
    /// Decided, and not typed because of it.
    held: Option<AskKey>,
}

impl Conflict {
    pub(super) fn wake(&self) -> Option<u64> {
        self.since_ms.filter(|_| !self.told).map(|since| since + LATE_MS)
    }
}

impl Agent {
    /// What its other channels say of the verdict on its screen.
    fn signals(&self) -> &[Signal] {
        match self.life {
            Life::Running => &self.sight.signals,
            Life::Spawning | Life::Paused | Life::Exited(_) => &[],
        }
    }
}

impl Hub {
    /// Notes whether an agent's channels contradict its screen, before anything is made of that.
    pub(super) fn listen(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        if channels::contradiction(agent.signals()).is_some() {
            agent.conflict.since_ms.get_or_insert(now.ms);
        }
    }

    /// The screen has been compared: its question is told of by other channels too, or doubted; and what was held
    /// back is typed once they agree.
    pub(super) fn reconcile(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let in_conflict = channels::contradiction(agent.signals()).is_some();
        let held = if in_conflict { None } else { std::mem::take(&mut agent.conflict).held };
        let open = agent.ask;
        if let Some(ask_key) = open {
            let cleared = |ask: &mut super::Ask| !in_conflict && ask.conflict.take().is_some();
            let cleared = self.asks.get_mut(&ask_key).is_some_and(cleared);
            if self.corroborate(ask_key) || cleared {
                self.tell_question(ask_key);
            }
        }
        if let Some(ask_key) = held.filter(|ask| Some(*ask) == open) {
            self.deliver(ask_key);
        }
    }

    /// Joins a question on the screen with what report and title say of it. Whether that is new.
    pub(super) fn corroborate(&mut self, key: AskKey) -> bool {
        let Some(ask) = self.asks.get_mut(&key).filter(|ask| !ask.status.settled()) else { return false };
        let Some(agent) = self.agents.get(&ask.agent) else { return false };
        if agent.on_screen().map(Question::fingerprint) != Some(ask.fingerprint) {
            return false;
        }
        let signals = agent.signals();
        let agrees = |by_kernel: bool| {
            let by = |signal: &&Signal| (signal.channel == "tty") == by_kernel;
            signals.iter().filter(by).any(|signal| signal.agreement == Agreement::Agrees)
        };
        let witnessed = agrees(true) && ask.sources.insert("tty");
        let contradicted = channels::contradiction(signals).is_some();
        // Silence takes nothing back; another word does.
        let moved = match agrees(false) {
            true => ask.sources.insert("status"),
            false => contradicted && ask.sources.remove("status"),
        };
        let conflict = channels::contradiction(signals).filter(|_| !ask.sources.contains("hook"));
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
    pub(super) fn in_conflict(&mut self, key: AskKey) -> bool {
        let Some(ask) = self.asks.get_mut(&key) else { return false };
        let Some(agent) = self.agents.get_mut(&ask.agent) else { return false };
        let by_person = ask.decided.as_ref().is_some_and(|decided| decided.by == "person");
        if agent.conflict.since_ms.is_none()
            || agent.ask != Some(key)
            || by_person
            || ask.sources.contains("hook")
        {
            return false;
        }
        agent.conflict.held = Some(key);
        ask.status = Status::Answering;
        self.tell_question(key);
        let lasts = self.agents.get(&self.asks[&key].agent).is_some_and(|agent| agent.conflict.told);
        if lasts {
            self.conflict_lasts(self.asks[&key].agent);
        }
        true
    }

    pub(super) fn tick_conflict(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        if agent.life != Life::Running {
            agent.conflict = Conflict::default();
        } else if agent.conflict.wake().is_some_and(|at| now.ms >= at) {
            agent.conflict.told = true;
            self.conflict_lasts(key);
        }
    }

    /// It is not that one of them was late: a person has to look.
    fn conflict_lasts(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let held = agent.conflict.held.take();
        let signals = agent.signals();
        let Some(Signal { channel, detail, .. }) = channels::contradiction(signals) else { return };
        let why = format!("the screen is in doubt: the program's {channel} {detail}");
        let name = agent.spec.name.clone();
        let open =
            agent.ask.and_then(|ask| Some((ask, self.asks.get(&ask).filter(|ask| !ask.status.settled())?)));
        match open {
            Some((_, ask)) if ask.sources.contains("hook") => {}
            // A person has been called already, for another reason; whoever looks is told this one too.
            Some((ask_key, ask)) if ask.status == Status::Escalated => {
                if let Some(ask) = self.asks.get_mut(&ask_key) {
                    ask.conflict = Some(why);
                    self.tell_question(ask_key);
                }
            }
            Some((ask_key, ask)) => {
                let untouched = held == Some(ask_key) || ask.status != Status::Answering;
                if untouched && !ask.left_alone {
                    self.escalate(ask_key, why, String::new());
                }
            }
            // It says that it waits, and nothing is seen that could be answered.
            None if agent.on_screen().is_none_or(|seen| seen.kind == Kind::Text) => {
                self.broadcast_notification(&name, None, &format!("{name} needs you: {why}"));
            }
            None => {}
        }
    }
}
