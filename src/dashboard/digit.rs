//! The number of an agent that is typed digit by digit: the digit after the one that has led to an agent is part of its
//! number, or nothing.
//!
//! `actions.rs` begins with the first digit, `update.rs` gives it the key after that. Typed into the agent it would choose
//! something there. Pure.

use crate::core::keymap::Action;
use crate::core::terminal::keys::{Key, KeyPress, Mods};

use super::focus::HOLD_MS;
use super::state::{FirstDigit, State};

/// The second digit of a number that has two comes within this time.
const SECOND_MS: u64 = 1_000;

/// A digit after the prefix.
pub fn first(state: &mut State, digit: usize) {
    let (focus, recent) = (state.focus.clone(), state.recent.clone());
    state.first_digit = Some(FirstDigit { digit, typed_ms: state.now_ms, focus, recent });
    match state.numbered(digit).map(|agent| agent.info.name.clone()) {
        Some(name) => state.go_to(&name),
        None if begins(state, digit) => {}
        None => state.say(format!("no agent has the number {digit}")),
    }
}

/// `true`: this key was the second digit, and no agent's.
pub fn second(state: &mut State, press: KeyPress) -> bool {
    let Some(FirstDigit { digit, typed_ms, focus, recent }) = state.first_digit.take() else { return false };
    let (Key::Char(typed @ '0'..='9'), Mods::NONE) = (press.key, press.mods) else { return false };
    let within = if begins(state, digit) { SECOND_MS } else { HOLD_MS };
    if state.now_ms.saturating_sub(typed_ms) >= within {
        return false;
    }
    let number = digit * 10 + (typed as usize - '0' as usize);
    match state.numbered(number).map(|agent| agent.info.name.clone()) {
        Some(name) => state.go_to(&name),
        None => {
            // The first digit alone was not what was meant.
            if focus.as_ref().is_some_and(|name| state.agent(name).is_some()) {
                (state.focus, state.recent) = (focus, recent);
            }
            let palette = state.chord(Action::Palette);
            state.say(format!("no agent has the number {number}; {palette} finds agents by name"));
        }
    }
    true
}

/// Whether some agent's number has two digits, this one first.
fn begins(state: &State, digit: usize) -> bool {
    state.agents.iter().any(|agent| agent.number / 10 == digit)
}
