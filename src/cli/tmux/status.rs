//! `counsel tmux status`: how many agents work, ask and are paused, as a segment of tmux's status line.
//!
//! tmux runs it every few seconds for as long as it lives, so it does one thing: one write to the server's
//! socket, one answer, one line. It reads no file, starts nothing, and says nothing if no server runs.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::core::agent::AgentInfo;
use crate::core::question::State;
use crate::os::paths;
use crate::os::socket::{Error, ask_once};
use crate::wire::message::{QuestionInfo, Status};
use crate::wire::{Reply, Request};

use super::super::failure::Failure;
use super::super::link::{Global, token, unexpected};
use super::super::out;

/// A server answers within a millisecond; tmux would not show a segment that comes later than this.
const LIMIT: Duration = Duration::from_secs(1);

/// Print a segment for the status line; nothing if no server runs
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Without tmux's colours
    #[arg(long)]
    plain: bool,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let socket = paths::socket_place(global.named().as_deref())?;
    if global.named().is_none() {
        // Another user's folder of that name is not talked to.
        paths::inspect(&paths::runtime_place())?;
    }
    let requests = vec![Request::List, Request::Questions { all: false }];
    let replies = match ask_once(&socket, token(), requests, Instant::now() + LIMIT) {
        Ok(replies) => replies,
        // It is just ending: then none runs.
        Err(Error::Absent(_) | Error::Closed) => return Ok(ExitCode::SUCCESS),
        Err(error) => return Err(error.into()),
    };
    let [Reply::Agents { agents }, Reply::Questions { questions }] = replies.as_slice() else {
        return Err(unexpected());
    };
    let text = segment(agents, questions, args.plain);
    if !text.is_empty() {
        out::line(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Only counts and words of our own: nothing an agent printed gets into the user's status line.
fn segment(agents: &[AgentInfo], questions: &[QuestionInfo], plain: bool) -> String {
    let needed = questions.iter().filter(|question| needs_person(question)).count();
    let counted = [(State::Working, "fg=green"), (State::Asking, "fg=yellow"), (State::Paused, "fg=blue")];
    let mut parts = Vec::new();
    if needed > 0 {
        parts.push(styled(&format!("!{needed} for you"), "fg=red,bold", plain));
    }
    for (state, style) in counted {
        match agents.iter().filter(|agent| agent.state == state).count() {
            0 => {}
            count => parts.push(styled(&format!("{count} {}", state.name()), style, plain)),
        }
    }
    if parts.is_empty() && !agents.is_empty() {
        parts.push(format!("{} idle", agents.iter().filter(|agent| agent.state != State::Exited).count()));
    }
    parts.join(" ")
}

/// A question that goes on only with a person's word.
pub fn needs_person(question: &QuestionInfo) -> bool {
    matches!(question.status, Status::Escalated | Status::Proposed)
}

fn styled(text: &str, style: &str, plain: bool) -> String {
    if plain { text.to_owned() } else { format!("#[{style}]{text}#[default]") }
}
