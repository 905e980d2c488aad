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
/// Claude Code asks four questions of four options at most. An agent that tells of a hundred thousand would have them compared
/// with its screen at each of its frames, while all others wait.
const MOST_QUESTIONS: usize = 16;
const MOST_OPTIONS: usize = 64;
/// The words of a form or a command, in bytes. Nobody reads more in a dialog before they agree to it.
const MOST_WORDS: usize = 64 * 1024;
/// Longest path of a file that Linux takes, in bytes.
const MOST_PATH: usize = 4096;
/// What was submitted, in bytes: as much as a paste may have.
const MOST_SUBMITTED: usize = 1024 * 1024;

/// What a hook tells.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// These words were submitted to the model.
    Prompted { text: String },
    /// A form is about to be shown; the hook may answer it.
    Asks { form: Vec<Asked>, input: Value },
    /// A command is about to be asked permission for; the hook may answer that.
    Permission { command: String },
    /// This file is about to be asked permission for, by its whole path.
    File { path: String },
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
    let tool = payload.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let input = payload.get("tool_input").unwrap_or(&Value::Null);
    match (event, tool) {
        ("UserPromptSubmit", _) => {
            Some(Told::Prompted { text: first_bytes(payload.get("prompt")?.as_str()?, MOST_SUBMITTED) })
        }
        ("PermissionRequest", ASK | "Bash") if is_beyond_a_dialog(input) => Some(Told::Dialog),
        ("PermissionRequest", ASK) => Some(Told::Asks { form: form(input)?, input: input.clone() }),
        ("PermissionRequest", "Bash") => {
            Some(Told::Permission { command: input.get("command")?.as_str()?.to_owned() })
        }
        ("PermissionRequest", tool) if !tool.is_empty() => {
            Some(file(input).map_or(Told::Dialog, |path| Told::File { path: path.to_owned() }))
        }
        ("PostToolUse", ASK) => {
            let response = payload.get("tool_response").and_then(|told| told.get("answers"));
            let answers = response.or_else(|| input.get("answers"))?.as_object()?;
            if answers.len() > MOST_QUESTIONS || bytes_beyond(answers.values(), MOST_WORDS) {
                return None;
            }
            let answers = answers.iter().map(|(question, answer)| (question.clone(), words(answer)));
            Some(Told::Recorded { answers: answers.collect() })
        }
        ("Stop", _) => {
            let message = payload.get("last_assistant_message").and_then(Value::as_str);
            Some(Told::Ended { message: message.map(|message| last_bytes(message, MOST_WORDS)) })
        }
        _ => None,
    }
}

/// The file that a tool was given.
fn file(input: &Value) -> Option<&str> {
    let named = |name: &str| input.get(name).and_then(Value::as_str);
    named("file_path")
        .or(named("notebook_path"))
        .filter(|path| path.starts_with('/') && path.len() <= MOST_PATH)
}

/// Whether what a tool was given is more than any dialog shows.
fn is_beyond_a_dialog(input: &Value) -> bool {
    let questions = input.get("questions").and_then(Value::as_array);
    let count = |question: &Value| question.get("options").and_then(Value::as_array).map_or(0, Vec::len);
    questions.is_some_and(|questions| {
        questions.len() > MOST_QUESTIONS || questions.iter().any(|question| count(question) > MOST_OPTIONS)
    }) || bytes_beyond(std::iter::once(input), MOST_WORDS)
}

/// Whether the words in these values, their names and whatever else they hold, are more bytes than that.
fn bytes_beyond<'a>(values: impl Iterator<Item = &'a Value>, most: usize) -> bool {
    let mut bytes = 0;
    let mut left: Vec<&Value> = values.collect();
    while let Some(value) = left.pop() {
        bytes += match value {
            Value::String(text) => text.len(),
            Value::Array(all) => {
                left.extend(all.iter().take(most));
                all.len()
            }
            Value::Object(all) => {
                left.extend(all.values().take(most));
                all.keys().map(String::len).sum()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => 1,
        };
        if bytes > most {
            return true;
        }
    }
    false
}

fn first_bytes(text: &str, most: usize) -> String {
    text[..text.floor_char_boundary(most)].to_owned()
}

/// A question stands at the end of what was said.
fn last_bytes(text: &str, most: usize) -> String {
    text[text.ceil_char_boundary(text.len().saturating_sub(most))..].to_owned()
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
        given.iter().map(|(asked, meant)| (asked.prompt.clone(), meant.written(asked).into())).collect();
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
