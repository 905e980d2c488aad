//! Where agents began: the commit that an agent's folder was at when it was started, for `counsel diff`.
//!
//! A small file for each name in the state folder, written when an agent was started, replaced when another one is started
//! under that name. A restart begins nothing new.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::os::git::changes;
use crate::os::{paths, regular_file};

/// A folder and a commit.
const MAX_BYTES: u64 = 64 * 1024;

/// Where one agent began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    pub folder: PathBuf,
    pub commit: String,
}

/// Where an agent would begin now; what is under no git begins nowhere. Asked before it starts: it may commit at once.
pub fn now(folder: &str) -> Option<Begun> {
    let commit = changes::head(Path::new(folder)).ok()?;
    Some(Begun { folder: folder.into(), commit })
}

/// Notes where an agent began that was started.
pub fn note(name: &str, begun: Option<&Begun>) {
    let Ok(path) = file(name) else { return };
    // The agent runs; that its changes cannot be shown later is said then.
    let _ = match begun.and_then(|begun| serde_json::to_string(begun).ok()) {
        Some(text) => {
            let folder = path.parent().map_or(Ok(()), paths::create_private);
            folder.and_then(|()| paths::write_private(&path, text.as_bytes()))
        }
        None => std::fs::remove_file(&path),
    };
}

/// Where an agent began, if it did so under git.
pub fn read(name: &str) -> Option<Begun> {
    let text = regular_file::read(&file(name).ok()?, MAX_BYTES).ok()?;
    serde_json::from_slice(&text).ok()
}

fn file(name: &str) -> Result<PathBuf, String> {
    Ok(paths::state_dir()?.join("begun").join(format!("{name}.json")))
}
