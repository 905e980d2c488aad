//! `counsel pause` and `counsel resume`.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;

use crate::core::agent::AgentInfo;
use crate::core::question::State;
use crate::wire::Request;

use super::complete;
use super::failure::Failure;
use super::link::{Acting, Global, done_on, wake_keepers};
use super::stop::chosen;

/// A keeper gives a tree half a second to stop by itself; a slow machine ten times that.
const LIMIT: Duration = Duration::from_secs(15);

/// The agents to stop or to let go on
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agents
    #[arg(add = complete::agents())]
    names: Vec<String>,
    /// Every agent
    #[arg(long, conflicts_with = "names")]
    all: bool,
    #[command(flatten)]
    acting: Acting,
}

pub fn pause(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    run(args, global, "paused", |names| Request::Pause { names })
}

pub fn resume(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    run(args, global, "resumed", |names| Request::Resume { names })
}

fn run(
    args: &Args,
    global: &Global,
    did: &str,
    request: fn(Vec<String>) -> Request,
) -> Result<ExitCode, Failure> {
    let names = chosen(&args.names, args.all)?;
    let mut server = match names.first() {
        Some(name) => global.with_agent(name)?,
        None => match global.running()? {
            Some(server) => server,
            None => return Ok(ExitCode::SUCCESS),
        },
    };
    wake_keepers(&global.socket_path()?);
    let before = server.agents()?;
    done_on(global, &mut server, &request(names.clone()), LIMIT)?;
    if args.acting.json {
        let meant = |agent: &AgentInfo| match names.is_empty() {
            true => agent.state != State::Exited,
            false => names.contains(&agent.name),
        };
        for agent in server.agents()?.into_iter().filter(meant) {
            let was = before.iter().find(|it| it.name == agent.name).map(|it| it.state == State::Paused);
            let changed = was.is_some_and(|was| was != (agent.state == State::Paused));
            let did = if changed { did } else { "nothing" };
            args.acting.did(&json!({ "name": agent.name, "did": did, "state": agent.state }), None)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
