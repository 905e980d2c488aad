//! The layout of the dashboard that was last chosen in a project, kept in the state folder.
//!
//! `cli/open.rs` begins with it and notes what is chosen in the dashboard, `cli/up.rs` what `--layout` names. It never
//! looks at whether such a layout is there.

use std::io;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::os::{paths, regular_file};

use super::failure::Failure;

/// The file that holds the name of a layout.
const LAYOUT_BYTES: u64 = 4 * 1024;

/// The layout last chosen for this project, by `counsel up --layout` or in the dashboard, for the dashboards to come.
pub fn remember(layout: &str) -> Result<(), Failure> {
    let path = file()?;
    let failed = |error: io::Error| Failure::from(format!("could not write {}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        paths::create_private(folder).map_err(failed)?;
    }
    paths::write_private(&path, layout.as_bytes()).map_err(failed)
}

/// None where none was chosen yet, or its file cannot be read: the configured one is used then.
pub fn remembered() -> Option<String> {
    let text = regular_file::read(&file().ok()?, LAYOUT_BYTES).ok()?;
    Some(String::from_utf8(text).ok()?.trim().to_owned()).filter(|name| !name.is_empty())
}

/// One for each project: the folder one is in, up to the git root.
fn file() -> Result<PathBuf, Failure> {
    let here = std::env::current_dir().map_err(|error| format!("this folder cannot be used: {error}"))?;
    let root = here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&here);
    let name = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let name: String = name.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Ok(paths::state_dir()?.join("layouts").join(name))
}
