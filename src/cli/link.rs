//! The way from a verb to the server: which socket, which token, whether it may be started.

use std::path::PathBuf;

use crate::os::socket::{self, Connection, Error, connect_and_greet};
use crate::os::{daemon, paths};
use crate::wire::{Reply, Request};

use super::failure::{Failure, accepted};

/// Options that every verb understands.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Global {
    /// Talk to the server at this socket
    #[arg(long, global = true, value_name = "PATH")]
    pub socket: Option<PathBuf>,
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
            return Ok(Server { connection: connect_and_greet(&socket, Some(token))? });
        }
        let log = paths::state_dir()?.join("server.log");
        Ok(Server { connection: daemon::ensure_server(&socket, &log)? })
    }

    /// A running server; `None` if there is none. Agents whose server died wait in their keepers: for
    /// them it is started.
    pub fn running(&self) -> Result<Option<Server>, Failure> {
        let socket = self.socket_path()?;
        match connect_and_greet(&socket, token()) {
            Ok(connection) => Ok(Some(Server { connection })),
            Err(Error::Absent(_)) if self.orphans(&socket) => self.server().map(Some),
            Err(Error::Absent(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn orphans(&self, socket: &std::path::Path) -> bool {
        let folder = paths::keeper_dir(socket);
        folder.is_ok_and(|folder| {
            let adopted = !crate::os::tmux::manifests(&folder).is_empty();
            adopted || !crate::os::keeper_link::list(&folder).is_empty()
        })
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

/// Inside an agent, what this process proves itself with.
pub fn token() -> Option<String> {
    std::env::var("COUNSEL_TOKEN").ok().filter(|token| !token.is_empty())
}

impl Server {
    pub fn ask(&mut self, request: Request) -> Result<Reply, Failure> {
        accepted(self.connection.request(request)?)
    }

    /// As `ask`, for requests that are answered by `Done`.
    pub fn tell(&mut self, request: Request) -> Result<(), Failure> {
        self.ask(request).map(drop)
    }

    pub fn agents(&mut self) -> Result<Vec<crate::core::agent::AgentInfo>, Failure> {
        match self.ask(Request::List)? {
            Reply::Agents { agents } => Ok(agents),
            _ => Err(unexpected()),
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
