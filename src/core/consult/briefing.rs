//! Everything a consultant is told, and how what others wrote is cleaned before it stands in a prompt.
//!
//! `brief.rs` writes it out for people and models, `object.rs` as JSON. Neither takes it as it came.

use crate::core::log::redact::{clean, redact};
use crate::core::question::Question;

/// Stands where something was cut.
pub(super) const CUT: &str = "[…]";

/// Everything one consultation rests on.
#[derive(Debug, Clone, Copy)]
pub struct Briefing<'a> {
    pub id: &'a str,
    /// What the reply is to carry.
    pub nonce: &'a str,
    pub agent: &'a str,
    pub duty: &'a str,
    pub task: Option<&'a str>,
    pub question: &'a Question,
    /// Files: name and text.
    pub context: &'a [(String, String)],
    /// The newest first.
    pub decisions: &'a [String],
    /// The end of the asking agent's screen.
    pub excerpt: &'a str,
    /// That is what the agent itself says one must know, and not its screen.
    pub told: bool,
    pub seconds_left: u64,
    /// Why the last reply could not be used.
    pub again: Option<&'a str>,
    /// Values that must not stand in it, whatever they look like.
    pub secrets: &'a [String],
    /// Whoever reads it may be a program: the question stands in it as JSON too.
    pub as_json: bool,
}

pub(super) fn one_line(text: &str) -> String {
    let text = defused(&redact(&clean(text)));
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

pub(super) fn cut(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    format!("{}{CUT}", &text[..text.floor_char_boundary(max_bytes)])
}

/// Braces as their full-width twins: readable, equal once normalized, and no JSON.
pub(super) fn defused(text: &str) -> String {
    text.replace('{', "｛").replace('}', "｝")
}
