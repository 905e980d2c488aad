//! Agents, questions and notices as JSON for programs: as the contract names their keys, with times in Unix milliseconds.

use std::path::Path;

use serde_json::{Value, json};

use crate::core::agent::AgentInfo;
use crate::os::git;
use crate::wire::Notice;
use crate::wire::message::QuestionInfo;
use crate::wire::message::in_millis;

use super::worktree;

/// An agent by itself.
pub fn agent(agent: &AgentInfo) -> Value {
    let value = serde_json::to_value(agent).unwrap_or_default();
    in_millis(value, &["since", "deadline_at"])
}

/// An agent as `ls --json` prints it, with what git says of its folder; without git both are null.
pub fn listed(info: &AgentInfo, state: Option<&git::State>) -> Value {
    let mut listed = agent(info);
    listed["branch"] = json!(state.and_then(|at| at.branch.as_deref()));
    listed["dirty"] = json!(state.map(|at| at.dirty));
    listed
}

/// All of them.
pub fn all_listed(agents: &[AgentInfo]) -> Vec<Value> {
    let states = worktree::states(agents);
    agents.iter().map(|agent| listed(agent, states.get(Path::new(&agent.cwd)))).collect()
}

/// A question as `questions --json` prints it.
pub fn question(question: &QuestionInfo) -> Value {
    question.told()
}

/// What the server tells by itself, as `events --json` prints it; `state` is what git says of an agent's folder.
pub fn notice(notice: &Notice, state: Option<&git::State>) -> Value {
    match notice {
        Notice::Agent(info) => json!({ "agent": listed(info, state) }),
        Notice::Question(info) => json!({ "question": question(info) }),
        // An object like the others.
        Notice::Bye => json!({ "bye": {} }),
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_end_is_an_object_too() {
        assert_eq!(notice(&Notice::Bye, None), json!({ "bye": {} }));
    }

    #[test]
    fn times_are_milliseconds() {
        let value = in_millis(json!({ "since": 1.5, "deadline_at": null }), &["since", "deadline_at"]);
        assert_eq!(value, json!({ "since": 1500, "deadline_at": null }));
    }
}
