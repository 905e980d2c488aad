//! What a hook tells of a question that was on the screen before it.

use crate::core::policy::guard;
use crate::core::question::Kind;
use crate::server::hub::message::{Message, ToHooks, ToQuestions};
use crate::session::message::{AgentKey, AskKey, Order};

use super::ask::Ask;
use super::phase::{AnsweredBy, HoldReason, Lane, Phase};
use super::{Questions, World};

/// A hook and the screen tell of one question within half a second of each other, whichever is first. An older
/// question on the screen is another one, on its way out.
const TOGETHER_MS: u64 = 2_000;

/// Why a question in words is a person's after all: the screen showed only a part of the message that the hook tells whole.
fn persons_by_message(ask: &Ask) -> Option<&'static str> {
    let decided = match &ask.phase {
        Phase::Ignored | Phase::Escalated { .. } | Phase::Settled(_) => return None,
        _ => ask.decision(),
    };
    let by_person = decided.is_some_and(|decision| decision.by == AnsweredBy::Person);
    (ask.question.kind == Kind::Text && !by_person).then(|| guard::veto(&ask.question)).flatten()
}

impl Questions {
    /// The hook speaks of a question that may stand on the screen already.
    pub(super) fn hook_spoke(&mut self, key: AgentKey, world: World<'_>) {
        let Some(ask_key) = self.open_of(key) else { return };
        let fresh = |ask: &Ask| world.now.ms <= ask.asked_ms + TOGETHER_MS;
        if !self.open(ask_key).is_some_and(fresh) {
            return;
        }
        match self.meets_hook(ask_key, world) {
            Ok(true) => {
                self.tell_question(ask_key);
                if let Some(why) = self.asks.get(ask_key).and_then(persons_by_message) {
                    return self.then(ToQuestions::Escalate { ask: ask_key, why: why.to_owned() });
                }
                self.joined_by_hook(ask_key, world);
            }
            Ok(false) => {}
            Err(why) => self.then(ToQuestions::Escalate { ask: ask_key, why }),
        }
    }

    /// The question that a hook now waits for was on the screen before it: how far has it come?
    fn joined_by_hook(&mut self, ask_key: AskKey, world: World<'_>) {
        let Some(ask) = self.asks.get(ask_key) else { return };
        let key = ask.agent;
        if world.hooks.get(key).is_none_or(|hook| hook.waiting.is_none()) {
            return;
        }
        match &ask.phase {
            // Decided, and no key sent: both lanes are open still.
            Phase::Delivering(_, Lane::Held(HoldReason::HookLate { .. })) => {
                self.then(ToQuestions::Deliver(ask_key));
            }
            // It is given to whichever lane is open then.
            Phase::Delivering(_, Lane::Held(HoldReason::Disk)) => {}
            // If no key was sent, the session gives it back, and the hook takes it.
            Phase::Delivering(_, Lane::Keys) if ask.ordered.is_some() => {
                self.order(key, Order::Withdraw { ask: ask_key, untouched: true });
            }
            Phase::Routing
            | Phase::Ignored
            | Phase::Consulting(_)
            | Phase::Proposed(_)
            | Phase::Delivering(_, Lane::Held(HoldReason::Paused)) => {
                self.out.push(Message::Hook(ToHooks::Routed(ask_key)));
            }
            Phase::Delivering(..) | Phase::Escalated { .. } | Phase::Settled(_) => {
                self.out.push(Message::Hook(ToHooks::Abstain(key)));
            }
        }
    }
}
