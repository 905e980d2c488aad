//! `counsel completions`: completion scripts for shells. Each asks this program what can follow, so that names of agents
//! and of questions are completed too.

use std::process::ExitCode;

use clap_complete::env::Shells;

use super::failure::{Failure, USAGE};

/// Print a completion script, for example: source <(counsel completions bash)
#[derive(Debug, clap::Args)]
pub struct Args {
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

/// Set by the scripts when they ask what can follow.
pub const VARIABLE: &str = "COUNSEL_COMPLETE";

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let shells = Shells::builtins();
    let name = args.shell.to_string();
    let Some(shell) = shells.completer(&name) else {
        return Err(Failure::new(USAGE, format!("there are no completions for {name}")));
    };
    let mut script = Vec::new();
    shell
        .write_registration(VARIABLE, "counsel", "counsel", "counsel", &mut script)
        .map_err(|error| Failure::new(1, error.to_string()))?;
    super::out::raw(&script)?;
    Ok(ExitCode::SUCCESS)
}
