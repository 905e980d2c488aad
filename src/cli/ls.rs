//! `counsel ls`: the agents, and what each is doing.

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::core::agent::AgentInfo;

use super::failure::Failure;
use super::link::Global;

/// List the agents
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let agents = match global.running()? {
        Some(mut server) => server.agents()?,
        None => Vec::new(),
    };
    if args.json {
        let states = super::worktree::states(&agents);
        for agent in &agents {
            let state = states.get(Path::new(&agent.cwd));
            let (branch, dirty) = (state.and_then(|at| at.branch.as_deref()), state.map(|at| at.dirty));
            super::out::json(&Listed { agent, branch, dirty })?;
        }
    } else if agents.is_empty() {
        super::out::line(
            "no agents; start one with 'counsel start NAME -- CMD', or a team with 'counsel up'",
        )?;
    } else {
        super::out::line(&table(&agents))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What `--json` prints of an agent; without git both are null.
#[derive(Debug, serde::Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    agent: &'a AgentInfo,
    branch: Option<&'a str>,
    dirty: Option<bool>,
}

fn table(agents: &[AgentInfo]) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let states = super::worktree::states(agents);
    let head =
        ["NAME", "STATE", "FOR", "QUESTION", "PROFILE", "HOST", "PID", "BRANCH", "TITLE"].map(str::to_owned);
    let rows = agents.iter().map(|agent| {
        let state = match agent.exit_code {
            Some(code) => format!("exited ({code})"),
            None => agent.state.name().to_owned(),
        };
        let host = match agent.host {
            crate::core::agent::Host::Pty => "pty",
            crate::core::agent::Host::Tmux => "tmux",
        };
        let branch = states.get(Path::new(&agent.cwd)).map_or_else(
            || "-".to_owned(),
            // A star for uncommitted changes, as prompts show them.
            |at| format!("{}{}", at.branch.as_deref().unwrap_or("-"), if at.dirty { "*" } else { "" }),
        );
        [
            agent.name.clone(),
            state,
            super::out::duration(now - agent.since),
            agent.question.clone().unwrap_or_else(|| "-".to_owned()),
            agent.profile.clone(),
            host.to_owned(),
            agent.pid.map_or_else(|| "-".to_owned(), |pid| pid.to_string()),
            branch,
            agent.title.clone(),
        ]
    });
    super::out::columns(std::iter::once(head).chain(rows).collect::<Vec<_>>().as_slice())
}
