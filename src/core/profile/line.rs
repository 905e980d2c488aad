//! The rules for lines: what asks in the line of the cursor, or is an idle input line there.

use serde::Deserialize;

use super::Pattern;
use crate::core::question::Kind;

/// A question of a line-oriented program: the last line, with the cursor behind it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineRule {
    pub name: String,
    pub kind: Kind,
    pub pattern: Pattern,
    /// The group that holds the choices, or the choices themselves.
    #[serde(default)]
    pub choices: Choices,
    /// The choices stand in a numbered list above the line.
    #[serde(default)]
    pub list: bool,
    /// The prompt stands above that list, below the nearest line that matches; of its lines, what
    /// `prompt_above` cuts out.
    #[serde(default)]
    pub opens: Option<Pattern>,
    /// The prompt stands above that list, on the nearest line that matches.
    #[serde(default)]
    pub prompt_above: Option<Pattern>,
    /// What a permission is asked for: the nearest lines above the list that match.
    #[serde(default)]
    pub subject: Option<Pattern>,
    /// A line above the list, part of the same dialog.
    #[serde(default)]
    pub above: Option<Pattern>,
    /// Splits label and description in that list.
    #[serde(default)]
    pub separator: Option<String>,
    /// Cut from the prompt: the group if there is one.
    #[serde(default)]
    pub prompt: Option<Pattern>,
    /// Much that asks nothing looks like this: with words behind it, it asks only where a line is seen to be read.
    #[serde(default)]
    pub vague: bool,
    /// The prompt is the bold words of the line, behind its mark; brighter words than a hint's behind them are typed.
    #[serde(default)]
    pub bold: bool,
    /// What stands behind the prompt as if it were typed: the group.
    #[serde(default)]
    pub typed: Option<Pattern>,
    /// The value that the prompt offers: the group if there is one. A bold prompt has it behind its words, where Enter
    /// alone takes it.
    #[serde(default)]
    pub offered: Option<Pattern>,
    /// The idle input line of the program also looks like this.
    #[serde(default)]
    pub state: Option<SignState>,
    /// There each letter is a command: no first prompt is typed.
    #[serde(default)]
    pub keys: bool,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choices {
    #[default]
    None,
    /// The letters or words of the pattern's first group, apart by `/`, `,` or `|`.
    Group,
    Fixed(Vec<String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SignState {
    Working,
    Idle,
    Starting,
}
