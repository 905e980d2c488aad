//! git, run as a program: worktrees of their own for agents, and what branch a folder is on.
//!
//! The command line calls it before an agent is started and where agents are listed. It changes a checkout of the
//! user's, or removes a branch, only where they have asked for that merge, and takes no lock of git's for merely looking.

pub mod changes;
mod filtered;
mod flagged;
pub mod head;
mod kept_nowhere;
pub mod place;
pub mod remove;
mod run;
mod signing;
pub mod standing;
pub mod submodules;
pub mod turn;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use run::{NOT_INTO_SUBMODULES, git, git_makes, git_names};

/// The longest name of a worktree: as a folder and as a branch it leaves room for what stands around it.
const LONGEST_NAME: usize = 100;

/// A worktree of git's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    pub path: PathBuf,
    /// `None`: no branch is checked out there.
    pub branch: Option<String>,
    /// Why it was locked (`git worktree lock`), which may be no word.
    pub locked: Option<String>,
}

/// What an agent's worktree was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// It was there.
    Nothing,
    Tree,
    TreeAndBranch,
}

/// What a folder under git looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// `None`: no branch is checked out.
    pub branch: Option<String>,
    /// Something is changed, added or untracked.
    pub dirty: bool,
}

/// Whether `name` can be a folder and a branch. What git itself would refuse of it is said by git.
///
/// # Errors
/// What is wrong with it.
pub fn check_name(name: &str) -> Result<(), String> {
    let letters = |ch: char| ch.is_ascii_alphanumeric() || "-_./".contains(ch);
    let parts_hold = name.split('/').all(|part| {
        !part.is_empty() && !part.starts_with(['.', '-']) && !part.ends_with('.') && !part.ends_with(".lock")
    });
    if name.len() <= LONGEST_NAME && name.chars().all(letters) && parts_hold && !name.contains("..") {
        return Ok(());
    }
    Err(format!("'{name}' cannot name a worktree; write letters, digits, - _ . and /, for example fix-login"))
}

/// The top folder of the repository's checkout that `dir` lies in, and the folder git keeps its data in,
/// which all its worktrees share.
///
/// # Errors
/// git's own words: there is no repository, or git is not installed.
pub fn repository(dir: &Path) -> Result<(PathBuf, PathBuf), String> {
    // One at a time: a path may hold line feeds, and cut there it is another repository's.
    let path = |which| {
        let told = git(dir, &["rev-parse", "--path-format=absolute", which])?;
        let path = told.strip_suffix('\n').unwrap_or(&told);
        let none = || format!("{} has no checkout of a git repository", dir.display());
        if path.is_empty() { Err(none()) } else { Ok(PathBuf::from(path)) }
    };
    Ok((path("--show-toplevel")?, path("--git-common-dir")?))
}

/// Makes sure that the worktree at `path` is there, on the branch `name`: one that is there already is
/// taken as it is, an existing branch is checked out, a new one begins at the commit `repo` is at.
///
/// # Errors
/// git's own words, for instance that the branch is checked out elsewhere.
pub fn ensure_worktree(repo: &Path, path: &Path, name: &str) -> Result<Made, String> {
    // What makes a checkout has all the time it wants: a pipe among the references would hold it for ever.
    git_names(repo, &["for-each-ref", "--count=1", "refs/heads"])?;
    let known = worktrees(repo)?.into_iter().find(|tree| tree.path == path);
    match known {
        // Whatever branch the agent went on to in there is its own affair.
        Some(_) if path.is_dir() => return Ok(Made::Nothing),
        // Somebody removed the folder by hand; git has to forget it before it makes it anew.
        Some(_) => drop(git(repo, &["worktree", "prune"])?),
        None => {}
    }
    let path = path.display().to_string();
    let branch = format!("refs/heads/{name}");
    let exists = git(repo, &["show-ref", "--verify", "--quiet", &branch]).is_ok();
    Ok(match exists {
        true => git_makes(repo, &["worktree", "add", &path, name]).map(|_| Made::Tree)?,
        false => git_makes(repo, &["worktree", "add", "-b", name, &path]).map(|_| Made::TreeAndBranch)?,
    })
}

/// All worktrees of a repository, its own checkout first.
///
/// # Errors
/// git's own words.
pub fn worktrees(repo: &Path) -> Result<Vec<Worktree>, String> {
    let told = git(repo, &["worktree", "list", "--porcelain"])?;
    let mut trees: Vec<Worktree> = Vec::new();
    for line in told.lines() {
        if let Some(path) = line.strip_prefix("worktree ") {
            trees.push(Worktree { path: path.into(), branch: None, locked: None });
        } else if let (Some(branch), Some(tree)) = (line.strip_prefix("branch refs/heads/"), trees.last_mut())
        {
            tree.branch = Some(branch.to_owned());
        } else if let (Some(why), Some(tree)) = (line.strip_prefix("locked"), trees.last_mut()) {
            tree.locked = Some(why.trim_start().to_owned());
        }
    }
    Ok(trees)
}

/// Whether the repository of the worktree at `path` is gone. What lies there is a folder that no git knows any more.
pub fn is_lost(path: &Path) -> bool {
    head::within(path.join(".git")).is_some_and(|repository| !repository.exists())
}

/// Branch and dirt of many folders at once. What is under no git, or takes longer than `within`, is left out.
pub fn states(dirs: impl IntoIterator<Item = PathBuf>, within: Duration) -> BTreeMap<PathBuf, State> {
    let (sender, answers) = mpsc::channel();
    let mut asked = 0;
    for dir in dirs {
        let sender = sender.clone();
        let ask = move || {
            let state = state(&dir);
            // The listing may have given up on this one.
            let _ = sender.send((dir, state));
        };
        // Where no thread can be had, no git can either: such a folder is listed without its state.
        asked += usize::from(thread::Builder::new().spawn(ask).is_ok());
    }
    let deadline = Instant::now() + within;
    let mut states = BTreeMap::new();
    for _ in 0..asked {
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok((dir, state)) = answers.recv_timeout(left) else { break };
        states.extend(state.ok().map(|state| (dir, state)));
    }
    states
}

/// Branch and dirt of one folder.
///
/// # Errors
/// git's own words: there is no repository, or git is not installed.
pub fn state(dir: &Path) -> Result<State, String> {
    let told = git(dir, &["status", "--porcelain=v2", "--branch", NOT_INTO_SUBMODULES])?;
    let head = told.lines().find_map(|line| line.strip_prefix("# branch.head "));
    Ok(State {
        branch: head.filter(|head| *head != "(detached)").map(str::to_owned),
        dirty: told.lines().any(|line| !line.starts_with('#')),
    })
}

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn names_are_folders_and_branches() {
        for good in ["fix-login", "feat/cache_2", "v1.2"] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for bad in ["", "-x", "a/../b", ".git", "a//b", "a/", "a b", "ä", "x.lock", "a/.b", &"x".repeat(101)]
        {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
