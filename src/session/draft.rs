//! What persons and programs have typed into an agent and not ended with a line end.
//!
//! A terminal that collects lines shows it, and the program knows nothing of it yet: on the screen it looks like words that were
//! printed. `session/input.rs` tells it of keys, detection is given its text. Pure.

use crate::core::terminal::grid::{Grid, Row};
use crate::core::terminal::keys::{Action, Input, Key, Mods};

/// More than any prompt's line holds.
const MOST: usize = 4096;

/// The beginning of a line.
#[derive(Debug, Default)]
pub(super) struct Draft {
    text: String,
    /// What stood before the cursor when it was begun.
    behind: Option<String>,
    /// It was begun under the server before: its words are only on the screen.
    unseen: bool,
}

impl Draft {
    /// Begun under the server before, behind these words of its line.
    pub(super) fn of_the_server_before(behind: Option<String>) -> Draft {
        Draft { text: String::new(), unseen: behind.is_some(), behind }
    }

    /// What is typed, where this is the line up to the cursor.
    pub(super) fn text(&self, line: impl FnOnce() -> String) -> String {
        match &self.behind {
            Some(behind) if self.unseen => {
                let line = line();
                line.strip_prefix(behind.trim_end()).unwrap_or_default().trim_start().to_owned()
            }
            _ => self.text.clone(),
        }
    }

    /// The words that stood before it, for the server that comes next; none if nothing is typed.
    pub(super) fn behind(&self) -> Option<&str> {
        self.behind.as_deref()
    }

    /// Something is typed, where this is the line up to the cursor.
    pub(super) fn begins(&mut self, line: impl FnOnce() -> String) {
        if self.behind.is_none() {
            self.behind = Some(line());
        }
    }

    pub(super) fn typed(&mut self, input: &Input) {
        match input {
            Input::Key(press) if press.action == Action::Release => {}
            Input::Key(press) => match press.key {
                Key::Enter => self.end(),
                Key::Backspace => drop(self.text.pop()),
                // An interrupt, an end of file and a line that is given up, as terminals have them.
                Key::Char('c' | 'd' | 'u' | 'j' | 'm') if press.mods.has(Mods::CTRL) => self.end(),
                Key::Char('w') if press.mods.has(Mods::CTRL) => self.without_last_word(),
                Key::Char(ch) if !press.mods.has(Mods::CTRL) => self.text.push(ch),
                _ => {}
            },
            Input::Text(text) | Input::Paste(text) => self.words(text),
            Input::Raw(bytes) => self.words(&String::from_utf8_lossy(bytes)),
            Input::Mouse(_) | Input::Focus(_) => {}
        }
        let over = self.text.len().saturating_sub(MOST);
        self.text.drain(..self.text.ceil_char_boundary(over));
    }

    fn end(&mut self) {
        *self = Draft::default();
    }

    /// As terminals take the last word back: the blanks behind it, and it.
    fn without_last_word(&mut self) {
        let rest = self.text.trim_end().trim_end_matches(|ch: char| !ch.is_whitespace()).len();
        self.text.truncate(rest);
    }

    fn words(&mut self, text: &str) {
        let rest = match text.rfind(['\r', '\n']) {
            Some(end) => {
                self.end();
                &text[end + 1..]
            }
            None => text,
        };
        self.text.push_str(rest);
    }
}

/// What stands in the cursor's row before it.
pub(super) fn words_before_the_cursor(grid: &Grid) -> String {
    let row = grid.rows.get(usize::from(grid.cursor.row)).map(Row::full_text).unwrap_or_default();
    row.chars().take(usize::from(grid.cursor.col)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::keys::KeyPress;

    /// Under the next server the echo of what was typed was a question of its program, and what was typed behind it was lost.
    #[test]
    fn what_was_typed_under_the_server_before_is_read_off_the_screen() {
        let mut draft = Draft::default();
        draft.begins(|| "Name: ".into());
        draft.typed(&Input::Text("my".into()));
        draft.begins(|| "Name: my".into());
        assert_eq!((draft.text(String::new).as_str(), draft.behind()), ("my", Some("Name: ")));
        let mut next = Draft::of_the_server_before(draft.behind().map(str::to_owned));
        assert_eq!(next.text(|| "Name: my na".into()), "my na");
        assert_eq!(next.text(|| "Port: 80".into()), "", "it is another line by now");
        next.typed(&Input::Text("me".into()));
        assert_eq!(next.text(|| "Name: my name".into()), "my name");
        next.typed(&Input::Key(KeyPress::plain(Key::Enter)));
        assert_eq!((next.text(|| "Name: my name".into()).as_str(), next.behind()), ("", None));
        assert_eq!(Draft::of_the_server_before(None).text(|| "Name:".into()), "");
    }

    #[test]
    fn a_line_is_what_was_typed_since_the_last_one_ended() {
        let after = |inputs: &[Input]| {
            let mut draft = Draft::default();
            inputs.iter().for_each(|input| draft.typed(input));
            draft.text
        };
        let key = |key| Input::Key(KeyPress::plain(key));
        let text = |text: &str| Input::Text(text.into());
        assert_eq!(
            after(&[key(Key::Char('P')), key(Key::Char('x')), key(Key::Backspace), text("ort")]),
            "Port"
        );
        assert_eq!(after(&[text("Port"), key(Key::Enter), text("80")]), "80");
        assert_eq!(after(&[text("one\ntwo")]), "two");
        assert_eq!(after(&[text("one"), Input::Key(KeyPress::ctrl('u')), text("two")]), "two");
        assert_eq!(after(&[text("one"), key(Key::Up)]), "one");
        assert_eq!(after(&[text("one two  "), Input::Key(KeyPress::ctrl('w'))]), "one ");
        assert_eq!(after(&[text("one"), Input::Key(KeyPress::ctrl('w'))]), "");
        assert_eq!(after(&[text(&"日".repeat(9_000))]).len(), MOST - 1, "whole characters");
        assert_eq!(after(&[text(&"x".repeat(9_000))]).len(), MOST);
    }
}
