//! A question whose words change by themselves while its rows stand: a clock, a ticker, a list that is being counted.
//!
//! What can only be a clock or a spinner is no part of a question (`core/question/restless.rs`). Of any other words nobody can
//! say whether they make another question; one that is another every second is no machine's to answer.

use crate::core::question::Question;
use crate::session::message::AskKey;

use super::ask::Ask;
use super::{Questions, World};

/// Within this time …
const WITHIN_MS: u64 = 10_000;
/// … a program that asks one question after the other, and is answered by nobody, has been seen to change its words so often
/// while it drew them. A ticker does so every second or faster.
const CHANGES: usize = 3;
const IMPATIENT: &str = "its program asks it again every few seconds, or prints above it: look at what stands there before you answer";
const RESTLESS: &str = "what stands above it keeps changing: answer it in its pane";
const WHY: &str = "its words change by themselves: what was read may not be what is answered";

impl Questions {
    /// The open question stands on the screen, though its highlight or a clock in it may have moved.
    pub(super) fn still_there(&mut self, key: AskKey, question: &Question, judged_ms: u64) {
        let Some(ask) = self.asks.get_mut(key) else { return };
        ask.seen_ms = judged_ms.max(ask.seen_ms);
        // With a text typed into it, a free-text row reads like any other: the row stays what it was.
        if ask.shown() == question || ask.fingerprint != question.fingerprint() {
            return;
        }
        // Nobody is told ten times a second how far a spinner has come.
        let told = ask.shown().looks_like(question);
        ask.follow(question);
        if !told {
            self.tell_question(key);
        }
    }

    /// Whether what is seen are the words of the question that is being answered, without its rows: they are drawn anew behind each
    /// key, on a busy machine in pieces.
    pub(super) fn is_half_drawn(&self, key: AskKey, seen: &Question) -> bool {
        let being_typed = |ask: &&Ask| ask.ordered.is_some() && !ask.question.options.is_empty();
        let ask = self.open(key).filter(being_typed);
        ask.is_some_and(|ask| seen.options.is_empty() && ask.shown().prompt == seen.prompt)
    }

    /// Whether what is seen is the open question with other words once more. It stays the one it is, and becomes a person's.
    pub(super) fn keeps_moving(&mut self, key: AskKey, seen: &Question, world: World<'_>) -> bool {
        let Some(ask) = self.open(key) else { return false };
        let any_program = seen.origin.printed.is_some() && !seen.kind.person_only();
        let untouched = world.agent_of(ask).is_some_and(|agent| agent.sight.typed == ask.typed);
        let (then, now) = (&ask.question.origin, &seen.origin);
        let again = ask.fingerprint == seen.fingerprint() && !then.same_place(now);
        if again && seen.kind.gives_consent() && !then.only_above_changes(now) {
            // A yes to one thing is given to no other, however many numbers that takes.
            return false;
        }
        let rows = !seen.options.is_empty() && ask.question.labels() == seen.labels();
        // The next read of a line is the next question, whatever it says.
        let same_read = then.same_wait(now);
        if !(again || rows) || !any_program || !untouched || !same_read || ask.ordered.is_some() {
            return false;
        }
        // An answer that was typed in vain may still be taken: whatever the words say now, a person looks at it.
        let (agent, stays) = (ask.agent, ask.moving || !ask.typed_in_vain.is_empty());
        if !stays {
            let moved = &mut self.track(agent).moved_ms;
            moved.retain(|at| world.now.ms < at + WITHIN_MS);
            moved.push_back(world.now.ms);
            if moved.len() < CHANGES {
                return false;
            }
        }
        self.track(agent).missing_since = None;
        let Some(ask) = self.open_mut(key) else { return false };
        ask.moving = true;
        (ask.question, ask.fingerprint) = (seen.clone(), seen.fingerprint());
        let why = Questions::restless(ask).unwrap_or(if again { IMPATIENT } else { WHY });
        if !ask.is_persons() {
            self.escalate(key, why.to_owned(), None, world);
        } else if why == RESTLESS && ask.note.as_deref() != Some(RESTLESS) {
            ask.note = Some(RESTLESS.to_owned());
            self.tell_question(key);
        }
        true
    }

    /// Why no answer from elsewhere is typed: a yes would be to something that nobody saw when they gave it.
    pub(super) fn restless(ask: &Ask) -> Option<&'static str> {
        (ask.moving && ask.question.kind.gives_consent()).then_some(RESTLESS)
    }
}
