//! The product's nouns and decisions, pure: no process, no clock, no file, no socket.
//!
//! Everything above builds on this folder; it imports nothing of the crate but itself. A rule of the
//! product is decided here, where a test needs no terminal to check it.

pub mod agent;
pub mod cast;
pub mod chain;
pub mod channels;
pub mod chosen;
pub mod consult;
pub mod deliver;
pub mod detect;
pub mod encode;
pub mod fold;
pub mod grid;
pub mod guard;
pub mod history;
pub mod hook;
pub mod keys;
pub mod layout;
pub mod modes;
pub mod offer;
pub mod paint;
pub mod picture;
pub mod policy;
pub mod probes;
pub mod profile;
pub mod question;
pub mod record;
pub mod redact;
pub mod repaint;
pub mod replay;
pub mod route;
pub mod score;
pub mod screen;
pub mod shell;
pub mod sizing;
pub mod tail;
pub mod tee;
pub mod tmux_control;
pub mod watch;
