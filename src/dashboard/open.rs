//! Opens what lies over the panes, and closes it again for what is done with them.
//!
//! `actions.rs` and `overlays.rs` call it; the keys of what is open are in `overlays.rs`. Pure.

use crate::core::keymap::{Action, Context};

use super::effect::Effect;
use super::form::Form;
use super::mode::{Help, Mode};
use super::state::State;
use super::view;

/// Opens the help at the page about what is open.
pub fn help(state: &mut State) {
    let context = match &state.mode {
        Mode::Help(Help { scroll: Some(_), .. }) => Context::Scrollback,
        Mode::Help(Help { over: Some(over), .. }) => over.context().unwrap_or(Context::Panes),
        mode => mode.context().unwrap_or(Context::Panes),
    };
    help_about(state, context);
}

pub fn help_about(state: &mut State, context: Context) {
    if let Mode::Create(form) = &state.mode {
        // Whatever is opened from the help, it is not lost.
        state.draft = Some(form.clone());
    }
    let (_, starts) = view::help_pages(state);
    let page = starts.iter().find(|(known, _)| *known == context).map_or(0, |(_, page)| *page);
    let (scroll, over) = match std::mem::take(&mut state.mode) {
        Mode::Scroll(scroll) => (Some(scroll), None),
        Mode::Help(help) => (help.scroll, help.over),
        Mode::Panes => (None, None),
        over => (None, Some(Box::new(over))),
    };
    state.mode = Mode::Help(Help { page, scroll, over, find: None });
}

/// Back from the help to what it was opened over: an Escape that is meant for that never reaches an agent.
pub fn close_help(state: &mut State) {
    let Mode::Help(help) = std::mem::take(&mut state.mode) else { return };
    // Where one was reading, if that agent is there still.
    if let Some(scroll) = help.scroll.filter(|scroll| state.focus.as_ref() == Some(&scroll.name)) {
        state.mode = Mode::Scroll(scroll);
    } else if let Some(over) = help.over {
        if let Mode::Create(_) = *over {
            state.draft = None;
        }
        // The second of two keys may decide something there.
        state.hold();
        state.mode = *over;
    }
}

/// Opens the decision log, and has it read.
pub fn log(state: &mut State, out: &mut Vec<Effect>) {
    state.mode = Mode::Log(Box::default());
    out.push(Effect::ReadLog);
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
        Mode::Log(_) | Mode::Help(_) | Mode::Palette(_) => state.mode = Mode::Panes,
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
