//! Passes what is typed on to the focused agent, or to all that are shown.
//!
//! `update.rs` calls it for what is not the dashboard's own, `actions.rs` the prefix itself. What cannot arrive is
//! said, never dropped in silence. Pure.

use crate::core::keymap::ends_line;
use crate::core::question::State as AgentState;
use crate::core::terminal::keys::{Action as Press, Input, KeyPress, MouseKind};
use crate::wire::message::Request;

use super::agents::takes_no_keys;
use super::effect::Effect;
use super::held_keys::line_cut;
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
        let ended = state.focused().is_some_and(|agent| agent.info.state == AgentState::Exited);
        if let Some(name) = state.focus.clone().filter(|_| ended) {
            // It may be started again before the line is whole.
            state.held_keys.lose(&name, &input);
            line_over(state, name, &input, out);
        }
        if pressed(&input) {
            let until = state.focus.clone().map_or(Until::Read, Until::Works);
            state.say_until(until, format!("not sent: {why}"));
        }
        return;
    }
    if pressed(&input) {
        state.keyboard.passed_ms = Some(state.now_ms);
    }
    for name in without_cut(state, names, &input, out) {
        let request = Request::Keys { name, input: vec![input.clone()] };
        out.push(Effect::Send(state.request(request, None)));
    }
}

/// Leaves out those who have not got the beginning of this, and says so for as long as it is so.
fn without_cut(state: &mut State, names: Vec<String>, input: &Input, out: &mut Vec<Effect>) -> Vec<String> {
    let (cut, whole): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| state.held_keys.drops(name, input));
    for name in cut.iter().cloned() {
        line_over(state, name, input, out);
    }
    if let Some(name) = cut.into_iter().next() {
        let over = !state.held_keys.cut(&name);
        say_cut(state, name, over);
    }
    whole
}

/// The server, which tells lines apart by the keys that reach it, hears of the end of one that was not sent.
fn line_over(state: &mut State, name: String, input: &Input, out: &mut Vec<Effect>) {
    let ends = |press: &KeyPress| press.action != Press::Release && ends_line(*press);
    if matches!(input, Input::Key(press) if ends(press)) {
        state.held_keys.forget(&name);
        out.push(Effect::Send(state.request(Request::Keys { name, input: Vec::new() }, None)));
    }
}

/// The agent was started again in the middle of a line, and the server leaves out the rest; `over`: up to here.
pub fn left_out(state: &mut State, name: String, over: bool) {
    state.held_keys.left_out(&name, over);
    say_cut(state, name, over);
}

fn say_cut(state: &mut State, name: String, over: bool) {
    match over {
        true => state.say(line_cut(&name, true)),
        false => {
            let why = line_cut(&name, false);
            state.warn_until(Until::LineEnds(name), why);
        }
    }
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
