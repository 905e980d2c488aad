//! Scrollback: the logical lines that left the top of a screen.
//!
//! Whoever feeds a screen pushes what it hands out; `read` and the dashboard's scrollback take from it.
//! Lines are numbered from the agent's start and are never renumbered, so that a cursor stays valid while
//! older lines are dropped. It must never grow without bound: neither in lines nor in bytes.

use crate::core::terminal::packed::{Packed, Span};
use crate::core::terminal::picture::{Line, Run};
use crate::core::terminal::scrolled::{Scrolled, Text};

/// The narrowest rows a line is wrapped to: a wide glyph takes two columns.
const NARROWEST: usize = 2;
/// Bytes kept for each line of the limit. A line of a program is packed into 100 to 200; what needs more than
/// this for every line, such as pictures drawn in characters, is bounded by its bytes instead.
const LINE_BYTES: usize = 1024;
/// Bytes that any history may take, so that a short one holds some long lines.
const LEAST_BYTES: usize = 1024 * 1024;
/// Bytes that no history takes, whatever limit in lines was asked for.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// What made a history drop its oldest lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// It keeps no more lines.
    Lines,
    /// Its lines take too many bytes.
    Bytes,
}

/// Bounded history of one agent.
#[derive(Debug, Default)]
pub struct History {
    text: Text,
    lines: usize,
    bytes: usize,
    dropped: Option<Limit>,
}

impl History {
    /// Keeps the newest `lines` lines, at least one, as far as they take no more than about 1 KiB each, or
    /// 32 MiB together.
    pub fn new(lines: usize) -> History {
        History::bounded(lines, lines.saturating_mul(LINE_BYTES).clamp(LEAST_BYTES, MOST_BYTES))
    }

    /// Keeps the newest `lines` lines, at least one, in at most `bytes` bytes and one block of lines.
    pub fn bounded(lines: usize, bytes: usize) -> History {
        History { lines: lines.max(1), bytes, ..History::default() }
    }

    /// Takes rows that scrolled off.
    pub fn push(&mut self, rows: &Scrolled) {
        self.text.join(rows);
        while self.end() - self.first() > self.lines as u64 && self.text.lines.pop() {
            self.dropped = Some(Limit::Lines);
        }
        while self.text.held() > self.bytes && self.text.lines.pop_oldest_block() {
            self.dropped = Some(Limit::Bytes);
        }
    }

    /// Forgets all lines. Numbers go on where they were.
    pub fn forget(&mut self) {
        self.begin_at(self.end());
    }

    /// The number of the first line to come, for one that lost its lines before that.
    pub fn begin_at(&mut self, number: u64) {
        self.text.restart(number);
    }

    /// Whether the newest line goes on at the top of the screen.
    pub fn open_line(&self) -> bool {
        self.text.open()
    }

    /// Number of the oldest kept line; every line below it is gone.
    pub fn first(&self) -> u64 {
        self.text.first()
    }

    /// One past the newest line.
    pub fn end(&self) -> u64 {
        self.text.end()
    }

    /// Which limit the line before `first` was dropped for, if one was.
    pub fn dropped_for(&self) -> Option<Limit> {
        self.dropped
    }

    /// Bytes of memory the lines take.
    pub fn held(&self) -> usize {
        self.text.held()
    }

    /// Lines from number `from` on, as plain text; what is older than `first` is gone.
    pub fn text(&self, from: u64) -> Vec<String> {
        self.text.from(from).map(|line| line.text.to_owned()).collect()
    }

    /// At most `count` lines from number `from` on, wrapped at `cols`.
    pub fn lines(&self, from: u64, count: u64, cols: u16) -> Vec<Line> {
        let take = usize::try_from(count).unwrap_or(usize::MAX);
        let cols = usize::from(cols).max(NARROWEST);
        self.text.from(from).take(take).flat_map(|line| wrap(line, cols)).collect()
    }
}

/// Cuts a line into rows of at most `cols` columns; all but the last are marked as wrapped.
fn wrap(line: Packed<'_>, cols: usize) -> Vec<Line> {
    let (mut rows, mut row, mut used, mut at) = (Vec::new(), Line::default(), 0, 0);
    for span in line.spans() {
        let words = &line.text[at..at + span.bytes as usize];
        at += words.len();
        let width = if span.wide { 2 } else { 1 };
        let starts: Vec<usize> =
            if span.cluster { vec![0] } else { words.char_indices().map(|(start, _)| start).collect() };
        let mut from = 0;
        for start in starts {
            if used + width > cols {
                add(&mut row, &words[from..start], &span);
                rows.push(Line { wrapped: true, ..std::mem::take(&mut row) });
                (from, used) = (start, 0);
            }
            used += width;
        }
        add(&mut row, &words[from..], &span);
    }
    rows.push(row);
    rows
}

fn add(row: &mut Line, text: &str, span: &Span) {
    if !text.is_empty() {
        let width = if span.wide { 2 } else { 1 };
        row.runs.push(Run {
            text: text.to_owned(),
            style: span.style,
            width,
            cluster: span.cluster,
            link: None,
        });
    }
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
