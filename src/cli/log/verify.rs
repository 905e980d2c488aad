//! `counsel log --verify`: where the decision log is not what was written.
//!
//! The chain in the file shows what was changed before a genuine line. Its end is vouched for by the server that wrote it, which
//! is asked where one runs.

use std::io::{self, BufReader, ErrorKind};
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use crate::core::log::chain::Verifier;
use crate::core::visible::visible;
use crate::os::{paths, regular_file};
use crate::server::file_io::{MAX_LINE, log_path};
use crate::wire::message::{Reply, Request};

use super::super::failure::Failure;
use super::super::link::Global;
use super::super::out;

/// While questions are being answered the log grows between two looks; one of a few finds it at rest.
const LOOKS: usize = 5;

/// How the end of the log stands to what its server wrote last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Holds,
    Differs,
    /// No server runs that writes this log.
    Unvouched,
}

impl End {
    fn name(self) -> &'static str {
        match self {
            End::Holds => "holds",
            End::Differs => "differs",
            End::Unvouched => "unvouched",
        }
    }
}

pub fn run(json: bool, global: &Global) -> Result<ExitCode, Failure> {
    let path = log_path(&paths::state_dir()?);
    let unread = |error| Failure::new(1, format!("could not read {}: {error}", path.display()));
    let mut before = head(&path, global);
    let mut verifier = read(&path).map_err(unread)?;
    for _ in 1..LOOKS {
        let after = head(&path, global);
        if before == after {
            break;
        }
        (before, verifier) = (after, read(&path).map_err(unread)?);
    }
    let end = match before {
        None => End::Unvouched,
        Some(head) if head == verifier.head().text() => End::Holds,
        Some(_) => End::Differs,
    };
    report(&verifier, end, json)?;
    let whole = verifier.breaks.is_empty() && end != End::Differs;
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read(path: &Path) -> io::Result<Verifier> {
    let mut verifier = Verifier::default();
    match regular_file::open_to_read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
        Ok(file) => {
            for line in regular_file::lines(BufReader::new(file), MAX_LINE) {
                verifier.take(&String::from_utf8_lossy(&line));
            }
        }
    }
    Ok(verifier)
}

/// What the server that writes this log wrote last; none where no server runs, or it writes another one.
fn head(path: &Path, global: &Global) -> Option<String> {
    let mut server = global.running().ok()??;
    match server.ask(Request::LogHead).ok()? {
        Reply::LogHead { log, head, .. } if Path::new(&log) == path => head,
        _ => None,
    }
}

fn report(seen: &Verifier, end: End, json: bool) -> Result<(), Failure> {
    if json {
        let each = seen.breaks.iter();
        let breaks: Vec<_> =
            each.map(|at| json!({"line": at.line, "id": at.id, "untied": at.untied})).collect();
        return out::json(&json!({
            "tied": seen.tied, "old": seen.old, "no_entry": seen.no_entry, "breaks": breaks, "end": end.name()
        }));
    }
    for at in &seen.breaks {
        let what = if at.untied {
            "was not written by a server"
        } else {
            "follows something that was changed, added or removed since"
        };
        let id = if at.id.is_empty() { String::new() } else { format!(" ({})", visible(&at.id)) };
        out::line(&format!("line {}{id} {what}", at.line))?;
    }
    if end == End::Differs {
        out::line("the end is not what the server wrote last: it was changed, cut off or added to since")?;
    }
    let touched = match (seen.breaks.is_empty(), end) {
        (true, End::Holds) => "; nothing was changed",
        (true, End::Unvouched) => {
            "; nothing before the last of them was changed, and no server runs to say what was behind"
        }
        (false, _) | (_, End::Differs) => "",
    };
    let mut words = format!("{} tied to what stands before{touched}", are(seen.tied, "entry", "entries"));
    if seen.old > 0 {
        let older = are(seen.old, "entry from an earlier version", "entries from an earlier version");
        words.push_str(&format!("; {older} not"));
    }
    if seen.no_entry > 0 {
        let lines = are(seen.no_entry, "line", "lines");
        words.push_str(&format!("; {lines} no entry, as a crash leaves behind"));
    }
    out::line(&words)
}

/// `1 entry is`, `2 entries are`.
fn are(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one} is") } else { format!("{number} {many} are") }
}
