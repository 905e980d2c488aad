//! What an agent program tells through its hooks, and what it can be told back, as values.
//!
//! `counsel hook` relays what Claude Code hands to a hook; the hub gives it to `parse` and keeps what it says.
//! Comparing lives here too: whether the screen shows the question a hook told of, and whether the agent
//! recorded the answer that was meant. Nothing here decides who answers or sends anything.

mod settings;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::core::question::normalize::{normalize, squeezed};
use crate::core::question::{Answer, Choice, Kind, Question, Role};

pub use settings::{Place, Version, interpreted, merge, place, settings};

/// The tool with which Claude Code asks.
const ASK: &str = "AskUserQuestion";
/// A label that a narrow screen cut off still tells which one it is, with so many characters of it.
const TELLING: usize = 12;
/// The row of one's own words as the programs name it: it is theirs, so no hook tells of it.
const OWN_WORDS: &str = "Type something.";

/// One question of a form, as the program got it from its model: exact, nothing wrapped or cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub prompt: String,
    pub multi: bool,
    /// Labels and descriptions.
    pub options: Vec<(String, String)>,
}

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

impl Asked {
    /// The question as a screen would show it at its best; `at` its place in a form of so many.
    pub fn question(&self, at: usize, of: usize) -> Question {
        let checked = self.multi.then_some(false);
        let row = |(index, (label, description)): (usize, &(String, String))| Choice {
            label: label.clone(),
            description: description.clone(),
            number: u32::try_from(index + 1).ok(),
            checked,
            ..Choice::default()
        };
        let mut options: Vec<Choice> = self.options.iter().enumerate().map(row).collect();
        options.push(Choice {
            label: OWN_WORDS.to_owned(),
            number: u32::try_from(self.options.len() + 1).ok(),
            checked,
            role: Role::FreeText,
            ..Choice::default()
        });
        Question {
            kind: if self.multi { Kind::Multi } else { Kind::Menu },
            prompt: self.prompt.clone(),
            options,
            selected: None,
            multi: self.multi,
            subject: None,
            partial: false,
            tab: (of > 1).then_some((at, of)),
            typing: false,
            origin: Default::default(),
        }
    }

    /// Whether the screen shows this question, as far as it shows it; otherwise what differs.
    pub fn shown_by(&self, screen: &Question) -> Result<(), String> {
        let kind = if self.multi { Kind::Multi } else { Kind::Menu };
        if screen.kind != kind {
            return Err(format!(
                "the screen shows a {}, the hook tells of a {}",
                screen.kind.name(),
                kind.name()
            ));
        }
        let (exact, seen) = (squeezed(&self.prompt), squeezed(&screen.prompt));
        if exact != seen && !(screen.partial && !seen.is_empty() && exact.contains(&seen)) {
            return Err(format!("the screen asks {:?}, the hook tells of {:?}", screen.prompt, self.prompt));
        }
        let rows = screen.options.iter().filter(|choice| choice.role == Role::Choice);
        let seen: Vec<String> = rows.map(|choice| squeezed(&choice.label)).collect();
        let exact: Vec<String> = self.options.iter().map(|(label, _)| squeezed(label)).collect();
        let same = |(exact, seen): (&String, &String)| {
            exact == seen || (seen.chars().count() >= TELLING && exact.starts_with(seen.as_str()))
        };
        let fits = |part: &[String]| part.iter().zip(&seen).all(same);
        let shown = match screen.partial {
            true => seen.is_empty() || exact.windows(seen.len()).any(fits),
            false => exact.len() == seen.len() && fits(&exact),
        };
        shown.then_some(()).ok_or_else(|| {
            let told: Vec<&str> = self.options.iter().map(|(label, _)| label.as_str()).collect();
            format!("the screen offers {:?}, the hook tells of {told:?}", screen.labels())
        })
    }

    /// What an answer to `question`, which is this one, means in the program's own words; `None` if it can
    /// only be given by keys.
    pub fn meant(&self, question: &Question, answer: &Answer) -> Option<Meant> {
        match answer {
            Answer::Reject => None,
            Answer::Text(text) => Some(Meant::Text(text.clone())).filter(|_| !text.trim().is_empty()),
            Answer::Rows(rows) => {
                let label = |row: &usize| {
                    let before = question.options.get(..*row)?.iter();
                    let at = before.filter(|choice| choice.role == Role::Choice).count();
                    let choice = question.options.get(*row).filter(|choice| choice.role == Role::Choice)?;
                    let (label, _) = self.options.get(at)?;
                    squeezed(label).starts_with(&squeezed(&choice.label)).then(|| label.clone())
                };
                let labels = rows.iter().map(label).collect::<Option<Vec<_>>>()?;
                let count = labels.len();
                (count == 1 || (self.multi && count > 0)).then_some(Meant::Labels(labels))
            }
        }
    }
}

/// An answer as the program is to record it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    Labels(Vec<String>),
    Text(String),
}

impl Meant {
    pub fn words(&self) -> String {
        match self {
            Meant::Labels(labels) => labels.join(", "),
            Meant::Text(text) => text.clone(),
        }
    }

    /// Whether what was recorded is this: every label once, in whatever order, and nothing else.
    pub fn is(&self, recorded: &str) -> bool {
        match self {
            Meant::Text(text) => normalize(text) == normalize(recorded),
            Meant::Labels(labels) => {
                let mut rest = normalize(recorded);
                let mut labels: Vec<String> = labels.iter().map(|label| normalize(label)).collect();
                // The longest first: one label may be part of another.
                labels.sort_by_key(|label| std::cmp::Reverse(label.len()));
                for label in labels {
                    let Some(at) = rest.find(&label) else { return false };
                    rest.replace_range(at..at + label.len(), "");
                }
                rest.chars().all(|ch| ch == ',' || ch == ' ')
            }
        }
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
