//! `counsel log`: every question and how it ended.

use std::io::{BufRead, BufReader};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::core::record::Entry;
use crate::os::paths;
use crate::server::file_io::log_path;

use super::failure::{Failure, USAGE};

/// Show every question and how it ended
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only what was asked since: seconds ago (90, 5m, 2h, 3d) or a Unix time
    #[arg(long, value_name = "T")]
    since: Option<String>,
    /// Only this agent's
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let since_ms = args.since.as_deref().map(since).transpose()?.unwrap_or(0);
    let path = log_path(&paths::state_dir()?);
    let file = match std::fs::File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(ExitCode::SUCCESS),
        Err(error) => return Err(Failure::new(1, format!("could not read {}: {error}", path.display()))),
    };
    for line in BufReader::new(file).lines() {
        let line =
            line.map_err(|error| Failure::new(1, format!("could not read {}: {error}", path.display())))?;
        // A line torn by a crash holds no decision.
        let Ok(entry) = serde_json::from_str::<Entry>(&line) else { continue };
        if entry.asked_at < since_ms || args.agent.as_ref().is_some_and(|agent| *agent != entry.agent) {
            continue;
        }
        super::out::line(&if args.json { line } else { describe(&entry) })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Milliseconds since the epoch.
fn since(text: &str) -> Result<u64, Failure> {
    let bad = || Failure::new(USAGE, format!("'{text}' is not a time; write 90, 5m, 2h, 3d, or a Unix time"));
    let (number, unit) = match text.char_indices().last() {
        Some((at, 's')) => (&text[..at], 1),
        Some((at, 'm')) => (&text[..at], 60),
        Some((at, 'h')) => (&text[..at], 3_600),
        Some((at, 'd')) => (&text[..at], 86_400),
        _ => (text, 1),
    };
    let number: u64 = number.parse().map_err(|_| bad())?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    // Nothing was asked thirty years ago: a number that large is a date.
    let seconds =
        if unit == 1 && number > 1_000_000_000 { number } else { now.saturating_sub(number * unit) };
    Ok(seconds * 1000)
}

fn describe(entry: &Entry) -> String {
    let answer = entry.answer.as_deref().unwrap_or("-");
    let seconds = entry.latency_ms as f64 / 1000.0;
    let head = format!("{}  {}  {}", super::out::clock(entry.asked_at), entry.id, entry.agent);
    format!(
        "{head}  {}  {}\n    {}\n    {answer}  (by {}, {:?}, {seconds:.1} s)",
        entry.kind.name(),
        entry.outcome.name(),
        entry.prompt,
        entry.by,
        entry.channel
    )
}
