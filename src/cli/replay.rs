//! `counsel replay`: what detection makes of a recording, and why.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::config::{self, Places};
use crate::core::profile::{LazyProfile, Profile, Profiles};
use crate::core::question::Verdict;
use crate::core::recording::asciicast::{self, Asciicast};
use crate::core::recording::replay;
use crate::core::visible::{visible_json, visible_lines};
use crate::os::regular_file;

use super::failure::{Failure, USAGE};
use super::progress::Progress;
use super::{number, out};

/// Say what counsel thinks of a recording at each change, and why
///
/// Who read the terminal is not in a recording: what is a question only because a program sleeps in a read is none here.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// An asciicast v2 recording, for example of `counsel record`
    pub cast: PathBuf,
    /// Judge with this profile, or profile file, instead of the one the recorded command calls for
    #[arg(long, value_name = "NAME|FILE.toml", add = super::complete::profiles())]
    pub profile: Option<String>,
    /// Judge the screen as it stands at these seconds; without it, every change of the verdict
    #[arg(long, value_name = "T[,T…]", value_delimiter = ',', value_parser = number::seconds, allow_negative_numbers = true)]
    pub at: Vec<f64>,
    /// One JSON object per line
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let name = args.cast.display();
    let cast = Asciicast::parse(&read_text(&args.cast, asciicast::FILE_BYTES)?)
        .map_err(|error| format!("could not read {name}: {error}"))?;
    let mut profiles = config::profiles(&Places::here(None)?)?;
    let named = args.profile.as_deref().map(|name| read_in(&mut profiles, name)).transpose()?;
    let profile = profile_for(&profiles, named.as_deref(), &cast).map_err(|why| Failure::new(USAGE, why))?;
    let times: Vec<u64> = args.at.iter().map(|seconds| asciicast::millis(*seconds)).collect();
    let lines = match (times.is_empty(), args.json) {
        (true, _) => all(&cast, &profile, args.json),
        (false, true) => {
            let verdicts = replay::verdicts_at(&cast, &profile, &times);
            verdicts.iter().zip(&args.at).map(|(verdict, t)| as_json(*t, verdict).to_string()).collect()
        }
        (false, false) => {
            let explained = replay::explained_at(&cast, &profile, &times);
            explained.iter().zip(&args.at).map(|(why, t)| format!("{t:.3} {why}")).collect()
        }
    };
    lines.iter().try_for_each(|line| out::line(&shown(line, args.json)))?;
    Ok(ExitCode::SUCCESS)
}

fn all(cast: &Asciicast, profile: &Profile, as_objects: bool) -> Vec<String> {
    let (mut progress, events) = (Progress::begin(), cast.events.len());
    let told = |played| progress.tell(&format!("replaying: {played} of {events} events"));
    let mut changes = replay::changes(cast, profile, told);
    // What a verdict rests on may change without a word of it that is shown.
    changes.dedup_by(|next, shown| self::as_json(0.0, &next.1) == self::as_json(0.0, &shown.1));
    if as_objects {
        return changes.iter().map(|(at, verdict)| as_json(seconds(*at), verdict).to_string()).collect();
    }
    let times: Vec<u64> = changes.iter().map(|(at, _)| *at).collect();
    progress.tell(&format!("explaining {} verdicts", times.len()));
    let explained = replay::explained_at(cast, profile, &times);
    explained.iter().zip(&times).map(|(why, at)| format!("{:.3} {why}", seconds(*at))).collect()
}

/// What a recording made of it, without anything that acts on a terminal or hides.
fn shown(verdict: &str, as_objects: bool) -> String {
    match as_objects {
        true => visible_json(verdict).into_owned(),
        false => visible_lines(verdict, ""),
    }
}

/// Profiles are written by hand; the longest built-in one has 20 KB.
const PROFILE_BYTES: u64 = 4 * 1024 * 1024;

/// A file that was named, or a pipe, as text.
pub fn read_text(path: &Path, max_bytes: u64) -> Result<String, String> {
    let bytes = regular_file::read_given(path, max_bytes)
        .map_err(|error| format!("could not read {}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The name of a profile; one that is a file is read in first.
fn read_in(profiles: &mut Profiles, name: &str) -> Result<String, String> {
    // A name has no folder before it.
    if !name.ends_with(".toml") && !name.contains('/') {
        return Ok(name.to_owned());
    }
    let text = read_text(Path::new(name), PROFILE_BYTES)?;
    profiles.add_toml(name, &text).map_err(|error| format!("could not read the profile: {error}"))
}

/// The profile asked for, or the one the recorded command calls for.
pub fn profile_for(
    profiles: &Profiles,
    name: Option<&str>,
    cast: &Asciicast,
) -> Result<Arc<LazyProfile>, String> {
    let Some(name) = name else { return Ok(profiles.for_command(&cast.argv())) };
    profiles.get(name).ok_or_else(|| {
        let known: Vec<&str> = profiles.names().collect();
        format!("could not find profile '{name}': the known ones are {}", known.join(", "))
    })
}

fn seconds(at_ms: u64) -> f64 {
    at_ms as f64 / 1000.0
}

/// A verdict as `--json` shows it.
pub fn as_json(t: f64, verdict: &Verdict) -> Value {
    let question = verdict.question.as_ref().map(|question| {
        json!({
            "kind": question.kind.name(),
            "prompt": question.prompt,
            "options": question.labels(),
            "selected": question.selected,
            "multi": question.multi,
            "checked": question.checked(),
        })
    });
    json!({ "t": t, "state": verdict.state.name(), "why": verdict.why, "question": question })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_recording_holds_neither_turns_nor_hides() {
        assert_eq!(shown("asks \u{202e}x\u{200b}?\n  why", false), "asks \\u{202e}x\\u{200b}?\n  why");
        assert_eq!(shown("{\"prompt\":\"\u{202e}x\u{200b}\"}", true), "{\"prompt\":\"\\u202ex\\u200b\"}");
    }
}
