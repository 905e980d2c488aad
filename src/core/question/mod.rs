//! The nouns of asking: what state an agent is in, what it asks, what may be answered.
//!
//! Detection makes these values, routing and delivery consume them, the wire carries them. Pure data:
//! nothing here may decide anything.

mod fingerprint;
pub mod normalize;
pub mod option_lookup;
mod origin;
pub(in crate::core) mod restless;
pub mod user_choice;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use fingerprint::Fingerprint;
pub use origin::{Circumstances, Origin, Passing, Shown, Standing, Widget};

/// What an agent is doing, as far as its screen, its reports and its process tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    #[default]
    Starting,
    Working,
    Idle,
    Asking,
    Exited,
    /// Not recognised: never idle, never safe to type into.
    Unknown,
    Paused,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            State::Starting => "starting",
            State::Working => "working",
            State::Idle => "idle",
            State::Asking => "asking",
            State::Exited => "exited",
            State::Unknown => "unknown",
            State::Paused => "paused",
        }
    }
}

/// What sort of question it is; decides who may answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Choose one of several.
    Menu,
    /// Tick several.
    Multi,
    /// Confirm the answers of a form.
    Review,
    /// May I run, edit, fetch…
    Permission,
    /// Approve a plan.
    Plan,
    /// Trust this folder.
    Trust,
    Login,
    /// A yes-or-no prompt of a line-oriented program.
    YesNo,
    Password,
    /// A plain question in words.
    Text,
    /// Anything else that owns the keyboard: pickers, settings, error boxes.
    Dialog,
}

impl Kind {
    pub const ALL: [Kind; 11] = [
        Kind::Menu,
        Kind::Multi,
        Kind::Review,
        Kind::Permission,
        Kind::Plan,
        Kind::Trust,
        Kind::Login,
        Kind::YesNo,
        Kind::Password,
        Kind::Text,
        Kind::Dialog,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Menu => "menu",
            Kind::Multi => "multi",
            Kind::Review => "review",
            Kind::Permission => "permission",
            Kind::Plan => "plan",
            Kind::Trust => "trust",
            Kind::Login => "login",
            Kind::YesNo => "yesno",
            Kind::Password => "password",
            Kind::Text => "text",
            Kind::Dialog => "dialog",
        }
    }

    /// Only a person may answer these, whatever any rule says.
    pub fn person_only(self) -> bool {
        matches!(self, Kind::Trust | Kind::Login | Kind::Password)
    }

    /// A consultant may answer these without a rule of the user's.
    pub fn is_consulted(self) -> bool {
        matches!(self, Kind::Menu | Kind::Multi | Kind::Review | Kind::Text | Kind::YesNo)
    }

    /// The key that answers it lets something be done.
    pub fn gives_consent(self) -> bool {
        matches!(self, Kind::Permission | Kind::Plan | Kind::Trust)
    }
}

/// What choosing a row does, beyond picking it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// An answer the agent offers.
    #[default]
    Choice,
    /// A row into which an answer of one's own is typed ("Type something.").
    FreeText,
    /// Sends a form or a set of ticks ("Submit").
    Submit,
    /// Leaves the question for a talk ("Chat about this"): never a consultant's to choose.
    Aside,
}

/// One row of a question.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Choice {
    /// As a person reads it: no number, mark, tick or description.
    pub label: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The number printed before it, if any. Not its position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Ticked or not; `None` for a row without a box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    #[serde(default)]
    pub role: Role,
    /// A row for words of one's own in which words stand, whoever wrote them: they are its label.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub written: bool,
}

/// What an agent waits for, as its screen shows it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Question {
    pub kind: Kind,
    /// The exact words; a wrapped prompt is joined with blanks.
    pub prompt: String,
    /// In screen order, the rows the agent program adds included.
    pub options: Vec<Choice>,
    /// The highlighted row, 0-based.
    pub selected: Option<usize>,
    pub multi: bool,
    /// What a permission is asked for: the command line, the file, the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Some rows (or part of the prompt) are scrolled or cut out of view.
    #[serde(default)]
    pub partial: bool,
    /// Position in a form of several questions, 0-based, and how many tabs it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<(usize, usize)>,
    /// The keyboard goes into a free-text row or a draft: a digit would be text.
    #[serde(default)]
    pub typing: bool,
    #[serde(default, skip_serializing_if = "Origin::is_default")]
    pub origin: Origin,
}

impl Question {
    /// A question of which only its kind and its words are known.
    pub fn new(kind: Kind, prompt: impl Into<String>) -> Question {
        Question {
            kind,
            prompt: prompt.into(),
            options: Vec::new(),
            selected: None,
            multi: false,
            subject: None,
            partial: false,
            tab: None,
            typing: false,
            origin: Origin::default(),
        }
    }

    /// What identifies this question while it stays on screen: everything but the highlight, the
    /// ticks and what is typed into a free-text row, which answering it changes, and what moves by itself.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut words = vec![Cow::from(self.kind.name()), restless::at_rest(&self.prompt)];
        words.extend(self.subject.as_deref().map(Cow::from));
        let rows = self.options.iter().filter(|row| row.role != Role::FreeText);
        words.extend(restless::rows_at_rest(&rows.map(|row| row.label.as_str()).collect::<Vec<_>>()));
        Fingerprint::of(&words.join("\u{1f}"))
    }

    /// Whether this is that question, and nothing about it has changed but what moves by itself.
    pub fn looks_like(&self, other: &Question) -> bool {
        let mut same = self.clone();
        same.prompt.clone_from(&other.prompt);
        same.origin.printed.clone_from(&other.origin.printed);
        same.origin.said.clone_from(&other.origin.said);
        same.origin.stands = other.origin.stands;
        same.origin.mark_doubtful = other.origin.mark_doubtful;
        for (row, other) in same.options.iter_mut().zip(&other.options) {
            row.label.clone_from(&other.label);
        }
        self.fingerprint() == other.fingerprint() && same == *other
    }

    /// Whether this is that question, and nothing about its words has changed but seconds that have gone down, by so many at most.
    pub fn counts_down_to(&self, now: &Question, most: u64) -> bool {
        let same = self.kind == now.kind && self.subject == now.subject && self.labels() == now.labels();
        same && restless::counts_down(&self.prompt, &now.prompt, most)
    }

    /// Ticks in row order, as `--json` shows them: empty unless it is a multi-select.
    pub fn checked(&self) -> Vec<Option<bool>> {
        if self.multi { self.options.iter().map(|o| o.checked).collect() } else { Vec::new() }
    }

    pub fn labels(&self) -> Vec<&str> {
        self.options.iter().map(|o| o.label.as_str()).collect()
    }
}

/// What was decided for a question; the only thing delivery takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// 0-based rows. One for a single choice, any number for a multi-select.
    Rows(Vec<usize>),
    /// Words: into the free-text row of a menu, into the composer for a plain question.
    Text(String),
    /// Decline with the key the program offers for that (Esc).
    Reject,
}

/// The verdict on a screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    pub state: State,
    /// `profile/rule` that decided, for example `claude/menu`.
    pub why: String,
    pub question: Option<Question>,
    /// The prompt line into which a person types, if it is on screen.
    pub composer: Option<Composer>,
    pub needs: Needs,
}

impl Verdict {
    /// The question, if it stands in the line of the cursor and is answered there.
    pub fn asked_in_a_line(&self) -> Option<&Question> {
        self.question.as_ref().filter(|question| question.origin.line)
    }
}

/// Whether a verdict rests on who reads the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Needs {
    /// The screen says it all, or a witness was heard.
    #[default]
    Nothing,
    /// What looks like a prompt is one only if somebody reads.
    Witness,
    /// Nothing is recognised; that somebody reads a line there would be a question.
    WitnessOnceQuiet,
    /// The same of a screen on which something always moves, and something else may ask.
    WitnessNowAndThen,
}

/// The agent's own input line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Composer {
    /// Text that would be sent by Enter; ghost suggestions are not text.
    pub draft: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question() -> Question {
        let row = |label: &str, role| Choice { label: label.into(), role, ..Choice::default() };
        Question {
            kind: Kind::Menu,
            prompt: "Which?".into(),
            options: vec![row("A", Role::Choice), row("Type something.", Role::FreeText)],
            selected: Some(0),
            multi: false,
            subject: None,
            partial: false,
            tab: None,
            typing: false,
            origin: Default::default(),
        }
    }

    #[test]
    fn answering_does_not_change_the_fingerprint() {
        let (before, mut after) = (question(), question());
        after.selected = Some(1);
        after.options[1].label = "my own words".into();
        after.options[0].checked = Some(true);
        assert_eq!(before.fingerprint(), after.fingerprint());
    }

    #[test]
    fn another_question_has_another_fingerprint() {
        let (before, mut after) = (question(), question());
        after.options[0].label = "B".into();
        assert_ne!(before.fingerprint(), after.fingerprint());
        after = question();
        after.subject = Some("rm -rf build".into());
        assert_ne!(before.fingerprint(), after.fingerprint());
    }
}
