//! `counsel worktree`: the git worktrees that agents were given, and how they are given one.
//!
//! `start`, `up` and the dashboard call `prepare`, and `refused` where the agent does not start after all. A worktree is kept
//! when its agent stops; only `rm`, `done` and `prune` remove one, and
//! only while it is clean unless forced.

mod done;
mod found;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use nix::fcntl::Flock;
use serde_json::json;

use crate::core::agent::AgentInfo;
use crate::os::git;
use crate::os::git::place::Place;

use found::{all, find, is_asked_by_a_person, listed, names, settled, unused, workers};

use super::failure::Failure;
use super::link::{Acting, Global, Server};
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

/// A listing waits no longer than this for git: it is about agents, and a cold disk takes its time.
const PATIENCE: Duration = Duration::from_millis(800);

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    match &args.verb {
        Verb::Ls { json } => list(&listed(global)?, *json)?,
        Verb::Rm { name, force, acting } => {
            let (path, branch) = remove(global, name, *force)?;
            let stays = if branch { "; its branch stays" } else { "" };
            let said = format!("the worktree {name} is removed{stays}");
            acting.did(
                &json!({ "name": name, "did": "removed", "path": path.to_string_lossy() }),
                Some(&said),
            )?;
        }
        Verb::Done(args) => return done::done(args, global),
        Verb::Prune(args) => return done::prune(args, global),
    }
    Ok(ExitCode::SUCCESS)
}

/// A worktree that an agent is to work in.
#[derive(Debug)]
pub struct Prepared {
    pub folder: String,
    place: Place,
    name: String,
    made: git::Made,
    /// Nobody removes it meanwhile: that its agent works in it is listed once it is started.
    stays: Option<Flock<File>>,
}

impl Prepared {
    /// Why its agent was refused, once what was made for it is taken away again, its branch included; or that it stays.
    pub fn refused(self, agents: Result<&[AgentInfo], String>, why: String) -> String {
        if self.made == git::Made::Nothing {
            return why;
        }
        let folder = self.folder.clone();
        match agents.and_then(|agents| self.undo(agents)) {
            Ok(()) => why,
            Err(stays) => format!("{why}; its worktree {folder} stays: {stays}"),
        }
    }

    fn undo(self, agents: &[AgentInfo]) -> Result<(), String> {
        drop(self.stays);
        let _turn = git::turn::nobody_starts(&self.place.path, Duration::ZERO)?;
        // Whoever asked for the same one meanwhile has it.
        unused(agents, &self.place.path).map_err(|failure| failure.message)?;
        git::remove::unmake_worktree(&self.place.top, &self.place.path, &self.name, self.made)
    }
}

/// What is refused leaves no worktree and no branch behind. Where no answer came, an agent may work in it.
pub fn without(server: &mut Server, made: Option<Prepared>, failure: Failure) -> Failure {
    let unanswered = failure.hung_up || failure.timed_out;
    let Some(made) = made.filter(|_| !unanswered) else { return failure };
    let agents = server.agents().map_err(|failure| failure.message);
    let agents = agents.as_deref().map_err(Clone::clone);
    Failure { message: made.refused(agents, failure.message.clone()), ..failure }
}

/// The folder an agent works in that asked for the worktree `name` of the repository around `cwd`.
pub fn prepare(cwd: &str, name: &str) -> Result<Prepared, Failure> {
    git::check_name(name).map_err(|why| Failure::new(super::failure::USAGE, why))?;
    let no = |why: String| Failure::new(1, format!("no worktree '{name}' for {cwd}: {why}"));
    let place = Place::of(Path::new(cwd), name).map_err(no)?;
    if let Some(parent) = place.path.parent() {
        std::fs::create_dir_all(parent).map_err(|error| no(format!("{}: {error}", parent.display())))?;
    }
    // Of two that ask for the same one the second finds it whole.
    let _turn = git::turn::alone_in(&place.among);
    let (made, stays) = loop {
        let made = git::ensure_worktree(&place.top, &place.path, name).map_err(no)?;
        let stays = git::turn::nobody_removes(&place.path);
        // It may have been removed before its turn came.
        if place.path.exists() {
            break (made, stays);
        }
    };
    let folder = place.folder().to_string_lossy().into_owned();
    Ok(Prepared { folder, place, name: name.to_owned(), made, stays })
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

/// Where it was, and whether a branch was checked out there.
fn remove(global: &Global, name: &str, force: bool) -> Result<(PathBuf, bool), Failure> {
    let doing = format!("remove the worktree {name}");
    is_asked_by_a_person().map_err(|failure| failure.doing(&doing))?;
    let path = find(name).map_err(|failure| failure.doing(&doing))?;
    let _turn = settled(global, &path).map_err(|failure| failure.doing(&doing))?;
    let branch = git::state(&path).is_ok_and(|state| state.branch.is_some());
    git::remove::remove_worktree(&path, force).map_err(|why| {
        let mend = if force { "" } else { "; save what is in there, or say --force" };
        Failure::new(1, format!("{why}{mend}")).doing(&doing)
    })?;
    Ok((path, branch))
}

/// Branch and dirt of every agent's folder, by folder.
pub fn states(agents: &[AgentInfo]) -> std::collections::BTreeMap<PathBuf, git::State> {
    let folders: std::collections::BTreeSet<PathBuf> =
        agents.iter().filter(|agent| !agent.cwd.is_empty()).map(|agent| PathBuf::from(&agent.cwd)).collect();
    git::states(folders, PATIENCE)
}
