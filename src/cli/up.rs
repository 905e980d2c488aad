//! `counsel up`: the agents of the configuration, detached.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use crate::config::{self, Config, Places};
use crate::core::agent::{AgentInfo, AgentSpec, DefinedIn, Duty, Start};
use crate::core::policy::Policy;
use crate::core::question::State;
use crate::core::terminal::grid::Size;
use crate::os::named_files;
use crate::wire::Request;

use super::failure::{Failure, REFUSED, USAGE};
use super::link::{Acting, Global, Server};
use super::progress::Progress;
use super::worktree::{self, Prepared};
use super::{begun, complete, layout, out, start, trust};

/// Start the agents of the configuration, detached
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Use this file instead of ./counsel.toml
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The layout the dashboard opens with
    #[arg(long, value_name = "LAYOUT", add = complete::layouts())]
    layout: Option<String>,
    /// Only these agents
    #[arg(add = complete::configured())]
    names: Vec<String>,
    #[command(flatten)]
    acting: Acting,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let places = Places::standing(args.file.clone())?;
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
    let unknown = |name: &&String| config.agents.iter().all(|agent| agent.name != **name);
    if let Some(name) = args.names.iter().find(unknown) {
        return Err(Failure::new(3, format!("there is no agent '{name}' in {}", config.files.join(", "))));
    }
    for warning in &config.warnings {
        out::complain(&format!("warning: {warning}"));
    }
    let mut server = global.server()?;
    if let Some(layout) = &args.layout {
        layout::remember(layout)?;
    }
    let others = others(&server.agents()?, &config, &args.names);
    let mut tried = up(&mut server, &config, &args.names, &|_| BTreeMap::new())?;
    let mut changed = changed(&server.agents()?, &config, &args.names);
    changed.retain(|name| others.iter().all(|(other, _)| other != name));
    tried.extend(others);
    for (name, failure) in &tried {
        let error = failure.as_ref().map(|failure| failure.message.as_str());
        let did = if error.is_none() { "started" } else { "failed" };
        args.acting.did(&json!({ "name": name, "did": did, "error": error, "changed": false }), None)?;
    }
    let untouched = config.agents.iter().map(|agent| &agent.name).filter(|name| {
        (args.names.is_empty() || args.names.contains(name)) && tried.iter().all(|(tried, _)| tried != *name)
    });
    for name in untouched {
        let changed = changed.contains(name);
        args.acting
            .did(&json!({ "name": name, "did": "nothing", "error": null, "changed": changed }), None)?;
    }
    let started = all_started(&tried)?;
    if !args.acting.json {
        let words = match started.as_slice() {
            [] => "all agents run already".to_owned(),
            started => format!("started {}", started.join(", ")),
        };
        out::line(&words)?;
        if !changed.is_empty() {
            out::line(&as_before(&changed, args.file.as_deref()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Agents that run, and not as the configuration has them now: what was started just now does, unless somebody else has
/// started it from another one.
fn changed(listed: &[AgentInfo], config: &Config, names: &[String]) -> Vec<String> {
    let meant = |name: &String| names.is_empty() || names.contains(name);
    let runs_otherwise = |spec: &AgentSpec| {
        let running = |agent: &&AgentInfo| agent.name == spec.name && agent.state != State::Exited;
        listed.iter().find(running).is_some_and(|agent| agent.definition != spec.definition)
    };
    let specs = config.agent_specs(&BTreeMap::new()).into_iter();
    specs.filter(|spec| meant(&spec.name) && runs_otherwise(spec)).map(|spec| spec.name).collect()
}

/// Agents of other projects that have the names of some that were meant.
fn others(listed: &[AgentInfo], config: &Config, names: &[String]) -> Vec<Tried> {
    let meant = |spec: &AgentSpec| names.is_empty() || names.contains(&spec.name);
    let other = |spec: AgentSpec| {
        let theirs = |agent: &&AgentInfo| agent.name == spec.name && is_another_projects(&spec, agent);
        let agent = listed.iter().find(theirs)?;
        let what = format!(
            "another project's agent of that name is there, in {}; give this one another name, or stop that one first",
            agent.cwd
        );
        let failure = Failure::new(REFUSED, what).doing(&format!("start {}", spec.name));
        Some((spec.name, Some(failure)))
    };
    config.agent_specs(&BTreeMap::new()).into_iter().filter(meant).filter_map(other).collect()
}

fn real(folder: &str) -> PathBuf {
    std::fs::canonicalize(folder).unwrap_or_else(|_| PathBuf::from(folder))
}

fn is_another_projects(spec: &AgentSpec, agent: &AgentInfo) -> bool {
    DefinedIn::differ(agent.defined_in.as_ref(), spec.defined_in.as_ref())
}

/// Whether this agent is another folder's than the one that is meant. A worktree lies where git has put it.
fn is_elsewhere(spec: &AgentSpec, agent: &AgentInfo) -> bool {
    let folder = (!spec.cwd.is_empty()).then(|| PathBuf::from(&spec.cwd));
    let here = start::folder(folder.as_deref()).is_ok_and(|here| real(&here) == real(&agent.cwd));
    !here && spec.worktree.is_none()
}

/// Nobody's work is ended because a file was edited.
fn as_before(changed: &[String], file: Option<&Path>) -> String {
    let (run, them) = if changed.len() == 1 { ("runs", "it") } else { ("run", "them") };
    let file = file.map(|file| format!("-f {} ", file.display())).unwrap_or_default();
    let (listed, names) = (changed.join(", "), changed.join(" "));
    format!(
        "{listed} {run} as before, not as the configuration has {them} now; 'counsel stop {names}', then 'counsel up {file}{names}', takes that up"
    )
}

/// Where it starts: its folder or worktree, and the size of this terminal. `made`: for whoever finds it refused.
fn placed(spec: &mut AgentSpec, config: &Config, made: &mut Option<Prepared>) -> Result<(), Failure> {
    let cwd = (!spec.cwd.is_empty()).then(|| PathBuf::from(&spec.cwd));
    spec.cwd = start::folder(cwd.as_deref())?;
    if let Some(name) = spec.worktree.take() {
        let prepared = worktree::prepare(&spec.cwd, &name)?;
        spec.cwd.clone_from(&prepared.folder);
        // Where it holds something else it stays: a person is to look at that, and say yes or no.
        runs_what_was_agreed_to(spec, config)?;
        *made = Some(prepared);
    }
    spec.size.get_or_insert_with(crate::os::pty::terminal_size);
    Ok(())
}

/// A worktree is made of what the branch holds, and an agent may have changed what it holds since: only what was looked at
/// in the project's folder, or there, is run. A person who named the file wants it as it is.
fn runs_what_was_agreed_to(spec: &AgentSpec, config: &Config) -> Result<(), Failure> {
    let projects = config.project.as_ref().filter(|project| !project.named);
    let (Some(project), Some(agreed)) = (projects, &config.policy.agreed) else { return Ok(()) };
    if !project.in_worktrees.contains(&spec.name) {
        return Ok(());
    }
    let mut agreed = agreed.clone();
    agreed.folders.push(spec.cwd.clone());
    let words: Vec<String> = spec.wrap.iter().chain(&spec.command).cloned().collect();
    let search = spec.env.get("PATH").map(String::as_str);
    named_files::check(&words, Path::new(&spec.cwd), search, &agreed)
        .map_err(|why| Failure::new(REFUSED, why))
}

/// The configuration with its consultants on demand, ready to be started by the server. `made`: their worktrees.
fn standing_by(config: &Config, made: &mut Vec<Prepared>) -> Result<Config, Failure> {
    let mut config = config.clone();
    for mut spec in config.agent_specs(&start::environment()) {
        if spec.start == Start::Demand {
            let mut prepared = None;
            let placed = placed(&mut spec, &config, &mut prepared);
            made.extend(prepared);
            placed?;
            config.policy.standby.push(spec);
        }
    }
    Ok(config)
}

/// How large each of these is shown, in the order in which they are started.
pub type Sizes<'a> = &'a dyn Fn(&[(String, Duty)]) -> BTreeMap<String, Size>;

/// Starts whatever of the configuration does not run yet; consultants first, so that nobody asks in
/// vain. Every agent is tried. `sizes` tells how large they are shown, where that is known; the others begin at the
/// size of this terminal.
pub fn up(
    server: &mut Server,
    config: &Config,
    names: &[String],
    sizes: Sizes<'_>,
) -> Result<Vec<Tried>, Failure> {
    let listed = server.agents()?;
    let mut specs = config.agent_specs(&start::environment());
    specs.retain(|spec| names.is_empty() || names.contains(&spec.name));
    let there = |spec: &AgentSpec, agent: &AgentInfo| {
        agent.name == spec.name && (agent.state != State::Exited || is_another_projects(spec, agent))
    };
    specs.retain(|spec| !listed.iter().any(|agent| there(spec, agent)));
    // One that is named is started now, and stays.
    specs.iter_mut().filter(|spec| names.contains(&spec.name)).for_each(|spec| spec.start = Start::Up);
    start_all(server, config, specs, sizes)
}

/// Starts whoever of the configuration is not among these, or only because it could not be started: one that has ended
/// is not begun anew because somebody looks.
pub fn missing(
    server: &mut Server,
    config: &Config,
    listed: &[AgentInfo],
    sizes: Sizes<'_>,
) -> Result<Vec<Tried>, Failure> {
    let mut specs = config.agent_specs(&start::environment());
    specs.retain(|spec| !listed.iter().any(|agent| agent.name == spec.name && agent.failed.is_none()));
    start_all(server, config, specs, sizes)
}

/// Why some of the configuration were not started by `missing`: they have ended, or their name is another folder's agent.
pub fn elsewhere(config: &Config, listed: &[AgentInfo]) -> Vec<String> {
    let why = |spec: AgentSpec| {
        let agent = listed.iter().find(|agent| agent.name == spec.name && agent.failed.is_none())?;
        match agent.state {
            _ if is_elsewhere(&spec, agent) => Some(format!("{} runs in {} already", agent.name, agent.cwd)),
            State::Exited => Some(format!("{} has ended", agent.name)),
            _ => None,
        }
    };
    config.agent_specs(&start::environment()).into_iter().filter_map(why).collect()
}

fn start_all(
    server: &mut Server,
    config: &Config,
    mut specs: Vec<AgentSpec>,
    sizes: Sizes<'_>,
) -> Result<Vec<Tried>, Failure> {
    specs.retain(|spec| spec.start == Start::Up);
    specs.sort_by_key(|spec| spec.role != Duty::Consultant);
    let team: Vec<(String, Duty)> = specs.iter().map(|spec| (spec.name.clone(), spec.role)).collect();
    let sizes = sizes(&team);
    specs.iter_mut().for_each(|spec| spec.size = spec.size.or(sizes.get(&spec.name).copied()));
    let mut standby = Vec::new();
    let config = match standing_by(config, &mut standby) {
        Ok(config) => config,
        Err(failure) => return Err(without_all(server, standby, failure)),
    };
    let mut tried: Vec<Tried> = Vec::new();
    let (mut progress, all) = (Progress::begin(), specs.len());
    for (at, mut spec) in specs.into_iter().enumerate() {
        let (name, role) = (spec.name.clone(), spec.role);
        progress.tell(&format!("starting {} of {all}: {name}", at + 1));
        let mut made = None;
        let done: Result<(), Failure> = placed(&mut spec, &config, &mut made).and_then(|()| {
            let begun = begun::now(&spec.cwd);
            start::start(server, spec, &config)?;
            begun::note(&name, begun.as_ref());
            Ok(())
        });
        // Somebody else has started it in this moment: it is as if it had run before.
        if done.is_err() && runs(server, &name) {
            continue;
        }
        let failure = done.err().map(|failure| worktree::without(server, made, failure));
        let failure = failure.map(|failure| failure.doing(&format!("start {name}")));
        if let Some(failure) = &failure {
            progress.clear();
            // Whoever looks at the team sees that it is missing, and why. It is on the list or it is not: that it could
            // not be put there would say nothing more.
            let cause = failure.message.clone();
            let _ =
                server.tell(Request::NotStarted { name: name.clone(), role, cause, number: 0, since: None });
        }
        tried.push((name, failure));
    }
    // Nobody has been told of those who stand by.
    let nobody = tried.iter().all(|(_, failure)| failure.is_some());
    if let Some((_, Some(failure))) = tried.last_mut().filter(|_| nobody) {
        *failure = without_all(server, standby, failure.clone());
    }
    Ok(tried)
}

fn without_all(server: &mut Server, made: Vec<Prepared>, failure: Failure) -> Failure {
    made.into_iter().fold(failure, |failure, made| worktree::without(server, Some(made), failure))
}

fn runs(server: &mut Server, name: &str) -> bool {
    // Where the server does not say, the failure stands.
    let agents = server.agents().unwrap_or_default();
    agents.iter().any(|agent| agent.name == name && agent.state != State::Exited)
}

/// An agent as it is to be started, with what was made for it.
pub type Ready = (AgentSpec, Policy, Option<Prepared>);

/// The agent of this name, as `up` would have it started, beside these; `None`: it is not in the configuration.
pub fn configured(config: &Config, name: &str, agents: &[AgentInfo]) -> Option<Result<Ready, String>> {
    let mut specs = config.agent_specs(&start::environment()).into_iter();
    let mut spec = specs.find(|spec| spec.name == name)?;
    let (mut made, mut standby) = (None, Vec::new());
    let ready = placed(&mut spec, config, &mut made)
        .and_then(|()| start::permitted(spec, &standing_by(config, &mut standby)?));
    Some(match ready {
        Ok((spec, policy)) => Ok((spec, policy, made)),
        Err(failure) => {
            let made = standby.into_iter().chain(made);
            Err(made.fold(failure.message, |why, made| made.refused(Ok(agents), why)))
        }
    })
}

/// An agent, and why it could not be started.
pub type Tried = (String, Option<Failure>);

/// The names of all of them, or which are missing and why, in one line.
pub fn all_started(tried: &[Tried]) -> Result<Vec<&str>, Failure> {
    let started: Vec<&str> =
        tried.iter().filter(|(_, failure)| failure.is_none()).map(|(name, _)| name.as_str()).collect();
    let failures: Vec<&Failure> = tried.iter().filter_map(|(_, failure)| failure.as_ref()).collect();
    let Some(first) = failures.first() else { return Ok(started) };
    let why: Vec<&str> = failures.iter().map(|failure| failure.message.as_str()).collect();
    let count = format!("{} of {} started", started.len(), out::count(tried.len(), "agent"));
    Err(Failure::new(first.code, format!("{}; {count}", why.join("; "))))
}
