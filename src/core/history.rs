//! Scrollback: the logical lines that left the top of a screen.
//!
//! The hub pushes what the emulator hands out; `read` and the dashboard's scrollback take from it.
//! Lines are numbered from the agent's start and never renumbered.

use std::collections::VecDeque;

use super::grid::{Row, Width};
use super::picture::{Line, Run};

/// Bounded history of one agent.
#[derive(Debug, Default)]
pub struct History {
    lines: VecDeque<Line>,
    /// Number of the oldest kept line.
    first: u64,
    limit: usize,
    /// The newest line goes on in the row that scrolls off next.
    open: bool,
}

impl History {
    pub fn new(limit: usize) -> History {
        History { limit: limit.max(1), ..History::default() }
    }

    /// Takes rows that scrolled off, oldest first; a wrapped row and its successor are one line.
    pub fn push(&mut self, rows: &[Row]) {
        for row in rows {
            let mut line = Line::from(row);
            if row.wrapped {
                pad(&mut line, row);
            }
            match self.lines.back_mut().filter(|_| self.open) {
                Some(last) => last.runs.append(&mut line.runs),
                None => {
                    line.wrapped = false;
                    self.lines.push_back(line);
                }
            }
            self.open = row.wrapped;
            if self.lines.len() > self.limit {
                self.lines.pop_front();
                self.first += 1;
            }
        }
    }

    /// The program asked that its scrollback be forgotten.
    pub fn forget(&mut self) {
        self.first = self.end();
        self.lines.clear();
        self.open = false;
    }

    /// The newest line goes on at the top of the screen.
    pub fn open_line(&self) -> bool {
        self.open
    }

    pub fn first(&self) -> u64 {
        self.first
    }

    /// One past the newest line.
    pub fn end(&self) -> u64 {
        self.first + self.lines.len() as u64
    }

    /// Lines from number `from` on, as plain text.
    pub fn text(&self, from: u64) -> Vec<String> {
        let skip = usize::try_from(from.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let text = |line: &Line| line.runs.iter().map(|run| run.text.as_str()).collect::<String>();
        self.lines.iter().skip(skip).map(text).collect()
    }

    /// At most `count` logical lines from number `from` on, wrapped at `cols`.
    pub fn lines(&self, from: u64, count: u64, cols: u16) -> Vec<Line> {
        let skip = usize::try_from(from.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let take = usize::try_from(count).unwrap_or(usize::MAX);
        self.lines.iter().skip(skip).take(take).flat_map(|line| wrap(line, cols)).collect()
    }
}

/// A wrapped row is full: blanks at its end that `Line` leaves out are part of the line.
fn pad(line: &mut Line, row: &Row) {
    let shown: usize = line.runs.iter().map(columns).sum();
    let blanks = row.cells.len().saturating_sub(shown);
    let trailing_wide = row.cells.last().is_some_and(|cell| cell.width == Width::One && cell.ch == ' ');
    if blanks > 1 || (blanks == 1 && !trailing_wide) {
        line.runs.push(Run { text: " ".repeat(blanks), style: Default::default(), width: 1, cluster: false });
    }
}

fn columns(run: &Run) -> usize {
    let glyphs = if run.cluster { 1 } else { run.text.chars().count() };
    glyphs * usize::from(run.width)
}

/// Cuts a logical line into rows of at most `cols` columns.
fn wrap(line: &Line, cols: u16) -> Vec<Line> {
    let cols = usize::from(cols.max(2));
    let (mut rows, mut used) = (vec![Line::default()], 0);
    for run in &line.runs {
        let glyphs: Vec<&str> = if run.cluster {
            vec![run.text.as_str()]
        } else {
            run.text.char_indices().map(|(at, ch)| &run.text[at..at + ch.len_utf8()]).collect()
        };
        for glyph in glyphs {
            let width = usize::from(run.width);
            if used + width > cols {
                if let Some(row) = rows.last_mut() {
                    row.wrapped = true;
                }
                rows.push(Line::default());
                used = 0;
            }
            used += width;
            let Some(row) = rows.last_mut() else { continue };
            match row.runs.last_mut() {
                Some(last)
                    if last.style == run.style
                        && last.width == run.width
                        && !last.cluster
                        && !run.cluster =>
                {
                    last.text.push_str(glyph);
                }
                _ => row.runs.push(Run { text: glyph.to_owned(), ..run.clone() }),
            }
        }
    }
    rows
}
