//! `counsel tmux popup`: the dashboard in a popup over the panes of the user's own tmux.

use std::process::ExitCode;

use serde_json::json;

use super::super::failure::Failure;
use super::super::link::{Acting, Global};
use super::around::Tmux;
use super::invoke;

/// Nearly all of the terminal, so that a rim of the panes below tells that this is a popup.
pub const SIZE: &str = "95%";

/// Open the dashboard in a popup
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The tmux client it opens on
    #[arg(long)]
    client: Option<String>,
    /// The agent that has the focus
    #[arg(long, value_name = "NAME", add = crate::cli::complete::agents())]
    focus: Option<String>,
    #[command(flatten)]
    acting: Acting,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let tmux = Tmux::required()?;
    tmux.has_popups()?;
    open(&tmux, global, args.client.as_deref(), args.focus.as_deref())?;
    args.acting.did(&json!({ "did": "opened", "focus": args.focus }), None)?;
    Ok(ExitCode::SUCCESS)
}

/// Opens it, and returns when it is closed.
pub fn open(tmux: &Tmux, global: &Global, client: Option<&str>, focus: Option<&str>) -> Result<(), Failure> {
    let words: Vec<&str> = focus.iter().flat_map(|name| ["--focus", *name]).collect();
    let dashboard = invoke::shell(global, &words)?;
    let mut command = tmux.command();
    command.args(["display-popup", "-E", "-w", SIZE, "-h", SIZE, "-T", " counsel "]);
    if let Some(client) = client {
        command.args(["-c", client]);
    } else if let Some(pane) = std::env::var_os("TMUX_PANE") {
        command.arg("-t").arg(pane);
    }
    if let Ok(here) = std::env::current_dir() {
        command.arg("-d").arg(here);
    }
    let done = command.arg(dashboard).output();
    let done = done.map_err(|error| Failure::from(format!("tmux cannot be started: {error}")))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr).trim().to_owned();
    Err(Failure::from(match said.as_str() {
        // The popup's program ended with this code; what it had to say stood in the popup.
        "" => format!("the dashboard in the popup ended with {}; run 'counsel' to see why", done.status),
        said => format!("tmux says: {said}; attach a terminal to this tmux first"),
    }))
}
