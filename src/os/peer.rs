//! Who is at the other end of a connection, as the kernel knows it.
//!
//! `socket.rs` and `keeper_link` ask it of whoever listens, `ancestry.rs` of whoever connects. A pid alone is nobody:
//! its process may have ended with its socket in another's hands, and the pid may be somebody else's by now. It reads
//! nothing of the connection and decides nothing.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use nix::libc;

use super::{generation, proc};

/// Who is at the other end, as the kernel knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    pub uid: u32,
    /// `None` where the system does not tell, and for a process that this one cannot see from its pid namespace.
    pub pid: Option<u32>,
}

impl Peer {
    /// Whether it runs under the same user as this process.
    pub fn is_us(&self) -> bool {
        self.uid == nix::unistd::geteuid().as_raw()
    }
}

#[cfg(target_os = "linux")]
pub fn of(stream: &impl AsFd) -> io::Result<Peer> {
    let who = nix::sys::socket::getsockopt(stream, nix::sys::socket::sockopt::PeerCredentials)?;
    Ok(Peer { uid: who.uid(), pid: u32::try_from(who.pid()).ok().filter(|pid| *pid != 0) })
}

#[cfg(not(target_os = "linux"))]
pub fn of(stream: &impl AsFd) -> io::Result<Peer> {
    let (uid, _) = nix::unistd::getpeereid(stream)?;
    Ok(Peer { uid: uid.as_raw(), pid: None })
}

/// What is known of the process that began to listen at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// It lives, and is of this generation.
    Alive { pid: u32, generation: u64 },
    /// The system does not tell, or it is outside of this process's pid namespace, as for a shell in a container.
    Unseen,
    /// It has ended, and whoever holds its socket now is anybody; or it is another user's, or is kept from us.
    Unproved,
}

/// Who listens at the other end.
pub fn listener(stream: &impl AsFd) -> Listener {
    let Ok(peer) = of(stream) else { return Listener::Unproved };
    if !peer.is_us() {
        return Listener::Unproved;
    }
    let Some(pid) = peer.pid else { return Listener::Unseen };
    // Held before anything is read of the pid, and looked at behind it: what was read is of this very process.
    let handle = match handle(stream) {
        Ok(handle) => handle,
        // A kernel before 6.5 names the pid alone.
        Err(error) if error.raw_os_error() == Some(libc::ENOPROTOOPT) => match proc::handle(pid) {
            Ok(handle) => handle,
            Err(_) => return Listener::Unproved,
        },
        Err(_) => return Listener::Unproved,
    };
    match generation::of(pid) {
        Ok(generation) if !proc::any_ended(&[handle]) => Listener::Alive { pid, generation },
        _ => Listener::Unproved,
    }
}

/// A handle of the process at the other end.
///
/// # Errors
/// `is_gone`: it has ended. `ENOPROTOOPT`: a kernel before 6.5 has none.
#[cfg(target_os = "linux")]
pub fn handle(stream: &impl AsFd) -> io::Result<OwnedFd> {
    use std::os::fd::{AsRawFd, FromRawFd};
    /// `SO_PEERPIDFD` of asm-generic/socket.h, since Linux 6.5.
    const SO_PEERPIDFD: libc::c_int = 77;
    let mut fd: libc::c_int = -1;
    let mut length = libc::socklen_t::try_from(size_of::<libc::c_int>()).expect("4 bytes fit");
    // SAFETY: the kernel writes one int, for which there is room.
    let done = unsafe {
        libc::getsockopt(
            stream.as_fd().as_raw_fd(),
            libc::SOL_SOCKET,
            SO_PEERPIDFD,
            (&raw mut fd).cast(),
            &raw mut length,
        )
    };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor for us, closed on exec.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

#[cfg(not(target_os = "linux"))]
pub fn handle(_stream: &impl AsFd) -> io::Result<OwnedFd> {
    Err(io::Error::from_raw_os_error(libc::ENOPROTOOPT))
}

/// How kernels say that the peer has ended: some before, some after it was reaped.
pub fn is_gone(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ESRCH | libc::EINVAL | libc::ENODATA))
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::os::unix::net::{UnixListener, UnixStream};

    use nix::sys::wait::waitpid;
    use nix::unistd::{ForkResult, fork};

    use super::*;

    #[test]
    fn who_listens_is_known_as_long_as_it_lives() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let _listening = UnixListener::bind(&path).unwrap();
        let stream = UnixStream::connect(&path).unwrap();
        let generation = generation::own().unwrap();
        assert_eq!(listener(&stream), Listener::Alive { pid: std::process::id(), generation });
    }

    /// A process that listened and ended left its socket to another one: its pid told nothing any more, and whoever
    /// was not known for an agent was taken for the person's server.
    #[test]
    fn a_socket_that_outlived_its_listener_is_nobodys() {
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let bound = UnixListener::bind(&path).unwrap();
        // SAFETY: the child makes async-signal-safe calls only.
        match unsafe { fork() }.unwrap() {
            ForkResult::Child => unsafe {
                // Whoever listens last is who listens.
                let done = libc::listen(bound.as_raw_fd(), 8);
                libc::_exit(done);
            },
            ForkResult::Parent { child } => drop(waitpid(child, None).unwrap()),
        }
        let stream = UnixStream::connect(&path).unwrap();
        assert_eq!(listener(&stream), Listener::Unproved);
    }
}
