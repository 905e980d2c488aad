//! `counsel tmux jump`: to the agent that asks. In its own pane if it has one here, else in a popup.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::core::agent::AgentInfo;
use crate::core::question::State;
use crate::os::socket::{Error, ask_once};
use crate::os::{paths, proc};
use crate::wire::message::QuestionInfo;
use crate::wire::{Reply, Request};

use super::super::failure::Failure;
use super::super::link::{Acting, Global, token, unexpected};
use super::around::Tmux;
use super::{popup, status};

/// A key was pressed: later than this nobody waits for it any more.
const LIMIT: Duration = Duration::from_secs(2);

/// Go to the agent that asks: its pane if it has one in this tmux, else a popup
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The tmux client that goes there
    #[arg(long)]
    client: Option<String>,
    #[command(flatten)]
    acting: Acting,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let tmux = Tmux::required()?;
    let client = args.client.as_deref();
    let socket = paths::socket_place(global.named().as_deref())?;
    let requests = vec![Request::List, Request::Questions { all: false }];
    let replies = match ask_once(&socket, token(), requests, Instant::now() + LIMIT) {
        Ok(replies) => replies,
        Err(Error::Absent(_) | Error::Closed) => {
            say(&tmux, client, "counsel: no server runs")?;
            return nobody(args);
        }
        Err(error) => return Err(error.into()),
    };
    let [Reply::Agents { agents }, Reply::Questions { questions }] = replies.as_slice() else {
        return Err(unexpected());
    };
    let Some(agent) = who_asks(agents, questions) else {
        say(&tmux, client, "counsel: nobody asks")?;
        return nobody(args);
    };
    let pane = pane_of(&tmux, agent)?;
    match &pane {
        Some(pane) => show(&tmux, client, pane)?,
        None => {
            tmux.has_popups()?;
            popup::open(&tmux, global, client, Some(&agent.name))?;
        }
    }
    let did = if pane.is_some() { "shown" } else { "opened" };
    args.acting.did(&json!({ "did": did, "name": agent.name, "pane": pane }), None)?;
    Ok(ExitCode::SUCCESS)
}

fn nobody(args: &Args) -> Result<ExitCode, Failure> {
    args.acting.did(&json!({ "did": "nothing", "name": null, "pane": null }), None)?;
    Ok(ExitCode::SUCCESS)
}

/// Who has waited longest for a person; else who has asked longest.
fn who_asks<'a>(agents: &'a [AgentInfo], questions: &[QuestionInfo]) -> Option<&'a AgentInfo> {
    let needing = questions.iter().filter(|question| status::needs_person(question));
    let first = needing.min_by(|a, b| a.asked_at.total_cmp(&b.asked_at));
    let named = first.and_then(|question| agents.iter().find(|agent| agent.name == question.agent));
    let asking = agents.iter().filter(|agent| agent.state == State::Asking);
    named.or_else(|| asking.min_by(|a, b| a.since.total_cmp(&b.since)))
}

/// The pane of this tmux that shows the agent: it runs there itself, or somebody has attached to it there.
fn pane_of(tmux: &Tmux, agent: &AgentInfo) -> Result<Option<String>, Failure> {
    let listed = tmux.ask(&["list-panes", "-a", "-F", "#{pane_id} #{pane_pid}"])?;
    let panes: Vec<(&str, u32)> = listed
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(pane, pid)| Some((pane, pid.parse().ok()?)))
        .collect();
    let around = |pid: u32| panes.iter().find(|(_, shell)| proc::is_within(pid, *shell));
    if let Some((pane, _)) = agent.pid.and_then(around) {
        return Ok(Some((*pane).to_owned()));
    }
    let attached = proc::table().into_iter().filter(|process| shows(process.pid, &agent.name));
    Ok(attached.filter_map(|process| around(process.pid)).map(|(pane, _)| (*pane).to_owned()).next())
}

/// Whether this process is `counsel attach NAME`.
fn shows(pid: u32, name: &str) -> bool {
    let arguments = proc::arguments(pid);
    let program = arguments.first().and_then(|path| path.rsplit('/').next());
    program == Some("counsel")
        && arguments.iter().any(|word| word == "attach")
        && arguments.iter().any(|word| word == name)
}

fn show(tmux: &Tmux, client: Option<&str>, pane: &str) -> Result<(), Failure> {
    tmux.ask(&["select-window", "-t", pane, ";", "select-pane", "-t", pane])?;
    let to: Vec<&str> = client.iter().flat_map(|client| ["-c", *client]).collect();
    tmux.ask(&[["switch-client"].as_slice(), &to, &["-t", pane]].concat()).map(drop)
}

/// Said in tmux's own message line: a key has no other place for words.
fn say(tmux: &Tmux, client: Option<&str>, words: &str) -> Result<(), Failure> {
    let to: Vec<&str> = client.iter().flat_map(|client| ["-c", *client]).collect();
    tmux.ask(&[["display-message"].as_slice(), &to, &[words]].concat()).map(drop)
}
