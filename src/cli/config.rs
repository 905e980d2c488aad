//! `counsel config`: whether the files are right, what they say together, where they are.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use nix::unistd::User;
use serde_json::json;

use crate::config::{
    Config, ConfigError, Places, faults, files, layouts, load, missing, profiles, refused, themes,
};
use crate::core::agent::Isolate;
use crate::core::trust::Trust;
use crate::core::visible::{visible, visible_json};
use crate::dashboard::Options;
use crate::os::git;

use super::failure::{Failure, USAGE};
use super::{out, start, trust};

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
    Check {
        /// Print what was found as one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print what all files and defaults amount to
    Show {
        /// As one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print the files that are read, the strongest first
    Path {
        /// One JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of the files, for editors
    Schema,
}

impl Args {
    pub fn doing(&self) -> &'static str {
        match self.what {
            What::Check { .. } => "check the configuration",
            What::Show { .. } | What::Schema => "show the configuration",
            What::Path { .. } => "find the configuration",
        }
    }
}

/// Parts of a variable's name that say its value is nobody's business.
const SECRET: &[&str] = &["TOKEN", "KEY", "SECRET", "PASSWORD", "CREDENTIAL"];

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    if matches!(args.what, What::Schema) {
        out::raw(crate::config::SCHEMA.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let places = Places::standing(args.file.clone())?;
    // Also of a file that cannot be followed: whoever mends it has to find it.
    if let What::Path { json } = args.what {
        return paths(&places, json);
    }
    let mut config = match (load(&places), &args.what) {
        (Err(first), What::Check { json }) => return Err(all_faults(&first, &places, *json)?),
        (loaded, _) => loaded?,
    };
    let unfollowed = unfollowed(&config)?;
    if matches!(args.what, What::Show { .. }) {
        isolated(&mut config);
    }
    match args.what {
        What::Check { json } => {
            config.warnings.extend(unfollowed);
            return check(&config, &places, json);
        }
        What::Show { json: true } => {
            let mut shown = serde_json::to_value(without_secrets(config)).unwrap_or_default();
            shown["unfollowed"] = json!(unfollowed);
            out::json(&shown)?;
        }
        What::Show { json: false } => {
            let comment = unfollowed.map(|what| format!("# {what}\n")).unwrap_or_default();
            let shown = format!("{comment}{}", show(config)?);
            // Line ends stay: of control characters only those that TOML escapes itself are in there.
            out::raw(visible_json(&shown).as_bytes())?;
        }
        What::Path { .. } | What::Schema => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn paths(places: &Places, as_json: bool) -> Result<ExitCode, Failure> {
    let files = files(places)?;
    if files.is_empty() {
        let own = places.user_file().map(|path| format!(" or {}", path.display())).unwrap_or_default();
        return Err(format!("there is none; write ./counsel.toml{own}").into());
    }
    files.iter().try_for_each(|file| match as_json {
        true => out::json(&json!({ "file": file })),
        // A program reads the path as it is.
        false if std::io::stdout().is_terminal() => out::line(&visible(file)),
        false => out::line(file),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Says so where a project's file stands that nobody has agreed to.
fn unfollowed(config: &Config) -> Result<Option<String>, Failure> {
    let state = match trust::standing(config)? {
        Trust::Given => return Ok(None),
        Trust::Changed => "has changed since it was trusted",
        Trust::Never => "is not trusted",
    };
    let file = config.project.as_ref().map(|project| project.file.display().to_string()).unwrap_or_default();
    let file = visible(&file);
    Ok(Some(format!("{file} {state}, and only what it forbids is followed; see 'counsel trust'")))
}

fn check(config: &Config, places: &Places, as_json: bool) -> Result<ExitCode, Failure> {
    // Where nobody can say, it is left to the start.
    let user = |name: &str| !matches!(User::from_name(name), Ok(None));
    let mut missing: Vec<String> =
        missing(places, &git::check_name, &user)?.iter().map(ToString::to_string).collect();
    let specs = config.agent_specs(&start::environment());
    let refused = refused(places, config, &specs, &start::locate)?;
    missing.extend(refused.iter().map(ToString::to_string));
    missing.extend(undrawn(config, places)?);
    // One that cannot be read keeps the next server from starting.
    missing.extend(profiles(places).err().map(|error| error.to_string()));
    if as_json {
        let names: Vec<&str> = config.agents.iter().map(|agent| agent.name.as_str()).collect();
        out::json(&json!({
            "ok": missing.is_empty(), "files": config.files, "agents": names,
            "warnings": config.warnings, "missing": missing,
        }))?;
    } else {
        config.warnings.iter().try_for_each(|warning| out::line(&visible(&format!("warning: {warning}"))))?;
    }
    if !missing.is_empty() {
        return Err(told(&missing, as_json)?);
    }
    if !as_json {
        out::line(&visible(&format!("{}: {}", read_files(config, places), team(config))))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What keeps the dashboard from being drawn: a theme that there is none of, a key that is bound twice.
fn undrawn(config: &Config, places: &Places) -> Result<Option<String>, Failure> {
    let (dashboard, themes) = (&config.dashboard, themes(places)?);
    Ok(Options::new(dashboard, layouts(places)?, dashboard.layout.clone(), &themes).err())
}

/// A file that cannot be followed, with everything that is wrong in it and not the first thing only.
fn all_faults(first: &ConfigError, places: &Places, as_json: bool) -> Result<Failure, Failure> {
    let mut all: Vec<String> = faults(places).iter().map(ToString::to_string).collect();
    if !all.contains(&first.to_string()) {
        all.insert(0, first.to_string());
    }
    if as_json {
        out::json(&json!({ "ok": false, "faults": all }))?;
    }
    told(&all, as_json)
}

/// The line that all of this ends with, behind each of them where there are several. `as_json`: they have been printed.
fn told(faults: &[String], as_json: bool) -> Result<Failure, Failure> {
    if let (false, [_, _, ..]) = (as_json, faults) {
        faults.iter().try_for_each(|fault| out::line(&visible(&format!("fault: {fault}"))))?;
    }
    let more = if faults.len() > 1 { format!("; and {} more", faults.len() - 1) } else { String::new() };
    Ok(Failure::new(USAGE, format!("{}{more}", faults[0])))
}

fn read_files(config: &Config, places: &Places) -> String {
    if config.files.is_empty() {
        return format!("no file at or above {}", places.cwd.display());
    }
    config.files.join(", ")
}

fn team(config: &Config) -> String {
    let names: Vec<&str> = config.agents.iter().map(|agent| agent.name.as_str()).collect();
    match names.as_slice() {
        [] => "all right, no agents".into(),
        names => format!("all right, {}: {}", out::count(names.len(), "agent"), names.join(", ")),
    }
}

/// What all files amount to, as a file would have it.
pub fn show(config: Config) -> Result<String, Failure> {
    toml::to_string(&without_secrets(config)).map_err(|error| Failure::new(1, error.to_string()))
}

/// What each agent is kept from, whichever table says so.
fn isolated(config: &mut Config) {
    let least = config.security.isolate;
    for agent in config.agents.iter_mut().filter(|agent| agent.isolate.is_some() || least > Isolate::None) {
        agent.isolate = Some(agent.isolate.unwrap_or_default().max(least));
    }
}

/// Without the values of variables that hold secrets.
fn without_secrets(mut config: Config) -> Config {
    for agent in &mut config.agents {
        for (name, value) in &mut agent.env {
            let name = name.to_uppercase();
            if SECRET.iter().any(|part| name.contains(part)) {
                *value = "…".into();
            }
        }
    }
    config
}
