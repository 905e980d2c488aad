//! The scrollback as part of the dashboard: opening it, its keys, what is copied, the history it fetches.
//!
//! `update.rs`, `actions.rs` and `mouse.rs` call it; what the window shows is `scroll.rs`. Pure.

use base64::Engine;

use crate::core::keymap::Context;
use crate::core::terminal::keys::KeyPress;
use crate::wire::message::Request;

use super::effect::Effect;
use super::mode::Mode;
use super::scroll::{Scroll, Wish};
use super::state::{Purpose, State};

/// Opens the scrollback of the focused agent and asks how much history there is.
pub fn open(state: &mut State, out: &mut Vec<Effect>) {
    let Some(name) = state.focus.clone() else { return };
    let room = state.pane_of(&name).map(|area| area.inner());
    let Some(agent) = state.agent(&name) else { return };
    let (failed, grid) = (agent.failed(), agent.grid.clone());
    if failed {
        return state.say(format!("{name} was not started; it has printed nothing"));
    }
    let mut scroll = Scroll::new(&name, &grid, room.map_or(0, |room| usize::from(room.rows)));
    scroll.width = room.map_or(0, |room| room.cols);
    state.mode = Mode::Scroll(Box::new(scroll));
    // Nothing counted from beyond the end: the reply tells where the end is.
    let request = Request::History { name: name.clone(), from: u64::MAX, count: 0 };
    out.push(Effect::Send(state.request(request, Some(Purpose::History(name)))));
}

pub fn key(state: &mut State, press: KeyPress, out: &mut Vec<Effect>) {
    let action = state.keymap.action(Context::Scrollback, press);
    let size = size(state);
    let Mode::Scroll(scroll) = &mut state.mode else { return };
    (scroll.height, scroll.width) = size;
    let wish = match (scroll.search.is_some(), action) {
        (true, _) => scroll.search_key(press),
        (false, Some(action)) => scroll.act(action),
        (false, None) => Wish::Nothing,
    };
    fulfil(state, wish, out);
}

pub fn wheel(state: &mut State, up: bool, lines: usize, out: &mut Vec<Effect>) {
    let size = size(state);
    let Mode::Scroll(scroll) = &mut state.mode else { return };
    (scroll.height, scroll.width) = size;
    let wish = scroll.wheel(up, lines);
    fulfil(state, wish, out);
}

/// Rows and columns of the window.
fn size(state: &State) -> (usize, u16) {
    let Mode::Scroll(scroll) = &state.mode else { return (1, 0) };
    let room = state.pane_of(&scroll.name).map(|area| area.inner());
    room.map_or((1, 0), |room| (usize::from(room.rows), room.cols))
}

fn fulfil(state: &mut State, wish: Wish, out: &mut Vec<Effect>) {
    match wish {
        Wish::Nothing => {}
        Wish::Leave => leave(state),
        Wish::Say(text) => state.say(text),
        Wish::Copy(text) => copy(state, &text, out),
    }
}

/// The wheel takes the keyboard along for as long as one scrolls: the next word is typed where the last one went.
fn leave(state: &mut State) {
    if let Mode::Scroll(scroll) = std::mem::take(&mut state.mode)
        && let Some(back) = scroll.back.filter(|back| state.agent(back).is_some())
    {
        state.focus_on(&back);
    }
}

/// Puts it on the person's clipboard, and says so.
pub fn copy(state: &mut State, text: &str, out: &mut Vec<Effect>) {
    let lines = text.lines().count();
    state.say(format!("copied {lines} {}", if lines == 1 { "line" } else { "lines" }));
    out.push(Effect::Clipboard(base64::engine::general_purpose::STANDARD.encode(text)));
}
