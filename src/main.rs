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
    Config(cli::config::Args),
    Demo(cli::demo::Args),
    /// What counsel makes of a recording, and why
    Replay(cli::replay::Args),
    /// Check and score detection profiles
    Profile(cli::profile::Args),
}

fn main() -> ExitCode {
    // Started by counsel itself; no words of the command line that a person types.
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("demo-agent") => return counsel::demo::agent::agent_main(args.next().as_deref()),
        Some("keep") => return counsel::keeper::keep_main(),
        _ => {}
    }
    let done = match Cli::parse().verb {
        Verb::Config(args) => cli::config::run(&args),
        Verb::Demo(args) => cli::demo::run(&args),
        Verb::Replay(args) => cli::replay::run(&args),
        Verb::Profile(args) => cli::profile::run(&args),
    };
    done.unwrap_or_else(|error| {
        eprintln!("counsel: {error}");
        ExitCode::FAILURE
    })
}
