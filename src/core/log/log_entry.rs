//! An entry of the decision log: one question, how it ended, and everything needed to judge it later.
//!
//! The hub fills it when a question is settled; the server writes `line` to disk, `counsel log` reads
//! it back, and consultants are told `summary_for_consultant`. It decides nothing.

use serde::{Deserialize, Serialize};

use crate::core::deliver::Proof;
use crate::core::log::redact::withheld;
use crate::core::question::Kind;

/// What a summary keeps of one text, in characters: twenty summaries go along with every question.
const SUMMARY_CHARS: usize = 200;

/// How an answer reached the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    Keys,
    Hook,
    /// The reply to a question that was put in words.
    Mcp,
    None,
}

impl Channel {
    pub fn name(self) -> &'static str {
        match self {
            Channel::Keys => "keys",
            Channel::Hook => "hook",
            Channel::Mcp => "mcp",
            Channel::None => "none",
        }
    }
}

/// How a question ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// An answer went in and the dialog was seen to go.
    Answered,
    /// Left to a person.
    Escalated,
    /// It went away by itself, or a person answered in the pane.
    Withdrawn,
    /// An answer was sent and did not take, or could not be sent.
    Failed,
}

impl Outcome {
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Answered => "answered",
            Outcome::Escalated => "escalated",
            Outcome::Withdrawn => "withdrawn",
            Outcome::Failed => "failed",
        }
    }
}

/// One consultant's turn at a question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Turn {
    pub with: String,
    /// Unix milliseconds.
    pub asked_at: u64,
    pub took_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// `answered`, or why it gave no answer; `None` while it thinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

/// An answer that was only noted, beside what the person chose.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "WrittenShadow")]
pub struct Shadow {
    pub answer: String,
    pub by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chose: Option<String>,
    /// `None`: what the person chose was not seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agrees: Option<bool>,
}

/// Earlier versions noted the answer alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenShadow {
    Answer(String),
    Whole {
        answer: String,
        by: String,
        #[serde(default)]
        chose: Option<String>,
        #[serde(default)]
        agrees: Option<bool>,
    },
}

impl From<WrittenShadow> for Shadow {
    fn from(written: WrittenShadow) -> Shadow {
        match written {
            WrittenShadow::Answer(answer) => Shadow { answer, ..Shadow::default() },
            WrittenShadow::Whole { answer, by, chose, agrees } => Shadow { answer, by, chose, agrees },
        }
    }
}

/// Where the rules sent a question, before any limit had a word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Routed {
    /// To these, in order.
    Consult(Vec<String>),
    Human,
    /// A rule answered.
    Answer(String),
    /// It was left alone.
    Ignore,
}

/// One line of the log. Lines of older versions must stay readable: add fields with a default only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub id: String,
    pub agent: String,
    /// Unix milliseconds, as is `settled_at`.
    pub asked_at: u64,
    pub settled_at: u64,
    pub latency_ms: u64,
    pub kind: Kind,
    pub prompt: String,
    pub options: Vec<String>,
    #[serde(default)]
    pub subject: Option<String>,
    /// In words: the labels, or the text.
    #[serde(default)]
    pub answer: Option<String>,
    /// `consultant NAME`, `rule N`, `person` or `none`.
    pub by: String,
    pub rule: String,
    /// `None`: it was never put to the rules, or the line is of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routed: Option<Routed>,
    pub channel: Channel,
    pub outcome: Outcome,
    #[serde(default)]
    pub reason: Option<String>,
    #[serde(default)]
    pub prompt_sent: Option<String>,
    #[serde(default)]
    pub reply: Option<String>,
    #[serde(default)]
    pub keys: Vec<String>,
    #[serde(default)]
    pub proof: Option<Proof>,
    /// The screen when the question was seen, and when it was settled.
    #[serde(default)]
    pub before: String,
    #[serde(default)]
    pub after: String,
    /// What would have been answered, had answering been switched on.
    #[serde(default)]
    pub shadow: Option<Shadow>,
    /// What a consultant proposed before a person had the word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed: Option<String>,
    /// What a person was seen to choose in the pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// Who was asked, in order, and what became of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<Turn>,
}

impl Entry {
    /// Whether somebody decided it: what nobody answered tells a consultant nothing, and an agent can bring about any number.
    pub fn is_decision(&self) -> bool {
        self.outcome == Outcome::Answered || self.by != "none"
    }

    /// Whether it went as it had come: nobody decided it, no consultant was asked, and nothing was typed for it.
    pub fn is_undecided(&self) -> bool {
        self.outcome == Outcome::Withdrawn
            && !self.is_decision()
            && self.keys.is_empty()
            && self.asked.is_empty()
            && self.proposed.is_none()
    }

    /// One line of JSON, without the line feed.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("an entry holds nothing JSON cannot express")
    }

    /// As it may be kept and told: no text of it holds what looks like a secret, or one of these values.
    pub fn withheld(mut self, secrets: &[String]) -> Entry {
        let hide = |text: &mut String| *text = withheld(text, secrets);
        let texts = [&mut self.prompt, &mut self.before, &mut self.after].into_iter();
        let given = [
            &mut self.subject,
            &mut self.answer,
            &mut self.reason,
            &mut self.prompt_sent,
            &mut self.reply,
            &mut self.proposed,
            &mut self.chosen,
        ];
        let given = given.into_iter().flatten();
        texts.chain(given).chain(&mut self.options).chain(&mut self.keys).for_each(hide);
        if let Some(proof) = &mut self.proof {
            [&mut proof.seen, &mut proof.after].into_iter().chain(&mut proof.keys).for_each(hide);
            proof.confirmed.iter_mut().for_each(|confirmed| hide(&mut confirmed.recorded));
        }
        if let Some(shadow) = &mut self.shadow {
            [Some(&mut shadow.answer), shadow.chose.as_mut()].into_iter().flatten().for_each(hide);
        }
        if let Some(Routed::Answer(answer)) = &mut self.routed {
            hide(answer);
        }
        for turn in &mut self.asked {
            [&mut turn.reply, &mut turn.ended].into_iter().flatten().for_each(hide);
        }
        self
    }

    /// One line that tells another consultant what was decided, and why.
    pub fn summary_for_consultant(&self) -> String {
        let answer = match (self.outcome, self.answer.as_deref()) {
            (Outcome::Answered, Some(answer)) => format!("answered {:?}", short(answer)),
            (Outcome::Answered, None) => "answered".to_owned(),
            (Outcome::Escalated, _) => "left to a person".to_owned(),
            (Outcome::Withdrawn, _) => match self.chosen.as_deref() {
                Some(chosen) => format!("answered {:?}", short(chosen)),
                None => "withdrawn".to_owned(),
            },
            (Outcome::Failed, _) => "not delivered".to_owned(),
        };
        // Who answered is said already.
        let told = |reason: &&str| !reason.trim().is_empty() && !reason.starts_with("answered by ");
        let reason = self.reason.as_deref().filter(told);
        let reason = reason.map(|reason| format!(" because {}", short(reason))).unwrap_or_default();
        let subject = self.subject.as_deref().map(|subject| format!(" for {:?}", short(subject)));
        let subject = subject.unwrap_or_default();
        format!("{} asked {:?}{subject}: {answer} by {}{reason}", self.agent, short(&self.prompt), self.by)
    }
}

/// A text on one line, cut to what a summary keeps.
fn short(text: &str) -> String {
    let words: Vec<&str> = text.split(|ch: char| ch.is_whitespace() || ch.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if line.chars().count() <= SUMMARY_CHARS {
        return line;
    }
    let cut: String = line.chars().take(SUMMARY_CHARS).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::deliver::Confirmed;

    fn entry() -> Entry {
        Entry {
            id: "q7".into(),
            agent: "api".into(),
            asked_at: 1,
            settled_at: 5,
            latency_ms: 4,
            kind: Kind::Menu,
            prompt: "Which\ndatabase?".into(),
            options: vec!["A".into(), "B".into()],
            subject: None,
            answer: Some("B".into()),
            by: "consultant advisor".into(),
            rule: "built-in".into(),
            routed: Some(Routed::Consult(vec!["advisor".into()])),
            channel: Channel::Keys,
            outcome: Outcome::Answered,
            reason: Some("it\u{1b}[31m is\nsmaller".into()),
            prompt_sent: None,
            reply: None,
            keys: vec!["down".into(), "enter".into()],
            proof: None,
            before: "two\nlines".into(),
            after: String::new(),
            shadow: None,
            proposed: None,
            chosen: None,
            asked: Vec::new(),
        }
    }

    #[test]
    fn a_line_is_one_line_and_reads_back() {
        let line = entry().line();
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<Entry>(&line).unwrap(), entry());
    }

    #[test]
    fn a_line_of_the_fewest_fields_is_read() {
        let line = r#"{"id":"q1","agent":"a","asked_at":1,"settled_at":2,"latency_ms":1,"kind":"text",
            "prompt":"?","options":[],"by":"none","rule":"","channel":"none","outcome":"withdrawn"}"#;
        let entry: Entry = serde_json::from_str(line).unwrap();
        assert_eq!((entry.outcome, entry.proof, entry.answer), (Outcome::Withdrawn, None, None));
    }

    #[test]
    fn a_summary_is_one_short_line_without_control_characters() {
        let mut entry = entry();
        let summary = entry.summary_for_consultant();
        assert_eq!(
            summary,
            r#"api asked "Which database?": answered "B" by consultant advisor because it [31m is smaller"#
        );
        entry.subject = Some("git status".into());
        entry.reason = Some("answered by rule 2".into());
        let told = r#"api asked "Which database?" for "git status": answered "B" by consultant advisor"#;
        assert_eq!(entry.summary_for_consultant(), told);
        entry.prompt = "x".repeat(5000);
        assert!(entry.summary_for_consultant().chars().count() < 4 * SUMMARY_CHARS);
        entry.outcome = Outcome::Escalated;
        assert!(entry.summary_for_consultant().contains("left to a person"));
    }

    #[test]
    fn no_text_of_an_entry_keeps_a_secret() {
        let token = format!("ghp_{}", "Ab3dEf6hIj9lMn2pQr5t");
        let (says, known) = (format!("use {token}"), "and blue-house-9".to_owned());
        let both = || format!("{says}, {known}");
        let turn = Turn { reply: Some(both()), ended: Some(both()), ..Turn::default() };
        let confirmed = Confirmed { confirmed_by: "hook".into(), recorded: both() };
        let proof = Proof {
            before: None,
            seen: both(),
            keys: vec![both()],
            gone_after_ms: 1,
            after: both(),
            confirmed: Some(Box::new(confirmed)),
        };
        let entry = Entry {
            prompt: both(),
            options: vec![both(), "B".into()],
            subject: Some(both()),
            answer: Some(both()),
            reason: Some(both()),
            prompt_sent: Some(both()),
            reply: Some(both()),
            keys: vec![both()],
            proof: Some(proof),
            before: format!("{token}\nblue-ho\nuse-9"),
            after: both(),
            shadow: Some(Shadow { answer: both(), chose: Some(both()), ..Shadow::default() }),
            proposed: Some(both()),
            chosen: Some(both()),
            asked: vec![turn],
            ..entry()
        };
        let line = entry.withheld(&["blue-house-9".to_owned()]).line();
        assert!(
            !line.contains(&token[4..]) && !line.contains("house-9") && !line.contains("use-9"),
            "{line}"
        );
        assert!(line.contains("[secret removed]") && line.contains("q7"), "{line}");
    }

    #[test]
    fn shadows_of_earlier_versions_are_read() {
        let mut whole = entry();
        let (answer, by) = ("B".to_owned(), "consultant advisor".to_owned());
        whole.shadow = Some(Shadow { answer, by, chose: Some("A".into()), agrees: Some(false) });
        assert_eq!(serde_json::from_str::<Entry>(&whole.line()).unwrap(), whole);
        let old = entry().line().replace("\"shadow\":null", "\"shadow\":\"B\"");
        let read = serde_json::from_str::<Entry>(&old).unwrap().shadow.unwrap();
        assert_eq!((read.answer.as_str(), read.agrees), ("B", None));
    }
}
