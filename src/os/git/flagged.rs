//! Files that git was told not to look at (`update-index --assume-unchanged`, `--skip-worktree`) and that differ from what it
//! holds all the same: no status names them, and they would be lost with their folder.
//!
//! Asked before a worktree is removed. It only looks.

use std::path::Path;

use super::run::git;

/// The files of the worktree at `path` that are changed behind such a flag.
///
/// # Errors
/// git's own words.
pub fn changed_behind_flags(path: &Path) -> Result<Vec<String>, String> {
    let told = git(path, &["ls-files", "-v", "-z"])?;
    let mut changed = Vec::new();
    for name in told.split_terminator('\0').filter_map(flagged) {
        // Of a sparse checkout most are not there, and nothing of them is lost.
        let Ok(there) = path.join(name).symlink_metadata() else { continue };
        // What has become no file is another thing than what is held; and a pipe would be read for ever.
        if !there.is_file() || !is_as_held(path, name)? {
            changed.push(name.to_owned());
        }
    }
    Ok(changed)
}

/// `S name` is skipped; a letter in lower case is assumed to be unchanged (git-ls-files, `-t` and `-v`).
fn flagged(line: &str) -> Option<&str> {
    let (tag, name) = line.split_once(' ')?;
    (tag == "S" || tag.starts_with(|tag: char| tag.is_ascii_lowercase())).then_some(name)
}

/// Whether what git would make of the file now is what its index has of it.
fn is_as_held(path: &Path, name: &str) -> Result<bool, String> {
    let held = git(path, &["rev-parse", "--verify", "--quiet", &format!(":{name}")])?;
    // What cannot be read cannot be taken for kept.
    let now = git(path, &["hash-object", "--", name]).unwrap_or_default();
    Ok(held.trim() == now.trim())
}

#[cfg(test)]
mod tests {
    use super::flagged;

    #[test]
    fn what_git_does_not_look_at_is_told_by_its_letter() {
        assert_eq!(flagged("h a b"), Some("a b"));
        assert_eq!(flagged("S a"), Some("a"));
        assert_eq!(flagged("s a"), Some("a"), "both");
        for seen in ["H a", "M a", "K a", ""] {
            assert_eq!(flagged(seen), None, "{seen}");
        }
    }
}
