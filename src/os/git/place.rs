//! Where the worktrees of agents lie.
//!
//! `cli/worktree.rs` makes and removes them there; the configuration has a person agree to what an agent runs in one that is
//! there already. Nothing is changed here.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use super::repository;
use crate::os::paths;

/// One worktree, there or not.
#[derive(Debug)]
pub struct Place {
    /// The checkout of the repository that it is one of.
    pub top: PathBuf,
    pub path: PathBuf,
    /// Where all those of its repository lie.
    pub among: PathBuf,
    /// Where its agent works below it.
    below: PathBuf,
}

impl Place {
    /// The worktree `name` of the repository around `cwd`.
    ///
    /// # Errors
    /// git's own words, or there is no folder for what counsel keeps.
    pub fn of(cwd: &Path, name: &str) -> Result<Place, String> {
        let (top, common) = repository(cwd)?;
        let among = folder_of(&common)?;
        let path = among.join(name);
        // The same place within the repository; `cwd` may be written with links that git has resolved.
        let real = cwd.canonicalize().unwrap_or_else(|_| cwd.to_path_buf());
        let below = real.strip_prefix(&top).unwrap_or(Path::new("")).to_path_buf();
        Ok(Place { top, path, among, below })
    }

    /// The folder its agent works in, once it is there.
    pub fn folder(&self) -> PathBuf {
        // Joined with nothing, a path ends in a slash, and is another one for whoever compares them as text.
        let folder = Some(self.path.join(&self.below));
        let folder = folder.filter(|folder| self.below != Path::new("") && folder.is_dir());
        folder.unwrap_or_else(|| self.path.clone())
    }
}

/// Where the worktrees of one repository lie: its name for people, a hash of its place against mix-ups.
///
/// # Errors
/// There is no folder for what counsel keeps.
pub fn folder_of(common: &Path) -> Result<PathBuf, String> {
    let mut hasher = DefaultHasher::new();
    common.hash(&mut hasher);
    let named = if common.ends_with(".git") { common.parent().unwrap_or(common) } else { common };
    let name = named.file_name().map_or_else(|| "repo".into(), |name| name.to_string_lossy());
    Ok(root()?.join(format!("{name}-{:08x}", hasher.finish() as u32)))
}

/// Where all of them lie.
///
/// # Errors
/// There is no folder for what counsel keeps.
pub fn root() -> Result<PathBuf, String> {
    Ok(paths::state_dir()?.join("worktrees"))
}
