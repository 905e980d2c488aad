//! The way to whoever listens at a path, and the proof that it is no agent's.
//!
//! Everything that connects to a server begins here. Nothing here waits without an end, and no word is said to whoever
//! cannot be told from an agent.

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use nix::sys::socket::sockopt::SendTimeout;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, setsockopt, socket};
use nix::sys::time::TimeVal;

use super::super::proc::{self, Process};
use super::super::{generation, lock_holder, modes, peer};
use super::error::Error;

/// Whoever listens and takes nobody in for so long stands still.
const CONNECT_SECONDS: i64 = 5;
/// After so long it is looked whether somebody stopped it.
const SILENT_SECONDS: i64 = 1;

/// The file beside a socket that has its name and this.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// What makes a file the same: its device and number.
pub fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|file| (file.dev(), file.ino()))
}

/// A stream to whatever listens at `path`, without a greeting.
pub fn connect(path: &Path) -> Result<UnixStream, Error> {
    connect_within(path, CONNECT_SECONDS)
}

/// The same for so many seconds at most. A queue that is full so long is that of a server that stands still.
fn connect_within(path: &Path, seconds: i64) -> Result<UnixStream, Error> {
    let failed = |e: Errno| match e {
        Errno::ENOENT | Errno::ECONNREFUSED => Error::Absent(path.to_path_buf()),
        Errno::EAGAIN => Error::TimedOut,
        e => Error::Failed(format!("connecting to {} failed: {}", path.display(), e.desc())),
    };
    let stream =
        socket(AddressFamily::Unix, SockType::Stream, SockFlag::SOCK_CLOEXEC, None).map_err(failed)?;
    let address = UnixAddr::new(path).map_err(failed)?;
    // The kernel waits so long for room in a queue, too.
    setsockopt(&stream, SendTimeout, &TimeVal::new(seconds, 0)).map_err(failed)?;
    loop {
        match nix::sys::socket::connect(stream.as_raw_fd(), &address) {
            Err(Errno::EINTR) => {}
            Err(Errno::EACCES) if modes::reopen(path) => {}
            done => break done.map_err(failed)?,
        }
    }
    setsockopt(&stream, SendTimeout, &TimeVal::new(0, 0)).map_err(failed)?;
    Ok(UnixStream::from(stream))
}

/// A stream to a server, and its process.
type Reached = Result<(UnixStream, Option<u32>), Error>;

/// A stream to a server, and its process. Whoever listens and may be an agent's would be told what a person types.
pub fn reach(path: &Path) -> Reached {
    match reach_listener(path) {
        // Killed, a process cannot be looked at any more for a moment before its socket is closed.
        (Err(Error::Unproved(_)), Some(stream)) if hangs_up(&stream) => reach_listener(path).0,
        (reached, _) => reached,
    }
}

/// Whether whoever listens is gone before one would take it for one that stands still.
fn hangs_up(stream: &UnixStream) -> bool {
    let mut waits = [PollFd::new(stream.as_fd(), PollFlags::POLLHUP)];
    let silent = u16::try_from(1_000 * SILENT_SECONDS).unwrap_or(u16::MAX);
    poll(&mut waits, PollTimeout::from(silent)).is_ok_and(|ready| ready > 0)
}

/// With the stream to whoever could not be told from an agent.
fn reach_listener(path: &Path) -> (Reached, Option<UnixStream>) {
    let connected = match connect_within(path, SILENT_SECONDS) {
        // Whoever filled its queue may have stopped it as well.
        Err(Error::TimedOut) => {
            wake(holder(path));
            connect(path)
        }
        done => done,
    };
    let stream = match connected {
        Ok(stream) => stream,
        Err(error) => return (Err(error), None),
    };
    match peer::listener(&stream) {
        peer::Listener::Alive { generation, .. } if is_younger(generation) => {
            (Err(Error::Agents(path.to_path_buf())), None)
        }
        peer::Listener::Unproved => (Err(Error::Unproved(path.to_path_buf())), Some(stream)),
        peer::Listener::Alive { pid, .. } => (Ok((stream, Some(pid))), None),
        peer::Listener::Unseen => (Ok((stream, None)), None),
    }
}

/// Whether a generation is that of an agent, and this process is none of its.
fn is_younger(generation: u64) -> bool {
    generation::own().is_ok_and(|own| generation < own)
}

/// The process that holds the lock of a server at this path.
pub fn holder(path: &Path) -> Option<u32> {
    lock_holder::of(&beside(path, ".lock"))
}

/// Has a server go on that somebody stopped, which nothing of counsel's ever does; whether it was stopped.
pub fn wake(server: Option<u32>) -> bool {
    let stopped = server.and_then(proc::look).filter(Process::is_stopped);
    if let Some(server) = stopped {
        // An isolated agent may not, and one that has ended needs none.
        let _ = proc::send(&server, Signal::SIGCONT);
    }
    stopped.is_some()
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::thread;

    use nix::libc;
    use nix::sys::wait::waitpid;
    use nix::unistd::{ForkResult, fork};

    use super::*;

    /// A socket at which a process listens that has ended: as a killed server's is until the kernel has closed it.
    fn left_behind(path: &Path) -> UnixListener {
        let bound = UnixListener::bind(path).unwrap();
        // SAFETY: the child makes async-signal-safe calls only.
        match unsafe { fork() }.unwrap() {
            ForkResult::Child => unsafe {
                // Whoever listens last is who listens.
                let done = libc::listen(bound.as_raw_fd(), 8);
                libc::_exit(done);
            },
            ForkResult::Parent { child } => drop(waitpid(child, None).unwrap()),
        }
        bound
    }

    /// `ls` in the moment after a `kill -9` refused to talk to whom it could not tell from an agent, instead of starting the
    /// next server.
    #[test]
    fn a_server_that_is_just_ending_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let bound = left_behind(&path);
        let closes = thread::spawn(move || {
            let mut waits = [PollFd::new(bound.as_fd(), PollFlags::POLLIN)];
            assert_eq!(poll(&mut waits, PollTimeout::from(10_000_u16)), Ok(1), "somebody connects");
        });
        assert!(matches!(reach(&path), Err(Error::Absent(_))));
        closes.join().unwrap();
    }

    #[test]
    fn whoever_stays_and_cannot_be_told_from_an_agent_is_not_talked_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let _bound = left_behind(&path);
        assert!(matches!(reach(&path), Err(Error::Unproved(_))));
    }
}
