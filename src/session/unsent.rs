//! The letters of an answer that stand before the cursor and were not sent yet, and the keys that take them back.
//!
//! The typing slot keeps them, `input.rs` tells of each key of the answer, `interrupted.rs` takes them back. Pure.

use crate::core::terminal::keys::{Action, Input as Keys, Key, KeyPress};

/// Letters that are taken back one by one, where the program reads each key. Longer answers are pasted into an input line that
/// shows them, often as one word for them all.
const MOST_LETTERS: usize = 400;
/// The letters of an answer that stand before the cursor.
#[derive(Debug, Default)]
pub(super) struct Unsent(String);

impl Unsent {
    /// What is typed of the answer. Behind any key but Backspace the cursor may be elsewhere, and behind Enter nothing stands.
    pub fn follow(&mut self, input: &Keys) {
        match input {
            Keys::Text(text) | Keys::Paste(text) => self.0.push_str(text),
            Keys::Key(press) if press.action == Action::Release => {}
            Keys::Key(press) if press.key == Key::Backspace => drop(self.0.pop()),
            _ => self.0.clear(),
        }
    }

    /// The keys that take it back: from a terminal that collects the line, or from the program.
    pub fn taken_back(&self, canonical: bool) -> Option<Vec<KeyPress>> {
        let letters = self.0.chars().count();
        match canonical {
            _ if letters == 0 => None,
            true => Some(vec![KeyPress::ctrl('u')]),
            false if letters > MOST_LETTERS || self.0.contains('\n') => None,
            false => Some(vec![KeyPress::plain(Key::Backspace); letters]),
        }
    }

    /// Whether it is what this line up to the cursor ends with.
    pub fn stands_in(&self, line: impl FnOnce() -> String) -> bool {
        !self.0.is_empty() && line().ends_with(self.0.as_str())
    }

    pub fn into_letters(self) -> String {
        self.0
    }
}
