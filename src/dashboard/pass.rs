//! Passes what is typed on to the focused agent, or to all that are shown.
//!
//! `update.rs` calls it for what is not the dashboard's own, `actions.rs` the prefix itself. What cannot arrive is
//! said, never dropped in silence. Pure.

use crate::core::terminal::keys::{Action as Press, Input, MouseKind};
use crate::wire::message::Request;

use super::agents::takes_no_keys;
use super::effect::Effect;
use super::held_keys::BEGINS_ANEW;
use super::mode::Mode;
use super::note::Until;
use super::returning;
use super::state::State;

/// To the focused agent, or to all that are shown.
pub fn pass(state: &mut State, input: Input, out: &mut Vec<Effect>) {
    if state.mode != Mode::Panes {
        return;
    }
    let mut names = state.targets();
    if pressed(&input) {
        state.just_hidden = None;
    }
    if !state.connected || state.syncing {
        return returning::hold(state, names, &input);
    }
    if let Some(name) = names.first().filter(|name| !state.broadcast.on && state.is_answered(name)).cloned() {
        if pressed(&input) {
            state.typed_behind_answer(&name);
        }
        return;
    }
    names.retain(|name| !state.is_answered(name));
    if names.is_empty() && state.broadcast.on {
        return state.say("not sent: every agent shown asks, is paused or has ended");
    }
    if let Some(why) =
        state.focused().filter(|_| !state.broadcast.on).and_then(|agent| takes_no_keys(state, agent))
    {
        if pressed(&input) {
            let until = state.focus.clone().map_or(Until::Read, Until::Works);
            state.say_until(until, format!("not sent: {why}"));
        }
        return;
    }
    if pressed(&input) {
        state.keyboard.passed_ms = Some(state.now_ms);
    }
    for name in without_cut(state, names, &input) {
        let request = Request::Keys { name, input: vec![input.clone()] };
        out.push(Effect::Send(state.request(request, None)));
    }
}

/// Leaves out those who have not got the beginning of this, and says so for as long as it is so.
fn without_cut(state: &mut State, names: Vec<String>, input: &Input) -> Vec<String> {
    let (cut, whole): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| state.held_keys.drops(name, input));
    if let Some(name) = cut.into_iter().next() {
        match state.held_keys.cut(&name) {
            true => {
                let why =
                    format!("not sent: {name} has not got the beginning of it; {BEGINS_ANEW} begins anew");
                state.warn_until(Until::LineEnds(name), why);
            }
            false => state.say(format!("{name} has not got that line; it gets what you type now")),
        }
    }
    whole
}

/// Whether the person did something by it.
pub fn pressed(input: &Input) -> bool {
    match input {
        Input::Key(press) => press.action == Press::Press,
        Input::Paste(_) | Input::Text(_) => true,
        Input::Mouse(event) => event.kind == MouseKind::Press,
        Input::Focus(_) | Input::Raw(_) => false,
    }
}
