//! Files that git keeps in another form than it checks them out in: encrypted ones, large ones that lie elsewhere.
//!
//! The programs that turn one form into the other are not run here (`run.rs`), so that a merge would write the stored form into
//! the person's checkout, and git would call it unchanged. `standing.rs` asks before it merges.

use std::collections::BTreeSet;
use std::path::Path;

use super::run::{git, programs};

/// Paths given to git at once: each may be a few hundred bytes, and a command line holds a megabyte or two.
const AT_ONCE: usize = 500;

/// Makes sure that a merge of the branch writes no file that goes through such a program.
///
/// # Errors
/// Which one does; or git's own words.
pub fn none_is_written(target: &Path, branch: &str) -> Result<(), String> {
    let filters = filters(&programs(target)?);
    if filters.is_empty() {
        return Ok(());
    }
    let touched = git(target, &["diff", "--name-only", "-z", "--no-renames", &format!("HEAD...{branch}")])?;
    let touched: Vec<&str> = touched.split_terminator('\0').collect();
    for names in touched.chunks(AT_ONCE) {
        // By the attributes as they are, and as the branch has them; older versions of git cannot tell those.
        let source = format!("--source={branch}");
        let here = git(target, &[&["check-attr", "-z", "filter", "--"], names].concat())?;
        let there = git(target, &[&["check-attr", "-z", &source, "filter", "--"], names].concat());
        let found = filtered(&here, &filters).or_else(|| filtered(there.as_deref().ok()?, &filters));
        if let Some((name, filter)) = found {
            return Err(format!(
                "{name} goes through the filter '{filter}', which counsel does not run; nothing was merged. 'git config --show-origin \
                 --get-regexp ^filter' shows who named it: if that is as it should be, merge {branch} with git, then say --remove"
            ));
        }
    }
    Ok(())
}

/// The filters that have a program for what is checked out, by the names of git's settings.
fn filters(settings: &[String]) -> BTreeSet<String> {
    let named = |setting: &String| {
        let (filter, what) = setting.strip_prefix("filter.")?.rsplit_once('.')?;
        ["smudge", "process"].contains(&what).then(|| filter.to_owned())
    };
    settings.iter().filter_map(named).collect()
}

/// The first path that has one of these filters: `path`, `filter` and its name for each, as git tells them.
fn filtered<'t>(told: &'t str, filters: &BTreeSet<String>) -> Option<(&'t str, &'t str)> {
    let fields: Vec<&str> = told.split_terminator('\0').collect();
    let mut files = fields.chunks_exact(3).map(|file| (file[0], file[2]));
    files.find(|(_, filter)| filters.contains(*filter))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn run(folder: &Path, args: &[&str]) {
        let who = ["-c", "user.name=n", "-c", "user.email=e"];
        let done = Command::new("git").arg("-C").arg(folder).args(who).args(args).output().unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    /// The stored form stood in the person's own checkout, and nothing told of it.
    #[test]
    fn what_goes_through_a_filter_is_not_merged_without_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        run(at, &["init", "-q", "-b", "main"]);
        for (name, text) in
            [(".gitattributes", "*.sec filter=enc\n*.txt filter=none\n"), ("a.sec", "one"), ("b.txt", "one")]
        {
            std::fs::write(at.join(name), text).unwrap();
        }
        run(at, &["add", "."]);
        run(at, &["commit", "-qm", "x"]);
        for (branch, file, text) in
            [("plain", "b.txt", "two"), ("secret", "a.sec", "two"), ("new", "c.bin", "two")]
        {
            run(at, &["checkout", "-qb", branch, "main"]);
            std::fs::write(at.join(file), text).unwrap();
            if branch == "new" {
                std::fs::write(at.join(".gitattributes"), "*.bin filter=enc\n").unwrap();
            }
            run(at, &["add", "."]);
            run(at, &["commit", "-qm", branch]);
        }
        run(at, &["checkout", "-q", "main"]);
        assert_eq!(none_is_written(at, "secret"), Ok(()), "there is no such filter");
        run(at, &["config", "filter.enc.smudge", "base64 -d"]);
        assert_eq!(none_is_written(at, "plain"), Ok(()));
        for (branch, file) in [("secret", "a.sec"), ("new", "c.bin")] {
            let why = none_is_written(at, branch).unwrap_err();
            assert!(why.starts_with(&format!("{file} goes through the filter 'enc'")), "{why}");
        }
    }
}
