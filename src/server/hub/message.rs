//! What the machines of the hub tell one another. None calls another: each returns these, and the hub hands them on.
//!
//! Values only.

use serde_json::Value;

use crate::core::ancestry::Verdict;
use crate::core::consult::chain::Chain;
use crate::core::deliver::Proof;
use crate::core::hook::Meant;
use crate::core::policy::Protocol;
use crate::core::question::{Answer, Question};
use crate::server::effect::Effect;
use crate::server::lifecycle::message::ToLifecycle;
use crate::server::question::ask::Source;
use crate::session::message::{AgentKey, AskKey, ClientKey, DeliveryOutcome};
use crate::wire::message::{GivenAnswer, Notice, Reply, Request, WaitFor};
use crate::wire::stopped::Stopped;

use super::replies::{Caller, Owed};

#[derive(Debug)]
pub enum Message {
    Question(ToQuestions),
    Hook(ToHooks),
    Consultant(ToConsultants),
    Life(ToLifecycle),
    Client(ToClients),
    Reply(ToReplies),
    /// Leaves the hub.
    Effect(Effect),
}

impl Message {
    /// Nothing more comes of an agent's session.
    pub fn session_ended(agent: AgentKey) -> Vec<Message> {
        vec![
            Message::Question(ToQuestions::SessionEnded(agent)),
            Message::Life(ToLifecycle::SessionEnded(agent)),
        ]
    }

    /// Everything that follows from an agent's screen, or from what is thought of it, having changed.
    pub fn looked(agent: AgentKey) -> Vec<Message> {
        vec![
            Message::Reply(ToReplies::Check(agent)),
            Message::Question(ToQuestions::Compare(agent)),
            Message::Question(ToQuestions::Reconcile(agent)),
            Message::Consultant(ToConsultants::Pump(agent)),
            Message::Question(ToQuestions::DeliverKept(agent)),
        ]
    }
}

/// What an agent asks in words.
#[derive(Debug)]
pub struct Words {
    pub question: String,
    pub options: Vec<String>,
    pub context: Option<String>,
    pub wait_ms: Option<u64>,
}

#[derive(Debug)]
pub enum ToQuestions {
    /// No screen shows the next server what was asked in words.
    ServerEnds,
    /// The screen was seen: is its question the open one?
    Compare(AgentKey),
    /// Do the other channels agree with the screen now?
    Reconcile(AgentKey),
    /// The screen of an agent that goes on has been judged.
    DeliverKept(AgentKey),
    Appeared {
        agent: AgentKey,
        question: Box<Question>,
        source: Source,
    },
    Route(AskKey),
    Withdraw(AskKey),
    Escalate {
        ask: AskKey,
        why: String,
    },
    /// The same, for a person who is there already: no bell.
    EscalateQuietly {
        ask: AskKey,
        why: String,
    },
    NextConsultant {
        ask: AskKey,
        why: String,
    },
    /// It is this consultant's turn: put it into its pane.
    PutInto {
        ask: AskKey,
        consultant: AgentKey,
    },
    /// Or run this command.
    Run {
        ask: AskKey,
        command: Vec<String>,
        protocol: Protocol,
    },
    Said {
        ask: AskKey,
        text: String,
    },
    CommandSaid {
        ask: AskKey,
        turn: u32,
        said: Result<String, String>,
    },
    /// The answer that was decided on goes the first way that is open.
    Deliver(AskKey),
    /// No hook takes it.
    DeliverByKeys(AskKey),
    Delivery {
        agent: AgentKey,
        ask: AskKey,
        outcome: DeliveryOutcome,
        keys: Vec<String>,
    },
    /// The answer is in, with all the proof there will be.
    Answered {
        ask: AskKey,
        keys: Vec<String>,
        proof: Proof,
    },
    /// The agent took something else for the answer.
    Differs {
        ask: AskKey,
        keys: Vec<String>,
        proof: Proof,
        why: String,
    },
    /// A hook speaks of what may stand on the screen already.
    HookSpoke(AgentKey),
    /// A hook has taken the answers to these along.
    GivenToHook(Vec<AskKey>),
    /// What a hook took along led to nothing, and its dialog is still there.
    NotTaken {
        agent: AgentKey,
        ask: AskKey,
        why: String,
    },
    /// Somebody else has answered the form of these.
    FormAnswered(Vec<AskKey>),
    /// This one of a form is on the screen; what was held for the hook goes by keys.
    ByKeys {
        agent: AgentKey,
        ask: AskKey,
    },
    Typed {
        agent: AgentKey,
        person: bool,
        held: bool,
        choice: Option<Answer>,
    },
    ClockStops(AgentKey),
    ClockRuns(AgentKey),
    ContextRead {
        ask: AskKey,
        files: Vec<(String, String)>,
        secrets: Vec<String>,
    },
    Logged {
        ask: AskKey,
        written: bool,
    },
    /// Nobody was called, and is to be once so many milliseconds are over.
    Quiet {
        ask: AskKey,
        left_ms: u64,
    },
    PathLooked {
        ask: AskKey,
        link: Option<String>,
    },
    LogReserved {
        ask: AskKey,
        done: Result<(), String>,
    },
    /// Whoever asked in words has hung up.
    AskerLeft(AskKey),
    /// The agent is taken off the list.
    AgentLeaves(AgentKey),
    /// Its session says nothing more of what was being typed.
    SessionEnded(AgentKey),
    Forget(AgentKey),
    /// Whatever of this question, or of this agent's, is due by now.
    Due(AskKey),
    AgentDue(AgentKey),
    Answer {
        from: Caller,
        id: String,
        given: GivenAnswer,
    },
    Confirm {
        from: Caller,
        id: String,
        accept: bool,
        answer: Option<String>,
    },
    Consult {
        from: Caller,
        id: String,
        with: Option<Chain>,
    },
    TakeOver {
        from: Caller,
        id: String,
    },
    AskedInWords {
        from: Caller,
        agent: AgentKey,
        words: Words,
    },
    /// Of a person, by a program that is no agent.
    AskedByAProgram {
        from: Caller,
        words: Words,
    },
    /// The same: whether it may do this.
    AskedForLeave {
        from: Caller,
        what: String,
        wait_ms: u64,
    },
    /// Tell who answered what came of it, unless the session has still to say.
    TellAnswerer {
        from: Caller,
        ask: AskKey,
    },
}

#[derive(Debug)]
pub enum ToHooks {
    Told {
        from: Caller,
        agent: AgentKey,
        event: String,
        payload: Value,
    },
    /// The form's question at that place is this one.
    IsAsk {
        agent: AgentKey,
        at: usize,
        ask: AskKey,
    },
    Means {
        agent: AgentKey,
        at: usize,
        meant: Option<Meant>,
    },
    /// One answer of a form is decided: ask the next, or give them all.
    NextOfForm(AgentKey),
    Permit {
        agent: AgentKey,
        ask: AskKey,
        allow: bool,
    },
    /// The hook is not answered: the dialog stays for a person, or for keys.
    Abstain(AgentKey),
    /// The question has its route: let a hook go that is nobody's to answer by.
    Routed(AskKey),
    /// An answer went in by keys; what the agent recorded of it is waited for.
    AwaitReport {
        agent: AgentKey,
        ask: AskKey,
        keys: Vec<String>,
        proof: Proof,
    },
    Withdrawn {
        agent: AgentKey,
        ask: AskKey,
    },
    /// Whoever waited for the hook's answer has hung up.
    Left(AgentKey),
    Due(AgentKey),
    AgentLeaves(AgentKey),
    Forget(AgentKey),
}

#[derive(Debug)]
pub enum ToConsultants {
    /// Have the consultant asked whose turn it is.
    Ask(AskKey),
    Cancel(AskKey),
    /// Give a consultant its next question if it is free.
    Pump(AgentKey),
    NotPut {
        agent: AgentKey,
        ask: AskKey,
        why: Option<String>,
    },
    Replied {
        agent: AgentKey,
        ask: AskKey,
        text: String,
    },
    Used(AgentKey),
    /// It has gone: whoever waits for it is told.
    Left(AgentKey),
    Forget(AgentKey),
    Due(AgentKey),
}

#[derive(Debug)]
pub enum ToClients {
    Joined {
        client: ClientKey,
        verdict: Verdict,
    },
    Left(ClientKey),
    Request {
        from: Caller,
        request: Request,
    },
    /// To every subscriber.
    Tell(Notice),
    TellAgent(AgentKey),
    TellQuestion(AskKey),
    /// A person is needed: subscribers ring and show it.
    Notify {
        agent: String,
        question: Option<String>,
        text: String,
    },
    /// The same, of an agent whose name is looked up.
    NotifyOf {
        agent: AgentKey,
        text: String,
    },
    Bell(AgentKey),
    /// Every agent of the server before has been seen, or was given its time.
    TakenBack,
}

#[derive(Debug)]
pub enum ToReplies {
    Owe(Caller, Owed),
    Wait {
        from: Caller,
        agent: AgentKey,
        what: WaitFor,
        timeout_ms: Option<u64>,
    },
    /// The state of an agent may fulfil a wait.
    Check(AgentKey),
    Up(AgentKey),
    NotUp {
        agent: AgentKey,
        reply: Reply,
    },
    /// In place of an agent that has ended, its next life is being started.
    Again {
        ended: AgentKey,
        started: AgentKey,
    },
    /// Nothing of the agent is left.
    Removed {
        agent: AgentKey,
        remains: Box<Stopped>,
    },
    /// The agent stands still or goes on; `running`: processes of it that do not stop.
    Paused {
        agent: AgentKey,
        paused: bool,
        running: Vec<u32>,
    },
    /// It was let go on before it stood still.
    PauseUndone(AgentKey),
    /// Nobody need wait any more for it to stand still.
    PauseOver(AgentKey),
    /// Whether an answer given by a request is being typed.
    Answer {
        ask: AskKey,
        reply: Reply,
    },
    /// The end of a question put in words; told once the log has it.
    Keep {
        ask: AskKey,
        reply: Reply,
    },
    Logged(AskKey),
    Hook {
        agent: AgentKey,
        output: Option<Value>,
    },
    /// An agent's session replies.
    Told {
        to: Caller,
        reply: Box<Reply>,
    },
    Replaced,
    Left(ClientKey),
    Due,
}
