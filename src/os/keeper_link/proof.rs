//! That whoever listens where a keeper should is one, and reaching it although somebody is in the way.
//!
//! `keeper_link.rs` calls it before it believes a word. The other side's proof is `keeper/callers.rs`.

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, connect};

use super::super::{generation, socket};
use super::{HAND_OVER_DEADLINE, Hello};

/// Between two tries to get into a keeper's queue.
const QUEUE_LOOK: Duration = Duration::from_millis(10);

/// Connects, and does not wait for ever where somebody has filled the queue or stopped who should empty it.
pub fn reach(socket: &Path) -> io::Result<UnixStream> {
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let stream = nix::sys::socket::socket(AddressFamily::Unix, SockType::Stream, flags, None)?;
    let (address, until) = (UnixAddr::new(socket)?, Instant::now() + HAND_OVER_DEADLINE);
    loop {
        match connect(stream.as_raw_fd(), &address) {
            Ok(()) => break,
            // No event tells of room in the queue.
            Err(Errno::EAGAIN | Errno::EINTR) if Instant::now() < until => std::thread::sleep(QUEUE_LOOK),
            Err(e) => return Err(e.into()),
        }
    }
    let stream = UnixStream::from(stream);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// An agent may listen where a keeper should; what it says its agent is would be believed.
pub fn is_ours(stream: &UnixStream, hello: &Hello, manifest: &serde_json::Value) -> Result<(), String> {
    if cfg!(not(target_os = "linux")) {
        return Ok(());
    }
    let unknown = |e: io::Error| format!("who listens there is unknown: {e}");
    let peer = socket::peer(stream).map_err(unknown)?;
    let pid = peer.pid.filter(|pid| peer.is_us() && *pid == hello.keeper_pid);
    let pid = pid.ok_or("another process listens there")?;
    let (own, its) = (generation::own().map_err(unknown)?, generation::of(pid).map_err(unknown)?);
    // One in a pane of the private tmux is as young as all that runs there.
    let in_tmux = manifest["spec"]["host"] == "tmux" && Some(its) == generation::below(own);
    if its >= own || in_tmux { Ok(()) } else { Err("it descends from an agent".to_owned()) }
}

/// Of the keepers that live in a folder the oldest generation: who is younger descends from one of their agents.
pub fn oldest_generation(folder: &Path) -> Option<u64> {
    let of_keeper = |socket: &PathBuf| {
        let pid = socket::peer(&reach(socket).ok()?).ok()?.pid?;
        generation::of(pid).ok()
    };
    super::list(folder).iter().filter_map(of_keeper).max()
}
