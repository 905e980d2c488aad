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
    keys: Keys,
    /// The status last told of each question.
    told: BTreeMap<String, Status>,
    /// The question that is told from its asking to its answer; what happens to others meanwhile is seen, not told.
    followed: Option<String>,
}

/// The chords that the story names.
#[derive(Debug)]
pub struct Keys {
    /// Opens a question.
    pub answer: String,
    /// Opens the log.
    pub log: String,
    /// Leaves.
    pub detach: String,
}

impl Tell {
    pub fn new(keys: Keys) -> Tell {
        Tell { keys, told: BTreeMap::new(), followed: None }
    }

    /// `None`: nothing that a person needs to be told. `waiting`: lines that are still to be read; where there are some,
    /// no other question is begun with.
    pub fn tell(&mut self, notice: &Notice, waiting: usize) -> Option<String> {
        let Notice::Question(question) = notice else { return None };
        if self.told.insert(question.id.clone(), question.status) == Some(question.status) {
            return None;
        }
        let over = self.told.values().filter(|status| **status == Status::Answered).count();
        let (advised, decided) = story::count();
        if over == advised + decided {
            let Keys { log, detach, .. } = &self.keys;
            return Some(format!(
                "That was the story. {log} shows each answer with its proof; {detach} leaves, and nothing is left behind."
            ));
        }
        if self.followed.is_none() && waiting == 0 && question.status == Status::Consulting {
            self.followed = Some(question.id.clone());
        }
        let followed = self.followed.as_ref() == Some(&question.id);
        if followed && question.status.settled() {
            self.followed = None;
        }
        self.words(question).filter(|_| followed || waits_for_person(question) || by_person(question))
    }

    fn words(&self, question: &QuestionInfo) -> Option<String> {
        let QuestionInfo { agent, prompt, route, .. } = question;
        let answer = question.answer.as_deref().unwrap_or_default();
        let Keys { answer: opens, log, .. } = &self.keys;
        match question.status {
            Status::Consulting => Some(format!(
                "{agent} asks: {prompt} counsel takes it to {route}, who has to answer in time."
            )),
            Status::Open | Status::Escalated if question.kind == Kind::Permission => Some(format!(
                "{agent} asks permission: that is yours. {opens} opens it, Enter gives an answer."
            )),
            Status::Open | Status::Escalated if waits_for_person(question) => {
                Some(format!("{agent} asks you: {opens} opens it, Enter gives an answer."))
            }
            Status::Answering if route != "human" => Some(format!(
                "{route} says {answer}. counsel types it into {agent}'s dialog, and looks at it after each key."
            )),
            Status::Answered => Some(format!(
                "{agent} has its answer, {answer}, and goes on. {log} shows who gave it, and the proof."
            )),
            Status::Open | Status::Escalated | Status::Answering | Status::Proposed | Status::Withdrawn => {
                None
            }
        }
    }
}

fn waits_for_person(question: &QuestionInfo) -> bool {
    matches!(question.status, Status::Open | Status::Escalated) && question.route == "human"
}

/// It was theirs, and is answered.
fn by_person(question: &QuestionInfo) -> bool {
    question.status == Status::Answered && question.route == "human"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(id: &str, status: Status, route: &str) -> Notice {
        let question = serde_json::json!({
            "id": id, "agent": id, "kind": "menu", "prompt": "Which one?", "options": ["SQLite"], "selected": 0,
            "multi": false, "asked_at": 0.0, "deadline_at": null, "status": status, "route": route, "sources": [],
            "answer": (status != Status::Consulting).then_some("SQLite"),
        });
        Notice::Question(serde_json::from_value(question).unwrap())
    }

    /// With three agents that asked at a time the lines were of one and then of another, and of none was its answer told.
    #[test]
    fn a_question_is_told_from_its_asking_to_its_answer() {
        let keys = || Keys { answer: "ctrl-a a".into(), log: "ctrl-a l".into(), detach: "ctrl-a d".into() };
        let mut tell = Tell::new(keys());
        let mut told = |id: &str, status, route: &str| tell.tell(&question(id, status, route), 0);
        let asked = told("api", Status::Consulting, "advisor").unwrap();
        assert!(asked.starts_with("api asks: Which one?") && asked.contains("to advisor"), "{asked}");
        assert_eq!(told("web", Status::Consulting, "advisor"), None, "one at a time");
        let says = told("api", Status::Answering, "advisor").unwrap();
        assert!(says.starts_with("advisor says SQLite") && says.contains("types it"), "{says}");
        assert_eq!(told("web", Status::Answering, "advisor"), None);
        assert!(
            told("docs", Status::Escalated, "human").unwrap().contains("ctrl-a a"),
            "whoever needs the person"
        );
        let answered = told("api", Status::Answered, "advisor").unwrap();
        assert!(answered.contains("has its answer, SQLite") && answered.contains("ctrl-a l"), "{answered}");
        assert_eq!(told("web", Status::Answered, "advisor"), None, "its beginning was not told");
        assert!(told("docs", Status::Answered, "human").is_some());
        assert!(told("web-2", Status::Consulting, "advisor").is_some(), "the next one");
        for rest in ["e", "f"] {
            told(rest, Status::Answered, "advisor");
        }
        let last = told("g", Status::Answered, "advisor");
        assert!(last.is_none());
        let end = told("h", Status::Answered, "advisor").unwrap();
        assert!(end.starts_with("That was the story") && end.contains("ctrl-a d"), "{end}");
    }
}
