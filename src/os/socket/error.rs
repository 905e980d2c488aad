//! Why there is no connection to a server, in words for whoever asked for one.
//!
//! `os/socket.rs` makes these.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::wire::VERSION;

/// Why there is no connection. `Display` is a fragment fit for "could not …: cause".
#[derive(Debug)]
pub enum Error {
    /// No server listens there.
    Absent(PathBuf),
    /// Another server holds this socket.
    Taken(PathBuf),
    /// A process holds the lock that servers start by, for longer than any start takes.
    Held { path: PathBuf, pid: u32 },
    /// The server speaks another version of the protocol.
    Version { server: u32 },
    /// The server said no, with the exit code the contract gives that.
    Refused { code: u8, message: String },
    /// An agent started it, or something below one: not a person's.
    Agents(PathBuf),
    /// Who listens cannot be told from an agent: it has ended, or is kept from this process.
    Unproved(PathBuf),
    /// Somebody stops the server whenever it is told to go on.
    Stopped { pid: u32 },
    /// Nothing came in time.
    TimedOut,
    /// The server closed the connection.
    Closed,
    /// The system said no.
    Failed(String),
}

/// The system's word about a file.
pub fn no(what: &str, path: &Path, cause: &dyn fmt::Display) -> Error {
    Error::Failed(format!("{what} {} failed: {cause}", path.display()))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Absent(path) => write!(f, "no server runs at {}", path.display()),
            Error::Taken(path) => {
                write!(f, "another server already runs at {}; ", path.display())?;
                write!(f, "'counsel server restart' puts one of this program in its place")
            }
            Error::Held { path, pid } => {
                write!(f, "process {pid} holds the lock {}, and no server starts; end it", path.display())
            }
            Error::Version { server } => {
                write!(f, "the server speaks protocol {server}, this program {VERSION}; ")?;
                write!(f, "run 'counsel server restart'")
            }
            Error::Refused { message, .. } | Error::Failed(message) => f.write_str(message),
            Error::Agents(path) => {
                write!(f, "the server at {} descends from an agent; ", path.display())?;
                write!(f, "run 'counsel server restart'")
            }
            Error::Unproved(path) => {
                write!(f, "whoever listens at {} cannot be told from an agent; ", path.display())?;
                write!(f, "run 'counsel server restart'")
            }
            Error::Stopped { pid } => {
                write!(f, "the server (pid {pid}) is stopped and does not go on; ")?;
                write!(f, "end whoever stops it, or run 'counsel server restart'")
            }
            Error::TimedOut => {
                f.write_str("the server did not answer in time; if it stays so, run 'counsel server restart'")
            }
            Error::Closed => f.write_str("the server closed the connection"),
        }
    }
}

impl std::error::Error for Error {}
