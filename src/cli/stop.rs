//! `counsel stop`: ends agents and everything they ever started.

use std::process::ExitCode;
use std::time::Duration;

use crate::config::{Permission, Places};
use crate::core::agent::AgentInfo;
use crate::os::proc;
use crate::wire::stopped::Stopped;
use crate::wire::{Reply, Request};

use super::failure::{Failure, REFUSED, USAGE};
use super::link::{Acting, Global, Server, done_on, unexpected, wake_keepers};
use super::progress::Progress;
use super::{complete, number, out, trust};

/// Stop agents: TERM, grace, KILL, to everything they ever started
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agents
    #[arg(add = complete::agents())]
    names: Vec<String>,
    /// Every agent
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// Seconds they have to end by themselves
    #[arg(long, default_value_t = 2.0, value_name = "SECS", value_parser = number::seconds, allow_negative_numbers = true)]
    grace: f64,
    #[command(flatten)]
    acting: Acting,
}

/// Beyond the grace: what a keeper needs to see a large tree end, on a busy machine.
const BEYOND: Duration = Duration::from_secs(20);

/// A day: longer is a slip of the keyboard.
const LONGEST_SECS: f64 = 86_400.0;

/// Seconds from the command line as milliseconds.
pub fn millis(seconds: f64) -> u64 {
    (seconds.clamp(0.0, LONGEST_SECS) * 1000.0) as u64
}

/// Names, or `--all`, but one of them.
pub fn chosen(names: &[String], all: bool) -> Result<Vec<String>, Failure> {
    if names.is_empty() && !all {
        return Err(Failure::new(USAGE, "name the agents, or say --all"));
    }
    Ok(names.to_vec())
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let names = chosen(&args.names, args.all)?;
    denied()?;
    let Some(mut server) = global.running()? else {
        return match names.first() {
            Some(name) => Err(Failure::new(3, format!("there is no agent '{name}': no server runs"))),
            None => Ok(ExitCode::SUCCESS),
        };
    };
    wake_keepers(&global.socket_path()?);
    let adopted = adopted(&mut server)?;
    let grace_ms = millis(args.grace);
    let what = if names.is_empty() { "every agent".to_owned() } else { names.join(", ") };
    let request = Request::Stop { names, grace_ms };
    let progress = Progress::waiting(&format!("stopping {what}"));
    let stopped = gone(done_on(global, &mut server, &request, limit(grace_ms)).map_err(still_there)?)?;
    drop(progress);
    for agent in &stopped {
        let did = match (adopted.contains(&agent.name), agent.ended) {
            (true, _) => "released",
            (false, Some(_)) => "removed",
            (false, None) => "stopped",
        };
        // Nobody sees that something was done about one that had ended by itself.
        let words = agent.ended.map(|code| format!("{} had ended ({code}), and is off the list", agent.name));
        args.acting.did(&json(agent, did), words.as_deref())?;
    }
    tell(&stopped)
}

/// Whether an agent's process may not stop others. A person may, also with a mistake in the configuration.
fn denied() -> Result<(), Failure> {
    if super::link::token().is_none() {
        return Ok(());
    }
    let permission = trust::settings(&Places::here(None)?)?.permissions.terminal_stop;
    if permission == Permission::Deny {
        return Err(Failure::new(REFUSED, "could not stop agents: [permissions] terminal_stop is \"deny\""));
    }
    Ok(())
}

/// Agents that are let go, not ended: panes of the user's own tmux.
pub fn adopted(server: &mut Server) -> Result<Vec<String>, Failure> {
    let adopted = server.agents()?.into_iter().filter(AgentInfo::is_adopted);
    Ok(adopted.map(|agent| agent.name).collect())
}

pub fn limit(grace_ms: u64) -> Duration {
    Duration::from_millis(grace_ms) + BEYOND
}

/// What a stop that does not come to its end means for whoever waits.
pub fn still_there(failure: Failure) -> Failure {
    if !failure.timed_out {
        return failure;
    }
    let why = "a keeper or a process does not end; 'counsel ls' shows what is left, 'ps' what holds it";
    Failure { message: format!("{}: {why}", failure.message), ..failure }
}

/// What stopping everything has done, in one line. Those that had ended before were not stopped, nor were those that are let
/// go: `adopted` names the latter.
pub fn summary(stopped: &[Stopped], adopted: &[String]) -> String {
    let (let_go, own): (Vec<&Stopped>, Vec<&Stopped>) =
        stopped.iter().partition(|it| adopted.contains(&it.name));
    let (before, now): (Vec<&Stopped>, Vec<&Stopped>) = own.into_iter().partition(|it| it.ended.is_some());
    let names = |of: &[&Stopped]| of.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(", ");
    let did = match now.as_slice() {
        [] if let_go.is_empty() => "stopped the server; no agent ran".to_owned(),
        [] => "stopped the server".to_owned(),
        now => format!("stopped {} and the server: {}", out::count(now.len(), "agent"), names(now)),
    };
    let did = match let_go.as_slice() {
        [] => did,
        panes => format!("{did}; released {}: {}", out::count(panes.len(), "pane"), names(panes)),
    };
    if before.is_empty() { did } else { format!("{did} (had ended: {})", names(&before)) }
}

/// Who was stopped.
pub fn gone(reply: Reply) -> Result<Vec<Stopped>, Failure> {
    match reply {
        Reply::Stopped { mut agents } => {
            agents.sort_by(|one, other| one.name.cmp(&other.name));
            // On a busy machine a killed process takes its time, and may have gone since it was counted.
            let there = |pid: &u32| proc::look(*pid).is_some_and(|process| !process.is_dead());
            agents.iter_mut().for_each(|agent| agent.left.retain(there));
            Ok(agents)
        }
        // What an earlier server says.
        Reply::Done => Ok(Vec::new()),
        _ => Err(unexpected()),
    }
}

/// Says what could not be ended, and what was not counsel's to end. Only the first is a failure.
pub fn tell(stopped: &[Stopped]) -> Result<ExitCode, Failure> {
    for Stopped { name, kept, wrapper, .. } in stopped {
        if !kept.is_empty() {
            out::complain(&format!("{name} is stopped; another program keeps {}", shown(kept)));
        }
        if let Some(wrapper) = wrapper {
            let what = format!("{name} is stopped; what {wrapper} keeps elsewhere counsel cannot see or end");
            out::complain(&what);
        }
    }
    let left: Vec<String> = stopped
        .iter()
        .filter(|agent| !agent.left.is_empty())
        .map(|agent| format!("{}: {} did not go", agent.name, shown(&agent.left)))
        .collect();
    if left.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(format!("could not end everything of {}; see 'ps' for what holds them", left.join(", ")).into())
}

fn command(pid: u32) -> String {
    proc::arguments(pid).join(" ")
}

fn shown(pids: &[u32]) -> String {
    let each = pids.iter().map(|pid| format!("{pid} ({})", command(*pid)));
    each.collect::<Vec<_>>().join(", ")
}

/// An agent that was stopped, as `--json` prints it.
pub fn json(agent: &Stopped, did: &str) -> serde_json::Value {
    let processes = |pids: &[u32]| -> Vec<serde_json::Value> {
        pids.iter().map(|pid| serde_json::json!({ "pid": pid, "command": command(*pid) })).collect()
    };
    let mut told = serde_json::json!({
        "name": agent.name, "did": did, "left": processes(&agent.left), "kept": processes(&agent.kept),
        "wrapper": agent.wrapper,
    });
    if let Some(code) = agent.ended {
        told["ended"] = code.into();
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Agents that had ended hours before were counted as stopped.
    #[test]
    fn who_had_ended_was_not_stopped() {
        let stopped = |name: &str, ended| Stopped { name: name.into(), ended, ..Stopped::default() };
        let all = [stopped("a", None), stopped("b", None)];
        assert_eq!(summary(&all, &[]), "stopped 2 agents and the server: a, b");
        let all = [stopped("a", None), stopped("b", Some(0))];
        assert_eq!(summary(&all, &[]), "stopped 1 agent and the server: a (had ended: b)");
        assert_eq!(summary(&all[1..], &[]), "stopped the server; no agent ran (had ended: b)");
    }

    #[test]
    fn a_pane_that_is_let_go_is_not_stopped() {
        let stopped = |name: &str| Stopped { name: name.into(), ..Stopped::default() };
        let (all, adopted) = ([stopped("a"), stopped("pane")], ["pane".to_owned()]);
        assert_eq!(summary(&all, &adopted), "stopped 1 agent and the server: a; released 1 pane: pane");
        assert_eq!(summary(&all[1..], &adopted), "stopped the server; released 1 pane: pane");
    }

    /// Of hundreds that were killed at once on a busy machine a few were said to be left: `961 () did not go`.
    #[test]
    fn what_has_gone_since_it_was_counted_is_not_left() {
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        let pid = ended.id();
        ended.wait().unwrap();
        let stopped =
            |name: &str, left: &[u32]| Stopped { name: name.into(), left: left.into(), ..Stopped::default() };
        let agents = vec![stopped("b", &[pid, std::process::id()]), stopped("a", &[pid])];
        let agents = gone(Reply::Stopped { agents }).unwrap();
        assert_eq!(agents, [stopped("a", &[]), stopped("b", &[std::process::id()])]);
    }
}
