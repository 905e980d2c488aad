//! The `counsel` command: reads the command line and runs one verb.

use std::process::ExitCode;

use clap::Parser;
use counsel::cli;

#[derive(Debug, Parser)]
#[command(name = "counsel", version, about)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// What counsel makes of a recording, and why
    Replay(cli::replay::Args),
    /// Check and score detection profiles
    Profile(cli::profile::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().verb {
        Verb::Replay(args) => cli::replay::run(&args),
        Verb::Profile(args) => cli::profile::run(&args),
    };
    done.unwrap_or_else(|error| {
        eprintln!("counsel: {error}");
        ExitCode::FAILURE
    })
}
