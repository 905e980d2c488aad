//! One wait for whatever comes first: a terminal's keys, a server's messages, a signal, a time.
//!
//! Dashboard and attach wait here instead of in an event loop with tasks: between a key and its echo they are woken twice,
//! each time for a handful of system calls, and an event loop's own work would be the larger part of each.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use signal_hook::SigId;
use signal_hook::low_level::{pipe, unregister};

/// What the kernel sends to whoever has a terminal whose size has changed.
pub const WINDOW_CHANGE: [Signal; 1] = [Signal::SIGWINCH];

/// Signals as something to wait for.
#[derive(Debug)]
pub struct Signals {
    pipe: UnixStream,
    registered: Vec<SigId>,
}

impl Signals {
    /// Listens for these from here on; handlers that are there already are called as well.
    pub fn listen(signals: &[Signal]) -> io::Result<Signals> {
        let (pipe, write) = UnixStream::pair()?;
        pipe.set_nonblocking(true)?;
        let mut registered = Vec::new();
        for signal in signals {
            registered.push(pipe::register(*signal as i32, write.try_clone()?)?);
        }
        Ok(Signals { pipe, registered })
    }

    /// Whether one has come since this was asked last.
    pub fn take(&self) -> bool {
        let mut bytes = [0; 64];
        let mut came = false;
        while let Ok(1..) = io::Read::read(&mut &self.pipe, &mut bytes) {
            came = true;
        }
        came
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            unregister(id);
        }
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

/// What is waited for at one descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    ToRead,
    ToReadAndWrite,
}

/// What one descriptor has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ready {
    /// Something to read, its end included.
    pub to_read: bool,
    /// Room for writing.
    pub room: bool,
}

/// Waits for one of these, for so long at most. A signal may end the wait early; then nothing is ready.
pub fn wait<const N: usize>(of: [(BorrowedFd<'_>, Want); N], limit: Duration) -> io::Result<[Ready; N]> {
    let mut fds = of.map(|(fd, want)| match want {
        Want::ToRead => PollFd::new(fd, PollFlags::POLLIN),
        Want::ToReadAndWrite => PollFd::new(fd, PollFlags::POLLIN | PollFlags::POLLOUT),
    });
    match poll(&mut fds, timeout(limit)) {
        Ok(_) => Ok(fds.map(|fd| ready(fd.revents().unwrap_or(PollFlags::empty())))),
        Err(Errno::EINTR) => Ok([Ready::default(); N]),
        Err(errno) => Err(errno.into()),
    }
}

/// Whether a terminal could not be written to because it is closed.
pub fn is_hung_up(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::EIO as i32)
}

fn ready(events: PollFlags) -> Ready {
    let gone = PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL;
    Ready { to_read: events.intersects(PollFlags::POLLIN | gone), room: events.contains(PollFlags::POLLOUT) }
}

/// In whole milliseconds and never too short: a wait that ends a moment before its time would be begun again at once.
fn timeout(limit: Duration) -> PollTimeout {
    let ms = limit.as_nanos().div_ceil(1_000_000);
    i32::try_from(ms).ok().and_then(|ms| PollTimeout::try_from(ms).ok()).unwrap_or(PollTimeout::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::Instant;

    use nix::sys::signal::raise;

    use super::*;

    #[test]
    fn the_one_that_has_something_is_named() {
        let (quiet, _other) = UnixStream::pair().unwrap();
        let (here, mut there) = UnixStream::pair().unwrap();
        there.write_all(b"x").unwrap();
        let fds = [(quiet.as_fd(), Want::ToRead), (here.as_fd(), Want::ToReadAndWrite)];
        let [quiet, here] = wait(fds, Duration::from_secs(60)).unwrap();
        assert_eq!(quiet, Ready::default());
        assert_eq!(here, Ready { to_read: true, room: true });
    }

    #[test]
    fn an_end_is_something_to_read() {
        let (here, there) = UnixStream::pair().unwrap();
        drop(there);
        let [here] = wait([(here.as_fd(), Want::ToRead)], Duration::from_secs(60)).unwrap();
        assert!(here.to_read);
    }

    #[test]
    fn a_wait_for_nothing_ends_in_time_and_not_before() {
        let (here, _there) = UnixStream::pair().unwrap();
        let begun = Instant::now();
        let [ready] = wait([(here.as_fd(), Want::ToRead)], Duration::from_micros(1_500)).unwrap();
        assert_eq!(ready, Ready::default());
        assert!(begun.elapsed() >= Duration::from_micros(1_500));
    }

    #[test]
    fn a_signal_ends_the_wait_and_is_told_once() {
        let signals = Signals::listen(&[Signal::SIGURG]).unwrap();
        assert!(!signals.take());
        raise(Signal::SIGURG).unwrap();
        let [ready] = wait([(signals.as_fd(), Want::ToRead)], Duration::from_secs(60)).unwrap();
        assert!(ready.to_read && signals.take() && !signals.take());
    }
}
