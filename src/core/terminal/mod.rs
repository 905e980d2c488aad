//! What a terminal is: its screen, its scrollback, its keys, and what it answers to a program's queries.
//!
//! The server keeps one such terminal per agent; the dashboard and `attach` paint what it shows. Nothing
//! here knows a question, an agent or a file descriptor.

mod background;
mod characters;
mod cleared;
pub mod cost;
pub mod cursor;
pub mod decode;
pub mod encode;
mod engine;
pub mod features;
pub mod frame_limit;
pub mod grid;
pub mod history;
mod key_codes;
pub mod keys;
pub mod lettering;
pub mod link;
pub mod modes;
mod packed;
pub mod paint;
pub mod part;
pub mod picture;
pub mod plain;
pub mod program_status;
pub mod query_parser;
pub mod query_replies;
pub mod repaint;
pub mod screen;
pub mod scrolled;
mod shown;
pub mod sizing;
mod string_limit;
pub mod stripped;
pub mod tail;
