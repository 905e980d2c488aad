//! The decision log's entries, and what is taken out of a text before it is kept or leaves counsel.
//!
//! The hub makes the entries, `log` and the dashboard read them. Nothing here writes a file.

pub mod chain;
pub mod log_entry;
pub mod redact;
pub mod variables;
