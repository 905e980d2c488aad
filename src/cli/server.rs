//! `counsel server`: the server itself, in front or in the background.

use std::process::ExitCode;

use tracing_subscriber::EnvFilter;

use crate::config::{Config, Places, load};
use crate::core::profile::Profiles;
use crate::os::paths;
use crate::server::{self, Options};

use super::failure::{Failure, USAGE};
use super::link::Global;

/// Run the server; every other verb starts it by itself
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Stay in the foreground
    #[arg(long)]
    foreground: bool,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    if !args.foreground {
        let server = global.server().map_err(|failure| failure.doing("start the server"))?;
        println!("the server runs (pid {})", server.connection.server_pid);
        return Ok(ExitCode::SUCCESS);
    }
    let filter = EnvFilter::try_from_env("COUNSEL_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(std::io::stderr).init();
    let options = options(global).inspect_err(|failure| {
        // The client that started this server waits for a word.
        let _ = crate::os::daemon::announce_ready(Some(&failure.message));
    })?;
    server::run(options).map_err(|error| Failure::from(error).doing("run the server"))?;
    Ok(ExitCode::SUCCESS)
}

fn options(global: &Global) -> Result<Options, Failure> {
    // The server serves all projects: only the user's own file counts.
    let mut places = Places::here(None)?;
    places.cwd = "/".into();
    let config: Config = load(&places)?;
    Ok(Options {
        socket: global.socket_path()?,
        state_dir: paths::state_dir()?,
        personality: config.personality(),
        exit_when_empty_secs: config.server.exit_when_empty_secs,
        scrollback: config.server.scrollback_lines,
        profiles: profiles(&places)?,
    })
}

/// The built-in profiles, and those in the user's folder, which come first.
pub fn profiles(places: &Places) -> Result<Profiles, Failure> {
    let mut profiles = Profiles::builtin();
    let Some(folder) = places.config_dir.as_ref().map(|dir| dir.join("profiles")) else {
        return Ok(profiles);
    };
    let Ok(entries) = std::fs::read_dir(&folder) else { return Ok(profiles) };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "toml")) {
        let read = |error: std::io::Error| Failure::new(USAGE, format!("{}: {error}", file.display()));
        let text = std::fs::read_to_string(file).map_err(read)?;
        let added = profiles.add_toml(&file.display().to_string(), &text);
        added.map_err(|error| Failure::new(USAGE, error.to_string()))?;
    }
    Ok(profiles)
}
