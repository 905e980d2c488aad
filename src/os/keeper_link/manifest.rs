//! What a pane of the user's own tmux is, put down for the next server: such a pane has no keeper to hold it.
//!
//! `server/executor` writes and reads it. It decides nothing about an agent.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::os::regular_file;

/// An agent's command, environment and policy: kilobytes.
const MANIFEST_MAX: u64 = 16 * 1024 * 1024;

/// The file that tells a later server what a pane of the user's own tmux is, which has no keeper to hold it.
pub fn manifest_path(socket: &Path) -> PathBuf {
    socket.with_extension("json")
}

/// The manifest of an adopted pane.
pub fn read_manifest(socket: &Path) -> Result<serde_json::Value, String> {
    let path = manifest_path(socket);
    let text = regular_file::read(&path, MANIFEST_MAX)
        .map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
    serde_json::from_slice(&text).map_err(|e| format!("{} is damaged: {e}", path.display()))
}

/// Writes it.
pub fn write_manifest(socket: &Path, manifest: &serde_json::Value) -> Result<(), String> {
    let path = manifest_path(socket);
    let aside = path.with_extension("json.new");
    let write = || -> io::Result<()> {
        // It holds the agent's environment, and so its secrets.
        let mut file =
            regular_file::open(&aside, fs::File::options().create(true).write(true).truncate(true))?;
        file.write_all(manifest.to_string().as_bytes())?;
        fs::rename(&aside, &path)
    };
    write().map_err(|e| format!("{} cannot be written: {e}", path.display()))
}
