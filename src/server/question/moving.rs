//! A question whose words change by themselves while its rows stand: a clock, a ticker, a list that is being counted.
//!
//! What can only be a clock or a spinner is no part of a question (`core/question/restless.rs`). Of any other words nobody can
//! say whether they make another question; one that is another every second is no machine's to answer.
//!
//! Whoever answers names a question by its id, and means the words that they read. So an id is for one set of words: while they
//! change nothing is answered by it, and once they stand still they get one of their own. That keeps the log and whoever watches
//! from a new question with each redraw.

use crate::core::question::Question;
use crate::server::hub::message::ToReplies;
use crate::session::message::{AgentKey, AskKey};
use crate::wire::message::Reply;

use super::ask::Ask;
use super::{Questions, World};

/// Exit code of the contract.
const REFUSED: u8 = 4;
/// Within this time …
const WITHIN_MS: u64 = 10_000;
/// … a program that asks one question after the other, and is answered by nobody, has been seen to change its words so often
/// while it drew them. A ticker does so every second or faster.
const CHANGES: usize = 3;
/// So long have they stood still once they can be read and answered: that is longer than a ticker that shows one each second.
const STILL_MS: u64 = 2_000;
/// Whoever watches is told of words that change so often at most.
const TOLD_EVERY_MS: u64 = 1_000;
const IMPATIENT: &str = "its program asks it again every few seconds, or prints above it: look at what stands there before you answer";
const RESTLESS: &str = "what stands above it keeps changing: answer it in its pane";
const WHY: &str = "its words change by themselves: what was read may not be what is answered";
const CHANGING: &str =
    "its words change by themselves: it can be answered once they stand still, or in its pane";
/// Of the question that is there then.
pub(super) const STOOD: &str =
    "its words have changed by themselves: read what stands there now before you answer";

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
        let (agent, stays) = (ask.agent, ask.moving || ask.changes.stood || !ask.typed_in_vain.is_empty());
        if !stays {
            let moved = &mut self.track(agent).moved_ms;
            moved.retain(|at| world.now.ms < at + WITHIN_MS);
            moved.push_back(world.now.ms);
            if moved.len() < CHANGES {
                return false;
            }
        }
        self.track(agent).missing_since = None;
        self.moves_on(key, seen, again, world);
        true
    }

    /// The open question has come to say this.
    fn moves_on(&mut self, key: AskKey, seen: &Question, again: bool, world: World<'_>) {
        let now_ms = world.now.ms;
        let Some(ask) = self.open_mut(key) else { return };
        let passed_s = now_ms.saturating_sub(ask.seen_ms) / 1_000;
        let clock = ask.question.counts_down_to(seen, passed_s + 1);
        if !again && !clock {
            ask.changes.last_ms = Some(now_ms);
        }
        ask.moving = true;
        (ask.question, ask.fingerprint, ask.seen_ms) = (seen.clone(), seen.fingerprint(), now_ms);
        let restless = Questions::restless(ask);
        let noted = restless.is_none_or(|why| ask.note.as_deref() == Some(why));
        let tells = !again && now_ms >= ask.changes.told_ms + TOLD_EVERY_MS;
        if !ask.is_persons() {
            ask.changes.told_ms = now_ms;
            if restless == Some(CHANGING) {
                let stale = Reply::error(REFUSED, format!("could not answer {}: {CHANGING}", ask.id));
                self.reply(ToReplies::Answer { ask: key, reply: stale });
            }
            let why = restless.unwrap_or(if again { IMPATIENT } else { WHY });
            return self.escalate(key, why.to_owned(), None, world);
        }
        // What was typed in vain is told of until it is over.
        let notes = !noted && ask.typed_in_vain.is_empty();
        if notes {
            ask.note = restless.map(str::to_owned);
        }
        if tells || notes {
            ask.changes.told_ms = now_ms;
            self.tell_question(key);
        }
    }

    /// When the open question of an agent is to be answered again, if its words stand still until then.
    pub fn still_at(&self, key: AgentKey) -> Option<u64> {
        let ask = self.open_of(key).and_then(|ask| self.open(ask))?;
        ask.changes.last_ms.map(|at| at + STILL_MS)
    }

    /// The words of an agent's question have stood still, and can be read: from here on they are a question of their own. Whoever
    /// answers the one before read other words.
    pub(super) fn stands_still(&mut self, key: AgentKey, world: World<'_>) {
        let over = self.still_at(key).is_some_and(|at| world.now.ms >= at);
        let Some(ask_key) = self.open_of(key).filter(|_| over) else { return };
        let (Some(ask), Some(agent)) = (self.open(ask_key), world.agents.get(key)) else { return };
        let there = |seen: &&Question| !agent.sight.redrawing && seen.fingerprint() == ask.fingerprint;
        let missing = self.tracks.get(key).is_some_and(|track| track.missing_since.is_some());
        match agent.on_screen().filter(there).filter(|_| !missing).cloned() {
            Some(seen) => {
                self.track(key).stood_still = Some(seen.fingerprint());
                self.replace(key, ask_key, seen);
            }
            None => {
                // Not to be seen at this moment: it is looked at once more. An agent whose track is touched has its deadline worked
                // out anew.
                self.track(key);
                if let Some(ask) = self.open_mut(ask_key) {
                    ask.changes.last_ms = Some(world.now.ms);
                }
            }
        }
    }

    /// Why no answer from elsewhere is typed: it would be to something that nobody saw when they gave it.
    pub(super) fn restless(ask: &Ask) -> Option<&'static str> {
        match ask.changes.last_ms {
            Some(_) => Some(CHANGING),
            None => (ask.moving && ask.question.kind.gives_consent()).then_some(RESTLESS),
        }
    }
}
