//! What a permission is asked for: where its words stand in the dialog.
//!
//! `detect/subject.rs` reads it. What it leaves out no rule of the user's is asked about, so it leaves out nothing that
//! the author of a command could have written.

use serde::Deserialize;

use super::Pattern;

/// What a permission is asked for, and where it stands.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectRule {
    /// Cut out of the prompt; the group if there is one, here and below.
    #[serde(default)]
    pub prompt: Option<Pattern>,
    /// Cut out of the only line of the body.
    #[serde(default)]
    pub line: Option<Pattern>,
    /// Cut out of the first line of the body, which is the program's own: what follows shows it.
    #[serde(default)]
    pub opener: Option<Pattern>,
    /// Cut out of the first line of the body that matches. All below it belongs to it.
    #[serde(default)]
    pub begins: Option<Pattern>,
    /// The lines between dashed rules, or in the inner box, or those between heading and prompt.
    #[serde(default)]
    pub body: bool,
    /// A line above the command: where the body holds nothing else, the command is still to be drawn.
    #[serde(default)]
    pub heading: Option<Pattern>,
    /// Of the latter the faint ones at the end say what the command is for.
    #[serde(default)]
    pub explained: bool,
    /// Lines at the beginning and at the end of the body that are not part of it. Whole lines, of the program's own
    /// words: whatever else they let through is left out of what a rule is asked about.
    #[serde(default)]
    pub except: Vec<Pattern>,
    /// Requests that are about no command.
    #[serde(default)]
    pub acts: Vec<ActRule>,
}

/// A request about a file or an address. A rule's `command` is matched against the act and what it is done to (`edit
/// src/app.py`): the bare name of a file may read like a harmless command.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActRule {
    pub act: String,
    /// The question.
    #[serde(default)]
    pub prompt: Option<Pattern>,
    /// The first line of the dialog.
    #[serde(default)]
    pub heading: Option<Pattern>,
    /// The line below that.
    #[serde(default)]
    pub below: Option<Pattern>,
    /// What it is done to, cut out of the heading; else out of the subject; else it is all of that.
    #[serde(default)]
    pub named: Option<Pattern>,
    #[serde(default)]
    pub line: Option<Pattern>,
    /// The subject is the file's bare name: its path stands right below the heading.
    #[serde(default)]
    pub path_below: bool,
    /// What is called stands right below the heading, and the subject is what it is given.
    #[serde(default)]
    pub called_below: bool,
}
