//! One call of a tool: the line it holds to the server, whether it was given up, and that its client hears it goes on.

use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::super::failure::Failure;
use super::super::link::{Global, Server};

/// A call's connection, so that it can be cut from outside.
#[derive(Debug, Clone, Default)]
pub struct Call(Arc<State>);

#[derive(Debug, Default)]
struct State {
    stream: Mutex<Option<UnixStream>>,
    given_up: AtomicBool,
}

impl Call {
    /// The client has lost interest: so does the server, once the line is cut. The call's own thread sees its end.
    pub fn give_up(&self) {
        self.0.given_up.store(true, Ordering::SeqCst);
        let stream = self.0.stream.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(stream) = stream {
            // A server that has hung up is as wanted.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub fn given_up(&self) -> bool {
        self.0.given_up.load(Ordering::SeqCst)
    }

    pub fn server(&self, global: &Global) -> Result<Server, Failure> {
        self.hold(global.server()?)
    }

    pub fn agent(&self, global: &Global, name: &str) -> Result<Server, Failure> {
        self.hold(global.with_agent(name)?)
    }

    pub fn hold(&self, server: Server) -> Result<Server, Failure> {
        let stream = server.connection.stream().map_err(|error| Failure::from(error.to_string()))?;
        *self.0.stream.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream);
        if self.given_up() { Err(Failure::from("the call was given up")) } else { Ok(server) }
    }
}
