//! `counsel doctor`: what here stands in the way of a good run, each with its mend.
//!
//! It looks and asks, each question with a time limit. It starts no server, creates no folder and changes
//! nothing.

mod finding;
mod isolation;
mod places;
mod programs;
mod server;
mod terminal;

use std::process::ExitCode;

use crate::config::Places;

use finding::{Finding, Level};

use super::failure::Failure;
use super::link::Global;
use super::out;
use crate::core::visible::visible;

/// Look for what stands in the way: terminal, tmux, agents, folders, server, configuration
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

/// Below the matter, behind the level.
const INDENT: usize = 6;

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let mut worst_is_fail = false;
    each(global, &mut |finding| {
        worst_is_fail |= finding.level == Level::Fail;
        if args.json { out::json(&finding) } else { out::prose(&visible(&finding.line()), INDENT) }
    })?;
    Ok(if worst_is_fail { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The whole report, a line for each finding.
pub fn report(global: &Global) -> Result<String, Failure> {
    let mut text = String::new();
    each(global, &mut |finding| {
        text.push_str(&visible(&finding.line()));
        text.push('\n');
        Ok(())
    })?;
    Ok(text)
}

/// Each finding as soon as it is known: the programs' own answers take a moment.
fn each(global: &Global, tell: &mut dyn FnMut(Finding) -> Result<(), Failure>) -> Result<(), Failure> {
    let places = Places::here(None)?;
    let checks: [&dyn Fn() -> Vec<Finding>; 8] = [
        &terminal::terminal,
        &terminal::locale,
        &terminal::tmux,
        &|| places::folders(global),
        &|| server::server(global),
        &isolation::isolation,
        &|| places::config(&places),
        &|| programs::agents(&places),
    ];
    checks.iter().flat_map(|check| check()).try_for_each(tell)
}
