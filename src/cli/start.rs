//! `counsel start`: one agent, detached.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::config::{Config, Located, Permission, Places, agent_env, visible};
use crate::core::agent::{AgentSpec, Duty, Host, Restart, Start, valid_name};
use crate::core::consult::chain::Chain;
use crate::core::terminal::grid::Size;
use crate::os::{program, pty};
use crate::wire::Request;

use super::failure::{Failure, REFUSED, USAGE};
use super::link::{Global, Server};
use super::trust;

/// Start one agent, detached
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
    #[arg(long)]
    profile: Option<String>,
    /// Who answers its questions; several, with commas between, are asked one after the other
    #[arg(long)]
    consultant: Option<String>,
    /// worker or consultant
    #[arg(long, default_value = "worker", value_parser = duty)]
    role: Duty,
    /// Where its terminal lives: pty or tmux
    #[arg(long, default_value = "pty", value_parser = host)]
    host: Host,
    /// Typed once it is ready
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// The size it begins with
    #[arg(long, value_name = "COLSxROWS")]
    size: Option<Size>,
    /// Shown instead of its own title
    #[arg(long)]
    title: Option<String>,
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

fn duty(text: &str) -> Result<Duty, String> {
    match text {
        "worker" => Ok(Duty::Worker),
        "consultant" => Ok(Duty::Consultant),
        _ => Err("one of worker, consultant".to_owned()),
    }
}

fn host(text: &str) -> Result<Host, String> {
    match text {
        "pty" => Ok(Host::Pty),
        "tmux" => Ok(Host::Tmux),
        _ => Err("one of pty, tmux".to_owned()),
    }
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let doing = format!("start {}", args.name);
    let config = trust::policy(&Places::here(None)?)?;
    let spec = spec(args).map_err(|failure| failure.doing(&doing))?;
    start(&mut global.server()?, spec, &config).map_err(|failure| failure.doing(&doing))?;
    Ok(ExitCode::SUCCESS)
}

fn spec(args: &Args) -> Result<AgentSpec, Failure> {
    if !valid_name(&args.name) {
        return Err(Failure::new(
            USAGE,
            format!("'{}' is not a name; use [a-z0-9][a-z0-9_-]{{0,31}}", args.name),
        ));
    }
    let mut cwd = folder(args.cwd.as_deref())?;
    if let Some(name) = &args.worktree {
        cwd = super::worktree::prepare(&cwd, name)?;
    }
    let mut env = environment();
    env.extend(args.env.iter().cloned());
    Ok(AgentSpec {
        name: args.name.clone(),
        command: args.command.clone(),
        wrap: Vec::new(),
        cwd,
        env,
        profile: args.profile.clone(),
        consultant: args.consultant.as_deref().map(Chain::from),
        role: args.role,
        host: args.host,
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
        pane: None,
    })
}

/// The caller's environment as an agent gets it. Names that are not UTF-8 cannot cross and are left out.
pub fn environment() -> BTreeMap<String, String> {
    let utf8 = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    agent_env(&utf8.collect())
}

/// An agent's folder as an absolute path.
pub fn folder(cwd: Option<&Path>) -> Result<String, Failure> {
    let here =
        std::env::current_dir().map_err(|error| format!("the current folder cannot be found: {error}"))?;
    let folder = cwd.map_or(here.clone(), |cwd| here.join(cwd));
    if !folder.is_dir() {
        return Err(Failure::new(1, format!("{} is not a folder", folder.display())));
    }
    Ok(folder.to_string_lossy().into_owned())
}

/// Where a program would be started from, in this process's PATH or another one.
pub fn locate(word: &str, cwd: &str, path: Option<&str>) -> Option<Located> {
    let own = std::env::var("PATH").ok();
    let search = path.filter(|path| !path.is_empty()).or(own.as_deref()).unwrap_or(program::DEFAULT_PATH);
    let path = program::find(word, search, Path::new(cwd)).ok()?;
    let resolved = path.canonicalize().ok()?;
    Some(Located { path, resolved })
}

/// Has the server start an agent, if the configuration permits it.
pub fn start(server: &mut Server, spec: AgentSpec, config: &Config) -> Result<(), Failure> {
    let mut policy = Box::new(config.policy.clone());
    config.security.permits_all(&spec, &mut policy, &locate).map_err(|why| Failure::new(REFUSED, why))?;
    if config.permissions.terminal_start == Permission::Deny {
        return Err(Failure::new(REFUSED, "[permissions] terminal_start is \"deny\""));
    }
    server.tell(Request::Start { spec: Box::new(spec), policy })?;
    if let Some(file) = &config.left_out {
        let file = visible(&file.to_string_lossy());
        eprintln!("counsel: warning: {file} is not trusted and is not followed; see 'counsel trust'");
    }
    Ok(())
}
