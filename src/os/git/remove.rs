//! Removing a worktree, once nothing goes with it that is nowhere else.
//!
//! `counsel worktree` asks it, and a start that was refused. A branch never goes with one.

use std::path::Path;

use super::changes::head;
use super::flagged::changed_behind_flags;
use super::kept_nowhere::kept_nowhere_in;
use super::run::{git, git_makes};
use super::standing::count;
use super::{Made, is_lost, repository, worktrees};

/// Takes away what was just made for nobody.
///
/// # Errors
/// Something was written or committed there since: it stays.
pub fn unmake_worktree(repo: &Path, path: &Path, name: &str, made: Made) -> Result<(), String> {
    if made != Made::Nothing {
        remove_worktree(path, false)?;
    }
    if made == Made::TreeAndBranch {
        git(repo, &["branch", "--delete", name])?;
    }
    Ok(())
}

/// Why the worktree at `path` is locked, if it is: git removes none such, and knows why.
pub fn lock_of(path: &Path) -> Option<String> {
    let path = path.canonicalize().ok()?;
    let tree = worktrees(&path).ok()?.into_iter().find(|tree| tree.path == path);
    tree.and_then(|tree| tree.locked)
}

/// Removes a worktree, never its branch. Without `force` only a clean one.
///
/// # Errors
/// git's own words, for instance that it holds changes; or that it holds what only it has, though git says no word of that.
pub fn remove_worktree(path: &Path, force: bool) -> Result<(), String> {
    if !force {
        nothing_lost(&kept_nowhere_in(path)?)?;
        if let [first, ..] = &changed_behind_flags(path)?[..] {
            return Err(format!("{first} is changed, though git was told not to look at it"));
        }
        commits_stay(path)?;
    }
    if is_lost(path) {
        return std::fs::remove_dir_all(path).map_err(|error| error.to_string());
    }
    let (_, common) = repository(path)?;
    let shown = path.display().to_string();
    let mut args = vec!["worktree", "remove"];
    if force {
        args.push("--force");
    }
    args.push(&shown);
    git_makes(&common, &args).map(drop)
}

/// Makes sure that a branch, a tag or a remote has every commit of the worktree at `path`: where none is checked out there, or a
/// rebase has not come to its end, its head is all that leads to them.
fn commits_stay(path: &Path) -> Result<(), String> {
    // Without a commit there is nothing to lose.
    if head(path).is_err() {
        return Ok(());
    }
    let lost = count(path, &["HEAD", "--not", "--branches", "--tags", "--remotes"])?;
    match lost {
        0 => Ok(()),
        1 => Err("no branch would keep its 1 commit".to_owned()),
        lost => Err(format!("no branch would keep its {lost} commits")),
    }
}

/// Makes sure that nothing goes with a worktree that git would not say a word about. `kept_nowhere`: as `Standing` has it.
///
/// # Errors
/// What there is of it.
pub fn nothing_lost(kept_nowhere: &[String]) -> Result<(), String> {
    match kept_nowhere {
        [] => Ok(()),
        [one] => Err(format!("{one} is ignored by git and nowhere else")),
        [one, rest @ ..] => Err(format!("{one} and {} more are ignored by git and nowhere else", rest.len())),
    }
}
