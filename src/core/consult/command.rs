//! A consultant that is a program: what is run, and how it is spoken with.
//!
//! `config/` reads it from a file, `core/policy` carries it, `chain.rs` goes on to whom it names. Plain values.

use serde::{Deserialize, Serialize};

/// How a consultant that is a program is spoken with, over its standard input and output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// The question on stdin, the answer on stdout.
    Plain,
    /// Agent Client Protocol: JSON-RPC.
    Acp,
}

/// A consultant that is a program started for each question. Its file names one of `command` and `acp`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandConsultant {
    pub name: String,
    /// Reads the question on stdin and prints the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Speaks the Agent Client Protocol.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acp: Vec<String>,
    /// Asked next if this one does not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// Seconds it may take at most, and hundredths of the question's time; whoever comes next has the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secs: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<u8>,
}

impl CommandConsultant {
    pub fn protocol(&self) -> Protocol {
        if self.acp.is_empty() { Protocol::Plain } else { Protocol::Acp }
    }

    /// The key that names what is run.
    pub fn key(&self) -> &'static str {
        match self.protocol() {
            Protocol::Plain => "command",
            Protocol::Acp => "acp",
        }
    }

    /// What is run.
    pub fn words(&self) -> &Vec<String> {
        match self.protocol() {
            Protocol::Plain => &self.command,
            Protocol::Acp => &self.acp,
        }
    }

    pub fn words_mut(&mut self) -> &mut Vec<String> {
        match self.protocol() {
            Protocol::Plain => &mut self.command,
            Protocol::Acp => &mut self.acp,
        }
    }
}
