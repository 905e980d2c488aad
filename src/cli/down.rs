//! `counsel down`: stops all agents and the server.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::json;

use crate::os::unreachable::Unreachable;
use crate::os::{keeper_link, paths, proc};
use crate::wire::Request;
use crate::wire::stopped::Stopped;

use super::failure::Failure;
use super::link::{Acting, Global, Server, ended, lost, wake_keepers};
use super::progress::Progress;
use super::{number, out, stop};

/// Stop all agents and the server
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Seconds the agents have to end by themselves
    #[arg(long, default_value_t = 2.0, value_name = "SECS", value_parser = number::seconds, allow_negative_numbers = true)]
    grace: f64,
    #[command(flatten)]
    acting: Acting,
}

/// The kernel tells nobody when a process has gone that is not ours: one looks again.
const LOOK: Duration = Duration::from_millis(20);

/// What a keeper takes to remove its files and end, once its agent has: milliseconds, on a busy machine seconds.
const KEEPERS: Duration = Duration::from_secs(5);

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let socket = global.socket_path()?;
    let lost = lost(&socket);
    // The server that answers may know them: they are asked about again when it is gone.
    let hidden = !lost.is_empty() && end_lost(&lost, args)?;
    let Some(mut server) = running(global)? else {
        if hidden {
            all_gone(&socket, Duration::ZERO)?;
        }
        if lost.is_empty() {
            let where_meant = global.socket.as_ref().map(|path| format!(" at {}", path.display()));
            let words = format!("no server runs{}", where_meant.unwrap_or_default());
            args.acting.did(&json!({ "did": "nothing", "server": null }), Some(&words))?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    wake_keepers(&socket);
    let pid = server.connection.server_pid;
    let progress = Progress::waiting("stopping every agent and the server");
    let stopped = match stop_everything(&mut server, args) {
        // Somebody else has it stopped, or it was killed: what its keepers do tells which.
        Err(failure) if failure.hung_up => None,
        other => Some(other?),
    };
    // Its keepers end after it: found here by whoever comes next, they would have a server started for them.
    let until = Instant::now() + KEEPERS;
    while !keeper_link::list(&paths::keeper_place(&socket)).is_empty() && Instant::now() < until {
        std::thread::sleep(LOOK);
    }
    drop(progress);
    if hidden {
        all_gone(&socket, KEEPERS)?;
    }
    // Whoever listens in the place of one, and may be an agent's process, is no keeper.
    let mut keepers = keeper_link::list(&paths::keeper_place(&socket));
    keepers.retain(|keeper| keeper_link::look(keeper) == keeper_link::Listener::Keeper);
    let left: Vec<String> = keepers.iter().map(|keeper| left(keeper)).collect();
    if !left.is_empty() {
        return Err(format!("could not stop everything: {}", left.join("; ")).into());
    }
    if stopped.is_none() && is_back(KEEPERS, || running(global).map(|server| server.is_some()))? {
        return Err(
            "could not stop everything: another server has begun meanwhile; try 'counsel down' again".into(),
        );
    }
    let summary = match &stopped {
        Some((stopped, adopted)) => stop::summary(stopped, adopted),
        None => "the server was being stopped already; it has ended".to_owned(),
    };
    args.acting.did(&json!({ "did": "stopped", "server": pid }), Some(&summary))?;
    stop::tell(&stopped.unwrap_or_default().0)
}

/// Whether a server answers where one hung up, for longer than this, in which one that ends does.
fn is_back(patience: Duration, mut answers: impl FnMut() -> Result<bool, Failure>) -> Result<bool, Failure> {
    let until = Instant::now() + patience;
    while answers()? {
        if Instant::now() >= until {
            return Ok(true);
        }
        std::thread::sleep(LOOK);
    }
    Ok(false)
}

/// What was stopped, and the names of those that were let go.
fn stop_everything(server: &mut Server, args: &Args) -> Result<(Vec<Stopped>, Vec<String>), Failure> {
    let adopted = stop::adopted(server)?;
    let grace_ms = stop::millis(args.grace);
    let reply = server.ask_within(Request::Down { grace_ms }, stop::limit(grace_ms));
    let reply = reply.map_err(|failure| stop::still_there(failure).doing("stop the agents"))?;
    let stopped = stop::gone(reply)?;
    for agent in &stopped {
        let did = if adopted.contains(&agent.name) { "released" } else { "stopped" };
        args.acting.did(&stop::json(agent, did), None)?;
    }
    // The server closes the line when everything is in order.
    let until = Some(Instant::now() + stop::limit(0));
    loop {
        match server.connection.next_notice(until) {
            Ok(_) => {}
            Err(error) if ended(&error) => return Ok((stopped, adopted)),
            Err(error) => return Err(error.into()),
        }
    }
}

/// The server, if one runs. That a socket was named which leads to none changes nothing: there is nothing to stop. One that
/// hangs up is ending.
fn running(global: &Global) -> Result<Option<Server>, Failure> {
    let until = Instant::now() + KEEPERS;
    loop {
        match global.running() {
            Err(failure) if failure.absent => return Ok(None),
            Err(failure) if failure.hung_up && Instant::now() < until => std::thread::sleep(LOOK),
            other => return other,
        }
    }
}

/// Ends a server and its agents that no socket leads to any more: their keepers end the agents. Whether there are others,
/// whose processes the system does not tell.
fn end_lost(lost: &[Unreachable], args: &Args) -> Result<bool, Failure> {
    let until = Instant::now() + stop::limit(stop::millis(args.grace));
    // The server first, so that it does not start again what it sees end.
    let is_keeper = |it: &&Unreachable| keeper_link::agent_of(&it.path).is_some();
    let (keepers, servers): (Vec<_>, Vec<_>) = lost.iter().partition(is_keeper);
    let mut hidden = false;
    for it in servers.into_iter().chain(keepers) {
        let Some(pid) = it.pid else {
            hidden = true;
            continue;
        };
        let Some(process) = proc::look(pid) else { continue };
        // One that stands still is let go on, so that it can end; one that ends by itself is as wanted.
        let _ = proc::send(&process, Signal::SIGCONT);
        let _ = proc::send(&process, Signal::SIGTERM);
        while proc::look(process.pid).is_some_and(|now| now.started == process.started && !now.is_dead()) {
            if Instant::now() >= until {
                return Err(format!("process {} does not end; 'kill -9 {0}' ends it", process.pid).into());
            }
            std::thread::sleep(LOOK);
        }
        let name = name_of(&it.path);
        args.acting.did(&json!({ "name": name, "did": "stopped" }), None)?;
    }
    if !hidden && !args.acting.json {
        out::line("stopped what ran behind deleted sockets")?;
    }
    Ok(hidden)
}

/// Counsel's own processes are closed to others (`proc::close_to_others`): of those behind deleted sockets nobody but
/// root learns more than whether they are gone.
fn all_gone(socket: &Path, patience: Duration) -> Result<(), Failure> {
    let until = Instant::now() + patience;
    while !lost(socket).is_empty() {
        if Instant::now() >= until {
            let why = "what runs behind deleted sockets cannot be stopped: the system does not tell its processes; a \
                       server makes its socket anew within seconds, so try 'counsel down' again";
            return Err(Failure::new(1, why));
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// What the server did not know of, or could not reach.
fn left(keeper: &Path) -> String {
    let name = name_of(keeper).unwrap_or_default();
    match keeper_link::pid_of(keeper) {
        Some(pid) => format!("the keeper of {name} still runs; 'kill {pid}' ends it with its agent"),
        None => format!("whoever listens at {} cannot be reached", keeper.display()),
    }
}

fn name_of(path: &Path) -> Option<&str> {
    keeper_link::agent_of(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of several `counsel down` at once, one that was hung up on may still meet the server that ends, and said that it had not
    /// stopped everything. One that somebody has started meanwhile runs on, and was told as stopped.
    #[test]
    fn only_a_server_that_stays_is_another_one() {
        let mut looks = 0;
        let ends = |looks: &mut u32| {
            *looks += 1;
            *looks < 3
        };
        assert!(!is_back(Duration::from_secs(60), || Ok(ends(&mut looks))).unwrap());
        assert_eq!(looks, 3, "it is looked at until it is gone");
        assert!(is_back(3 * LOOK, || Ok(true)).unwrap());
        assert!(!is_back(Duration::ZERO, || Ok(false)).unwrap());
        let failed = is_back(Duration::from_secs(60), || Err("it cannot be asked".into()));
        assert_eq!(failed.unwrap_err().message, "it cannot be asked");
    }
}
