//! How a worktree stands to a branch of its repository: committed, merged, pushed; and the merge itself.
//!
//! `counsel worktree done` and `prune` ask here before anything is removed. A merge that does not go through is taken
//! back; no branch is removed that is not in the other one.

use std::collections::HashSet;
use std::path::Path;

use super::filtered::none_is_written;
use super::flagged::changed_behind_flags;
use super::kept_nowhere::kept_nowhere;
use super::run::{NOT_INTO_SUBMODULES, git, git_commits, git_with};
use super::submodules::submodules;
use super::{state, worktrees};

/// Whether what a branch holds is in another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merged {
    /// It has no commit that the other lacks.
    Yes,
    /// Its commits are there as equal patches: picked, rebased, or squashed into one.
    Equal,
    No,
}

impl Merged {
    pub fn name(self) -> &'static str {
        match self {
            Merged::Yes => "yes",
            Merged::Equal => "equal",
            Merged::No => "no",
        }
    }
}

/// What would be lost, and what would not, if a worktree went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// `None`: no branch is checked out there.
    pub branch: Option<String>,
    /// The branch it is held against.
    pub into: String,
    /// Commits that `into` lacks.
    pub commits: usize,
    pub merged: Merged,
    /// Files that are changed, added or new, and committed nowhere.
    pub changed: usize,
    /// Files and folders that the repository ignores: no git keeps them.
    pub ignored: usize,
    /// Those among them that no build makes anew, and that are nowhere else.
    pub kept_nowhere: Vec<String>,
    /// Submodules that hold files, into which nobody has looked.
    pub submodules: Vec<String>,
    /// Commits that no remote has; `None`: the repository has no remote.
    pub unpushed: Option<usize>,
}

impl Standing {
    /// Nothing in there is to be found only in there.
    pub fn is_done(&self) -> bool {
        self.changed == 0
            && self.merged != Merged::No
            && self.kept_nowhere.is_empty()
            && self.submodules.is_empty()
    }
}

/// How the worktree at `path` stands to `into`; without one, to the branch of the repository's own checkout.
///
/// # Errors
/// git's own words, or that there is no branch to hold it against.
pub fn standing(path: &Path, into: Option<&str>) -> Result<Standing, String> {
    let own = worktrees(path)?.into_iter().next().and_then(|tree| tree.branch);
    let into = into.map(str::to_owned).or(own);
    let into = into.ok_or("the repository's own checkout is on no branch; name one with --into")?;
    let reference = format!("refs/heads/{into}");
    git(path, &["rev-parse", "--verify", "--quiet", &reference])
        .map_err(|_| format!("there is no branch '{into}' any more; name another with --into"))?;
    let branch = state(path)?.branch;
    if branch.as_ref() == Some(&into) {
        return Err(format!("it is on {into} itself; name another branch with --into"));
    }
    let commits = count(path, &[&format!("{reference}..HEAD")])?;
    let status = git(path, &["status", "--porcelain", "--ignored", NOT_INTO_SUBMODULES])?;
    let ignored = status.lines().filter(|line| line.starts_with("!!")).count();
    let unpushed = match git(path, &["remote"])?.is_empty() {
        true => None,
        false => Some(count(path, &["HEAD", "--not", "--remotes"])?),
    };
    Ok(Standing {
        branch,
        merged: if commits == 0 { Merged::Yes } else { merged(path, &reference)? },
        into,
        commits,
        changed: status.lines().count() - ignored + changed_behind_flags(path)?.len(),
        ignored,
        kept_nowhere: kept_nowhere(&status),
        submodules: submodules(path)?,
        unpushed,
    })
}

pub(super) fn count(path: &Path, range: &[&str]) -> Result<usize, String> {
    let told = git(path, &[&["rev-list", "--count"], range].concat())?;
    told.trim().parse().map_err(|_| format!("git counts '{}' commits", told.trim()))
}

/// Whether the commits of `HEAD` are in `reference` under other names.
fn merged(path: &Path, reference: &str) -> Result<Merged, String> {
    let all_there = |told: &str| !told.is_empty() && told.lines().all(|line| line.starts_with('-'));
    let cherry = git(path, &["cherry", reference, "HEAD"])?;
    let merges = count(path, &["--merges", &format!("{reference}..HEAD")])?;
    // Merge commits are not in that list, and may hold changes of their own.
    if merges == 0 && all_there(&cherry) {
        return Ok(Merged::Equal);
    }
    let base = git(path, &["merge-base", reference, "HEAD"])?;
    let base = base.trim();
    // The same changes as one commit, as a squash makes them. Nothing refers to it; git clears it away.
    let who = [
        ("GIT_AUTHOR_NAME", "counsel"),
        ("GIT_AUTHOR_EMAIL", "counsel"),
        ("GIT_COMMITTER_NAME", "counsel"),
        ("GIT_COMMITTER_EMAIL", "counsel"),
    ];
    let squashed = git_with(path, &["commit-tree", "HEAD^{tree}", "-p", base, "-m", "squashed"], &who)?;
    let same =
        git(path, &["rev-parse", "HEAD^{tree}"])? == git(path, &["rev-parse", &format!("{base}^{{tree}}")])?;
    let there = same || all_there(&git(path, &["cherry", reference, squashed.trim()])?);
    Ok(if there { Merged::Equal } else { Merged::No })
}

/// Merges the worktree's branch into the checkout that has `into`.
///
/// # Errors
/// Why it was not merged; then everything is as it was.
pub fn merge(path: &Path, standing: &Standing) -> Result<(), String> {
    let branch = standing.branch.as_deref().ok_or("it is on no branch; make one in there first")?;
    let into = &standing.into;
    let target = worktrees(path)?.into_iter().find(|tree| tree.branch.as_deref() == Some(into));
    let target = target.ok_or(format!("{into} is checked out nowhere; check it out"))?.path;
    let dirty = git(&target, &["status", "--porcelain", "--untracked-files=no", NOT_INTO_SUBMODULES])?;
    if !dirty.is_empty() {
        return Err(format!("{} has changes of its own; commit or stash them", target.display()));
    }
    would_overwrite_nothing(&target, branch)?;
    none_is_written(&target, branch)?;
    if let Err(why) = git_commits(&target, &["merge", "--no-edit", "--quiet", branch]) {
        let both = git(&target, &["diff", "--name-only", "--diff-filter=U", NOT_INTO_SUBMODULES])
            .unwrap_or_default();
        let both: Vec<&str> = both.lines().collect();
        // There is nothing to take back where it did not even begin.
        let _ = git(&target, &["merge", "--abort"]);
        return Err(match both.as_slice() {
            [] => why,
            files => format!("{branch} and {into} both change {}; nothing was merged", files.join(", ")),
        });
    }
    Ok(())
}

/// Nothing lies where the branch has a new file. What git ignores it overwrites in a merge, and says nothing.
fn would_overwrite_nothing(target: &Path, branch: &str) -> Result<(), String> {
    let names = |of: &[&str]| git(target, &[&["diff", "--name-only", "-z", "--no-renames"], of].concat());
    // What the branch only kept of old is taken away by a merge and not brought back.
    let touched = names(&[&format!("HEAD...{branch}")])?;
    let touched: HashSet<&str> = touched.split_terminator('\0').collect();
    let new = names(&["--diff-filter=A", "HEAD", branch])?;
    let lies = |name: &&str| {
        let path = target.join(name);
        // A file in the place of one of its folders is in its way as well.
        let in_its_way = |at: &Path| at.symlink_metadata().is_ok_and(|found| at == path || !found.is_dir());
        path.ancestors().take_while(|at| *at != target).any(in_its_way)
    };
    let new = new.split_terminator('\0').filter(|name| touched.contains(name));
    let lying: Vec<&str> = new.filter(lies).collect();
    match lying.as_slice() {
        [] => Ok(()),
        names => Err(format!(
            "{branch} has a file of the name {}, and {} has one that git does not keep; move that away, nothing was merged",
            names.join(", "),
            target.display()
        )),
    }
}

/// Removes a branch that `into`, or its own upstream, holds whole.
///
/// # Errors
/// git's own words, for instance that it does not.
pub fn delete_branch(repo: &Path, branch: &str) -> Result<(), String> {
    git(repo, &["branch", "--delete", branch]).map(drop)
}
