//! A question as clients are told of it: what is asked, who is at it, how it ended.
//!
//! `message.rs` carries it in notices and replies. A field may be added with a default; names and meanings never change.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::core::detect::channels::Trust;
use crate::core::question::option_lookup::numbers_of;
use crate::core::question::{Choice, Kind};

/// Where a question stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Open,
    Consulting,
    /// An answer waits for a person's word.
    Proposed,
    Answering,
    Answered,
    /// A person is needed.
    Escalated,
    /// It went away without an answer of ours.
    Withdrawn,
}

impl Status {
    /// Nothing more will come of it.
    pub fn settled(self) -> bool {
        matches!(self, Status::Answered | Status::Withdrawn)
    }

    pub fn name(self) -> &'static str {
        match self {
            Status::Open => "open",
            Status::Consulting => "consulting",
            Status::Proposed => "proposed",
            Status::Answering => "answering",
            Status::Answered => "answered",
            Status::Escalated => "escalated",
            Status::Withdrawn => "withdrawn",
        }
    }
}

/// A question as `questions --json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuestionInfo {
    pub id: String,
    pub agent: String,
    pub kind: Kind,
    pub prompt: String,
    pub options: Vec<String>,
    pub selected: Option<usize>,
    pub multi: bool,
    pub asked_at: f64,
    pub deadline_at: Option<f64>,
    pub status: Status,
    /// Who answers: `human`, or the consultant's name.
    pub route: String,
    pub sources: Vec<String>,
    /// Whether the channels agree on it.
    #[serde(default)]
    pub trust: Trust,
    /// Rows with their descriptions, ticks and roles.
    #[serde(default)]
    pub choices: Vec<Choice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Some of it, options or words, is out of view on the agent's screen.
    #[serde(default)]
    pub partial: bool,
    /// Why it was escalated, or by whom and how it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The answer that waits for confirmation, or was given, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// Seconds since the epoch as programs are told of times.
fn millis(seconds: f64) -> u64 {
    (seconds.max(0.0) * 1000.0).round() as u64
}

/// The value with its times, which the protocol has in seconds, in Unix milliseconds.
pub fn in_millis(mut value: Value, keys: &[&str]) -> Value {
    for key in keys {
        if let Some(time) = value.get_mut(key)
            && let Some(seconds) = time.as_f64()
        {
            *time = json!(millis(seconds));
        }
    }
    value
}

impl QuestionInfo {
    /// As programs are told of it: `questions --json`, and who is run to call a person.
    pub fn told(&self) -> Value {
        in_millis(serde_json::to_value(self).unwrap_or_default(), &["asked_at", "deadline_at"])
    }

    /// The number a row is chosen by: the printed one, where the top of a list is out of view too.
    pub fn number(&self, row: usize) -> Option<u32> {
        match self.choices.is_empty() {
            true => u32::try_from(row + 1).ok(),
            false => numbers_of(&self.choices).get(row).copied().flatten(),
        }
    }

    /// What means this row in an answer and no other, whatever number it has.
    pub fn row_name(&self, row: usize) -> String {
        let label = self.options.get(row).map_or("", String::as_str);
        self.number(row).map_or_else(|| label.to_owned(), |number| format!("{number}. {label}"))
    }
}
