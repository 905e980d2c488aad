//! `counsel log --verify`: where the decision log is not what was written.

use std::io::{BufReader, ErrorKind};
use std::process::ExitCode;

use serde_json::json;

use crate::core::log::chain::Verifier;
use crate::core::visible::visible;
use crate::os::{paths, regular_file};
use crate::server::file_io::{MAX_LINE, log_path};

use super::super::failure::Failure;
use super::super::out;

pub fn run(json: bool) -> Result<ExitCode, Failure> {
    let path = log_path(&paths::state_dir()?);
    let unread = |error| Failure::new(1, format!("could not read {}: {error}", path.display()));
    let mut verifier = Verifier::default();
    match regular_file::open_to_read(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(unread(error)),
        Ok(file) => {
            for line in regular_file::lines(BufReader::new(file), MAX_LINE) {
                verifier.take(&String::from_utf8_lossy(&line));
            }
        }
    }
    report(&verifier, json)?;
    Ok(if verifier.breaks.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report(seen: &Verifier, json: bool) -> Result<(), Failure> {
    if json {
        let each = seen.breaks.iter();
        let breaks: Vec<_> =
            each.map(|at| json!({"line": at.line, "id": at.id, "untied": at.untied})).collect();
        return out::json(&json!({
            "tied": seen.tied, "old": seen.old, "no_entry": seen.no_entry, "breaks": breaks
        }));
    }
    for at in &seen.breaks {
        let what = if at.untied {
            "was not written by a server"
        } else {
            "follows something that was changed, added or removed since"
        };
        out::line(&format!("line {} ({}) {what}", at.line, visible(&at.id)))?;
    }
    let touched = if seen.breaks.is_empty() { "; nothing was changed" } else { "" };
    let mut words = format!("{} entries are tied to what stands before them{touched}", seen.tied);
    if seen.old > 0 {
        let entries = if seen.old == 1 { "entry" } else { "entries" };
        words.push_str(&format!("; {} {entries} before them, from an earlier version, are not", seen.old));
    }
    if seen.no_entry > 0 {
        words.push_str(&format!("; {} lines are no entries, as a crash leaves them", seen.no_entry));
    }
    out::line(&words)
}
