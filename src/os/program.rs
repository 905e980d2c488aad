//! Which file a program's name leads to.
//!
//! The keeper starts by it, the command line asks before it starts anything. It looks and starts nothing.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

use super::regular_file;

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

/// Who is to read this script, as its first line says (`#!`). The system says no word of it where that one is missing.
pub fn interpreter(script: &Path) -> Option<String> {
    let mut first = [0; LINE_MAX];
    let read = regular_file::open_named(script).ok()?.read(&mut first).ok()?;
    let line = first[..read].strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    line.split_whitespace().next().map(str::to_owned)
}

/// As much as the kernel reads of it.
const LINE_MAX: usize = 256;

fn runnable(path: &Path) -> bool {
    path.is_file() && access(path, AccessFlags::X_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_names_its_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let of = |text: &str| {
            let script = folder.path().join("script");
            fs::write(&script, text).unwrap();
            interpreter(&script)
        };
        assert_eq!(of("#! /no/such/interpreter -x\necho").as_deref(), Some("/no/such/interpreter"));
        assert_eq!(of("#!/bin/sh").as_deref(), Some("/bin/sh"));
        assert_eq!(of("#!\n/bin/sh"), None);
        assert_eq!(of("\u{7f}ELF"), None);
    }
}
