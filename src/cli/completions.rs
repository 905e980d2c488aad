//! `counsel completions`: completion scripts for shells.

use std::process::ExitCode;

use super::failure::Failure;

/// Print a completion script
#[derive(Debug, clap::Args)]
pub struct Args {
    shell: clap_complete::Shell,
}

pub fn run(args: &Args, command: &mut clap::Command) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "counsel", &mut script);
    super::out::raw(&script)?;
    Ok(ExitCode::SUCCESS)
}
