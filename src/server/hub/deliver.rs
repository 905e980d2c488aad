//! An answer on its way into its dialog: ordered from the agent's session, and what came of it.
//!
//! What is typed, and whether, is decided by `core/deliver` in the session, on the screen as it stands; here the
//! order is given and the outcome drawn.

use crate::core::deliver::Proof;
use crate::core::log::log_entry::Outcome;
use crate::core::question::Answer;
use crate::session::message::{AgentKey, AskKey, DeliverOrder, DeliveryOutcome, Order, Refusal, Sight};
use crate::wire::message::{Reply, Status};

use super::Hub;
use super::question_lifecycle::End;

/// Exit codes of the contract.
const FAILED: u8 = 1;
const REFUSED: u8 = 4;

impl Hub {
    /// Has the answer that was decided on typed.
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
        if self.in_conflict(key) || self.ask_anew_if_cropped(key) {
            return;
        }
        let Some(ask) = self.asks.get_mut(&key) else { return };
        let Some(decided) = ask.decided.clone() else { return };
        let Some(agent) = self.agents.get(&ask.agent) else { return };
        ask.status = Status::Answering;
        ask.delivering = true;
        let order = DeliverOrder {
            ask: key,
            question: ask.question.clone(),
            fingerprint: ask.fingerprint,
            answer: decided.answer,
            typed: agent.sight.typed,
            // A person's own answer has no deadline.
            until_ms: ask.deadline_ms.filter(|_| decided.by != "person"),
        };
        let agent = ask.agent;
        self.order(agent, Order::Deliver(Box::new(order)));
        self.tell_question(key);
    }

    /// The session tells how far an answer has come; `keys`: all that were sent for it.
    pub(super) fn delivery(
        &mut self,
        key: AgentKey,
        ask_key: AskKey,
        outcome: DeliveryOutcome,
        keys: Vec<String>,
        sight: Sight,
    ) {
        self.see(key, sight);
        if let Some(ask) = self.asks.get_mut(&ask_key).filter(|ask| !ask.status.settled()) {
            ask.delivering = matches!(outcome, DeliveryOutcome::Begun | DeliveryOutcome::Touched);
            let leaving = if ask.delivering { None } else { ask.leaving.take() };
            match (outcome, leaving) {
                (DeliveryOutcome::Begun, _) => self.answer_owed(ask_key, Reply::Done),
                (DeliveryOutcome::Touched, _) => self.hook_abstains(key),
                (DeliveryOutcome::Done(proof), _) => self.answered(key, ask_key, keys, proof),
                (_, Some(end)) => self.withdrawn(ask_key, End { keys, ..end }),
                (DeliveryOutcome::Withdrawn, None) => self.deliver(ask_key),
                (DeliveryOutcome::Refused(refusal), None) => self.delivery_refused(ask_key, &refusal),
                (DeliveryOutcome::Failed(why), None) => {
                    ask.typed_in_vain.extend(keys);
                    self.escalate(ask_key, format!("the answer did not go in: {why}"), String::new());
                }
            }
        }
        self.act_on_sight(key);
    }

    fn delivery_refused(&mut self, key: AskKey, refusal: &Refusal) {
        let code = match refusal {
            Refusal::NotOnScreen | Refusal::Typed | Refusal::Paused => REFUSED,
            Refusal::Busy | Refusal::Unfit(_) => FAILED,
        };
        let why = format!("could not type the answer: {refusal}");
        self.answer_owed(key, Reply::error(code, why.clone()));
        match (refusal, self.asks.get_mut(&key)) {
            // It is typed once the agent goes on.
            (Refusal::Paused, Some(ask)) => ask.kept = true,
            _ => self.escalate(key, why, String::new()),
        }
    }

    /// Whoever answered by a request is told whether it is being typed.
    pub(super) fn answer_owed(&mut self, key: AskKey, reply: Reply) {
        if let Some((client, id)) = self.asks.get_mut(&key).and_then(|ask| ask.reply_to.take()) {
            self.reply(client, id, reply);
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

    /// A person always wins: what was on its way into this pane is not typed any more. `choice`: what they chose
    /// in the dialog on the screen, as far as their keys tell.
    pub(super) fn typed(&mut self, key: AgentKey, typed: u64, person: bool, choice: Option<Answer>) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        agent.sight.typed = typed;
        agent.used_ms = now.ms;
        let open = agent.ask;
        self.hook_abstains(key);
        let Some(ask) = open.and_then(|open| self.asks.get_mut(&open)) else { return };
        ask.choice = choice;
        if matches!(ask.status, Status::Open | Status::Consulting | Status::Proposed | Status::Answering) {
            let who = if person { "a person" } else { "a program" };
            let why = format!("{who} typed into the pane");
            open.into_iter().for_each(|ask| self.escalate_quietly(ask, why.clone()));
        }
    }

    /// As `escalate`, for a person who is there already: no bell.
    pub(super) fn escalate_quietly(&mut self, key: AskKey, why: String) {
        self.cancel_consultation(key);
        let Some(ask) = self.asks.get_mut(&key) else { return };
        ask.status = Status::Escalated;
        ask.route = "human".to_owned();
        ask.left_alone = false;
        ask.note = Some(why);
        (ask.deadline_ms, ask.deadline_unix_ms) = (None, None);
        let agent = ask.agent;
        self.tell_question(key);
        self.tell_agent(agent);
    }
}
