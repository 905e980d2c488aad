//! The worktrees that there are, which of them a name means, and who works there.
//!
//! `worktree.rs` and `done.rs` ask it. It only looks, and keeps others from starting an agent where one is to be removed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use nix::fcntl::Flock;

use crate::core::agent::AgentInfo;
use crate::core::question::State;
use crate::core::visible::visible;
use crate::os::git::place::{folder_of, root};
use crate::os::{git, proc};

use super::super::failure::{Failure, REFUSED};
use super::super::link::{Global, within_agent};

/// Longer than an agent takes to be started, once its worktree is made.
const START: Duration = Duration::from_secs(60);

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

/// Agents that work in this folder, or will be started in it again.
pub fn workers<'a>(agents: &'a [AgentInfo], path: &Path) -> Vec<&'a str> {
    let works = |agent: &AgentInfo| agent.state != State::Exited || agent.starts_again;
    let inside = |agent: &&AgentInfo| works(agent) && Path::new(&agent.cwd).starts_with(path);
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

/// The agents there are, without starting a server.
pub fn listed(global: &Global) -> Result<Vec<AgentInfo>, Failure> {
    match global.running()? {
        Some(mut server) => server.agents(),
        None => Ok(Vec::new()),
    }
}

/// Makes sure that nobody works in a worktree, and that nobody is started there for as long as what is returned is kept.
pub fn settled(global: &Global, path: &Path) -> Result<Option<Flock<File>>, Failure> {
    let turn = git::turn::nobody_starts(path, START).map_err(|why| format!("{why}; try again"))?;
    removable(&listed(global)?, path).map(|()| turn)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(name: &str, state: State, cwd: &str, starts_again: bool) -> AgentInfo {
        AgentInfo { cwd: cwd.to_owned(), starts_again, ..AgentInfo::of(name, state) }
    }

    /// Its folder was removed between two of its lives, and it never came back.
    #[test]
    fn an_agent_that_is_started_again_has_its_worktree_still() {
        let agents = [
            at("runs", State::Working, "/trees/a/web", false),
            at("waits", State::Exited, "/trees/b", true),
            at("ended", State::Exited, "/trees/c", false),
        ];
        let of = |path: &str| workers(&agents, Path::new(path));
        assert_eq!([of("/trees/a"), of("/trees/b"), of("/trees/c")], [vec!["runs"], vec!["waits"], vec![]]);
        let why = unused(&agents, Path::new("/trees/b")).unwrap_err().message;
        assert!(why.contains("counsel stop waits"), "{why}");
    }
}
