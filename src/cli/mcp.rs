//! `counsel mcp`: counsel's tools for an agent program, over the Model Context Protocol on stdin and stdout.
//!
//! It is a client of the server like any other verb. What its tools may do follows from who started it: run
//! by an agent, the server lets it look and ask, and refuses everything that types, starts or stops.

mod arguments;
mod call;
mod escapes;
mod install;
mod jsonrpc;
mod leave;
mod server;
mod tools;

use std::process::ExitCode;

use super::failure::Failure;
use super::link::{Acting, Global};

/// Serve tools to an agent program (MCP on stdin and stdout)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Enter the tools into this program's own settings instead
    #[arg(long, value_name = "PROGRAM", value_enum)]
    install: Option<install::Program>,
    #[command(flatten)]
    acting: Acting,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    match args.install {
        Some(program) => install::install(program, args.acting)?,
        None => server::serve(global).map_err(|error| Failure::from(error.to_string()))?,
    }
    Ok(ExitCode::SUCCESS)
}
