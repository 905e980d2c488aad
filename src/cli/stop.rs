//! `counsel stop`: ends agents and everything they ever started.

use std::process::ExitCode;

use crate::config::{Permission, Places};
use crate::os::proc;
use crate::wire::stopped::Stopped;
use crate::wire::{Reply, Request};

use super::failure::{Failure, REFUSED, USAGE};
use super::link::{Global, unexpected};
use super::{out, trust};

/// Stop agents: TERM, grace, KILL, to everything they ever started
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agents
    names: Vec<String>,
    /// Every agent
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// Seconds they have to end by themselves
    #[arg(long, default_value_t = 2.0, value_name = "SECS")]
    grace: f64,
    /// One JSON object for each: {"name","left","kept","wrapper"}
    #[arg(long)]
    json: bool,
}

/// A day: longer is a slip of the keyboard.
const LONGEST_SECS: f64 = 86_400.0;

/// Seconds from the command line as milliseconds.
pub fn millis(seconds: f64) -> u64 {
    (seconds.clamp(0.0, LONGEST_SECS) * 1000.0) as u64
}

/// Names, or `--all`, but one of them.
pub fn chosen(names: &[String], all: bool) -> Result<Vec<String>, Failure> {
    if names.is_empty() && !all {
        return Err(Failure::new(USAGE, "name the agents, or say --all"));
    }
    Ok(names.to_vec())
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let names = chosen(&args.names, args.all)?;
    if trust::settings(&Places::here(None)?)?.permissions.terminal_stop == Permission::Deny {
        return Err(Failure::new(REFUSED, "could not stop agents: [permissions] terminal_stop is \"deny\""));
    }
    let Some(mut server) = global.running()? else {
        return match names.first() {
            Some(name) => Err(Failure::new(3, format!("there is no agent '{name}': no server runs"))),
            None => Ok(ExitCode::SUCCESS),
        };
    };
    let stopped = gone(server.ask(Request::Stop { names, grace_ms: millis(args.grace) })?)?;
    if args.json {
        for agent in &stopped {
            out::json(&json(agent))?;
        }
    }
    tell(&stopped)
}

/// Who was stopped.
pub fn gone(reply: Reply) -> Result<Vec<Stopped>, Failure> {
    match reply {
        Reply::Stopped { agents } => Ok(agents),
        // What an earlier server says.
        Reply::Done => Ok(Vec::new()),
        _ => Err(unexpected()),
    }
}

/// Says what could not be ended, and what was not counsel's to end. Only the first is a failure.
pub fn tell(stopped: &[Stopped]) -> Result<ExitCode, Failure> {
    for Stopped { name, kept, wrapper, .. } in stopped {
        if !kept.is_empty() {
            eprintln!("counsel: {name} is stopped; another program keeps {}", shown(kept));
        }
        if let Some(wrapper) = wrapper {
            eprintln!("counsel: {name} is stopped; what {wrapper} keeps elsewhere counsel cannot see or end");
        }
    }
    let left: Vec<String> = stopped
        .iter()
        .filter(|agent| !agent.left.is_empty())
        .map(|agent| format!("{}: {} did not go", agent.name, shown(&agent.left)))
        .collect();
    if left.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(format!("could not end everything of {}; see 'ps' for what holds them", left.join(", ")).into())
}

fn command(pid: u32) -> String {
    proc::arguments(pid).join(" ")
}

fn shown(pids: &[u32]) -> String {
    let each = pids.iter().map(|pid| format!("{pid} ({})", command(*pid)));
    each.collect::<Vec<_>>().join(", ")
}

fn json(agent: &Stopped) -> serde_json::Value {
    let processes = |pids: &[u32]| -> Vec<serde_json::Value> {
        pids.iter().map(|pid| serde_json::json!({ "pid": pid, "command": command(*pid) })).collect()
    };
    serde_json::json!({
        "name": agent.name, "left": processes(&agent.left), "kept": processes(&agent.kept),
        "wrapper": agent.wrapper,
    })
}
