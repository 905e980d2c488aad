//! One line of text that a person edits: an answer, a search, a command.
//!
//! `update.rs` feeds it keys, the views show it with its cursor. Pure.

use unicode_segmentation::UnicodeSegmentation;

use crate::core::terminal::keys::{Key, KeyPress, Mods};

/// More than any answer or command; a pasted file does not belong into one line.
const MAX_BYTES: usize = 4096;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edit {
    pub text: String,
    /// Byte position, always between graphemes.
    cursor: usize,
    /// It was put there, not typed: what is typed takes its place.
    offered: bool,
}

impl Edit {
    pub fn new(text: &str) -> Edit {
        Edit { text: text.to_owned(), cursor: text.len(), offered: false }
    }

    /// The text as an offer: the first letter typed takes its place, a key that moves makes it text to go on with.
    pub fn offer(&mut self) {
        (self.cursor, self.offered) = (self.text.len(), !self.text.is_empty());
    }

    /// It is gone on with.
    pub fn keep(&mut self) {
        self.offered = false;
    }

    pub fn is_offered(&self) -> bool {
        self.offered
    }

    /// What stands before and after the cursor.
    pub fn parts(&self) -> (&str, &str) {
        self.text.split_at(self.cursor)
    }

    pub fn insert(&mut self, text: &str) {
        self.replace_offer();
        let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        if self.text.len() + clean.len() <= MAX_BYTES {
            self.text.insert_str(self.cursor, &clean);
            self.cursor += clean.len();
        }
    }

    fn replace_offer(&mut self) {
        if std::mem::take(&mut self.offered) {
            self.text.clear();
            self.cursor = 0;
        }
    }

    /// Takes an editing key; `false` for one that means something else.
    pub fn key(&mut self, press: KeyPress) -> bool {
        match press.key {
            Key::Left | Key::Right | Key::Home | Key::End => self.keep(),
            Key::Char('a' | 'e') if press.mods == Mods::CTRL => self.keep(),
            Key::Backspace | Key::Delete => self.replace_offer(),
            Key::Char('u' | 'w') if press.mods == Mods::CTRL => self.replace_offer(),
            _ => {}
        }
        match (press.key, press.mods) {
            (Key::Char('a'), Mods::CTRL) | (Key::Home, _) => self.cursor = 0,
            (Key::Char('e'), Mods::CTRL) | (Key::End, _) => self.cursor = self.text.len(),
            (Key::Char('u'), Mods::CTRL) => {
                self.text.drain(..self.cursor);
                self.cursor = 0;
            }
            (Key::Char('w'), Mods::CTRL) => {
                let kept = self.parts().0.trim_end().rfind(' ').map_or(0, |blank| blank + 1);
                self.text.drain(kept..self.cursor);
                self.cursor = kept;
            }
            (Key::Char(ch), mods) if !mods.has(Mods::CTRL) && !mods.has(Mods::ALT) => {
                self.insert(ch.encode_utf8(&mut [0; 4]));
            }
            (Key::Left, _) => self.cursor -= self.before(),
            (Key::Right, _) => self.cursor += self.after(),
            (Key::Backspace, _) => {
                let from = self.cursor - self.before();
                self.text.drain(from..self.cursor);
                self.cursor = from;
            }
            (Key::Delete, _) => {
                let to = self.cursor + self.after();
                self.text.drain(self.cursor..to);
            }
            _ => return false,
        }
        true
    }

    fn before(&self) -> usize {
        self.parts().0.graphemes(true).next_back().map_or(0, str::len)
    }

    fn after(&self) -> usize {
        self.parts().1.graphemes(true).next().map_or(0, str::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editing_goes_by_what_a_person_sees_as_one_character() {
        let mut edit = Edit::new("ae\u{301}漢");
        for key in [Key::Left, Key::Backspace] {
            assert!(edit.key(KeyPress::plain(key)));
        }
        assert_eq!(edit.parts(), ("a", "漢"));
        edit.insert("x\ny");
        assert_eq!(edit.text, "ax y漢");
        assert!(edit.key(KeyPress::ctrl('w')));
        assert_eq!(edit.parts(), ("ax ", "漢"));
        assert!(edit.key(KeyPress::plain(Key::Delete)));
        assert_eq!(edit.text, "ax ");
        assert!(!edit.key(KeyPress::plain(Key::Enter)));
    }

    /// Where a command that had failed stood in the form, the next one was typed behind it.
    #[test]
    fn what_is_offered_is_replaced_by_what_is_typed_and_kept_by_what_moves() {
        let after = |keys: &[KeyPress]| {
            let mut edit = Edit::new("nonsuch -x");
            edit.offer();
            keys.iter().for_each(|key| assert!(edit.key(*key)));
            edit.text
        };
        let plain = KeyPress::plain;
        assert_eq!(after(&[plain(Key::Char('l')), plain(Key::Char('s'))]), "ls");
        assert_eq!(after(&[plain(Key::End), plain(Key::Char('y'))]), "nonsuch -xy");
        assert_eq!(after(&[plain(Key::Left), plain(Key::Backspace)]), "nonsuch x");
        assert_eq!(after(&[plain(Key::Backspace)]), "");
        assert_eq!(after(&[KeyPress::ctrl('a'), plain(Key::Char('a'))]), "anonsuch -x");
        assert_eq!(after(&[KeyPress::ctrl('w')]), "");
    }
}
