//! A channel that contradicts the screen: how long it may, and what becomes of the question meanwhile.
//!
//! `core/channels.rs` tells what report and title say; `judge` comes here after each look. While they contradict,
//! nothing is typed for the question on the screen; if they go on, a person is called. Nothing is ever answered
//! because of them.

use crate::core::channels::{self, Stand, Trust, Word};
use crate::core::detect::Step;
use crate::core::question::{Kind, Question};
use crate::core::watch::Explanation;
use crate::server::effect::{AgentKey, AskKey};
use crate::wire::message::Status;

use super::Hub;
use super::agent::{Agent, Life};
use super::hook::NOTHING;

/// A report or a title comes up to 0.75 s before the dialog it speaks of and never after it. Four times that, for
/// a machine that is busy.
const LATE_MS: u64 = 3_000;

/// What an agent's channels and its screen tell differently.
#[derive(Debug, Default)]
pub(super) struct Doubt {
    since_ms: Option<u64>,
    /// It has lasted, and the consequences are drawn.
    told: bool,
    /// Decided, and not typed because of it.
    held: Option<AskKey>,
}

impl Doubt {
    pub(super) fn wake(&self) -> Option<u64> {
        self.since_ms.filter(|_| !self.told).map(|since| since + LATE_MS)
    }
}

impl Agent {
    /// What its other channels say of the verdict on its screen.
    fn words(&self) -> Vec<Word> {
        match self.life {
            Life::Running => channels::hear(&self.profile, &self.look(), &self.verdict),
            Life::Spawning | Life::Paused | Life::Exited(_) => Vec::new(),
        }
    }
}

impl Hub {
    /// Notes whether an agent's channels contradict its screen, before anything is made of that.
    pub(super) fn listen(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        if channels::contradiction(&agent.words()).is_some() {
            agent.doubt.since_ms.get_or_insert(now.ms);
        }
    }

    /// The screen has been compared: its question is told of by other channels too, or doubted; and what was held
    /// back is typed once they agree.
    pub(super) fn weigh(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let doubted = channels::contradiction(&agent.words()).is_some();
        let held = if doubted { None } else { std::mem::take(&mut agent.doubt).held };
        let open = agent.ask;
        if let Some(ask_key) = open {
            let cleared = |ask: &mut super::Ask| !doubted && ask.doubt.take().is_some();
            let cleared = self.asks.get_mut(&ask_key).is_some_and(cleared);
            if self.heard(ask_key) || cleared {
                self.tell_question(ask_key);
            }
        }
        if let Some(ask_key) = held.filter(|ask| Some(*ask) == open) {
            self.deliver(ask_key);
        }
    }

    /// Joins a question on the screen with what report and title say of it. Whether that is new.
    pub(super) fn heard(&mut self, key: AskKey) -> bool {
        let Some(ask) = self.asks.get_mut(&key).filter(|ask| !ask.status.settled()) else { return false };
        let Some(agent) = self.agents.get(&ask.agent) else { return false };
        if agent.verdict.question.as_ref().map(Question::fingerprint) != Some(ask.fingerprint) {
            return false;
        }
        let words = agent.words();
        let agrees = words.iter().any(|word| word.stand == Stand::Agrees);
        let contradicted = channels::contradiction(&words).is_some();
        // Silence takes nothing back; another word does.
        let moved = match agrees {
            true => ask.sources.insert("status"),
            false => contradicted && ask.sources.remove("status"),
        };
        let doubt = channels::contradiction(&words).filter(|_| !ask.sources.contains("hook"));
        let trust = match doubt {
            Some(_) => Trust::Low,
            None if ask.sources.len() > 1 => Trust::High,
            None => Trust::Normal,
        };
        let changed = moved || ask.trust != trust;
        ask.trust = trust;
        changed
    }

    /// Whether this answer has to wait until the channels agree. A person has seen the screen: theirs does not.
    pub(super) fn doubted(&mut self, key: AskKey) -> bool {
        let Some(ask) = self.asks.get_mut(&key) else { return false };
        let Some(agent) = self.agents.get_mut(&ask.agent) else { return false };
        let by_person = ask.decided.as_ref().is_some_and(|decided| decided.by == "person");
        if agent.doubt.since_ms.is_none()
            || agent.ask != Some(key)
            || by_person
            || ask.sources.contains("hook")
        {
            return false;
        }
        agent.doubt.held = Some(key);
        ask.status = Status::Answering;
        self.tell_question(key);
        let lasts = self.agents.get(&self.asks[&key].agent).is_some_and(|agent| agent.doubt.told);
        if lasts {
            self.doubt_lasts(self.asks[&key].agent);
        }
        true
    }

    pub(super) fn tick_doubt(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        if agent.life != Life::Running {
            agent.doubt = Doubt::default();
        } else if agent.doubt.wake().is_some_and(|at| now.ms >= at) {
            agent.doubt.told = true;
            self.doubt_lasts(key);
        }
    }

    /// It is not that one of them was late: a person has to look.
    fn doubt_lasts(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let held = agent.doubt.held.take();
        let words = agent.words();
        let Some(Word { channel, detail, .. }) = channels::contradiction(&words) else { return };
        let why = format!("the screen is in doubt: the program's {channel} {detail}");
        let name = agent.spec.name.clone();
        let open =
            agent.ask.and_then(|ask| Some((ask, self.asks.get(&ask).filter(|ask| !ask.status.settled())?)));
        match open {
            Some((_, ask)) if ask.sources.contains("hook") => {}
            // A person has been called already, for another reason; whoever looks is told this one too.
            Some((ask_key, ask)) if ask.status == Status::Escalated => {
                if let Some(ask) = self.asks.get_mut(&ask_key) {
                    ask.doubt = Some(why);
                    self.tell_question(ask_key);
                }
            }
            Some((ask_key, ask)) => {
                let untouched = held == Some(ask_key) || ask.status != Status::Answering;
                if untouched && ask.route != "nobody" {
                    self.escalate(ask_key, why, String::new());
                }
            }
            // It says that it waits, and nothing is seen that could be answered.
            None if agent.verdict.question.as_ref().is_none_or(|seen| seen.kind == Kind::Text) => {
                self.alarm(&name, None, &format!("{name} needs you: {why}"));
            }
            None => {}
        }
    }
}

/// What the hooks have told, as one of the channels.
pub(super) fn hook_word(seen: &Explanation, step: &Step) -> Word {
    // The last page of a form, and boxes of the program's own, are not in what the hook tells.
    let told_of = |question: &Question| matches!(question.kind, Kind::Menu | Kind::Multi);
    let stand = match &seen.question {
        _ if step.fired => Stand::Agrees,
        Some(question) if told_of(question) && step.detail != NOTHING => Stand::Contradicts,
        _ => Stand::Silent,
    };
    Word { channel: "hook", stand, detail: step.detail.clone() }
}
