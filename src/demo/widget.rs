//! The dialogs a scripted agent asks with: menus, tick lists, forms with a review page, free text,
//! permissions. They behave as the terminal agents of the field do, their traps included.
//!
//! Pure: typed keys and a clock value in, effects and answers out. `draw.rs` shows them, `agent.rs` runs
//! them on a terminal, tests run them without one.

use super::keys::Typed;
use super::truth::{Did, Given};
use crate::core::terminal::keys::{Key, KeyPress, Mods};

/// The traps a dialog has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quirks {
    /// Keys that come within so many milliseconds of a page being drawn are lost.
    pub lost_ms: u64,
    /// Of several keys in one read, all act on what was highlighted before the first of them.
    pub stale_batch: bool,
}

impl Quirks {
    /// Measured on terminal agents in wide use: 140 ms of deafness in one version, stale batches in
    /// six others.
    pub const FIELD: Quirks = Quirks { lost_ms: 140, stale_batch: true };
}

/// What a row does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    Choice,
    /// Its label is what was typed into it.
    FreeText,
    /// Goes on with what is ticked.
    Submit,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub kind: RowKind,
    pub label: String,
    pub description: String,
    pub ticked: bool,
}

impl Row {
    fn new(kind: RowKind, label: &str, description: &str) -> Row {
        Row { kind, label: label.into(), description: description.into(), ticked: false }
    }
}

/// The free-text row's label while nothing is typed.
pub const FREE_TEXT: &str = "Type something.";
/// The row that sends what is ticked.
pub const SUBMIT: &str = "Submit";

/// One page of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// A word for the tab.
    pub header: String,
    pub prompt: String,
    pub rows: Vec<Row>,
    pub multi: bool,
    pub highlight: usize,
    /// What was typed into the free-text row.
    pub text: String,
    pub answer: Option<Vec<String>>,
}

impl Page {
    pub fn menu(header: &str, prompt: &str, rows: &[(&str, &str)]) -> Page {
        let rows = rows.iter().map(|(label, what)| Row::new(RowKind::Choice, label, what)).collect();
        Page {
            header: header.into(),
            prompt: prompt.into(),
            rows,
            multi: false,
            highlight: 0,
            text: String::new(),
            answer: None,
        }
    }

    pub fn with_free_text(mut self) -> Page {
        self.rows.push(Row::new(RowKind::FreeText, FREE_TEXT, ""));
        self
    }

    pub fn multi(header: &str, prompt: &str, rows: &[(&str, &str)]) -> Page {
        let mut page = Page::menu(header, prompt, rows);
        page.rows.push(Row::new(RowKind::Submit, SUBMIT, ""));
        page.multi = true;
        page
    }

    fn ticked(&self) -> Vec<String> {
        self.rows.iter().filter(|row| row.ticked).map(|row| row.label.clone()).collect()
    }
}

/// What a key did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// The page was drawn too short a time ago.
    Lost,
    /// It means nothing here.
    Stray,
    Moved,
    Ticked,
    Wrote,
    /// A page was answered; another one is shown.
    Next,
    Answered(Vec<Given>),
    Cancelled,
}

impl Effect {
    /// As a log of what was heard names it.
    pub fn did(&self) -> Did {
        match self {
            Effect::Lost => Did::Lost,
            Effect::Stray => Did::Stray,
            Effect::Moved => Did::Moved,
            Effect::Ticked => Did::Ticked,
            Effect::Wrote => Did::Wrote,
            Effect::Next => Did::Next,
            Effect::Answered(_) => Did::Answered,
            Effect::Cancelled => Did::Cancelled,
        }
    }
}

/// A dialog: one page, or several with a review at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    pub pages: Vec<Page>,
    /// Index into `pages`; one past the end is the review.
    pub at: usize,
    /// `Some`: a permission to do this.
    pub permission: Option<Permission>,
    pub review: Page,
    quirks: Quirks,
    drawn_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permission {
    pub tool: String,
    pub subject: String,
}

impl Dialog {
    pub fn new(pages: Vec<Page>, quirks: Quirks, now_ms: u64) -> Dialog {
        let rows = [("Submit answers", ""), ("Cancel", "")];
        let review = Page::menu("Submit", "Ready to submit your answers?", &rows);
        Dialog { pages, at: 0, permission: None, review, quirks, drawn_ms: now_ms }
    }

    pub fn permission(tool: &str, subject: &str, quirks: Quirks, now_ms: u64) -> Dialog {
        let rows = [("Yes", ""), ("Yes, and don't ask again", ""), ("No", "")];
        let page = Page::menu(tool, "Do you want to proceed?", &rows);
        let permission = Some(Permission { tool: tool.into(), subject: subject.into() });
        Dialog { permission, ..Dialog::new(vec![page], quirks, now_ms) }
    }

    /// A form has tabs and a review.
    pub fn is_form(&self) -> bool {
        self.pages.len() > 1
    }

    pub fn page(&self) -> &Page {
        self.pages.get(self.at).unwrap_or(&self.review)
    }

    fn page_mut(&mut self) -> &mut Page {
        self.pages.get_mut(self.at).unwrap_or(&mut self.review)
    }

    /// Takes what one read brought; one effect for each token, up to the one that ends the dialog.
    pub fn take(&mut self, batch: &[Typed], now_ms: u64) -> Vec<Effect> {
        let (at, before) = (self.at, self.page().highlight);
        let mut effects = Vec::new();
        for typed in batch {
            let shown = self.page().highlight;
            let stale = self.quirks.stale_batch && self.at == at && acts_on_highlight(typed);
            if stale {
                self.page_mut().highlight = before;
            }
            let effect = self.key(typed, now_ms);
            if stale && self.at == at {
                self.page_mut().highlight = shown;
            }
            let over = matches!(effect, Effect::Answered(_) | Effect::Cancelled);
            effects.push(effect);
            if over {
                break;
            }
        }
        effects
    }

    fn key(&mut self, typed: &Typed, now_ms: u64) -> Effect {
        if now_ms.saturating_sub(self.drawn_ms) < self.quirks.lost_ms {
            return Effect::Lost;
        }
        let on_text = self.page().rows[self.page().highlight].kind == RowKind::FreeText;
        let press = match typed {
            Typed::Key(press) => press,
            Typed::Paste(text) if on_text => {
                self.page_mut().text.push_str(&text.replace(['\r', '\n'], " "));
                return Effect::Wrote;
            }
            Typed::Paste(_) | Typed::Reply(_) | Typed::Focus | Typed::Unknown => return Effect::Stray,
        };
        if *press == (KeyPress { mods: Mods::SHIFT, ..KeyPress::plain(Key::Tab) }) {
            return self.turn(self.at.checked_sub(1), now_ms);
        }
        if press.mods != Mods::NONE {
            return Effect::Stray;
        }
        match press.key {
            Key::Esc => Effect::Cancelled,
            Key::Up => self.step(-1),
            Key::Down => self.step(1),
            Key::Tab | Key::Right => self.turn(Some(self.at + 1), now_ms),
            Key::Left => self.turn(self.at.checked_sub(1), now_ms),
            Key::Enter => self.enter(now_ms),
            Key::Backspace if on_text => {
                self.page_mut().text.pop();
                Effect::Wrote
            }
            Key::Char(ch) if on_text => {
                self.page_mut().text.push(ch);
                Effect::Wrote
            }
            Key::Char(' ') if self.page().multi => self.tick(self.page().highlight),
            Key::Char(digit @ '1'..='9') => self.digit(digit as usize - '1' as usize, now_ms),
            Key::Char(_)
            | Key::Backspace
            | Key::Home
            | Key::End
            | Key::PageUp
            | Key::PageDown
            | Key::Insert
            | Key::Delete
            | Key::F(_) => Effect::Stray,
        }
    }

    fn step(&mut self, by: isize) -> Effect {
        let page = self.page_mut();
        let to = page.highlight.saturating_add_signed(by).min(page.rows.len() - 1);
        page.highlight = to;
        Effect::Moved
    }

    /// Shows another page of a form.
    fn turn(&mut self, to: Option<usize>, now_ms: u64) -> Effect {
        match to {
            Some(to) if self.is_form() && to <= self.pages.len() => {
                self.at = to;
                self.drawn_ms = now_ms;
                Effect::Next
            }
            Some(_) | None => Effect::Stray,
        }
    }

    fn tick(&mut self, row: usize) -> Effect {
        let row = &mut self.page_mut().rows[row];
        match row.kind {
            RowKind::Choice => {
                row.ticked = !row.ticked;
                Effect::Ticked
            }
            RowKind::FreeText | RowKind::Submit => Effect::Stray,
        }
    }

    /// Numbers stand before choices and the free-text row; the submit row has none.
    fn digit(&mut self, row: usize, now_ms: u64) -> Effect {
        match self.page().rows.get(row).map(|row| row.kind) {
            Some(RowKind::Choice) if self.page().multi => self.tick(row),
            Some(RowKind::Choice) => {
                self.page_mut().highlight = row;
                self.enter(now_ms)
            }
            Some(RowKind::FreeText) => {
                self.page_mut().highlight = row;
                Effect::Moved
            }
            Some(RowKind::Submit) | None => Effect::Stray,
        }
    }

    fn enter(&mut self, now_ms: u64) -> Effect {
        let page = self.page();
        let row = &page.rows[page.highlight];
        let answer = match row.kind {
            RowKind::Choice if page.multi => return self.tick(page.highlight),
            RowKind::Choice => vec![row.label.clone()],
            RowKind::FreeText if page.text.trim().is_empty() => return Effect::Stray,
            RowKind::FreeText => vec![page.text.clone()],
            RowKind::Submit => page.ticked(),
        };
        if self.at == self.pages.len() {
            return if page.highlight == 0 { Effect::Answered(self.given()) } else { Effect::Cancelled };
        }
        self.page_mut().answer = Some(answer);
        if self.is_form() {
            return self.turn(Some(self.at + 1), now_ms);
        }
        Effect::Answered(self.given())
    }

    /// What each page was answered with.
    pub fn given(&self) -> Vec<Given> {
        let given = |page: &Page| Given {
            prompt: page.prompt.clone(),
            answer: page.answer.clone().unwrap_or_default(),
        };
        self.pages.iter().map(given).collect()
    }
}

fn acts_on_highlight(typed: &Typed) -> bool {
    matches!(typed, Typed::Key(press) if matches!(press.key, Key::Enter | Key::Char(' ')))
}

#[cfg(test)]
#[path = "widget_tests.rs"]
mod tests;
