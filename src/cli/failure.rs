//! Why a verb failed, and the exit code that tells programs the same.

use std::path::Path;
use std::{fmt, io};

use nix::errno::Errno;

use crate::config::ConfigError;
use crate::os::socket;
use crate::wire::Reply;

/// The time is up.
pub const TIMED_OUT: u8 = 124;
/// Refused by policy.
pub const REFUSED: u8 = 4;
/// Bad usage or bad configuration.
pub const USAGE: u8 = 2;

/// An error as the command line reports it: one line, and an exit code of the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub code: u8,
    pub message: String,
    /// The server did not answer within the time it was given.
    pub timed_out: bool,
    /// The server closed the connection, or died.
    pub hung_up: bool,
    /// No server listens where one was looked for.
    pub absent: bool,
}

impl Failure {
    pub fn new(code: u8, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), timed_out: false, hung_up: false, absent: false }
    }

    /// Says what could not be done, in front of the cause.
    pub fn doing(self, what: &str) -> Failure {
        let message = if self.message.starts_with("could not ") {
            self.message
        } else {
            format!("could not {what}: {}", self.message)
        };
        Failure { message, ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::new(1, message)
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Failure {
        Failure::new(1, message)
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Failure {
        Failure::new(USAGE, error.to_string())
    }
}

impl From<socket::Error> for Failure {
    fn from(error: socket::Error) -> Failure {
        match error {
            socket::Error::Refused { code, message } => Failure::new(code, message),
            timed_out @ socket::Error::TimedOut => {
                Failure { timed_out: true, ..Failure::new(1, timed_out.to_string()) }
            }
            closed @ socket::Error::Closed => {
                let mend = "'counsel ls' shows what has become of it; then try again";
                Failure { hung_up: true, ..Failure::new(1, format!("{closed}; {mend}")) }
            }
            absent @ socket::Error::Absent(_) => {
                Failure { absent: true, ..Failure::new(1, absent.to_string()) }
            }
            other => Failure::new(1, other.to_string()),
        }
    }
}

/// A file that could not be written, or the folder for it, with the mend.
pub fn unwritten(path: &Path, error: &io::Error) -> Failure {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let parent = folder;
    let (shown, folder) = (path.display(), folder.display());
    let what = match error.kind() {
        io::ErrorKind::NotFound if path.is_symlink() => nowhere(path, parent),
        io::ErrorKind::NotFound if parent.is_dir() => format!("{shown} cannot be made there; name another"),
        io::ErrorKind::NotFound => format!("there is no folder {folder}; make it first, or name another"),
        io::ErrorKind::NotADirectory => format!("{folder} is no folder; name another"),
        io::ErrorKind::IsADirectory => format!("{shown} is a folder; name a file"),
        io::ErrorKind::AlreadyExists => format!("{shown} is there already; name another, or remove it first"),
        io::ErrorKind::PermissionDenied => format!("{shown} may not be written; name a place of yours"),
        _ => format!("{shown}: {}", in_words(error)),
    };
    Failure::new(1, what)
}

/// A link that leads to no file.
fn nowhere(link: &Path, folder: &Path) -> String {
    let to = std::fs::read_link(link).map(|to| folder.join(to)).unwrap_or_default();
    let (shown, there) = (link.display(), to.display());
    // An empty parent is where this runs.
    match to.parent().is_some_and(|of| of.as_os_str().is_empty() || of.is_dir()) {
        true => format!("{shown} is a link to {there}, which is not there; name that, or another"),
        false => format!("{shown} is a link to where there is no folder; name another"),
    }
}

/// The system's words without its number.
fn in_words(error: &io::Error) -> String {
    let number = error.raw_os_error();
    number.map_or_else(|| error.to_string(), |number| Errno::from_raw(number).desc().to_owned())
}

/// A refusal becomes a failure, anything else is handed on.
pub fn accepted(reply: Reply) -> Result<Reply, Failure> {
    match reply {
        Reply::Error { code, message } => Err(Failure::new(code, message)),
        reply => Ok(reply),
    }
}
