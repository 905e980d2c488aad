//! `counsel mcp`: counsel's tools for an agent program, over the Model Context Protocol on stdin and stdout.
//!
//! It is a client of the server like any other verb. What its tools may do follows from who started it: run
//! by an agent, the server lets it look and ask, and refuses everything that types, starts or stops.

mod server;
mod tools;

use std::process::ExitCode;

use super::failure::Failure;
use super::link::Global;

/// Serve tools to an agent program (MCP on stdin and stdout)
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::from(error.to_string()))?;
    let served = runtime.block_on(server::serve(global.clone()));
    // Calls that still wait end with this process, and the server withdraws what they asked.
    runtime.shutdown_background();
    served.map_err(Failure::from)?;
    Ok(ExitCode::SUCCESS)
}
