//! Who may answer what: the rules and limits an agent's questions are handled under.
//!
//! `config/` reads them from files, the wire carries them with the agent they hold for, `core/policy/route.rs`
//! applies them. Plain values: regular expressions stay text here and are compiled where they are used.

pub mod above;
mod covers;
mod fetched;
pub mod git;
mod git_verbs;
mod given_command;
mod glob_verbs;
mod globs;
pub mod guard;
mod here_document;
pub mod mention;
mod mixed_letters;
pub mod notify;
mod outside;
pub mod plain;
mod printed_commands;
mod program_options;
pub mod prompt;
mod rare_harm;
pub mod readings;
pub mod replay;
pub mod request;
pub mod route;
mod row_words;
mod runs_more;
mod secret_reads;
mod sed_awk;
mod sentences;
pub mod shell;
mod shell_again;
mod starters;
mod together;
mod transfers;
pub mod typing;
pub mod value;
mod writers;
mod yes_no;

use serde::{Deserialize, Serialize};

use crate::core::agent::AgentSpec;
use crate::core::consult::chain::Chain;
pub use crate::core::consult::command::{CommandConsultant, Protocol};
use crate::core::question::Kind;
use crate::core::trust::Agreed;

pub use notify::Notify;

/// What a rule does with a question it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Then {
    Consult,
    Human,
    Answer,
    Ignore,
}

/// One `[[rule]]`. Every given condition must hold; the first rule that matches decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Regular expression over the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Regular expression over what a permission is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Regular expression that some option's label must match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    pub then: Then,
    /// With `then = "answer"`: the exact label to choose, or the words to give.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// With `then = "consult"`: whom, instead of the agent's own consultant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<Chain>,
    /// Stands in a project's file, not in the user's own: it may not answer permissions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_project: bool,
}

/// Whether answers are delivered or only noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    #[default]
    Answer,
    /// Answers nothing; records what would have been said beside what the person chose.
    Shadow,
}

/// `[consult]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Consult {
    /// Seconds from the asking to the answer being in the dialog; then a person.
    pub deadline_secs: u64,
    /// Files told to the consultant; globs, relative to the agent's folder.
    pub context: Vec<String>,
    /// Largest share of context files in one prompt, in bytes.
    pub context_bytes: usize,
    /// Newest entries of the decision log that go along.
    pub decisions: usize,
    /// The answer waits for a person's Enter in the dashboard.
    pub confirm: bool,
    pub mode: Mode,
    /// The prompt template, in a file by its path; the built-in one otherwise.
    pub template: Option<String>,
    /// Questions one agent may have answered automatically within an hour.
    pub max_per_hour: u32,
    /// The same for all agents together; 0: no limit.
    pub max_per_hour_all: u32,
    /// Times a consultant may be asked, by all agents together, within an hour and within a day; 0: no limit.
    pub asked_per_hour: u32,
    pub asked_per_day: u32,
    /// Largest prompt, in bytes.
    pub prompt_bytes: usize,
    /// The same question for this many times in a row goes to a person.
    pub repeat_limit: u32,
}

impl Default for Consult {
    fn default() -> Consult {
        Consult {
            // Some versions of Claude Code gave a question 60 s; five of them are kept in reserve.
            deadline_secs: 55,
            context: Vec::new(),
            context_bytes: 48 * 1024,
            decisions: 20,
            confirm: false,
            mode: Mode::Answer,
            template: None,
            max_per_hour: 120,
            max_per_hour_all: 0,
            asked_per_hour: 0,
            asked_per_day: 0,
            prompt_bytes: 96 * 1024,
            repeat_limit: 3,
        }
    }
}

/// Everything that decides about an agent's questions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    pub consult: Consult,
    pub rules: Vec<Rule>,
    pub consultants: Vec<CommandConsultant>,
    pub notify: Notify,
    /// Consultants that are started when they are first asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub standby: Vec<AgentSpec>,
    /// What a project's commands may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreed: Option<Agreed>,
}

impl Policy {
    /// What this consultant, which is a command, may run; a person's own may run anything.
    pub fn agreed_for(&self, consultant: &str) -> Option<&Agreed> {
        self.agreed.as_ref().filter(|agreed| agreed.consultants.iter().any(|name| name == consultant))
    }

    /// The same of the command that calls a person.
    pub fn agreed_for_notify(&self) -> Option<&Agreed> {
        self.agreed.as_ref().filter(|agreed| agreed.notify)
    }

    /// Whether that rule, by its number, is a project's.
    pub fn is_projects(&self, rule: &str) -> bool {
        let at = rule.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        at.and_then(|at| self.rules.get(at)).is_some_and(|rule| rule.from_project)
    }

    /// Whether some rule of the user's own may answer what a command is asked permission for.
    pub fn answers_commands(&self) -> bool {
        let may = |kind: Option<Kind>| kind.is_none_or(|kind| kind == Kind::Permission);
        self.rules.iter().any(|rule| rule.then == Then::Answer && !rule.from_project && may(rule.kind))
    }
}
