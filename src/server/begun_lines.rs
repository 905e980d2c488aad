//! The lines a client has begun, each in one life of its agent. The rest of a line is no line of the next life: a program
//! that was started again would take it with its Enter for a whole one.
//!
//! `client_io.rs` asks it for all keys. It knows which life they reach before anybody at a screen does. Pure.

use std::collections::BTreeMap;

use crate::core::keymap::{ends_line, same_key};
use crate::core::terminal::keys::{Action, Input, KeyPress};
use crate::session::message::AgentKey;

#[derive(Debug, Default)]
pub struct BegunLines(BTreeMap<String, Line>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// In this life; `None`: between two.
    Begun(Option<AgentKey>),
    /// Some of it was left out, and so is the rest.
    Cut,
}

/// What comes of keys.
#[derive(Debug, PartialEq)]
pub struct Sorted {
    pub goes: Vec<Input>,
    /// Some were left out; `Some(true)`: up to the end of the line.
    pub cut: Option<bool>,
}

impl BegunLines {
    /// Whether these keys belong to what this life of the agent has got the beginning of. None at all end a line: the client
    /// has kept the end of it to itself.
    pub fn sort(&mut self, name: &str, life: Option<AgentKey>, input: Vec<Input>) -> Sorted {
        if input.is_empty() {
            self.forget(name);
        }
        let mut sorted = Sorted { goes: Vec::new(), cut: None };
        for input in input {
            let line = self.0.get(name).copied();
            let other = matches!(line, Some(Line::Begun(begun)) if life.is_some() && begun != life);
            let cut = (other || line == Some(Line::Cut)) && is_typed(&input);
            match &input {
                Input::Key(press) if press.action == Action::Release => {}
                Input::Key(press) if ends_line(*press) => self.forget(name),
                // It hands over what there is of a line, and often ends the program.
                Input::Key(press) if !cut && same_key(*press, KeyPress::ctrl('d')) => self.forget(name),
                _ if is_typed(&input) => {
                    let line = if cut { Line::Cut } else { Line::Begun(life) };
                    self.0.insert(name.to_owned(), line);
                }
                _ => {}
            }
            match cut {
                true => sorted.cut = Some(!self.0.contains_key(name)),
                false => sorted.goes.push(input),
            }
        }
        sorted
    }

    /// What comes next begins a line.
    pub fn forget(&mut self, name: &str) {
        self.0.remove(name);
    }
}

fn is_typed(input: &Input) -> bool {
    matches!(input, Input::Key(_) | Input::Paste(_) | Input::Text(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::keys::Key;

    const OLD: Option<AgentKey> = Some(AgentKey(1));
    const NEW: Option<AgentKey> = Some(AgentKey(2));

    fn key(key: Key) -> Vec<Input> {
        vec![Input::Key(KeyPress::plain(key))]
    }

    fn goes(lines: &mut BegunLines, life: Option<AgentKey>, input: Vec<Input>) -> (bool, Option<bool>) {
        let sorted = lines.sort("a", life, input);
        (!sorted.goes.is_empty(), sorted.cut)
    }

    #[test]
    fn the_rest_of_a_line_is_left_out_of_the_next_life_up_to_where_it_ends() {
        let ends = [Key::Enter, Key::Esc].map(KeyPress::plain).into_iter();
        for end in ends.chain([KeyPress::ctrl('c')]) {
            // The middle may come between two lives, where there is nobody to take it.
            for between in [OLD, None] {
                let mut lines = BegunLines::default();
                assert_eq!(goes(&mut lines, OLD, key(Key::Char('r'))), (true, None));
                assert_eq!(goes(&mut lines, between, key(Key::Char('m'))), (true, None));
                assert_eq!(goes(&mut lines, NEW, key(Key::Char('x'))), (false, Some(false)));
                assert_eq!(goes(&mut lines, NEW, vec![Input::Paste("x".into())]), (false, Some(false)));
                assert_eq!(goes(&mut lines, NEW, vec![Input::Focus(true)]), (true, None));
                assert_eq!(lines.sort("b", NEW, key(Key::Char('x'))).cut, None, "another agent's line");
                assert_eq!(goes(&mut lines, NEW, vec![Input::Key(end)]), (false, Some(true)));
                assert_eq!(goes(&mut lines, NEW, key(Key::Char('y'))), (true, None));
            }
        }
    }

    #[test]
    fn what_is_typed_for_the_next_life_goes_through() {
        let release = KeyPress { action: Action::Release, ..KeyPress::plain(Key::Enter) };
        let ended: [&[Input]; 4] = [
            &[],
            &[Input::Text("ls".into()), Input::Key(KeyPress::plain(Key::Enter)), Input::Key(release)],
            &[Input::Text("ls".into()), Input::Key(KeyPress::ctrl('d'))],
            &[Input::Focus(true)],
        ];
        for before in ended {
            let mut lines = BegunLines::default();
            lines.sort("a", OLD, before.to_vec());
            assert_eq!(goes(&mut lines, NEW, key(Key::Char('x'))), (true, None), "{before:?}");
        }
        // Whoever starts it again, or has kept the end of the line to themselves, begins anew.
        let mut lines = BegunLines::default();
        for begins_anew in [
            |lines: &mut BegunLines| lines.forget("a"),
            |lines: &mut BegunLines| {
                lines.sort("a", NEW, Vec::new());
            },
        ] {
            lines.sort("a", OLD, key(Key::Char('x')));
            begins_anew(&mut lines);
            assert_eq!(goes(&mut lines, NEW, key(Key::Char('x'))), (true, None));
            lines.forget("a");
        }
    }

    /// In one read the end of one line and the beginning of another.
    #[test]
    fn what_stands_behind_the_end_of_the_line_goes_in() {
        let mut lines = BegunLines::default();
        lines.sort("a", OLD, key(Key::Char('x')));
        let input = [key(Key::Char('y')), key(Key::Enter), key(Key::Char('z'))].concat();
        let sorted = lines.sort("a", NEW, input);
        assert_eq!((sorted.goes, sorted.cut), (key(Key::Char('z')), Some(true)));
    }
}
