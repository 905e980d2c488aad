//! Recordings of terminals: reading them, playing them through detection, and scoring what it saw.
//!
//! `replay`, `profile test` and the tests of detection use it. It takes text, never a path.

pub mod asciicast;
pub mod redacted;
pub mod replay;
pub mod score;
