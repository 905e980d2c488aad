//! The lock beside a server's socket: of two servers that start at once exactly one gets it.
//!
//! `bind` takes it, and a server that makes its socket anew. An agent can hold it, for it is a file of its user's: a lock
//! that only an agent holds counts for nothing, and another file takes that one's place. Nobody is waited for here but a
//! server that is just ending, by one that starts.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use super::super::{lock_holder, regular_file};
use super::error::{Error, no};
use super::reach::{beside, connect, identity};

/// Somebody who takes the file away, or locks each new one, in the moment before this does. Nobody does so often.
const TRIES: usize = 50;
/// A process that was killed closes its files one by one, its socket before its lock. On a machine that is busy some
/// milliseconds lie between them.
const ENDING: Duration = Duration::from_millis(500);

/// The same for a server that starts. Where somebody has the lock and nobody listens, the server before is just ending,
/// and is waited for.
///
/// # Errors
/// As `take`.
pub fn take_at_start(path: &Path) -> Result<Flock<File>, Error> {
    match take(path) {
        Err(Error::Taken(_)) if matches!(connect(path), Err(Error::Absent(_))) => {}
        done => return done,
    }
    let file = beside(path, ".lock");
    let opened = regular_file::open(&file, File::options().write(true));
    // What is waited for decides nothing: the file may be another by then.
    drop(opened.map(|opened| lock_holder::wait_for(opened, Instant::now() + ENDING)));
    take(path)
}

/// Takes the lock of the server at this socket.
///
/// # Errors
/// Another server has it, or the system said no.
pub fn take(path: &Path) -> Result<Flock<File>, Error> {
    let file = beside(path, ".lock");
    let mut held = Error::Taken(path.to_path_buf());
    for _ in 0..TRIES {
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        let opened = regular_file::open_or_set_aside(&file, &mut options);
        let opened = opened.map_err(|e| no("opening", &file, &e))?;
        match Flock::lock(opened, FlockArg::LockExclusiveNonblock) {
            // One that was taken away meanwhile is nobody else's lock.
            Ok(lock) if is_at(&lock, &file) => return Ok(lock),
            Ok(_) => continue,
            Err((_, Errno::EWOULDBLOCK)) => {}
            Err((_, e)) => return Err(no("locking", path, &e)),
        }
        let Some(pid) = lock_holder::squatter(&file) else { return Err(Error::Taken(path.to_path_buf())) };
        held = Error::Held { path: file.clone(), pid };
        if let Some(lock) = replaced(&file, pid)? {
            tracing::warn!(lock = %file.display(), pid, "an agent held the lock of servers; it has another file now");
            return Ok(lock);
        }
    }
    Err(held)
}

/// Puts a file that is locked already into the place of one that this process holds. `None`: something has changed.
fn replaced(file: &Path, holder: u32) -> Result<Option<Flock<File>>, Error> {
    let failed = |e: std::io::Error| no("replacing", file, &e);
    // One that can be foreseen could be locked, too.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let fresh = beside(file, &format!(".new-{now}"));
    let mut options = File::options();
    options.create_new(true).write(true);
    let made = regular_file::open(&fresh, &mut options).map_err(failed)?;
    let lock = Flock::lock(made, FlockArg::LockExclusiveNonblock).ok();
    if lock.is_none() || lock_holder::squatter(file) != Some(holder) {
        fs::remove_file(&fresh).map_err(failed)?;
        return Ok(None);
    }
    fs::rename(&fresh, file).map_err(failed)?;
    Ok(lock.filter(|lock| is_at(lock, file)))
}

/// Whether this path leads to the file that is locked.
fn is_at(lock: &Flock<File>, path: &Path) -> bool {
    let there = identity(path).ok();
    lock.metadata().is_ok_and(|own| there == Some((own.dev(), own.ino())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_whose_file_was_taken_away_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let first = take(&path).unwrap();
        assert!(matches!(take(&path), Err(Error::Taken(_))));
        let file = beside(&path, ".lock");
        fs::remove_file(&file).unwrap();
        assert!(!is_at(&first, &file));
        let second = take(&path).unwrap();
        assert!(is_at(&second, &file));
    }
}
