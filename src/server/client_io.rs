//! One pair of tasks per client: requests up, messages down.
//!
//! Started by the executor for every accepted connection. Keys and whatever else concerns one agent alone go to
//! that agent's session straight from here; the hub has the rest. A client that does not read is cut off, never
//! waited for; it may come back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::net::UnixStream;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until};

use crate::core::terminal::grid::Size;
use crate::os::socket;
use crate::session::mailbox::{Directory, Gate, Handle, Mail, Sink, Source};
use crate::session::message::{AgentKey, ClientKey};
use crate::wire::message::{Pane, Reply};
use crate::wire::{Begun, ClientMessage, Decoder, Notice, Request, ServerMessage, Taken, encode};

use super::begun_lines::{BegunLines, Sorted};
use super::effect::Event;
use super::frame_room::{Part, SMALL, WITHIN};
use super::peer::Peer;
use super::standing::{Standing, acts, no_agent, of_session, permitted};

/// A paste comes in a few reads, a key in one.
const READ_BYTES: usize = 16 * 1024;
/// Exit code of the contract.
const FAILED: u8 = 1;
/// Messages written at once: what a busy hub says in one step.
const BATCH_BYTES: usize = 256 * 1024;

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

/// What a client's tasks know.
pub struct Client {
    pub key: ClientKey,
    pub peer: Peer,
    pub sink: Sink,
    /// What it may do, once its hello was heard.
    pub standing: watch::Receiver<Option<Standing>>,
    pub directory: watch::Receiver<Directory>,
    pub events: Sender<Event>,
    pub gate: Gate,
}

/// The agents a client shows: the size it shows each at, and the session that was told so.
#[derive(Default)]
struct Watching {
    wanted: BTreeMap<String, Option<Size>>,
    told: BTreeMap<String, (AgentKey, Option<Size>)>,
}

/// Serves one client until it leaves, is cut off, or the server ends.
pub async fn run(client: Client, stream: UnixStream, source: Source) {
    let (key, events, directory) = (client.key, client.events.clone(), client.directory.clone());
    let stream = match stream.into_std().and_then(socket::Watched::new) {
        Ok(stream) => Arc::new(stream),
        Err(error) => {
            tracing::warn!(client = key.0, %error, "dropped a client");
            let _ = events.send(Event::Left { client: key }).await;
            return;
        }
    };
    let Source { messages, cut, goodbye } = source;
    let writer = tokio::spawn(write(key, Arc::clone(&stream), directory, messages, goodbye));
    let mut connection = Connection {
        client,
        watching: Watching::default(),
        only: None,
        spoken_to: BTreeSet::new(),
        refused: BTreeSet::new(),
        lines: BegunLines::default(),
    };
    let mut decoder = Decoder::default();
    // The room of a frame that is not whole, until when it may be so, and what it is.
    let mut large: Option<(Part, Instant, Begun)> = None;
    loop {
        let overdue = large.as_ref().map(|(_, until, _)| *until);
        tokio::select! {
            // After a goodbye too: what it had typed before it heard that is typed.
            read = stream.read(decoder.room(READ_BYTES)) => {
                let Ok(n @ 1..) = read else { break };
                decoder.received(n);
                connection.client.peer.read(n).await;
                if !connection.take_all(&mut decoder).await || !connection.find_room(&mut decoder, &mut large) {
                    break;
                }
            }
            () = sleep_until(overdue.unwrap_or_else(Instant::now)), if overdue.is_some() => {
                let Some((_, _, begun)) = large.take() else { continue };
                let why = format!("a message of {} bytes was not whole within {} s", begun.length, WITHIN.as_secs());
                if !connection.throw_away(&mut decoder, begun, why) {
                    break;
                }
            }
            changed = connection.client.directory.changed() => {
                if changed.is_err() {
                    break;
                }
                connection.follow().await;
            }
            () = cut.notified() => {
                if connection.client.peer.was_person() {
                    tracing::warn!(client = key.0, "dropped a client that does not read");
                }
                break;
            }
        }
    }
    writer.abort();
    connection.leave().await;
    let _ = events.send(Event::Left { client: key }).await;
}

struct Connection {
    client: Client,
    watching: Watching,
    /// The one call whose agent its names mean.
    only: Option<u64>,
    /// The agents whose sessions know of this client.
    spoken_to: BTreeSet<String>,
    /// Whose keys were refused in this read: a paste is as many keys as it has letters, and one refusal says it.
    refused: BTreeSet<String>,
    lines: BegunLines,
}

impl Connection {
    /// Passes on every whole message; `false`: the client is to be parted from.
    async fn take_all(&mut self, decoder: &mut Decoder) -> bool {
        self.refused.clear();
        loop {
            match decoder.take_any().map(|taken| taken.map(known)) {
                Ok(Some(ClientMessage { id, request })) => {
                    if !self.request(id, request).await {
                        return false;
                    }
                }
                Ok(None) => return true,
                Err(error) => {
                    // Of an agent's it is no news: the log would be full of them.
                    if self.client.peer.was_person() {
                        tracing::warn!(client = self.client.key.0, %error, "dropped a client");
                    } else {
                        tracing::debug!(client = self.client.key.0, %error, "dropped a client");
                    }
                    return false;
                }
            }
        }
    }

    /// Asks for the room that a long frame takes until it is whole; `false`: the client is to be parted from.
    fn find_room(&self, decoder: &mut Decoder, large: &mut Option<(Part, Instant, Begun)>) -> bool {
        let Some(begun) = decoder.begun().filter(|begun| begun.length > SMALL) else {
            *large = None;
            return true;
        };
        if large.as_ref().is_some_and(|(_, _, known)| *known == begun) {
            return true;
        }
        *large = None;
        let standing = *self.client.standing.borrow();
        match self.client.peer.frame_room(standing, begun.length) {
            Ok(part) => *large = Some((part, Instant::now() + WITHIN, begun)),
            Err(why) => return self.throw_away(decoder, begun, why),
        }
        true
    }

    /// The rest of a frame is not kept, and its client told why; one that waits for no reply is parted from.
    fn throw_away(&self, decoder: &mut Decoder, begun: Begun, why: String) -> bool {
        decoder.skip();
        tracing::debug!(client = self.client.key.0, why, "threw a message away");
        begun.id.map(|id| self.reply(id, Reply::error(FAILED, why))).is_some()
    }

    async fn request(&mut self, id: u64, request: Request) -> bool {
        let client = self.client.key;
        self.client.peer.asked().await;
        if let Request::Watch { panes } = request {
            let reply = match self.permitted(&Request::Watch { panes: Vec::new() }, None) {
                Ok(()) => self.watch(panes).await,
                Err(refusal) => refusal,
            };
            self.reply(id, reply);
            return true;
        }
        if let Request::Restart { name } = &request {
            // Whoever does that is in the middle of no line.
            self.lines.forget(name);
        }
        let Some(name) = of_session(&request) else {
            return self.of_the_hub(id, request).await;
        };
        let keys = matches!(request, Request::Keys { .. });
        let name = name.to_owned();
        let handle = self.session_of(&name);
        let named = handle.as_ref().map(|handle| handle.agent);
        let refusal = self.permitted(&request, named).and_then(|()| self.proved(&request)).err();
        self.spoken_to.insert(name.clone());
        let request = if refusal.is_none() { self.of_this_life(named, request) } else { Some(request) };
        let Some(request) = request else { return true };
        let reply = match (refusal, handle) {
            (Some(refusal), _) => refusal,
            // Keys have no reply that the hub could give.
            (None, None) if keys => no_agent(&name),
            // The hub knows what could not be started, and why.
            (None, None) => {
                return self.client.events.send(Event::Request { client, id, request }).await.is_ok();
            }
            (None, Some(handle)) => {
                // A session that has gone meanwhile leaves the answer to what it was sent.
                if self.mail(&handle, id, request).await || !keys {
                    return true;
                }
                no_agent(&name)
            }
        };
        match reply {
            // Keys have no reply: only that they were not typed is told.
            Reply::Error { message, .. } if keys => {
                if self.refused.insert(name.clone()) {
                    self.client.sink.send(ServerMessage::Notice(Notice::KeysRefused { name, message }));
                }
            }
            reply => self.reply(id, reply),
        }
        true
    }

    async fn of_the_hub(&mut self, id: u64, request: Request) -> bool {
        if let Err(refusal) = self.proved(&request) {
            self.reply(id, refusal);
            return true;
        }
        if let Request::Only { call } = request {
            self.only = Some(call);
        }
        let (client, hello) = (self.client.key, matches!(request, Request::Hello { .. }));
        let sent = self.client.events.send(Event::Request { client, id, request }).await.is_ok();
        // Nothing else is looked at before it is known what it may do.
        sent && (!hello || self.client.standing.changed().await.is_ok())
    }

    /// The session of this name; another agent that has the name is not there for who means one call's alone.
    fn session_of(&self, name: &str) -> Option<Handle> {
        let handle = self.client.directory.borrow().get(name).cloned();
        handle.filter(|handle| self.only.is_none_or(|call| handle.call == Some(call)))
    }

    /// Leaves out the rest of a line that another life of the agent has got the beginning of; `None`: that was all.
    fn of_this_life(&mut self, life: Option<AgentKey>, request: Request) -> Option<Request> {
        let Request::Keys { name, input } = request else { return Some(request) };
        let Sorted { goes, cut } = self.lines.sort(&name, life, input);
        if let Some(over) = cut.filter(|over| *over || self.refused.insert(name.clone())) {
            self.client.sink.send(ServerMessage::Notice(Notice::LineCut { name: name.clone(), over }));
        }
        (!goes.is_empty()).then_some(Request::Keys { name, input: goes })
    }

    /// Whether the session has it, or is not to have it.
    async fn mail(&self, handle: &Handle, id: u64, request: Request) -> bool {
        let client = self.client.key;
        // What this server types no more its client hears of when it goes.
        let Some(asked) = self.client.gate.admit(self.client.sink.clone(), id, &request) else { return true };
        handle.mail.send(Mail::Request { client, asked, request }).await.is_ok()
    }

    fn permitted(&self, request: &Request, named: Option<AgentKey>) -> Result<(), Reply> {
        permitted(self.client.standing.borrow().unwrap_or(Standing::Stranger), request, named)
    }

    /// Whoever was a person when it said hello must be one still.
    fn proved(&mut self, request: &Request) -> Result<(), Reply> {
        let person = *self.client.standing.borrow() == Some(Standing::Person);
        if person && acts(request) { self.client.peer.is_person() } else { Ok(()) }
    }

    fn reply(&self, id: u64, reply: Reply) {
        self.client.sink.send(ServerMessage::Reply { id, reply });
    }

    async fn watch(&mut self, panes: Vec<Pane>) -> Reply {
        self.watching.wanted = panes.into_iter().map(|pane| (pane.name, pane.size)).collect();
        self.follow().await;
        Reply::Done
    }

    /// Tells the sessions that are there now what this client shows of them. An agent that was started again has
    /// another session, and is shown on.
    async fn follow(&mut self) {
        let client = self.client.key;
        let directory = self.client.directory.borrow_and_update().clone();
        let Watching { wanted, told } = &mut self.watching;
        let stale: Vec<String> = told
            .iter()
            .filter(|(name, (agent, _))| {
                let there = directory.get(*name).is_some_and(|handle| handle.agent == *agent);
                !there || !wanted.contains_key(*name)
            })
            .map(|(name, _)| name.clone())
            .collect();
        for name in stale {
            let agent = told.remove(&name).map(|(agent, _)| agent);
            if let Some(handle) = directory.get(&name).filter(|handle| Some(handle.agent) == agent) {
                let _ = handle.mail.send(Mail::Unwatch { client }).await;
            }
        }
        for (name, size) in wanted {
            let Some(handle) = directory.get(name) else { continue };
            if told.get(name) == Some(&(handle.agent, *size)) {
                continue;
            }
            let mail = Mail::Watch { client, sink: self.client.sink.clone(), size: *size };
            self.spoken_to.insert(name.clone());
            if handle.mail.send(mail).await.is_ok() {
                told.insert(name.clone(), (handle.agent, *size));
            }
        }
    }

    async fn leave(&mut self) {
        let directory = self.client.directory.borrow().clone();
        for handle in self.spoken_to.iter().filter_map(|name| directory.get(name)) {
            let _ = handle.mail.send(Mail::Left { client: self.client.key }).await;
        }
    }
}

async fn write(
    client: ClientKey,
    stream: Arc<socket::Watched>,
    directory: watch::Receiver<Directory>,
    mut messages: Receiver<ServerMessage>,
    goodbye: Arc<Notify>,
) {
    let mut batch = Vec::new();
    let mut shown: Vec<String> = Vec::new();
    loop {
        let message = tokio::select! {
            biased;
            message = messages.recv() => message,
            () = goodbye.notified() => None,
        };
        // Nobody has anything to say to this client any more, and its reader must see it.
        let Some(message) = message else { return stream.end_writing() };
        let mut next = Some(message);
        while let Some(message) = next {
            batch.extend(encode(&message));
            if let ServerMessage::Notice(Notice::Picture { name, .. }) = message {
                shown.push(name);
            }
            next = if batch.len() < BATCH_BYTES { messages.try_recv().ok() } else { None };
        }
        if stream.write_all(&batch).await.is_err() {
            return;
        }
        batch.clear();
        for name in shown.drain(..) {
            let handle = directory.borrow().get(&name).cloned();
            if let Some(handle) = handle {
                let _ = handle.mail.send(Mail::Flushed { client }).await;
            }
        }
    }
}
