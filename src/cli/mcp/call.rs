//! One call of a tool: the line it holds to the server, whether it was given up, and that its client hears it goes on.

use std::collections::HashMap;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::wire::message::ReadMode;

use super::super::failure::Failure;
use super::super::link::{Global, Server};

/// How much of each agent's output this session's client has read: the cursors of its last reads. Bytes are counted apart.
#[derive(Debug, Clone, Default)]
pub struct Seen(Arc<Mutex<HashMap<(String, bool), u64>>>);

impl Seen {
    /// 0, the beginning, of what was never read.
    pub fn of(&self, name: &str, mode: ReadMode) -> u64 {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get(&(name.to_owned(), mode == ReadMode::Raw)).copied().unwrap_or(0)
    }

    pub fn note(&self, name: &str, mode: ReadMode, cursor: u64) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert((name.to_owned(), mode == ReadMode::Raw), cursor);
    }
}

/// A call's connection, so that it can be cut from outside, and what its session has read.
#[derive(Debug, Clone, Default)]
pub struct Call {
    state: Arc<State>,
    pub seen: Seen,
}

#[derive(Debug, Default)]
struct State {
    stream: Mutex<Option<UnixStream>>,
    given_up: AtomicBool,
}

impl Call {
    pub fn new(seen: Seen) -> Call {
        Call { state: Arc::default(), seen }
    }

    /// The client has lost interest: so does the server, once the line is cut. The call's own thread sees its end.
    pub fn give_up(&self) {
        self.state.given_up.store(true, Ordering::SeqCst);
        let stream = self.state.stream.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(stream) = stream {
            // A server that has hung up is as wanted.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub fn given_up(&self) -> bool {
        self.state.given_up.load(Ordering::SeqCst)
    }

    pub fn server(&self, global: &Global) -> Result<Server, Failure> {
        self.hold(global.server()?)
    }

    pub fn agent(&self, global: &Global, name: &str) -> Result<Server, Failure> {
        self.hold(global.with_agent(name)?)
    }

    pub fn hold(&self, server: Server) -> Result<Server, Failure> {
        let stream = server.connection.stream().map_err(|error| Failure::from(error.to_string()))?;
        *self.state.stream.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream);
        if self.given_up() { Err(Failure::from("the call was given up")) } else { Ok(server) }
    }
}
