//! The way from a verb to the server: which socket, which token, whether it may be started.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::core::agent::AgentInfo;
use crate::os::socket::{self, Connection, Error, connect_and_greet};
use crate::os::tmux::{Tmux, private_name};
use crate::os::unreachable::{self, Unreachable};
use crate::os::{daemon, generation, keeper_link, paths, proc};
use crate::wire::{Reply, Request};

use super::failure::{Failure, REFUSED, USAGE, accepted};
use super::out::{self, Color};

/// In its help a verb's own options stand before these.
const LAST: usize = 900;

/// Options that every verb understands.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Global {
    /// Talk to the server at this socket
    #[arg(long, global = true, value_name = "PATH", display_order = LAST)]
    pub socket: Option<PathBuf>,
    /// When to use colours; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value = "auto", display_order = LAST + 1)]
    pub color: Color,
    /// Names mean the agent of this call alone (`AgentSpec::call`).
    #[arg(skip)]
    pub call: Option<u64>,
}

/// Options of a verb that does something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::Args)]
pub struct Acting {
    /// Print what was done as JSON, one object per line
    #[arg(long)]
    pub json: bool,
}

impl Acting {
    /// Prints what was done; for people only where there is something to say.
    pub fn did(self, value: &serde_json::Value, words: Option<&str>) -> Result<(), Failure> {
        match words {
            _ if self.json => out::json(value),
            Some(words) => out::line(words),
            None => Ok(()),
        }
    }

    /// Says why nothing was done; programs see it from there being no object.
    pub fn did_nothing(self, words: &str) -> Result<(), Failure> {
        if self.json { Ok(()) } else { out::line(words) }
    }
}

/// A greeted connection, with requests whose refusals are failures.
#[derive(Debug)]
pub struct Server {
    pub connection: Connection,
}

impl Global {
    pub fn socket_path(&self) -> Result<PathBuf, Failure> {
        Ok(paths::socket_path(self.named().as_deref())?)
    }

    /// The socket that was named: by the user, else, inside an agent, by the server that started it.
    pub fn named(&self) -> Option<PathBuf> {
        let own = || std::env::var_os("COUNSEL_SOCKET").filter(|_| token().is_some()).map(PathBuf::from);
        self.socket.clone().or_else(own)
    }

    /// A running server, or one started now.
    pub fn server(&self) -> Result<Server, Failure> {
        let socket = self.socket_path()?;
        if let Some(token) = token() {
            return Ok(self.greeted(connect_and_greet(&socket, Some(token))?));
        }
        let log = paths::state_dir()?.join("server.log");
        match connect_and_greet(&socket, None) {
            Err(Error::Absent(_)) => {}
            other => return Ok(self.greeted(other?)),
        }
        if let Some(Back::Server(connection)) = come_back(&socket)? {
            return Ok(self.greeted(connection));
        }
        wake_keepers(&socket);
        Ok(self.greeted(daemon::ensure_server(&socket, &log)?))
    }

    fn greeted(&self, mut connection: Connection) -> Server {
        if let Some(call) = self.call {
            // A server of an earlier release knows only names. One that has gone is found gone by the next request.
            let _ = connection.request(Request::Only { call });
        }
        Server { connection }
    }

    /// As `server`, for verbs that start nothing for anybody: a path that was typed is meant to lead to a server.
    pub fn server_meant(&self) -> Result<Server, Failure> {
        // Where no path was typed there is no such mistake.
        self.running().and_then(|running| running.map_or_else(|| self.server(), Ok))
    }

    /// A running server; `None` if there is none. Agents whose server died wait in their keepers: for
    /// them it is started.
    pub fn running(&self) -> Result<Option<Server>, Failure> {
        let socket = self.socket_path()?;
        match connect_and_greet(&socket, token()) {
            Ok(connection) => Ok(Some(self.greeted(connection))),
            Err(Error::Absent(_)) if self.orphans(&socket) => self.server_for_orphans(&socket).map(Some),
            Err(absent @ Error::Absent(_)) => {
                match come_back(&socket)? {
                    Some(Back::Server(connection)) => return Ok(Some(self.greeted(connection))),
                    Some(Back::Keepers) => return self.server_for_orphans(&socket).map(Some),
                    None => {}
                }
                self.is_no_agent()?;
                // A path that was typed is meant to lead to one.
                if self.socket.is_some() { Err(absent.into()) } else { Ok(None) }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Agents that wait for a server can be seen and stopped whatever is in the configuration: who starts something reads it
    /// for themselves.
    fn server_for_orphans(&self, socket: &Path) -> Result<Server, Failure> {
        match self.server() {
            Err(fault) if fault.code == USAGE && token().is_none() => {
                let log = paths::state_dir()?.join("server.log");
                let connection = daemon::ensure_server_without_config(socket, &log)?;
                out::complain(&format!(
                    "warning: {}; until it is mended and 'counsel server restart' is run, the server goes by the defaults",
                    fault.message
                ));
                Ok(self.greeted(connection))
            }
            other => other,
        }
    }

    /// What an agent started and lost its token does not know its server: that none runs would be untrue.
    fn is_no_agent(&self) -> Result<(), Failure> {
        let agent = std::env::var("COUNSEL_AGENT").ok().filter(|_| self.named().is_none());
        agent.map_or(Ok(()), |name| {
            let why = format!(
                "this is the terminal of the agent '{name}', and COUNSEL_TOKEN, by which its server knows it, is not in \
                 the environment"
            );
            Err(Failure::new(REFUSED, why))
        })
    }

    /// Refuses a path that was typed where neither a server nor an agent is.
    pub fn anybody(&self, socket: &Path) -> Result<(), Failure> {
        if self.orphans(socket) { Ok(()) } else { self.running().map(drop) }
    }

    fn orphans(&self, socket: &Path) -> bool {
        let folder = paths::keeper_place(socket);
        let adopted = paths::state_place().map(|state| paths::adopted_place(&state, &folder));
        let adopted = adopted.is_ok_and(|adopted| !crate::os::tmux::manifests(&adopted).is_empty());
        adopted || !keeper_link::list(&folder).is_empty()
    }

    /// A running server, for verbs that need an agent: without one there is none.
    pub fn with_agent(&self, name: &str) -> Result<Server, Failure> {
        self.running()?.ok_or_else(|| {
            Failure::new(
                3,
                format!("there is no agent '{name}': no server runs; start it with 'counsel start'"),
            )
        })
    }
}

/// The server of this socket and its keepers, if somebody has deleted their sockets while they ran.
pub fn lost(socket: &Path) -> Vec<Unreachable> {
    let mut lost = unreachable::below(&paths::keeper_place(socket), socket::UNTIL_IN_PLACE);
    let beside = socket.parent().map(|folder| unreachable::below(folder, socket::UNTIL_IN_PLACE));
    let own = |it: &Unreachable| it.path.to_string_lossy().starts_with(&*socket.to_string_lossy());
    lost.extend(beside.into_iter().flatten().filter(own));
    lost.dedup();
    lost.retain(|it| own(it) || keeper_link::agent_of(&it.path).is_some());
    lost.retain(|it| may_be_counsels(socket, it));
    lost
}

/// An agent can listen there and delete its socket, too. Counsel's own processes are closed to others, so that the system
/// does not tell whose a socket of theirs is: then there is such a process at least.
fn may_be_counsels(socket: &Path, lost: &Unreachable) -> bool {
    if let Some(pid) = lost.pid {
        return !generation::is_younger_than_ours(pid);
    }
    let said = |process: &proc::Process, words: &[&str]| {
        proc::arguments(process.pid).iter().skip(1).any(|word| words.contains(&word.as_str()))
    };
    let (mut ours, panes): (Vec<_>, Vec<_>) =
        proc::table().into_iter().partition(|process| !generation::is_younger_than_ours(process.pid));
    ours.retain(|process| said(process, &["keep", "server"]));
    // A keeper in a pane is as young as an agent, and known by its pane.
    let in_pane = || {
        let tmux = Tmux::private(private_name(
            &paths::keeper_place(socket),
            socket == paths::runtime_place().join("counsel.sock"),
        ));
        let pids: Vec<u32> = tmux.panes().into_iter().map(|(_, pid, _)| pid).collect();
        panes.iter().any(|process| pids.contains(&process.pid))
    };
    !ours.is_empty() || panes.iter().any(|process| said(process, &["--pane"])) && in_pane()
}

/// A server looks every two seconds whether its socket is in place, and keepers do when their server goes: in twice that
/// time, on a busy machine too, they listen again.
const COMING_BACK: Duration = Duration::from_secs(4);
/// Nobody announces it.
const LOOK: Duration = Duration::from_millis(20);

/// Who listens again after the sockets were deleted.
#[derive(Debug)]
enum Back {
    Server(Connection),
    /// They wait for a server.
    Keepers,
}

/// Waits for those whose sockets somebody has deleted; `None` if there are none.
///
/// # Errors
/// They run on, and nothing leads to them any more.
fn come_back(socket: &Path) -> Result<Option<Back>, Failure> {
    let until = Instant::now() + COMING_BACK;
    let mut lost = lost(socket);
    if lost.is_empty() {
        return Ok(None);
    }
    while Instant::now() < until {
        std::thread::sleep(LOOK);
        if let Ok(connection) = connect_and_greet(socket, None) {
            return Ok(Some(Back::Server(connection)));
        }
        lost = self::lost(socket);
        if lost.is_empty() {
            return Ok(Some(Back::Keepers));
        }
    }
    let named =
        |it: &Unreachable| keeper_link::agent_of(&it.path).map_or("the server", |name| name).to_owned();
    let who: Vec<String> = lost.iter().map(named).collect();
    let folder = socket.parent().unwrap_or(socket).display();
    Err(Failure::new(
        1,
        format!(
            "{folder} was deleted while {} ran, and nothing leads to them any more; 'counsel down' ends them",
            who.join(", ")
        ),
    ))
}

/// A keeper that was stopped answers nobody, and would hold up a stop, a pause, a new server. It is no agent: nothing of
/// counsel's ever means it to stand still.
pub fn wake_keepers(socket: &Path) {
    for keeper in keeper_link::list(&paths::keeper_place(socket)) {
        let process = keeper_link::pid_of(&keeper).and_then(proc::look);
        // Also to one that is not stopped: a stop that is on its way to it does not show yet, and is taken back by this.
        if let Some(process) = process {
            // It may have ended at this very moment.
            let _ = proc::send(&process, Signal::SIGCONT);
        }
    }
}

/// Inside an agent, what this process proves itself with.
pub fn token() -> Option<String> {
    std::env::var("COUNSEL_TOKEN").ok().filter(|token| !token.is_empty())
}

/// Whether this runs below an agent, whatever it has made of its environment.
pub fn within_agent() -> bool {
    let keepers = || {
        let socket = paths::socket_place(None).ok()?;
        keeper_link::oldest_generation(&paths::keeper_place(&socket))
    };
    token().is_some() || generation::own().is_ok_and(|own| keepers().is_some_and(|oldest| own < oldest))
}

impl Server {
    pub fn ask(&mut self, request: Request) -> Result<Reply, Failure> {
        accepted(self.connection.request(request)?)
    }

    /// As `ask`, for what is done within a known time: a server or keeper that stands still holds nobody up for ever.
    pub fn ask_within(&mut self, request: Request, limit: Duration) -> Result<Reply, Failure> {
        accepted(self.connection.request_within(request, Some(Instant::now() + limit))?)
    }

    /// As `ask`, for requests that are answered by `Done`.
    pub fn tell(&mut self, request: Request) -> Result<(), Failure> {
        self.ask(request).map(drop)
    }

    pub fn agents(&mut self) -> Result<Vec<AgentInfo>, Failure> {
        match self.ask(Request::List)? {
            Reply::Agents { agents } => Ok(agents),
            _ => Err(unexpected()),
        }
    }

    /// One agent, as it is now.
    pub fn agent(&mut self, name: &str) -> Result<AgentInfo, Failure> {
        let found = self.agents()?.into_iter().find(|agent| agent.name == name);
        found.ok_or_else(|| Failure::new(3, format!("there is no agent '{name}'; see 'counsel ls'")))
    }
}

/// Servers that are asked one after the other; more of them do not die by accident.
pub const SERVERS: usize = 5;

/// Asks what changes nothing and may take long, and asks the next server where one dies over it: its agents go on.
pub fn ask_on(
    connect: impl Fn() -> Result<Server, Failure>,
    request: impl Fn() -> Request,
) -> Result<Reply, Failure> {
    let mut asked = 1;
    loop {
        match connect().and_then(|mut server| server.ask(request())) {
            Err(failure) if failure.hung_up && asked < SERVERS => asked += 1,
            other => return other,
        }
    }
}

/// Has done what may be done twice, and has the next server do it where one dies over it.
pub fn done_on(
    global: &Global,
    server: &mut Server,
    request: &Request,
    limit: Duration,
) -> Result<Reply, Failure> {
    let mut asked = 1;
    loop {
        match server.ask_within(request.clone(), limit) {
            Err(failure) if failure.hung_up && asked < SERVERS => {
                asked += 1;
                // Without one there is no agent any more either.
                let Some(next) = global.running()? else { return Err(failure) };
                *server = next;
            }
            other => return other,
        }
    }
}

/// Has a text typed, by the next server where one makes way before it has taken it.
pub fn type_on(
    connect: impl Fn() -> Result<Server, Failure>,
    name: &str,
    request: &Request,
) -> Result<(), Failure> {
    let mut asked = 1;
    loop {
        let mut server = connect()?;
        match server.tell(request.clone()) {
            Err(failure) if failure.hung_up && !server.connection.types_no_more() => {
                let what = "the server died before it said whether that was typed";
                return Err(Failure {
                    message: format!("{what}; 'counsel read {name}' shows it"),
                    ..failure
                });
            }
            Err(failure) if failure.hung_up && asked < SERVERS => asked += 1,
            done => return done,
        }
    }
}

/// The server answered something that does not belong to the request.
pub fn unexpected() -> Failure {
    Failure::new(1, "the server answered something else; it is of another version")
}

/// Errors of a connection that the server ended on purpose.
pub fn ended(error: &socket::Error) -> bool {
    matches!(error, socket::Error::Closed)
}
