//! Why there is no connection to a server, in words for whoever asked for one.
//!
//! `os/socket.rs` makes these.

use std::fmt;
use std::path::PathBuf;

use crate::wire::VERSION;

/// Why there is no connection. `Display` is a fragment fit for "could not …: cause".
#[derive(Debug)]
pub enum Error {
    /// No server listens there.
    Absent(PathBuf),
    /// Another server holds this socket.
    Taken(PathBuf),
    /// The server speaks another version of the protocol.
    Version { server: u32 },
    /// The server said no, with the exit code the contract gives that.
    Refused { code: u8, message: String },
    /// An agent started it, or something below one: not a person's.
    Agents(PathBuf),
    /// Nothing came in time.
    TimedOut,
    /// The server closed the connection.
    Closed,
    /// The system said no.
    Failed(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Absent(path) => write!(f, "no server runs at {}", path.display()),
            Error::Taken(path) => write!(f, "another server already runs at {}", path.display()),
            Error::Version { server } => {
                write!(f, "the server speaks protocol {server}, this program {VERSION}; ")?;
                write!(f, "run 'counsel server restart'")
            }
            Error::Refused { message, .. } | Error::Failed(message) => f.write_str(message),
            Error::Agents(path) => {
                write!(f, "the server at {} descends from an agent; ", path.display())?;
                write!(f, "run 'counsel server restart'")
            }
            Error::TimedOut => f.write_str("the server did not answer in time"),
            Error::Closed => f.write_str("the server closed the connection"),
        }
    }
}

impl std::error::Error for Error {}
