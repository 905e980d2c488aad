//! `counsel worktree`: the git worktrees that agents were given, and how they are given one.
//!
//! `start` and `up` call `prepare`. A worktree is kept when its agent stops; only `rm`, `done` and `prune` remove one, and
//! only while it is clean unless forced.

mod done;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use serde_json::json;

use crate::core::agent::AgentInfo;
use crate::core::question::State;
use crate::os::git;
use crate::os::git::place::{Place, folder_of, root};

use super::failure::Failure;
use super::link::{Acting, Global};
use super::table::{Cell, Style, Table};

/// The git worktrees of agents
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// List them: name, branch, whether anything is changed there, and who works in it
    Ls {
        /// One JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Remove one; its branch stays
    Rm {
        /// The worktree
        #[arg(add = names())]
        name: String,
        /// Also if it holds changes that are committed nowhere, or files that git ignores; they are lost
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        acting: Acting,
    },
    /// Say how one stands (merged, committed, pushed), then merge it, keep it or remove it
    Done(done::Done),
    /// Remove those that hold nothing of their own and that nobody works in
    Prune(done::Prune),
}

/// The worktrees there are, for a shell.
fn names() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let all = all().unwrap_or_default();
        all.into_iter().map(|(name, _)| CompletionCandidate::new(name)).collect()
    })
}

/// A listing waits no longer than this for git: it is about agents, and a cold disk takes its time.
const PATIENCE: Duration = Duration::from_millis(800);

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let agents = match global.running()? {
        Some(mut server) => server.agents()?,
        None => Vec::new(),
    };
    match &args.verb {
        Verb::Ls { json } => list(&agents, *json)?,
        Verb::Rm { name, force, acting } => {
            let path = remove(&agents, name, *force)?;
            let said = format!("the worktree {name} is removed; its branch stays");
            acting.did(
                &json!({ "name": name, "did": "removed", "path": path.to_string_lossy() }),
                Some(&said),
            )?;
        }
        Verb::Done(args) => return done::done(args, &agents),
        Verb::Prune(args) => return done::prune(args, &agents),
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder an agent works in that asked for the worktree `name` of the repository around `cwd`.
pub fn prepare(cwd: &str, name: &str) -> Result<String, Failure> {
    git::check_name(name).map_err(|why| Failure::new(super::failure::USAGE, why))?;
    let no = |why: String| Failure::new(1, format!("no worktree '{name}' for {cwd}: {why}"));
    let place = Place::of(Path::new(cwd), name).map_err(no)?;
    if let Some(parent) = place.path.parent() {
        std::fs::create_dir_all(parent).map_err(|error| no(format!("{}: {error}", parent.display())))?;
    }
    git::ensure_worktree(&place.top, &place.path, name).map_err(no)?;
    Ok(place.folder().to_string_lossy().into_owned())
}

/// Every worktree of agents: its name, and where it lies.
fn all() -> Result<Vec<(String, PathBuf)>, Failure> {
    let root = root()?;
    let mut found = Vec::new();
    for repo in folders(&root) {
        collect(&repo, &repo, &mut found);
    }
    found.sort();
    Ok(found)
}

/// A name may hold slashes; a worktree is the folder with a `.git` in it.
fn collect(repo: &Path, folder: &Path, found: &mut Vec<(String, PathBuf)>) {
    for folder in folders(folder) {
        if folder.join(".git").exists() {
            let name = folder.strip_prefix(repo).unwrap_or(&folder).to_string_lossy().into_owned();
            found.push((name, folder));
        } else {
            collect(repo, &folder, found);
        }
    }
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(of).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|e| e.path()).collect()
}

/// Agents that have not exited and work in this folder.
fn workers<'a>(agents: &'a [AgentInfo], path: &Path) -> Vec<&'a str> {
    let inside = |agent: &&AgentInfo| agent.state != State::Exited && Path::new(&agent.cwd).starts_with(path);
    agents.iter().filter(inside).map(|agent| agent.name.as_str()).collect()
}

fn list(agents: &[AgentInfo], as_json: bool) -> Result<(), Failure> {
    let trees = all()?;
    let states = git::states(trees.iter().map(|(_, path)| path.clone()), PATIENCE);
    let mut table = Table::new(["NAME", "BRANCH", "CHANGES", "AGENTS", "FOLDER"]);
    for (name, path) in &trees {
        let state = states.get(path);
        let branch = state.and_then(|state| state.branch.clone());
        let dirty = state.map(|state| state.dirty);
        let at_work = workers(agents, path);
        if as_json {
            super::out::json(&json!({
                "name": name, "branch": branch, "dirty": dirty, "agents": at_work,
                "path": path.to_string_lossy(),
            }))?;
            continue;
        }
        let changes = match dirty {
            Some(true) => "dirty",
            Some(false) => "clean",
            None => "?",
        };
        let at_work = if at_work.is_empty() { "-".to_owned() } else { at_work.join(",") };
        let branch = branch.unwrap_or_else(|| "-".to_owned());
        let folder = path.display().to_string();
        table.row([
            Cell::new(name, Style::Bold),
            branch.into(),
            changes.into(),
            at_work.into(),
            folder.into(),
        ]);
    }
    match (as_json, trees.is_empty()) {
        (true, _) => Ok(()),
        (false, true) => {
            super::out::prose("no worktrees; 'counsel start NAME --worktree NAME -- CMD' makes one", 0)
        }
        (false, false) => table.print(),
    }
}

fn remove(agents: &[AgentInfo], name: &str, force: bool) -> Result<PathBuf, Failure> {
    let doing = format!("remove the worktree {name}");
    let path = find(name).map_err(|failure| failure.doing(&doing))?;
    unused(agents, &path).map_err(|failure| failure.doing(&doing))?;
    git::remove_worktree(&path, force).map_err(|why| {
        let mend = if force { "" } else { "; save what is in there, or say --force" };
        Failure::new(1, format!("{why}{mend}")).doing(&doing)
    })?;
    Ok(path)
}

/// The folder of the worktree that is meant by a name.
fn find(name: &str) -> Result<PathBuf, Failure> {
    let here: Vec<PathBuf> =
        all()?.into_iter().filter(|(known, _)| known == name).map(|(_, path)| path).collect();
    match here.as_slice() {
        [] => Err(Failure::new(3, format!("there is no worktree '{name}'"))),
        [path] => Ok(path.clone()),
        // The repository one stands in decides between worktrees of one name.
        several => {
            let cwd = std::env::current_dir().unwrap_or_default();
            let own = git::repository(&cwd).ok().and_then(|(_, common)| folder_of(&common).ok());
            let found = several.iter().find(|path| own.as_ref().is_some_and(|own| path.starts_with(own)));
            let why = "several repositories have one of that name; go into the repository it belongs to";
            found.cloned().ok_or_else(|| Failure::new(1, why))
        }
    }
}

/// Nobody works in there.
fn unused(agents: &[AgentInfo], path: &Path) -> Result<(), Failure> {
    match workers(agents, path).first() {
        None => Ok(()),
        Some(agent) => Err(Failure::new(1, format!("{agent} works in it; counsel stop {agent}"))),
    }
}

/// Branch and dirt of every agent's folder, by folder.
pub fn states(agents: &[AgentInfo]) -> std::collections::BTreeMap<PathBuf, git::State> {
    let folders: std::collections::BTreeSet<PathBuf> =
        agents.iter().filter(|agent| !agent.cwd.is_empty()).map(|agent| PathBuf::from(&agent.cwd)).collect();
    git::states(folders, PATIENCE)
}
