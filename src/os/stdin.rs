//! Standard input while it is a terminal in raw mode: its bytes as they come, without ever waiting in a read.
//!
//! Dashboard and attach read their keys from it in the loop that also reads the server: a thread between the
//! two would cost each key a switch. The descriptor is shared with whoever started us, the shell among them,
//! so it stays blocking, and is asked before it is read.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

#[derive(Debug)]
pub struct Stdin(AsyncFd<OwnedFd>);

impl Stdin {
    /// Needs a running event loop.
    pub fn open() -> io::Result<Stdin> {
        let own = io::stdin().as_fd().try_clone_to_owned()?;
        // SAFETY: an `OwnedFd` is open and stays the same descriptor until the `AsyncFd` that owns it is dropped.
        let watched = unsafe { AsyncFd::register_with_interest(own, Interest::READABLE) };
        Ok(Stdin(watched.map_err(io::Error::from)?))
    }

    /// Reads what has come, waiting for it. 0: the terminal is gone. Nothing is lost if it is dropped half way.
    pub async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.0.readable().await?;
            match self.read_now(buffer, Duration::ZERO)? {
                Some(count) => return Ok(count),
                None => ready.clear_ready(),
            }
        }
    }

    /// The same, holding up the event loop for so long at most. `None`: nothing has come.
    pub fn read_now(&self, buffer: &mut [u8], wait: Duration) -> io::Result<Option<usize>> {
        let fd = self.0.get_ref();
        let limit = PollTimeout::try_from(wait).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(fd.as_fd(), PollFlags::POLLIN)], limit) {
            Ok(0) | Err(Errno::EINTR) => return Ok(None),
            Ok(_) => {}
            Err(errno) => return Err(errno.into()),
        }
        match nix::unistd::read(fd, buffer) {
            Ok(count) => Ok(Some(count)),
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
            // The terminal was hung up.
            Err(Errno::EIO) => Ok(Some(0)),
            Err(errno) => Err(errno.into()),
        }
    }
}
