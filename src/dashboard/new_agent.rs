//! A new agent: what the form for it offers, and its start.
//!
//! `overlays.rs` calls it with what was typed, `actions.rs` with an agent's form once more. The agent itself is started
//! by `perform.rs`. Pure.

use std::collections::BTreeSet;

use crate::core::agent::Duty;
use crate::core::consult::chain::Chain;

use super::agent::Agent;
use super::effect::Effect;
use super::form::{Field, Form, NewAgent};
use super::mode::Mode;
use super::state::{Purpose, State};

/// What is known without looking at the disk.
pub fn offered_here(state: &State, field: Field, word: &str) -> Option<Vec<String>> {
    match field {
        Field::Consultant => Some(consultants(state, word, own_name(state))),
        Field::Profile => Some(state.profiles.clone()),
        Field::Name | Field::Worktree | Field::Prompt => Some(Vec::new()),
        Field::Command | Field::Folder => None,
    }
}

/// Whether an agent has this name already. One that could not be started leaves its own to its second try.
fn taken(state: &State, name: &str) -> bool {
    state.agent(name).is_some_and(|agent| !agent.failed())
}

/// The name that the agent of the form will have, as far as that is known yet.
fn own_name(state: &State) -> Option<String> {
    let Mode::Create(form) = &state.mode else { return None };
    form.name_to_be(|name| taken(state, name))
}

/// Who answers questions, as far as they begin so; any agent may, where none of those does. Nobody answers itself, and who
/// never started answers nobody.
fn consultants(state: &State, word: &str, own: Option<String>) -> Vec<String> {
    let answers = state.agents.iter().filter(|agent| agent.info.role == Duty::Consultant);
    let mut offers: BTreeSet<String> = answers.map(|agent| agent.info.name.clone()).collect();
    offers.extend(state.consultants.iter().cloned());
    let failed = |name: &str| state.agent(name).is_some_and(Agent::failed);
    let able = |name: &String| Some(name) != own.as_ref() && !failed(name);
    offers.retain(able);
    if !offers.iter().any(|name| name.starts_with(word)) {
        offers = may_be_asked(state);
        offers.retain(able);
    }
    offers.into_iter().collect()
}

/// Everybody an agent may have for a consultant.
fn may_be_asked(state: &State) -> BTreeSet<String> {
    let agents = state.agents.iter().filter(|agent| !agent.failed()).map(|agent| &agent.info.name);
    agents.chain(&state.consultants).chain(&state.configured).cloned().collect()
}

/// Why nobody would answer its questions, if they are to be somebody's.
fn without_consultant(state: &State, agent: &NewAgent) -> Option<(Field, String)> {
    let chain = Chain::from(agent.consultant.as_deref()?);
    if let Some(why) = chain.own_fault(&agent.name) {
        return Some((Field::Consultant, why.to_owned()));
    }
    Some((Field::Consultant, chain.nobody_among(&may_be_asked(state))?))
}

/// Starts what a form says; it stays open with the fault if that makes no sense. `again`: it is on the list, and the
/// focus stays where it is.
pub fn start(state: &mut State, mut form: Box<Form>, again: bool, out: &mut Vec<Effect>) {
    let wanted = form.agent(|name| taken(state, name));
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
