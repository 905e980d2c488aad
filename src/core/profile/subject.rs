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
}
