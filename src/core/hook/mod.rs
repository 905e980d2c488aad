//! What an agent program tells through its hooks, and what it can be told back, as values.
//!
//! `counsel hook` relays what Claude Code hands to a hook; the hub gives it to `parse` and keeps what it says.
//! Comparing lives beside it: whether the screen shows the question a hook told of, and whether the agent
//! recorded the answer that was meant. Nothing here decides who answers or sends anything.

mod asked;
mod settings;
mod whole;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::core::question::normalize::normalize;

pub use asked::{Asked, Meant};
pub use settings::{Place, Version, interpreted, merge, place, settings};
pub use whole::{follow, same_row};

/// The tool with which Claude Code asks.
const ASK: &str = "AskUserQuestion";

/// What a hook tells.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// These words were submitted to the model.
    Prompted { text: String },
    /// A form is about to be shown; the hook may answer it.
    Asks { form: Vec<Asked>, input: Value },
    /// A command is about to be asked permission for; the hook may answer that.
    Permission { command: String },
    /// Another dialog is about to be shown, which only a person answers, or keys.
    Dialog,
    /// The form was answered, by whomever: answers by question.
    Recorded { answers: BTreeMap<String, String> },
    /// A turn is over, and its last message.
    Ended { message: Option<String> },
}

impl Told {
    /// Whether the program waits for what the hook prints.
    pub fn waits(&self) -> bool {
        matches!(self, Told::Asks { .. } | Told::Permission { .. })
    }
}

/// Reads what a hook was given. `None` for events of subagents, which have no dialog of their own, for
/// events nothing follows from, and for what is not understood.
pub fn parse(event: &str, payload: &Value) -> Option<Told> {
    if payload.get("agent_id").is_some_and(|id| !id.is_null()) {
        return None;
    }
    let text = |name: &str| payload.get(name).and_then(Value::as_str).map(str::to_owned);
    let tool = payload.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let input = payload.get("tool_input").unwrap_or(&Value::Null);
    match (event, tool) {
        ("UserPromptSubmit", _) => Some(Told::Prompted { text: text("prompt")? }),
        ("PermissionRequest", ASK) => Some(Told::Asks { form: form(input)?, input: input.clone() }),
        ("PermissionRequest", "Bash") => {
            Some(Told::Permission { command: input.get("command")?.as_str()?.to_owned() })
        }
        ("PermissionRequest", tool) if !tool.is_empty() => Some(Told::Dialog),
        ("PostToolUse", ASK) => {
            let response = payload.get("tool_response").and_then(|told| told.get("answers"));
            let answers = response.or_else(|| input.get("answers"))?.as_object()?;
            let answers = answers.iter().map(|(question, answer)| (question.clone(), words(answer)));
            Some(Told::Recorded { answers: answers.collect() })
        }
        ("Stop", _) => Some(Told::Ended { message: text("last_assistant_message") }),
        _ => None,
    }
}

fn form(input: &Value) -> Option<Vec<Asked>> {
    let questions = input.get("questions")?.as_array()?;
    let form: Option<Vec<Asked>> = questions.iter().map(asked).collect();
    form.filter(|form| !form.is_empty())
}

fn asked(question: &Value) -> Option<Asked> {
    let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    let option =
        |option: &Value| Some((text(option, "label")?, text(option, "description").unwrap_or_default()));
    Some(Asked {
        prompt: text(question, "question")?,
        multi: question.get("multiSelect").and_then(Value::as_bool).unwrap_or(false),
        options: question.get("options")?.as_array()?.iter().map(option).collect::<Option<_>>()?,
    })
}

/// An answer as recorded: some versions keep several labels as a list.
fn words(answer: &Value) -> String {
    match answer {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// What a hook prints to answer a form: the program's own input, with an answer to every question.
pub fn answers(input: &Value, given: &[(&Asked, &Meant)]) -> Value {
    let answers: Map<String, Value> =
        given.iter().map(|(asked, meant)| (asked.prompt.clone(), meant.words().into())).collect();
    let mut input = input.as_object().cloned().unwrap_or_default();
    input.insert("answers".to_owned(), Value::Object(answers));
    decision(&json!({"behavior": "allow", "updatedInput": input}))
}

/// What a hook prints to allow a command this once, or to refuse it. Never for ever: that is a person's.
pub fn permission(allow: bool) -> Value {
    decision(&match allow {
        true => json!({"behavior": "allow"}),
        false => json!({"behavior": "deny", "message": "The user's rules do not allow this command."}),
    })
}

fn decision(decision: &Value) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
}

/// Whether a question on the screen stands in this message: its words, in their order. Marks of formatting
/// are not on the screen, so words only are compared.
pub fn says(message: &str, prompt: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let text = normalize(text);
        let words = text.split(|ch: char| !ch.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let said = words(message);
    let mut said = said.iter();
    words(prompt).iter().all(|word| said.any(|other| other == word))
}

#[cfg(test)]
#[path = "hook_tests.rs"]
mod tests;
