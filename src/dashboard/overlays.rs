//! Keys while help, palette, the form for a new agent or a confirmation is open.
//!
//! `update.rs` calls it. Pure.

use crate::core::keymap::{Action, Context, same_key};
use crate::core::terminal::keys::{Action as Press, Input, Key, KeyPress};
use crate::wire::message::Request;

use super::agents::shut_down;
use super::edit::Edit;
use super::effect::Effect;
use super::form::Wish;
use super::log_view::Decision;
use super::mode::{Mode, Sure};
use super::new_agent::{offered_here, start};
use super::open::{close_help, help_about, put_form_aside};
use super::outcome::ShutDown;
use super::palette::{self, Command};
use super::state::{Purpose, State};
use super::{actions, drawer, scrolling, view};

/// What a program is given between TERM and KILL, as `counsel stop` does.
const GRACE_MS: u64 = 2_000;
/// Commands the palette goes on by: a few fewer than it shows, so that the eye finds where it was.
const PAGE: usize = 10;

pub fn help_key(state: &mut State, press: KeyPress) {
    let (count, _) = view::help_pages(state);
    let Mode::Help(help) = &mut state.mode else { return };
    let letters = help.find.is_none();
    let turned = match press.key {
        Key::Right | Key::Tab | Key::Down | Key::PageDown => Some((help.page + 1) % count),
        Key::Left | Key::Up | Key::PageUp => Some((help.page + count - 1) % count),
        // As in a pager.
        Key::Char('j' | ' ') if letters => Some((help.page + 1) % count),
        Key::Char('k' | 'b') if letters => Some((help.page + count - 1) % count),
        Key::Home => Some(0),
        Key::Char('g') if letters => Some(0),
        Key::End => Some(count - 1),
        Key::Char('G') if letters => Some(count - 1),
        _ => None,
    };
    if let Some(page) = turned {
        help.page = page;
        return;
    }
    match (&mut help.find, press.key) {
        // Back to all of it.
        (Some(_), Key::Esc) => (help.find, help.page) = (None, 0),
        (None, Key::Char('/')) => (help.find, help.page) = (Some(Edit::default()), 0),
        (Some(edit), key) if key != Key::Enter => {
            if edit.key(press) {
                help.page = 0;
            }
        }
        (_, Key::Enter | Key::Esc | Key::Char('q' | '?')) => close_help(state),
        // Who reads on does not mean an agent with the next key.
        _ => state.say("esc or q leaves the help"),
    }
}

pub fn palette_key(state: &mut State, press: KeyPress, out: &mut Vec<Effect>) {
    let Mode::Palette(palette) = &state.mode else { return };
    let found = palette::found(state, &palette.edit.text);
    let last = found.len().saturating_sub(1);
    let action = state.keymap.action(Context::Palette, press);
    let Mode::Palette(palette) = &mut state.mode else { return };
    match action {
        Some(Action::Close) => state.mode = Mode::Panes,
        Some(Action::Give) => {
            let command = found.into_iter().nth(palette.selected).map(|item| item.command);
            state.mode = Mode::Panes;
            match command {
                Some(Command::Act(action)) => actions::act(state, action, out),
                Some(Command::Focus(name)) => state.focus_on(&name),
                Some(Command::With(action, name)) => actions::act_on(state, action, &name, out),
                Some(Command::Layout(at)) => actions::choose_layout(state, at),
                Some(Command::Theme(at)) => state.look.theme = at,
                Some(Command::Keys(context)) => help_about(state, context),
                Some(Command::Copy) => {
                    if let Some((name, data)) = state.offered.take() {
                        state.say(format!("copied what {name} offered"));
                        out.push(Effect::Clipboard(data));
                    }
                }
                None => state.say("no command has these letters"),
            }
        }
        Some(Action::RowDown) => palette.selected = (palette.selected + 1).min(last),
        Some(Action::RowUp) => palette.selected = palette.selected.saturating_sub(1),
        Some(Action::PageDown) => palette.selected = (palette.selected + PAGE).min(last),
        Some(Action::PageUp) => palette.selected = palette.selected.saturating_sub(PAGE),
        _ => {
            if palette.edit.key(press) {
                palette.selected = 0;
            }
        }
    }
}

/// The log was read.
pub fn log_read(state: &mut State, log: Result<Vec<Decision>, String>) {
    let Some(view) = state.mode.log_mut() else { return };
    match log {
        Ok(decisions) => view.decisions = Some(decisions),
        Err(fault) => view.fault = Some(fault),
    }
}

pub fn log_key(state: &mut State, press: KeyPress) {
    let Mode::Log(view) = &mut state.mode else { return };
    let context = if view.step.is_some() { Context::Steps } else { Context::Log };
    if view.key(state.keymap.action(context, press), press) {
        // Where it is settled meanwhile there is nothing to return to.
        let back = view.back.take().filter(|id| state.question(id).is_some());
        state.mode = back.map_or(Mode::Panes, |id| Mode::Drawer(drawer::shown(state, Some(id))));
    }
}

pub fn sure_key(state: &mut State, press: KeyPress, out: &mut Vec<Effect>) {
    let Mode::Sure(sure) = std::mem::take(&mut state.mode) else { return };
    if state.keymap.action(Context::Confirm, press) != Some(Action::Yes) {
        return state.say(match sure {
            Sure::Stop(_) | Sure::Down => "nothing was stopped".to_owned(),
            Sure::Restart(name) => format!("{name} goes on as it was"),
        });
    }
    let (request, what) = match sure {
        Sure::Stop(name) => {
            let what = format!("stop {name}");
            (Request::Stop { names: vec![name], grace_ms: GRACE_MS }, what)
        }
        Sure::Restart(name) => {
            let what = format!("restart {name}");
            state.held_keys.forget(&name);
            (Request::Restart { name }, what)
        }
        Sure::Down => (Request::Down { grace_ms: GRACE_MS }, "shut down".to_owned()),
    };
    let down = matches!(request, Request::Down { .. });
    out.push(Effect::Send(state.request(request, Some(Purpose::Act(what)))));
    if down {
        let (ends, let_go) = shut_down(state);
        state.shut_down = ShutDown { let_go, ..ShutDown::default() };
        state.say(format!("stopping {ends}"));
        out.push(Effect::Quit);
    }
}

pub fn create_key(state: &mut State, press: KeyPress, out: &mut Vec<Effect>) {
    let action = state.keymap.action(Context::Form, press);
    let Mode::Create(form) = &mut state.mode else { return };
    match form.key(action, press) {
        Wish::Nothing => {}
        Wish::Leave => put_form_aside(state),
        Wish::Start => {
            let form = form.clone();
            start(state, form, false, out);
        }
        Wish::Complete(field, word) => {
            let first = form.first_word();
            match offered_here(state, field, &word) {
                Some(offers) => {
                    if let Mode::Create(form) = &mut state.mode {
                        form.complete(field, &word, offers);
                    }
                }
                None => out.push(Effect::Complete { field, word, first }),
            }
        }
    }
}

/// The wheel over what lies over the panes.
pub fn wheel(state: &mut State, up: bool, lines: usize, out: &mut Vec<Effect>) {
    match &mut state.mode {
        Mode::Scroll(_) => scrolling::wheel(state, up, lines, out),
        Mode::Log(view) => view.wheel(up, lines),
        Mode::Palette(palette) => {
            let by = if up { palette.selected.saturating_sub(1) } else { palette.selected + 1 };
            palette.selected = by;
            let Mode::Palette(palette) = &state.mode else { return };
            let last = palette::found(state, &palette.edit.text).len().saturating_sub(1);
            if let Mode::Palette(palette) = &mut state.mode {
                palette.selected = palette.selected.min(last);
            }
        }
        _ => {}
    }
}

/// Where nothing is shown nothing is answered and nothing typed: one can only leave.
pub fn unseen(state: &mut State, input: &Input, out: &mut Vec<Effect>) {
    let Input::Key(press) = input else { return };
    if press.action == Press::Release {
        return;
    }
    let pending = std::mem::replace(&mut state.prefix.pending, same_key(*press, state.keymap.prefix));
    if pending && state.keymap.action(Context::Panes, *press) == Some(Action::Detach) {
        state.prefix.pending = false;
        out.push(Effect::Detach);
    }
}
