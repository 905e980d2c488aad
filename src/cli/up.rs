//! `counsel up`: the agents of the configuration, detached.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::config::{self, Config, Places};
use crate::core::agent::{AgentSpec, Duty, Start};
use crate::core::question::State;

use super::failure::{Failure, USAGE};
use super::link::{Global, Server};
use super::{start, trust};

/// Start the agents of the configuration, detached
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Use this file instead of ./counsel.toml
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The layout the dashboard opens with
    #[arg(long)]
    layout: Option<String>,
    /// Only these agents
    names: Vec<String>,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let places = Places::here(args.file.clone())?;
    let config = trust::team(&places)?;
    if let Some(layout) = &args.layout {
        let layouts = config::layouts(&places)?;
        if !layouts.iter().any(|known| known.name == *layout) {
            let known: Vec<&str> = layouts.iter().map(|layout| layout.name.as_str()).collect();
            let what = format!("there is no layout '{layout}'; there are {}", known.join(", "));
            return Err(Failure::new(USAGE, what));
        }
    }
    if config.agents.is_empty() {
        return Err(Failure::new(
            USAGE,
            "there are no agents to start; write [[agent]] tables into ./counsel.toml",
        ));
    }
    for name in &args.names {
        if !config.agents.iter().any(|agent| &agent.name == name) {
            return Err(Failure::new(
                3,
                format!("there is no agent '{name}' in {}", config.files.join(", ")),
            ));
        }
    }
    for warning in &config.warnings {
        eprintln!("counsel: warning: {warning}");
    }
    let mut server = global.server()?;
    if let Some(layout) = &args.layout {
        super::open::remember_layout(layout)?;
    }
    let started = up(&mut server, &config, &args.names)?;
    println!(
        "{}",
        if started.is_empty() {
            "all agents run already".to_owned()
        } else {
            format!("started {}", started.join(", "))
        }
    );
    Ok(ExitCode::SUCCESS)
}

/// Where it starts: its folder or worktree, and the size of this terminal.
fn placed(spec: &mut AgentSpec) -> Result<(), Failure> {
    let cwd = (!spec.cwd.is_empty()).then(|| PathBuf::from(&spec.cwd));
    spec.cwd = start::folder(cwd.as_deref())?;
    if let Some(name) = spec.worktree.take() {
        spec.cwd = super::worktree::prepare(&spec.cwd, &name)?;
    }
    spec.size.get_or_insert_with(crate::os::pty::terminal_size);
    Ok(())
}

/// The configuration with its consultants on demand, ready to be started by the server.
fn standing_by(config: &Config) -> Result<Config, Failure> {
    let mut config = config.clone();
    for mut spec in config.agent_specs(&start::environment()) {
        if spec.start == Start::Demand {
            placed(&mut spec)?;
            config.policy.standby.push(spec);
        }
    }
    Ok(config)
}

/// Starts whatever of the configuration does not run yet; consultants first, so that nobody asks in
/// vain. Every agent is tried; the first failure is reported.
pub fn up(server: &mut Server, config: &Config, names: &[String]) -> Result<Vec<String>, Failure> {
    let running: Vec<String> = server
        .agents()?
        .into_iter()
        .filter(|agent| agent.state != State::Exited)
        .map(|agent| agent.name)
        .collect();
    let mut specs = config.agent_specs(&start::environment());
    specs.retain(|spec| names.is_empty() || names.contains(&spec.name));
    specs.retain(|spec| !running.contains(&spec.name));
    specs.sort_by_key(|spec| spec.role != Duty::Consultant);
    // One that is named is started now, and stays.
    specs.iter_mut().filter(|spec| names.contains(&spec.name)).for_each(|spec| spec.start = Start::Up);
    specs.retain(|spec| spec.start == Start::Up);
    let config = &standing_by(config)?;
    let (mut started, mut failed) = (Vec::new(), None);
    for mut spec in specs {
        let name = spec.name.clone();
        let done = placed(&mut spec).and_then(|()| start::start(server, spec, config));
        match done {
            Ok(()) => started.push(name),
            Err(failure) => {
                let failure = failure.doing(&format!("start {name}"));
                eprintln!("counsel: {failure}");
                failed.get_or_insert(failure);
            }
        }
    }
    match failed {
        Some(failure) => Err(Failure::new(
            failure.code,
            format!("not all agents could be started ({} run)", started.len()),
        )),
        None => Ok(started),
    }
}
