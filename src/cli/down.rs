//! `counsel down`: stops all agents and the server.

use std::process::ExitCode;

use crate::wire::Request;

use super::failure::Failure;
use super::link::{Global, ended};

/// Stop all agents and the server
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Seconds an agent has to end by itself
    #[arg(long, default_value_t = 2.0, value_name = "SECS")]
    grace: f64,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let Some(mut server) = global.running()? else {
        println!("no server runs");
        return Ok(ExitCode::SUCCESS);
    };
    let grace_ms = super::stop::millis(args.grace);
    let reply = server.ask(Request::Down { grace_ms }).map_err(|failure| failure.doing("stop the agents"))?;
    let stopped = super::stop::gone(reply)?;
    // The server closes the line when everything is in order.
    loop {
        match server.connection.next_notice(None) {
            Ok(_) => {}
            Err(error) if ended(&error) => return super::stop::tell(&stopped),
            Err(error) => return Err(error.into()),
        }
    }
}
