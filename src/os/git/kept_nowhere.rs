//! What a worktree holds that git does not keep and no build makes anew: it would be lost with the folder.
//!
//! Asked before one is removed. It only looks.

use std::path::Path;

use super::run::{NOT_INTO_SUBMODULES, git};

/// Folders that builds, package managers and test runners make and make again: whatever lies in there is lost to nobody. Not
/// `bin` and `out`, in which people keep scripts and results of their own.
const MADE_ANEW: &str = "target node_modules dist build obj .venv venv __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox \
    .gradle .next .nuxt .svelte-kit .turbo .parcel-cache .cache coverage .nyc_output";
/// The same of files, by their ends. Not logs: what ran for days wrote some of them.
const FILES_MADE_ANEW: [&str; 6] = [".o", ".a", ".so", ".pyc", ".class", ".DS_Store"];

/// What a repository ignores in the worktree at `path` and no build makes anew, such as `.env`: it is lost with the folder.
///
/// # Errors
/// git's own words.
pub fn kept_nowhere_in(path: &Path) -> Result<Vec<String>, String> {
    git(path, &["status", "--porcelain", "--ignored", NOT_INTO_SUBMODULES])
        .map(|status| kept_nowhere(&status))
}

/// The same of what git says of it.
pub(super) fn kept_nowhere(status: &str) -> Vec<String> {
    let ignored = status.lines().filter_map(|line| line.strip_prefix("!! "));
    let made_anew = |path: &&str| {
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
        match path.ends_with('/') {
            true => MADE_ANEW.split_whitespace().any(|folder| folder == name),
            false => FILES_MADE_ANEW.iter().any(|end| name.ends_with(end)),
        }
    };
    ignored.filter(|path| !made_anew(path)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The only copy of what had run for days went with its worktree, without a word.
    #[test]
    fn what_builds_make_is_lost_to_nobody_and_a_log_is() {
        let status =
            "!! target/\n!! web/node_modules/\n!! a.pyc\n!! train.log\n!! notes.tmp\n!! .env\n M src/a.rs\n";
        assert_eq!(kept_nowhere(status), ["train.log", "notes.tmp", ".env"]);
    }
}
