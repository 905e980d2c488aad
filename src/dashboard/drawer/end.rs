//! What becomes of the drawer when a question is over: the one that shows it closes by itself.
//!
//! `notices.rs` and `update.rs` come here with what the server tells. What a person types then was meant for the drawer:
//! it goes to nobody. Pure.

use crate::dashboard::mode::{Drawer, Mode};
use crate::dashboard::note::Until;
use crate::dashboard::state::State;
use crate::wire::message::QuestionInfo;

/// A question is over: if it was shown, say so and take no more keys for it.
pub fn settled(state: &mut State, question: &QuestionInfo) {
    let Some(drawer) = state.mode.drawer() else { return };
    if drawer.id.as_deref() == Some(&question.id) {
        let how = question.answer.as_deref().map(|answer| format!(": {answer}")).unwrap_or_default();
        let text = format!("{}'s question is {}{how}", question.agent, question.status.name());
        // Not the list of all: what is typed next was meant for this one.
        let kept = kept(state, &question.id);
        over(state);
        state.say_until(Until::Seen, format!("{text}{kept}; esc goes on"));
    }
}

/// The question shown is not there any more, though nobody said how it ended: the same.
pub fn close_without_question(state: &mut State) {
    let Some(drawer) = state.mode.drawer() else { return };
    let gone = drawer.id.as_deref().is_some_and(|id| state.question(id).is_none());
    // A server just found has not told of all of them yet.
    if gone && !state.syncing {
        over(state);
        state.say_until(Until::Seen, "that question is over; esc goes on");
    }
}

/// Where words for it were being written: what becomes of them.
fn kept(state: &State, id: &str) -> &'static str {
    if state.words.drafts.contains_key(id) { "; your words wait for its next one" } else { "" }
}

/// The drawer closes by itself: what was meant for it goes to nobody.
fn over(state: &mut State) {
    state.mode = Mode::Panes;
    state.set_adrift();
}

/// The question at this place is off the list: what is highlighted in the list of all stays what it is.
pub fn removed(state: &mut State, at: usize) {
    if let Some(Drawer { id: None, row: Some(row), .. }) = state.mode.drawer_mut()
        && *row > at
    {
        *row -= 1;
    }
}
