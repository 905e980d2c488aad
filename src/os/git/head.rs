//! Which branch a folder is on, as `.git/HEAD` says it: without running git, for who asks every few seconds.
//!
//! The dashboard asks for it. A repository may be anybody's: nothing of it is run, and what is no plain file is not read.

use std::path::{Path, PathBuf};

use crate::os::regular_file::read_named_text;

/// One line each.
const LONGEST: u64 = 4_096;
/// As git shortens the name of a commit.
const SHORT: usize = 7;

/// The branch that is checked out there; where none is, the commit. `None`: it is under no repository.
pub fn head(dir: &Path) -> Option<String> {
    let git = dir.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let text = read_named_text(&within(git)?.join("HEAD"), LONGEST).ok()?;
    match text.trim().strip_prefix("ref: ") {
        Some(branch) => Some(branch.strip_prefix("refs/heads/").unwrap_or(branch).to_owned()),
        None => text.get(..SHORT).map(str::to_owned),
    }
}

/// The repository's folder; of a worktree a file names it, whether or not it is there still.
pub fn within(git: PathBuf) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git);
    }
    let text = read_named_text(&git, LONGEST).ok()?;
    Some(git.parent()?.join(text.strip_prefix("gitdir: ")?.trim()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::is_lost;
    use super::*;

    #[test]
    fn a_branch_a_worktree_a_commit_and_nothing_are_told_apart() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let head = |dir: &str| head(&root.path().join(dir));
        write("shop/.git/HEAD", "ref: refs/heads/fix/login\n");
        write("shop/src/main.rs", "");
        assert_eq!(head("shop/src").as_deref(), Some("fix/login"));
        write("shop/.git/worktrees/a/HEAD", "ref: refs/heads/a\n");
        write("a/.git", "gitdir: ../shop/.git/worktrees/a\n");
        assert_eq!(head("a").as_deref(), Some("a"));
        write("shop/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n");
        assert_eq!(head("shop").as_deref(), Some("0123456"));
        write("odd/.git/HEAD", "x");
        assert_eq!(head("odd"), None);
        nix::unistd::mkfifo(&root.path().join("pipe"), nix::sys::stat::Mode::S_IRUSR).unwrap();
        write("hung/.git", "gitdir: ..\n");
        fs::rename(root.path().join("pipe"), root.path().join("HEAD")).unwrap();
        assert_eq!(head("hung"), None, "a pipe is not waited for");
    }

    /// git writes such a link from 2.48 on, if it is told to. Taken from the folder one is in, it led nowhere, and `--force` removed
    /// what git still knew.
    #[test]
    fn a_worktree_with_a_relative_link_is_not_lost() {
        let root = tempfile::tempdir().unwrap();
        let tree = root.path().join("tree");
        fs::create_dir_all(root.path().join("shop/.git/worktrees/tree")).unwrap();
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join(".git"), "gitdir: ../shop/.git/worktrees/tree\n").unwrap();
        assert!(!is_lost(&tree));
        fs::remove_dir_all(root.path().join("shop")).unwrap();
        assert!(is_lost(&tree));
        fs::remove_file(tree.join(".git")).unwrap();
        nix::unistd::mkfifo(&tree.join(".git"), nix::sys::stat::Mode::S_IRUSR).unwrap();
        assert!(!is_lost(&tree), "a pipe is not waited for");
    }
}
