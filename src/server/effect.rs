//! Every arrow into and out of the hub: events up, effects down. Nothing else passes between the
//! pure half of the server and the tasks that touch the world.

use std::collections::BTreeMap;

use crate::core::agent::{AgentSpec, Tie};
use crate::core::ancestry::Verdict;
use crate::core::log::log_entry::Entry;
use crate::core::policy::notify::QuietHours;
use crate::core::policy::{Policy, Protocol};
use crate::core::trust::Agreed;
use crate::session::Setup;
use crate::session::message::{AgentKey, AskKey, ClientKey, News, Order};
use crate::wire::message::{Request, ServerMessage};

use super::standing::Standing;

/// What the hub learns.
#[derive(Debug)]
pub enum Event {
    News {
        agent: AgentKey,
        news: News,
    },
    Joined {
        client: ClientKey,
        /// What its ancestors say.
        verdict: Verdict,
    },
    Request {
        client: ClientKey,
        id: u64,
        request: Request,
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
    /// The question's entry is on the disk, or cannot be written: clients may be told how it ended. Comes once more when an entry
    /// that could not be written is.
    Logged {
        ask: AskKey,
        written: bool,
    },
    /// The link that the path of the file leads over which this question asks to change, if there is one.
    PathLooked {
        ask: AskKey,
        link: Option<String>,
    },
    /// Whether the log has room for the entry of this question, or why it has not.
    LogReserved {
        ask: AskKey,
        done: Result<(), String>,
    },
    /// Nobody was called because of it: these are quiet hours, and so many milliseconds of them are left.
    Quiet {
        ask: AskKey,
        left_ms: u64,
    },
    /// What was done for an agent's session, and it is to know.
    ForSession {
        agent: AgentKey,
        order: Box<Order>,
    },
    /// What the log ends with.
    LogHead {
        client: ClientKey,
        id: u64,
        log: String,
        head: Option<String>,
        /// Entries that the disk has not taken.
        waiting: usize,
    },
    /// A file could not be written: the log or a recording.
    Trouble {
        what: String,
    },
    Memory {
        agent: AgentKey,
        kib: u64,
    },
    /// The process that this agent is to end with has ended.
    TieCut {
        agent: AgentKey,
    },
    Wake,
    /// The server was told to end (SIGTERM); agents live on with their keepers.
    Leave,
}

/// What the hub wants done. None of them is waited for.
#[derive(Debug)]
pub enum Effect {
    /// Make a session, and start its agent.
    Spawn {
        agent: AgentKey,
        spec: Box<AgentSpec>,
        policy: Box<Policy>,
        setup: Box<Setup>,
        /// It is given counsel's hooks.
        hooks: bool,
    },
    /// To the agent's session.
    Order {
        agent: AgentKey,
        order: Box<Order>,
    },
    /// Say when that process has ended.
    WatchTie {
        agent: AgentKey,
        tie: Tie,
    },
    /// The keeper was killed: end what it kept. A `Swept` comes, as from a keeper.
    EndOrphans {
        agent: AgentKey,
        keeper: u32,
        token: String,
    },
    /// The keeper does not carry out a stop: end what it keeps, and then it. Its line closes, and that is heard.
    EndKeeper {
        keeper: u32,
        token: String,
        /// Also where it does not stand still.
        overdue: bool,
    },
    /// The agent is gone for good: close its PTY and let its keeper leave.
    Forget {
        agent: AgentKey,
    },
    /// What this client may do from now on, decided by its hello.
    Admit {
        client: ClientKey,
        standing: Standing,
    },
    Send {
        client: ClientKey,
        message: Box<ServerMessage>,
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
    /// Whoever asks is told what the log ends with, once all before has been written. `Event::LogHead` brings it.
    LogHead {
        client: ClientKey,
        id: u64,
    },
    /// Whether a file lies where its path says. `Event::PathLooked` says so.
    LookAtPath {
        ask: AskKey,
        cwd: String,
        path: String,
    },
    /// Room for its entry in the log. `Event::LogReserved` says whether there is any.
    ReserveLog {
        ask: AskKey,
    },
    /// `Event::Logged` comes when it is on the disk.
    Append {
        ask: AskKey,
        entry: Box<Entry>,
    },
    /// `Event::Quiet` comes if a person is to be left alone now.
    AskWhetherQuiet {
        ask: AskKey,
        quiet_hours: QuietHours,
    },
    /// Or else the command runs.
    Notify {
        ask: AskKey,
        command: Vec<String>,
        json: String,
        /// The folder of the agent that asks: whose project it is. Empty: one that no agent can write.
        cwd: String,
        /// Not while these last, by the time where the server runs.
        quiet_hours: Option<QuietHours>,
        /// What it may run, where a project describes it.
        agreed: Option<Box<Agreed>>,
    },
    MeasureMemory {
        agent: AgentKey,
        pid: u32,
    },
    Exit,
}

/// Puts the effects from place `from` on before the first that has an answer typed for this agent. Its keeper is to hold
/// word of the answer by the first key: the server may be killed behind that.
pub fn put_before_typing(effects: &mut Vec<Effect>, from: usize, agent: AgentKey) {
    let types = |effect: &Effect| {
        matches!(effect, Effect::Order { agent: into, order }
            if *into == agent && matches!(**order, Order::Deliver(_)))
    };
    let notes = effects.split_off(from);
    let first = effects.iter().position(types).unwrap_or(from);
    effects.splice(first..first, notes);
}

/// A consultant that is a program, with what it is told.
#[derive(Debug, Clone)]
pub struct ConsultRun {
    pub command: Vec<String>,
    pub protocol: Protocol,
    /// The asking agent's folder. Empty: a folder that no agent can write, and the server's environment.
    pub cwd: String,
    pub env: BTreeMap<String, String>,
    pub prompt: String,
    /// What it may run, where a project describes it.
    pub agreed: Option<Agreed>,
}
