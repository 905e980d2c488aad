//! `counsel pause` and `counsel resume`.

use std::process::ExitCode;

use crate::wire::Request;

use super::failure::Failure;
use super::link::Global;
use super::stop::chosen;

/// The agents to stop or to let go on
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agents
    names: Vec<String>,
    /// Every agent
    #[arg(long, conflicts_with = "names")]
    all: bool,
}

pub fn pause(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    run(args, global, |names| Request::Pause { names })
}

pub fn resume(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    run(args, global, |names| Request::Resume { names })
}

fn run(args: &Args, global: &Global, request: fn(Vec<String>) -> Request) -> Result<ExitCode, Failure> {
    let names = chosen(&args.names, args.all)?;
    let mut server = match names.first() {
        Some(name) => global.with_agent(name)?,
        None => match global.running()? {
            Some(server) => server,
            None => return Ok(ExitCode::SUCCESS),
        },
    };
    server.tell(request(names))?;
    Ok(ExitCode::SUCCESS)
}
