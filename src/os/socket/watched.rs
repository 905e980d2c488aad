//! A connected stream in an event loop that is woken for what comes, and for room only while it has to wait for it.
//!
//! The server holds one for each client. A stream registered for both wakes its loop each time the other end has read
//! something, for nothing: two turns a key, on a machine where somebody else wants to run.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

#[derive(Debug)]
pub struct Watched(AsyncFd<UnixStream>);

impl Watched {
    /// Needs a running event loop.
    pub fn new(stream: UnixStream) -> io::Result<Watched> {
        stream.set_nonblocking(true)?;
        Ok(Watched(watch(stream, Interest::READABLE)?))
    }

    /// Reads what has come, waiting for it. 0: the connection is over. Nothing is lost if it is dropped half way.
    pub async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.0.readable().await?;
            let Ok(done) = ready.try_io(|stream| stream.get_ref().read(buffer)) else { continue };
            if matches!(done, Ok(count) if 0 < count && count < buffer.len()) {
                // That was all: whatever comes next is told anew, and need not be looked for.
                ready.clear_ready();
            }
            return done;
        }
    }

    /// The same without waiting; `None`: nothing has come.
    pub fn read_now(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        without_waiting(self.0.get_ref().read(buffer))
    }

    /// Writes what the peer has room for at once.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(without_waiting(self.0.get_ref().write(bytes))?.unwrap_or(0))
    }

    /// Writes everything, waiting for room as long as it takes.
    pub async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        loop {
            bytes = &bytes[self.write(bytes)?..];
            if bytes.is_empty() {
                return Ok(());
            }
            self.room().await?;
        }
    }

    /// Nothing more will be written: the peer reads to the end.
    pub fn end_writing(&self) {
        // One that is gone has nothing to read.
        drop(self.0.get_ref().shutdown(Shutdown::Write));
    }

    /// Returns when the peer has room.
    pub async fn room(&self) -> io::Result<()> {
        // Registered for so long only.
        let again = watch(self.0.get_ref().try_clone()?, Interest::WRITABLE)?;
        again.writable().await.map(drop)
    }
}

fn watch(stream: UnixStream, interest: Interest) -> io::Result<AsyncFd<UnixStream>> {
    // SAFETY: a `UnixStream` is open and stays the same descriptor until the `AsyncFd` that owns it is dropped.
    Ok(unsafe { AsyncFd::register_with_interest(stream, interest) }?)
}

nix::ioctl_read_bad!(send_queue, nix::libc::TIOCOUTQ, nix::libc::c_int);

/// Whether the other end has read all that was written, as the kernel counts it (unix(7), `SIOCOUTQ`); `None`: it does not tell.
pub fn is_all_read(stream: &UnixStream) -> Option<bool> {
    let mut unread = 0;
    // SAFETY: the descriptor is open, and the kernel writes one int to the place it is given.
    unsafe { send_queue(stream.as_raw_fd(), &raw mut unread) }.ok()?;
    Some(unread == 0)
}

/// What became of a read or a write that must not wait; `None`: it would have to.
pub fn without_waiting(done: io::Result<usize>) -> io::Result<Option<usize>> {
    match done {
        Ok(count) => Ok(Some(count)),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
