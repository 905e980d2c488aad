//! Keys while help, palette, the form for a new agent or a confirmation is open.
//!
//! `update.rs` calls it. Pure.

use std::collections::BTreeSet;

use crate::core::agent::Duty;
use crate::core::consult::chain::Chain;
use crate::core::keymap::{Action, Context, same_key};
use crate::core::terminal::keys::{Action as Press, Input, Key, KeyPress};
use crate::wire::message::Request;

use super::agents::agents;
use super::effect::Effect;
use super::form::{Field, Form, NewAgent, Wish};
use super::log_view::Decision;
use super::palette::{self, Command};
use super::state::{Mode, Purpose, State, Sure};
use super::{actions, drawer, scrolling, view};

/// What a program is given between TERM and KILL, as `counsel stop` does.
const GRACE_MS: u64 = 2_000;

/// Opens the help at the page about what is open.
pub fn help(state: &mut State) {
    let context = match &state.mode {
        Mode::Drawer(_) => Context::Questions,
        Mode::Scroll(_) | Mode::Help { scroll: Some(_), .. } => Context::Scrollback,
        Mode::Palette(_) => Context::Palette,
        Mode::Create(_) => Context::Form,
        Mode::Log(_) => Context::Log,
        Mode::Panes | Mode::Help { .. } | Mode::Sure(_) => Context::Panes,
    };
    help_about(state, context);
}

fn help_about(state: &mut State, context: Context) {
    put_form_aside(state);
    let (_, starts) = view::help_pages(state);
    let page = starts.iter().find(|(known, _)| *known == context).map_or(0, |(_, page)| *page);
    let scroll = match std::mem::take(&mut state.mode) {
        Mode::Scroll(scroll) => Some(scroll),
        Mode::Help { scroll, .. } => scroll,
        _ => None,
    };
    state.mode = Mode::Help { page, scroll };
}

pub fn help_key(state: &mut State, press: KeyPress) {
    let (count, _) = view::help_pages(state);
    let Mode::Help { page, scroll } = &mut state.mode else { return };
    match press.key {
        Key::Right | Key::Tab | Key::Down | Key::PageDown | Key::Char('l') => *page = (*page + 1) % count,
        Key::Left | Key::Up | Key::PageUp | Key::Char('h') => *page = (*page + count - 1) % count,
        _ => {
            // Back to where one was reading, if that agent is there still.
            let scroll = scroll.take().filter(|scroll| state.focus.as_ref() == Some(&scroll.name));
            state.mode = scroll.map_or(Mode::Panes, Mode::Scroll);
        }
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
        _ => {
            if palette.edit.key(press) {
                palette.selected = 0;
            }
        }
    }
}

/// Opens the decision log, and has it read.
pub fn log(state: &mut State, out: &mut Vec<Effect>) {
    state.mode = Mode::Log(Box::default());
    out.push(Effect::ReadLog);
}

/// The log was read.
pub fn log_read(state: &mut State, log: Result<Vec<Decision>, String>) {
    let Mode::Log(view) = &mut state.mode else { return };
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
            (Request::Restart { name }, what)
        }
        Sure::Down => (Request::Down { grace_ms: GRACE_MS }, "shut down".to_owned()),
    };
    let down = matches!(request, Request::Down { .. });
    out.push(Effect::Send(state.request(request, Some(Purpose::Act(what)))));
    if down {
        state.stopped.clear();
        state.say(format!("stopping {} and the server", agents(state.agents.len())));
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

/// What hides the panes is closed before something is done with one of them: nothing is done unseen. `true`: something was.
pub fn close_for(state: &mut State, action: Action) -> bool {
    match state.mode {
        // What leads there from where one is, or changes how it looks.
        _ if matches!(action, Action::Help | Action::Theme | Action::Detach | Action::Suspend) => {
            return false;
        }
        Mode::Panes | Mode::Sure(_) | Mode::Drawer(_) | Mode::Scroll(_) => return false,
        Mode::Create(_) => put_form_aside(state),
        Mode::Log(_) | Mode::Help { .. } | Mode::Palette(_) => state.mode = Mode::Panes,
    }
    true
}

/// Closes the form for a new agent; what was typed is there when it is opened again.
pub fn put_form_aside(state: &mut State) {
    if let Mode::Create(form) = &state.mode {
        state.draft = Some(form.clone()).filter(|form| **form != Form::default());
        state.mode = Mode::Panes;
    }
}

/// What is known without looking at the disk.
fn offered_here(state: &State, field: Field, word: &str) -> Option<Vec<String>> {
    match field {
        Field::Consultant => Some(consultants(state, word)),
        Field::Profile => Some(state.profiles.clone()),
        Field::Name | Field::Worktree | Field::Prompt => Some(Vec::new()),
        Field::Command | Field::Folder => None,
    }
}

/// Who answers questions, as far as they begin so; any agent may, where none of those does.
fn consultants(state: &State, word: &str) -> Vec<String> {
    let answers = state.agents.iter().filter(|agent| agent.info.role == Duty::Consultant);
    let mut offers: BTreeSet<String> = answers.map(|agent| agent.info.name.clone()).collect();
    offers.extend(state.consultants.iter().cloned());
    if !offers.iter().any(|name| name.starts_with(word)) {
        offers = may_be_asked(state);
    }
    offers.into_iter().collect()
}

/// Everybody an agent may have for a consultant.
fn may_be_asked(state: &State) -> BTreeSet<String> {
    let agents = state.agents.iter().map(|agent| &agent.info.name);
    agents.chain(&state.consultants).chain(&state.configured).cloned().collect()
}

/// Why nobody would answer its questions, if they are to be somebody's.
fn without_consultant(state: &State, agent: &NewAgent) -> Option<(Field, String)> {
    let chain = Chain::from(agent.consultant.as_deref()?);
    Some((Field::Consultant, chain.nobody_among(&may_be_asked(state))?))
}

/// Starts what a form says; it stays open with the fault if that makes no sense. `again`: it is on the list, and the
/// focus stays where it is.
pub fn start(state: &mut State, mut form: Box<Form>, again: bool, out: &mut Vec<Effect>) {
    // One that could not be started leaves its name to its second try.
    let taken = |name: &str| state.agent(name).is_some_and(|agent| !agent.failed());
    let wanted = form.agent(taken);
    match wanted.and_then(|agent| without_consultant(state, &agent).map_or(Ok(agent), Err)) {
        Ok(agent) => {
            state.mode = Mode::Panes;
            state.awaited = Some(agent.name.clone()).filter(|_| !again);
            // It takes the keyboard as soon as it is there.
            state.hold();
            (form.fault, form.sent_ms) = (None, (!again).then_some(state.now_ms));
            let id = state.promise(Purpose::Start(form));
            out.push(Effect::Start { id, agent: Box::new(agent) });
        }
        Err(fault) => {
            form.go_to(fault.0);
            form.fault = Some(fault);
            state.mode = Mode::Create(form);
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
    let pending = std::mem::replace(&mut state.prefix_pending, same_key(*press, state.keymap.prefix));
    if pending && state.keymap.action(Context::Panes, *press) == Some(Action::Detach) {
        state.prefix_pending = false;
        out.push(Effect::Detach);
    }
}
