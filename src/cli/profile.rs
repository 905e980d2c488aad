//! `counsel profile`: checks a profile against recordings, and scores detection on a folder of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;

use crate::config::{self, Places};
use crate::core::profile::{GENERIC, LazyProfile, Profiles};
use crate::core::recording::asciicast::{self, Asciicast};
use crate::core::recording::replay;
use crate::core::recording::score::{Labels, Score};

use crate::os::regular_file;

use super::failure::{Failure, USAGE};
use super::out;
use crate::core::visible::visible;

/// Check a profile, score profiles on labelled recordings
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
pub enum Verb {
    /// Read a profile file and, with a folder, say where it misjudges labelled recordings
    Check {
        /// A profile (TOML)
        file: PathBuf,
        /// Folder of recordings (NAME.cast with its labels in NAME.json)
        #[arg(long, value_name = "DIR")]
        against: Option<PathBuf>,
        /// Print what was found as JSON, one object per line
        #[arg(long)]
        json: bool,
    },
    /// Recall, precision and exactness on labelled recordings, by agent and version
    Score {
        /// Folder of recordings (NAME.cast with its labels in NAME.json)
        dir: PathBuf,
        /// Judge all of them with this profile
        #[arg(long)]
        profile: Option<String>,
        /// Print what differs at each checkpoint that is not exact
        #[arg(long)]
        misses: bool,
        /// One JSON object per line
        #[arg(long)]
        json: bool,
    },
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    match &args.verb {
        Verb::Check { file, against, json } => check(file, against.as_deref(), *json),
        Verb::Score { dir, profile, misses, json } => {
            let board = board(&config::profiles(&Places::here(None)?)?, profile.as_deref(), dir, |_| true)?;
            report(&board, *misses, *json)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// More than ten times the largest profile that is built in.
const PROFILE_BYTES: u64 = 1024 * 1024;

fn check(file: &Path, against: Option<&Path>, json: bool) -> Result<ExitCode, Failure> {
    let name = file.display().to_string();
    let text = regular_file::read_named_text(file, PROFILE_BYTES)
        .map_err(|error| format!("could not read {name}: {error}"))?;
    let mut profiles = Profiles::builtin();
    let own = match profiles.add_toml(&name, &text) {
        Ok(own) => own,
        Err(error) => {
            if json {
                out::json(
                    &json!({ "ok": false, "file": name, "profile": null, "fault": error.to_string() }),
                )?;
            }
            return Err(Failure::new(USAGE, format!("could not read the profile: {error}")));
        }
    };
    let Some(dir) = against else {
        match json {
            true => out::json(&json!({ "ok": true, "file": name, "profile": own, "fault": null }))?,
            false => out::line(&format!("{name}: ok"))?,
        }
        return Ok(ExitCode::SUCCESS);
    };
    let board = board(&profiles, None, dir, |profile| profile.name == own)?;
    report(&board, true, json)?;
    let exact = board.total.exact == board.total.checkpoints && board.total.checkpoints > 0;
    Ok(ExitCode::from(u8::from(!exact)))
}

/// Scores by agent and version, and the checkpoints that are not exact.
#[derive(Debug, Default)]
pub struct Board {
    pub rows: BTreeMap<(String, String), Score>,
    pub total: Score,
    /// Recording, seconds, what differs.
    pub misses: Vec<(String, f64, String)>,
}

/// Plays every labelled recording of a folder whose profile is wanted.
pub fn board(
    profiles: &Profiles,
    force: Option<&str>,
    dir: &Path,
    wanted: impl Fn(&Arc<LazyProfile>) -> bool,
) -> Result<Board, String> {
    let mut board = Board::default();
    for path in recordings(dir)? {
        let cast = Asciicast::parse(&read(&path)?)
            .map_err(|error| format!("could not read {}: {error}", path.display()))?;
        let beside = path.with_extension("json");
        let labels: Labels = serde_json::from_str(&read(&beside)?)
            .map_err(|error| format!("could not read {}: {error}", beside.display()))?;
        let mut profile = super::replay::profile_for(profiles, force, &cast)?;
        // A recording that does not tell its command tells its program in the labels.
        if force.is_none() && profile.name == GENERIC {
            profile = profiles.get(&labels.agent).unwrap_or(profile);
        }
        if !wanted(&profile) {
            continue;
        }
        let times: Vec<u64> =
            labels.checkpoints.iter().map(|checkpoint| asciicast::millis(checkpoint.t)).collect();
        let verdicts = replay::verdicts_at(&cast, &profile, &times);
        let mut score = Score::default();
        for (checkpoint, verdict) in labels.checkpoints.iter().zip(&verdicts) {
            let misses = score.add(checkpoint, verdict);
            if !misses.is_empty() {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                board.misses.push((name, checkpoint.t, format!("{} ({})", misses.join("; "), verdict.why)));
            }
        }
        board.total.merge(&score);
        board.rows.entry((labels.agent, labels.version)).or_default().merge(&score);
    }
    Ok(board)
}

fn recordings(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let entries =
        std::fs::read_dir(dir).map_err(|error| format!("could not read {}: {error}", dir.display()))?;
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let labelled = |path: &PathBuf| {
        path.extension().is_some_and(|ext| ext == "cast") && path.with_extension("json").exists()
    };
    let mut paths: Vec<PathBuf> = paths.filter(labelled).collect();
    paths.sort();
    match paths.is_empty() {
        true => {
            Err(format!("could not find recordings in {}: they are NAME.cast with NAME.json", dir.display()))
        }
        false => Ok(paths),
    }
}

fn read(path: &Path) -> Result<String, String> {
    super::replay::read_text(path, asciicast::FILE_BYTES)
}

fn report(board: &Board, misses: bool, json: bool) -> Result<(), Failure> {
    if json {
        for ((agent, version), score) in &board.rows {
            out::json(&line(agent, version, score))?;
        }
        return out::json(&line("all", "", &board.total));
    }
    if misses {
        for (name, t, what) in &board.misses {
            out::line(&visible(&format!("{name} @{t}: {what}")))?;
        }
    }
    let head = ["agent", "version", "seen", "recall", "precision", "exact"];
    let [agent, version, seen, recall, precision, exact] = head;
    out::line(&format!("{agent:<10} {version:<9} {seen:>6} {recall:>8} {precision:>10} {exact:>8}"))?;
    for ((agent, version), score) in &board.rows {
        row(agent, version, score)?;
    }
    row("all", "", &board.total)
}

fn row(agent: &str, version: &str, score: &Score) -> Result<(), Failure> {
    let (recall, precision, exact) = (score.recall(), score.precision(), score.exactness());
    let seen = score.checkpoints;
    out::line(&format!("{agent:<10} {version:<9} {seen:>6} {recall:>7.1}% {precision:>9.1}% {exact:>7.1}%"))
}

fn line(agent: &str, version: &str, score: &Score) -> serde_json::Value {
    json!({
        "agent": agent,
        "version": version,
        "checkpoints": score.checkpoints,
        "exact": score.exact,
        "asked": score.asked,
        "found": score.found,
        "invented": score.invented,
        "recall": score.recall(),
        "precision": score.precision(),
        "exactness": score.exactness(),
    })
}
