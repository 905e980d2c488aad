//! Keys while help, palette, the line for a new agent, a confirmation or the scrollback is open.
//!
//! `update.rs` calls it. Pure.

use base64::Engine;

use crate::core::agent::valid_name;
use crate::core::terminal::keys::{Key, KeyPress};
use crate::wire::message::Request;

use super::scroll::Wish;
use super::state::{Mode, Purpose, State, Sure};
use super::update::Effect;
use super::{actions, keymap};

/// What a program is given between TERM and KILL, as `counsel stop` does.
const GRACE_MS: u64 = 2_000;

pub fn help_key(state: &mut State, press: KeyPress) {
    let Mode::Help { top } = &mut state.mode else { return };
    match press.key {
        Key::Down | Key::Char('j') => *top = (*top + 1).min(keymap::ENTRIES.len() as u16),
        Key::Up | Key::Char('k') => *top = top.saturating_sub(1),
        _ => state.mode = Mode::Panes,
    }
}

pub fn palette_key(state: &mut State, press: KeyPress, out: &mut Vec<Effect>) {
    let Mode::Palette { edit, selected } = &mut state.mode else { return };
    let found = keymap::search(&edit.text);
    match press.key {
        Key::Esc => state.mode = Mode::Panes,
        Key::Enter => {
            let action = found.get(*selected).map(|entry| entry.action);
            state.mode = Mode::Panes;
            if let Some(action) = action {
                actions::act(state, action, out);
            }
        }
        Key::Down | Key::Tab => *selected = (*selected + 1).min(found.len().saturating_sub(1)),
        Key::Up => *selected = selected.saturating_sub(1),
        _ => {
            if edit.key(press) {
                *selected = 0;
            }
        }
    }
}

pub fn sure_key(state: &mut State, press: KeyPress, out: &mut Vec<Effect>) {
    let Mode::Sure(sure) = std::mem::take(&mut state.mode) else { return };
    if press.key != Key::Char('y') {
        return state.say("nothing was stopped");
    }
    let (request, what) = match sure {
        Sure::Stop(name) => {
            let what = format!("stop {name}");
            (Request::Stop { names: vec![name], grace_ms: GRACE_MS }, what)
        }
        Sure::Down => (Request::Down { grace_ms: GRACE_MS }, "shut down".to_owned()),
    };
    let down = matches!(request, Request::Down { .. });
    out.push(Effect::Send(state.request(request, Some(Purpose::Act(what)))));
    if down {
        out.push(Effect::Quit);
    }
}

/// `COMMAND ARG…`, or `NAME: COMMAND ARG…`.
pub fn create_key(state: &mut State, press: KeyPress, out: &mut Vec<Effect>) {
    let Mode::Create { edit } = &mut state.mode else { return };
    match press.key {
        Key::Esc => state.mode = Mode::Panes,
        Key::Enter => {
            let words: Vec<String> = edit.text.split_whitespace().map(str::to_owned).collect();
            match named_command(state, words) {
                Ok((name, command)) => {
                    state.mode = Mode::Panes;
                    state.awaited = Some(name.clone());
                    out.push(Effect::Start { name, command });
                }
                Err(why) => state.say(why),
            }
        }
        _ => {
            edit.key(press);
        }
    }
}

fn named_command(state: &State, mut words: Vec<String>) -> Result<(String, Vec<String>), String> {
    let Some(first) = words.first().cloned() else {
        return Err("type a command, for example: claude".into());
    };
    let free = |name: &str| state.agent(name).is_none();
    if let Some(name) = first.strip_suffix(':') {
        if !valid_name(name) {
            return Err(format!("'{name}' is no name; use a-z, 0-9, _ and -, at most 32"));
        }
        if !free(name) {
            return Err(format!("there is an agent '{name}' already"));
        }
        words.remove(0);
        if words.is_empty() {
            return Err("type a command after the name".into());
        }
        return Ok((name.to_owned(), words));
    }
    let program = first.rsplit('/').next().unwrap_or_default().to_lowercase();
    let kept: String = program.chars().filter(|c| c.is_ascii_alphanumeric()).take(24).collect();
    let base = if kept.is_empty() { "agent".to_owned() } else { kept };
    let numbered = (2..).map(|n| format!("{base}-{n}"));
    let name = std::iter::once(base.clone()).chain(numbered).find(|name| free(name));
    Ok((name.unwrap_or(base), words))
}

pub fn scroll_key(state: &mut State, press: KeyPress, out: &mut Vec<Effect>) {
    let height = scroll_height(state);
    let Mode::Scroll(scroll) = &mut state.mode else { return };
    scroll.height = height;
    let wish = scroll.key(press);
    fulfil(state, wish, out);
}

pub fn scroll_wheel(state: &mut State, up: bool, lines: usize, out: &mut Vec<Effect>) {
    let height = scroll_height(state);
    let Mode::Scroll(scroll) = &mut state.mode else { return };
    scroll.height = height;
    let wish = scroll.wheel(up, lines);
    fulfil(state, wish, out);
}

fn scroll_height(state: &State) -> usize {
    let Mode::Scroll(scroll) = &state.mode else { return 1 };
    let pane = state.panes().into_iter().find(|(agent, _)| agent.info.name == scroll.name);
    pane.map_or(1, |(_, area)| usize::from(area.inner().rows))
}

fn fulfil(state: &mut State, wish: Wish, out: &mut Vec<Effect>) {
    match wish {
        Wish::Nothing => {}
        Wish::Leave => state.mode = Mode::Panes,
        Wish::Say(text) => state.say(text),
        Wish::Copy(text) => {
            let lines = text.lines().count();
            state.say(format!("copied {lines} {}", if lines == 1 { "line" } else { "lines" }));
            out.push(Effect::Clipboard(base64::engine::general_purpose::STANDARD.encode(text)));
        }
    }
}
