//! Which file a program's name leads to.
//!
//! The keeper starts by it, the command line asks before it starts anything. It looks and starts nothing.

use std::fs;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

/// Where programs are looked for if no PATH is named; what a login shell starts with.
pub const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The file a shell in `cwd` would run, by this PATH.
pub fn find(name: &str, search: &str, cwd: &Path) -> Result<PathBuf, String> {
    if name.contains('/') {
        let path = cwd.join(name);
        return match fs::metadata(&path) {
            Err(e) => Err(format!("no program {}: {e}", path.display())),
            Ok(_) if runnable(&path) => Ok(path),
            Ok(_) => Err(format!("{} is not an executable file", path.display())),
        };
    }
    let mut blocked = None;
    for folder in search.split(':') {
        let path = cwd.join(folder).join(name);
        if runnable(&path) {
            return Ok(path);
        }
        if path.is_file() {
            blocked = Some(path);
        }
    }
    match blocked {
        Some(path) => Err(format!("{} is not executable", path.display())),
        None => Err(format!("no program '{name}' in PATH; install it, or name it with its folder")),
    }
}

fn runnable(path: &Path) -> bool {
    path.is_file() && access(path, AccessFlags::X_OK).is_ok()
}
