//! Entries that the server keeps until the disk takes them: without a word the log would look whole.

use std::path::Path;
use std::time::Duration;

use crate::os::socket::connect_and_greet;
use crate::wire::message::{Reply, Request};

use super::super::link::{Global, Server, token};
use super::super::out;

/// The file can be read without a server: nobody waits long for one that says nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Says how many entries of the log at this path are missing there, if a server runs that keeps some.
pub fn tell(path: &Path, global: &Global) {
    if let Some(words) = words(count(path, global).unwrap_or(0)) {
        out::complain(&words);
    }
}

fn count(path: &Path, global: &Global) -> Option<usize> {
    let connection = connect_and_greet(&global.socket_path().ok()?, token()).ok()?;
    match (Server { connection }).ask_within(Request::LogHead, PATIENCE).ok()? {
        Reply::LogHead { log, waiting, .. } if Path::new(&log) == path => Some(waiting),
        _ => None,
    }
}

fn words(waiting: usize) -> Option<String> {
    let entries = if waiting == 1 { "entry waits" } else { "entries wait" };
    (waiting > 0).then(|| {
        format!("warning: {waiting} {entries} for room on the disk, kept by the server until then, and not in the log")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_on_the_disk_yet_is_told() {
        assert_eq!(words(0), None);
        assert!(words(1).is_some_and(|words| words.contains("1 entry waits for room")));
        assert!(words(2).is_some_and(|words| words.contains("2 entries wait for room")));
    }
}
