//! The words for whoever watches the story: what happens now, and what is theirs to do.
//!
//! `cli/demo.rs` gives them to the dashboard. Pure.

use std::collections::BTreeMap;

use super::story;
use crate::core::question::Kind;
use crate::wire::Notice;
use crate::wire::message::{QuestionInfo, Status};

/// Shown until something has happened.
pub const FIRST: &str = "Three scripted agents begin to work. Their questions go to a fourth, the advisor.";

/// What was told so far.
#[derive(Debug)]
pub struct Tell {
    /// The chord that opens a question.
    answer: String,
    /// The status last told of each question.
    told: BTreeMap<String, Status>,
}

impl Tell {
    pub fn new(answer: String) -> Tell {
        Tell { answer, told: BTreeMap::new() }
    }

    /// `None`: nothing that a person needs to be told.
    pub fn tell(&mut self, notice: &Notice) -> Option<String> {
        let Notice::Question(question) = notice else { return None };
        if self.told.insert(question.id.clone(), question.status) == Some(question.status) {
            return None;
        }
        self.words(question)
    }

    fn words(&self, question: &QuestionInfo) -> Option<String> {
        let QuestionInfo { agent, prompt, route, .. } = question;
        let answer = question.answer.as_deref().unwrap_or_default();
        let over = self.told.values().filter(|status| **status == Status::Answered).count();
        let (advised, decided) = story::count();
        match question.status {
            Status::Consulting => Some(format!(
                "{agent} asks: {prompt} counsel takes it to {route}, with the time that is left."
            )),
            Status::Open | Status::Escalated if question.kind == Kind::Permission => Some(format!(
                "{agent} asks permission: that is yours. {} opens it, Enter gives an answer.",
                self.answer
            )),
            Status::Open | Status::Escalated if question.route == "human" => {
                Some(format!("{agent} asks you: {} opens it, Enter gives an answer.", self.answer))
            }
            Status::Answering if route != "human" => Some(format!(
                "{route} says {answer}. counsel looks at the dialog again, key by key, and answers."
            )),
            Status::Answered if over == advised + decided => Some(
                "That was the story: every answer is proved. Look around, or leave; nothing is left behind."
                    .into(),
            ),
            Status::Answered => {
                Some(format!("{agent} has its answer, {answer}, and goes on; the log keeps the proof."))
            }
            Status::Open | Status::Escalated | Status::Answering | Status::Proposed | Status::Withdrawn => {
                None
            }
        }
    }
}
