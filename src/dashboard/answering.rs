//! Agents that a person has just given an answer from here: what is typed into their panes goes nowhere until the answer
//! is in and that could be seen.
//!
//! The server types an answer within some hundred milliseconds. A key pressed twice, or a second thought, was typed before
//! that, and was the answer; a little later it answered the next question. `drawer.rs` begins such a moment, `notices.rs`
//! ends it, `update.rs` and `mouse.rs` ask for it before anything goes to an agent. Pure.

use crate::wire::message::QuestionInfo;

use super::focus::{HOLD_MS, PAUSE_MS};
use super::state::{Given, State};

/// A dialog that takes its answer has taken it long before; nobody is kept longer from what is their own.
const LIMIT_MS: u64 = 3_000;

fn limit_ms(given: &Given) -> u64 {
    given.given_ms + LIMIT_MS
}

impl State {
    /// An answer to this question was sent off.
    pub fn answer_given(&mut self, question: &QuestionInfo) {
        let now = self.now_ms;
        let given =
            Given { question: question.id.clone(), given_ms: now, until_ms: now + LIMIT_MS, open: true };
        self.answering.insert(question.agent.clone(), given);
    }

    /// It went in, or it did not; that takes a moment to be seen.
    pub fn answer_over(&mut self, id: &str) {
        let now = self.now_ms;
        if let Some(given) = self.answering.values_mut().find(|given| given.question == id && given.open) {
            (given.until_ms, given.open) = (given.until_ms.min(now + HOLD_MS), false);
        }
    }

    /// The agent asks something new: what is typed at that moment may be meant for what it asked before.
    pub fn asked_anew(&mut self, question: &QuestionInfo) {
        let now = self.now_ms;
        if let Some(given) = self.answering.get_mut(&question.agent)
            && given.question != question.id
            && now < limit_ms(given)
        {
            given.until_ms = given.until_ms.max(now + HOLD_MS);
        }
    }

    /// Whether its pane takes nothing at the moment.
    pub fn is_answered(&self, name: &str) -> bool {
        self.answering.get(name).is_some_and(|given| self.now_ms < given.until_ms)
    }

    /// Whether the person has just answered it, and is not needed for it any more.
    pub fn just_answered(&self, question: &QuestionInfo) -> bool {
        let here =
            |given: &Given| given.open && given.question == question.id && self.now_ms < given.until_ms;
        self.answering.get(&question.agent).is_some_and(here)
    }

    /// Something was typed there and went nowhere: what follows it belongs to it.
    pub fn typed_behind_answer(&mut self, name: &str) {
        let now = self.now_ms;
        if let Some(given) = self.answering.get_mut(name) {
            let last_ms = limit_ms(given).max(given.until_ms);
            given.until_ms = given.until_ms.max((now + PAUSE_MS).min(last_ms));
        }
        self.say(format!("{name} is being given your answer; what was typed behind it went nowhere"));
    }
}
