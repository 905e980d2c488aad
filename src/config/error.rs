//! What is wrong with a configuration, in one line: file, line, column, key, and what to write instead.
//!
//! Every other file of this folder makes these; the command line prints one and ends with code 2.

use std::fmt;

use crate::core::toml_fault::{self, Fault};

/// One fault. `line` and `column` count from 1; `line` 0 means the whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    pub file: String,
    pub line: usize,
    pub column: usize,
    /// The key's path, `agent.consultant`; empty where no key is to blame.
    pub key: String,
    pub what: String,
}

impl ConfigError {
    /// A fault of the file as such.
    pub fn of_file(file: impl Into<String>, what: impl Into<String>) -> ConfigError {
        ConfigError { file: file.into(), line: 0, column: 0, key: String::new(), what: what.into() }
    }

    /// A fault of what the file says.
    pub fn of_text(file: impl Into<String>, text: &str, fault: Fault) -> ConfigError {
        let (line, column) = toml_fault::place(text, fault.at);
        ConfigError { file: file.into(), line, column, key: fault.key, what: fault.what }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        f.write_str(": ")?;
        if !self.key.is_empty() {
            write!(f, "key {}: ", self.key)?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for ConfigError {}
