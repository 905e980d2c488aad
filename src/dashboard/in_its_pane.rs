//! Questions that are answered in the agent's own terminal and nowhere else: a password, which would be seen in the
//! drawer, and a dialog of which no row is known that could be chosen and no line that takes words.
//!
//! `drawer.rs` leads there instead of offering what the server would refuse; the views say so. Pure.

use crate::core::keymap::Action;
use crate::core::question::Kind;
use crate::wire::message::QuestionInfo;

use super::mode::Mode;
use super::note::Until;
use super::state::State;

/// Whether nothing but its own terminal takes an answer to it.
pub fn only_there(question: &QuestionInfo) -> bool {
    match question.kind {
        Kind::Password => true,
        // Words and a confirmation need no row.
        Kind::Text | Kind::Review => false,
        Kind::Menu | Kind::Multi | Kind::Permission | Kind::Plan => question.options.is_empty(),
        Kind::Trust | Kind::Login | Kind::YesNo | Kind::Dialog => question.options.is_empty(),
    }
}

/// Leads to where it is answered, and says so. `asks`: what its agent does, in words.
pub fn go(state: &mut State, question: &QuestionInfo, asks: &str) {
    let QuestionInfo { agent, kind, id, .. } = question;
    if state.agent(agent).is_none() {
        return refuse(state, question);
    }
    state.focus_on(agent);
    state.mode = Mode::Panes;
    let mut words = match kind {
        Kind::Password => format!("{agent} {asks}: type it here, into its own terminal"),
        _ => format!("{agent} {asks}: answer it here, in its own terminal"),
    };
    if shown_in_part(state, agent) {
        words.push_str(&format!("; {} shows all of it", state.chord(Action::Zoom)));
    }
    state.say_until(Until::Settled(id.clone()), words);
}

/// A key in the drawer that would answer what is answered elsewhere.
pub fn refuse(state: &mut State, question: &QuestionInfo) {
    let words = match question.kind {
        Kind::Password => "a password is typed in its pane, not here; enter goes there",
        _ => "this is answered in its pane, not here; enter goes there",
    };
    state.say_until(Until::DrawerCloses, words);
}

/// What can be done in the drawer, as its foot says it.
pub fn way(question: &QuestionInfo) -> &'static str {
    match question.kind {
        Kind::Password => "goes to its pane to type it",
        _ => "goes to its pane to answer it",
    }
}

/// Whether its pane has no room for the whole of its screen, and more would be gained by a zoom.
fn shown_in_part(state: &State, name: &str) -> bool {
    let Some((agent, area)) = state.agent(name).zip(state.pane_of(name)) else { return false };
    let (inner, (cols, rows)) = (area.inner(), agent.grid.size);
    !state.zoomed && (inner.cols < cols || inner.rows < rows)
}
