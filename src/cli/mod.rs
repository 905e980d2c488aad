//! The command line: one file per verb, its arguments and its run.

pub mod config;
pub mod demo;
pub mod profile;
pub mod replay;
