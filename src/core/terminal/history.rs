//! Scrollback: the logical lines that left the top of a screen.
//!
//! The hub pushes what the emulator hands out; `read` and the dashboard's scrollback take from it.
//! Lines are numbered from the agent's start and are never renumbered, so that a cursor stays valid
//! while older lines are dropped. It must never grow without bound.

use std::collections::VecDeque;

use crate::core::terminal::grid::{Row, Style, Width};
use crate::core::terminal::picture::{Line, Run};

/// Most bytes of text and styles kept of one agent, however many lines that are: a flood of long lines is no reason to
/// take a machine's memory.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// A line longer than this many bytes is cut in two: a program may print for ever without a line feed.
const LONGEST: usize = 64 * 1024;
/// The narrowest rows a line is wrapped to: a wide glyph takes two columns.
const NARROWEST: usize = 2;

/// What a stretch of glyphs shares: a run of `picture::Run` without a text of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    /// Bytes of the line's text.
    bytes: u32,
    style: Style,
    wide: bool,
    /// One glyph: a base character with its marks.
    cluster: bool,
}

impl Span {
    fn joins(&self, other: &Span) -> bool {
        self.style == other.style && self.wide == other.wide && !self.cluster && !other.cluster
    }
}

/// A finished line: 32 bytes, its text, and 20 bytes for every change of style.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stored {
    text: Box<str>,
    spans: Box<[Span]>,
}

/// A line that may still grow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Growing {
    text: String,
    spans: Vec<Span>,
}

impl Growing {
    fn push(&mut self, row: &Row) {
        // The blanks that fill a row up are no part of a line that ends in it.
        let bare = |style: Style| Style { fg: Default::default(), ..style } == Style::default();
        let blank = |cell: &crate::core::terminal::grid::Cell| {
            cell.ch == ' ' && cell.marks.is_none() && bare(cell.style)
        };
        let kept = match row.wrapped {
            true => row.cells.len(),
            false => row.cells.iter().rposition(|cell| !blank(cell)).map_or(0, |last| last + 1),
        };
        if row.cells.first().is_some_and(|cell| cell.width == Width::Two) {
            self.close_gap();
        }
        for cell in row.cells[..kept].iter().filter(|cell| cell.width != Width::Spacer) {
            let before = self.text.len();
            cell.push_to(&mut self.text);
            let span = Span {
                bytes: (self.text.len() - before) as u32,
                style: cell.style,
                wide: cell.width == Width::Two,
                cluster: cell.marks.is_some(),
            };
            match self.spans.last_mut() {
                Some(last) if last.joins(&span) => last.bytes += span.bytes,
                _ => self.spans.push(span),
            }
        }
    }

    /// A wide glyph that did not fit into the row before left a blank there.
    fn close_gap(&mut self) {
        let Some(last) = self.spans.last_mut() else { return };
        if self.text.ends_with(' ') && !last.cluster {
            self.text.pop();
            last.bytes -= 1;
        }
    }

    fn finish(self) -> Stored {
        // A line in one plain style needs no span.
        let plain = |span: &Span| span.style == Style::default() && !span.wide && !span.cluster;
        let spans = if self.spans.iter().all(plain) { Vec::new() } else { self.spans };
        Stored { text: self.text.into(), spans: spans.into() }
    }
}

impl Stored {
    fn bytes(&self) -> usize {
        size_of::<Stored>() + self.text.len() + size_of_val(&*self.spans)
    }
}

/// Bounded history of one agent.
#[derive(Debug, Default)]
pub struct History {
    lines: VecDeque<Stored>,
    /// What these take.
    bytes: usize,
    /// The newest line, while it goes on in the row that scrolls off next.
    growing: Option<Growing>,
    /// Number of the oldest kept line.
    first: u64,
    limit: usize,
}

impl History {
    /// Keeps the newest `limit` lines, at least one.
    pub fn new(limit: usize) -> History {
        History { limit: limit.max(1), ..History::default() }
    }

    /// Takes rows that scrolled off, oldest first; a wrapped row and its successor are one line.
    pub fn push(&mut self, rows: &[Row]) {
        for row in rows {
            let mut line = self.growing.take().unwrap_or_default();
            line.push(row);
            if row.wrapped && line.text.len() < LONGEST {
                self.growing = Some(line);
            } else {
                let line = line.finish();
                self.bytes += line.bytes();
                self.lines.push_back(line);
            }
            let growing = usize::from(self.growing.is_some());
            while self.lines.len() + growing > self.limit || self.bytes > MAX_BYTES {
                let Some(oldest) = self.lines.pop_front() else { break };
                self.bytes -= oldest.bytes();
                self.first += 1;
            }
        }
    }

    /// The program asked that its scrollback be forgotten. Numbers go on where they were.
    pub fn forget(&mut self) {
        self.first = self.end();
        self.lines.clear();
        self.bytes = 0;
        self.growing = None;
    }

    /// The number of the first line to come, for one that lost its lines before that.
    pub fn begin_at(&mut self, number: u64) {
        self.forget();
        self.first = number;
    }

    /// Whether the newest line goes on at the top of the screen.
    pub fn open_line(&self) -> bool {
        self.growing.is_some()
    }

    /// Number of the oldest kept line.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// One past the newest line.
    pub fn end(&self) -> u64 {
        self.first + self.lines.len() as u64 + u64::from(self.growing.is_some())
    }

    /// Lines from number `from` on, as plain text; what is older than `first` is gone.
    pub fn text(&self, from: u64) -> Vec<String> {
        self.from(from).map(|(text, _)| text.to_owned()).collect()
    }

    /// At most `count` lines from number `from` on, wrapped at `cols`.
    pub fn lines(&self, from: u64, count: u64, cols: u16) -> Vec<Line> {
        let take = usize::try_from(count).unwrap_or(usize::MAX);
        let cols = usize::from(cols).max(NARROWEST);
        self.from(from).take(take).flat_map(|(text, spans)| wrap(text, spans, cols)).collect()
    }

    fn from(&self, from: u64) -> impl Iterator<Item = (&str, &[Span])> {
        let skip = usize::try_from(from.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let finished = self.lines.iter().map(|line| (&*line.text, &*line.spans));
        let growing = self.growing.iter().map(|line| (line.text.as_str(), line.spans.as_slice()));
        finished.chain(growing).skip(skip)
    }
}

/// Cuts a line into rows of at most `cols` columns; all but the last are marked as wrapped.
fn wrap(text: &str, spans: &[Span], cols: usize) -> Vec<Line> {
    let whole = [Span { bytes: text.len() as u32, style: Style::default(), wide: false, cluster: false }];
    let spans = if spans.is_empty() { &whole[..] } else { spans };
    let (mut rows, mut row, mut used, mut at) = (Vec::new(), Line::default(), 0, 0);
    for span in spans {
        let words = &text[at..at + span.bytes as usize];
        at += words.len();
        let width = if span.wide { 2 } else { 1 };
        let starts: Vec<usize> =
            if span.cluster { vec![0] } else { words.char_indices().map(|(start, _)| start).collect() };
        let mut from = 0;
        for start in starts {
            if used + width > cols {
                add(&mut row, &words[from..start], span);
                rows.push(Line { wrapped: true, ..std::mem::take(&mut row) });
                (from, used) = (start, 0);
            }
            used += width;
        }
        add(&mut row, &words[from..], span);
    }
    rows.push(row);
    rows
}

fn add(row: &mut Line, text: &str, span: &Span) {
    if !text.is_empty() {
        let width = if span.wide { 2 } else { 1 };
        row.runs.push(Run { text: text.to_owned(), style: span.style, width, cluster: span.cluster });
    }
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
