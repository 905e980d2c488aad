//! Agents, questions and notices as JSON for programs: as the contract names their keys, with times in Unix milliseconds.

use serde_json::{Value, json};

use crate::core::agent::AgentInfo;
use crate::wire::Notice;
use crate::wire::message::QuestionInfo;

/// Seconds since the epoch as the contract prints times.
pub fn millis(seconds: f64) -> u64 {
    (seconds.max(0.0) * 1000.0).round() as u64
}

fn in_millis(mut value: Value, keys: &[&str]) -> Value {
    for key in keys {
        if let Some(time) = value.get_mut(key)
            && let Some(seconds) = time.as_f64()
        {
            *time = json!(millis(seconds));
        }
    }
    value
}

/// An agent as `ls --json` prints it.
pub fn agent(agent: &AgentInfo) -> Value {
    let value = serde_json::to_value(agent).unwrap_or_default();
    in_millis(value, &["since", "deadline_at"])
}

/// A question as `questions --json` prints it.
pub fn question(question: &QuestionInfo) -> Value {
    let value = serde_json::to_value(question).unwrap_or_default();
    in_millis(value, &["asked_at", "deadline_at"])
}

/// What the server tells by itself, as `events --json` prints it.
pub fn notice(notice: &Notice) -> Value {
    match notice {
        Notice::Agent(info) => json!({ "agent": agent(info) }),
        Notice::Question(info) => json!({ "question": question(info) }),
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_milliseconds() {
        let value = in_millis(json!({ "since": 1.5, "deadline_at": null }), &["since", "deadline_at"]);
        assert_eq!(value, json!({ "since": 1500, "deadline_at": null }));
    }
}
