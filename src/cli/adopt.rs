//! `counsel adopt`: takes a pane of the user's own tmux under supervision, where it stands.
//!
//! It finds out what runs there; the server does the rest. Nothing of the user's tmux is changed.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use crate::config::Places;
use crate::core::agent::{AgentSpec, Host, PaneRef, name_fault};
use crate::core::consult::chain::Chain;
use crate::core::tmux::PaneId;
use crate::os::pane_mark::foreground;
use crate::os::tmux::Tmux;

use super::complete;
use super::failure::{Failure, USAGE};
use super::link::{Acting, Global};
use super::{start, trust};

/// Take a pane of your own tmux under supervision; 'counsel stop' releases it untouched
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The pane, as tmux names it: %5, or session:window.pane
    #[arg(value_name = "TMUX_TARGET")]
    target: String,
    /// Its name here; else the program's
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// What program it is, if its name does not tell
    #[arg(long, value_name = "PROFILE", add = complete::profiles())]
    profile: Option<String>,
    /// Who answers its questions
    #[arg(long, value_name = "CONSULTANT", add = complete::agents())]
    consultant: Option<String>,
    /// The tmux server's socket; else the one this runs in, else the usual one
    #[arg(short = 'S', value_name = "PATH")]
    tmux_socket: Option<PathBuf>,
    /// The tmux server's name
    #[arg(short = 'L', value_name = "NAME", conflicts_with = "tmux_socket")]
    label: Option<String>,
    #[command(flatten)]
    acting: Acting,
}

/// What tmux tells of a pane.
const ASKED: &str = "#{pane_id}\t#{pane_pid}\t#{pane_dead}\t#{socket_path}\t#{pane_current_path}";

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let config = trust::policy(&Places::here(None)?)?;
    let tmux = server_of(args);
    let told = ask(&tmux, &args.target)?;
    let fields: Vec<&str> = told.trim_end_matches('\n').splitn(5, '\t').collect();
    let [pane, pid, dead, socket, cwd] = fields[..] else { return Err(no_pane(&args.target)) };
    let pane: PaneId = pane.parse()?;
    if dead == "1" {
        return Err(Failure::new(1, format!("the program of {pane} has ended")));
    }
    let first = pid.parse().map_err(|_| Failure::new(1, format!("tmux tells no process of {pane}")))?;
    let process = foreground(first).map_err(|error| {
        Failure::new(1, format!("the program that runs in {pane} cannot be found: {error}"))
    })?;
    // It would be gone at once, and with it what was to be supervised.
    if process.pid == std::process::id() {
        let why = format!("{pane} is where this command runs itself; adopt it from another pane or terminal");
        return Err(Failure::new(1, why));
    }
    let command = command_line(process.pid);
    let name = args.name.clone().unwrap_or_else(|| name_of(&command));
    if let Some(why) = name_fault(&name) {
        return Err(Failure::new(USAGE, why));
    }
    let spec = AgentSpec {
        name: name.clone(),
        command,
        cwd: cwd.to_owned(),
        profile: args.profile.clone(),
        consultant: args.consultant.as_deref().map(Chain::from),
        host: Host::Tmux,
        hooks: Some(false),
        pane: Some(PaneRef {
            socket: socket.to_owned(),
            pane: pane.0,
            first,
            pid: process.pid,
            started: process.started,
        }),
        ..AgentSpec::default()
    };
    let mut server = global.server()?;
    start::consultants_exist(&mut server, &spec, &config)?;
    start::start(&mut server, spec, &config)?;
    let did = json!({ "name": name, "did": "adopted", "pane": pane.to_string(), "pid": process.pid });
    args.acting.did(&did, Some(&format!("adopted {pane} as {name}; 'counsel stop {name}' releases it")))?;
    Ok(ExitCode::SUCCESS)
}

/// What tmux tells of the pane that is meant, and of no other.
fn ask(tmux: &Tmux, target: &str) -> Result<String, Failure> {
    // To tmux a name without a word is whatever it holds for current: no pane that anybody named.
    if target.trim_matches([':', '.']).is_empty() {
        return Err(no_pane(target));
    }
    // `display-message` takes another pane where it does not find the one that is named; `capture-pane` fails, and then
    // tmux does nothing further. Both in one run: nobody renumbers panes between them.
    let find = ["capture-pane", "-p", "-S", "0", "-E", "0", "-t", target, ";"];
    let asked = find.into_iter().chain(["display-message", "-p", "-t", target, ASKED]);
    match tmux.run(asked) {
        // The first line is one of the pane's screen.
        Ok(told) => Ok(told.split_once('\n').map(|(_, told)| told.to_owned()).unwrap_or_default()),
        Err(why) => match tmux.run(["list-panes", "-a"]) {
            Ok(_) => Err(no_pane(target)),
            Err(_) => {
                Err(format!("{why}; -L names another tmux server, 'tmux ls' says whether one runs").into())
            }
        },
    }
}

fn no_pane(target: &str) -> Failure {
    Failure::new(1, format!("tmux has no pane '{target}'; 'tmux list-panes -a' shows them"))
}

fn server_of(args: &Args) -> Tmux {
    if let Some(socket) = &args.tmux_socket {
        return Tmux::at(socket.clone());
    }
    if let Some(label) = &args.label {
        return Tmux::named(label.clone());
    }
    // `TMUX` is the socket, the server's pid and the session's number.
    let here = std::env::var("TMUX").ok().and_then(|tmux| Some(PathBuf::from(tmux.split(',').next()?)));
    here.map_or_else(|| Tmux::named("default".to_owned()), Tmux::at)
}

fn command_line(pid: u32) -> Vec<String> {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// A name made of the program's.
fn name_of(command: &[String]) -> String {
    let program = command.first().map_or("", |program| program.rsplit('/').next().unwrap_or(program));
    let kept = program.to_lowercase();
    let kept: String = kept.chars().filter(|ch| ch.is_ascii_alphanumeric()).take(32).collect();
    if kept.is_empty() { "pane".to_owned() } else { kept }
}
