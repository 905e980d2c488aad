//! `counsel rules test`: the decision log once more, under rules as they are now.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use crate::config::{Config, PROJECT_FILE, Places, load};
use crate::core::log::log_entry::Entry;
use crate::core::policy::replay::{Configured, Difference, describe, difference};
use crate::os::{paths, regular_file};
use crate::server::file_io::{entries, log_path};

use super::failure::{Failure, USAGE};
use super::out;
use super::table::{Cell, Style, Table};

/// Try rules before they are followed
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Show every question of the log that would now go another way or be answered otherwise; 1 if there is one
    Test {
        /// The configuration to try; else the one that holds here. A counsel.toml is tried as a project's file, whose
        /// rules may do less; any other name as your own, in its place
        file: Option<PathBuf>,
        /// One JSON object for each
        #[arg(long)]
        json: bool,
    },
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let Verb::Test { file, json } = &args.verb;
    let config = tried(file.clone())?;
    let path = log_path(&paths::state_dir()?);
    let mut differences = Vec::new();
    let mut count = 0;
    match regular_file::open_to_read(&path) {
        Ok(log) => {
            for (entry, _) in entries(log) {
                count += 1;
                differences.extend(differs(&entry, &config).map(|difference| (entry, difference)));
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(format!("{} cannot be read: {error}", path.display()).into()),
    }
    show(&differences, count, *json)?;
    Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The configuration with this file in it, at the place its name gives it.
fn tried(file: Option<PathBuf>) -> Result<Config, Failure> {
    let mut places = Places::here(file)?;
    let own = |file: &PathBuf| file.file_name().is_none_or(|name| name != PROJECT_FILE);
    if let Some(file) = places.file.take_if(|file| own(file)) {
        let path = places.cwd.join(&file);
        if !path.exists() {
            return Err(Failure::new(USAGE, format!("there is no file {}", file.display())));
        }
        places.own_file = Some(path);
    }
    Ok(load(&places)?)
}

fn differs(entry: &Entry, config: &Config) -> Option<Difference> {
    let agent = config.agents.iter().find(|agent| agent.name == entry.agent);
    let agent = agent.map(|agent| Configured { consultant: agent.consultant.as_ref(), role: agent.role });
    difference(entry, agent, &config.policy)
}

fn show(differences: &[(Entry, Difference)], count: usize, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return differences.iter().try_for_each(|(entry, difference)| {
            out::json(&json!({
                "id": entry.id, "agent": entry.agent, "kind": entry.kind, "prompt": entry.prompt,
                "was": describe(&difference.was), "now": describe(&difference.now),
                "rule": difference.rule, "why": difference.why,
            }))
        });
    }
    if differences.is_empty() {
        return out::line(&format!("all the same for {}", out::count(count, "question")));
    }
    let mut table = Table::new(["ID", "AGENT", "KIND", "WAS", "NOW", "RULE", "QUESTION"]);
    for (entry, difference) in differences {
        table.row([
            Cell::new(&entry.id, Style::Bold),
            (&entry.agent).into(),
            entry.kind.name().into(),
            describe(&difference.was).into(),
            Cell::new(describe(&difference.now), Style::Yellow),
            (&difference.rule).into(),
            (&entry.prompt).into(),
        ]);
    }
    table.print()
}
