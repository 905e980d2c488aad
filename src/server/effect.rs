//! Every arrow into and out of the hub: events up, effects down. Nothing else passes between the
//! pure half of the server and the tasks that touch the world.

use std::collections::BTreeMap;

use crate::core::agent::AgentSpec;
use crate::core::log::log_entry::Entry;
use crate::core::policy::Policy;
use crate::core::terminal::grid::Size;
use crate::wire::keeper::{FromKeeper, ToKeeper};
use crate::wire::message::{Request, ServerMessage};

/// An agent for as long as the server lives; a name may be given again, a key never is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentKey(pub u64);

/// A connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientKey(pub u64);

/// A question, for as long as the server lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AskKey(pub u64);

/// The two clocks, read once per step by the server's loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Now {
    /// Monotonic, from an arbitrary start.
    pub ms: u64,
    /// Wall clock, for people and for the log.
    pub unix_ms: u64,
}

/// What the hub learns.
#[derive(Debug)]
pub enum Event {
    /// The agent's keeper is up, or was found running by a new server.
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
    /// The link to the keeper broke: the keeper is dead.
    KeeperLost {
        agent: AgentKey,
    },
    /// Everything the agent had printed when this was asked for has been told.
    Drained {
        agent: AgentKey,
        /// Its terminal still collects what is typed to lines.
        lines: bool,
    },
    /// More was to be written than the queue holds; the bytes were not taken.
    WriteRefused {
        agent: AgentKey,
    },
    /// The program's terminal has this size now, whatever was ordered.
    Resized {
        agent: AgentKey,
        size: Size,
    },
    /// A person typed into the program's terminal without counsel between.
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
    /// A message with a picture has left for this client.
    Flushed {
        client: ClientKey,
    },
    Left {
        client: ClientKey,
    },
    Context {
        ask: AskKey,
        files: Vec<(String, String)>,
        /// Values that must not be told.
        secrets: Vec<String>,
    },
    /// A command consultant has ended.
    Consulted {
        ask: AskKey,
        turn: u32,
        said: Result<String, String>,
    },
    /// The question's entry is on the disk, or cannot be written: clients may be told how it ended.
    Logged {
        ask: AskKey,
    },
    /// A file could not be written: the log or a recording.
    Trouble {
        what: String,
    },
    Memory {
        agent: AgentKey,
        kib: u64,
    },
    Wake,
    /// The server was told to end (SIGTERM); agents live on with their keepers.
    Leave,
}

/// What is known of an agent once its keeper answers.
#[derive(Debug, Clone, Default)]
pub struct Started {
    pub pid: u32,
    pub keeper: u32,
    /// What this agent proves itself with.
    pub token: String,
    /// What an earlier server had seen of it, as its journal tells.
    pub journal: Vec<JournalPart>,
    /// What that server had read besides, and perhaps answered.
    pub output_log: Vec<u8>,
    /// How many bytes the agent had printed where `output_log` ends.
    pub at: u64,
    /// Output the keeper held while no server was there, oldest first.
    pub backlog: Vec<u8>,
    pub stopped: bool,
    pub exited: Option<i32>,
    pub size: Option<Size>,
    /// In place of output nobody kept: what draws the screen as it stands, piece by piece.
    pub restored: Vec<Vec<u8>>,
    /// How a person reaches its terminal without counsel.
    pub place: Option<String>,
    /// An agent of an earlier server: its screen is rebuilt by a redraw.
    pub adopted: bool,
}

/// One thing that happened to a screen, as journals keep it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalPart {
    /// A file begins: how much was printed before, the number of the first line of the screen, and what draws
    /// that screen.
    Begin {
        at: u64,
        line: u64,
        size: Size,
        seed: Vec<u8>,
    },
    Output(Vec<u8>),
    Resized(Size),
    /// What counsel has put into the input line and not sent yet; empty: nothing.
    Draft(String),
}

/// What the hub wants done. None of them is waited for.
#[derive(Debug)]
pub enum Effect {
    Spawn {
        agent: AgentKey,
        spec: Box<AgentSpec>,
        policy: Box<Policy>,
        size: Size,
        /// It is given counsel's hooks.
        hooks: bool,
    },
    Write {
        agent: AgentKey,
        bytes: Vec<u8>,
    },
    /// Read whatever the agent has printed up to now; `Event::Drained` comes behind it. A key that commits is
    /// sent in the very step that follows: on a machine that stalls, the screen the hub knows may be old.
    Drain {
        agent: AgentKey,
    },
    Resize {
        agent: AgentKey,
        size: Size,
    },
    Keeper {
        agent: AgentKey,
        message: ToKeeper,
    },
    /// The keeper was killed: end what it kept. A `Swept` comes, as from a keeper.
    EndOrphans {
        agent: AgentKey,
        keeper: u32,
        token: String,
    },
    /// The agent is gone for good: close its PTY and let its keeper leave.
    Forget {
        agent: AgentKey,
    },
    Send {
        client: ClientKey,
        message: Box<ServerMessage>,
    },
    Part {
        client: ClientKey,
    },
    ReadContext {
        ask: AskKey,
        cwd: String,
        patterns: Vec<String>,
        max_bytes: usize,
    },
    Consult {
        ask: AskKey,
        /// Comes back with what it says.
        turn: u32,
        run: ConsultRun,
    },
    /// The command consultant is no longer wanted: its whole tree ends.
    CancelConsult {
        ask: AskKey,
    },
    /// `Event::Logged` comes when it is on the disk.
    Append {
        ask: AskKey,
        entry: Box<Entry>,
    },
    Notify {
        command: Vec<String>,
        json: String,
    },
    /// A recording that somebody asks for, or its end; `seed` draws the screen as it stands.
    Record {
        agent: AgentKey,
        path: Option<String>,
        size: Size,
        seed: Vec<u8>,
    },
    /// The recording that each agent gets by itself.
    RecordAlways {
        agent: AgentKey,
        name: String,
        size: Size,
        seed: Vec<u8>,
        max_bytes: u64,
    },
    Recorded {
        agent: AgentKey,
        bytes: Vec<u8>,
    },
    /// Go to the agent's journal, from which a later server rebuilds its screen.
    Journal {
        agent: AgentKey,
        parts: Vec<JournalPart>,
    },
    RecordedSize {
        agent: AgentKey,
        size: Size,
    },
    MeasureMemory {
        agent: AgentKey,
        pid: u32,
    },
    Exit,
}

/// A consultant that is a command, with what it reads on stdin.
#[derive(Debug, Clone)]
pub struct ConsultRun {
    pub command: Vec<String>,
    pub cwd: String,
    pub env: BTreeMap<String, String>,
    pub stdin: String,
    /// Milliseconds it may take.
    pub timeout_ms: u64,
}
