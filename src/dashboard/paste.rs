//! What is pasted: where it goes, and which keys of one read are a paste that its terminal did not mark as one.
//!
//! Many terminals paste by typing (tmux does unless it is told otherwise), and the first letter of a pasted word declined
//! a permission. Nothing is answered by keys that come together. `update.rs` asks this file before the keys of one read
//! go anywhere. Pure.

use std::collections::BTreeSet;

use crate::core::keymap::{Action, Context};
use crate::core::terminal::keys::{Action as Press, Input, Key, Mods};

use super::answer_line;
use super::digits::{Digits, gives_at_once};
use super::drawer::lost_words;
use super::mode::{Drawer, Help, Mode};
use super::state::State;

/// So many letters and digits in one read are no keys of a person's: over a line that stalls for half a second somebody
/// may have pressed a few, but those that choose, move and tick are two or three.
const PASTED: usize = 4;
/// So many of them differ: a key that is held down, or two that go to and fro, come in any number.
const DIFFERENT: usize = 3;

/// Whether a letter does something here instead of being typed.
fn letters_are_commands(state: &State) -> bool {
    match &state.mode {
        Mode::Drawer(drawer) => drawer.edit.is_none(),
        Mode::Scroll(scroll) => scroll.search.is_none(),
        Mode::Help(help) => help.find.is_none(),
        Mode::Sure(_) => true,
        Mode::Panes | Mode::Palette(_) | Mode::Create(_) | Mode::Log(_) => false,
    }
}

/// The paste that these inputs of one read begin with, and how many of them it takes.
pub fn pasted(state: &State, inputs: &[Input]) -> Option<(usize, String)> {
    // After the prefix the next key is a chord; an agent gets everything as it came.
    if state.prefix.pending || state.mode == Mode::Panes {
        return None;
    }
    let text: String = inputs.iter().map_while(character).collect();
    let count = text.chars().count();
    if count > 1 && may_answer(state, &inputs[..count]) {
        return Some((count, text));
    }
    let words: Vec<char> = text.chars().filter(|ch| ch.is_alphanumeric()).collect();
    let different: BTreeSet<&char> = words.iter().collect();
    let many = words.len() >= PASTED && different.len() >= DIFFERENT;
    // A line and its Enter may be typed as fast. What goes on behind an Enter would start or do what stands before it.
    let lines = text.trim_end().contains(['\n', '\t']);
    (many && (lines || letters_are_commands(state))).then_some((count, text))
}

/// Whether one of these keys could give an answer. However short, a paste must not: `ok` and its line end would take a
/// question from its consultant and answer it. Somebody whose line stalled for two keys presses the second one again.
fn may_answer(state: &State, inputs: &[Input]) -> bool {
    match &state.mode {
        Mode::Sure(_) => true,
        Mode::Drawer(Drawer { edit: Some(_), .. }) => {
            inputs.iter().filter_map(character).any(|ch| matches!(ch, '\n' | '\t'))
        }
        Mode::Drawer(_) => !inputs.iter().all(|input| only_moves(state, input)),
        _ => false,
    }
}

/// Whether all that this key can do in the drawer is to show something else there.
fn only_moves(state: &State, input: &Input) -> bool {
    let Input::Key(press) = input else { return false };
    match state.keymap.action(Context::Questions, *press) {
        Some(Action::RowUp | Action::RowDown | Action::NextQuestion | Action::PreviousQuestion) => true,
        Some(Action::Tick) => state.in_drawer().is_some_and(|question| question.multi),
        Some(_) => false,
        None => state.in_drawer().is_some_and(|question| {
            Digits::pressed(question, None, *press).is_some() && !gives_at_once(question)
        }),
    }
}

/// The character that this key types into a text.
fn character(input: &Input) -> Option<char> {
    let Input::Key(press) = input else { return None };
    match press.key {
        _ if press.action == Press::Release || press.mods.without(Mods::SHIFT) != Mods::NONE => None,
        Key::Char(ch) => Some(ch),
        Key::Enter => Some('\n'),
        Key::Tab => Some('\t'),
        _ => None,
    }
}

/// Pasted text goes to the line that is typed, if one is. To an agent `update.rs` sends it.
pub fn here(state: &mut State, text: &str) {
    match &mut state.mode {
        Mode::Panes => {}
        // Its end is not the Enter that gives it.
        Mode::Drawer(Drawer { edit: Some(edit), .. }) => edit.insert(text.trim_end_matches(['\n', '\t'])),
        Mode::Palette(palette) => palette.edit.insert(text),
        Mode::Create(form) => form.edit_here().insert(text),
        Mode::Log(view) => view.search.insert(text),
        Mode::Scroll(scroll) if scroll.search.is_some() => {
            if let Some(edit) = &mut scroll.search {
                edit.insert(text);
                scroll.query = edit.text.clone();
                scroll.found();
            }
        }
        Mode::Help(Help { find: Some(edit), .. }) => edit.insert(text),
        Mode::Drawer(_) | Mode::Scroll(_) | Mode::Help(_) | Mode::Sure(_) => pasted_nowhere(state),
    }
}

/// Nothing here takes text, and no letter of it does what that key would do. What follows belongs to it.
fn pasted_nowhere(state: &mut State) {
    let words = match state.in_drawer() {
        Some(question) if answer_line::takes_words(question) => {
            let key = state.keymap.key(Context::Questions, Action::OwnWords);
            format!("a paste goes nowhere here; {key} takes your own words")
        }
        _ => "a paste goes nowhere here; a key by itself counts".to_owned(),
    };
    state.say(words);
    state.hold_on();
    lost_words::lose(state);
}
