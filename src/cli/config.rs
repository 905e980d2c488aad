//! `counsel config`: whether the files are right, what they say together, where they are.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::config::{Config, Places, load};

/// Check, show or find the configuration
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
    /// Use this file instead of ./counsel.toml
    #[arg(short, long, global = true, value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::Subcommand)]
enum What {
    /// Say whether everything is right; 2 if not
    Check,
    /// Print what all files and defaults amount to
    Show,
    /// Print the files that are read, the strongest first
    Path,
}

/// Exit code for a faulty configuration.
const FAULTY: u8 = 2;

/// Parts of a variable's name that say its value is nobody's business.
const SECRET: &[&str] = &["TOKEN", "KEY", "SECRET", "PASSWORD", "CREDENTIAL"];

pub fn run(args: &Args) -> Result<ExitCode, String> {
    let places = Places::here(args.file.clone())?;
    let config = match load(&places) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("counsel: {error}");
            return Ok(ExitCode::from(FAULTY));
        }
    };
    match args.what {
        What::Check => {
            for warning in &config.warnings {
                println!("warning: {warning}");
            }
            println!("{}: {}", files(&config, &places), team(&config));
        }
        What::Show => print!("{}", show(config)?),
        What::Path => {
            if config.files.is_empty() {
                let user = places.user_file().map(|path| path.display().to_string()).unwrap_or_default();
                return Err(format!("find a configuration; write ./counsel.toml or {user}"));
            }
            config.files.iter().for_each(|file| println!("{file}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn files(config: &Config, places: &Places) -> String {
    if config.files.is_empty() {
        return format!("no file at or above {}", places.cwd.display());
    }
    config.files.join(", ")
}

fn team(config: &Config) -> String {
    let names: Vec<&str> = config.agents.iter().map(|agent| agent.name.as_str()).collect();
    match names.as_slice() {
        [] => "all right, no agents".into(),
        names => format!("all right, agents: {}", names.join(", ")),
    }
}

fn show(mut config: Config) -> Result<String, String> {
    for agent in &mut config.agents {
        for (name, value) in &mut agent.env {
            let name = name.to_uppercase();
            if SECRET.iter().any(|part| name.contains(part)) {
                *value = "…".into();
            }
        }
    }
    toml::to_string(&config).map_err(|e| format!("print the configuration: {e}"))
}
