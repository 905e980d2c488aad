//! Who answers: the route of a question, what was decided, and a person who takes over.

use crate::core::deliver::as_typed;
use crate::core::log::log_entry::Routed;
use crate::core::policy::Mode;
use crate::core::policy::route::{Route, route};
use crate::core::question::Answer;
use crate::server::hub::message::{Message, ToClients, ToHooks, ToQuestions, ToReplies};
use crate::session::message::{AgentKey, AskKey};
use crate::wire::message::Reply;

use super::ask::words;
use super::phase::{AnsweredBy, Decision, HoldReason, Lane, Phase, Reserve};
use super::{Questions, World};

/// Exit code of the contract.
const FAILED: u8 = 1;

impl Questions {
    /// Decides who answers, and starts on it.
    pub(super) fn route(&mut self, key: AskKey, world: World<'_>) {
        let Some(ask) = self.open(key) else { return };
        let Some(agent) = world.agent_of(ask) else { return };
        let decision = route(&ask.question, &agent.asker(), &agent.policy);
        let (agent_key, fingerprint, left) = (ask.agent, ask.fingerprint, ask.suggested.is_some());
        let routed = match &decision {
            Route::Consult { with, .. } => Routed::Consult(with.names().map(str::to_owned).collect()),
            Route::Human { .. } => Routed::Human,
            Route::Answer { answer, .. } => Routed::Answer(words(answer, &ask.question)),
            Route::Ignore { .. } => Routed::Ignore,
        };
        if let Some(ask) = self.asks.get_mut(key) {
            ask.routed = Some(routed);
        }
        match decision {
            Route::Human { why, rule } => self.escalate(key, why, Some(rule), world),
            Route::Consult { rule, .. } if left => self.propose_again(key, rule, world),
            Route::Consult { with, rule } => {
                let limit = self
                    .loops(agent_key, fingerprint, world)
                    .or_else(|| self.limit_reached(key, agent_key, world))
                    .or_else(|| self.consulted_too_often(agent_key, world));
                if let Some(limit) = limit {
                    return self.escalate(key, limit, Some(rule), world);
                }
                self.note_consulted(agent_key, world);
                if let Some(ask) = self.asks.get_mut(key) {
                    ask.rule = rule;
                }
                self.consult(key, &with, world);
            }
            Route::Answer { answer, rule } => {
                // A rule may well say the same a hundred times, but not a thousand.
                if let Some(limit) = self.limit_reached(key, agent_key, world) {
                    return self.escalate(key, limit, Some(rule), world);
                }
                if let Some(ask) = self.asks.get_mut(key) {
                    ask.rule.clone_from(&rule);
                }
                self.decide(key, Decision { answer, by: AnsweredBy::Rule(rule), reason: None }, world);
            }
            Route::Ignore { rule } => {
                if let Some(ask) = self.asks.get_mut(key) {
                    ask.enter(Phase::Ignored);
                    ask.note = Some("a rule says to leave it alone".to_owned());
                    ask.rule = rule;
                    ask.deadline_ms = None;
                }
                self.tell_question(key);
            }
        }
    }

    /// What a consultant suggested under the server before waits on.
    fn propose_again(&mut self, key: AskKey, rule: String, world: World<'_>) {
        let Some(ask) = self.asks.get_mut(key) else { return };
        ask.rule = rule;
        if let Some(decision) = ask.suggested.take() {
            self.propose(key, decision, world);
        }
    }

    /// A consultant's answer is put before a person.
    fn propose(&mut self, key: AskKey, decision: Decision, world: World<'_>) {
        let Some(ask) = self.asks.get_mut(key) else { return };
        ask.enter(Phase::Proposed(decision));
        // It is a person's now: no deadline takes it from them.
        ask.deadline_ms = None;
        self.tell_question(key);
        self.notify_person(key, "an answer waits for your word", world);
    }

    /// An answer is decided on: it is typed, or put before a person, or only noted.
    pub(super) fn decide(&mut self, key: AskKey, decision: Decision, world: World<'_>) {
        let Some(ask) = self.asks.get_mut(key).filter(|ask| !ask.settled()) else { return };
        if ask.of_nobody() {
            ask.enter(Phase::Delivering(decision, Lane::Reply));
            return self.then(ToQuestions::Deliver(key));
        }
        let Some(agent) = world.agent_of(ask) else { return };
        let answer = match decision.answer {
            // What the log and everybody is told is what is typed.
            Answer::Text(text) if !ask.in_words() => Answer::Text(as_typed(&text)),
            other => other,
        };
        let decision = Decision { answer, ..decision };
        let consult = &agent.policy.consult;
        if consult.mode == Mode::Shadow && decision.by != AnsweredBy::Person {
            let said = words(&decision.answer, &ask.question);
            let why = format!("shadow mode: {} would have answered {said:?}", decision.by);
            ask.shadow = Some(decision);
            return self.escalate(key, why, None, world);
        }
        let confirmed = match &decision.by {
            AnsweredBy::Consultant(_) => consult.confirm,
            // Their own rule is a person's word already.
            AnsweredBy::Rule(rule) => consult.confirm && agent.policy.is_projects(rule),
            AnsweredBy::Person => false,
        };
        if confirmed {
            return self.propose(key, decision, world);
        }
        let agent_key = ask.agent;
        if matches!(decision.by, AnsweredBy::Consultant(_))
            && let Some(limit) = self.limit_reached(key, agent_key, world)
        {
            // Others were answered while this one was thought about.
            return self.escalate(key, limit, None, world);
        }
        let Some(ask) = self.asks.get_mut(key) else { return };
        ask.reserve = Reserve::None;
        ask.enter(Phase::Delivering(decision, Lane::Keys));
        self.then(ToQuestions::Deliver(key));
    }

    /// A person is needed: the question waits for them, and they are told.
    pub(super) fn escalate(&mut self, key: AskKey, why: String, rule: Option<String>, world: World<'_>) {
        let Some(agent) = self.hand_to_person(key, why.clone(), world) else { return };
        if let (Some(rule), Some(ask)) = (rule, self.asks.get_mut(key)) {
            ask.rule = rule;
        }
        self.tell_question(key);
        self.notify_person(key, &why, world);
        self.out.push(Message::Hook(ToHooks::Abstain(agent)));
    }

    /// As `escalate`, for a person who is there already: no bell.
    pub(super) fn escalate_quietly(&mut self, key: AskKey, why: String, world: World<'_>) {
        let Some(agent) = self.hand_to_person(key, why, world) else { return };
        self.tell_question(key);
        self.tell(ToClients::TellAgent(agent));
    }

    fn hand_to_person(&mut self, key: AskKey, why: String, world: World<'_>) -> Option<AgentKey> {
        self.cancel_consultation(key, world.now);
        let ask = self.open_mut(key)?;
        let was = ask.decision().cloned();
        ask.enter(Phase::Escalated { was });
        ask.note = Some(why.clone());
        ask.deadline_ms = None;
        let agent = ask.agent;
        // Whoever answered it is told that this came to nothing.
        self.reply(ToReplies::Answer { ask: key, reply: Reply::error(FAILED, why) });
        // It asks again, where its answer was on the way.
        self.reply(ToReplies::Check(agent));
        Some(agent)
    }

    /// A person always wins: what was on its way into this pane is not typed any more. `choice`: what they chose
    /// in the dialog on the screen, as far as their keys tell. `held`: their program knows nothing of it yet.
    pub(super) fn typed(
        &mut self,
        key: AgentKey,
        (person, held): (bool, bool),
        choice: Option<Answer>,
        world: World<'_>,
    ) {
        let Some(ask_key) = self.open_of(key) else { return };
        let Some(ask) = self.open_mut(ask_key) else { return };
        (ask.choice, ask.typed_ms) = (choice.and_then(|choice| ask.of_view(choice)), Some(world.now.ms));
        ask.given_ms = if held { ask.given_ms } else { ask.typed_ms };
        if !matches!(ask.phase, Phase::Escalated { .. }) {
            let who = if person { "a person" } else { "a program" };
            self.escalate_quietly(ask_key, format!("{who} typed into the pane"), world);
        }
    }

    pub(super) fn clock_stops(&mut self, key: AgentKey, world: World<'_>) {
        let now_ms = world.now.ms;
        self.track(key).paused_ms.get_or_insert(now_ms);
        self.touch_of(key);
    }

    /// Gives the question the time it stood still.
    pub(super) fn clock_runs(&mut self, key: AgentKey, world: World<'_>) {
        self.touch_of(key);
        let Some(since) = self.track(key).paused_ms.take() else { return };
        let stood = world.now.ms.saturating_sub(since);
        let Some(ask_key) = self.open_of(key) else { return };
        let Some(ask) = self.asks.get_mut(ask_key) else { return };
        ask.deadline_ms = ask.deadline_ms.map(|at| at + stood);
        if let Some(turn) = ask.turn_mut() {
            turn.until_ms = turn.until_ms.map(|at| at + stood);
        }
        self.tell_question(ask_key);
    }

    /// What is due of this agent's questions has changed.
    pub(super) fn touch_of(&mut self, key: AgentKey) {
        let asks: Vec<AskKey> =
            self.asks.iter().filter(|(_, ask)| ask.agent == key).map(|(ask, _)| ask).collect();
        asks.into_iter().for_each(|ask| self.asks.touch(ask));
    }

    /// The screen of an agent that goes on has been judged.
    pub(super) fn deliver_kept(&mut self, key: AgentKey, world: World<'_>) {
        let on = world.agents.get(key).is_some_and(|agent| !agent.stands_still() && agent.sight.current);
        let Some(ask_key) = self.open_of(key).filter(|_| on) else { return };
        let Some(ask) = self.open(ask_key) else { return };
        let seen = ask.phase.held(HoldReason::Unseen) && !self.is_missed(ask_key, world);
        if ask.phase.held(HoldReason::Paused) || seen {
            self.then(ToQuestions::Deliver(ask_key));
        }
    }

    /// Whether nobody can say yet that the question is gone: the last look did not meet it, and until it has been missed
    /// for long enough it may only be drawn anew, by a program that goes on for instance, or for another size.
    pub(super) fn is_missed(&self, key: AskKey, world: World<'_>) -> bool {
        let Some(ask) = self.open(key) else { return false };
        let Some(agent) = world.agents.get(ask.agent).filter(|agent| !agent.gone()) else { return false };
        let track = self.tracks.get(ask.agent).filter(|track| track.open == Some(key));
        let missed = track.is_some_and(|track| track.missing_since.is_some());
        let of_form = world.hooks.get(ask.agent).is_some_and(|hook| hook.at(key).is_some());
        let away = agent.on_screen().is_none() && (missed || agent.sight.redrawing);
        (away || self.is_being_redrawn(key, agent)) && !of_form
    }
}
