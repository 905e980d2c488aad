//! `counsel doctor`: what here stands in the way of a good run, each with its mend.
//!
//! It looks and asks, each question with a time limit. It starts no server, creates no folder and changes
//! nothing.

mod isolation;
mod places;
mod programs;
mod server;
mod terminal;

use std::process::ExitCode;

use serde::Serialize;

use crate::config::Places;

use super::failure::Failure;
use super::link::Global;
use super::out;
use crate::core::visible::visible;

/// Look for what stands in the way: terminal, tmux, agents, folders, server, configuration
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Ok,
    Warn,
    Fail,
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Finding {
    level: Level,
    check: &'static str,
    what: String,
    mend: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, what: impl Into<String>) -> Finding {
        Finding { level: Level::Ok, check, what: what.into(), mend: None }
    }

    fn warn(check: &'static str, what: impl Into<String>, mend: impl Into<String>) -> Finding {
        Finding { level: Level::Warn, check, what: what.into(), mend: Some(mend.into()) }
    }

    fn fail(check: &'static str, what: impl Into<String>, mend: impl Into<String>) -> Finding {
        Finding { level: Level::Fail, check, what: what.into(), mend: Some(mend.into()) }
    }

    fn line(&self) -> String {
        let level = match self.level {
            Level::Ok => "ok  ",
            Level::Warn => "warn",
            Level::Fail => "fail",
        };
        let mend = self.mend.as_ref().map(|mend| format!("  [{mend}]")).unwrap_or_default();
        format!("{level}  {}: {}{mend}", self.check, self.what)
    }
}

/// Below the matter, behind the level.
const INDENT: usize = 6;

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let mut worst_is_fail = false;
    each(global, &mut |finding| {
        worst_is_fail |= finding.level == Level::Fail;
        if args.json { out::json(&finding) } else { out::prose(&visible(&finding.line()), INDENT) }
    })?;
    Ok(if worst_is_fail { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The whole report, a line for each finding.
pub fn report(global: &Global) -> Result<String, Failure> {
    let mut text = String::new();
    each(global, &mut |finding| {
        text.push_str(&visible(&finding.line()));
        text.push('\n');
        Ok(())
    })?;
    Ok(text)
}

/// Each finding as soon as it is known: the programs' own answers take a moment.
fn each(global: &Global, tell: &mut dyn FnMut(Finding) -> Result<(), Failure>) -> Result<(), Failure> {
    let places = Places::here(None)?;
    let checks: [&dyn Fn() -> Vec<Finding>; 8] = [
        &terminal::terminal,
        &terminal::locale,
        &terminal::tmux,
        &|| places::folders(global),
        &|| server::server(global),
        &isolation::isolation,
        &|| places::config(&places),
        &|| programs::agents(&places),
    ];
    checks.iter().flat_map(|check| check()).try_for_each(tell)
}

/// A variable that says something; an empty one says nothing.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The first version number in a program's own words: `codex-cli 0.169.0` is 0.169.0.
fn version_in(words: &str) -> Option<Vec<u32>> {
    let numbers = |word: &str| -> Option<Vec<u32>> {
        let word = word.trim_start_matches(['v', '(', '@']).trim_end_matches(['.', ',', ')']);
        // What follows the numbers is a build or a letter: 3.3a, 1.0-beta.
        let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
        let parts: Option<Vec<u32>> = word[..end].split('.').map(|part| part.parse().ok()).collect();
        parts.filter(|parts| parts.len() > 1)
    };
    words.split_whitespace().find_map(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        for (words, version) in [
            ("2.1.329 (Claude Code)", Some(vec![2, 1, 329])),
            ("codex-cli 0.169.0\n", Some(vec![0, 169, 0])),
            ("tmux 3.3a", Some(vec![3, 3])),
            ("GitHub Copilot CLI v1.0.102.", Some(vec![1, 0, 102])),
            ("tmux next-3.5", None),
            ("aider 2 things", None),
            ("", None),
        ] {
            assert_eq!(version_in(words), version, "{words}");
        }
    }

    #[test]
    fn a_line_has_level_matter_and_mend() {
        assert_eq!(Finding::ok("tmux", "3.3a").line(), "ok    tmux: 3.3a");
        assert_eq!(Finding::warn("tmux", "3.1", "install 3.2").line(), "warn  tmux: 3.1  [install 3.2]");
    }
}
