//! `counsel wait`: blocks until an agent is in a state.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::json;

use crate::wire::message::WaitFor;
use crate::wire::{Reply, Request};

use super::failure::Failure;
use super::link::{Acting, Global, ask_on, unexpected};
use super::{complete, number};

/// Wait until an agent is in a state
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agent
    #[arg(add = complete::agents())]
    name: String,
    /// The state
    #[arg(long = "for", value_name = "STATE", value_enum)]
    what: What,
    /// Give up after this many seconds (exit code 124)
    #[arg(long, value_name = "SECS", value_parser = number::seconds, allow_negative_numbers = true)]
    timeout: Option<f64>,
    #[command(flatten)]
    acting: Acting,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    Idle,
    Asking,
    Exited,
    Working,
}

impl From<What> for WaitFor {
    fn from(what: What) -> WaitFor {
        match what {
            What::Idle => WaitFor::Idle,
            What::Asking => WaitFor::Asking,
            What::Exited => WaitFor::Exited,
            What::Working => WaitFor::Working,
        }
    }
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let (began, timeout_ms) = (Instant::now(), args.timeout.map(super::stop::millis));
    let doing = format!("wait for {}", args.name);
    let request = || {
        let timeout_ms = timeout_ms.map(|ms| ms.saturating_sub(number::millis(began.elapsed())));
        Request::Wait { name: args.name.clone(), what: args.what.into(), timeout_ms }
    };
    let asked = ask_on(|| global.with_agent(&args.name), request);
    let Reply::Waited { state, exit_code } = asked.map_err(|f| f.doing(&doing))? else {
        return Err(unexpected());
    };
    args.acting.did(&json!({ "name": args.name, "state": state, "exit_code": exit_code }), None)?;
    Ok(ExitCode::SUCCESS)
}
