//! `counsel restart`, `resize`, `signal`, `consult`: one request each.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nix::fcntl::Flock;
use serde_json::{Value, json};

use crate::core::agent::{AgentInfo, PERSON};
use crate::core::question::State;
use crate::core::terminal::grid::Size;
use crate::os::git::{place, turn};
use crate::wire::keeper::SIGNALS;
use crate::wire::message::NO_CONSULTANT;
use crate::wire::{Reply, Request};

use super::complete;
use super::failure::Failure;
use super::link::{Acting, Global, SERVERS, Server, unexpected, wake_keepers};

/// A server answers these at once.
const LIMIT: Duration = Duration::from_secs(10);
/// A program has two seconds to end before it is started again; a busy machine takes ten times that for both.
const RESTART_LIMIT: Duration = Duration::from_secs(30);
/// Whom somebody else is starting again is up within this time. One that ends as soon as it runs never stays up.
const STARTED_BY_ANOTHER: Duration = Duration::from_secs(5);
/// Nobody tells of a start that was not asked for here: one looks again.
const LOOK: Duration = Duration::from_millis(20);

/// Start agents again, with the same command, folder and history; ends once they run
#[derive(Debug, clap::Args)]
pub struct Restart {
    /// The agents
    #[arg(required = true, value_name = "NAME", add = complete::agents())]
    names: Vec<String>,
    #[command(flatten)]
    acting: Acting,
}

/// Change the size of an agent's terminal
#[derive(Debug, clap::Args)]
pub struct Resize {
    /// The agent
    #[arg(add = complete::agents())]
    name: String,
    /// For example 120x40
    #[arg(value_name = "COLSxROWS")]
    size: Size,
    #[command(flatten)]
    acting: Acting,
}

/// Send a signal to the program in front of an agent's terminal
#[derive(Debug, clap::Args)]
pub struct Signal {
    /// The agent
    #[arg(add = complete::agents())]
    name: String,
    /// Which one: INT TERM HUP WINCH CONT TSTP QUIT USR1 USR2 KILL; INT and SIGINT are the same
    #[arg(value_parser = signal_name, ignore_case = true, add = complete::words(&SIGNALS))]
    signal: String,
    #[command(flatten)]
    acting: Acting,
}

/// Ask a consultant an open question now
#[derive(Debug, clap::Args)]
pub struct Consult {
    /// The question, as 'counsel questions' names it
    #[arg(add = complete::questions())]
    id: String,
    /// Another consultant than the agent's own; human: you take it over
    #[arg(long, value_name = "CONSULTANT", add = complete::agents())]
    with: Option<String>,
    #[command(flatten)]
    acting: Acting,
}

fn signal_name(text: &str) -> Result<String, String> {
    let upper = text.to_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    let known = SIGNALS.iter().find(|known| **known == name);
    known
        .map(|name| (*name).to_owned())
        .ok_or_else(|| format!("'{text}' is not a signal that can be sent; one of {}", SIGNALS.join(" ")))
}

pub fn restart(args: &Restart, global: &Global) -> Result<ExitCode, Failure> {
    let mut server = global.with_agent(&args.names[0])?;
    wake_keepers(&global.socket_path()?);
    let listed = server.agents()?;
    // Nobody's work is ended for a slip of the keyboard: one that is not there is told before any is.
    let nobody = |name: &&String| listed.iter().all(|agent| agent.name != **name);
    if let Some(name) = args.names.iter().find(nobody) {
        return Err(Failure::new(3, format!("there is no agent '{name}'; see 'counsel ls'")));
    }
    // Nor is one ended that could not come up again.
    let named = listed.iter().filter(|agent| args.names.contains(&agent.name));
    if let Some(agent) = named.clone().find(|agent| agent.runs() && !is_folder(&agent.cwd)) {
        let AgentInfo { name, cwd, .. } = agent;
        let why = format!("its folder {cwd} is not there, and it would not come up again");
        let mend = format!("make the folder, or end it with 'counsel stop {name}'");
        return Err(Failure::new(1, format!("could not restart {name}: {why}; {mend}")));
    }
    let mut failed = Vec::new();
    // Twice named, it would be ended as soon as it is up again.
    let mut once = HashSet::new();
    for name in args.names.iter().filter(|name| once.insert(name.as_str())) {
        let cwd = listed.iter().find(|agent| agent.name == *name).map_or("", |agent| agent.cwd.as_str());
        let _stays = worktree_stays(cwd);
        match started_again(global, &mut server, name) {
            Ok(pid) => {
                args.acting.did(&json!({ "name": name, "did": "restarted", "pid": pid }), None)?;
            }
            Err(failure) if failure.hung_up || failure.timed_out => return Err(failure),
            Err(failure) => failed.push(failure),
        }
    }
    // The others are started again all the same.
    match failed.split_first() {
        None => Ok(ExitCode::SUCCESS),
        Some((first, rest)) => {
            let all: Vec<&str> = std::iter::once(first).chain(rest).map(|it| it.message.as_str()).collect();
            Err(Failure::new(first.code, all.join("; ")))
        }
    }
}

/// Waits until a worktree that is being removed around this folder is gone, and keeps it from being removed: of one that has
/// ended, whoever removes it has been told that nobody works there.
fn worktree_stays(cwd: &str) -> Vec<Flock<File>> {
    let root = place::root().ok().filter(|_| !cwd.is_empty());
    root.map(|root| turn::nobody_removes_around(Path::new(cwd), &root)).unwrap_or_default()
}

/// One that is not named is whatever the server is in.
fn is_folder(cwd: &str) -> bool {
    cwd.is_empty() || Path::new(cwd).is_dir()
}

/// The pid of its next life. A server that dies over it has started that life, ended the one before, or neither: the next
/// server is asked for whatever is left to do, and never for a third life.
fn started_again(global: &Global, server: &mut Server, name: &str) -> Result<Option<u32>, Failure> {
    let before = server.agent(name)?.pid;
    let mut asked = 1;
    loop {
        let request = Request::Restart { name: name.to_owned() };
        let done = server.ask_within(request, RESTART_LIMIT).and_then(|_| as_it_runs(server, name));
        match done {
            Err(failure) if failure.hung_up && asked < SERVERS => asked += 1,
            done => return done.map(|agent| agent.pid),
        }
        let lost = || {
            let what = "its server died over it, and the agent with it";
            let mend = format!("start it with 'counsel start {name} -- COMMAND' or 'counsel up'");
            Failure::new(1, format!("could not restart {name}: {what}; {mend}"))
        };
        *server = global.running()?.ok_or_else(lost)?;
        let agents = server.agents()?;
        let agent = agents.iter().find(|agent| agent.name == name).ok_or_else(lost)?;
        if agent.pid != before && agent.state != State::Exited {
            return as_it_runs(server, name).map(|agent| agent.pid);
        }
    }
}

/// The agent in the life that runs. Where several restart it at once, one of the others may be ending the life that was begun here
/// and beginning the next.
fn as_it_runs(server: &mut Server, name: &str) -> Result<AgentInfo, Failure> {
    let until = Instant::now() + STARTED_BY_ANOTHER;
    loop {
        let agent = server.agent(name)?;
        let comes = agent.pid.is_none() && (agent.state != State::Exited || agent.starts_again);
        if !comes || Instant::now() >= until {
            return Ok(agent);
        }
        std::thread::sleep(LOOK);
    }
}

pub fn resize(args: &Resize, global: &Global) -> Result<ExitCode, Failure> {
    let request = Request::Resize { name: args.name.clone(), size: args.size };
    let (cols, rows) = (args.size.cols, args.size.rows);
    let did = json!({ "name": args.name, "did": "resized", "cols": cols, "rows": rows });
    tell(global, &args.name, request, args.acting, did)
}

pub fn signal(args: &Signal, global: &Global) -> Result<ExitCode, Failure> {
    let request = Request::Signal { name: args.name.clone(), signal: args.signal.clone() };
    let did = json!({ "name": args.name, "did": "signalled", "signal": args.signal });
    tell(global, &args.name, request, args.acting, did)
}

pub fn consult(args: &Consult, global: &Global) -> Result<ExitCode, Failure> {
    let Some(mut server) = global.running()? else {
        return Err(Failure::new(3, format!("there is no question '{}': no server runs", args.id)));
    };
    let (id, with) = (args.id.clone(), args.with.clone());
    // As `route` names whoever answers.
    let (request, did) = match with.as_deref() {
        Some(PERSON) => (Request::TakeOver { id }, "taken over"),
        _ => (Request::Consult { id, with }, "consulted"),
    };
    server.tell(request).map_err(with_mend)?;
    if args.acting.json {
        let with = args.with.clone().map_or_else(|| route(&mut server, &args.id), |with| Ok(Some(with)))?;
        args.acting.did(&json!({ "id": args.id, "did": did, "with": with }), None)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Whom to name, where the agent has nobody.
fn with_mend(failure: Failure) -> Failure {
    if !failure.message.ends_with(NO_CONSULTANT) {
        return failure;
    }
    let message = format!("{}; name one with --with", failure.message);
    Failure { message, ..failure }
}

/// Who has a question now; nobody, if it has gone meanwhile.
fn route(server: &mut Server, id: &str) -> Result<Option<String>, Failure> {
    let Reply::Questions { questions } = server.ask(Request::Questions { all: true })? else {
        return Err(unexpected());
    };
    Ok(questions.into_iter().find(|question| question.id == id).map(|question| question.route))
}

fn tell(
    global: &Global,
    name: &str,
    request: Request,
    acting: Acting,
    did: Value,
) -> Result<ExitCode, Failure> {
    let mut server = global.with_agent(name)?;
    wake_keepers(&global.socket_path()?);
    server.ask_within(request, LIMIT)?;
    acting.did(&did, None)?;
    Ok(ExitCode::SUCCESS)
}
