//! Standard input while it is a terminal in raw mode: its bytes as they come, without ever waiting in a read.
//!
//! Dashboard and attach read their keys from it in the loop that also reads the server: a thread between the
//! two would cost each key a switch. The descriptor is shared with whoever started us, the shell among them,
//! so it stays blocking, and is asked before it is read.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;

use super::poll::{Want, wait};

#[derive(Debug)]
pub struct Stdin(OwnedFd);

impl Stdin {
    pub fn open() -> io::Result<Stdin> {
        Ok(Stdin(io::stdin().as_fd().try_clone_to_owned()?))
    }

    /// Reads what has come, waiting for so long at most. `None`: nothing has; 0: the terminal is gone.
    pub fn read_within(&self, limit: Duration, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let [ready] = wait([(self.0.as_fd(), Want::ToRead)], limit)?;
        if ready.to_read { self.read(buffer) } else { Ok(None) }
    }

    /// The same for what `poll` has just said is there.
    pub fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match nix::unistd::read(&self.0, buffer) {
            Ok(count) => Ok(Some(count)),
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
            // The terminal was hung up.
            Err(Errno::EIO) => Ok(Some(0)),
            Err(errno) => Err(errno.into()),
        }
    }
}

impl AsFd for Stdin {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
