//! How a visit to an agent ended, and what its terminal and its caller are told.
//!
//! `attach.rs` makes it. It must never write to a terminal that has gone.

use std::process::ExitCode;

use crate::cli::failure::Failure;
use crate::cli::out;
use crate::os::interrupt::INTERRUPTED;

/// How it came to an end.
pub enum Left {
    /// As it ends: in words.
    Over(String),
    /// Refused, or nothing is there to go on with: the exit code, and why.
    Failed(u8, String),
    /// A signal ended it, or the terminal has gone.
    BySignal,
}

impl Left {
    /// # Errors
    /// What it failed by.
    pub fn told(self) -> Result<ExitCode, Failure> {
        match self {
            Left::Over(words) => {
                out::line(&format!("[{words}]"))?;
                Ok(ExitCode::SUCCESS)
            }
            Left::Failed(code, why) => Err(Failure::new(code, why)),
            // The terminal may be what has gone.
            Left::BySignal => Ok(ExitCode::from(INTERRUPTED)),
        }
    }
}
