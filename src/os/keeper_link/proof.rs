//! That whoever listens where a keeper should is one, and reaching it although somebody is in the way.
//!
//! `keeper_link.rs` calls it before it believes a word. The other side's proof is `keeper/callers.rs`.

use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, connect};

use super::super::peer::{self, Peer};
use super::super::{generation, modes};
use crate::wire::Decoder;
use crate::wire::keeper::Hello;

/// A hello is a few hundred bytes. More is no keeper.
const HELLO_MAX: usize = 64 * 1024;
/// Between two tries to get into a keeper's queue.
const QUEUE_LOOK: Duration = Duration::from_millis(10);

/// Who is found listening at a keeper's path, without waiting for a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// Nobody: whoever did is gone.
    None,
    /// No agent's process is of its generation.
    Keeper,
    /// A keeper in a pane of the private tmux, or somebody in its place.
    Unproved,
}

/// Looks, and never waits.
pub fn look(socket: &Path) -> Listener {
    match try_reach(socket) {
        Err(Errno::ECONNREFUSED | Errno::ENOENT) => Listener::None,
        Ok(stream)
            if generation_of(&stream).is_some_and(|its| generation::own().is_ok_and(|own| its >= own)) =>
        {
            Listener::Keeper
        }
        // A queue that is full is somebody's.
        Ok(_) | Err(_) => Listener::Unproved,
    }
}

pub fn generation_of(stream: &UnixStream) -> Option<u64> {
    match peer::listener(stream) {
        peer::Listener::Alive { generation, .. } => Some(generation),
        peer::Listener::Unseen | peer::Listener::Unproved => None,
    }
}

/// The process that listens there, as far as its queue has room.
pub fn pid_of(socket: &Path) -> Option<u32> {
    peer::of(&try_reach(socket).ok()?).ok().filter(Peer::is_us)?.pid
}

fn try_reach(socket: &Path) -> Result<UnixStream, Errno> {
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let stream = nix::sys::socket::socket(AddressFamily::Unix, SockType::Stream, flags, None)?;
    let address = UnixAddr::new(socket)?;
    match connect(stream.as_raw_fd(), &address) {
        // An agent may close the socket of a keeper, its own or another's, to the one who is to find it.
        Err(Errno::EACCES) if modes::reopen(socket) => connect(stream.as_raw_fd(), &address)?,
        done => done?,
    }
    let stream = UnixStream::from(stream);
    // A second name of a keeper's socket leads to that keeper, and nobody listens at this one.
    let named = |address: &SocketAddr| address.as_pathname().and_then(Path::file_name) == socket.file_name();
    match stream.peer_addr() {
        Ok(address) if !named(&address) => Err(Errno::ECONNREFUSED),
        _ => Ok(stream),
    }
}

/// Connects, and waits until then where somebody has filled the queue or stopped who should empty it.
pub fn reach(socket: &Path, until: Instant) -> io::Result<UnixStream> {
    let stream = loop {
        match try_reach(socket) {
            Ok(stream) => break stream,
            // No event tells of room in the queue.
            Err(Errno::EAGAIN | Errno::EINTR) if Instant::now() < until => std::thread::sleep(QUEUE_LOOK),
            Err(e) => return Err(e.into()),
        }
    };
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// An agent may listen where a keeper should; what it says its agent is would be believed.
pub fn is_ours(stream: &UnixStream, hello: &Hello, manifest: &serde_json::Value) -> Result<(), String> {
    if cfg!(not(target_os = "linux")) {
        return Ok(());
    }
    let unknown = |e: io::Error| format!("who listens there is unknown: {e}");
    let own = generation::own().map_err(unknown)?;
    let its = match peer::listener(stream) {
        peer::Listener::Alive { pid, generation } if pid == hello.keeper_pid => generation,
        _ => return Err("another process listens there".to_owned()),
    };
    // One in a pane of the private tmux is as young as all that runs there.
    let in_tmux = manifest["spec"]["host"] == "tmux" && Some(its) == generation::below(own);
    if its >= own || in_tmux { Ok(()) } else { Err("it descends from an agent".to_owned()) }
}

/// What a keeper says until its time is over, however it spreads its words.
pub struct Until<'a>(pub &'a UnixStream, pub Instant);

impl Read for Until<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.1.saturating_duration_since(Instant::now());
        // None at all would mean "for ever".
        self.0.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        self.0.read(buffer)
    }
}

/// Reads exactly one frame: what follows it is not JSON.
pub fn read_hello(stream: &mut impl Read) -> io::Result<Hello> {
    let invalid = |cause: String| io::Error::new(io::ErrorKind::InvalidData, cause);
    let mut header = [0; 4];
    stream.read_exact(&mut header)?;
    let length = u32::from_be_bytes(header) as usize;
    if length > HELLO_MAX {
        return Err(invalid(format!("a hello of {length} bytes")));
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let mut decoder = Decoder::default();
    decoder.push(&header);
    decoder.push(&body);
    decoder.take().map_err(invalid)?.ok_or_else(|| invalid("no hello".to_string()))
}
