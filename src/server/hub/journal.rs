//! An agent's journal and recordings, as far as the hub has a say: what goes in, and what a screen is when it
//! is rebuilt from it.

use crate::core::terminal::repaint::repaint;
use crate::server::effect::{AgentKey, Effect, JournalPart};
use crate::wire::message::Reply;

use super::Hub;
use super::agent::Agent;
use super::life::JOURNAL_BYTES;

/// How far an agent's journal goes.
#[derive(Debug, Default)]
pub(super) struct Journal {
    /// Bytes in it since it last began anew.
    pub bytes: usize,
    /// Bytes printed since the agent was started, whoever read them.
    pub place: u64,
    /// A question in the input line, put there by this server or an earlier one, and not sent.
    pub draft: String,
}

impl Agent {
    /// Rebuilds screen and scrollback. Seen and answered by an earlier server: queries and bells are not
    /// repeated.
    pub(super) fn replay(&mut self, journal: &[JournalPart]) {
        for part in journal {
            match part {
                JournalPart::Begin { line, size, seed, .. } => {
                    self.screen.resize(*size);
                    drop(self.screen.feed(seed));
                    self.history.begin_at(*line);
                }
                JournalPart::Output(bytes) => {
                    let scrolled = self.screen.feed(bytes).scrolled;
                    self.history.push(&scrolled);
                    self.journal.bytes += bytes.len();
                }
                JournalPart::Resized(size) => self.screen.resize(*size),
                JournalPart::Draft(text) => self.journal.draft.clone_from(text),
            }
        }
        // What the file before the newest held is not counted: it was full.
        self.journal.bytes = self.journal.bytes.checked_sub(JOURNAL_BYTES).unwrap_or(self.journal.bytes);
    }

    /// The beginning of a journal's file, with the screen as it stands.
    pub(super) fn journal_begin(&self, seed: Vec<u8>) -> JournalPart {
        // A line that has partly scrolled off is numbered by its beginning.
        let line = self.history.end() - u64::from(self.history.open_line());
        JournalPart::Begin { at: self.journal.place, line, size: self.screen.size(), seed }
    }
}

impl Hub {
    /// Output an earlier server read without having come to it. Queries in it may have been answered: a second
    /// answer would be read as keys.
    pub(super) fn take_output_log(&mut self, key: AgentKey, output_log: Vec<u8>) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        if !output_log.is_empty() {
            let parts = vec![JournalPart::Output(output_log)];
            agent.replay(&parts);
            self.out.push(Effect::Journal { agent: key, parts });
        }
    }

    /// Begins the recording each agent gets where that is configured.
    pub(super) fn record_always(&mut self, key: AgentKey, drawn: bool) {
        let Some(max_bytes) = self.settings.record_bytes else { return };
        let Some(agent) = self.agents.get_mut(&key) else { return };
        agent.recorded.always = true;
        let seed = if drawn { repaint(agent.screen.grid(), agent.screen.modes()) } else { Vec::new() };
        let (name, size) = (agent.spec.name.clone(), agent.screen.size());
        self.out.push(Effect::RecordAlways { agent: key, name, size, seed, max_bytes });
    }

    pub(super) fn record(&mut self, key: AgentKey, path: Option<String>) -> Reply {
        let Some(agent) = self.agents.get_mut(&key) else { return Reply::Done };
        agent.recorded.asked = path.is_some();
        let seed = repaint(agent.screen.grid(), agent.screen.modes());
        let size = agent.screen.size();
        self.out.push(Effect::Record { agent: key, path, size, seed });
        Reply::Done
    }
}
