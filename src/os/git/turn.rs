//! One worktree is made at a time: git makes the branch, then the folder, then checks the files out, and whoever looks in
//! between finds half of it. And none is removed while an agent is being started: its server does not list it yet.
//!
//! `cli/worktree.rs` makes and removes them. The locks are on the folders they lie in, which an agent that works in one can lock
//! as well.

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
    lock(folder, (FlockArg::LockExclusiveNonblock, FlockArg::LockExclusive), TURN).unwrap_or_default()
}

/// Waits until nobody removes this worktree; it stays for as long as what is returned is kept. Any number of starts go on side by
/// side. `None`: as for `alone_in`.
pub fn nobody_removes(worktree: &Path) -> Option<Flock<File>> {
    lock(worktree, (FlockArg::LockSharedNonblock, FlockArg::LockShared), TURN).unwrap_or_default()
}

/// The same for whichever worktree lies around this folder; none does where what is returned is empty.
pub fn nobody_removes_around(folder: &Path, root: &Path) -> Vec<Flock<File>> {
    let Ok(below) = folder.strip_prefix(root) else { return Vec::new() };
    // The first is the folder of a repository, which is locked while a worktree is made in it. Which of the others is the
    // worktree cannot be seen while it is being removed.
    let depth = below.components().count().saturating_sub(1);
    folder.ancestors().take(depth).filter_map(nobody_removes).collect()
}

/// Waits until no agent is being started in this worktree; none is for as long as what is returned is kept. It is `None` as for
/// `alone_in`.
///
/// # Errors
/// One is being started still.
pub fn nobody_starts(worktree: &Path, within: Duration) -> Result<Option<Flock<File>>, String> {
    lock(worktree, (FlockArg::LockExclusiveNonblock, FlockArg::LockExclusive), within)
        .map_err(|()| "an agent is being started in it".to_owned())
}

/// `Err`: somebody else has it still.
fn lock(
    folder: &Path,
    (at_once, waiting): (FlockArg, FlockArg),
    within: Duration,
) -> Result<Option<Flock<File>>, ()> {
    let Ok(file) = File::open(folder) else { return Ok(None) };
    match Flock::lock(file, at_once) {
        Ok(lock) => Ok(Some(lock)),
        Err((_, Errno::EWOULDBLOCK)) if within.is_zero() => Err(()),
        Err((_, Errno::EWOULDBLOCK)) if lock_holder::squatter(folder).is_some() => Ok(None),
        Err((file, Errno::EWOULDBLOCK)) => {
            match lock_holder::wait_for_as(file, waiting, Instant::now() + within) {
                Ok(lock) => Ok(Some(lock)),
                Err(None) => Err(()),
                Err(Some(_)) => Ok(None),
            }
        }
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    /// Far longer than another thread needs to begin.
    const BEGINS: Duration = Duration::from_secs(20);

    /// Whether somebody comes to wait for this lock, as the kernel lists it.
    fn waited_for(folder: &Path) -> bool {
        let inode = format!(":{} ", folder.metadata().unwrap().ino());
        let until = Instant::now() + BEGINS;
        while Instant::now() < until {
            let table = std::fs::read_to_string("/proc/locks").unwrap();
            if table.lines().any(|line| line.contains("->") && line.contains(&inode)) {
                return true;
            }
            std::thread::yield_now();
        }
        false
    }

    #[test]
    fn a_folder_below_a_worktree_keeps_that_from_being_removed() {
        let root = tempfile::tempdir().unwrap();
        let worktree = root.path().join("repo-1/feat/cache");
        let below = worktree.join("src");
        std::fs::create_dir_all(&below).unwrap();
        let stays = nobody_removes_around(&below, root.path());
        assert!(nobody_starts(&worktree, Duration::ZERO).is_err());
        let made = lock(
            &root.path().join("repo-1"),
            (FlockArg::LockExclusiveNonblock, FlockArg::LockExclusive),
            Duration::ZERO,
        );
        assert!(made.is_ok(), "another one can be made");
        drop(stays);
        assert!(nobody_starts(&worktree, Duration::ZERO).is_ok());
        assert!(nobody_removes_around(Path::new("/"), root.path()).is_empty());
    }

    #[test]
    fn none_is_removed_while_an_agent_is_started_in_it_and_none_started_while_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let starts = [nobody_removes(folder.path()), nobody_removes(folder.path())];
        assert!(starts.iter().all(Option::is_some), "side by side");
        assert!(nobody_starts(folder.path(), Duration::ZERO).is_err());
        let removal = std::thread::spawn({
            let folder = folder.path().to_owned();
            move || nobody_starts(&folder, TURN).map(|turn| turn.is_some())
        });
        assert!(waited_for(folder.path()) && !removal.is_finished(), "it waits");
        drop(starts);
        assert_eq!(removal.join().unwrap(), Ok(true));
        let removal = nobody_starts(folder.path(), TURN).unwrap();
        let start = std::thread::spawn({
            let folder = folder.path().to_owned();
            move || nobody_removes(&folder).is_some()
        });
        assert!(waited_for(folder.path()) && removal.is_some() && !start.is_finished(), "it waits");
        drop(removal);
        assert!(start.join().unwrap());
    }

    #[test]
    fn without_a_folder_nobody_waits() {
        let folder = tempfile::tempdir().unwrap().path().join("none");
        assert!(nobody_starts(&folder, TURN).unwrap().is_none() && nobody_removes(&folder).is_none());
    }
}
