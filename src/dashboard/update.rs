//! What an event does to the state, and what then has to be done outside.
//!
//! The loop in `mod.rs` calls it for everything that happens. Pure: time comes in with the event, requests
//! go out as effects. What the server says is in `notices.rs`, what keys do in `actions.rs` and its like.

use crate::core::keymap::{Action, Context, same_key};
use crate::core::terminal::keys::{Action as Press, Input, Key, KeyPress};
use crate::wire::message::{Notice, Request, ServerMessage};

use super::drawer::lost_words;
use super::effect::Effect;
use super::escape::{self, Before};
use super::form::Field;
use super::link::LostKeys;
use super::log_view::Decision;
use super::mode::Mode;
use super::note::Until;
use super::pass::{pass, pressed};
use super::redraw::Glance;
use super::state::{Prefix, Pressed, State};
use super::{
    actions, answer_line, digit, drawer, mouse, notices, open, overlays, paste, returning, scrolling, select,
    telling, view,
};

/// While a window or a border is dragged its size changes with every cell; agents redraw for each.
const RESIZE_PAUSE_MS: u64 = 100;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Server(Box<ServerMessage>),
    Input(Input),
    /// What came in one read of the terminal.
    Together(Vec<Input>),
    Resize(u16, u16),
    /// Time went by.
    Tick,
    /// Nothing has come from the server since then (Unix milliseconds), though it was asked; `None`: it is heard again.
    Silent(Option<u64>),
    /// The server is gone, perhaps for a moment.
    Lost,
    /// What it has not read of what was typed.
    Unread(LostKeys),
    /// There is a connection again: all of it begins anew.
    Found,
    /// A new agent did not get as far as the server.
    NotStarted {
        id: u64,
        cause: String,
    },
    /// The story has another line.
    Told(String),
    /// The log was read.
    Log(Result<Vec<Decision>, String>),
    /// What the folders of these agents have checked out.
    Branches(Vec<(String, Option<String>)>),
    /// Ways to go on with a word of the form for a new agent.
    Offers {
        field: Field,
        word: String,
        offers: Vec<String>,
    },
}

/// The one way the state changes.
pub fn update(state: &mut State, event: Event, now_ms: u64) -> Vec<Effect> {
    state.now_ms = now_ms;
    state.note_expires(false);
    if let Some(story) = &mut state.story {
        story.turn(now_ms);
    }
    let (mut out, layout) = (Vec::new(), state.layout);
    let before = if may_rest(state, &event) { Glance::of(state) } else { None };
    match event {
        Event::Server(message) => match *message {
            ServerMessage::Notice(notice) => notices::noticed(state, notice, &mut out),
            ServerMessage::Reply { id, reply } => notices::replied(state, id, reply, &mut out),
        },
        Event::Input(input) => came(state, input, &mut out),
        Event::Together(inputs) => together(state, &inputs, &mut out),
        Event::Resize(cols, rows) => {
            state.size = (cols, rows);
            state.watch_due_ms = Some(now_ms + RESIZE_PAUSE_MS);
        }
        Event::Tick => {}
        Event::Silent(since_ms) => state.silent_since_ms = since_ms,
        Event::Lost => {
            (state.connected, state.silent_since_ms) = (false, None);
            state.pending.clear();
        }
        Event::Unread(lost) => returning::unread(state, lost),
        Event::Found => out.extend(returning::found(state).map(Effect::Send)),
        Event::NotStarted { id, cause } => {
            notices::start_refused(state, id, cause, &mut out);
        }
        Event::Told(line) => telling::told(state, line),
        Event::Log(log) => overlays::log_read(state, log),
        Event::Branches(known) => state.branches(known),
        Event::Offers { field, word, offers } => {
            if let Mode::Create(form) = &mut state.mode {
                form.complete(field, &word, offers);
            }
        }
    }
    if let Some(chosen) = state.layouts.get(state.layout).filter(|_| state.layout != layout) {
        out.push(Effect::Remember(chosen.name.clone()));
    }
    out.extend(telling::keep_pace(state).into_iter().map(Effect::Send));
    answer_line::keep(state);
    drawer::close_without_question(state);
    state.note_outlived();
    let rests = before.is_some() && before == Glance::of(state);
    debug_assert!(!rests || is_arranged(state), "what a glance does not show has moved a pane");
    if !rests {
        state.arrange();
    }
    state.end_broadcast_elsewhere();
    select::outlived(state);
    if !rests {
        watch(state, &mut out);
    }
    out
}

/// Whether the panes stay where they are if this changes nothing that a glance shows: a key on its way to an agent, and
/// its echo, wait for no arrangement that comes out the same.
fn may_rest(state: &State, event: &Event) -> bool {
    let passes = match event {
        Event::Together(_) => true,
        Event::Server(message) => matches!(**message, ServerMessage::Notice(Notice::Picture { .. })),
        _ => false,
    };
    passes && state.watch_due_ms.is_none()
}

/// Whether to arrange the panes and to tell the server of them would change nothing.
fn is_arranged(state: &State) -> bool {
    let (mut anew, mut out) = (state.clone(), Vec::new());
    anew.arrange();
    watch(&mut anew, &mut out);
    out.is_empty() && anew.shape == state.shape && anew.focus == state.focus
}

/// Tells the server which panes are on the screen, and how large the next one would be, once they have come to rest.
fn watch(state: &mut State, out: &mut Vec<Effect>) {
    if matches!(state.pressed, Pressed::Border(_)) {
        state.watch_due_ms = Some(state.now_ms + RESIZE_PAUSE_MS);
    }
    if !state.connected || state.syncing || state.watch_due_ms.is_some_and(|due| due > state.now_ms) {
        return;
    }
    state.watch_due_ms = None;
    let panes = state.wanted_panes();
    if panes != state.watched {
        state.watched = panes.clone();
        out.push(Effect::Send(state.request(Request::Watch { panes }, None)));
    }
    let next = state.next_pane();
    if state.next_pane.as_ref() != Some(&next) {
        state.next_pane = Some(next.clone());
        // Before the start it is meant for.
        out.insert(0, Effect::Send(state.request(Request::NextPane(next), None)));
    }
}

/// One after the other, but for what is a paste where it would do something letter by letter.
fn together(state: &mut State, mut inputs: &[Input], out: &mut Vec<Effect>) {
    while let [first, rest @ ..] = inputs {
        let pasted = paste::pasted(state, inputs);
        let (count, input) = pasted.map_or((1, first.clone()), |(count, text)| (count, Input::Paste(text)));
        came(state, input, out);
        inputs = rest.get(count - 1..).unwrap_or_default();
    }
}

fn came(state: &mut State, input: Input, out: &mut Vec<Effect>) {
    for input in escape::apart(state, input) {
        let before = Before::of(state);
        typed(state, input, out);
        before.compare(state);
    }
}

fn typed(state: &mut State, input: Input, out: &mut Vec<Effect>) {
    if input != Input::Focus(false) {
        state.acted_ms = Some(state.now_ms);
    }
    if pressed(&input) {
        state.note_expires(true);
    }
    if state.cramped() && !matches!(input, Input::Focus(_)) {
        return overlays::unseen(state, &input, out);
    }
    // Whoever typed this saw something else than what is there now. The prefix is meant for the dashboard whatever is
    // shown: without it, its second key would be typed.
    if state.holding() && !is_prefix(state, &input) && by_hand(&input) {
        return held(state, &input);
    }
    if !is_prefix(state, &input) && state.is_lost(&input) {
        return;
    }
    if escape::taken(state, &input) {
        return;
    }
    match input {
        Input::Mouse(event) => mouse::mouse(state, event, out),
        Input::Key(press) if press.action == Press::Release => pass(state, Input::Key(press), out),
        Input::Key(press) => key(state, press, out),
        Input::Paste(text) | Input::Text(text) => match state.mode {
            Mode::Panes => pass(state, Input::Paste(text), out),
            _ => paste::here(state, &text),
        },
        // No terminal gives bytes without a meaning.
        Input::Raw(_) => {}
        Input::Focus(gained) => {
            state.looking = gained;
            state.seen();
            if let Some(name) = state.focused().map(|agent| agent.info.name.clone()) {
                let request = Request::Keys { name, input: vec![Input::Focus(gained)] };
                out.push(Effect::Send(state.request(request, None)));
            }
        }
    }
}

/// What is typed while keys are held back goes nowhere.
fn held(state: &mut State, input: &Input) {
    // A key that is let go was pressed before.
    if matches!(input, Input::Key(press) if press.action == Press::Release) {
        return;
    }
    state.hold_on();
    lost_words::held(state, input);
    let panes = state.mode == Mode::Panes;
    if let Some(name) = state.focus.clone().filter(|name| panes && state.is_answered(name)) {
        return state.typed_behind_answer(&name);
    }
    let (until, here) = match (&state.mode, &state.focus) {
        (Mode::Panes, Some(name)) => (Until::FocusLeaves(name.clone()), name.clone()),
        (Mode::Panes, None) => (Until::Read, "nothing".to_owned()),
        _ => return state.say("typed too soon for what is shown here; it went nowhere"),
    };
    state.say_until(until, format!("what was typed before went nowhere: {here} has the keyboard now"));
}

/// Whether it comes of the person's hands, as a key that repeats while it is held down, or is let go, does too.
fn by_hand(input: &Input) -> bool {
    matches!(input, Input::Key(_)) || pressed(input)
}

fn is_prefix(state: &State, input: &Input) -> bool {
    let chord = state.prefix.pending;
    matches!(input, Input::Key(press) if chord || same_key(*press, state.keymap.prefix))
}

fn key(state: &mut State, press: KeyPress, out: &mut Vec<Effect>) {
    if telling::key(state, press) {
        return;
    }
    state.typed_since = true;
    if !state.prefix.pending && digit::second(state, press) {
        return;
    }
    let prefix = state.keymap.prefix;
    // Nothing is done behind a question whether to do something: any key but the yes closes it. The prefix begins what
    // it begins everywhere, lest the key after it be typed.
    if matches!(state.mode, Mode::Sure(_)) {
        overlays::sure_key(state, press, out);
        state.hold();
        state.prefix = Prefix { pending: same_key(press, prefix), ..Prefix::default() };
        return;
    }
    if state.prefix.pending {
        if turns_which_key(state, press) {
            return;
        }
        state.prefix.pending = false;
        return after_prefix(state, press, out);
    }
    if same_key(press, prefix) {
        state.prefix = Prefix { pending: true, ..Prefix::default() };
        return;
    }
    if repeats(state, press) {
        return after_prefix(state, press, out);
    }
    let over_panes = state.mode != Mode::Panes;
    match state.mode {
        Mode::Panes => pass(state, Input::Key(press), out),
        Mode::Drawer(_) => drawer::key(state, press, out),
        Mode::Scroll(_) => scrolling::key(state, press, out),
        Mode::Help(_) => overlays::help_key(state, press),
        Mode::Palette(_) => overlays::palette_key(state, press, out),
        Mode::Create(_) => overlays::create_key(state, press, out),
        Mode::Sure(_) => overlays::sure_key(state, press, out),
        Mode::Log(_) => overlays::log_key(state, press),
    }
    if over_panes && state.mode == Mode::Panes {
        // The same key once more was meant for what it has closed.
        state.hold();
    }
}

/// As long as tmux takes a repeated key without its prefix.
const REPEATS_MS: u64 = 500;

/// Whether a pane was given another size just before, and this key gives it one more: nobody types the prefix for each step.
fn repeats(state: &mut State, press: KeyPress) -> bool {
    let until_ms = std::mem::take(&mut state.prefix.repeat_until_ms);
    let again = state.keymap.action(Context::Panes, press).is_some_and(resizes);
    state.mode == Mode::Panes && state.now_ms < until_ms && again
}

fn resizes(action: Action) -> bool {
    matches!(action, Action::Wider | Action::Narrower | Action::Taller | Action::Shorter)
}

/// Turns the pages of the keys that are shown after the prefix, where there are several and nobody has bound that key.
fn turns_which_key(state: &mut State, press: KeyPress) -> bool {
    let pages = view::which_key_pages(state);
    if pages < 2 || state.keymap.action(Context::Panes, press).is_some() {
        return false;
    }
    let by = match press.key {
        Key::PageDown => 1,
        Key::PageUp => pages - 1,
        _ => return false,
    };
    state.prefix.page = (state.prefix.page + by) % pages;
    true
}

/// The key after the prefix.
fn after_prefix(state: &mut State, press: KeyPress, out: &mut Vec<Effect>) {
    if let Some(action) = state.keymap.action(Context::Panes, press) {
        // What a chord opens is what the keys behind it are meant for, whatever has closed just before.
        state.keyboard.adrift = false;
        let held_until_ms = std::mem::take(&mut state.keyboard.hold_until_ms);
        if resizes(action) {
            state.prefix.repeat_until_ms = state.now_ms + REPEATS_MS;
        }
        let closed = open::close_for(state, action);
        actions::act(state, action, out);
        if closed && state.mode == Mode::Panes {
            // What is still typed was meant for what was closed.
            state.hold();
        }
        if state.mode == Mode::Panes {
            state.keyboard.hold_until_ms = state.keyboard.hold_until_ms.max(held_until_ms);
        }
        return;
    }
    if state.mode == Mode::Panes {
        // As is the one that takes the prefix back, or one more try.
        state.hold();
    }
    if press.key != Key::Esc {
        let (prefix, help) = (state.keymap.prefix, state.chord(Action::Help));
        state.say(format!("{prefix} {press} does nothing; {help} shows the keys"));
    }
}

#[cfg(test)]
#[path = "update_tests.rs"]
mod tests;
