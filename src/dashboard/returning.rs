//! What is shown between a server that is gone and its successor's account of everything: the agents and questions as
//! they were last known, until each is told of anew.
//!
//! `update.rs` calls it when there is a connection again, `notices.rs` with what that brings, the views ask it what is
//! out of date. Pure.

use crate::core::agent::AgentInfo;
use crate::core::terminal::keys::Input;
use crate::wire::message::{ClientMessage, Request};

use super::agent::Agent;
use super::held_keys::HeldKey;
use super::link::LostKeys;
use super::state::{Purpose, Returning, State};

/// Everything is told anew; the ping is answered when all of it was.
pub fn found(state: &mut State) -> [ClientMessage; 2] {
    (state.connected, state.ended) = (true, false);
    state.syncing = true;
    state.held_keys.other_server();
    state.returning.agents = state.agents.iter().map(|agent| agent.info.name.clone()).collect();
    state.returning.questions = state.questions.iter().map(|question| question.id.clone()).collect();
    state.watched.clear();
    state.next_pane = None;
    [state.request(Request::Subscribe, None), state.request(Request::Ping, Some(Purpose::Synced))]
}

/// All of it was told: what was not among it is no more. What could not be started no keeper holds for the next server:
/// that is told again by those who know of it.
pub fn synced(state: &mut State) -> Vec<ClientMessage> {
    let mut told = Vec::new();
    state.syncing = false;
    state.awaited = None;
    let Returning { agents, questions } = std::mem::take(&mut state.returning);
    for name in agents {
        let failed = |agent: &Agent| {
            let AgentInfo { role, number, since, .. } = agent.info;
            let (name, cause) = (agent.info.name.clone(), agent.info.failed.clone()?);
            Some(Request::NotStarted { name, role, cause, number, since: Some(since) })
        };
        if let Some(request) = state.agent(&name).and_then(failed) {
            told.push(state.request(request, None));
            continue;
        }
        state.forget(&name);
        state.leave(&name);
    }
    state.questions.retain(|question| !questions.contains(&question.id));
    told
}

impl State {
    /// The server that is there now has told of this agent.
    pub fn agent_returned(&mut self, name: &str) {
        self.returning.agents.remove(name);
    }

    /// The same for a question.
    pub fn question_returned(&mut self, id: &str) {
        self.returning.questions.remove(id);
    }

    /// The server that is there now has not told of it yet.
    pub fn returns(&self, name: &str) -> bool {
        self.returning.agents.contains(name)
    }

    /// What is shown of this agent is what was last known of it.
    pub fn out_of_date(&self, name: &str) -> bool {
        !self.connected || self.silent_since_ms.is_some() || self.returns(name)
    }
}

/// There is no connection: it waits for the next.
pub fn hold(state: &mut State, names: Vec<String>, input: &Input) {
    let asked = |agent: &str| state.question_of(agent).map(|question| question.id.clone());
    let key = |agent: String| HeldKey { asked: asked(&agent), agent, input: input.clone() };
    let keys: Vec<HeldKey> = names.into_iter().map(key).collect();
    state.held_keys.hold(keys, state.now_ms);
}

/// What was typed last never reached the server: it waits like what is typed from now on. Of what may have reached it nobody
/// knows, and what comes behind that is not sent.
pub fn unread(state: &mut State, lost: LostKeys) {
    for request in lost.doubtful {
        if let Request::Keys { name, input } = request {
            input.iter().for_each(|input| state.held_keys.lose(&name, input));
        }
    }
    for request in lost.unread {
        if let Request::Keys { name, input } = request {
            input.iter().for_each(|input| hold(state, vec![name.clone()], input));
        }
    }
}
