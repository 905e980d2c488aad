//! The messages: requests from clients, replies to them, notices the server sends by itself.
//!
//! A field may be added with a default; names and meanings never change, so that an old keeper or
//! an old dashboard still understands a new server.

use serde::{Deserialize, Serialize};

use crate::core::agent::{AgentInfo, AgentSpec, Duty};
use crate::core::policy::Policy;
use crate::core::question::State;
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::Input;
use crate::core::terminal::picture::{Line, Picture};

pub use super::question::{QuestionInfo, Status, in_millis};
use super::stopped::Stopped;

/// Raised when a message changes its meaning. A client of another version is told so and leaves.
pub const VERSION: u32 = 4;

/// How a refusal ends where an agent has nobody who could be asked: a client adds who may be named there, and how.
pub const NO_CONSULTANT: &str = "has no consultant";

/// Everything a client sends. `id` comes back in the reply, if the request has one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClientMessage {
    pub id: u64,
    pub request: Request,
}

/// Everything the server sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerMessage {
    Reply { id: u64, reply: Reply },
    Notice(Notice),
}

/// An answer as a person or a program gives it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GivenAnswer {
    /// Numbers (1-based) or exact labels.
    #[serde(default)]
    pub options: Vec<String>,
    #[serde(default)]
    pub text: Option<String>,
    #[serde(default)]
    pub reject: bool,
}

/// What `wait` waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WaitFor {
    Idle,
    Asking,
    Exited,
    Working,
}

/// Which text `read` returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReadMode {
    #[default]
    Output,
    Screen,
    Scrollback,
    /// The program's bytes as it wrote them, as far as they are text.
    Raw,
    /// All of them, each as the character of its number, for whoever takes in the whole output: while that reads on, the
    /// program is held up rather than any of it lost.
    Bytes,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// First on every connection.
    Hello {
        version: u32,
        token: Option<String>,
    },
    Ping,
    Start {
        spec: Box<AgentSpec>,
        policy: Box<Policy>,
    },
    /// From whoever wanted an agent started: it could not be, and is to be listed with the cause.
    NotStarted {
        name: String,
        #[serde(default)]
        role: Duty,
        cause: String,
        /// By which people know it already; 0: by none.
        #[serde(default)]
        number: u16,
        /// Since when they know it so (Unix seconds); `None`: since now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<f64>,
    },
    /// Empty: all.
    Stop {
        names: Vec<String>,
        grace_ms: u64,
    },
    /// Stops all agents and the server.
    Down {
        grace_ms: u64,
    },
    /// The server makes room for another one: it ends, its agents go on and its clients come back.
    Replace,
    List,
    /// What the decision log ends with, as far as its writer knows: the file could be made to say anything.
    LogHead,
    Pause {
        names: Vec<String>,
    },
    Resume {
        names: Vec<String>,
    },
    Restart {
        name: String,
    },
    /// It was tied to a process (`AgentSpec::tied`), and is to run on without it.
    Release {
        name: String,
    },
    Resize {
        name: String,
        size: Size,
    },
    Signal {
        name: String,
        signal: String,
    },
    /// From a program or the command line: checked and limited.
    Send {
        name: String,
        input: Vec<Input>,
        /// Pressed after the rest, as a write of its own: some programs take a CR that comes with a
        /// paste for part of it.
        #[serde(default)]
        enter: bool,
    },
    /// From a person at the dashboard or in attach: passed as typed. There is no reply: what could not be
    /// typed comes back as `Notice::KeysRefused` or `Notice::LineCut`. Without any input a line is over.
    Keys {
        name: String,
        input: Vec<Input>,
    },
    Read {
        name: String,
        since: Option<u64>,
        tail: Option<u64>,
        wait_ms: u64,
        mode: ReadMode,
        /// Without `since`: how much the caller has seen, the cursor of its last read. It waits for what is new
        /// beyond that, and gets all that is kept. Neither: it waits for what comes after the request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seen: Option<u64>,
    },
    Wait {
        name: String,
        what: WaitFor,
        timeout_ms: Option<u64>,
    },
    /// Pictures of these agents from now on, instead of those before; a size given takes part in
    /// deciding the agent's size.
    Watch {
        panes: Vec<Pane>,
    },
    /// The size at which a client would show an agent that is started now: it begins at that. There is no reply.
    NextPane(NextPane),
    /// Rows of history, counted from the oldest kept one.
    History {
        name: String,
        from: u64,
        count: u64,
    },
    /// State changes and questions from now on, beginning with what is.
    Subscribe,
    Questions {
        all: bool,
    },
    Answer {
        id: String,
        answer: GivenAnswer,
    },
    /// A person settles an answer that waits for confirmation.
    Confirm {
        id: String,
        accept: bool,
        /// The answer as it was shown to the person: another one, proposed meanwhile, is not confirmed by this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<String>,
    },
    Consult {
        id: String,
        with: Option<String>,
    },
    /// A person takes a question from whoever is asked about it.
    TakeOver {
        id: String,
    },
    Explain {
        name: String,
    },
    Record {
        name: String,
        path: Option<String>,
    },
    /// From an agent, in words: answered by its consultant or a person. The reply comes with the answer.
    AskCounsel {
        question: String,
        #[serde(default)]
        options: Vec<String>,
        #[serde(default)]
        context: Option<String>,
        /// How long the agent waits; the consultation's own deadline if it does not say.
        #[serde(default)]
        wait_ms: Option<u64>,
    },
    /// From a program of the user's that is no agent: may it do this? A person answers; the reply comes with the answer.
    AskLeave {
        what: String,
        wait_ms: u64,
    },
    /// From an agent's hook: its name is known by the token.
    Hook {
        event: String,
        payload: serde_json::Value,
    },
    /// By any name this connection means the agent that was started with this call's number (`AgentSpec::call`), and nobody
    /// else who has the name.
    Only {
        call: u64,
    },
    /// Nobody sends it: what the server makes of a request it has no word for.
    Foreign,
}

/// One pane a client shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pane {
    pub name: String,
    /// `None`: look on without resizing.
    pub size: Option<Size>,
}

/// How large an agent would be shown that is started now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NextPane {
    pub worker: Option<Size>,
    pub consultant: Option<Size>,
    /// Those that have a place already, as they do not run.
    pub ended: Vec<Pane>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    Done,
    /// `code` is the exit code the command line ends with.
    Error {
        code: u8,
        message: String,
    },
    Hello {
        version: u32,
        server: String,
        pid: u32,
    },
    Agents {
        agents: Vec<AgentInfo>,
    },
    Text(ReadText),
    Waited {
        state: State,
        exit_code: Option<i32>,
    },
    History {
        from: u64,
        first: u64,
        end: u64,
        lines: Vec<Line>,
    },
    Questions {
        questions: Vec<QuestionInfo>,
    },
    Explained {
        text: String,
        json: serde_json::Value,
    },
    /// The end of `AskCounsel` and `AskLeave`: the answer, or why there is none.
    Asked {
        id: String,
        answer: Option<String>,
        by: String,
        reason: Option<String>,
    },
    /// The digest of all that stands in the log at this path; `None`: it could not be read yet.
    LogHead {
        log: String,
        head: Option<String>,
        /// Entries that are not there yet: the disk did not take them.
        #[serde(default, skip_serializing_if = "is_zero")]
        waiting: usize,
    },
    /// A hook's answer; `None`: it prints nothing.
    Hook {
        output: Option<serde_json::Value>,
    },
    /// To `Stop` and `Down`: those that are gone, and what is left of each.
    Stopped {
        agents: Vec<Stopped>,
    },
}

/// The reply to `Read`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReadText {
    pub state: State,
    pub cursor: u64,
    pub text: String,
    pub truncated: bool,
    pub exit_code: Option<i32>,
    /// The cursor behind all that is there; more than one reply takes is asked for again.
    #[serde(default)]
    pub end: u64,
    /// The text begins with a line that its reader has a part of, since that part was drawn over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anew: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// An agent is new, or something of it has changed.
    Agent(Box<AgentInfo>),
    Gone {
        name: String,
    },
    Question(QuestionInfo),
    /// Crosses the socket in a frame kind of its own, never as JSON.
    #[serde(skip)]
    Picture {
        name: String,
        picture: Picture,
    },
    /// The last `Keys` were not typed.
    KeysRefused {
        name: String,
        message: String,
    },
    /// The agent was started again in the middle of a line: the last `Keys` are the rest of it, and were left out. `over`: so
    /// was what ends it.
    LineCut {
        name: String,
        over: bool,
    },
    Bell {
        name: String,
    },
    /// The agent wants this on the clipboard (base64).
    Clipboard {
        name: String,
        data: String,
    },
    /// A person is needed now.
    #[serde(rename = "alarm")]
    Notification {
        agent: String,
        question: Option<String>,
        text: String,
    },
    /// The server ends.
    Bye,
    /// The last thing a server says that is told to go: whatever this client sent to be typed has been answered, or was not
    /// typed.
    TypesNoMore,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives it so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Reply {
    /// A refusal, with the exit code the contract gives it.
    pub fn error(code: u8, message: impl Into<String>) -> Reply {
        Reply::Error { code, message: message.into() }
    }
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
