//! What has changed in a folder since a commit: committed, not yet committed, and files that are new.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};

use super::run::{NOT_INTO_SUBMODULES, git, git_names, git_with};
use crate::os::regular_file;

/// One changed file. `None` for lines: it is binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub path: String,
    pub added: Option<u64>,
    pub removed: Option<u64>,
}

/// The commit a folder is at.
///
/// # Errors
/// git's own words: there is no repository, or no commit yet.
pub fn head(dir: &Path) -> Result<String, String> {
    git_names(dir, &["rev-parse", "--verify", "HEAD"]).map(|told| told.trim().to_owned())
}

/// The last commit that `HEAD` and the repository's own checkout share.
///
/// # Errors
/// git's own words.
pub fn fork_point(dir: &Path) -> Result<String, String> {
    let trees = super::worktrees(dir)?;
    let own = trees.first().ok_or("git lists no checkout")?;
    // That there is a repository is known by now.
    let other = head(&own.path).map_err(|_| "its repository has no commit yet")?;
    git(dir, &["merge-base", "HEAD", &other]).map(|told| told.trim().to_owned())
}

/// Looks at the changes of the repository around a folder, new files among them, and leaves its index alone.
#[derive(Debug)]
pub struct Changes {
    top: PathBuf,
    since: String,
    /// A copy of the index in which new files are known by name.
    index: PathBuf,
    /// What was a file and is a pipe, a socket or a device now: git ends over the first of them.
    no_files: Vec<String>,
}

impl Changes {
    /// `scratch` is a file of ours; it is removed with this.
    ///
    /// # Errors
    /// git's own words, or that the copy cannot be made.
    pub fn since(dir: &Path, commit: &str, scratch: PathBuf) -> Result<Changes, String> {
        let (top, common) = super::repository(dir)?;
        holds_nothing_up(&top, &common)?;
        git(&top, &["rev-parse", "--verify", "--quiet", &format!("{commit}^{{commit}}")])
            .map_err(|_| format!("the commit {commit} is not in {} any more", top.display()))?;
        let index = git(&top, &["rev-parse", "--path-format=absolute", "--git-path", "index"])?;
        copy_index(Path::new(index.trim_end()), &scratch)
            .map_err(|error| format!("{} cannot be copied: {error}", index.trim_end()))?;
        let mut changes = Changes { top, since: commit.to_owned(), index: scratch, no_files: Vec::new() };
        changes.no_files = changes.find_no_files()?;
        // Without the last it looks at what is known as well, and so into submodules.
        changes.git_of_files(&["add", "--intent-to-add", "--ignore-removal"])?;
        Ok(changes)
    }

    /// Files of the repository that are none any more, and of which nothing can be shown.
    pub fn no_files(&self) -> &[String] {
        &self.no_files
    }

    fn find_no_files(&self) -> Result<Vec<String>, String> {
        let changed = self.git(&["diff-files", "--name-only", "--no-relative", NOT_INTO_SUBMODULES, "-z"])?;
        let none = |path: &&str| {
            let meta = self.top.join(path).symlink_metadata();
            meta.is_ok_and(|meta| !meta.is_file() && !meta.is_symlink() && !meta.is_dir())
        };
        Ok(changed.split_terminator('\0').filter(none).map(str::to_owned).collect())
    }

    /// The changes as a patch.
    ///
    /// # Errors
    /// git's own words.
    pub fn patch(&self) -> Result<String, String> {
        self.diff(&["--patch", "--binary"])
    }

    /// The changed files.
    ///
    /// # Errors
    /// git's own words.
    pub fn files(&self) -> Result<Vec<Changed>, String> {
        let told = self.diff(&["--numstat", "--no-renames", "-z"])?;
        let lines = told.split('\0').filter_map(|record| {
            let mut parts = record.splitn(3, '\t');
            let (added, removed) = (parts.next()?.parse().ok(), parts.next()?.parse().ok());
            Some(Changed { path: parts.next()?.to_owned(), added, removed })
        });
        Ok(lines.collect())
    }

    fn diff(&self, form: &[&str]) -> Result<String, String> {
        // No program that the repository names is run for it.
        let fixed = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", NOT_INTO_SUBMODULES];
        self.git_of_files(&[&fixed, form, &[&self.since]].concat())
    }

    /// Of everything but those.
    fn git_of_files(&self, args: &[&str]) -> Result<String, String> {
        let without: Vec<String> =
            self.no_files.iter().map(|path| format!(":(exclude,literal){path}")).collect();
        let without = without.iter().map(String::as_str);
        self.git(&args.iter().copied().chain(["--", "."]).chain(without).collect::<Vec<&str>>())
    }

    fn git(&self, args: &[&str]) -> Result<String, String> {
        git_with(&self.top, args, &[("GIT_INDEX_FILE", &self.index.to_string_lossy())])
    }
}

/// Makes sure that git is not held up by a pipe in place of a file that it reads before any other. Deeper in, its own time limit
/// is what ends it: to look everywhere takes as long as git does.
fn holds_nothing_up(top: &Path, common: &Path) -> Result<(), String> {
    let of_top = [".gitignore", ".gitattributes", ".gitmodules"].map(|name| top.join(name));
    let of_info = ["info/exclude", "info/attributes"].map(|name| common.join(name));
    let waits = |path: &&PathBuf| path.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
    match of_top.iter().chain(&of_info).find(waits) {
        None => Ok(()),
        Some(path) => Err(format!(
            "git would wait for {}, which is a pipe, a socket or a device; put a file in its place",
            path.display()
        )),
    }
}

/// A copy with the time of the original: git compares the content of a file that was written in the second in which
/// its index was, and trusts size and time of any other. With a time of its own the copy would hide such a change.
fn copy_index(index: &Path, copy: &Path) -> io::Result<()> {
    // One descriptor for words and time: git replaces its index by another file.
    let mut from = regular_file::open_named(index)?;
    let written = from.metadata()?.modified()?;
    let mut to = regular_file::open(copy, OpenOptions::new().write(true).create(true).truncate(true))?;
    io::copy(&mut from, &mut to)?;
    to.set_modified(written)
}

impl Drop for Changes {
    fn drop(&mut self) {
        // Made anew by the next one, should it stay.
        let _ = std::fs::remove_file(&self.index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_is_not_run_over_a_pipe_that_it_would_wait_for() {
        let folder = tempfile::tempdir().unwrap();
        let (top, common) = (folder.path(), folder.path().join(".git"));
        std::fs::create_dir_all(common.join("info")).unwrap();
        std::fs::write(top.join(".gitignore"), "target").unwrap();
        std::os::unix::fs::symlink("nowhere", top.join(".gitattributes")).unwrap();
        assert_eq!(holds_nothing_up(top, &common), Ok(()));
        for name in [".gitmodules", ".git/info/exclude"] {
            let path = top.join(name);
            nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
            let why = holds_nothing_up(top, &common).unwrap_err();
            assert!(why.contains(name), "{why}");
            std::fs::remove_file(&path).unwrap();
        }
    }
}
