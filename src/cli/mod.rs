//! The command line: one file per verb, its arguments and its run.

pub mod profile;
pub mod replay;
