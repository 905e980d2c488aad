//! The line of the drawer in which an answer is typed in a person's own words.
//!
//! `drawer.rs` opens it and gives it keys first. Where nothing can be chosen it is open from the beginning: who starts
//! to type an answer is typing it, and no letter of it does anything else. Pure.

use crate::core::question::{Kind, Role};
use crate::core::terminal::keys::{Key, KeyPress};
use crate::wire::message::{GivenAnswer, QuestionInfo};

use super::edit::Edit;
use super::highlight::in_words;
use super::in_its_pane::only_there;
use super::state::{Drawer, Mode, State};

/// What a key asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    Nothing,
    /// The key is not the line's.
    NotMine,
    Give(GivenAnswer),
    /// Nothing was typed: what is suggested.
    GiveHighlighted,
}

/// Whether words are all the answer there is.
pub fn words_only(question: &QuestionInfo) -> bool {
    question.options.is_empty() && question.kind == Kind::Text
}

/// Whether words of one's own are an answer here.
pub fn takes_words(question: &QuestionInfo) -> bool {
    question.kind == Kind::Text || question.choices.iter().any(|choice| choice.role == Role::FreeText)
}

/// The line a drawer begins with.
pub fn at_first(question: &QuestionInfo) -> Option<Edit> {
    words_only(question).then(Edit::default)
}

/// Whether something is being typed; a line that is only open leaves the other keys what they are.
pub fn typing(question: &QuestionInfo, drawer: &Drawer) -> bool {
    drawer.edit.as_ref().is_some_and(|edit| !edit.text.is_empty() || !words_only(question))
}

/// Opens the line, with the answer that is suggested, or empty.
pub fn open(state: &mut State, from_proposal: bool) {
    let Mode::Drawer(drawer) = &state.mode else { return };
    let question = drawer.id.as_deref().and_then(|id| state.question(id));
    let proposed = question.and_then(|q| q.answer.clone()).filter(|_| from_proposal).unwrap_or_default();
    let taken = question.is_some_and(|question| !only_there(question));
    if let Mode::Drawer(drawer) = &mut state.mode {
        drawer.edit = taken.then(|| Edit::new(&proposed));
    }
}

pub fn key(drawer: &mut Drawer, press: KeyPress, question: Option<&QuestionInfo>) -> Wish {
    let free = question.is_some_and(|question| !typing(question, drawer));
    let suggested = free && drawer.row.is_some();
    let Some(edit) = &mut drawer.edit else { return Wish::NotMine };
    match (press.key, question) {
        (Key::Esc, _) => drawer.edit = None,
        (Key::Enter, Some(_)) if suggested => return Wish::GiveHighlighted,
        (Key::Enter, Some(question)) => {
            let text = edit.text.trim().to_owned();
            return if text.is_empty() { Wish::Nothing } else { Wish::Give(in_words(question, text)) };
        }
        (Key::Enter, None) => {}
        _ if edit.key(press) => {}
        // Such as the one that leads to the next question.
        _ if free => return Wish::NotMine,
        _ => {}
    }
    Wish::Nothing
}

/// Pasted text.
pub fn insert(drawer: &mut Drawer, text: &str) {
    if let Some(edit) = &mut drawer.edit {
        edit.insert(text);
    }
}
