//! Who answers a question that is open in the drawer: its consultant, another one, or the person themselves.
//!
//! `drawer.rs` gives it keys. Pure.

use crate::core::agent::Duty;
use crate::core::keymap::{Action, Context};
use crate::wire::message::{ClientMessage, NO_CONSULTANT, QuestionInfo, Request, Status};

use super::mode::Mode;
use super::state::{Purpose, State};

/// Consultants other than the one the question is with, to choose from.
pub fn offer(state: &mut State, question: &QuestionInfo) {
    let consultants = state.agents.iter().filter(|agent| agent.info.role == Duty::Consultant);
    let mut names: Vec<String> = consultants.map(|agent| agent.info.name.clone()).collect();
    let own = state.agent(&question.agent).and_then(|agent| agent.info.consultant.as_ref());
    let chained: Vec<String> = own.map(|own| own.names().map(str::to_owned).collect()).unwrap_or_default();
    names.extend(chained);
    names.sort();
    names.dedup();
    names.retain(|name| *name != question.agent);
    if names.is_empty() {
        return state.say("there is no consultant to ask");
    }
    let other = names.iter().position(|name| *name != question.route).unwrap_or(0);
    if let Mode::Drawer(drawer) = &mut state.mode {
        drawer.others = Some((names, other));
    }
}

pub fn choose(
    state: &mut State,
    question: Option<QuestionInfo>,
    action: Option<Action>,
) -> Option<ClientMessage> {
    let Mode::Drawer(drawer) = &mut state.mode else { return None };
    let (names, at) = drawer.others.as_mut()?;
    match (action, question) {
        (Some(Action::RowUp), _) => *at = at.saturating_sub(1),
        (Some(Action::RowDown), _) => *at = (*at + 1).min(names.len() - 1),
        (Some(Action::Give), Some(question)) => {
            let with = names[*at].clone();
            drawer.others = None;
            return Some(consult(state, &question, Some(with)));
        }
        (Some(Action::Close), _) | (_, None) => drawer.others = None,
        _ => {}
    }
    None
}

pub fn consult(state: &mut State, question: &QuestionInfo, with: Option<String>) -> ClientMessage {
    let request = Request::Consult { id: question.id.clone(), with };
    let purpose = Purpose::Act(format!("consult about {}'s question", question.agent));
    state.request(request, Some(purpose))
}

/// Why nobody was asked, with the keys that ask one of those there are.
pub fn with_mend(state: &State, why: String) -> String {
    let others = state.agents.iter().any(|agent| agent.info.role == Duty::Consultant);
    let key = state.keymap.key(Context::Questions, Action::AskAnother);
    if !(others && why.ends_with(NO_CONSULTANT)) || key.is_empty() {
        return why;
    }
    match state.mode {
        Mode::Drawer(_) => format!("{why}; {key} asks another"),
        _ => format!("{why}; {}, then {key} asks another", state.chord(Action::Questions)),
    }
}

/// Takes it from whoever is asked about it: what they say now is not typed.
pub fn take_over(state: &mut State, question: &QuestionInfo) -> Option<ClientMessage> {
    if !with_another(question) {
        state.say("it is yours already");
        return None;
    }
    let request = Request::TakeOver { id: question.id.clone() };
    let purpose = Purpose::Act(format!("take over {}'s question", question.agent));
    Some(state.request(request, Some(purpose)))
}

/// Turns down what is suggested. The question stays open before the person: it is theirs to answer now.
pub fn turn_down(state: &mut State, question: &QuestionInfo) -> Option<ClientMessage> {
    if question.status != Status::Proposed {
        return None;
    }
    if !state.connected {
        state.say("not sent: there is no connection to the server");
        return None;
    }
    let answer = question.answer.clone();
    let request = Request::Confirm { id: question.id.clone(), accept: false, answer };
    let purpose = Purpose::Act(format!("turn down the answer to {}'s question", question.agent));
    Some(state.request(request, Some(purpose)))
}

/// Whether somebody else is at it.
pub fn with_another(question: &QuestionInfo) -> bool {
    match question.status {
        Status::Consulting => true,
        Status::Open => question.route != "human",
        Status::Proposed | Status::Answering => false,
        Status::Answered | Status::Escalated | Status::Withdrawn => false,
    }
}
