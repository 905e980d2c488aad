//! A story that is told beside what happens: a line at the bottom that stays long enough to be read.
//!
//! `counsel demo` brings the words, `telling.rs` the keys and the time, `view/status.rs` draws it. Pure.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;

use crate::wire::message::Notice;

/// As long as a line of two dozen words takes to be read.
pub const READ_MS: u64 = 3_500;
/// Lines that wait to be read: what is told of a question, and of one that needs the person. Where more happens, the
/// story stays with what is on the screen.
const WAITING: usize = 4;

/// Finds words for what happens.
pub trait Teller: fmt::Debug {
    /// `None`: this is not worth a line. `waiting`: lines that are still to be read.
    fn tell(&mut self, notice: &Notice, waiting: usize) -> Option<String>;
}

/// Whether the team moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pace {
    #[default]
    Running,
    /// Moves up to the next thing that is told.
    Step,
    Paused,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Story {
    /// The one that is shown, then those that wait.
    lines: VecDeque<String>,
    since_ms: u64,
    /// What the person wants.
    pub pace: Pace,
    /// Who was last told to stand still.
    pub still: BTreeSet<String>,
}

impl Story {
    pub fn begin(line: String, now_ms: u64) -> Story {
        Story { lines: VecDeque::from([line]), since_ms: now_ms, pace: Pace::Running, still: BTreeSet::new() }
    }

    pub fn line(&self) -> &str {
        self.lines.front().map_or("", String::as_str)
    }

    /// Lines still to be read behind the one that is shown.
    pub fn waiting(&self) -> usize {
        self.lines.len().saturating_sub(1)
    }

    pub fn keys(&self) -> &'static str {
        match self.pace {
            Pace::Running | Pace::Step => "F8 pauses · F9 steps",
            Pace::Paused => "paused · F8 goes on · F9 steps",
        }
    }

    /// Another line waits to be read.
    pub fn add(&mut self, line: String) {
        if self.lines.len() > WAITING {
            self.lines.remove(1);
        }
        self.lines.push_back(line);
    }

    /// The next line, once this one was read.
    pub fn turn(&mut self, now_ms: u64) {
        if self.due_ms().is_some_and(|due| due <= now_ms) {
            self.lines.pop_front();
            self.since_ms = now_ms;
        }
    }

    /// When the next line is due.
    pub fn due_ms(&self) -> Option<u64> {
        (self.lines.len() > 1).then_some(self.since_ms + READ_MS)
    }
}
