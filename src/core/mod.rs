//! The product's nouns and decisions, pure: no process, no clock, no file, no socket.
//!
//! Everything above builds on this folder; it imports nothing of the crate but itself. A rule of the
//! product is decided here, where a test needs no terminal to check it.

pub mod agent;
pub mod ancestry;
pub mod clipboard;
pub mod consult;
pub mod deliver;
pub mod detect;
pub mod hook;
pub mod keymap;
pub mod layout;
pub mod log;
pub mod pattern;
pub mod policy;
pub mod profile;
pub mod question;
pub mod recording;
pub mod terminal;
pub mod tmux;
pub mod toml_fault;
pub mod trust;
pub mod visible;
