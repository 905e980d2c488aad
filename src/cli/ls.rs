//! `counsel ls`: the agents, and what each is doing.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::core::agent::{AgentInfo, Host};
use crate::core::question::State;
use crate::os::keeper_link::{self, Listener};
use crate::os::paths;

use super::failure::Failure;
use super::link::{Global, Server, token};
use super::table::{Cell, Style, Table};
use super::{as_json, out};

/// A keeper whose agent was stopped clears up and goes, on a busy machine in seconds.
const LEAVING: Duration = Duration::from_secs(3);
/// Nobody announces it.
const LOOK: Duration = Duration::from_millis(20);

/// List agents
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let (agents, unknown) = match global.running()? {
        Some(mut server) => {
            let unknown = unknown(&mut server, &paths::keeper_place(&global.socket_path()?))?;
            (server.agents()?, unknown)
        }
        None => Default::default(),
    };
    if args.json {
        as_json::all_listed(&agents).iter().try_for_each(out::json)?;
    } else if agents.is_empty() {
        out::prose("no agents; start one with 'counsel start NAME -- CMD', or a team with 'counsel up'", 0)?;
    } else {
        table(&agents).print()?;
    }
    match unknown.is_empty() {
        true => Ok(ExitCode::SUCCESS),
        false => {
            let (names, mend) = (unknown.join(", "), "'counsel server restart' looks for them again");
            Err(format!("keepers run that the server could not take back: {names}; {mend}").into())
        }
    }
}

/// Agents that run below keepers of which the server does not know: somebody kept it from them.
fn unknown(server: &mut Server, keepers: &Path) -> Result<Vec<String>, Failure> {
    let until = Instant::now() + LEAVING;
    loop {
        let mut named = if token().is_some() { Vec::new() } else { keeper_link::named(keepers) };
        let agents = server.agents()?;
        named.retain(|name| agents.iter().all(|agent| agent.name != *name));
        if named.is_empty() {
            return Ok(named);
        }
        // Whoever listens in the place of one, and may be an agent's process, is no keeper.
        let lives =
            |name: &String| keeper_link::look(&keeper_link::socket_of(keepers, name)) == Listener::Keeper;
        named.retain(lives);
        if named.is_empty() || Instant::now() >= until {
            return Ok(named);
        }
        std::thread::sleep(LOOK);
    }
}

fn table(agents: &[AgentInfo]) -> Table<9> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let states = super::worktree::states(agents);
    let mut table =
        Table::new(["NAME", "STATE", "FOR", "QUESTION", "PROFILE", "HOST", "PID", "BRANCH", "TITLE"]);
    for agent in agents {
        let branch = states.get(Path::new(&agent.cwd)).map_or_else(
            || "-".to_owned(),
            // A star for uncommitted changes, as prompts show them.
            |at| format!("{}{}", at.branch.as_deref().unwrap_or("-"), if at.dirty { "*" } else { "" }),
        );
        table.row([
            Cell::new(&agent.name, Style::Bold),
            state(agent),
            out::duration(now - agent.since).into(),
            agent.question.as_deref().unwrap_or("-").into(),
            if agent.profile.is_empty() { "-".into() } else { (&agent.profile).into() },
            host(agent.host).into(),
            agent.pid.map_or_else(|| "-".to_owned(), |pid| pid.to_string()).into(),
            branch.into(),
            agent.failed.as_ref().unwrap_or(&agent.title).into(),
        ]);
    }
    table
}

fn host(host: Host) -> &'static str {
    match host {
        Host::Pty => "pty",
        Host::Tmux => "tmux",
    }
}

fn state(agent: &AgentInfo) -> Cell {
    if agent.failed.is_some() {
        return Cell::new("not started", Style::Red);
    }
    if let Some(code) = agent.exit_code {
        return Cell::new(format!("exited ({code})"), if code == 0 { Style::Dim } else { Style::Red });
    }
    let style = match agent.state {
        State::Asking => Style::Yellow,
        State::Working => Style::Green,
        State::Paused => Style::Blue,
        State::Exited => Style::Dim,
        State::Starting | State::Idle | State::Unknown => Style::Plain,
    };
    match agent.memory_kib {
        Some(kib) if agent.state == State::Paused => {
            Cell::new(format!("{}, {} MiB", agent.state.name(), kib / 1024), style)
        }
        _ if agent.untyped_prompt.is_some() => {
            Cell::new(format!("{}, prompt not typed", agent.state.name()), style)
        }
        _ => Cell::new(agent.state.name(), style),
    }
}
