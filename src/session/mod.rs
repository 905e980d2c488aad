//! One agent's terminal, whole: screen, history, what is thought of it, the one thing being typed into it, and
//! whoever looks on.
//!
//! A pure machine. Its task (`task.rs`) feeds it bytes and inputs and performs what it returns; the hub hears its
//! news and gives it orders. It knows of no other agent, of no policy and of no client's rights, and it never
//! waits: a key that commits is decided on, checked against what was just read, and sent in one place.

mod consultation;
mod draft;
mod emulation;
mod first_prompt;
mod front;
mod given;
mod input;
mod interrupted;
mod life;
mod logged;
pub mod mailbox;
pub mod message;
mod observation;
mod observed;
mod output_log;
mod paced;
mod pending_read;
mod pictures;
pub mod port;
mod printed;
pub mod pty;
mod read;
mod read_screen;
mod send;
pub(crate) mod setting;
mod sight;
mod submit;
pub(crate) mod task;
mod terminal;
mod typing_slot;
mod unconfirmed;
mod unsent;
mod unstarted;
mod until_started;
mod viewers;
mod withdraw;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::core::agent::Host;
use crate::core::policy::typing::TypingLimit;
use crate::core::profile::LazyProfile;
use crate::core::question::{Question, State};
use crate::core::terminal::grid::Size;
use crate::core::terminal::history::History;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;
use crate::core::terminal::sizing::Sizing;

use emulation::Terminal;
use given::Given;
use logged::OutputLog;
use message::{ClientKey, Input, News, Now, Order, Output, Sight, TypedLine};
use observed::Observation;
use pending_read::PendingRead;
use typing_slot::{Release, Slot, Thinking};
use unstarted::Unstarted;
use viewers::Viewers;

/// What a session is made from.
#[derive(Debug)]
pub struct Setup {
    pub name: String,
    pub host: Host,
    /// Its terminal is a pane of the user's own tmux: looked at and typed into, nothing else.
    pub adopted_pane: bool,
    pub profile: Arc<LazyProfile>,
    /// What it is started with; empty for a pane that runs already.
    pub command: Vec<String>,
    pub identity: TerminalIdentity,
    pub size: Size,
    /// Logical lines of history kept.
    pub scrollback: usize,
    /// The whole raw output is wanted, not only its end.
    pub whole_output: bool,
    /// Typed once the agent is ready.
    pub prompt: Option<String>,
    /// What an earlier life of the same name has printed.
    pub history: Option<History>,
    /// Most bytes of the recording each agent gets by itself; `None`: it gets none.
    pub record_bytes: Option<u64>,
    /// Whose size it gets if several look at it.
    pub sizing: Sizing,
    /// The title it was given, in place of the program's own.
    pub title: Option<String>,
    /// A line was being typed when the server before ended.
    pub typed_line: Option<TypedLine>,
    /// What a line was being read for under the server before.
    pub asked: Option<Question>,
    /// The file that the server before recorded it to.
    pub recording: Option<String>,
    /// The number of this life; `None`: its process id is.
    pub life_id: Option<u64>,
    /// See `AgentSpec::call`.
    pub call: Option<u64>,
}

/// Whether the agent's process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// The keeper is being started.
    Spawning,
    Running,
    Paused,
    Exited(i32),
}

/// An agent's session.
#[derive(Debug)]
pub struct Session {
    name: String,
    host: Host,
    adopted_pane: bool,
    profile: Arc<LazyProfile>,
    command: Vec<String>,
    title: Option<String>,
    record_bytes: Option<u64>,
    life: Life,
    /// It was ordered to stand still, and the keeper has not said yet that it does.
    pausing: bool,
    /// The state that people are told; follows from `life` and the verdict.
    state: State,
    started_ms: u64,
    /// Tells this life of the agent from others, in cursors.
    life_id: Option<u64>,
    given: Given,
    terminal: Terminal,
    observation: Observation,
    slot: Slot,
    thinking: Option<Thinking>,
    log: OutputLog,
    viewers: Viewers,
    reads: Vec<PendingRead>,
    unstarted: Vec<Unstarted>,
    /// Who takes in the whole output, and up to which byte of it.
    follower: Option<(message::ClientKey, u64)>,
    /// Whoever wants another size that its program cannot be given at once.
    resizing: Vec<(ClientKey, u64)>,
    /// Whose signals are on their way to the keeper, in their order; `tells_signals`: it will tell of each.
    signalling: VecDeque<(ClientKey, u64)>,
    tells_signals: bool,
    /// For what is not typed by a person at a keyboard.
    typing_limit: TypingLimit,
    /// What the hub was told last.
    told: Option<Sight>,
    /// Something that the hub is told may have changed.
    moved: bool,
    now: Now,
    out: Vec<Output>,
}

impl Session {
    pub fn new(setup: Setup, now: Now) -> Session {
        let screen = Screen::new(setup.size, setup.identity);
        let history = setup.history.unwrap_or_else(|| History::new(setup.scrollback));
        Session {
            terminal: Terminal::new(screen, history, setup.whole_output, now),
            observation: Observation::new(setup.asked, now),
            slot: Slot::new(setup.prompt, setup.typed_line),
            viewers: Viewers::new(setup.sizing),
            name: setup.name,
            host: setup.host,
            adopted_pane: setup.adopted_pane,
            profile: setup.profile,
            command: setup.command,
            title: setup.title,
            record_bytes: setup.record_bytes,
            life: Life::Spawning,
            pausing: false,
            state: State::Starting,
            started_ms: now.ms,
            life_id: setup.life_id,
            given: Given::default(),
            thinking: None,
            log: OutputLog::going_on(setup.recording),
            reads: Vec::new(),
            unstarted: Vec::new(),
            follower: None,
            resizing: Vec::new(),
            signalling: VecDeque::new(),
            tells_signals: false,
            typing_limit: TypingLimit::new(now.ms),
            told: None,
            moved: true,
            now,
            out: Vec::new(),
        }
    }

    /// Takes one input; what is to be done about it comes back, in order.
    pub fn on(&mut self, input: Input, now: Now) -> Vec<Output> {
        self.begin(input, now);
        self.finish()
    }

    /// The first half of `on`: what the input itself asks for. `finish` must follow.
    fn begin(&mut self, input: Input, now: Now) {
        self.now = now;
        match input {
            Input::Started(start) => self.started(*start),
            Input::Keeper(message) => self.keeper_says(message),
            Input::KeeperLost => self.keeper_lost(),
            Input::Drained { canonical } => self.drained(canonical),
            Input::Missed => self.missed(),
            Input::Disturbed => self.disturbed(),
            Input::InputFlushed => self.input_flushed(),
            Input::InFront(front) => self.in_front(front),
            Input::Witnessed(witness) => self.witnessed(witness),
            Input::WriteRefused => self.write_refused(),
            Input::Confirmed { taken } => self.confirmed(taken),
            Input::Resized(size) => self.terminal_resized(size),
            Input::PersonTyped => self.person_typed_elsewhere(),
            Input::Order(order) => self.order(order),
            Input::Watch { client, size } => self.watch(client, size),
            Input::Unwatch { client } => self.unwatch(client),
            Input::Flushed { client } => self.viewers.flushed(client),
            Input::Left { client } => self.left(client),
            Input::Request { client, id, request } => self.request(client, id, request),
            Input::Wake => {}
        }
    }

    /// Keys, in two halves: what goes into the terminal, which is on its way before anything else is done about it.
    /// `finish` must follow.
    pub(super) fn begin_keys(&mut self, input: Input, now: Now) -> Vec<Vec<u8>> {
        self.begin(input, now);
        let first = self.out.iter().take_while(|output| matches!(output, Output::Write(_))).count();
        let written = |output| if let Output::Write(bytes) = output { bytes } else { Vec::new() };
        self.out.drain(..first).map(written).collect()
    }

    /// Takes the first of these bytes that the agent printed: as many as one turn may cost. How many were taken,
    /// at least one of any.
    pub fn feed(&mut self, bytes: &[u8], now: Now) -> (usize, Vec<Output>) {
        self.now = now;
        self.observation.witness = None;
        let taken = self.output(bytes);
        (taken, self.finish())
    }

    fn order(&mut self, order: Order) {
        match order {
            Order::Deliver(delivery) => self.deliver(*delivery),
            Order::Withdraw { ask, untouched } => self.withdraw(ask, untouched),
            Order::AnsweredByHook(question) => self.observation.overdrawn.answered(&question),
            Order::Consult(put) => self.put_question(*put),
            Order::Explain { client, id, hook } => self.explain(client, id, hook),
            Order::Keeper(message) => self.order_keeper(message),
            Order::Signal { client, id, signal } => self.signal((client, id), signal),
            Order::Recorded { to, now, done } => self.recorded(to, now, done),
            Order::RecordedAlways(now) => self.recorded_always(now),
            Order::FirstPrompt => self.slot.release = Release::Given,
            Order::Barrier => {
                self.tell_sight();
                self.tell(News::Barrier);
            }
            Order::Retire => {
                self.clear_into_history();
                let history = Box::new(std::mem::take(&mut self.terminal.history));
                self.tell(News::Retired { history });
            }
        }
    }

    /// Whatever is due by now, whichever input woke the session.
    pub(super) fn finish(&mut self) -> Vec<Output> {
        self.look_if_due();
        self.release_unstarted();
        self.press_submits();
        self.redrawn();
        self.answer_resizes();
        self.drive_typing();
        self.tell_overdue_prompt();
        self.read_reply();
        self.answer_reads();
        self.tell_calls();
        self.send_pictures();
        self.tell_sight();
        std::mem::take(&mut self.out)
    }

    fn look_if_due(&mut self) {
        self.end_overdue_sync();
        self.classify_if_due();
        self.refresh_state();
    }

    /// When the session wants to be woken without an input, in milliseconds of `Now::ms`.
    pub fn next_wake(&self) -> Option<u64> {
        let reads = self.reads.iter().map(|read| read.until_ms).min();
        let unstarted = self.unstarted.iter().map(|held| held.until_ms).min();
        let thinking = self.thinking.as_ref().and_then(|thinking| thinking.look_ms);
        [
            self.observation_wake(),
            self.terminal_wake(),
            self.typing_wake(),
            self.overdue_prompt_ms(),
            self.viewers.wake(),
            thinking,
            reads,
            unstarted,
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Whether it has just answered a query, and is to be told in which mode the terminal gets the reply.
    pub fn has_replied(&self) -> bool {
        self.slot.draft.has_replied()
    }

    /// The terminal collects lines as it gets that, or not.
    pub fn reply_went(&mut self, canonical: bool) {
        self.slot.draft.reply_went(canonical);
    }

    /// Whether the program has ended.
    pub fn gone(&self) -> bool {
        matches!(self.life, Life::Exited(_))
    }

    fn tell(&mut self, news: News) {
        self.out.push(Output::News(news));
    }
}

/// What tests of the hub look at, and how they set the stage.
#[cfg(test)]
impl Setup {
    /// A program with this profile, of which nothing else is special.
    pub(crate) fn plain(profile: &str, size: Size) -> Setup {
        Setup {
            name: "program".into(),
            host: Host::Pty,
            adopted_pane: false,
            profile: crate::core::profile::Profiles::builtin().get(profile).expect("it is built in"),
            command: Vec::new(),
            identity: TerminalIdentity::default(),
            size,
            scrollback: 1000,
            whole_output: false,
            prompt: None,
            history: None,
            record_bytes: None,
            sizing: Sizing::Latest,
            title: None,
            typed_line: None,
            asked: None,
            recording: None,
            life_id: None,
            call: None,
        }
    }
}

#[cfg(test)]
impl Session {
    pub(crate) fn screen(&self) -> &Screen {
        &self.terminal.screen
    }

    /// How many lines its history and those before it hold.
    pub(crate) fn lines(&self) -> u64 {
        self.terminal.history.end()
    }

    pub(crate) fn is_typing(&self) -> bool {
        self.slot.typing.is_some()
    }

    pub(crate) fn is_thinking(&self) -> bool {
        self.thinking.is_some()
    }

    /// The draft noted as put into its input line.
    pub(crate) fn noted_draft(&mut self) -> &mut String {
        &mut self.log.draft
    }
}
