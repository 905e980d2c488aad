//! The scrollback view of one agent: history and the screen as they stood when it was opened.
//!
//! `scrolling.rs` gives it keys and history, `view/scrollback.rs` paints its window. It holds still while the
//! agent goes on. Pure.

use unicode_width::UnicodeWidthStr;

use crate::core::keymap::Action;
use crate::core::terminal::grid::Grid;
use crate::core::terminal::keys::{Key, KeyPress};
use crate::core::terminal::picture::Line;

use super::edit::Edit;
use super::search::{self, Match};

/// History lines fetched at a time: a few screens at once, the rest while the person looks.
pub const CHUNK: u64 = 1_000;
/// Columns that a step to the side goes on by where lines are wider than the window.
const PAN: u16 = 8;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scroll {
    pub name: String,
    /// Who had the keyboard when the wheel was turned over another pane, and has it again afterwards.
    pub back: Option<String>,
    /// Oldest first; the last ones are the screen.
    pub lines: Vec<Line>,
    /// Oldest history line fetched so far, once known, and the oldest there is.
    pub from: Option<u64>,
    pub first: u64,
    pub cursor: usize,
    /// Where a block begins or ends.
    pub col: u16,
    /// Topmost line of the window, and its first column.
    pub top: usize,
    pub left: u16,
    /// Where the selection began.
    pub anchor: Option<(usize, u16)>,
    /// The selection is a block of columns.
    pub block: bool,
    /// The words searched for, while they are typed.
    pub search: Option<Edit>,
    pub query: String,
    pub matches: Vec<Match>,
    /// Where the cursor was when the search began.
    before_search: usize,
    /// Rows and columns of the window, as last drawn for; no columns: all there are.
    pub height: usize,
    pub width: u16,
}

/// What a key asked for beyond moving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    Nothing,
    Leave,
    Copy(String),
    Say(String),
}

impl Scroll {
    pub fn new(name: &str, grid: &Grid, height: usize) -> Scroll {
        let mut lines: Vec<Line> = grid.rows.iter().map(Line::from).collect();
        while lines.len() > 1 && lines.last().is_some_and(|line| line.runs.is_empty()) {
            lines.pop();
        }
        let cursor = lines.len().saturating_sub(1);
        let mut scroll = Scroll { name: name.to_owned(), lines, cursor, height, ..Scroll::default() };
        scroll.follow();
        scroll
    }

    /// Takes older lines; says which to fetch next, as from and count.
    pub fn older(&mut self, from: u64, first: u64, lines: Vec<Line>) -> Option<(u64, u64)> {
        let count = lines.len();
        self.lines.splice(0..0, lines);
        self.cursor += count;
        self.top += count;
        self.before_search += count;
        self.anchor = self.anchor.map(|(line, col)| (line + count, col));
        (self.from, self.first) = (Some(from), first);
        self.matches = search::matches(&self.lines, &self.query);
        let next = from.saturating_sub(CHUNK).max(first);
        (next < from).then_some((next, from - next))
    }

    /// Lines that are still on their way.
    pub fn missing(&self) -> u64 {
        self.from.map_or(0, |from| from.saturating_sub(self.first))
    }

    /// A key while the words of a search are typed.
    pub fn search_key(&mut self, press: KeyPress) -> Wish {
        let Some(edit) = &mut self.search else { return Wish::Nothing };
        match press.key {
            Key::Esc => {
                self.search = None;
                self.query.clear();
                self.matches.clear();
                self.go(self.before_search);
            }
            Key::Enter => {
                self.search = None;
                if self.matches.is_empty() && !self.query.is_empty() {
                    return Wish::Say(format!("no line with '{}'", self.query));
                }
            }
            _ => {
                if edit.key(press) {
                    self.query = edit.text.clone();
                    self.found();
                }
            }
        }
        Wish::Nothing
    }

    /// The words have changed: to the nearest place above where the search began, else below.
    pub fn found(&mut self) {
        self.matches = search::matches(&self.lines, &self.query);
        let above = self.matches.iter().rev().find(|found| found.line() <= self.before_search);
        match above.or(self.matches.first()).cloned() {
            Some(nearest) => self.go_to(&nearest),
            None => self.go(self.before_search),
        }
    }

    fn go_to(&mut self, found: &Match) {
        self.go(found.line());
        if let Some(piece) = found.pieces.first() {
            self.show_columns(piece.from, piece.to);
        }
    }

    /// Columns of the window, and of the widest line in it.
    pub fn window_columns(&self) -> (u16, u16) {
        let shown = self.lines.iter().skip(self.top).take(self.height.max(1));
        let widest = shown.map(|line| line.text().width()).max().unwrap_or(0);
        let cols = if self.width == 0 { u16::MAX } else { self.width };
        (cols, u16::try_from(widest).unwrap_or(u16::MAX))
    }

    /// Where lines are wider than the window it moves over them, and with a selection the end of that does.
    fn aside(&mut self, right: bool) {
        let (cols, widest) = self.window_columns();
        let beyond = widest.saturating_sub(cols);
        if self.anchor.is_none() && beyond > 0 {
            let moved = if right { self.left.saturating_add(PAN) } else { self.left.saturating_sub(PAN) };
            self.left = moved.min(beyond);
            // A block that is begun now begins in view.
            self.col = self.left;
            return;
        }
        self.col = if right { self.col.saturating_add(1) } else { self.col.saturating_sub(1) };
        self.show_columns(self.col, self.col.saturating_add(1));
    }

    /// Moves the window so that these columns are in it.
    fn show_columns(&mut self, from: u16, to: u16) {
        let (cols, _) = self.window_columns();
        if from < self.left {
            self.left = from;
        } else if to > self.left.saturating_add(cols) {
            self.left = to.saturating_sub(cols).min(from);
        }
    }

    pub fn act(&mut self, action: Action) -> Wish {
        let page = self.height.max(2) - 1;
        match action {
            Action::RowUp => self.go(self.cursor.saturating_sub(1)),
            Action::RowDown => self.go(self.cursor + 1),
            Action::PageUp => self.page_by(page, true),
            Action::PageDown => self.page_by(page, false),
            Action::HalfUp => self.page_by(page / 2, true),
            Action::HalfDown => self.page_by(page / 2, false),
            Action::Top => self.go(0),
            Action::Bottom => self.go(usize::MAX),
            Action::ColumnLeft => self.aside(false),
            Action::ColumnRight => self.aside(true),
            Action::Search => {
                self.before_search = self.cursor;
                self.query.clear();
                self.matches.clear();
                self.search = Some(Edit::default());
            }
            Action::NextMatch => return self.step(true),
            Action::PreviousMatch => return self.step(false),
            Action::PreviousPrompt => return self.jump(true, search::is_prompt, "prompt"),
            Action::NextPrompt => return self.jump(false, search::is_prompt, "prompt"),
            Action::PreviousAsked => return self.jump(true, search::is_question, "question"),
            Action::NextAsked => return self.jump(false, search::is_question, "question"),
            Action::Select => self.select(false),
            Action::SelectBlock => self.select(true),
            Action::Copy => {
                let text = self.selected_text();
                self.anchor = None;
                return Wish::Copy(text);
            }
            Action::Close if self.anchor.is_some() => self.anchor = None,
            Action::Close => return Wish::Leave,
            _ => {}
        }
        Wish::Nothing
    }

    fn select(&mut self, block: bool) {
        let on = self.anchor.is_some() && self.block == block;
        self.anchor = if on { None } else { Some(self.anchor.unwrap_or((self.cursor, self.col))) };
        self.block = block;
    }

    /// The wheel moves the window; below the end it leaves.
    pub fn wheel(&mut self, up: bool, lines: usize) -> Wish {
        let bottom = self.lines.len().saturating_sub(self.height);
        if !up && self.top >= bottom {
            return Wish::Leave;
        }
        self.page_by(lines, up);
        Wish::Nothing
    }

    /// Window and cursor move together, as far as there are lines.
    fn page_by(&mut self, lines: usize, up: bool) {
        let bottom = self.lines.len().saturating_sub(self.height);
        let inside = self.cursor.saturating_sub(self.top);
        self.top = if up { self.top.saturating_sub(lines) } else { (self.top + lines).min(bottom) };
        let at_edge = if up { self.top == 0 } else { self.top == bottom };
        let moved = if up { self.cursor.saturating_sub(lines) } else { self.cursor + lines };
        self.go(if at_edge { moved } else { self.top + inside });
    }

    pub fn go(&mut self, line: usize) {
        self.cursor = line.min(self.lines.len().saturating_sub(1));
        self.follow();
    }

    /// Keeps the cursor in the window.
    pub fn follow(&mut self) {
        let height = self.height.max(1);
        if self.cursor < self.top {
            self.top = self.cursor;
        } else if self.cursor >= self.top + height {
            self.top = self.cursor + 1 - height;
        }
        self.top = self.top.min(self.lines.len().saturating_sub(height));
        let (cols, widest) = self.window_columns();
        if self.anchor.is_none() {
            self.left = self.left.min(widest.saturating_sub(cols));
        }
    }

    /// The selected lines, or the one under the cursor.
    pub fn selection(&self) -> std::ops::RangeInclusive<usize> {
        let anchor = self.anchor.map_or(self.cursor, |(line, _)| line);
        anchor.min(self.cursor)..=anchor.max(self.cursor)
    }

    /// The columns of a selected block: the first, and the one past the last.
    pub fn columns(&self) -> Option<(u16, u16)> {
        let (_, anchor) = self.anchor.filter(|_| self.block)?;
        Some((anchor.min(self.col), anchor.max(self.col) + 1))
    }

    fn selected_text(&self) -> String {
        let lines = self.lines.get(self.selection()).unwrap_or_default();
        if let Some((from, to)) = self.columns() {
            let part = |line: &Line| search::columns(line, from, to).trim_end().to_owned();
            return lines.iter().map(part).collect::<Vec<String>>().join("\n");
        }
        let mut text = String::new();
        for line in lines {
            match line.wrapped {
                true => text.push_str(&line.full_text()),
                false => text.push_str(&format!("{}\n", line.text())),
            }
        }
        text.truncate(text.trim_end_matches('\n').len());
        text
    }

    /// Which match the cursor is at, counted from the newest.
    pub fn match_number(&self) -> Option<usize> {
        let at = self.matches.iter().rposition(|found| found.line() == self.cursor)?;
        Some(self.matches.len() - at)
    }

    /// To the next line with the words searched for; `back` is towards older lines.
    fn step(&mut self, back: bool) -> Wish {
        if self.query.is_empty() {
            return Wish::Say("nothing to search for; type / and the words".into());
        }
        let next = if back {
            self.matches.iter().rev().find(|found| found.line() < self.cursor)
        } else {
            self.matches.iter().find(|found| found.line() > self.cursor)
        };
        match next.cloned() {
            Some(found) => {
                self.go_to(&found);
                Wish::Nothing
            }
            None => {
                Wish::Say(format!("no line with '{}' {}", self.query, if back { "above" } else { "below" }))
            }
        }
    }

    fn jump(&mut self, back: bool, is: fn(&str) -> bool, what: &str) -> Wish {
        let here = |line: &usize| is(&self.lines[*line].text());
        let found = if back {
            (0..self.cursor.min(self.lines.len())).rev().find(here)
        } else {
            (self.cursor + 1..self.lines.len()).find(here)
        };
        match found {
            Some(line) => {
                self.go(line);
                Wish::Nothing
            }
            None => Wish::Say(format!("no {what} {}", if back { "above" } else { "below" })),
        }
    }
}

#[cfg(test)]
#[path = "scroll_tests.rs"]
mod tests;
