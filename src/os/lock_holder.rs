//! Who holds a lock on a file, as the kernel lists it, and whether that is anybody who may.
//!
//! Clients look here where a server says nothing, or where a lock is held and no server answers: whoever holds it is
//! the one to be woken or ended. Servers look whether it is an agent, which holds no lock of theirs. Linux lists it;
//! elsewhere nobody is found. It also waits for a lock, for so long.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::mpsc;
use std::time::Instant;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::sys::stat::{major, minor};

use super::generation;
use super::proc::{self, Process};

/// The process that holds a lock on this file.
pub fn of(path: &Path) -> Option<u32> {
    let file = fs::symlink_metadata(path).ok()?;
    let place = format!("{:02x}:{:02x}:{}", major(file.dev()), minor(file.dev()), file.ino());
    // As long as it is: what an agent locks is in it, too.
    let table = std::fs::read_to_string("/proc/locks").ok()?;
    table.lines().find_map(|line| holder(line, &place))
}

/// The process that holds a lock on this file although only a server or a person's program may: it descends from an
/// agent, or it has ended and left the lock to whoever has its descriptors, which no program of counsel's ever does.
pub fn squatter(path: &Path) -> Option<u32> {
    of(path).filter(|pid| {
        proc::look(*pid).as_ref().is_none_or(Process::is_dead) || generation::is_younger_than_ours(*pid)
    })
}

/// Locks a file, waiting until then.
///
/// # Errors
/// The system's; `None`: somebody else has it still.
pub fn wait_for(file: File, until: Instant) -> Result<Flock<File>, Option<Errno>> {
    wait_for_as(file, FlockArg::LockExclusive, until)
}

/// The same, alone or with others.
///
/// # Errors
/// As for `wait_for`.
pub fn wait_for_as(file: File, how: FlockArg, until: Instant) -> Result<Flock<File>, Option<Errno>> {
    // The system has no lock with a deadline; a thread left waiting dies with the program, which is short-lived.
    let (sender, receiver) = mpsc::channel();
    let waits = move || sender.send(Flock::lock(file, how));
    std::thread::Builder::new().spawn(waits).map_err(|_| Some(Errno::EAGAIN))?;
    match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
        Ok(locked) => locked.map_err(|(_, errno)| Some(errno)),
        Err(_) => Err(None),
    }
}

/// `1: FLOCK ADVISORY WRITE 1234 fd:00:5678 0 EOF`, as proc(5) has it. With `->` behind the number stand those that wait.
fn holder(line: &str, place: &str) -> Option<u32> {
    let mut fields = line.split_whitespace().skip(1);
    let (kind, pid, of) = (fields.next()?, fields.nth(2)?, fields.next()?);
    // 0: it is outside of this process's pid namespace.
    (kind == "FLOCK" && of == place).then(|| pid.parse().ok()).flatten().filter(|pid| *pid != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_holder_of_this_very_file_is_found() {
        let found = |line| holder(line, "fd:00:5678");
        assert_eq!(found("1: FLOCK  ADVISORY  WRITE 1234 fd:00:5678 0 EOF"), Some(1234));
        for other in [
            "1: -> FLOCK  ADVISORY  WRITE 1234 fd:00:5678 0 EOF",
            "1: FLOCK  ADVISORY  WRITE 1234 fd:00:567 0 EOF",
            "1: FLOCK  ADVISORY  WRITE 1234 fd:01:5678 0 EOF",
            "1: POSIX  ADVISORY  WRITE 1234 fd:00:5678 0 EOF",
            "1: FLOCK  ADVISORY  WRITE 0 fd:00:5678 0 EOF",
            "",
        ] {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
