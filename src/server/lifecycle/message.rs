//! What the machine of lives is told.
//!
//! Values only; `hub/message.rs` joins them with those of the other machines.

use crate::core::agent::AgentSpec;
use crate::core::policy::Policy;
use crate::core::terminal::history::History;
use crate::server::hub::replies::Caller;
use crate::server::remembered::OpenQuestion;
use crate::session::message::{AgentKey, AskKey, ClientKey, Sight};
use crate::wire::message::NextPane;
use crate::wire::stopped::Stopped;

use super::failed::FailedStart;

#[derive(Debug)]
pub enum ToLifecycle {
    Start {
        from: Caller,
        spec: Box<AgentSpec>,
        policy: Box<Policy>,
    },
    /// Somebody could not start it: it is listed with the cause.
    NotStarted {
        from: Caller,
        failed: Box<FailedStart>,
    },
    /// One that could not be started is to be tried again.
    TryAgain {
        from: Caller,
        name: String,
    },
    Stop {
        from: Caller,
        agents: Vec<AgentKey>,
        /// Those that could not be started: they are taken off the list.
        failed: Vec<String>,
        grace_ms: u64,
        then_exit: bool,
    },
    Restart {
        from: Caller,
        agent: AgentKey,
    },
    Signal {
        from: Caller,
        agent: AgentKey,
        signal: String,
    },
    Pause {
        from: Caller,
        names: Vec<String>,
        pause: bool,
    },
    /// It ends with no other process any more.
    Release {
        from: Caller,
        agent: AgentKey,
    },
    Replace(Caller),
    /// This session has told all that came before it was asked.
    Barrier(AgentKey),
    /// How large a client would show one that is started now; `None`: it has left.
    NextPane {
        client: ClientKey,
        next: Option<NextPane>,
    },
    Started(AgentKey, Box<Begun>),
    StartFailed {
        agent: AgentKey,
        why: String,
    },
    See(AgentKey, Box<Sight>),
    Typed {
        agent: AgentKey,
        typed: u64,
    },
    /// Its keeper is to hold this for the next server.
    Remember {
        agent: AgentKey,
        open: Vec<OpenQuestion>,
        /// See `Remembered`.
        consent: bool,
    },
    FirstPromptReady(AgentKey),
    /// It was put a question: not before it is seen again can it be put another.
    NotReady(AgentKey),
    Stopped {
        agent: AgentKey,
        running: Vec<u32>,
    },
    Continued(AgentKey),
    Exited {
        agent: AgentKey,
        code: i32,
    },
    Swept {
        agent: AgentKey,
        left: Vec<u32>,
        kept: Vec<u32>,
    },
    KeeperLost(AgentKey),
    SessionEnded(AgentKey),
    Retired(AgentKey, Box<History>),
    Memory {
        agent: AgentKey,
        kib: u64,
    },
    /// Starts a consultant for a question, which it is asked then.
    StartStandby {
        ask: AskKey,
        asker: AgentKey,
        name: String,
    },
    StopIdle(AgentKey),
    /// Off the list for good.
    Remove(AgentKey),
    /// The same, once everybody else has let go of it.
    Drop {
        agent: AgentKey,
        remains: Box<Stopped>,
    },
    ListFailed(Box<FailedStart>),
    RestartDue(AgentKey),
    /// The process that it is to end with has ended.
    TieCut(AgentKey),
    /// Its keeper should have swept up after it by now.
    SweepDue(AgentKey),
    /// The server ends; agents live on with their keepers.
    End,
}

/// What a session tells of an agent's beginning.
#[derive(Debug)]
pub struct Begun {
    pub pid: u32,
    pub keeper: u32,
    pub token: String,
    pub place: Option<String>,
    pub stopped: bool,
}
