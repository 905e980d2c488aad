//! Everything that passes between a session and the world: what reaches it, the hub's orders, its news, and what
//! it wants done.
//!
//! Values only. The hub and the task of a session speak them; nobody else makes one.

use crate::core::deliver::Proof;
use crate::core::detect::Step;
use crate::core::detect::front::Front;
use crate::core::detect::witness::Witness;
use crate::core::hook::Asked;
use crate::core::question::{Answer, Fingerprint, Question};
use crate::core::terminal::grid::Size;
use crate::core::terminal::history::History;
use crate::wire::keeper::{FromKeeper, ToKeeper};
use crate::wire::message::{Reply, Request, ServerMessage, WaitFor};

pub use super::sight::{Sight, TypedLine};

/// An agent for as long as the server lives; a name may be given again, a key never is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentKey(pub u64);

/// A connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientKey(pub u64);

/// A question, for as long as the server lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AskKey(pub u64);

/// The two clocks, read once per step by whoever runs a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Now {
    /// Monotonic, from an arbitrary start that the hub and all sessions share.
    pub ms: u64,
    /// Wall clock, for people and for the log.
    pub unix_ms: u64,
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
    /// Its keeper tells when a signal has been sent.
    pub tells_signals: bool,
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
    /// Output that nobody could read; it counts as one byte.
    Missed,
    Resized(Size),
    /// What counsel has put into the input line and not sent yet; empty: nothing.
    Draft(String),
}

/// What reaches a session, output aside (`Session::feed`).
#[derive(Debug)]
pub enum Input {
    /// The agent's keeper is up, or was found running by a new server.
    Started(Box<Started>),
    Keeper(FromKeeper),
    /// The link to the keeper broke: the keeper is dead.
    KeeperLost,
    /// Everything the agent had printed when this was asked for has been fed.
    Drained {
        /// Its terminal still collects what is typed to lines.
        canonical: bool,
    },
    /// Some of its output could not be read; what is fed next draws what its terminal shows.
    Missed,
    /// What was typed and not read yet was thrown away.
    InputFlushed,
    /// Output may have been kept from counsel, or drawn where it cannot be read (`session/pty.rs`).
    Disturbed,
    /// Who would take a key, looked at right before `Drained`.
    InFront(Front),
    /// Who reads its terminal, as `Output::LookAtReader` asked or before a key goes to a line.
    Witnessed(Witness),
    /// More was to be written than the queue holds; the bytes were not taken.
    WriteRefused,
    /// What was written before an `Output::Confirm` was taken, or not all of it.
    Confirmed {
        taken: bool,
    },
    /// The program's terminal has this size now, whatever was ordered.
    Resized(Size),
    /// A person typed into the program's terminal without counsel between.
    PersonTyped,
    Order(Order),
    /// A client shows this agent; a size given takes part in deciding the agent's size.
    Watch {
        client: ClientKey,
        size: Option<Size>,
    },
    Unwatch {
        client: ClientKey,
    },
    /// A picture has left for this client.
    Flushed {
        client: ClientKey,
    },
    /// The client has gone.
    Left {
        client: ClientKey,
    },
    /// A request about this agent alone; whether it may be made was decided before.
    Request {
        client: ClientKey,
        id: u64,
        request: Request,
    },
    /// The time of `next_wake` has come.
    Wake,
}

/// What the hub wants of a session.
#[derive(Debug)]
pub enum Order {
    /// Type this answer into the dialog that asks this question, or say why not.
    Deliver(Box<DeliverOrder>),
    /// Type nothing more for this question. Answered by `News::Delivery` if something was being typed.
    Withdraw {
        ask: AskKey,
        /// Only if no key has been sent.
        untouched: bool,
    },
    /// This is being answered through a hook, and will go away without a key.
    AnsweredByHook(Box<Question>),
    /// Put a question to the consultant that runs here.
    Consult(Box<ConsultOrder>),
    Explain {
        client: ClientKey,
        id: u64,
        /// What the agent's hooks have told, if anything.
        hook: Option<HookStep>,
    },
    Keeper(ToKeeper),
    /// Answered once its keeper has sent it.
    Signal {
        client: ClientKey,
        id: u64,
        signal: String,
    },
    /// What became of `Output::Record`, by the thread that writes: `now` is the file it writes now. `to`: whoever asked, if
    /// anybody did.
    Recorded {
        to: Option<(ClientKey, u64)>,
        now: Option<String>,
        done: Result<(), String>,
    },
    /// The file of the recording that it gets by itself; none where it could not be begun.
    RecordedAlways(Option<String>),
    /// The first prompt may be typed.
    FirstPrompt,
    /// Answered behind all that came before.
    Barrier,
    /// Its name is started again: hand over what the successor goes on with.
    Retire,
}

/// An answer, and the question it is for.
#[derive(Debug)]
pub struct DeliverOrder {
    pub ask: AskKey,
    pub question: Question,
    /// Of the question as the screen showed it.
    pub fingerprint: Fingerprint,
    pub answer: Answer,
    /// What `Sight::typed` was when it was decided on: if anybody typed since, it is void.
    pub typed: u64,
    /// The committing key is sent by this time or not at all.
    pub until_ms: Option<u64>,
    /// A person's answer: it goes on in a list that scrolls under its arrows, and is typed as it is.
    pub follows: bool,
    /// The question as the program's hook told it, where no other one of its form has the same rows.
    pub told: Option<Asked>,
}

/// A question for the consultant of a pane.
#[derive(Debug)]
pub struct ConsultOrder {
    pub ask: AskKey,
    /// How the question is called in the reply, and what that must carry; then what is typed.
    pub id: String,
    pub nonce: String,
    pub question: Question,
    pub text: String,
}

/// What the agent's hooks have told, as a step of an explanation.
#[derive(Debug)]
pub struct HookStep {
    pub step: Step,
    /// They told of a form at all.
    pub form: bool,
}

/// What became of an answer that was to be typed.
#[derive(Debug, Clone, PartialEq)]
pub enum DeliveryOutcome {
    /// It is being typed.
    Begun,
    Done(Proof),
    /// It did not go in, or that it did cannot be shown.
    Failed(String),
    /// No key was sent.
    Refused(Refusal),
    /// The hub has taken it back.
    Withdrawn,
    /// The hub wanted it back untouched; keys were sent, and it goes on.
    Touched,
}

/// Why nothing was typed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the question is no longer the one on screen")]
    NotOnScreen,
    #[error("something else is being typed into that pane")]
    Busy,
    #[error("somebody typed into the pane")]
    Typed,
    #[error("the agent stands still")]
    Paused,
    /// The dialog does not take this answer.
    #[error("{0}")]
    Unfit(String),
}

/// What a session tells the hub, in the order in which it happened.
#[derive(Debug)]
pub enum News {
    Started {
        pid: u32,
        keeper: u32,
        token: String,
        place: Option<String>,
        stopped: bool,
    },
    /// The agent could not be started.
    StartFailed {
        why: String,
    },
    /// The agent's screen, or what is thought of it, has changed.
    Looked(Box<Sight>),
    /// Somebody typed; `choice`: what they chose in the dialog that was on the screen, as far as keys tell. `held`: the
    /// terminal keeps it until there is a line end, and the program knows nothing of it. `behind`: the key that sends an answer
    /// of ours went before, and is seen through to its end.
    Typed {
        typed: u64,
        person: bool,
        held: bool,
        behind: bool,
        choice: Option<Answer>,
    },
    /// `keys`: all that were sent for it so far.
    Delivery {
        ask: AskKey,
        outcome: DeliveryOutcome,
        keys: Vec<String>,
        /// The screen at that moment: what is to be seen of the question afterwards is decided by it.
        sight: Box<Sight>,
    },
    /// It could not be put there; `None`: the pane was not free, ask again.
    NotPut {
        ask: AskKey,
        why: Option<String>,
    },
    /// The consultant has said this.
    Replied {
        ask: AskKey,
        text: String,
    },
    Stopped {
        /// Processes that do not stop.
        running: Vec<u32>,
    },
    Continued,
    Exited {
        code: i32,
    },
    Swept {
        left: Vec<u32>,
        kept: Vec<u32>,
    },
    KeeperLost,
    Bell,
    /// It is ready for its first prompt, which is typed once `Order::FirstPrompt` has come.
    FirstPromptReady,
    /// A person should know.
    Notify(String),
    /// A `wait`, behind all that was typed before it.
    Wait {
        client: ClientKey,
        id: u64,
        what: WaitFor,
        timeout_ms: Option<u64>,
    },
    Retired {
        history: Box<History>,
    },
    /// Everything that came before `Order::Barrier` has been told.
    Barrier,
    /// Its task has ended, whether it was told to or not: nothing more comes of it.
    SessionEnded,
    /// A reply that the hub passes on: behind all it was told before, or to a client that is not known here.
    Reply {
        client: ClientKey,
        id: u64,
        reply: Box<Reply>,
    },
}

/// What a recording begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The program that is recorded: by it `replay` finds the profile.
    pub command: Vec<String>,
    pub size: Size,
    /// Draws the screen as it stands.
    pub seed: Vec<u8>,
}

/// What a session wants done. None of it is waited for.
#[derive(Debug)]
pub enum Output {
    /// To the program's terminal, as one write.
    Write(Vec<u8>),
    /// Ask a terminal that may refuse them whether it has taken the bytes before; `Input::Confirmed` comes behind it.
    Confirm,
    /// Feed whatever the agent has printed up to now; `Input::Drained` comes behind it. A key that commits is sent
    /// in the very step that follows: on a machine that stalls, the screen that is known may be old.
    Drain,
    /// Ask the kernel who reads the terminal; `Input::Witnessed` comes behind it, before any more output is fed.
    LookAtReader,
    Resize(Size),
    Keeper(ToKeeper),
    News(News),
    Reply {
        client: ClientKey,
        id: u64,
        reply: Reply,
    },
    Send {
        client: ClientKey,
        message: Box<ServerMessage>,
    },
    /// To the agent's journal, from which a later server rebuilds its screen.
    Journal(Vec<JournalPart>),
    /// A recording that somebody asks for, or its end. `Order::Recorded` comes once it is done.
    Record {
        to: Option<(ClientKey, u64)>,
        path: Option<String>,
        opening: Opening,
    },
    /// The same of one that an earlier server made: behind what is in the file.
    RecordOn {
        path: String,
        opening: Opening,
    },
    /// The recording that each agent gets by itself.
    RecordAlways {
        opening: Opening,
        max_bytes: u64,
    },
    Recorded(Vec<u8>),
    RecordedSize(Size),
}
