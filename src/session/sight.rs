//! An agent's terminal as its session tells it to the hub: the verdict, what else is known, and whether it may be typed to.
//!
//! A value: the session makes one whenever something moved, and tells it where the hub would decide differently.

use std::sync::Arc;

use crate::core::detect::channels::Signal;
use crate::core::question::{State, Verdict};
use crate::core::terminal::grid::Size;

/// An agent's terminal as the hub knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sight {
    /// Its question is none where a consultant merely replies.
    pub verdict: Arc<Verdict>,
    /// The state that people are told.
    pub state: State,
    /// The exit code of its program, which has ended.
    pub exit_code: Option<i32>,
    /// The screen when the verdict last changed.
    pub text: Arc<str>,
    pub title: String,
    pub size: Size,
    /// What the program's other channels say of the verdict.
    pub signals: Vec<Signal>,
    /// Counts what persons and programs typed.
    pub typed: u64,
    /// The verdict was made after the last of that, and after the last output.
    pub current: bool,
    /// When the verdict was made.
    pub judged_ms: u64,
    /// When the size last changed.
    pub resized_ms: u64,
    /// The file a person has it recorded to.
    pub recording: Option<String>,
    /// The file of the recording that it gets by itself.
    pub auto_recording: Option<String>,
    /// It was resized and has not said a word since: the screen is not believed.
    pub redrawing: bool,
    /// It was resized a moment ago, and what it has drawn for that size may not have been looked at.
    pub drawing: bool,
    /// Counsel is typing into it.
    pub typing: bool,
    /// An Enter of `send --enter` is still to be seen to have been taken.
    pub submitting: bool,
    /// It stands still, or was ordered to: nothing is typed until it goes on.
    pub stands_still: bool,
    /// It is idle before an empty input line and nothing is typed: it can be put a question.
    pub ready: bool,
    /// Why its first prompt is not typed, where people are to be told.
    pub untyped_prompt: Option<String>,
    /// Somebody's draft stands in its input line.
    pub draft: bool,
    /// A line is being typed into it.
    pub typed_line: Option<TypedLine>,
    /// Something else than what is on the screen has asked for consent since the last key, and may still wait.
    pub drawn_over: bool,
}

/// A line that is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedLine {
    /// The words that stood there before.
    pub behind: String,
    /// What its echo takes at most; 0 where no terminal holds it.
    pub columns: usize,
    /// The end of the prompt was wiped away with letters that were taken back.
    pub wiped: bool,
    /// A part of an answer of counsel's own, or the terminal's reply to a query, may wait in it unseen.
    pub left: bool,
}

impl Default for Sight {
    /// Of an agent that nothing is known of yet.
    fn default() -> Sight {
        Sight {
            verdict: Arc::default(),
            state: State::Starting,
            exit_code: None,
            text: Arc::from(""),
            title: String::new(),
            size: Size::FALLBACK,
            signals: Vec::new(),
            typed: 0,
            current: false,
            judged_ms: 0,
            resized_ms: 0,
            recording: None,
            auto_recording: None,
            redrawing: false,
            drawing: false,
            typing: false,
            submitting: false,
            stands_still: false,
            ready: false,
            untyped_prompt: None,
            draft: false,
            typed_line: None,
            drawn_over: false,
        }
    }
}

impl Sight {
    /// Whether the hub would decide differently for knowing this instead of `other`.
    pub(super) fn differs(&self, other: &Sight) -> bool {
        let same_time = Sight { judged_ms: other.judged_ms, ..self.clone() };
        same_time != *other
    }
}
