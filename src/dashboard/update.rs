//! What an event does to the state, and what then has to be done outside.
//!
//! The loop in `mod.rs` calls it for everything that happens. Pure: time comes in with the event, requests
//! go out as effects.

use crate::core::agent::AgentInfo;
use crate::core::terminal::grid::Grid;
use crate::core::terminal::keys::{Action as Press, Input, KeyPress};
use crate::core::terminal::modes::Modes;
use crate::core::terminal::picture::{Line, Picture};
use crate::wire::message::{ClientMessage, Notice, QuestionInfo, Reply, Request, ServerMessage};

use super::state::{Agent, Mode, Purpose, State};
use super::{actions, drawer, keymap, mouse, overlays};

/// While a window or a border is dragged its size changes with every cell; agents redraw for each.
const RESIZE_PAUSE_MS: u64 = 100;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Server(Box<ServerMessage>),
    Input(Input),
    Resize(u16, u16),
    /// Time went by.
    Tick,
    /// The server is gone, perhaps for a moment.
    Lost,
    /// There is a connection again: all of it begins anew.
    Found,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Send(ClientMessage),
    /// Base64, to the outer terminal's clipboard.
    Clipboard(String),
    Bell,
    /// Rings, with the reason for those who look elsewhere.
    Notify(String),
    /// A new agent, in this folder and environment.
    Start {
        name: String,
        command: Vec<String>,
    },
    Detach,
    /// Everything is being stopped.
    Quit,
}

/// The one way the state changes.
pub fn update(state: &mut State, event: Event, now_ms: u64) -> Vec<Effect> {
    state.now_ms = now_ms;
    if state.note.as_ref().is_some_and(|note| note.until_ms <= now_ms) {
        state.note = None;
    }
    let mut out = Vec::new();
    match event {
        Event::Server(message) => match *message {
            ServerMessage::Notice(notice) => noticed(state, notice, &mut out),
            ServerMessage::Reply { id, reply } => replied(state, id, reply, &mut out),
        },
        Event::Input(input) => typed(state, input, &mut out),
        Event::Resize(cols, rows) => {
            state.size = (cols, rows);
            state.watch_due_ms = Some(now_ms + RESIZE_PAUSE_MS);
        }
        Event::Tick => {}
        Event::Lost => {
            state.connected = false;
            state.pending.clear();
        }
        Event::Found => {
            state.connected = true;
            state.awaited = state.focus.take().or(state.awaited.take());
            state.agents.clear();
            state.questions.clear();
            state.watched.clear();
            out.push(Effect::Send(state.request(Request::Subscribe, None)));
        }
    }
    state.arrange();
    watch(state, &mut out);
    out
}

/// Tells the server which panes are on the screen, once they have come to rest.
fn watch(state: &mut State, out: &mut Vec<Effect>) {
    if state.drag.is_some() {
        state.watch_due_ms = Some(state.now_ms + RESIZE_PAUSE_MS);
    }
    if !state.connected || state.watch_due_ms.is_some_and(|due| due > state.now_ms) {
        return;
    }
    state.watch_due_ms = None;
    let panes = state.wanted_panes();
    if panes != state.watched {
        state.watched = panes.clone();
        out.push(Effect::Send(state.request(Request::Watch { panes }, None)));
    }
}

fn noticed(state: &mut State, notice: Notice, out: &mut Vec<Effect>) {
    match notice {
        Notice::Agent(info) => agent_changed(state, info),
        Notice::Gone { name } => {
            let next = state.agents.iter().position(|agent| agent.info.name == name);
            state.agents.retain(|agent| agent.info.name != name);
            if state.focus.as_deref() == Some(&name) {
                let beside = next.map(|i| i.min(state.agents.len().saturating_sub(1)));
                state.focus = beside.and_then(|i| state.agents.get(i)).map(|agent| agent.info.name.clone());
            }
            if matches!(&state.mode, Mode::Scroll(scroll) if scroll.name == name) {
                state.mode = Mode::Panes;
            }
        }
        Notice::Question(question) => question_changed(state, question),
        Notice::Picture { name, picture } => show(state, &name, &picture),
        Notice::Bell { name } => {
            let focused = state.focus.as_deref() == Some(&name);
            if let Some(agent) = state.agent_mut(&name).filter(|_| !focused) {
                agent.rang = true;
            }
        }
        Notice::Clipboard { name, data } => {
            // Only what the person is working in may set the clipboard.
            if state.focus.as_deref() == Some(&name) {
                out.push(Effect::Clipboard(data));
            }
        }
        Notice::Notification { agent, text, .. } => {
            // Its words begin with the agent's name where it is about one.
            let text = if text.starts_with(&agent) { text } else { format!("{agent}: {text}") };
            state.say(text.clone());
            out.push(Effect::Notify(text));
        }
        Notice::KeysRefused { name, message } => {
            state.say(format!("could not type into {name}: {message}"));
            out.push(Effect::Bell);
        }
        Notice::Bye => {
            state.connected = false;
            state.say("the server is ending");
        }
    }
}

fn agent_changed(state: &mut State, info: AgentInfo) {
    match state.agent_mut(&info.name) {
        Some(agent) => agent.info = info,
        None => {
            let (grid, modes) = (Grid::default(), Modes::default());
            let name = info.name.clone();
            state.agents.push(Agent { info, grid, modes, rang: false });
            if state.awaited.as_ref() == Some(&name) {
                state.awaited = None;
                actions::focus(state, &name);
            }
        }
    }
}

fn question_changed(state: &mut State, question: QuestionInfo) {
    let place = state.questions.iter().position(|known| known.id == question.id);
    match (place, question.status.settled()) {
        (Some(at), true) => {
            state.questions.remove(at);
            drawer::settled(state, &question);
        }
        (Some(at), false) => state.questions[at] = question,
        (None, true) => {}
        (None, false) => state.questions.push(question),
    }
}

fn show(state: &mut State, name: &str, picture: &Picture) {
    if let Some(agent) = state.agent_mut(name) {
        picture.apply(&mut agent.grid);
        agent.modes = picture.modes;
    }
}

fn replied(state: &mut State, id: u64, reply: Reply, out: &mut Vec<Effect>) {
    match (state.pending.remove(&id), reply) {
        (Some(Purpose::Act(what)), Reply::Error { message, .. }) => {
            state.say(format!("could not {what}: {message}"));
            out.push(Effect::Bell);
        }
        (Some(Purpose::History(name)), Reply::History { from, first, lines, .. }) => {
            history(state, &name, (from, first), lines, out);
        }
        (Some(Purpose::History(_)), Reply::Error { message, .. }) => state.say(message),
        _ => {}
    }
}

fn history(state: &mut State, name: &str, at: (u64, u64), lines: Vec<Line>, out: &mut Vec<Effect>) {
    let Mode::Scroll(scroll) = &mut state.mode else { return };
    if scroll.name != name {
        return;
    }
    if let Some((from, count)) = scroll.older(at.0, at.1, lines) {
        let request = Request::History { name: name.to_owned(), from, count };
        out.push(Effect::Send(state.request(request, Some(Purpose::History(name.to_owned())))));
    }
}

fn typed(state: &mut State, input: Input, out: &mut Vec<Effect>) {
    match input {
        Input::Mouse(event) => mouse::mouse(state, event, out),
        Input::Key(press) if press.action == Press::Release => pass(state, Input::Key(press), out),
        Input::Key(press) => key(state, press, out),
        Input::Paste(text) | Input::Text(text) => paste(state, text, out),
        // No terminal gives bytes without a meaning.
        Input::Raw(_) => {}
        Input::Focus(gained) => {
            if let Some(name) = state.focus.clone() {
                let request = Request::Keys { name, input: vec![Input::Focus(gained)] };
                out.push(Effect::Send(state.request(request, None)));
            }
        }
    }
}

fn key(state: &mut State, press: KeyPress, out: &mut Vec<Effect>) {
    let prefix = state.prefix;
    if state.prefix_pending {
        state.prefix_pending = false;
        match keymap::action(press, prefix) {
            Some(action) => actions::act(state, action, out),
            None if press.key == crate::core::terminal::keys::Key::Esc => {}
            None => state.say(format!("{prefix} {press} does nothing; {prefix} ? shows the keys")),
        }
        return;
    }
    if keymap::same_key(press, prefix) {
        state.prefix_pending = true;
        return;
    }
    match state.mode {
        Mode::Panes => pass(state, Input::Key(press), out),
        Mode::Drawer(_) => drawer::key(state, press, out),
        Mode::Scroll(_) => overlays::scroll_key(state, press, out),
        Mode::Help { .. } => overlays::help_key(state, press),
        Mode::Palette { .. } => overlays::palette_key(state, press, out),
        Mode::Create { .. } => overlays::create_key(state, press, out),
        Mode::Sure(_) => overlays::sure_key(state, press, out),
    }
}

fn paste(state: &mut State, text: String, out: &mut Vec<Effect>) {
    match &mut state.mode {
        Mode::Panes => pass(state, Input::Paste(text), out),
        Mode::Drawer(drawer) => {
            if let Some(edit) = &mut drawer.edit {
                edit.insert(&text);
            }
        }
        Mode::Palette { edit, .. } | Mode::Create { edit } => edit.insert(&text),
        Mode::Scroll(scroll) => {
            if let Some(edit) = &mut scroll.search {
                edit.insert(&text);
            }
        }
        Mode::Help { .. } | Mode::Sure(_) => {}
    }
}

/// To the focused agent, or to all that are shown.
pub fn pass(state: &mut State, input: Input, out: &mut Vec<Effect>) {
    if state.mode != Mode::Panes {
        return;
    }
    if !state.connected {
        return state.say("not sent: there is no connection to the server");
    }
    for name in state.targets() {
        let request = Request::Keys { name, input: vec![input.clone()] };
        out.push(Effect::Send(state.request(request, None)));
    }
}

#[cfg(test)]
#[path = "update_tests.rs"]
mod tests;
