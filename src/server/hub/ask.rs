//! An open question: what was asked, who is to answer, how far the answer has come.

use std::collections::{BTreeSet, VecDeque};

use crate::core::consult::chain::Link;
use crate::core::detect::channels::Trust;
use crate::core::log::log_entry::{Shadow, Turn};
use crate::core::question::normalize::normalize;
use crate::core::question::{Answer, Fingerprint, Question};
use crate::session::message::{AgentKey, ClientKey};
use crate::wire::message::{QuestionInfo, Status};

use super::question_lifecycle::End;

/// The answer that was decided on, and by whom.
#[derive(Debug, Clone)]
pub(super) struct Decided {
    pub answer: Answer,
    /// `consultant NAME`, `rule WHY`, `person`.
    pub by: String,
    pub reason: Option<String>,
}

/// A question from its appearing to its end.
#[derive(Debug)]
pub struct Ask {
    pub(super) id: String,
    pub(super) agent: AgentKey,
    pub(super) question: Question,
    pub(super) fingerprint: Fingerprint,
    pub(super) status: Status,
    /// What it was before it was settled, for as long as the log's entry is not on the disk.
    pub(super) shown: Option<Status>,
    /// `human`, or the consultant's name.
    pub(super) route: String,
    /// A rule says that nobody is to answer it.
    pub(super) left_alone: bool,
    pub(super) rule: String,
    pub(super) note: Option<String>,
    pub(super) sources: BTreeSet<&'static str>,
    pub(super) trust: Trust,
    /// Which channel contradicts its screen, once that has lasted.
    pub(super) conflict: Option<String>,
    pub(super) asked_ms: u64,
    pub(super) asked_unix_ms: u64,
    /// When a consultant's time is over; `None` once a person is to answer.
    pub(super) deadline_ms: Option<u64>,
    pub(super) deadline_unix_ms: Option<u64>,
    pub(super) decided: Option<Decided>,
    /// Context files, once read.
    pub(super) context: Option<Vec<(String, String)>>,
    /// Values that must not be told.
    pub(super) secrets: Vec<String>,
    /// Consultants still to be asked, in order.
    pub(super) chain: VecDeque<Link>,
    /// What all of them together had when the first was asked.
    pub(super) span_ms: u64,
    /// Counts who was asked; the last one's answer alone is taken.
    pub(super) turn: u32,
    pub(super) turns: Vec<Turn>,
    pub(super) turn_until_ms: Option<u64>,
    /// The last reply could not be used, and why; it was asked once more.
    pub(super) again: Option<String>,
    pub(super) prompt_sent: Option<String>,
    pub(super) reply: Option<String>,
    /// The asking agent's screen when the question was seen.
    pub(super) before: String,
    /// What `typed` of the agent was then.
    pub(super) typed: u64,
    /// A command consultant is running for it.
    pub(super) running: bool,
    pub(super) remind_ms: Option<u64>,
    /// The command that calls a person waits for the secrets it must not tell, at most until then.
    pub(super) call_by_ms: Option<u64>,
    /// Decided while the agent was paused.
    pub(super) kept: bool,
    /// Decided, and kept back until the rest of its form is.
    pub(super) held: bool,
    /// Its answer was given to the agent's hook.
    pub(super) by_hook: bool,
    /// What the agent said last, exactly, where its hook told.
    pub(super) exact: Option<String>,
    /// In shadow mode: what would have been answered.
    pub(super) shadow: Option<Decided>,
    /// What a consultant proposed, where a person has the last word.
    pub(super) proposed: Option<Decided>,
    /// What the person is seen to choose in the pane.
    pub(super) choice: Option<Answer>,
    /// The session is to type the answer, and has not said what became of it.
    pub(super) delivering: bool,
    /// It is gone from the screen, and only what was typed for it is still to be told.
    pub(super) leaving: Option<End>,
    /// Who answered by a request, and waits to hear whether that is typed.
    pub(super) reply_to: Option<(ClientKey, u64)>,
    /// When it was last on the screen.
    pub(super) seen_ms: u64,
    /// Keys of deliveries that did not come to their end.
    pub(super) typed_in_vain: Vec<String>,
}

impl Ask {
    /// A question just seen, of which nothing is known but its words.
    pub(super) fn new(id: String, agent: AgentKey, question: Question) -> Ask {
        Ask {
            id,
            agent,
            fingerprint: question.fingerprint(),
            question,
            status: Status::Open,
            shown: None,
            route: String::new(),
            left_alone: false,
            rule: String::new(),
            note: None,
            sources: BTreeSet::new(),
            trust: Trust::default(),
            conflict: None,
            asked_ms: 0,
            asked_unix_ms: 0,
            deadline_ms: None,
            deadline_unix_ms: None,
            decided: None,
            context: None,
            secrets: Vec::new(),
            chain: VecDeque::new(),
            span_ms: 0,
            turn: 0,
            turns: Vec::new(),
            turn_until_ms: None,
            again: None,
            prompt_sent: None,
            reply: None,
            before: String::new(),
            typed: 0,
            running: false,
            remind_ms: None,
            call_by_ms: None,
            held: false,
            kept: false,
            by_hook: false,
            exact: None,
            shadow: None,
            proposed: None,
            choice: None,
            delivering: false,
            leaving: None,
            reply_to: None,
            seen_ms: 0,
            typed_in_vain: Vec::new(),
        }
    }

    /// The noted answer beside what the person chose: by a command of ours, or in the pane.
    pub(super) fn shadow(&self, chosen: Option<&Answer>) -> Option<Shadow> {
        let noted = self.shadow.as_ref()?;
        let given = self.decided.as_ref().filter(|decided| decided.by == "person");
        let chosen = given.map(|decided| &decided.answer).or(chosen);
        let agrees = chosen.map(|chosen| match (chosen, &noted.answer) {
            (Answer::Text(one), Answer::Text(other)) => normalize(one) == normalize(other),
            (one, other) => one == other,
        });
        Some(Shadow {
            answer: words(&noted.answer, &self.question),
            by: noted.by.clone(),
            chose: chosen.map(|chosen| words(chosen, &self.question)),
            agrees,
        })
    }

    /// Why none of those asked gave an answer.
    pub(super) fn failures(&self) -> Option<String> {
        let ended: Vec<&str> = self.turns.iter().filter_map(|turn| turn.ended.as_deref()).collect();
        (!ended.is_empty()).then(|| ended.join("; "))
    }

    pub(super) fn info(&self, agent: &str) -> QuestionInfo {
        let seconds = |ms: u64| ms as f64 / 1000.0;
        // What was only proposed is not what a person chose in its place.
        let stands = matches!(self.status, Status::Proposed | Status::Answering | Status::Answered);
        let given = self.decided.as_ref().filter(|_| stands);
        QuestionInfo {
            id: self.id.clone(),
            agent: agent.to_owned(),
            kind: self.question.kind,
            prompt: self.question.prompt.clone(),
            options: self.question.options.iter().map(|choice| choice.label.clone()).collect(),
            selected: self.question.selected,
            multi: self.question.multi,
            asked_at: seconds(self.asked_unix_ms),
            deadline_at: self.deadline_unix_ms.filter(|_| !self.status.settled()).map(seconds),
            status: self.shown.unwrap_or(self.status),
            route: self.route.clone(),
            sources: self.sources.iter().map(|source| (*source).to_owned()).collect(),
            trust: self.trust,
            choices: self.question.options.clone(),
            subject: self.question.subject.clone(),
            note: match (&self.note, &self.conflict) {
                (Some(note), Some(conflict)) => Some(format!("{note}; {conflict}")),
                (note, conflict) => note.as_ref().or(conflict.as_ref()).cloned(),
            },
            answer: given.map(|decided| words(&decided.answer, &self.question)),
        }
    }
}

/// An answer in words: labels, or the text.
pub(super) fn words(answer: &Answer, question: &Question) -> String {
    match answer {
        Answer::Rows(rows) => {
            let label = |row: &usize| question.options.get(*row).map(|choice| choice.label.as_str());
            rows.iter().filter_map(label).collect::<Vec<_>>().join(", ")
        }
        Answer::Text(text) => text.clone(),
        Answer::Reject => "(declined)".to_owned(),
    }
}
