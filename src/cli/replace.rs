//! `counsel server restart`: a server of this program in the place of the one that runs.
//!
//! Of several at once one does it, and the others find that it was done. Agents live in their keepers and notice nothing. Works on
//! servers of other versions too, which are asked by signal where they do not understand the request.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use crate::os::peer::{self, Listener};
use crate::os::socket::{self, Connection, Error, connect_and_greet};
use crate::os::{daemon, generation, keeper_link, paths, proc};
use crate::wire::Request;

use super::failure::{Failure, REFUSED};
use super::link::{Acting, Global, Server, wake_keepers};

/// An answer that is being typed is finished first; then a server ends at once.
const ASKED: Duration = Duration::from_secs(15);
/// A server that does not end when told is stuck. Its agents survive its end.
const TOLD: Duration = Duration::from_secs(5);
/// The kernel tells nobody when a process has gone that is not ours: one looks again.
const LOOK: Duration = Duration::from_millis(20);

/// `can_start`: whether another server could be started now. If not, the one that runs is worth more than its place.
pub fn run(
    global: &Global,
    acting: Acting,
    can_start: impl Fn() -> Result<(), Failure>,
) -> Result<ExitCode, Failure> {
    let path = global.socket_path()?;
    if std::env::var_os("COUNSEL_SOCKET").is_some_and(|own| Path::new(&own) == path) {
        // It could end the server, but not start one that outlives its own agent.
        return Err(Failure::new(REFUSED, "an agent cannot restart its own server; run it outside"));
    }
    socket::may_be_here(&path)?;
    if global.socket.is_some() && who(&path)? == Serving::Nobody {
        // A path that was typed is meant to lead to a server, or to agents that wait for one.
        global.anybody(&path)?;
    }
    let (own, keepers) = (generation::own().ok(), keeper_link::oldest_generation(&paths::keeper_dir(&path)?));
    let found = who(&path)?;
    let served = found.pid().and_then(|pid| generation::of(pid).ok());
    if own < served.max(keepers) {
        return Err(Failure::new(REFUSED, "an agent cannot restart the server it runs below"));
    }
    can_start()?;
    let _turn = daemon::turn_to_replace(&path)?;
    if let Some(server) = by_another(global, found, who(&path)?) {
        return tell(&server.connection, "restarted", acting).map(|()| ExitCode::SUCCESS);
    }
    let before = agents(&path)?;
    wake_keepers(&path);
    let mut did = "restarted";
    match who(&path)? {
        Serving::Nobody => did = "started",
        Serving::Process(pid) if is_a_server(&path, pid) => end(&path, pid)?,
        // It cannot be ended, and need not be: without its file nobody finds it.
        Serving::Process(_) | Serving::Unproved => socket::vacate(&path)?,
    }
    let mut server = global.server().map_err(|failure| nobody(did, failure))?;
    let back: BTreeSet<String> = server.agents()?.into_iter().map(|agent| agent.name).collect();
    tell(&server.connection, did, acting)?;
    // One whose keeper is gone as well has ended: somebody had stopped it.
    let running = agents(&path)?;
    let lost: Vec<&str> =
        before.difference(&back).filter(|name| running.contains(*name)).map(String::as_str).collect();
    if !lost.is_empty() {
        return Err(format!("it did not take back {}; see its log", lost.join(", ")).into());
    }
    Ok(ExitCode::SUCCESS)
}

/// The server that another restart has put in the place of the one that was found, if it is one of this program.
fn by_another(global: &Global, found: Serving, now: Serving) -> Option<Server> {
    if !is_another(found, now) {
        return None;
    }
    let server = global.server().ok()?;
    other_version(&server.connection.server).is_none().then_some(server)
}

/// Whether a server has come since.
fn is_another(found: Serving, now: Serving) -> bool {
    now.pid().is_some() && now != found
}

/// The server that ran has gone, and there is no other.
fn nobody(did: &str, failure: Failure) -> Failure {
    let now = if did == "restarted" { "the one that ran has ended, and none runs now" } else { "none runs" };
    let message = format!(
        "{}; {now}: agents run on, but what they ask is seen by nobody until a command such as 'counsel ls' starts one",
        failure.message
    );
    Failure { message, ..failure }
}

fn end(path: &Path, pid: u32) -> Result<(), Failure> {
    if !asked(path) {
        send(path, pid, Signal::SIGTERM)?;
    }
    if !gone(path, pid, TOLD)? {
        send(path, pid, Signal::SIGKILL)?;
    }
    match gone(path, pid, TOLD)? {
        true => Ok(()),
        false => Err(format!("the server (pid {pid}) does not end").into()),
    }
}

/// Which server runs.
pub fn tell(connection: &Connection, did: &str, acting: Acting) -> Result<(), Failure> {
    let (pid, version) = (connection.server_pid, &connection.server);
    let note = other_version(version).map(|note| format!("\n{note}")).unwrap_or_default();
    let words = format!("the server runs (pid {pid}){note}");
    acting.did(&json!({ "did": did, "pid": pid, "version": version }), Some(&words))
}

/// What to say of a server of another version; `None` for one of this program.
pub fn other_version(server: &str) -> Option<String> {
    let own = concat!("counsel ", env!("CARGO_PKG_VERSION"));
    (server != own).then(|| {
        format!("it is {server}, this is {own}: 'counsel server restart' puts this one in its place")
    })
}

/// The agents that have a keeper for certain: one in tmux cannot be told from somebody in its place.
fn agents(path: &Path) -> Result<BTreeSet<String>, Failure> {
    let mut sockets = keeper_link::list(&paths::keeper_dir(path)?);
    sockets.retain(|socket| keeper_link::look(socket) == keeper_link::Listener::Keeper);
    Ok(sockets.iter().filter_map(|socket| keeper_link::agent_of(socket)).map(str::to_owned).collect())
}

/// Who is in the server's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Serving {
    Nobody,
    Process(u32),
    /// Who listened there has ended and left the socket to another process, which the system does not tell.
    Unproved,
}

impl Serving {
    fn pid(self) -> Option<u32> {
        if let Serving::Process(pid) = self { Some(pid) } else { None }
    }
}

fn who(path: &Path) -> Result<Serving, Failure> {
    let stream = match socket::connect(path) {
        Ok(stream) => stream,
        Err(Error::Absent(_)) => return Ok(Serving::Nobody),
        // It stands still behind a queue that is full.
        Err(Error::TimedOut) => return Ok(socket::holder(path).map_or(Serving::Unproved, Serving::Process)),
        Err(error) => return Err(error.into()),
    };
    let peer =
        peer::of(&stream).map_err(|error| format!("who serves {} is unknown: {error}", path.display()))?;
    match peer::listener(&stream) {
        Listener::Alive { pid, .. } => Ok(Serving::Process(pid)),
        Listener::Unproved if peer.is_us() => Ok(Serving::Unproved),
        Listener::Unproved | Listener::Unseen => {
            Err(format!("the server at {} is not yours", path.display()).into())
        }
    }
}

/// Whether the server has agreed to make room.
fn asked(path: &Path) -> bool {
    let until = Instant::now() + ASKED;
    let ask = |mut server: Connection| server.request_within(Request::Replace, Some(until));
    matches!(connect_and_greet(path, None).and_then(ask), Ok(crate::wire::Reply::Done))
}

/// Whether this process may be ended for the server. An agent can have the path lead to the socket of any other program of
/// the person's: then that one only loses the name.
fn is_a_server(path: &Path, pid: u32) -> bool {
    let named = |pid: u32| proc::read(format!("/proc/{pid}/comm")).ok();
    let counsels = || named(pid).is_some_and(|name| named(std::process::id()) == Some(name));
    let serves = || proc::arguments(pid).iter().any(|word| word == "server");
    let unknown = cfg!(not(target_os = "linux"));
    unknown
        || socket::holder(path) == Some(pid)
        || generation::is_younger_than_ours(pid)
        || counsels() && serves()
}

/// Signals the server, if it is still the one that listens.
fn send(path: &Path, pid: u32, signal: Signal) -> Result<(), Failure> {
    if who(path)? == Serving::Process(pid) {
        // One that has just ended is as wanted.
        let _ = kill(Pid::from_raw(pid.cast_signed()), signal);
    }
    Ok(())
}

fn gone(path: &Path, pid: u32, within: Duration) -> Result<bool, Failure> {
    let until = Instant::now() + within;
    while who(path)? == Serving::Process(pid) {
        if Instant::now() >= until {
            return Ok(false);
        }
        std::thread::sleep(LOOK);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_has_come_meanwhile_is_not_restarted_once_more() {
        let ran = Serving::Process(10);
        for now in [ran, Serving::Nobody, Serving::Unproved] {
            assert!(!is_another(ran, now), "{now:?}");
        }
        for found in [ran, Serving::Nobody, Serving::Unproved] {
            assert!(is_another(found, Serving::Process(11)), "{found:?}");
        }
    }

    #[test]
    fn one_restart_waits_for_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("counsel.sock");
        let first = daemon::turn_to_replace(&socket).unwrap().unwrap();
        let second = std::thread::spawn({
            let socket = socket.clone();
            move || daemon::turn_to_replace(&socket).unwrap().is_some()
        });
        std::thread::sleep(5 * LOOK);
        assert!(!second.is_finished());
        drop(first);
        assert!(second.join().unwrap());
    }
}
