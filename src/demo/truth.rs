//! What really happened in a scripted agent: every byte it received, every answer it committed.
//!
//! `actor.rs` writes these records, `story.rs` judges them afterwards. The log is the witness that
//! counsel itself has no hand in.

use serde::{Deserialize, Serialize};

/// One line of a log; `ms` counts from the agent's start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub enum Record {
    /// Bytes arrived, and did this.
    Heard { ms: u64, bytes: String, did: Did },
    /// A question was shown.
    Asked { ms: u64, prompt: String },
    /// A dialog was answered.
    Given { ms: u64, answers: Vec<Given> },
    /// A message was sent by Enter from the input line.
    Message { ms: u64, text: String },
    /// The script is over.
    End { ms: u64 },
}

/// What was answered to one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    pub prompt: String,
    /// Labels, or the words typed; empty for nothing ticked.
    pub answer: Vec<String>,
}

/// What received bytes did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Did {
    /// A reply to a query of ours.
    Reply,
    /// A focus report, which the terminal makes by itself.
    Focus,
    /// Came too early to be seen.
    Lost,
    /// Meant nothing where it arrived.
    Stray,
    Moved,
    Ticked,
    /// Went into a free-text row or the input line.
    Wrote,
    Next,
    Answered,
    Cancelled,
    Sent,
}

impl Did {
    /// Nobody but a faulty counsel, or a person, makes these.
    pub fn wrong(self) -> bool {
        match self {
            Did::Lost | Did::Stray | Did::Cancelled => true,
            Did::Reply
            | Did::Focus
            | Did::Moved
            | Did::Ticked
            | Did::Wrote
            | Did::Next
            | Did::Answered
            | Did::Sent => false,
        }
    }
}

/// Bytes as a log shows them: printable ASCII as it is, everything else escaped.
pub fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// The records of a log file's text; a last line cut short by a kill is left out.
pub fn read(text: &str) -> Vec<Record> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
