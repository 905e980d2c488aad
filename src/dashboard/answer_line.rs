//! The line of the drawer in which an answer is typed in a person's own words.
//!
//! `drawer.rs` opens it and gives it keys first. Where nothing can be chosen it is open from the beginning: who starts
//! to type an answer is typing it, and no letter of it does anything else. Pure.

use crate::core::keymap::{Action, Context};
use crate::core::question::{Kind, Role};
use crate::core::terminal::keys::{Key, KeyPress};
use crate::wire::message::{GivenAnswer, QuestionInfo};

use super::edit::Edit;
use super::highlight::in_words;
use super::in_its_pane::only_there;
use super::mode::{Drawer, Mode};
use super::note::Until;
use super::state::{Draft, State};

/// What a key asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    Nothing,
    /// The key is not the line's.
    NotMine,
    /// Enter behind no words.
    Empty,
    Give(GivenAnswer),
    /// Nothing was typed: what is suggested.
    GiveHighlighted,
    /// Enter behind words that were written for another question.
    Former,
}

/// Whether words are all the answer there is.
pub fn words_only(question: &QuestionInfo) -> bool {
    question.options.is_empty() && question.kind == Kind::Text
}

/// Whether words of one's own are an answer here.
pub fn takes_words(question: &QuestionInfo) -> bool {
    question.kind == Kind::Text || question.choices.iter().any(|choice| choice.role == Role::FreeText)
}

/// The line a drawer begins with: what was typed for this question before stands in it. And whether that was for another one.
pub fn at_first(state: &State, question: &QuestionInfo) -> (Option<Edit>, bool) {
    if !words_only(question) {
        return (None, false);
    }
    let (words, former) = begun(state, question, None);
    (Some(Edit::new(&words)), former)
}

/// What the line begins with: what was typed for this question before, else what is suggested, else what was being typed when
/// another question of its agent was over, which is told by the `bool`.
fn begun(state: &State, question: &QuestionInfo, suggested: Option<&String>) -> (String, bool) {
    let draft = state.words.drafts.get(&question.id).map(|draft| &draft.words);
    match (draft.or(suggested), state.words.left.get(&question.agent)) {
        (Some(words), _) => (words.clone(), false),
        (None, Some(left)) => (left.clone(), true),
        (None, None) => (String::new(), false),
    }
}

/// Whether something is being typed; a line that is only open leaves the other keys what they are.
pub fn typing(question: &QuestionInfo, drawer: &Drawer) -> bool {
    drawer.edit.as_ref().is_some_and(|edit| !edit.text.is_empty() || !words_only(question))
}

/// Whether words stand in the line.
pub fn has_words(drawer: &Drawer) -> bool {
    drawer.edit.as_ref().is_some_and(|edit| !edit.text.trim().is_empty())
}

/// A key for the line: where no words are taken and none are suggested it says so, and the letters behind it go nowhere. Whether
/// it is open.
pub fn wanted(state: &mut State, question: &QuestionInfo, action: Action) -> bool {
    let suggested = question.answer.is_some();
    if suggested || takes_words(question) {
        open(state, action == Action::EditAnswer);
        return true;
    }
    let key = state.keymap.key(Context::Questions, action);
    let told = format!("{key} does nothing here; the digits and enter choose");
    state.say_until(Until::DrawerCloses, told);
    state.hold_on();
    false
}

/// Opens the line, with what was typed for this question before, else with the answer that is suggested, or empty.
pub fn open(state: &mut State, from_proposal: bool) {
    let Mode::Drawer(drawer) = &state.mode else { return };
    let Some(question) = drawer.id.as_deref().and_then(|id| state.question(id)) else { return };
    let (words, former) = begun(state, question, question.answer.as_ref().filter(|_| from_proposal));
    let taken = !only_there(question);
    if let Mode::Drawer(drawer) = &mut state.mode {
        drawer.edit = taken.then(|| Edit::new(&words));
        drawer.former = taken && former;
    }
}

/// The first Enter gives nothing where nobody has looked at the words since another question was asked.
pub fn say_former(state: &mut State) {
    let told = "this was written for the question before; enter once more gives it";
    state.say_until(Until::DrawerCloses, told);
}

/// Enter behind no words does nothing, since it may be a slip; how an empty line is sent is told.
pub fn say_empty(state: &mut State, question: &QuestionInfo) {
    let how = match words_only(question) {
        true => format!("; an empty line is sent by: counsel answer {} --text ''", question.id),
        false => String::new(),
    };
    state.say_until(Until::DrawerCloses, format!("nothing is written yet{how}"));
}

/// Keeps what stands in the line: whoever leaves it, by whichever key, finds it there again, and where its question is over,
/// at the next one of its agent.
pub fn keep(state: &mut State) {
    if !state.syncing {
        let open = |id: &String| state.questions.iter().any(|question| question.id == *id);
        let over: Vec<String> = state.words.drafts.keys().filter(|id| !open(id)).cloned().collect();
        for draft in over.iter().filter_map(|id| state.words.drafts.remove(id)) {
            state.words.left.insert(draft.agent, draft.words);
        }
        let agents = &state.agents;
        state.words.left.retain(|name, _| agents.iter().any(|agent| agent.info.name == *name));
    }
    let Mode::Drawer(Drawer { id: Some(id), edit: Some(edit), former: false, .. }) = &state.mode else {
        return;
    };
    let Some(question) = state.question(id) else { return };
    // What is suggested stands on its own row, and may change there.
    if edit.text.trim().is_empty() || question.answer.as_ref() == Some(&edit.text) {
        state.words.drafts.remove(&id.clone());
    } else {
        let draft = Draft { agent: question.agent.clone(), words: edit.text.clone() };
        state.words.drafts.insert(id.clone(), draft);
    }
}

pub fn key(drawer: &mut Drawer, press: KeyPress, question: Option<&QuestionInfo>) -> Wish {
    let free = question.is_some_and(|question| !typing(question, drawer));
    let suggested = free && drawer.row.is_some();
    let Some(edit) = &mut drawer.edit else { return Wish::NotMine };
    match (press.key, question) {
        (Key::Esc, _) => (drawer.edit, drawer.former) = (None, false),
        (Key::Enter, Some(_)) if suggested => return Wish::GiveHighlighted,
        (Key::Enter, Some(_)) if std::mem::take(&mut drawer.former) => return Wish::Former,
        (Key::Enter, Some(question)) => {
            let text = edit.text.trim().to_owned();
            return if text.is_empty() { Wish::Empty } else { Wish::Give(in_words(question, text)) };
        }
        (Key::Enter, None) => {}
        _ if edit.key(press) => drawer.former = false,
        // Such as the one that leads to the next question.
        _ if free => return Wish::NotMine,
        _ => {}
    }
    Wish::Nothing
}

/// An answer goes out: its words are kept in case that it is refused.
pub fn given(state: &mut State, question: &QuestionInfo, answer: &GivenAnswer) {
    state.words.given.clone_from(&answer.text);
    state.words.drafts.remove(&question.id);
}
