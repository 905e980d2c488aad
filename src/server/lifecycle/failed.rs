//! Starts that failed: on the list with their cause, the same for everybody, until somebody tries again or takes them off.
//!
//! Data; `server/lifecycle` alone changes it.

use crate::core::agent::{AgentInfo, AgentSpec, Duty};
use crate::core::policy::Policy;

/// One start that failed.
#[derive(Debug, Clone)]
pub struct FailedStart {
    pub name: String,
    pub role: Duty,
    pub cause: String,
    /// The number it had under the server before; 0: none.
    pub number: u16,
    /// Since when it is known there (Unix seconds), by whoever knew it under the server before.
    pub since: Option<f64>,
    /// From what it is started again, where that is known here.
    pub again: Option<Box<(AgentSpec, Policy)>>,
}

impl FailedStart {
    /// Why nothing can be done to it, and what can be.
    pub fn refusal(&self) -> String {
        let FailedStart { name, cause, .. } = self;
        match self.again {
            Some(_) => format!("{name} does not run: {cause}; 'counsel restart {name}' tries again"),
            None => format!(
                "{name} does not run: {cause}; 'counsel up', or 'counsel start {name} -- COMMAND', tries again"
            ),
        }
    }
}

/// All of them, the oldest first, as they are told of.
#[derive(Debug, Default)]
pub struct FailedStarts {
    starts: Vec<(FailedStart, AgentInfo)>,
}

impl FailedStarts {
    pub fn infos(&self) -> impl DoubleEndedIterator<Item = &AgentInfo> + ExactSizeIterator {
        self.starts.iter().map(|(_, info)| info)
    }

    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub fn get(&self, name: &str) -> Option<&FailedStart> {
        self.starts.iter().find(|(start, _)| start.name == name).map(|(start, _)| start)
    }

    pub(super) fn put(&mut self, start: FailedStart, info: AgentInfo) {
        self.starts.push((start, info));
    }

    /// Takes the one of this name off.
    pub(super) fn take(&mut self, name: &str) -> Option<FailedStart> {
        let at = self.starts.iter().position(|(start, _)| start.name == name)?;
        Some(self.starts.remove(at).0)
    }
}
