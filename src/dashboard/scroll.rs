//! The scrollback view of one agent: history and the screen as they stood when it was opened.
//!
//! `update.rs` gives it keys and history, `view/pane.rs` paints its window. It holds still while the
//! agent goes on. Pure.

use crate::core::terminal::grid::Grid;
use crate::core::terminal::keys::{Key, KeyPress, Mods};
use crate::core::terminal::picture::Line;

use super::edit::Edit;

/// History lines fetched at a time: a few screens at once, the rest while the person looks.
pub const CHUNK: u64 = 1_000;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scroll {
    pub name: String,
    /// Oldest first; the last ones are the screen.
    pub lines: Vec<Line>,
    /// Oldest history line fetched so far, once known.
    pub from: Option<u64>,
    pub cursor: usize,
    /// Topmost line of the window.
    pub top: usize,
    /// Where the selection began.
    pub anchor: Option<usize>,
    pub search: Option<Edit>,
    pub query: String,
    /// Rows of the window, as last drawn for.
    pub height: usize,
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
        self.anchor = self.anchor.map(|anchor| anchor + count);
        self.from = Some(from);
        let next = from.saturating_sub(CHUNK).max(first);
        (next < from).then_some((next, from - next))
    }

    pub fn key(&mut self, press: KeyPress) -> Wish {
        if let Some(edit) = &mut self.search {
            match press.key {
                Key::Esc => self.search = None,
                Key::Enter => {
                    self.query = edit.text.clone();
                    self.search = None;
                    return self.find(true);
                }
                _ => {
                    edit.key(press);
                }
            }
            return Wish::Nothing;
        }
        let page = self.height.max(2) - 1;
        match (press.key, press.mods.has(Mods::CTRL)) {
            (Key::Up | Key::Char('k'), false) => self.go(self.cursor.saturating_sub(1)),
            (Key::Down | Key::Char('j'), false) => self.go(self.cursor + 1),
            (Key::PageUp, _) | (Key::Char('b'), true) => self.page_by(page, true),
            (Key::PageDown, _) | (Key::Char('f'), true) => self.page_by(page, false),
            (Key::Char('u'), true) => self.page_by(page / 2, true),
            (Key::Char('d'), true) => self.page_by(page / 2, false),
            (Key::Home | Key::Char('g'), false) => self.go(0),
            (Key::End | Key::Char('G'), false) => self.go(usize::MAX),
            (Key::Char('/'), false) => self.search = Some(Edit::default()),
            (Key::Char('n'), false) => return self.find(true),
            (Key::Char('N'), false) => return self.find(false),
            (Key::Char('v'), false) => {
                self.anchor = if self.anchor.is_some() { None } else { Some(self.cursor) };
            }
            (Key::Char('y'), false) => {
                let text = self.selected_text();
                self.anchor = None;
                return Wish::Copy(text);
            }
            (Key::Esc, _) if self.anchor.is_some() => self.anchor = None,
            (Key::Esc | Key::Char('q'), _) => return Wish::Leave,
            _ => {}
        }
        Wish::Nothing
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

    fn go(&mut self, line: usize) {
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
    }

    /// The selected lines, or the one under the cursor.
    pub fn selection(&self) -> std::ops::RangeInclusive<usize> {
        let anchor = self.anchor.unwrap_or(self.cursor);
        anchor.min(self.cursor)..=anchor.max(self.cursor)
    }

    fn selected_text(&self) -> String {
        let mut text = String::new();
        for line in self.lines.get(self.selection()).unwrap_or_default() {
            text.push_str(&line.text());
            if !line.wrapped {
                text.push('\n');
            }
        }
        text.truncate(text.trim_end_matches('\n').len());
        text
    }

    /// To the next line with the words searched for; `back` is towards older lines.
    fn find(&mut self, back: bool) -> Wish {
        if self.query.is_empty() {
            return Wish::Say("nothing to search for; type / and the words".into());
        }
        // A capital letter in the search makes it exact, as in most pagers.
        let exact = self.query.chars().any(char::is_uppercase);
        let folded = |text: String| if exact { text } else { text.to_lowercase() };
        let matches = |i: &usize| folded(self.lines[*i].text()).contains(&self.query);
        let found = if back {
            (0..self.cursor.min(self.lines.len())).rev().find(matches)
        } else {
            (self.cursor + 1..self.lines.len()).find(matches)
        };
        match found {
            Some(line) => {
                self.go(line);
                Wish::Nothing
            }
            None => {
                Wish::Say(format!("no line with '{}' {}", self.query, if back { "above" } else { "below" }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::picture::Run;

    fn line(text: &str) -> Line {
        let run = Run { text: text.into(), style: Default::default(), width: 1, cluster: false };
        Line { runs: vec![run], wrapped: false }
    }

    fn scroll(count: usize, height: usize) -> Scroll {
        let lines: Vec<Line> = (0..count).map(|i| line(&format!("line {i}"))).collect();
        let mut scroll = Scroll { lines, height, ..Scroll::default() };
        scroll.go(usize::MAX);
        scroll
    }

    fn press(scroll: &mut Scroll, keys: &str) -> Wish {
        let one = |ch| if ch == '\n' { Key::Enter } else { Key::Char(ch) };
        keys.chars().map(|ch| scroll.key(KeyPress::plain(one(ch)))).last().unwrap()
    }

    #[test]
    fn older_lines_move_nothing_on_the_screen() {
        let mut scroll = scroll(10, 4);
        assert_eq!((scroll.top, scroll.cursor), (6, 9));
        assert_eq!(scroll.older(2500, 200, Vec::new()), Some((1500, 1000)));
        assert_eq!(scroll.older(1500, 200, vec![line("x"); 1000]), Some((500, 1000)));
        assert_eq!(scroll.older(500, 200, vec![line("x"); 1000]), Some((200, 300)));
        assert_eq!(scroll.older(200, 200, vec![line("x"); 300]), None);
        assert_eq!((scroll.top, scroll.cursor, scroll.lines.len()), (2306, 2309, 2310));
    }

    #[test]
    fn searching_and_copying() {
        let mut scroll = scroll(50, 5);
        assert_eq!(press(&mut scroll, "/LINE 1\n"), Wish::Say("no line with 'LINE 1' above".into()));
        press(&mut scroll, "/line 1\n");
        assert_eq!(scroll.cursor, 19);
        press(&mut scroll, "nn");
        assert_eq!(scroll.cursor, 17);
        assert_eq!(press(&mut scroll, "vjy"), Wish::Copy("line 17\nline 18".into()));
        assert_eq!(press(&mut scroll, "q"), Wish::Leave);
    }

    #[test]
    fn the_window_stops_at_both_ends() {
        let mut scroll = scroll(20, 6);
        for _ in 0..9 {
            scroll.key(KeyPress::plain(Key::PageUp));
        }
        assert_eq!((scroll.top, scroll.cursor), (0, 0));
        assert_eq!(scroll.wheel(false, 3), Wish::Nothing);
        assert_eq!(scroll.top, 3);
        for _ in 0..9 {
            scroll.key(KeyPress::plain(Key::PageDown));
        }
        assert_eq!((scroll.top, scroll.cursor), (14, 19));
        assert_eq!(scroll.wheel(false, 3), Wish::Leave);
    }
}
