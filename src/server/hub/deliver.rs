//! Typing: the one place from which counsel's own keys reach an agent.
//!
//! What is typed, and whether, is decided by `core/deliver/mod.rs`; here its steps are performed and its
//! outcome is drawn.

use crate::core::deliver::{Delivery, Proof, Step};
use crate::core::log::log_entry::Outcome;
use crate::core::terminal::encode::encode;
use crate::core::terminal::keys::Input;
use crate::server::effect::{AgentKey, AskKey, Effect};
use crate::wire::message::Status;

use super::agent::{Life, SyncState, Typing};
use super::question_lifecycle::End;
use super::{Hub, agent};
use crate::core::question::State;

/// More steps at one look than any dialog has keys: a machine that never waits is broken.
const MAX_STEPS: usize = 64;
/// Between two looks at a terminal that collects lines under a program that draws a screen.
const INPUT_BLOCKED_MS: u64 = 50;

impl Hub {
    /// Begins to type the answer that was decided on.
    pub(super) fn deliver(&mut self, key: AskKey) {
        if self.in_words(key) {
            return self.hand_back(key);
        }
        if self.kept_for_later(key) {
            return;
        }
        if self.deliver_by_hook(key) || self.hook_expects(key) {
            return;
        }
        let now = self.now;
        if self.in_conflict(key) || self.ask_anew_if_cropped(key) {
            return;
        }
        let Some(ask) = self.asks.get_mut(&key) else { return };
        let Some(decided) = ask.decided.clone() else { return };
        let Some(agent) = self.agents.get_mut(&ask.agent) else { return };
        let on_screen = agent.verdict.question.as_ref().map(|question| question.fingerprint());
        let refused = if on_screen != Some(ask.fingerprint) {
            Err("the question is no longer the one on screen".to_owned())
        } else if agent.typing.is_some() {
            Err("something else is being typed into that pane".to_owned())
        } else {
            Delivery::new(&ask.question, &decided.answer, &agent.profile.keys, agent.typed, now.ms)
        };
        match refused {
            Ok(mut delivery) => {
                // A person's own answer has no deadline.
                if let Some(deadline) = ask.deadline_ms.filter(|_| decided.by != "person") {
                    delivery = delivery.until(deadline);
                }
                ask.status = Status::Answering;
                let agent_key = ask.agent;
                agent.typing = Some(Typing::Answer(key, Box::new(delivery)));
                self.tell_question(key);
                self.drive_typing(agent_key);
            }
            Err(why) => self.escalate(key, format!("could not type the answer: {why}"), String::new()),
        }
    }

    /// Lets whatever is being typed into an agent take its next steps.
    pub(super) fn drive_typing(&mut self, key: AgentKey) {
        self.first_prompt(key);
        for _ in 0..MAX_STEPS {
            let now = self.now;
            let Some(agent) = self.agents.get_mut(&key) else { return };
            let Some(typing) = &agent.typing else { return };
            let mut typing = typing.clone();
            let step = typing.delivery().step(&agent.delivery_context(now), now.ms);
            if step.is_key() && !self.up_to_date(key) {
                // The same step is taken again on what is there by then.
                return;
            }
            let Some(agent) = self.agents.get_mut(&key) else { return };
            (agent.typing, agent.typing_wake) = (None, None);
            let modes = agent.screen.modes();
            let input = match step {
                Step::Press(press) => Input::Key(press),
                Step::Text(text) => Input::Text(text),
                Step::Paste(text) => Input::Paste(text),
                Step::Wait { until_ms } => {
                    agent.typing_wake = Some(until_ms.max(now.ms + 1));
                    agent.typing = Some(typing);
                    return;
                }
                Step::Done(proof) => return self.typed_well(key, typing, proof),
                // It took its question along, and nobody needs to be called.
                Step::Failed(_) if agent.gone() && matches!(typing, Typing::Answer(..)) => {
                    agent.typing = Some(typing);
                    return;
                }
                Step::Failed(why) => return self.typed_badly(key, typing, why),
            };
            agent.typing = Some(typing.clone());
            self.note_paste(key, &typing, &input);
            self.out.push(Effect::Write { agent: key, bytes: encode(&input, &modes) });
        }
    }

    /// Whether everything the agent has printed is known; if not, it is read, and the agent's next step comes
    /// right behind it.
    pub(super) fn up_to_date(&mut self, key: AgentKey) -> bool {
        let Some(agent) = self.agents.get_mut(&key) else { return false };
        match agent.sync_state {
            SyncState::Fresh => true,
            SyncState::Asked => false,
            SyncState::Old => {
                agent.sync_state = SyncState::Asked;
                agent.typing_wake = None;
                self.out.push(Effect::Drain { agent: key });
                false
            }
        }
    }

    /// All output up to now has been told: keys that were to be sent are, if they still make sense.
    pub(super) fn drained(&mut self, key: AgentKey, lines: bool) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        agent.sync_state = SyncState::Fresh;
        agent.input_blocked_until =
            if lines && agent.reads_keys() { self.now.ms + INPUT_BLOCKED_MS } else { 0 };
        self.press_due_submits(key);
        self.drive_typing(key);
        if let Some(agent) = self.agents.get_mut(&key) {
            agent.sync_state = SyncState::Old;
        }
    }

    /// Types the configured prompt once the agent is ready for it.
    fn first_prompt(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        if agent.first_prompt.is_none() || agent.typing.is_some() || agent.life != Life::Running {
            return;
        }
        let composed = agent.verdict.composer.as_ref().is_some_and(|composer| composer.draft.is_empty());
        let ready = match agent.verdict.state {
            State::Idle => composed || agent.settled_down(now),
            // A program without a profile is ready when it has printed and fallen silent.
            State::Unknown => agent.settled_down(now),
            State::Starting | State::Working | State::Asking | State::Exited | State::Paused => false,
        };
        if !ready {
            return;
        }
        let text = agent.first_prompt.take().expect("checked above");
        let delivery = Delivery::prompt(&text, &agent.profile.keys, agent.typed, now.ms);
        agent.typing = Some(Typing::FirstPrompt(Box::new(delivery)));
    }

    fn typed_well(&mut self, key: AgentKey, mut typing: Typing, proof: Proof) {
        let sent = typing.delivery().keys_sent().to_vec();
        match typing {
            Typing::Answer(ask, _) => self.answered(key, ask, sent, proof),
            Typing::Consultation(ask, _) => {
                self.forget_draft(key);
                self.question_put(key, ask);
            }
            Typing::FirstPrompt(_) => {}
        }
    }

    fn answered(&mut self, key: AgentKey, ask_key: AskKey, keys: Vec<String>, proof: Proof) {
        if let Some((keys, proof)) = self.hook_confirms(key, ask_key, keys, proof) {
            self.answered_well(key, ask_key, keys, proof);
        }
    }

    /// The answer is in, with all the proof there will be.
    pub(super) fn answered_well(&mut self, key: AgentKey, ask_key: AskKey, keys: Vec<String>, proof: Proof) {
        let Some(ask) = self.asks.get(&ask_key) else { return };
        let by = ask.decided.as_ref().map_or_else(String::new, |decided| decided.by.clone());
        if by != "person" {
            self.note_answer(key);
        }
        let note = Some(format!("answered by {by}"));
        let (status, outcome) = (Status::Answered, Outcome::Answered);
        self.close_question(ask_key, End { status, outcome, note, by, keys, proof: Some(proof) });
    }

    fn typed_badly(&mut self, key: AgentKey, typing: Typing, why: String) {
        let Some(agent) = self.agents.get(&key) else { return };
        let name = agent.spec.name.clone();
        match typing {
            Typing::Answer(ask, delivery) => {
                if let Some(ask) = self.asks.get_mut(&ask) {
                    ask.typed_in_vain.extend_from_slice(delivery.keys_sent());
                }
                self.escalate(ask, format!("the answer did not go in: {why}"), String::new())
            }
            Typing::Consultation(ask, _) => {
                if self.is_asked(ask, key) {
                    self.next_consultant(ask, format!("could not put it to {name}: {why}"));
                }
            }
            Typing::FirstPrompt(_) => self.broadcast_notification(
                &name,
                None,
                &format!("could not type the first prompt of {name}: {why}"),
            ),
        }
    }

    /// Nothing more is typed for this question. The keys that were.
    pub(super) fn stop_typing(&mut self, key: AskKey) -> Vec<String> {
        let typing =
            |agent: &&mut super::Agent| matches!(&agent.typing, Some(Typing::Answer(ask, _)) if *ask == key);
        let Some(agent) = self.agents.values_mut().find(typing) else { return Vec::new() };
        agent.typing_wake = None;
        let typing = agent.typing.take();
        typing.map(|mut typing| typing.delivery().keys_sent().to_vec()).unwrap_or_default()
    }

    /// A person, or a program on a person's behalf, types into an agent.
    pub(super) fn type_into(&mut self, key: AgentKey, input: &[Input], person: bool) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let modes = agent.screen.modes();
        let bytes: Vec<u8> = input.iter().flat_map(|input| encode(input, &modes)).collect();
        if bytes.is_empty() {
            return;
        }
        if input.iter().any(agent::disturbs) {
            agent.typed += 1;
            agent.used_ms = self.now.ms;
            self.forget_draft(key);
            let Some(agent) = self.agents.get_mut(&key) else { return };
            let (screen, composer) = (agent.verdict.question.clone(), agent.verdict.composer.clone());
            let ask = agent.ask.and_then(|ask| self.asks.get_mut(&ask));
            if let (Some(ask), Some(screen)) = (ask, screen) {
                input.iter().for_each(|input| ask.user_choice.follow(&screen, composer.as_ref(), input));
            }
            self.person_typed(key, person);
        }
        self.out.push(Effect::Write { agent: key, bytes });
    }

    /// A person always wins: what was on its way into this pane is not typed any more.
    pub(super) fn person_typed(&mut self, key: AgentKey, person: bool) {
        self.drive_typing(key);
        self.hook_abstains(key);
        let Some(ask) = self.agents.get(&key).and_then(|agent| agent.ask) else { return };
        let open = |ask: &super::Ask| {
            matches!(ask.status, Status::Open | Status::Consulting | Status::Proposed | Status::Answering)
        };
        if self.asks.get(&ask).is_some_and(open) {
            let who = if person { "a person" } else { "a program" };
            self.escalate_quietly(ask, format!("{who} typed into the pane"));
        }
    }

    /// As `escalate`, for a person who is there already: no bell.
    pub(super) fn escalate_quietly(&mut self, key: AskKey, why: String) {
        self.cancel_consultation(key);
        let Some(ask) = self.asks.get_mut(&key) else { return };
        ask.status = Status::Escalated;
        ask.route = "human".to_owned();
        ask.note = Some(why);
        (ask.deadline_ms, ask.deadline_unix_ms) = (None, None);
        let agent = ask.agent;
        self.tell_question(key);
        self.tell_agent(agent);
    }
}
