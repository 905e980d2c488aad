//! `counsel wait`: blocks until an agent is in a state.

use std::process::ExitCode;

use crate::wire::Request;
use crate::wire::message::WaitFor;

use super::failure::Failure;
use super::link::Global;

/// Wait until an agent is in a state
#[derive(Debug, clap::Args)]
pub struct Args {
    name: String,
    /// idle, asking, exited or working
    #[arg(long = "for", value_name = "STATE", value_parser = state)]
    what: WaitFor,
    /// Give up after this many seconds (exit code 124)
    #[arg(long, value_name = "SECS")]
    timeout: Option<f64>,
}

fn state(text: &str) -> Result<WaitFor, String> {
    match text {
        "idle" => Ok(WaitFor::Idle),
        "asking" => Ok(WaitFor::Asking),
        "exited" => Ok(WaitFor::Exited),
        "working" => Ok(WaitFor::Working),
        _ => Err("one of idle, asking, exited, working".to_owned()),
    }
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let mut server = global.with_agent(&args.name)?;
    let timeout_ms = args.timeout.map(super::stop::millis);
    let doing = format!("wait for {}", args.name);
    server
        .ask(Request::Wait { name: args.name.clone(), what: args.what, timeout_ms })
        .map_err(|f| f.doing(&doing))?;
    Ok(ExitCode::SUCCESS)
}
