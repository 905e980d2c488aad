//! What a shell can complete: names of agents and of their questions, and words of a list.
//!
//! Asked at every press of Tab: one round trip to a server that runs, nothing is started, and a server that hangs is not
//! waited for.

use std::time::{Duration, Instant};

use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};

use crate::config::{self, Places};
use crate::os::paths;
use crate::os::socket::ask_once;
use crate::wire::{Reply, Request};

use super::link::{Global, token};

/// A person has pressed a key and waits.
const LIMIT: Duration = Duration::from_millis(500);

fn ask(request: Request) -> Option<Reply> {
    // The words typed so far are the shell's; the environment leads to the same server.
    let socket = paths::socket_place(Global::default().named().as_deref()).ok()?;
    ask_once(&socket, token(), vec![request], Instant::now() + LIMIT).ok()?.pop()
}

/// The agents there are.
pub fn agents() -> ArgValueCandidates {
    ArgValueCandidates::new(|| match ask(Request::List) {
        Some(Reply::Agents { agents }) => agents
            .into_iter()
            .map(|agent| CompletionCandidate::new(&agent.name).help(Some(agent.state_word().into())))
            .collect(),
        _ => Vec::new(),
    })
}

/// The questions that are open.
pub fn questions() -> ArgValueCandidates {
    ArgValueCandidates::new(|| match ask(Request::Questions { all: false }) {
        Some(Reply::Questions { questions }) => questions
            .into_iter()
            .map(|question| CompletionCandidate::new(question.id).help(Some(question.agent.into())))
            .collect(),
        _ => Vec::new(),
    })
}

/// The profiles this user has.
pub fn profiles() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let places = Places::here(None).unwrap_or_default();
        let profiles = config::profiles(&places).ok();
        let names = profiles.iter().flat_map(|profiles| profiles.names());
        names.map(CompletionCandidate::new).collect()
    })
}

/// The agents of the configuration that holds here. One that nobody has agreed to is only read.
pub fn configured() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let config = Places::here(None).ok().and_then(|places| config::load(&places).ok());
        let agents = config.into_iter().flat_map(|config| config.agents);
        agents.map(|agent| CompletionCandidate::new(agent.name)).collect()
    })
}

/// The layouts this user has.
pub fn layouts() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let layouts = Places::here(None).ok().and_then(|places| config::layouts(&places).ok());
        let names = layouts.into_iter().flatten().map(|layout| layout.name);
        names.map(CompletionCandidate::new).collect()
    })
}

/// One of these.
pub fn words(words: &'static [&'static str]) -> ArgValueCandidates {
    ArgValueCandidates::new(|| words.iter().map(CompletionCandidate::new).collect())
}
