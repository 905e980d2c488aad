//! The command line: one file per verb, its arguments and its run.

pub mod answer;
pub mod completions;
pub mod config;
pub mod control;
pub mod demo;
pub mod down;
pub mod events;
pub mod exec;
pub mod explain;
pub mod failure;
pub mod link;
pub mod log;
pub mod ls;
mod open;
mod out;
pub mod pause;
pub mod profile;
pub mod questions;
pub mod read;
pub mod replay;
pub mod send;
pub mod server;
pub mod start;
pub mod stop;
pub mod up;
pub mod verbs;
pub mod wait;
