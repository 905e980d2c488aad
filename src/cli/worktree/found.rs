//! The worktrees that there are, which of them a name means, and who works there.
//!
//! `worktree.rs` and `done.rs` ask it. It only looks.

use std::path::{Path, PathBuf};

use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};

use crate::core::agent::AgentInfo;
use crate::core::question::State;
use crate::core::visible::visible;
use crate::os::git::place::{folder_of, root};
use crate::os::{git, proc};

use super::super::failure::{Failure, REFUSED};
use super::super::link::within_agent;

/// The worktrees there are, for a shell.
pub fn names() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let all = all().unwrap_or_default();
        all.into_iter().map(|(name, _)| CompletionCandidate::new(name)).collect()
    })
}

/// Every worktree of agents: its name, and where it lies.
pub fn all() -> Result<Vec<(String, PathBuf)>, Failure> {
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
pub fn workers<'a>(agents: &'a [AgentInfo], path: &Path) -> Vec<&'a str> {
    let inside = |agent: &&AgentInfo| agent.state != State::Exited && Path::new(&agent.cwd).starts_with(path);
    agents.iter().filter(inside).map(|agent| agent.name.as_str()).collect()
}

/// The folder of the worktree that is meant by a name.
pub fn find(name: &str) -> Result<PathBuf, Failure> {
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

/// Nobody works in there, and nobody has locked it.
pub fn removable(agents: &[AgentInfo], path: &Path) -> Result<(), Failure> {
    unused(agents, path)?;
    let Some(why) = git::remove::lock_of(path) else { return Ok(()) };
    let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
    let mend = format!("'git worktree unlock {}' first", path.display());
    Err(Failure::new(1, format!("it is locked{why}; {mend}")))
}

/// Nobody works in there, of this server's agents or another's: which server is met depends on `XDG_RUNTIME_DIR`, and all have
/// their worktrees in one place.
pub fn unused(agents: &[AgentInfo], path: &Path) -> Result<(), Failure> {
    if let Some(agent) = workers(agents, path).first() {
        return Err(Failure::new(1, format!("{agent} works in it; counsel stop {agent}")));
    }
    match proc::working_in(path, "COUNSEL_AGENT") {
        None => Ok(()),
        Some((pid, agent)) => {
            let agent = visible(&agent).into_owned();
            let why = format!("process {pid} of the agent {agent} works in it; end that first");
            Err(Failure::new(1, why))
        }
    }
}

/// Nothing is merged or removed for an agent: the worktree may be another one's, and what is merged is the person's.
pub fn is_asked_by_a_person() -> Result<(), Failure> {
    match within_agent() {
        true => Err(Failure::new(REFUSED, "an agent merges and removes no worktree; a person has to do it")),
        false => Ok(()),
    }
}
