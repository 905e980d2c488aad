//! `counsel server log`: what servers wrote of themselves, with nothing in it that acts on a terminal.
//!
//! It reads the file alone, so that it works where no server runs any more.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::core::visible::visible;
use crate::os::{paths, regular_file};

use super::failure::Failure;
use super::{number, out};

/// Show what the server wrote of itself: starts, ends, and what went wrong
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only the last N lines
    #[arg(long, value_name = "N", value_parser = number::whole, allow_negative_numbers = true)]
    tail: Option<u64>,
    /// Only what was written since: seconds ago (90, 5m, 2h, 3d) or a Unix time (s or ms)
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    since: Option<String>,
    /// Go on with what is written from now on
    #[arg(short, long)]
    follow: bool,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

/// How often a log that is followed is looked at: a person reads along.
const LOOK: Duration = Duration::from_millis(200);

/// What goes on is told from the next line by this.
const INDENT: usize = 4;

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let since_ms = args.since.as_deref().map(number::time).transpose()?;
    let path = paths::state_dir()?.join("server.log");
    let mut log = match Log::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(format!("there is none yet; a server writes {}", path.display()).into());
        }
        other => other.map_err(|error| unread(&path, &error))?,
    };
    let mut lines = log.more(!args.follow).map_err(|error| unread(&path, &error))?;
    if let Some(since_ms) = since_ms {
        // A line without a time of its own belongs to the one before.
        let first = lines.iter().position(|line| written_at(line).is_some_and(|at| at >= since_ms));
        lines.drain(..first.unwrap_or(lines.len()));
    }
    let keep = args.tail.and_then(|tail| usize::try_from(tail).ok()).unwrap_or(usize::MAX);
    lines.drain(..lines.len().saturating_sub(keep));
    show(&lines, args.json)?;
    if !args.follow {
        return Ok(ExitCode::SUCCESS);
    }
    out::end_with_reader();
    loop {
        thread::sleep(LOOK);
        let lines = log.more(false).map_err(|error| unread(&path, &error))?;
        show(&lines, args.json)?;
    }
}

fn unread(path: &Path, error: &std::io::Error) -> Failure {
    format!("{} cannot be read: {error}", path.display()).into()
}

fn show(lines: &[String], as_json: bool) -> Result<(), Failure> {
    lines.iter().try_for_each(|line| match as_json {
        true => out::json(&object(line)),
        false => out::prose(&visible(line), INDENT),
    })
}

/// The file, as far as it was read.
struct Log {
    file: File,
    unfinished: Vec<u8>,
}

impl Log {
    fn open(path: &Path) -> std::io::Result<Log> {
        Ok(Log { file: regular_file::open_to_read(path)?, unfinished: Vec::new() })
    }

    /// The lines written since; `all`: one that is not finished as well.
    fn more(&mut self, all: bool) -> std::io::Result<Vec<String>> {
        let mut bytes = std::mem::take(&mut self.unfinished);
        self.file.read_to_end(&mut bytes)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if !all {
            self.unfinished = bytes.split_off(end);
        }
        Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
    }
}

/// When a line was written, in Unix milliseconds.
fn written_at(line: &str) -> Option<u64> {
    let time: jiff::Timestamp = line.split(' ').next()?.parse().ok()?;
    u64::try_from(time.as_millisecond()).ok()
}

/// A line as `--json` shows it: when, how grave, what. A panic's lines have neither time nor level.
fn object(line: &str) -> Value {
    let at = written_at(line);
    let rest =
        if at.is_some() { line.split_once(' ').map_or("", |(_, rest)| rest.trim_start()) } else { line };
    let (level, text) = match rest.split_once(' ') {
        Some((level @ ("ERROR" | "WARN" | "INFO" | "DEBUG" | "TRACE"), text)) => (Some(level), text),
        _ => (None, rest),
    };
    json!({ "at": at, "level": level, "text": text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_apart() {
        let line = "2026-11-22T06:00:00.500000Z  WARN counsel::server: a b";
        assert_eq!(
            object(line),
            json!({ "at": 1_795_327_200_500_u64, "level": "WARN", "text": "counsel::server: a b" })
        );
        let line = "thread 'main' panicked";
        assert_eq!(object(line), json!({ "at": null, "level": null, "text": line }));
    }
}
