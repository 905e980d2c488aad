//! The ways into a session and out of it: its mailboxes, and the sinks of the clients it speaks to.
//!
//! Every queue here has a bound. A full one says something about its reader: a client that does not read is cut
//! off, a session that takes no orders is given up by the executor, and a client that floods one waits for itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::{Notify, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock, mpsc};

use crate::core::terminal::grid::Size;
use crate::wire::message::{Reply, Request, ServerMessage};

use super::message::{AgentKey, ClientKey, Order};

/// Orders that may wait: the hub gives a handful for a question, and one for a key. The executor keeps what is behind them.
pub const ORDERS: usize = 256;
/// Requests of clients that may wait. Whoever sends more waits, and nobody else.
pub const MAIL: usize = 256;
/// Messages that may wait for a client. Pictures are limited by their own credit, so this many notices
/// unread is a client that has stopped.
pub const MESSAGES: usize = 1024;

/// From the executor.
#[derive(Debug)]
pub enum Command {
    Order(Box<Order>),
    /// The agent is gone for good: let its keeper go.
    Forget,
}

/// From the clients' tasks.
#[derive(Debug)]
pub enum Mail {
    Watch {
        client: ClientKey,
        sink: Sink,
        size: Option<Size>,
    },
    Unwatch {
        client: ClientKey,
    },
    /// A picture has left for this client.
    Flushed {
        client: ClientKey,
    },
    Left {
        client: ClientKey,
    },
    Request {
        client: ClientKey,
        asked: Asked,
        request: Request,
    },
}

/// A request on its way to a session, and in its hands. One that comes to no end, because the session is told to leave,
/// or fails, with it in its mailbox or waiting for something, is answered here.
#[derive(Debug)]
pub struct Asked {
    pub sink: Sink,
    pub id: u64,
    open: bool,
    /// Of one that types: the gate it came by stays open so long.
    passed: Option<OwnedRwLockReadGuard<()>>,
}

/// Where requests that type come in. A server that is to go closes it: what has not come by then is typed by the next one.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<RwLock<()>>);

/// Exit code of the contract: no such agent.
const NO_SUCH: u8 = 3;

/// How clients reach a session.
#[derive(Debug, Clone)]
pub struct Handle {
    pub agent: AgentKey,
    /// See `AgentSpec::call`.
    pub call: Option<u64>,
    pub mail: mpsc::Sender<Mail>,
}

/// The sessions of all agents by name: how clients' tasks reach them.
pub type Directory = Arc<BTreeMap<String, Handle>>;

/// The way to a client. Sending never waits: a client that does not read is cut off, and may come back.
#[derive(Debug, Clone)]
pub struct Sink {
    messages: mpsc::Sender<ServerMessage>,
    cut: Arc<Notify>,
    goodbye: Arc<Notify>,
}

/// A client's end of its sink.
#[derive(Debug)]
pub struct Source {
    pub messages: mpsc::Receiver<ServerMessage>,
    /// The client does not read: it is parted from at once.
    pub cut: Arc<Notify>,
    /// The server ends: the client is told so, once it has been told everything else.
    pub goodbye: Arc<Notify>,
}

/// A way to a new client.
pub fn sink() -> (Sink, Source) {
    let (sender, messages) = mpsc::channel(MESSAGES);
    let (cut, goodbye) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let sink = Sink { messages: sender, cut: Arc::clone(&cut), goodbye: Arc::clone(&goodbye) };
    (sink, Source { messages, cut, goodbye })
}

impl Asked {
    pub fn new(sink: Sink, id: u64, request: &Request) -> Asked {
        // Keys have no reply.
        Asked { sink, id, open: !matches!(request, Request::Keys { .. }), passed: None }
    }

    /// Whether somebody waits for the reply.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Its reply has been sent, or is the hub's to send.
    pub fn answered(mut self) {
        self.open = false;
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if self.open {
            let reply = Reply::error(NO_SUCH, "the agent has gone; see 'counsel ls'");
            self.sink.send(ServerMessage::Reply { id: self.id, reply });
        }
    }
}

impl Gate {
    /// Lets a request in; `None`: it types, and the gate is closed.
    pub fn admit(&self, sink: Sink, id: u64, request: &Request) -> Option<Asked> {
        let passed = match request {
            Request::Send { .. } => Some(Arc::clone(&self.0).try_read_owned().ok()?),
            _ => None,
        };
        let mut asked = Asked::new(sink, id, request);
        asked.passed = passed;
        Some(asked)
    }

    /// Closes the gate, once this is waited for, and ends when all that has come by it is answered. It stays closed as long
    /// as what is returned is kept.
    pub async fn close(&self) -> OwnedRwLockWriteGuard<()> {
        Arc::clone(&self.0).write_owned().await
    }
}

impl Sink {
    pub fn send(&self, message: ServerMessage) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.messages.try_send(message) {
            self.cut.notify_one();
        }
    }

    /// Says goodbye to the client, behind whatever it was sent.
    pub fn goodbye(&self) {
        self.goodbye.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::keys::Input;
    use crate::wire::message::ReadMode;

    #[tokio::test(flavor = "current_thread")]
    async fn a_gate_that_is_closed_waits_for_what_types_and_lets_in_the_rest() {
        let send = Request::Send { name: "a".into(), input: vec![Input::Text("x".into())], enter: false };
        let (name, mode) = ("a".to_owned(), ReadMode::Output);
        let read = Request::Read { name, since: None, tail: None, wait_ms: 0, mode, seen: None };
        let (gate, (sink, _source)) = (Gate::default(), sink());
        let typing = gate.admit(sink.clone(), 1, &send).expect("it is open");
        let mut closing = std::pin::pin!(gate.close());
        let closed = tokio::time::timeout(std::time::Duration::ZERO, &mut closing).await;
        assert!(closed.is_err(), "one types still");
        assert!(gate.admit(sink.clone(), 2, &send).is_none());
        assert!(gate.admit(sink.clone(), 3, &read).is_some());
        typing.answered();
        let _closed = closing.await;
        assert!(gate.admit(sink, 4, &send).is_none(), "it stays closed");
    }
}
