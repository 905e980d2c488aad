//! The question as one JSON object, for consultants that are programs and not models.
//!
//! `brief.rs` puts it on the one quoted line of a prompt that begins with a brace. What others wrote stands in it
//! cleaned, without secrets and without braces, as everywhere else in the prompt.

use serde::Serialize;

use crate::core::question::option_lookup;

use super::briefing::{Briefing, cut, one_line};

/// The most of the question's words, of what it is asked for and of the task, in bytes.
const WORDS_BYTES: usize = 2 * 1024;
/// The most of one label, or of its description.
const LABEL_BYTES: usize = 600;

// No key of a reply stands first: an echo of this line is not read as one.
#[derive(Serialize)]
struct Object<'a> {
    agent: &'a str,
    role: &'a str,
    id: &'a str,
    nonce: &'a str,
    kind: &'a str,
    prompt: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    options: Vec<Row>,
    multi: bool,
    /// Whether an answer in words is possible.
    words: bool,
    /// The words that it offers.
    #[serde(skip_serializing_if = "Option::is_none")]
    offered: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    seconds: u64,
    /// Why the last reply could not be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    again: Option<String>,
}

#[derive(Serialize)]
struct Row {
    number: Option<u32>,
    label: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    ticked: bool,
}

/// The object on one line, or nothing if it cannot be written.
pub(super) fn object(b: &Briefing) -> String {
    let q = b.question;
    let numbers = option_lookup::numbers(q);
    let words = |text: &str| cut(&one_line(text), WORDS_BYTES);
    let rows = q.options.iter().enumerate().filter(|(row, _)| option_lookup::open_to_consultant(q, *row));
    let row = |(row, choice): (usize, &crate::core::question::Choice)| Row {
        number: numbers[row],
        label: cut(&one_line(&choice.label), LABEL_BYTES),
        description: cut(&one_line(&choice.description), LABEL_BYTES),
        ticked: choice.checked == Some(true),
    };
    let object = Object {
        agent: b.agent,
        role: b.duty,
        id: b.id,
        nonce: b.nonce,
        kind: q.kind.name(),
        prompt: words(&q.prompt),
        subject: q.subject.as_deref().map(words),
        options: rows.map(row).collect(),
        multi: q.multi,
        words: option_lookup::takes_text(q),
        offered: q.origin.offered.as_deref().map(words),
        task: b.task.map(words),
        seconds: b.seconds_left,
        again: b.again.map(words),
    };
    serde_json::to_string(&object).unwrap_or_default()
}
