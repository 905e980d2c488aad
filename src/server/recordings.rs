//! The recordings that are being written: of each agent one that somebody asked for, and the one that it gets by itself.
//!
//! `file_io` calls it, on the one thread that writes files.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use crate::session::message::{AgentKey, Opening};

use super::recording::{Recording, begin_always};

/// A recording that somebody asked for keeps so much: days.
const MAX_RECORDING: u64 = 256 * 1024 * 1024;
/// Recordings that are over and wait for room: 4 MiB each at most.
const MAX_ENDED: usize = 16;

/// Why a recording exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Why {
    Asked,
    Always,
}

#[derive(Default)]
pub(super) struct Recordings {
    pub(super) running: HashMap<(AgentKey, Why), Recording>,
    /// Over, and not yet written to their end.
    pub(super) ended: Vec<Recording>,
}

impl Recordings {
    /// Begins or ends one that somebody asks for; says where it goes now, and what became of the request. One that cannot be
    /// begun leaves the one before to go on.
    pub(super) fn asked(
        &mut self,
        agent: AgentKey,
        path: Option<String>,
        opening: &Opening,
    ) -> (Option<String>, Result<(), String>) {
        let done = self.record_as_asked(agent, path, opening);
        let now = self.running.get(&(agent, Why::Asked)).map(|it| it.path().into_owned());
        (now, done)
    }

    fn record_as_asked(
        &mut self,
        agent: AgentKey,
        path: Option<String>,
        opening: &Opening,
    ) -> Result<(), String> {
        let Some(path) = path else {
            let over = self.running.remove(&(agent, Why::Asked));
            return over.map_or(Ok(()), |recording| self.end(recording));
        };
        // Both would be spoilt. Its own one begins anew.
        let mut others = self.running.iter().filter(|(of, _)| **of != (agent, Why::Asked));
        if others.any(|(_, recording)| recording.is_at(path.as_ref())) {
            return Err(format!(
                "could not record to {path}: another recording goes there already; name another"
            ));
        }
        let begun = Recording::begin(path.as_ref(), opening, MAX_RECORDING);
        let recording = begun.map_err(|e| format!("could not record to {path}: {e}"))?;
        self.running.insert((agent, Why::Asked), recording);
        Ok(())
    }

    /// The same of one that an earlier server made.
    pub(super) fn go_on(&mut self, agent: AgentKey, path: &str, opening: &Opening) -> Result<(), String> {
        let begun = Recording::go_on(path.as_ref(), opening, MAX_RECORDING);
        let recording = begun.map_err(|e| format!("the recording {path} does not go on: {e}"))?;
        self.running.insert((agent, Why::Asked), recording);
        Ok(())
    }

    /// Begins the one that each agent gets by itself, in this folder and by this name; says where it goes.
    pub(super) fn always(
        &mut self,
        agent: AgentKey,
        (folder, name): (&Path, &str),
        opening: &Opening,
        max_bytes: u64,
    ) -> Result<String, String> {
        let begun = begin_always(folder, name, opening, max_bytes);
        let recording = begun.map_err(|e| format!("could not record to {}: {e}", folder.display()))?;
        let path = recording.path().into_owned();
        self.running.insert((agent, Why::Always), recording);
        Ok(path)
    }

    /// The agent is gone.
    pub(super) fn close(&mut self, agent: AgentKey) -> Result<(), String> {
        let over: Vec<Recording> =
            self.running.extract_if(|(of, _), _| *of == agent).map(|(_, it)| it).collect();
        let ended: Vec<_> = over.into_iter().map(|recording| self.end(recording)).collect();
        ended.into_iter().collect()
    }

    /// What the disk has not taken is kept for as long as it has no room.
    fn end(&mut self, mut recording: Recording) -> Result<(), String> {
        let Err(error) = recording.retry() else { return Ok(()) };
        let what = format!("could not write the end of {}: {error}", recording.path());
        if self.ended.len() == MAX_ENDED {
            self.ended.remove(0);
        }
        self.ended.push(recording);
        Err(format!("{what}; the server keeps it, and writes it once there is room"))
    }

    pub(super) fn write(
        &mut self,
        agent: AgentKey,
        mut write: impl FnMut(&mut Recording) -> io::Result<()>,
    ) -> Result<(), String> {
        let of_agent = self.running.iter_mut().filter(|((of, _), _)| *of == agent);
        let tried = of_agent.map(|(_, recording)| write(recording));
        // Each is tried, whatever became of the other.
        let tried: Vec<io::Result<()>> = tried.collect();
        let all: io::Result<()> = tried.into_iter().collect();
        all.map_err(|e| format!("could not write a recording: {e}"))
    }

    pub(super) fn has_unwritten_ends(&self) -> bool {
        !self.ended.is_empty()
    }

    /// Whether everything is written now.
    pub(super) fn retry(&mut self) -> bool {
        let mut written = true;
        for recording in self.running.values_mut() {
            written &= recording.retry().is_ok();
        }
        self.ended.retain_mut(|recording| recording.retry().is_err());
        written && self.ended.is_empty()
    }
}
