//! The server's socket: taken by one server only, spoken to by this user only, and a blocking client.
//!
//! The server binds and asks who a peer is; command line, hooks, MCP and dashboard connect. It moves
//! frames and must never look into a request beyond the greeting.

mod error;
mod lock;
mod reach;
mod watched;

use std::collections::VecDeque;
use std::fmt;
use std::fs::{self, File, FileType};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::fcntl::Flock;

use super::{paths, regular_file};
use crate::wire::{ClientMessage, Decoder, Notice, Reply, Request, ServerMessage, Taken, VERSION, encode};

/// A server that runs answers a greeting at once; one that does not within this time is stuck.
const GREETING_DEADLINE: Duration = Duration::from_secs(5);
/// A client that has heard nothing so long looks whether the server was stopped, and gives up after so many such looks:
/// in less time than a greeting may take.
const SILENCE: Duration = Duration::from_secs(1);
const WAKES: u32 = 3;
/// A socket is bound under its name and this, and then renamed.
pub const UNTIL_IN_PLACE: &str = ".new";
/// One read from the socket: a few pictures at a time, and small enough for the stack.
const READ_SIZE: usize = 16 * 1024;

pub use error::Error;
use error::no;
use reach::{beside, identity, reach};
pub use reach::{connect, holder, wake};
pub use watched::{Watched, is_all_read, without_waiting};

/// A bound socket. The lock lives as long as it does.
#[derive(Debug)]
pub struct Listener {
    listener: UnixListener,
    path: PathBuf,
    /// The file at `path` that leads here: its device and number.
    file: (u64, u64),
    // Declared last: released only after the socket file is gone.
    lock: Flock<File>,
}

impl Listener {
    /// The listening socket itself, non-blocking, for an event loop's own wrapper.
    pub fn try_clone(&self) -> io::Result<UnixListener> {
        self.listener.try_clone()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its path leads to it still.
    pub fn is_in_place(&self) -> bool {
        identity(&self.path).is_ok_and(|file| file == self.file)
    }

    /// Listens at its path again, from which somebody took it away. Whoever listens there now without the lock is no
    /// server, and gives way.
    ///
    /// # Errors
    /// Another server has the path now, or the system said no; then it is as before.
    pub fn place_again(&mut self) -> Result<(), Error> {
        let failed = |cause: io::Error| Error::Failed(format!("placing {}: {cause}", self.path.display()));
        if let Some(folder) = self.path.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
        }
        let held = self.lock.metadata().map_err(failed)?;
        // Whoever takes the socket away takes the lock beside it, too; ours is on a file that nobody finds then.
        // It was a socket of this server's: whatever else is there now was put there since.
        regular_file::set_aside(&self.path, is_socket_or_link).map_err(failed)?;
        let lock = match identity(&beside(&self.path, ".lock")) {
            Ok(there) if there == (held.dev(), held.ino()) => None,
            _ => Some(lock::take(&self.path)?),
        };
        (self.listener, self.file) = place(&self.path)?;
        if let Some(lock) = lock {
            self.lock = lock;
        }
        Ok(())
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if self.is_in_place() {
            // A socket file left over is replaced by the next server; there is nobody to tell here.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether a server can listen there: asked before anything is laid beside somebody's file.
///
/// # Errors
/// Something else is there that stays.
pub fn may_be_here(path: &Path) -> Result<(), Error> {
    if paths::is_own_socket(path) { Ok(()) } else { nothing_else_at(path) }
}

fn nothing_else_at(path: &Path) -> Result<(), Error> {
    match fs::symlink_metadata(path) {
        // A link leads to somebody else's; what it leads to is not touched.
        Ok(meta) if is_socket_or_link(&meta.file_type()) => Ok(()),
        Ok(_) => Err(no("binding", path, &"it exists and is no socket; remove it")),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(no("reading", path, &e)),
    }
}

/// Takes the socket: of two servers starting at once exactly one gets it. What a dead server left is
/// replaced, and so is a link; anything else that is not a socket is not, unless the place is counsel's own.
pub fn bind(path: &Path) -> Result<Listener, Error> {
    may_be_here(path)?;
    let lock = lock::take_at_start(path)?;
    if paths::is_own_socket(path) {
        regular_file::set_aside(path, is_socket_or_link).map_err(|e| no("clearing", path, &e))?;
    }
    nothing_else_at(path)?;
    let (listener, file) = place(path)?;
    Ok(Listener { listener, path: path.to_path_buf(), file, lock })
}

/// Leaves at a path what a server leaves that was killed: nobody comes to whoever listened there any more.
pub fn vacate(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        // Somebody else ends that server, too, and was faster.
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(no("removing", path, &e)),
        _ => {}
    }
    UnixListener::bind(path).map(drop).map_err(|e| no("binding", path, &e))
}

fn is_socket_or_link(there: &FileType) -> bool {
    there.is_socket() || there.is_symlink()
}

/// Bound aside and renamed: no moment with a socket others can open, none without one.
fn place(path: &Path) -> Result<(UnixListener, (u64, u64)), Error> {
    let failed = |what: &str, cause: &dyn fmt::Display| no(what, path, cause);
    let aside = beside(path, UNTIL_IN_PLACE);
    regular_file::set_aside(&aside, |there| !there.is_dir()).map_err(|e| failed("clearing", &e))?;
    match fs::remove_file(&aside) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failed("clearing", &e)),
        _ => {}
    }
    let listener = UnixListener::bind(&aside).map_err(|e| failed("binding", &e))?;
    fs::set_permissions(&aside, fs::Permissions::from_mode(0o600)).map_err(|e| failed("closing", &e))?;
    listener.set_nonblocking(true).map_err(|e| failed("setting up", &e))?;
    let file = identity(&aside).map_err(|e| failed("reading", &e))?;
    fs::rename(&aside, path).map_err(|e| failed("placing", &e))?;
    Ok((listener, file))
}

/// A greeted connection to a server: requests one at a time, notices kept in order.
#[derive(Debug)]
pub struct Connection {
    stream: UnixStream,
    decoder: Decoder,
    notices: VecDeque<Notice>,
    last_id: u64,
    /// The process that listens, as the kernel tells, and how often in a row it was found stopped.
    listener: (Option<u32>, u32),
    /// The server has said that it types nothing more, or was gone before it had read what it was asked.
    types_no_more: bool,
    /// Process id of the server.
    pub server_pid: u32,
    /// Its name and version, as it gives them.
    pub server: String,
}

/// A server that was killed takes this many pauses at most until nobody can connect to it any more.
const ENDING_PAUSES: u32 = 50;
/// The kernel tells nobody when it has taken another process's socket down: one looks again.
const ENDING_PAUSE: Duration = Duration::from_millis(10);

/// Connects and says hello; an agent's own processes show their token. A server that is just ending
/// counts as absent once it has.
pub fn connect_and_greet(path: &Path, token: Option<String>) -> Result<Connection, Error> {
    for _ in 0..ENDING_PAUSES {
        match greet(path, token.clone()) {
            Err(Error::Closed) => std::thread::sleep(ENDING_PAUSE),
            done => return done,
        }
    }
    Err(Error::Closed)
}

/// The same for one who cannot wait: one attempt.
pub fn greet_once(path: &Path, token: Option<String>) -> Result<Connection, Error> {
    greet(path, token)
}

fn greet(path: &Path, token: Option<String>) -> Result<Connection, Error> {
    let mut connection = Connection::to(path)?;
    let hello = Request::Hello { version: VERSION, token };
    match connection.request_within(hello, Some(Instant::now() + GREETING_DEADLINE))? {
        Reply::Hello { version: VERSION, pid, server } => {
            (connection.server_pid, connection.server) = (pid, server);
            Ok(connection)
        }
        Reply::Hello { version, .. } => Err(Error::Version { server: version }),
        Reply::Error { code, message } => Err(Error::Refused { code, message }),
        other => Err(Error::Failed(format!("the server answered the greeting with {other:?}"))),
    }
}

/// Greeting and requests in one write, their replies in order: one round trip, for who only looks and is
/// gone again. An error reply to any of them is the error.
pub fn ask_once(
    path: &Path,
    token: Option<String>,
    requests: Vec<Request>,
    until: Instant,
) -> Result<Vec<Reply>, Error> {
    let mut connection = Connection::to(path)?;
    let hello = Request::Hello { version: VERSION, token };
    let count = requests.len() + 1;
    let messages = std::iter::once(hello).chain(requests).zip(0..);
    let frames: Vec<u8> = messages.flat_map(|(request, id)| encode(&ClientMessage { id, request })).collect();
    connection.stream.set_write_timeout(remaining(Some(until))?).map_err(failed)?;
    connection.stream.write_all(&frames).map_err(failed)?;
    let mut replies = Vec::new();
    while replies.len() < count {
        match connection.receive(Some(until))? {
            ServerMessage::Reply { reply: Reply::Error { code, message }, .. } => {
                return Err(Error::Refused { code, message });
            }
            ServerMessage::Reply { reply: Reply::Hello { version, .. }, .. } if version != VERSION => {
                return Err(Error::Version { server: version });
            }
            ServerMessage::Reply { reply, .. } => replies.push(reply),
            ServerMessage::Notice(_) => {}
        }
    }
    Ok(replies.split_off(1))
}

impl Connection {
    /// One that is not greeted yet.
    fn to(path: &Path) -> Result<Connection, Error> {
        let (stream, listener) = reach(path)?;
        let (decoder, notices, server) = (Decoder::default(), VecDeque::new(), String::new());
        Ok(Connection {
            stream,
            decoder,
            notices,
            last_id: 0,
            listener: (listener, 0),
            types_no_more: false,
            server_pid: 0,
            server,
        })
    }

    /// Sends and waits for the reply, however long that takes; notices that come meanwhile are kept.
    pub fn request(&mut self, request: Request) -> Result<Reply, Error> {
        self.request_within(request, None)
    }

    /// The same with a deadline. After `TimedOut` the reply, should it still come, is dropped.
    pub fn request_within(&mut self, request: Request, until: Option<Instant>) -> Result<Reply, Error> {
        self.last_id += 1;
        let id = self.last_id;
        self.stream.set_write_timeout(remaining(until)?).map_err(failed)?;
        self.stream.write_all(&encode(&ClientMessage { id, request })).map_err(|error| {
            self.types_no_more |= error.kind() == io::ErrorKind::BrokenPipe;
            failed(error)
        })?;
        loop {
            match self.receive(until)? {
                ServerMessage::Reply { id: of, reply } if of == id => return Ok(reply),
                ServerMessage::Reply { .. } => {}
                ServerMessage::Notice(notice) => self.notices.push_back(notice),
            }
        }
    }

    /// Of one that was closed: whether nothing was typed of what had no reply by then.
    pub fn types_no_more(&self) -> bool {
        self.types_no_more
    }

    /// Sends what has no reply.
    pub fn send(&mut self, request: Request) -> Result<(), Error> {
        self.stream.set_write_timeout(None).map_err(failed)?;
        self.stream.write_all(&encode(&ClientMessage { id: 0, request })).map_err(failed)
    }

    /// The next notice, in order. `None` as deadline waits for ever.
    pub fn next_notice(&mut self, until: Option<Instant>) -> Result<Notice, Error> {
        if let Some(notice) = self.notices.pop_front() {
            return Ok(notice);
        }
        loop {
            match self.receive(until)? {
                ServerMessage::Notice(notice) => return Ok(notice),
                ServerMessage::Reply { .. } => {}
            }
        }
    }

    /// The stream once more, with which another thread can end what this one waits for.
    pub fn stream(&self) -> io::Result<UnixStream> {
        self.stream.try_clone()
    }

    /// For whoever waits for more than its replies: the stream, what was read but not yet decoded, the notices not yet taken.
    pub fn into_parts(self) -> (UnixStream, Decoder, VecDeque<Notice>) {
        (self.stream, self.decoder, self.notices)
    }

    fn receive(&mut self, until: Option<Instant>) -> Result<ServerMessage, Error> {
        loop {
            match self.decoder.take_any().map_err(Error::Failed)? {
                Some(Taken::Message(ServerMessage::Notice(Notice::TypesNoMore))) => {
                    self.types_no_more = true;
                    continue;
                }
                Some(Taken::Message(message)) => return Ok(message),
                // Waiting for the reply it was would be waiting for ever.
                Some(Taken::Foreign(value)) if value.get("reply").is_some() => {
                    return Err(Error::Failed("the server's reply is of a later version".to_owned()));
                }
                // News of a later version.
                Some(Taken::Foreign(_)) => continue,
                None => {}
            }
            let silence = remaining(until)?.map_or(SILENCE, |left| left.min(SILENCE));
            self.stream.set_read_timeout(Some(silence)).map_err(failed)?;
            let mut buffer = [0; READ_SIZE];
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(Error::Closed),
                Ok(n) => {
                    self.listener.1 = 0;
                    self.decoder.push(&buffer[..n]);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => self.stands_still()?,
                Err(e) => {
                    // So the kernel tells that the last thing it was sent lies there unread.
                    self.types_no_more |= e.kind() == io::ErrorKind::ConnectionReset;
                    return Err(failed(e));
                }
            }
        }
    }

    /// Nothing has come for a while: a server that was stopped is told to go on.
    fn stands_still(&mut self) -> Result<(), Error> {
        if !wake(self.listener.0) {
            return Ok(());
        }
        self.listener.1 += 1;
        match self.listener {
            (Some(pid), WAKES..) => Err(Error::Stopped { pid }),
            _ => Ok(()),
        }
    }
}

/// What is left until a deadline, as a socket time-out; zero would mean "for ever" there.
fn remaining(until: Option<Instant>) -> Result<Option<Duration>, Error> {
    let left = until.map(|at| at.saturating_duration_since(Instant::now()));
    if left == Some(Duration::ZERO) { Err(Error::TimedOut) } else { Ok(left) }
}

fn failed(e: io::Error) -> Error {
    match e.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Error::TimedOut,
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => Error::Closed,
        _ => Error::Failed(format!("talking to the server failed: {e}")),
    }
}

#[cfg(test)]
#[path = "socket_tests.rs"]
mod tests;
