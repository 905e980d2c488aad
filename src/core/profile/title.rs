//! What a program's window title says beside its name, as a profile tells it.
//!
//! `core/detect/channels.rs` reads it. That a title tells of work is a `[[sign]]`, since it decides the state; what
//! stands here is only held against the screen and never decides alone.

use serde::Deserialize;

use super::Pattern;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TitleRule {
    /// The title while the program waits for a person.
    pub asking: Option<Pattern>,
}
