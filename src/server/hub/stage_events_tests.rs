//! What happens to the staged server, and what it does.

use super::*;
use crate::server::effect::ConsultRun;
use crate::session::message::JournalPart;
use crate::wire::keeper::{FromKeeper, ToKeeper};

/// What happens to the server.
#[allow(dead_code)]
#[derive(Debug)]
pub enum Event {
    Started {
        agent: AgentKey,
        start: Started,
    },
    StartFailed {
        agent: AgentKey,
        why: String,
    },
    Output {
        agent: AgentKey,
        bytes: Vec<u8>,
    },
    Keeper {
        agent: AgentKey,
        message: FromKeeper,
    },
    KeeperLost {
        agent: AgentKey,
    },
    /// Its task was ended by something else than the hub.
    SessionEnded {
        agent: AgentKey,
    },
    Resized {
        agent: AgentKey,
        size: Size,
    },
    PersonTyped {
        agent: AgentKey,
    },
    Joined {
        client: ClientKey,
        pids: Vec<u32>,
    },
    Request {
        client: ClientKey,
        id: u64,
        request: Request,
    },
    Flushed {
        client: ClientKey,
    },
    Left {
        client: ClientKey,
    },
    Context {
        ask: AskKey,
        files: Vec<(String, String)>,
        secrets: Vec<String>,
    },
    Consulted {
        ask: AskKey,
        turn: u32,
        said: Result<String, String>,
    },
    Logged {
        ask: AskKey,
    },
    Wake,
}

/// What the server does. Whole, as a record of it, whatever a test looks at.
#[allow(dead_code)]
#[derive(Debug)]
pub enum Effect {
    Spawn { agent: AgentKey, spec: Box<AgentSpec>, size: Size },
    Write { agent: AgentKey, bytes: Vec<u8> },
    Resize { agent: AgentKey, size: Size },
    Keeper { agent: AgentKey, message: ToKeeper },
    Journal { agent: AgentKey, parts: Vec<JournalPart> },
    Record { agent: AgentKey },
    EndOrphans { agent: AgentKey, keeper: u32 },
    EndKeeper { keeper: u32, overdue: bool },
    Forget { agent: AgentKey },
    Send { client: ClientKey, message: Box<ServerMessage> },
    Consult { ask: AskKey, turn: u32, run: ConsultRun },
    CancelConsult { ask: AskKey },
    Append { ask: AskKey, entry: Box<Entry> },
    Notify { command: Vec<String>, json: String },
    MeasureMemory { agent: AgentKey },
    WatchTie { agent: AgentKey, pid: u32 },
    ReadContext { ask: AskKey },
    Exit,
}

/// What is still to be handed on.
pub enum Step {
    Hub(crate::server::effect::Event),
    Session(AgentKey, ToSession),
    Feed(AgentKey, Vec<u8>),
    /// Behind the orders given before it.
    Drop(AgentKey),
}
