//! One worktree is made at a time: git makes the branch, then the folder, then checks the files out, and whoever looks in
//! between finds half of it.
//!
//! `cli/worktree.rs` makes them. The lock is on the folder they lie in, which an agent that works in one can lock as well.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use crate::os::lock_holder;

/// Longer than git takes for the files of a large repository on a slow disk.
const TURN: Duration = Duration::from_secs(600);

/// Waits until nobody else makes a worktree in this folder; the turn ends with what is returned. `None`: it cannot be had, or
/// an agent has it, and what cannot be made at once with another one is git's to say.
pub fn alone_in(folder: &Path) -> Option<Flock<File>> {
    let file = File::open(folder).ok()?;
    match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
        Ok(lock) => Some(lock),
        Err((_, Errno::EWOULDBLOCK)) if lock_holder::squatter(folder).is_some() => None,
        Err((file, Errno::EWOULDBLOCK)) => lock_holder::wait_for(file, Instant::now() + TURN).ok(),
        Err(_) => None,
    }
}
