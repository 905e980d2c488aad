//! Escapes that are no agent's: one that takes back what was just said or closed here, and one that came together with
//! the prefix.
//!
//! An Escape declines a permission, empties the line of a password and interrupts a turn. `update.rs` asks this file
//! before a key goes anywhere, and tells it what the key before has led to. Pure.

use crate::core::keymap::behind_esc;
use crate::core::terminal::keys::{Action, Input, Key, KeyPress, Mods};

use super::mode::Mode;
use super::note::Note;
use super::state::State;

/// As long as it takes to read a short line and to reach for the key that takes it away.
const TAKES_BACK_MS: u64 = 1_000;

/// What was there before a key.
#[derive(Debug)]
pub struct Before {
    note: Option<Note>,
    panes: bool,
}

impl Before {
    pub fn of(state: &State) -> Before {
        Before { note: state.note.clone(), panes: state.mode == Mode::Panes }
    }

    /// After the key: an Escape that follows is meant for what it has brought up or closed.
    pub fn compare(self, state: &mut State) {
        let said = state.note.is_some() && state.note != self.note;
        if state.mode == Mode::Panes && (said || !self.panes) {
            closed(state);
        }
    }
}

/// Something has closed by a key: an Escape that follows is meant for it.
fn closed(state: &mut State) {
    state.esc_until_ms = state.now_ms + TAKES_BACK_MS;
}

/// An Escape and the prefix, where they came as one key.
pub fn apart(state: &State, input: Input) -> Vec<Input> {
    match input {
        Input::Key(press) if behind_esc(press, state.keymap.prefix) => {
            let prefix = KeyPress { action: press.action, ..state.keymap.prefix };
            [KeyPress { action: press.action, ..KeyPress::plain(Key::Esc) }, prefix].map(Input::Key).to_vec()
        }
        input => vec![input],
    }
}

/// `true`: this was an Escape for what was just said or closed. Only the next key can be one.
pub fn taken(state: &mut State, input: &Input) -> bool {
    let until_ms = match input {
        Input::Key(press) if press.action == Action::Press => std::mem::take(&mut state.esc_until_ms),
        _ => return false,
    };
    let esc = matches!(input, Input::Key(KeyPress { key: Key::Esc, mods: Mods::NONE, .. }));
    let ours = esc && state.mode == Mode::Panes && !state.prefix.pending && state.now_ms < until_ms;
    if ours && state.note.take().is_none() {
        state.say("that esc came right after this was closed, and went nowhere");
    }
    ours
}
