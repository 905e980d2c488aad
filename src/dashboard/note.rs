//! A line of news at the bottom, and what ends it.
//!
//! `news.rs` writes and takes back such lines; the status line shows the one there is. Data.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub text: String,
    pub said_ms: u64,
    pub until_ms: u64,
    /// Something did not happen that the person wanted: it stays until they press a key.
    pub stays: bool,
    pub until: Until,
}

/// What makes a line untrue, or of no use, before its time is up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Until {
    /// Nothing does.
    Read,
    /// This agent is at work.
    Works(String),
    /// This agent has the focus no more, or something else has the keyboard.
    FocusLeaves(String),
    /// This question is over.
    Settled(String),
    /// No question is looked at any more.
    DrawerCloses,
    /// The same, or this agent asks something itself.
    Asks(String),
    /// This agent gets what is typed again.
    LineEnds(String),
    /// Somebody asks something.
    Asked,
    /// Somebody needs the person.
    Needed,
    /// The person has seen that what they typed for is gone.
    Seen,
}
