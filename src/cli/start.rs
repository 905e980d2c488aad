//! `counsel start`: one agent, detached.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use crate::config::{Config, Located, Permission, Places, agent_env, no_current_folder};
use crate::core::agent::{AgentInfo, AgentSpec, Duty, Host, Isolate, Restart, Start, name_fault};
use crate::core::consult::chain::Chain;
use crate::core::policy::Policy;
use crate::core::terminal::grid::Size;
use crate::os::{proc, program, pty};
use crate::wire::Request;

use super::complete;
use super::failure::{Failure, REFUSED, USAGE};
use super::link::{Acting, Global, Server};
use super::{begun, out, trust};

/// Start an agent: a program on a terminal of its own, detached
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Its name: [a-z0-9][a-z0-9_-]{0,31}
    name: String,
    /// The folder it works in
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// It works in a git worktree of its own, on a branch of this name
    #[arg(long, value_name = "NAME")]
    worktree: Option<String>,
    /// A variable of its environment
    #[arg(long, value_name = "K=V", value_parser = variable)]
    env: Vec<(String, String)>,
    /// What program it is, if its name does not tell
    #[arg(long, value_name = "PROFILE", add = complete::profiles())]
    profile: Option<String>,
    /// Who answers its questions; several, with commas between, are asked one after the other
    #[arg(long, value_name = "CONSULTANT", add = complete::agents())]
    consultant: Option<String>,
    /// What it is for
    #[arg(long, default_value = "worker", value_enum)]
    role: Role,
    /// Where its terminal lives
    #[arg(long, default_value = "pty", value_enum)]
    host: Place,
    /// Typed once it is ready
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// The size it begins with
    #[arg(long, value_name = "COLSxROWS")]
    size: Option<Size>,
    /// Shown instead of its own title
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
    #[command(flatten)]
    acting: Acting,
    /// The program and its arguments; no shell reads them
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<String>,
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Role {
    Worker,
    Consultant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Place {
    Pty,
    Tmux,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let doing = format!("start {}", args.name);
    let doing = |failure: Failure| failure.doing(&doing);
    let config = trust::policy(&Places::here(None)?)?;
    let mut spec = spec(args).map_err(doing)?;
    let mut server = global.server()?;
    consultants_exist(&mut server, &spec, &config).map_err(doing)?;
    let mut worktree = None;
    if let Some(name) = &args.worktree {
        let (permitted, _) = permitted(spec.clone(), &config).map_err(doing)?;
        if let Some(why) = permitted.isolate.worktree_fault() {
            return Err(doing(Failure::new(USAGE, format!("--worktree {why}"))));
        }
        runs_not(&mut server, &args.name).map_err(doing)?;
        let prepared = super::worktree::prepare(&spec.cwd, name).map_err(doing)?;
        spec.cwd.clone_from(&prepared.folder);
        worktree = Some(prepared);
    }
    let begun = begun::now(&spec.cwd);
    let started = start(&mut server, spec, &config);
    started.map_err(|failure| super::worktree::without(&mut server, worktree, failure)).map_err(doing)?;
    begun::note(&args.name, begun.as_ref());
    if args.acting.json {
        let agent = server.agent(&args.name)?;
        let did = json!({
            "name": agent.name, "did": "started", "pid": agent.pid, "state": agent.state, "cwd": agent.cwd,
        });
        args.acting.did(&did, None)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses a consultant that is the agent itself, stands there twice, or is nobody: neither in the configuration nor among the agents.
pub fn consultants_exist(server: &mut Server, spec: &AgentSpec, config: &Config) -> Result<(), Failure> {
    let Some(chain) = &spec.consultant else { return Ok(()) };
    if let Some(why) = chain.own_fault(&spec.name) {
        return Err(Failure::new(USAGE, why));
    }
    if let Some(why) = chain.twice_fault() {
        return Err(Failure::new(USAGE, format!("--consultant {why}")));
    }
    let mut known: BTreeSet<String> = config.agents.iter().map(|agent| agent.name.clone()).collect();
    known.extend(config.policy.consultants.iter().map(|consultant| consultant.name.clone()));
    known.extend(server.agents()?.into_iter().map(|agent| agent.name));
    chain.nobody_among(&known).map_or(Ok(()), |why| Err(Failure::new(3, why)))
}

fn runs_not(server: &mut Server, name: &str) -> Result<(), Failure> {
    let runs = |agent: &AgentInfo| agent.name == name && agent.pid.is_some() && agent.exit_code.is_none();
    match server.agents()?.iter().any(runs) {
        true => {
            Err(Failure::new(1, format!("an agent '{name}' runs already; 'counsel stop {name}' ends it")))
        }
        false => Ok(()),
    }
}

fn spec(args: &Args) -> Result<AgentSpec, Failure> {
    if let Some(why) = name_fault(&args.name) {
        return Err(Failure::new(USAGE, why));
    }
    let cwd = folder(args.cwd.as_deref())?;
    let mut env = environment();
    env.extend(args.env.iter().cloned());
    Ok(AgentSpec {
        definition: None,
        defined_in: None,
        name: args.name.clone(),
        command: args.command.clone(),
        wrap: Vec::new(),
        cwd,
        env,
        umask: None,
        profile: args.profile.clone(),
        consultant: args.consultant.as_deref().map(Chain::from),
        role: match args.role {
            Role::Worker => Duty::Worker,
            Role::Consultant => Duty::Consultant,
        },
        host: match args.host {
            Place::Pty => Host::Pty,
            Place::Tmux => Host::Tmux,
        },
        prompt: args.prompt.clone(),
        task: args.prompt.clone(),
        size: Some(args.size.unwrap_or_else(pty::terminal_size)),
        title: args.title.clone(),
        scrollback: None,
        restart: Restart::Never,
        start: Start::Up,
        idle_secs: None,
        worktree: None,
        hooks: None,
        isolate: Isolate::None,
        user: None,
        number: None,
        stdin: None,
        tied: None,
        call: None,
        pane: None,
    })
}

/// The caller's environment as an agent gets it. What is no UTF-8 text cannot cross: it is left out, and named.
pub fn environment() -> BTreeMap<String, String> {
    let (mut env, mut odd) = (BTreeMap::new(), Vec::new());
    for (name, value) in std::env::vars_os() {
        match (name.to_str(), value.to_str()) {
            (Some(name), Some(value)) => drop(env.insert(name.to_owned(), value.to_owned())),
            _ => odd.push(name.to_string_lossy().into_owned()),
        }
    }
    // What no agent gets at any rate is nothing to be told of.
    let odd = agent_env(&odd.into_iter().map(|name| (name, String::new())).collect());
    let own = agent_env(&BTreeMap::new());
    for name in odd.keys().filter(|name| !own.contains_key(*name)) {
        out::complain(&format!("warning: the variable {name} is no UTF-8 text and is left out"));
    }
    agent_env(&env)
}

/// An agent's folder as an absolute path.
pub fn folder(cwd: Option<&Path>) -> Result<String, Failure> {
    let folder = match cwd.filter(|cwd| cwd.is_absolute()) {
        Some(folder) => folder.to_path_buf(),
        None => {
            let here = std::env::current_dir().map_err(|error| no_current_folder(&error))?;
            cwd.map_or(here.clone(), |cwd| here.join(cwd))
        }
    };
    if !folder.is_dir() {
        return Err(Failure::new(
            1,
            format!("{} is not a folder; make it first, or name another", folder.display()),
        ));
    }
    folder.into_os_string().into_string().map_err(|name| no_text(Path::new(&name)))
}

/// What a server is told is text.
pub fn no_text(path: &Path) -> Failure {
    Failure::new(1, format!("the name {} is no UTF-8 text; give it another", path.display()))
}

/// Where a program would be started from, in this process's PATH or another one.
pub fn locate(word: &str, cwd: &str, path: Option<&str>) -> Option<Located> {
    let own = std::env::var("PATH").ok();
    let search = path.filter(|path| !path.is_empty()).or(own.as_deref()).unwrap_or(program::DEFAULT_PATH);
    let path = program::find(word, search, Path::new(cwd)).ok()?;
    let resolved = path.canonicalize().ok()?;
    Some(Located { path, resolved })
}

/// What the server is to be asked for, if the configuration permits it.
pub fn permitted(spec: AgentSpec, config: &Config) -> Result<(AgentSpec, Policy), Failure> {
    let mut policy = config.policy.clone();
    config.security.permits_all(&spec, &mut policy, &locate).map_err(|why| Failure::new(REFUSED, why))?;
    // What the user says every agent has at least, one that is started by hand has as well.
    let isolate = spec.isolate.max(config.security.isolate);
    // The server's is that of whoever came first, also for what it starts later.
    let umask = proc::own_umask();
    policy.standby.iter_mut().for_each(|spec| spec.umask = umask);
    Ok((AgentSpec { isolate, umask, ..spec }, policy))
}

/// Has the server start an agent, if the configuration permits it.
pub fn start(server: &mut Server, spec: AgentSpec, config: &Config) -> Result<(), Failure> {
    let (spec, policy) = permitted(spec, config)?;
    for what in config.security.unseen(&spec, &locate) {
        out::complain(&format!("warning: [security] deny_commands does not see {what}"));
    }
    // What agents may not do a person may.
    if config.permissions.terminal_start == Permission::Deny && super::link::token().is_some() {
        return Err(Failure::new(REFUSED, "[permissions] terminal_start is \"deny\""));
    }
    server.tell(Request::Start { spec: Box::new(spec), policy: Box::new(policy) })?;
    if let Some(fault) = &config.fault {
        out::complain(&format!(
            "warning: {fault}; nobody has trusted this file, and nothing of it is followed"
        ));
    } else if let Some(file) = &config.left_out {
        let file = file.to_string_lossy();
        out::complain(&format!(
            "warning: {file} is not trusted: only what it forbids is followed; see 'counsel trust'"
        ));
    }
    Ok(())
}
