//! The line between a server and the keeper of an agent: its messages, and the server's end of it.
//!
//! The server spawns, finds and connects to keepers through this file; the keeper speaks the same enums.
//! It must never decide anything about an agent, and never hold bytes an agent wrote.

mod manifest;
mod proof;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IoSliceMut, Read, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, UnixAddr, recvmsg};
use serde::{Deserialize, Serialize};

use super::{generation, modes};
pub use crate::core::agent::Isolation;
use crate::core::agent::Tie;
use crate::core::terminal::grid::Size;
use proof::{Until, generation_of, is_ours, reach, read_hello};

pub use manifest::{manifest_path, read_manifest, write_manifest};
pub use proof::{Listener, look, pid_of};

use crate::wire::encode;
pub use crate::wire::keeper::{Exit, FromKeeper, HELD, Hello, Run, SIGNALS, ToKeeper};

/// Raised when a message changes its meaning; a keeper may be older than the server that finds it.
pub const LINK_VERSION: u32 = 2;
/// The oldest keepers this server understands: an agent outlives many servers. Those of version 1 left what
/// their agents are in files that an agent can write.
pub const OLDEST_LINK: u32 = 2;
/// Whoever is only looked for has so much time to let somebody into its queue.
const LOOK_DEADLINE: Duration = Duration::from_secs(1);
/// Reading the ring takes milliseconds; a keeper that needs longer serves another server or is stuck.
const HAND_OVER_DEADLINE: Duration = Duration::from_secs(5);
/// Starting an agent takes milliseconds; on a folder of a dead file server it takes for ever.
const START_DEADLINE: Duration = Duration::from_secs(10);
/// Larger than any ring a keeper is started with, so that a wrong length does not ask for gigabytes.
const RING_MAX: u64 = 64 * 1024 * 1024;
/// Goes along with the master's descriptor, which needs a byte to travel on.
pub const MASTER_BYTE: u8 = b'M';

/// What a keeper is started with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeeperSpec {
    /// The agent's name.
    pub name: String,
    /// Program and arguments, the wrapping program first if there is one.
    pub argv: Vec<String>,
    pub cwd: String,
    /// A named pipe in place of the terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<PathBuf>,
    /// The agent's whole environment.
    pub env: BTreeMap<String, String>,
    /// `None`: the keeper's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub umask: Option<u32>,
    pub size: Size,
    /// Where the keeper listens: `socket_of(folder, name)`.
    pub socket: PathBuf,
    /// How much output is kept while no server is connected.
    pub ring_bytes: usize,
    pub isolation: Isolation,
    /// Whom it ends with, where no server runs to see to that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tied: Option<Tie>,
}

/// Everything a server tells a starting keeper. It goes through a pipe or a socket, and never lies on a disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Orders {
    pub spec: KeeperSpec,
    /// What the next server wants to know of the agent: its policy, its token. The keeper holds it and does
    /// not read it.
    pub manifest: serde_json::Value,
    /// The server's own generation: nobody of a younger one is a server.
    pub generation: u64,
}

impl Orders {
    pub fn new(spec: &KeeperSpec, manifest: &serde_json::Value) -> Result<Orders, String> {
        let own = generation::own().map_err(|e| format!("the server's own limits: {e}"))?;
        Ok(Orders { spec: spec.clone(), manifest: manifest.clone(), generation: own })
    }

    /// As they cross to the keeper; a path that is no text cannot.
    pub fn written(&self) -> Result<Vec<u8>, String> {
        serde_json::to_vec(self).map_err(|e| format!("what its keeper is to do cannot be written down: {e}"))
    }
}

/// Output kept while no server is connected: several full screens with scrollback, and cheap.
pub const RING_BYTES: usize = 1024 * 1024;

/// What a keeper says once its agent runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeeperReady {
    pub keeper_pid: u32,
    pub agent_pid: u32,
}

/// The one line a starting keeper prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Started {
    Ready(KeeperReady),
    Failed(String),
}

/// The socket of an agent's keeper in the server's folder of keepers.
pub fn socket_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("keep-{name}.sock"))
}

/// Whose keeper listens there; `None` for any other file of that folder.
pub fn agent_of(socket: &Path) -> Option<&str> {
    socket.file_name()?.to_str()?.strip_prefix("keep-")?.strip_suffix(".sock")
}

/// Whether somebody listens there. Only looks; `list` also clears away what dead ones left.
pub fn answers(socket: &Path) -> bool {
    look(socket) != Listener::None
}

/// Starts a keeper and its agent; blocks until the agent runs or could not be started. The keeper is
/// nobody's child: it survives this process.
pub fn spawn_keeper(
    exe: &Path,
    spec: &KeeperSpec,
    manifest: &serde_json::Value,
) -> Result<KeeperReady, String> {
    if fs::symlink_metadata(&spec.socket).is_ok() {
        if answers(&spec.socket) {
            return Err(format!("an agent '{}' still runs; stop it first", spec.name));
        }
        remove_files(&spec.socket);
    }
    let started = start(exe, &Orders::new(spec, manifest)?);
    if started.is_err() {
        remove_files(&spec.socket);
    }
    started
}

fn start(exe: &Path, orders: &Orders) -> Result<KeeperReady, String> {
    let orders = orders.written()?;
    let no_pipe = |e: io::Error| format!("no pipe to the keeper: {e}");
    let (reader, writer) = io::pipe().map_err(no_pipe)?;
    let mut command = Command::new(exe);
    command.arg("keep").current_dir("/").stdin(Stdio::piped());
    command.stdout(writer.try_clone().map_err(no_pipe)?).stderr(writer);
    let mut child = command.spawn().map_err(|e| format!("{} cannot be started: {e}", exe.display()))?;
    // With the command go this side's copies of the writing end.
    drop(command);
    let mut stdin = child.stdin.take().expect("stdin is piped");
    // If the keeper has ended already, what it said tells more than the broken pipe.
    let _ = stdin.write_all(&orders);
    drop(stdin);
    let said = read_started(reader);
    // Only the short-lived first process is our child; a stuck one must not become a zombie either.
    if said.is_err() {
        // It may have ended on its own by now.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|e| format!("the keeper cannot be waited for: {e}"))?;
    let said = said?;
    match serde_json::from_slice(&said) {
        Ok(Started::Ready(ready)) => Ok(ready),
        Ok(Started::Failed(cause)) => Err(cause),
        Err(_) => {
            let said = String::from_utf8_lossy(&said);
            Err(format!("the keeper ended without a word ({status}): {}", said.trim()))
        }
    }
}

/// Everything a starting keeper says, on either of its outputs. It gives both up when it is ready; if
/// that comes too late, it finds nobody to tell and ends its agent.
fn read_started(mut pipe: io::PipeReader) -> Result<Vec<u8>, String> {
    let until = Instant::now() + START_DEADLINE;
    let unread = |e: io::Error| format!("the keeper's word cannot be read: {e}");
    let (mut said, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(pipe.as_fd(), PollFlags::POLLIN)], timeout) {
            Ok(0) => return Err(format!("the agent was not started within {START_DEADLINE:?}")),
            Err(Errno::EINTR) => continue,
            Err(e) => return Err(unread(e.into())),
            Ok(_) => {}
        }
        match pipe.read(&mut buffer) {
            Ok(0) => return Ok(said),
            Ok(n) => said.extend_from_slice(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(unread(e)),
        }
    }
}

/// A server's end of the line, and all it needs to go on where its predecessor stopped.
#[derive(Debug)]
pub struct Link {
    /// Frames of `ToKeeper` and `FromKeeper` from here on. When it closes, the keeper's files are gone.
    pub stream: UnixStream,
    /// The terminal, non-blocking. Stop reading it before the stream is closed.
    pub master: OwnedFd,
    pub hello: Hello,
    /// Output no server has read before.
    pub ring: Vec<u8>,
}

/// What a keeper offers. Until it is taken the keeper owns it, and offers it to whoever comes next.
#[derive(Debug)]
pub struct Offer {
    stream: UnixStream,
    pub hello: Hello,
    /// As the server that started the agent gave it.
    pub manifest: serde_json::Value,
    /// Output no server has read before.
    pub ring: Vec<u8>,
}

/// Takes over from a keeper: waits if another server is just leaving it.
pub fn connect(socket: &Path) -> Result<Link, String> {
    ask(socket)?.take(socket)
}

fn failed(socket: &Path) -> impl Fn(io::Error) -> String {
    let shown = socket.display();
    move |e| match e.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("the keeper at {shown} does not answer; another server may hold it")
        }
        io::ErrorKind::UnexpectedEof => format!("the keeper at {shown} closed the line"),
        _ => format!("the keeper at {shown} cannot be reached: {e}"),
    }
}

/// Asks a keeper what it has.
pub fn ask(socket: &Path) -> Result<Offer, String> {
    let (shown, failed) = (socket.display(), failed(socket));
    let until = Instant::now() + HAND_OVER_DEADLINE;
    let stream = reach(socket, until).map_err(&failed)?;
    let mut said = Until(&stream, until);
    let hello = read_hello(&mut said).map_err(&failed)?;
    if !(OLDEST_LINK..=LINK_VERSION).contains(&hello.version) {
        return Err(format!(
            "the keeper at {shown} speaks version {}, this server {OLDEST_LINK} to {LINK_VERSION}; \
             'counsel server restart' with the program that started its agent takes it back, or end it \
             with 'kill {}'",
            hello.version, hello.keeper_pid
        ));
    }
    let mut read = |what: &str, length: u64| {
        if length > RING_MAX {
            return Err(format!("the keeper at {shown} claims a {what} of {length} bytes"));
        }
        let mut bytes = vec![0; usize::try_from(length).expect("bounded by RING_MAX")];
        said.read_exact(&mut bytes).map_err(&failed).map(|()| bytes)
    };
    let (manifest, ring) = (read("manifest", hello.manifest)?, read("ring", hello.ring)?);
    let manifest = serde_json::from_slice(&manifest)
        .map_err(|e| format!("the manifest of the keeper at {shown} is damaged: {e}"))?;
    is_ours(&stream, &hello, &manifest).map_err(|why| format!("the keeper at {shown} is none: {why}"))?;
    Ok(Offer { stream, hello, manifest, ring })
}

impl Offer {
    /// From here on the keeper has forgotten its ring, and this process reads the terminal.
    pub fn take(self, socket: &Path) -> Result<Link, String> {
        let failed = failed(socket);
        let Offer { mut stream, hello, ring, manifest: _ } = self;
        stream.set_read_timeout(Some(HAND_OVER_DEADLINE)).map_err(&failed)?;
        stream.write_all(&encode(&ToKeeper::Take)).map_err(&failed)?;
        let master = receive_master(&stream).map_err(&failed)?;
        stream.set_read_timeout(None).map_err(failed)?;
        Ok(Link { stream, master, hello, ring })
    }
}

fn receive_master(stream: &UnixStream) -> io::Result<OwnedFd> {
    let mut byte = [0];
    let mut buffer = [IoSliceMut::new(&mut byte)];
    let mut space = nix::cmsg_space!([std::os::fd::RawFd; 1]);
    #[cfg(target_os = "linux")]
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = MsgFlags::empty();
    // With a deadline on the socket a signal interrupts it whatever its handler says.
    let message = loop {
        match recvmsg::<UnixAddr>(stream.as_raw_fd(), &mut buffer, Some(&mut space), flags) {
            Err(nix::errno::Errno::EINTR) => {}
            done => break done?,
        }
    };
    if message.bytes == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let fds = message.cmsgs()?.find_map(|control| match control {
        ControlMessageOwned::ScmRights(fds) => fds.first().copied(),
        _ => None,
    });
    let fd = fds.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no terminal came along"))?;
    // SAFETY: the kernel has just made this descriptor for us.
    let master = unsafe { OwnedFd::from_raw_fd(fd) };
    #[cfg(not(target_os = "linux"))]
    nix::fcntl::fcntl(&master, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::FD_CLOEXEC))?;
    Ok(master)
}

/// The sockets of all keepers alive in a folder; what dead ones left is removed.
pub fn list(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = modes::entries(folder) else { return Vec::new() };
    let mut alive = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if agent_of(&path).is_none() {
            continue;
        }
        match look(&path) {
            Listener::None => remove_files(&path),
            Listener::Keeper | Listener::Unproved => alive.push(path),
        }
    }
    alive.sort();
    alive
}

/// Of the keepers that live in a folder the oldest generation: who is younger descends from one of their agents.
pub fn oldest_generation(folder: &Path) -> Option<u64> {
    let (sockets, until) = (list(folder), Instant::now() + LOOK_DEADLINE);
    let of_keeper = |socket: &PathBuf| generation_of(&reach(socket, until).ok()?);
    // At once: one that lets nobody in costs no more than a second, however many there are.
    std::thread::scope(|scope| {
        let ask = |socket| {
            let asked = std::thread::Builder::new().spawn_scoped(scope, move || of_keeper(socket));
            // Where no thread can be had, one after the other.
            asked.map_err(|_| socket)
        };
        let asked: Vec<_> = sockets.iter().map(ask).collect();
        let said = asked.into_iter().map(|one| match one {
            Ok(thread) => thread.join().ok().flatten(),
            Err(socket) => of_keeper(socket),
        });
        said.flatten().max()
    })
}

/// The agents whose keepers have a file in a folder, whether anybody listens there or not.
pub fn named(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter_map(|path| agent_of(&path).map(str::to_owned)).collect()
}

/// Removes a keeper's socket and manifest. Only for a keeper that has ended, or is this process.
pub fn remove_files(socket: &Path) {
    for path in [socket.to_path_buf(), manifest_path(socket)] {
        // What is gone already is as wanted.
        let _ = fs::remove_file(path);
    }
}
