//! `counsel worktree done` and `prune`: what is to become of a worktree whose work is over.
//!
//! Both say first how it stands: merged, committed, pushed. Nothing is merged or removed that nobody asked for, no
//! change that is committed nowhere is lost without `--force`, and a branch stays unless it is asked for and merged.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::core::visible::visible;
use crate::os::git;
use crate::os::git::standing::{Merged, Standing, delete_branch, merge, standing};

use super::super::failure::Failure;
use super::super::link::{self, Acting, Global};
use super::super::{ask, out};
use super::found::{all, find, is_asked_by_a_person, listed, names, removable, settled};

#[derive(Debug, clap::Args)]
pub struct Done {
    /// The worktree
    #[arg(add = names())]
    name: String,
    /// Merge its branch, then remove the worktree
    #[arg(long, conflicts_with_all = ["keep", "remove"])]
    merge: bool,
    /// Leave everything as it is
    #[arg(long, conflicts_with = "remove")]
    keep: bool,
    /// Remove the worktree without merging; its branch stays
    #[arg(long)]
    remove: bool,
    /// The branch it is held against and merged into; else the one that the repository's own checkout is on
    #[arg(long, value_name = "BRANCH")]
    into: Option<String>,
    /// Remove its branch as well, once it is merged
    #[arg(long, conflicts_with_all = ["keep", "remove"])]
    delete_branch: bool,
    /// With --remove: also if it holds changes that are committed nowhere; they are lost
    #[arg(long, requires = "remove")]
    force: bool,
    #[command(flatten)]
    acting: Acting,
}

#[derive(Debug, clap::Args)]
pub struct Prune {
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    acting: Acting,
}

/// What a person wants done with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Merge,
    Keep,
    Remove,
}

pub fn done(args: &Done, global: &Global) -> Result<ExitCode, Failure> {
    let doing = format!("finish the worktree {}", args.name);
    let failed = |why: String| Failure::new(1, why).doing(&doing);
    let path = find(&args.name).map_err(|failure| failure.doing(&doing))?;
    let state = standing(&path, args.into.as_deref()).map_err(|why| match git::is_lost(&path) {
        true => failed(format!(
            "the repository it belongs to is gone; 'counsel worktree rm {} --force' removes it",
            args.name
        )),
        false => failed(why),
    })?;
    if !args.acting.json {
        out::line(&format!("{}: {}", args.name, words(&state)))?;
    }
    let choice = match (args.merge, args.keep, args.remove) {
        (true, ..) => Some(Choice::Merge),
        (_, true, _) => Some(Choice::Keep),
        (.., true) => Some(Choice::Remove),
        _ => ask(&state)?,
    };
    if matches!(choice, Some(Choice::Merge | Choice::Remove)) {
        is_asked_by_a_person().map_err(|failure| failure.doing(&doing))?;
    }
    let mut now = state.merged;
    let unused = || settled(global, &path).map_err(|failure| failure.doing(&doing));
    let did = match choice {
        None => "nothing",
        Some(Choice::Keep) => "kept",
        Some(Choice::Merge) => {
            let _turn = unused()?;
            merged(args, &path, &state).map_err(failed)?;
            now = Merged::Yes;
            "merged"
        }
        Some(Choice::Remove) => {
            let _turn = unused()?;
            removed(args.force, &path, &state).map_err(failed)?;
            "removed"
        }
    };
    let said = visible(&told(args, &state, did)).into_owned();
    let state = Standing { merged: now, ..state };
    args.acting.did(&as_json(&args.name, &path, &state, did), Some(&said))?;
    Ok(ExitCode::SUCCESS)
}

/// What was done, for a person.
fn told(args: &Done, state: &Standing, did: &str) -> String {
    let branch = match &state.branch {
        Some(branch) if did == "merged" && args.delete_branch => format!(", and so is the branch {branch}"),
        Some(branch) => format!("; the branch {branch} stays"),
        None => String::new(),
    };
    match (did, state.merged) {
        ("merged", Merged::Yes) => {
            format!("{} had all of it already; the worktree is removed{branch}", state.into)
        }
        ("merged", _) => {
            let commits = out::count(state.commits, "commit");
            format!("{commits} merged into {}, and the worktree is removed{branch}", state.into)
        }
        ("removed", _) => format!("the worktree is removed{branch}"),
        ("kept", _) => "everything stays as it is".to_owned(),
        _ => "nothing was done; say --merge, --keep or --remove".to_owned(),
    }
}

fn merged(args: &Done, path: &Path, state: &Standing) -> Result<(), String> {
    if state.changed > 0 {
        return Err(format!("{} committed nowhere; commit first", are(state.changed)));
    }
    git::remove::nothing_lost(&state.kept_nowhere).map_err(|why| format!("{why}; move that out first"))?;
    git::submodules::none_goes(&state.submodules)
        .map_err(|why| format!("{why}; keep what is to be kept, merge with git, and say --remove --force"))?;
    let (_, repo) = git::repository(path)?;
    merge(path, state)?;
    git::remove::remove_worktree(path, false)?;
    match (&state.branch, args.delete_branch) {
        (Some(branch), true) => delete_branch(&repo, branch),
        _ => Ok(()),
    }
}

fn removed(force: bool, path: &Path, state: &Standing) -> Result<(), String> {
    if !force && state.changed > 0 {
        return Err(format!("{} committed nowhere; commit first, or say --force", are(state.changed)));
    }
    if !force && state.branch.is_none() && state.merged == Merged::No {
        let commits = out::count(state.commits, "commit");
        return Err(format!("no branch would keep its {commits}; make one in there, or say --force"));
    }
    if !force {
        git::remove::nothing_lost(&state.kept_nowhere)
            .map_err(|why| format!("{why}; move that out, or say --force"))?;
        git::submodules::none_goes(&state.submodules)
            .map_err(|why| format!("{why}; keep what is to be kept, and say --force"))?;
    }
    git::remove::remove_worktree(path, force)
}

/// `1 change is`, `2 changes are`.
fn are(changes: usize) -> String {
    format!("{} {}", out::count(changes, "change"), if changes == 1 { "is" } else { "are" })
}

/// What a person at the terminal wants; `None`: nobody sits there.
fn ask(state: &Standing) -> Result<Option<Choice>, Failure> {
    if link::token().is_some() || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Ok(None);
    }
    let into = &state.into;
    let answer = prompt(&format!("[m]erge into {into} and remove, [r]emove, or [k]eep? [k] "))?;
    Ok(Some(match answer.as_str() {
        "m" | "merge" => Choice::Merge,
        "r" | "remove" => Choice::Remove,
        _ => Choice::Keep,
    }))
}

fn prompt(words: &str) -> Result<String, Failure> {
    let answer = ask::answer(words, io::stdout());
    answer
        .map(|answer| answer.to_lowercase())
        .map_err(|error| format!("no answer can be read: {error}").into())
}

/// How it stands, in words.
fn words(state: &Standing) -> String {
    let into = &state.into;
    let branch = state.branch.as_deref().map_or("no branch".to_owned(), |name| format!("branch {name}"));
    let commits = out::count(state.commits, "commit");
    let merged = match state.merged {
        Merged::Yes => format!("all of it is in {into}"),
        Merged::Equal => format!("{commits}, in {into} as equal patches"),
        Merged::No => format!("{commits} that {into} lacks"),
    };
    let changed = match state.changed {
        0 => "nothing uncommitted".to_owned(),
        changed => format!("{} committed nowhere", are(changed)),
    };
    let pushed = match state.unpushed {
        None => String::new(),
        Some(0) => ", all pushed".to_owned(),
        Some(unpushed) => format!(", {} not pushed", out::count(unpushed, "commit")),
    };
    let ignored = match state.ignored {
        0 => String::new(),
        ignored => format!(", {} ignored by git", out::count(ignored, "file")),
    };
    let unseen = match &state.submodules[..] {
        [] => String::new(),
        unseen => format!(", {} not looked into", out::count(unseen.len(), "submodule")),
    };
    visible(&format!("{branch}: {merged}, {changed}{pushed}{ignored}{unseen}")).into_owned()
}

fn as_json(name: &str, path: &Path, state: &Standing, did: &str) -> Value {
    json!({
        "name": name, "did": did, "branch": state.branch, "into": state.into, "merged": state.merged.name(),
        "commits": state.commits, "changed": state.changed, "ignored": state.ignored,
        "unpushed": state.unpushed, "path": path.to_string_lossy(),
    })
}

/// Removes those that hold nothing of their own.
pub fn prune(args: &Prune, global: &Global) -> Result<ExitCode, Failure> {
    let agents = listed(global)?;
    let mut done = Vec::new();
    for (name, path) in all()? {
        // What git cannot judge is kept, and so is what somebody works in.
        let Ok(state) = standing(&path, None) else { continue };
        if state.is_done() && removable(&agents, &path).is_ok() {
            done.push((name, path, state));
        }
    }
    if done.is_empty() {
        return args.acting.did_nothing("no worktree is done with").map(|()| ExitCode::SUCCESS);
    }
    if !args.acting.json {
        done.iter().try_for_each(|(name, _, state)| out::line(&format!("{name}: {}", words(state))))?;
    }
    let sure = args.yes || agreed(done.len())?;
    if sure {
        is_asked_by_a_person().map_err(|failure| failure.doing("remove worktrees"))?;
    }
    let mut refused = Vec::new();
    for (name, path, state) in &done {
        let removed = if sure { remove_done(global, name, path) } else { Ok(false) };
        let did = if matches!(removed, Ok(true)) { "removed" } else { "nothing" };
        args.acting.did(&as_json(name, path, state, did), None)?;
        refused.extend(removed.err());
    }
    if !sure {
        args.acting.did_nothing("nothing was removed; say --yes")?;
    }
    // What git keeps is no reason to keep those behind it.
    let Some(last) = refused.pop() else { return Ok(ExitCode::SUCCESS) };
    refused.iter().for_each(|failure| out::complain(&failure.to_string()));
    Err(last)
}

/// Whether it was removed here: another one may have been quicker.
fn remove_done(global: &Global, name: &str, path: &Path) -> Result<bool, Failure> {
    // Somebody may have been started there meanwhile, or have written into it: git looks once more.
    settled(global, path)
        .and_then(|_turn| {
            removed_once(path, || git::remove::remove_worktree(path, false)).map_err(Failure::from)
        })
        .map_err(|failure| failure.doing(&format!("remove the worktree {name}")))
}

/// What is gone already is not removed, and what another one removed meanwhile is no failure.
fn removed_once(path: &Path, remove: impl FnOnce() -> Result<(), String>) -> Result<bool, String> {
    if !path.exists() {
        return Ok(false);
    }
    match remove() {
        Ok(()) => Ok(true),
        Err(_) if !path.exists() => Ok(false),
        Err(why) => Err(why),
    }
}

fn agreed(count: usize) -> Result<bool, Failure> {
    if link::token().is_some() || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Ok(false);
    }
    let what = out::count(count, "worktree");
    Ok(matches!(prompt(&format!("Remove {what}? The branches stay. [y/N] "))?.as_str(), "y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_one_has_removed_is_no_failure() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        let refuses = || Err("git says no".to_owned());
        assert_eq!(removed_once(&path, refuses), Ok(false));
        std::fs::create_dir(&path).unwrap();
        assert_eq!(removed_once(&path, refuses), Err("git says no".to_owned()));
        let gone_meanwhile = || {
            std::fs::remove_dir(&path).unwrap();
            refuses()
        };
        assert_eq!(removed_once(&path, gone_meanwhile), Ok(false));
        std::fs::create_dir(&path).unwrap();
        assert_eq!(removed_once(&path, || Ok(())), Ok(true));
    }
}
