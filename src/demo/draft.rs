//! The input line of a scripted agent: text typed or pasted, not yet sent.
//!
//! Pure; `actor.rs` owns one while it listens.

use super::keys::Typed;
use super::truth::Did;
use crate::core::terminal::keys::{Key, Mods};

/// Pastes of more lines are shown as a note of their length, as the field's programs do.
const SHOWN_LINES: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Typed(String),
    Pasted(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    parts: Vec<Part>,
}

impl Draft {
    /// The words that Enter would send.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().map(|part| match part {
            Part::Typed(text) | Part::Pasted(text) => text.as_str(),
        });
        texts.collect()
    }

    /// What stands in the input line.
    pub fn shown(&self) -> String {
        let mut count = 0;
        let mut shown = String::new();
        for part in &self.parts {
            match part {
                Part::Typed(text) => shown.push_str(text),
                Part::Pasted(text) => {
                    count += 1;
                    let lines = lines(text);
                    if lines > SHOWN_LINES {
                        shown.push_str(&format!("[Pasted text #{count} +{} lines]", lines - 1));
                    } else {
                        shown.push_str(&text.replace(['\r', '\n'], " "));
                    }
                }
            }
        }
        shown
    }

    pub fn take(&mut self, typed: &Typed) -> Did {
        match typed {
            Typed::Paste(text) => self.parts.push(Part::Pasted(text.clone())),
            Typed::Key(press) if press.mods == Mods::NONE => match press.key {
                Key::Char(ch) => match self.parts.last_mut() {
                    Some(Part::Typed(text)) => text.push(ch),
                    Some(Part::Pasted(_)) | None => self.parts.push(Part::Typed(ch.to_string())),
                },
                Key::Backspace => self.erase(),
                _ => return Did::Stray,
            },
            Typed::Key(_) | Typed::Reply(_) | Typed::Focus | Typed::Unknown => return Did::Stray,
        }
        Did::Wrote
    }

    /// One character, or a whole paste that is shown by its length.
    fn erase(&mut self) {
        match self.parts.last_mut() {
            Some(Part::Typed(text)) if text.chars().count() > 1 => drop(text.pop()),
            Some(Part::Pasted(text)) if lines(text) <= SHOWN_LINES && text.chars().count() > 1 => {
                text.pop();
            }
            _ => drop(self.parts.pop()),
        }
    }
}

fn lines(pasted: &str) -> usize {
    pasted.split(['\r', '\n']).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::keys::KeyPress;

    #[test]
    fn a_long_paste_is_shown_by_its_length_and_sent_whole() {
        let mut draft = Draft::default();
        let key = |ch| Typed::Key(KeyPress::plain(Key::Char(ch)));
        draft.take(&key('a'));
        draft.take(&Typed::Paste("1\r2\r3\r4".into()));
        draft.take(&key('b'));
        assert_eq!(draft.shown(), "a[Pasted text #1 +3 lines]b");
        assert_eq!(draft.text(), "a1\r2\r3\r4b");
        for _ in 0..3 {
            draft.take(&Typed::Key(KeyPress::plain(Key::Backspace)));
        }
        assert_eq!(draft, Draft::default());
        assert_eq!(draft.take(&Typed::Key(KeyPress::plain(Key::Up))), Did::Stray);
    }

    #[test]
    fn a_short_paste_is_erased_letter_by_letter() {
        let mut draft = Draft::default();
        draft.take(&Typed::Paste("Grün".into()));
        for left in ["Grü", "Gr", "G", ""] {
            draft.take(&Typed::Key(KeyPress::plain(Key::Backspace)));
            assert_eq!(draft.text(), left);
        }
        assert_eq!(draft, Draft::default());
    }
}
