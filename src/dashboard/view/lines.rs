//! Words several views share: how long, how much longer, who answers.

use crate::core::agent::AgentInfo;
use crate::core::question::State as AgentState;
use crate::dashboard::state::{Agent, State};
use crate::wire::message::{QuestionInfo, Status};

use super::text::duration;

fn now(state: &State) -> f64 {
    state.now_ms as f64 / 1000.0
}

/// How long the agent has been in its state.
pub fn age(state: &State, agent: &Agent) -> String {
    duration(now(state) - agent.info.since)
}

/// What is left until a question goes to a person, while somebody else is to answer it.
pub fn countdown(state: &State, question: &QuestionInfo) -> Option<String> {
    let left = question.deadline_at? - now(state);
    let running = match question.status {
        Status::Open | Status::Consulting | Status::Proposed | Status::Answering => true,
        Status::Escalated | Status::Answered | Status::Withdrawn => false,
    };
    running.then(|| duration(left.ceil()))
}

/// Where a question stands, in words.
pub fn standing(question: &QuestionInfo) -> String {
    match question.status {
        Status::Open if question.route == "human" => "waits for you".into(),
        Status::Open => format!("goes to {}", question.route),
        Status::Consulting => format!("{} is asked", question.route),
        Status::Proposed => format!("{} proposes an answer", question.route),
        Status::Answering => "is being answered".into(),
        Status::Answered => "answered".into(),
        Status::Escalated => "needs you".into(),
        Status::Withdrawn => "withdrawn".into(),
    }
}

/// State and, for a program that has ended, how.
pub fn state_words(info: &AgentInfo) -> String {
    match (info.state, info.exit_code) {
        (AgentState::Exited, Some(code)) => format!("exited {code}"),
        (AgentState::Paused, _) => match info.memory_kib {
            Some(kib) => format!("paused, {} MiB", kib / 1024),
            None => "paused".into(),
        },
        (state, _) => state.name().into(),
    }
}
