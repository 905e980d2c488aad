//! Whether the process still is there with which an agent is to end.
//!
//! Whoever starts an agent for itself alone ties it to its own process; the server looks after it.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;

use nix::errno::Errno;

use super::proc;
use crate::core::agent::Tie;

/// What can be said of that process.
#[derive(Debug)]
pub enum Found {
    /// It becomes readable when the process has ended.
    Here(OwnedFd),
    Ended,
    /// It cannot be looked after from here: another pid namespace, or a system without such descriptors.
    Untold,
}

/// To this process. `None`: where there is no `/proc` nobody could look after it.
pub fn to_this() -> Option<Tie> {
    let own = proc::look(std::process::id())?;
    Some(Tie { pid: own.pid, started: own.started, space: space().ok()? })
}

pub fn find(tie: Tie) -> Found {
    if space().ok() != Some(tie.space) {
        return Found::Untold;
    }
    match proc::handle(tie.pid) {
        // Looked at after it is held: what has this pid now cannot be another one later.
        Ok(handle) => match proc::look(tie.pid) {
            Some(now) if now.started == tie.started => Found::Here(handle),
            _ => Found::Ended,
        },
        Err(Errno::ESRCH) => Found::Ended,
        Err(_) => Found::Untold,
    }
}

/// The pid namespace of this process.
fn space() -> io::Result<u64> {
    Ok(std::fs::metadata("/proc/self/ns/pid")?.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pid_that_somebody_else_has_by_now_is_not_that_process() {
        let own = to_this().unwrap();
        assert!(matches!(find(own), Found::Here(_)));
        assert!(matches!(find(Tie { started: own.started + 1, ..own }), Found::Ended));
        assert!(matches!(find(Tie { space: own.space + 1, ..own }), Found::Untold));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        assert!(matches!(find(Tie { pid: child.id(), ..own }), Found::Ended));
    }
}
