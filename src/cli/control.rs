//! `counsel restart`, `resize`, `signal`, `consult`, `record`: one request each.

use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::core::terminal::grid::Size;
use crate::wire::Request;

use super::failure::Failure;
use super::link::Global;

/// Start an agent again, with its name, its place and its history
#[derive(Debug, clap::Args)]
pub struct Restart {
    name: String,
}

/// Give an agent's terminal another size
#[derive(Debug, clap::Args)]
pub struct Resize {
    name: String,
    #[arg(value_name = "COLSxROWS")]
    size: Size,
}

/// Send a signal to an agent's foreground process group
#[derive(Debug, clap::Args)]
pub struct Signal {
    name: String,
    /// INT TERM HUP WINCH CONT TSTP QUIT USR1 USR2 KILL
    signal: String,
}

/// Send a question to a consultant now
#[derive(Debug, clap::Args)]
pub struct Consult {
    id: String,
    /// Another consultant than the agent's own
    #[arg(long, value_name = "C")]
    with: Option<String>,
}

/// Record an agent's output as asciicast v2 from now on
#[derive(Debug, clap::Args)]
pub struct Record {
    name: String,
    /// Without it a running recording ends
    file: Option<PathBuf>,
}

pub fn restart(args: &Restart, global: &Global) -> Result<ExitCode, Failure> {
    tell(global, &args.name, Request::Restart { name: args.name.clone() })
}

pub fn resize(args: &Resize, global: &Global) -> Result<ExitCode, Failure> {
    tell(global, &args.name, Request::Resize { name: args.name.clone(), size: args.size })
}

pub fn signal(args: &Signal, global: &Global) -> Result<ExitCode, Failure> {
    let signal = args.signal.to_uppercase();
    let signal = signal.strip_prefix("SIG").unwrap_or(&signal).to_owned();
    tell(global, &args.name, Request::Signal { name: args.name.clone(), signal })
}

pub fn consult(args: &Consult, global: &Global) -> Result<ExitCode, Failure> {
    let Some(mut server) = global.running()? else {
        return Err(Failure::new(3, format!("there is no question '{}': no server runs", args.id)));
    };
    server.tell(Request::Consult { id: args.id.clone(), with: args.with.clone() })?;
    Ok(ExitCode::SUCCESS)
}

pub fn record(args: &Record, global: &Global) -> Result<ExitCode, Failure> {
    let here =
        std::env::current_dir().map_err(|error| format!("could not find the current folder: {error}"))?;
    let path = args.file.as_ref().map(|file| here.join(file).to_string_lossy().into_owned());
    if let Some(path) = &path {
        // The server would only find out later, and tell nobody who waits.
        let file = std::fs::OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path);
        file.map_err(|error| format!("could not record to {path}: {error}"))?;
    }
    tell(global, &args.name, Request::Record { name: args.name.clone(), path })
}

fn tell(global: &Global, name: &str, request: Request) -> Result<ExitCode, Failure> {
    global.with_agent(name)?.tell(request)?;
    Ok(ExitCode::SUCCESS)
}
