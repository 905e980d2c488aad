//! What a consultant is told, and what it may say.

use unicode_normalization::UnicodeNormalization;

use super::question::{Answer, Question, Role};

#[derive(Debug)]
pub struct Briefing<'a> {
    pub id: &'a str,
    pub agent: &'a str,
    pub duty: &'a str,
    pub task: Option<&'a str>,
    pub question: &'a Question,
    pub context: &'a [(String, String)],
    pub decisions: &'a [String],
    pub excerpt: &'a str,
    pub seconds_left: u64,
    pub again: Option<&'a str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    Answer { answer: Answer, reason: Option<String> },
    Escalate { why: String },
}

pub fn prompt(b: &Briefing, _template: Option<&str>, _max_bytes: usize) -> String {
    let mut out = format!("A coding agent ({}) asks question {}:\n| {}\n", b.agent, b.id, b.question.prompt);
    for (row, choice) in b.question.options.iter().enumerate().filter(|(_, c)| c.role != Role::Aside) {
        out.push_str(&format!("| {}. {}\n", row + 1, choice.label));
    }
    out.push_str("Reply with one JSON object, last: {\"choice\": N} or {\"choices\": [N, N]} or {\"text\": T} or {\"escalate\": WHY}\n");
    out
}

pub fn read_reply(text: &str, q: &Question, _id: &str) -> Result<Said, String> {
    let start = text.rfind('{').ok_or("there is no JSON object")?;
    let end = text[start..].find('}').ok_or("the object is cut off")? + start + 1;
    let value: serde_json::Value =
        serde_json::from_str(&text[start..end].replace('\n', " ")).map_err(|e| e.to_string())?;
    let reason = value.get("reason").and_then(|r| r.as_str()).map(str::to_owned);
    if let Some(why) = value.get("escalate") {
        return Ok(Said::Escalate { why: why.as_str().unwrap_or("").to_owned() });
    }
    let row = |v: &serde_json::Value| -> Result<usize, String> {
        let n = v.as_u64().and_then(|n| usize::try_from(n).ok()).and_then(|n| n.checked_sub(1));
        n.or_else(|| labelled(q, v.as_str()?))
            .filter(|n| q.options.get(*n).is_some_and(|option| option.role != Role::Aside))
            .ok_or("not an option".to_owned())
    };
    if let Some(choice) = value.get("choice") {
        return Ok(Said::Answer { answer: Answer::Rows(vec![row(choice)?]), reason });
    }
    if let Some(choices) = value.get("choices").and_then(|c| c.as_array()) {
        return Ok(Said::Answer {
            answer: Answer::Rows(choices.iter().map(row).collect::<Result<_, _>>()?),
            reason,
        });
    }
    if let Some(text) = value.get("text").and_then(|t| t.as_str()) {
        return Ok(Said::Answer { answer: Answer::Text(text.to_owned()), reason });
    }
    Err("no choice".into())
}

/// The one row whose label is this once Unicode forms and blanks are made alike.
fn labelled(q: &Question, words: &str) -> Option<usize> {
    let wanted = folded(words);
    let mut same = q.options.iter().enumerate().filter(|(_, option)| folded(&option.label) == wanted);
    let (row, _) = same.next()?;
    same.next().is_none().then_some(row)
}

fn folded(text: &str) -> String {
    let plain: String = text.nfkc().collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
