//! `counsel server`: the server itself, in front or in the background.

use std::process::{Command, ExitCode, Stdio};

use tracing_subscriber::EnvFilter;

use crate::config::{self, Config, Places, load_own};
use crate::core::profile::Profiles;
use crate::os::daemon::{self, WITHOUT_CONFIG};
use crate::os::interrupt::INTERRUPTED;
use crate::os::{generation, keeper_link, paths, proc, socket};
use crate::server::{self, End, Options};

use super::failure::{Failure, REFUSED};
use super::link::{Acting, Global};

/// Run the server; every other verb starts it by itself
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    /// Stay in the foreground
    #[arg(long)]
    foreground: bool,
    #[command(flatten)]
    acting: Acting,
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Put a server of this program in the place of the one that runs; the agents go on
    Restart {
        #[command(flatten)]
        acting: Acting,
    },
    Log(super::server_log::Args),
}

impl Args {
    /// Whether this process is, or makes way for, a server: neither is broken off in the middle.
    pub fn serves(&self) -> bool {
        !matches!(self.verb, Some(Verb::Log(_)))
    }
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    match &args.verb {
        Some(Verb::Restart { acting }) => {
            return super::replace::run(global, *acting, || can_start(global))
                .map_err(|failure| failure.doing("restart the server"));
        }
        Some(Verb::Log(log)) => {
            return super::server_log::run(log).map_err(|failure| failure.doing("show the server's log"));
        }
        None => {}
    }
    if !args.foreground {
        let server = global.server().map_err(|failure| failure.doing("start the server"))?;
        return super::replace::tell(&server.connection, "running", args.acting).map(|()| ExitCode::SUCCESS);
    }
    let filter = EnvFilter::try_from_env("COUNSEL_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(std::io::stderr)
        // Its own complaint about a full disk would be one more write there, and a panic.
        .log_internal_errors(false)
        .init();
    let options = options(global).inspect_err(|failure| {
        // The client that started this server waits for a word.
        let _ = crate::os::daemon::announce_ready(Some((failure.code, &failure.message)));
    })?;
    free(&options).and_then(|()| close_to_others(&options)).inspect_err(|failure| {
        let _ = crate::os::daemon::announce_ready(Some((failure.code, &failure.message)));
    })?;
    let end = server::run(options).map_err(|error| Failure::from(error).doing("run the server"))?;
    Ok(if end == End::Signalled { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Nothing is laid beside a file that keeps the server from listening.
fn free(options: &Options) -> Result<(), Failure> {
    socket::may_be_here(&options.socket).map_err(|error| Failure::from(error).doing("run the server"))
}

/// What a server is before it listens: nobody's that descends from one of its own agents, and closed to the
/// other processes of its user, whose terminals it holds.
fn close_to_others(options: &Options) -> Result<(), Failure> {
    let own = generation::own().map_err(|error| format!("its own limits cannot be read: {error}"))?;
    let keepers = keeper_link::oldest_generation(&paths::keeper_dir(&options.socket)?);
    if keepers.is_some_and(|oldest| oldest > own) {
        return Err(Failure::new(REFUSED, "an agent cannot start a server for the agents beside it"));
    }
    proc::close_to_others()
        .map_err(|error| format!("it cannot be closed to other processes: {}", error.desc()).into())
}

/// Whether a server could be started now.
fn can_start(global: &Global) -> Result<(), Failure> {
    options(global)?;
    let exe = daemon::own_exe()?;
    let begun = Command::new(exe).arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).status();
    begun
        .map(drop)
        .map_err(|error| format!("no process can be started: {error}; see 'ps' for who has them").into())
}

fn options(global: &Global) -> Result<Options, Failure> {
    // The server serves all projects: only the user's own file counts.
    let places = Places::here(None)?;
    let (config, profiles) = match load_own(&places).and_then(|own| Ok((own, config::profiles(&places)?))) {
        // Of what a server takes from it nothing restricts anybody: who starts something reads it again, and fails.
        Err(fault) if std::env::var_os(WITHOUT_CONFIG).is_some() => {
            tracing::warn!(%fault, "the configuration cannot be read; this server goes by the defaults");
            (Config::default(), Profiles::builtin())
        }
        read => read?,
    };
    Ok(Options {
        socket: global.socket_path()?,
        state_dir: paths::state_dir()?,
        terminal_identity: config.terminal_identity(),
        sizing: config.attach.size,
        record_bytes: config.record.auto.then_some(config.record.max_bytes),
        exit_when_empty_secs: config.server.exit_when_empty_secs,
        scrollback: config.server.scrollback_lines,
        profiles,
    })
}
