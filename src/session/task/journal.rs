//! What goes to the agent's journal: output gathered to larger parts, and a new beginning where parts were lost.

use std::time::Instant;

use super::Task;
use crate::session::message::{JournalPart, Output};

/// Output that waits to go to the journal as one part.
const JOURNAL_PART: usize = 64 * 1024;

impl Task {
    pub(super) fn journal(&mut self, parts: Vec<JournalPart>) {
        for part in parts {
            match part {
                JournalPart::Output(bytes) if self.journal.len() + bytes.len() <= JOURNAL_PART => {
                    self.journal.extend(bytes);
                    self.journal_since.get_or_insert_with(Instant::now);
                }
                part => {
                    self.flush_journal();
                    self.journal_part(part);
                }
            }
        }
    }

    pub(super) fn flush_journal(&mut self) {
        self.journal_since = None;
        if self.journal_lost {
            self.journal.clear();
            let begin = self.session.journal_anew();
            self.journal_lost = false;
            return self.journal_part(begin);
        }
        if !self.journal.is_empty() {
            let bytes = std::mem::take(&mut self.journal);
            self.journal_part(JournalPart::Output(bytes));
        }
    }

    fn journal_part(&mut self, part: JournalPart) {
        if !(self.files)(self.agent, Output::Journal(vec![part])) {
            // Tried again when the next output is due to be put down.
            self.journal_lost = true;
            self.journal_since.get_or_insert_with(Instant::now);
        }
    }
}
