//! An entry of the decision log: a question, how it ended, and everything needed to replay it.

use serde::{Deserialize, Serialize};

use super::deliver::Proof;
use super::question::Kind;

/// How an answer reached the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    Keys,
    Hook,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Answered,
    Escalated,
    Withdrawn,
    Failed,
}

impl Outcome {
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Answered => "answered",
            Outcome::Escalated => "escalated",
            Outcome::Withdrawn => "withdrawn",
            Outcome::Failed => "failed",
        }
    }
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub id: String,
    pub agent: String,
    /// Unix milliseconds.
    pub asked_at: u64,
    pub settled_at: u64,
    pub latency_ms: u64,
    pub kind: Kind,
    pub prompt: String,
    pub options: Vec<String>,
    pub subject: Option<String>,
    /// In words: labels, or the text.
    pub answer: Option<String>,
    /// `consultant NAME`, `rule …`, `person` or `none`.
    pub by: String,
    pub rule: String,
    pub channel: Channel,
    pub outcome: Outcome,
    pub reason: Option<String>,
    pub prompt_sent: Option<String>,
    pub reply: Option<String>,
    pub keys: Vec<String>,
    pub proof: Option<Proof>,
    /// The screen when the question was seen, and when it was settled.
    pub before: String,
    pub after: String,
    /// In shadow mode: what would have been answered.
    pub shadow: Option<String>,
}

impl Entry {
    /// One line of JSON, without the line feed.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("an entry has string keys only")
    }

    /// What a consultant is told of an earlier decision.
    pub fn summary_for_consultant(&self) -> String {
        let answer = self.answer.as_deref().unwrap_or("no answer");
        let reason = self.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        format!("{} asked: {} -> {answer}, by {}{reason}", self.agent, self.prompt, self.by)
    }
}
