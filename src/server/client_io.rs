//! One pair of tasks per client: requests up, messages down.
//!
//! Started by the server's loop for every accepted connection. A client that does not read is dropped,
//! never waited for; it may come back.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::mpsc::{Receiver, Sender};

use crate::os::{proc, socket};
use crate::wire::{ClientMessage, Decoder, Notice, Request, ServerMessage, Taken, encode};

use super::effect::{ClientKey, Event};

/// Messages that may wait for a client. Pictures are limited by their own credit, so this many notices
/// unread is a client that has stopped.
pub const MAX_MESSAGES: usize = 1024;
/// Generations of ancestors looked at to learn whether a client was started by an agent.
const MAX_ANCESTORS: usize = 64;

/// The connecting process and its ancestors, nearest first; `None` for a stranger to this user.
pub fn who(stream: &UnixStream) -> Option<Vec<u32>> {
    let peer = socket::peer(stream).ok().filter(|peer| peer.is_us())?;
    let mut pids: Vec<u32> = Vec::new();
    let mut next = peer.pid;
    while let Some(pid) = next.filter(|pid| *pid > 1 && pids.len() < MAX_ANCESTORS && !pids.contains(pid)) {
        pids.push(pid);
        next = proc::look(pid).map(|process| process.parent);
    }
    Some(pids)
}

/// A request of a later version is one that is refused; the client waits for its reply.
fn known(taken: Taken<ClientMessage>) -> ClientMessage {
    match taken {
        Taken::Message(message) => message,
        Taken::Foreign(value) => ClientMessage {
            id: value.get("id").and_then(serde_json::Value::as_u64).unwrap_or_default(),
            request: Request::Foreign,
        },
    }
}

/// Serves one client until it leaves, is dropped, or the server ends.
pub async fn run(
    client: ClientKey,
    stream: UnixStream,
    events: Sender<Event>,
    messages: Receiver<ServerMessage>,
) {
    let (mut from_client, to_client) = stream.into_split();
    let writer = tokio::spawn(write(client, to_client, events.clone(), messages));
    let mut decoder = Decoder::default();
    let mut buffer = vec![0; 64 * 1024];
    'connection: while let Ok(n @ 1..) = from_client.read(&mut buffer).await {
        decoder.push(&buffer[..n]);
        loop {
            match decoder.take_any().map(|taken| taken.map(known)) {
                Ok(Some(ClientMessage { id, request })) => {
                    if events.send(Event::Request { client, id, request }).await.is_err() {
                        break 'connection;
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(client = client.0, %error, "dropped a client");
                    break 'connection;
                }
            }
        }
    }
    writer.abort();
    let _ = events.send(Event::Left { client }).await;
}

async fn write(
    client: ClientKey,
    mut stream: tokio::net::unix::OwnedWriteHalf,
    events: Sender<Event>,
    mut messages: Receiver<ServerMessage>,
) {
    while let Some(message) = messages.recv().await {
        let picture = matches!(message, ServerMessage::Notice(Notice::Picture { .. }));
        if stream.write_all(&encode(&message)).await.is_err() {
            return;
        }
        if picture && events.send(Event::Flushed { client }).await.is_err() {
            return;
        }
    }
    // The channel closed: the server drops this client, and the reader must see it.
    let _ = stream.shutdown().await;
}
