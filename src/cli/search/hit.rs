//! What is looked for, where, and a line that has it.
//!
//! `search.rs` and `transcript.rs` look, each in places of its own.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// What agents show now
    Screen,
    /// What has scrolled off
    Scrollback,
    /// Questions and answers
    Log,
    /// What agent programs keep of their talks
    Transcript,
}

/// One line in which the words stand.
#[derive(Debug, Serialize)]
pub struct Hit {
    pub agent: String,
    #[serde(rename = "in")]
    pub place: Place,
    /// Unix milliseconds, where the time is known.
    pub at: Option<u64>,
    /// Its number in the screen, the output, the log or the file, from 1.
    pub line: Option<u64>,
    pub text: String,
    /// A command that shows it.
    pub jump: String,
}

/// What is looked for.
#[derive(Debug)]
pub struct Needle {
    pub text: String,
    pub exact: bool,
}

impl Needle {
    pub fn new(text: &str) -> Needle {
        Needle { text: text.to_owned(), exact: text.chars().any(char::is_uppercase) }
    }

    pub fn is_in(&self, line: &str) -> bool {
        if self.exact { line.contains(&self.text) } else { line.to_lowercase().contains(&self.text) }
    }

    /// The first line of a text that has it.
    pub fn line_of<'a>(&self, text: &'a str) -> Option<&'a str> {
        text.lines().find(|line| self.is_in(line))
    }
}
