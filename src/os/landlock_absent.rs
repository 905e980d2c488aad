//! What `landlock.rs` is where there is no Linux: nothing can be had.
//!
//! The same functions for the keeper to call; each refuses.

use std::os::fd::OwnedFd;
use std::path::PathBuf;

const ABSENT: &str = "only Linux has Landlock";

/// # Errors
/// Always.
pub fn prepare(_hidden: &[PathBuf]) -> Result<OwnedFd, String> {
    Err(ABSENT.to_owned())
}

/// # Errors
/// Always.
pub fn scopes() -> Result<OwnedFd, String> {
    Err(ABSENT.to_owned())
}

pub fn no_new_privs() -> bool {
    false
}

pub fn enter(_ruleset: &OwnedFd) -> bool {
    false
}
