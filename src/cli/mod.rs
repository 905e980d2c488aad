//! The command line: one file per verb, its arguments and its run.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::CompleteEnv;

use crate::os::modes;

pub mod adopt;
pub mod answer;
mod as_json;
mod ask;
pub mod attach;
mod begun;
pub mod bug_report;
mod complete;
pub mod completions;
pub mod config;
pub mod control;
pub mod demo;
pub mod diff;
pub mod doctor;
pub mod down;
pub mod events;
pub mod exec;
pub mod explain;
pub mod failure;
mod fold;
pub mod hook;
pub mod init;
mod layout;
pub mod link;
pub mod log;
pub mod ls;
pub mod man;
pub mod mcp;
mod number;
mod open;
mod out;
mod pages;
pub mod pause;
pub mod profile;
mod progress;
pub mod questions;
pub mod read;
pub mod record;
pub mod replace;
mod replay;
pub mod rules;
pub mod search;
pub mod send;
pub mod server;
mod server_log;
pub mod start;
pub mod stop;
mod table;
pub mod tmux;
pub mod trust;
pub mod up;
mod usage;
pub mod verbs;
pub mod wait;
pub mod worktree;

/// What a person typed: run, with its error in one line and the exit code of the contract.
pub fn main() -> ExitCode {
    CompleteEnv::with_factory(verbs::Cli::command).var(completions::VARIABLE).complete();
    let cli = match usage::parse() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let done = cli.run();
    modes::told().iter().for_each(|words| out::complain(words));
    done.unwrap_or_else(|failure| {
        out::complain(&failure.message);
        ExitCode::from(failure.code)
    })
}
