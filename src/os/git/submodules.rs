//! The submodules that are checked out in a worktree, of which it has copies of its own.
//!
//! What is in one only another git could say, which follows that one's own settings: nobody looks into it, and that is told before
//! a worktree is removed.

use std::path::Path;

use super::run::git_names;

/// How git lists what stands for a commit of another repository.
const GITLINK: &str = "160000 ";

/// The submodules in the worktree at `path` that hold files, by their paths in it.
///
/// # Errors
/// git's own words.
pub(super) fn submodules(path: &Path) -> Result<Vec<String>, String> {
    let listed = git_names(path, &["ls-files", "--stage", "-z"])?;
    let linked = listed.split_terminator('\0').filter(|entry| entry.starts_with(GITLINK));
    let there = linked.filter_map(|entry| entry.split_once('\t')).map(|(_, name)| name);
    Ok(there.filter(|name| path.join(name).join(".git").exists()).map(str::to_owned).collect())
}

/// Makes sure that no copy of a submodule goes with a worktree.
///
/// # Errors
/// That one does.
pub fn none_goes(submodules: &[String]) -> Result<(), String> {
    let Some(first) = submodules.first() else { return Ok(()) };
    let more = match submodules.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Err(format!(
        "{first}{more} is a submodule, whose changes and commits in here are not looked at and would go with it"
    ))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Work in a submodule was called "nothing uncommitted".
    #[test]
    fn a_submodule_that_holds_files_is_named_and_an_empty_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let git = |at: &Path, words: &str| {
            let made = Command::new("git")
                .args(["-c", "user.name=x", "-c", "user.email=x@y", "-c", "protocol.file.allow=always"])
                .args(words.split(' '))
                .current_dir(at)
                .output()
                .unwrap();
            assert!(made.status.success(), "git {words}: {made:?}");
        };
        let (lib, project) = (folder.path().join("lib"), folder.path().join("p"));
        for repository in [&lib, &project] {
            std::fs::create_dir(repository).unwrap();
            git(repository, "init -q -b main");
            git(repository, "commit -q --allow-empty -m first");
        }
        git(&project, "submodule --quiet add ../lib own/lib");
        git(&project, "commit -q -m lib");
        assert_eq!(submodules(&project).unwrap(), ["own/lib"]);
        git(&project, "worktree add -q ../tree -b tree");
        let tree = folder.path().join("tree");
        assert!(submodules(&tree).unwrap().is_empty());
        git(&tree, "submodule --quiet update --init");
        let found = submodules(&tree).unwrap();
        assert!(none_goes(&found).unwrap_err().starts_with("own/lib is a submodule"), "{found:?}");
        assert_eq!(none_goes(&[]), Ok(()));
    }
}
