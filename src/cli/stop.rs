//! `counsel stop`: ends agents and everything they ever started.

use std::process::ExitCode;

use crate::config::{Permission, Places, load};
use crate::wire::Request;

use super::failure::{Failure, REFUSED, USAGE};
use super::link::Global;

/// Stop agents: TERM, grace, KILL, to everything they ever started
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agents
    names: Vec<String>,
    /// Every agent
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// Seconds they have to end by themselves
    #[arg(long, default_value_t = 2.0, value_name = "SECS")]
    grace: f64,
}

/// A day: longer is a slip of the keyboard.
const LONGEST_SECS: f64 = 86_400.0;

/// Seconds from the command line as milliseconds.
pub fn millis(seconds: f64) -> u64 {
    (seconds.clamp(0.0, LONGEST_SECS) * 1000.0) as u64
}

/// Names, or `--all`, but one of them.
pub fn chosen(names: &[String], all: bool) -> Result<Vec<String>, Failure> {
    if names.is_empty() && !all {
        return Err(Failure::new(USAGE, "name the agents, or say --all"));
    }
    Ok(names.to_vec())
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let names = chosen(&args.names, args.all)?;
    if load(&Places::here(None)?)?.permissions.terminal_stop == Permission::Deny {
        return Err(Failure::new(REFUSED, "could not stop agents: [permissions] terminal_stop is \"deny\""));
    }
    let Some(mut server) = global.running()? else {
        return match names.first() {
            Some(name) => Err(Failure::new(3, format!("there is no agent '{name}': no server runs"))),
            None => Ok(ExitCode::SUCCESS),
        };
    };
    server.tell(Request::Stop { names, grace_ms: millis(args.grace) })?;
    Ok(ExitCode::SUCCESS)
}
