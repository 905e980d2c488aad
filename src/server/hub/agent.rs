//! One agent as the hub knows it: its screen, what is thought of it, and what is being typed into it.
//!
//! Owned by the hub, which alone changes it. Methods here look at this agent only; whatever concerns
//! a client or another agent lies in the hub's other files.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::core::agent::{AgentInfo, AgentSpec, IDLE_SECS, Start};
use crate::core::deliver::{Delivery, DeliveryContext};
use crate::core::detect::watch::{Snapshot, Watcher};
use crate::core::policy::Policy;
use crate::core::profile::Profile;
use crate::core::question::{Fingerprint, State, Verdict};
use crate::core::terminal::grid::Size;
use crate::core::terminal::history::History;
use crate::core::terminal::query_parser::ProgramStatus;
use crate::core::terminal::screen::{SYNC_LIMIT_MS, Screen};
use crate::core::terminal::tail::Tail;
use crate::server::effect::{AgentKey, AskKey, ClientKey, Now};

use super::conflict::Conflict;
use super::hook::HookState;
use super::journal::Journal;
use super::room::Redraw;

/// Raw output kept for `read --raw`: some screens full.
const RAW_BYTES: usize = 256 * 1024;
/// The same for a program whose whole output is wanted.
const RAW_BYTES_WHOLE: usize = 64 * 1024 * 1024;
/// A program that draws no recognised prompt counts as ready after this much silence.
const READY_QUIET_MS: u64 = 800;
/// … provided it has printed at least this much.
const READY_BYTES: u64 = 200;
/// A program silent for this long is not about to scroll: what is kept for it to do so quickly is freed.
const REST_MS: u64 = 2_000;

/// Whether the agent's process runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Life {
    /// The keeper is being started.
    Spawning,
    Running,
    Paused,
    Exited(i32),
}

/// What counsel is typing into an agent: one thing at a time.
#[derive(Debug, Clone)]
pub(super) enum Typing {
    /// An answer to the agent's open question.
    Answer(AskKey, Box<Delivery>),
    /// A question put to this consultant.
    Consultation(AskKey, Box<Delivery>),
    /// The prompt it was configured to begin with.
    FirstPrompt(Box<Delivery>),
}

impl Typing {
    pub(super) fn delivery(&mut self) -> &mut Delivery {
        match self {
            Typing::Answer(_, delivery)
            | Typing::Consultation(_, delivery)
            | Typing::FirstPrompt(delivery) => delivery,
        }
    }
}

/// Whether the hub has just read all that the agent has printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyncState {
    Old,
    /// `Effect::Drain` is on its way.
    Asked,
    /// In this very step.
    Fresh,
}

/// An Enter that follows what `send --enter` typed.
#[derive(Debug)]
pub(super) struct PendingSubmit {
    pub due_ms: u64,
    pub ordered_ms: u64,
    /// `typed` when it was ordered: if anything else was typed since, it would send something else.
    pub typed: u64,
    pub client: ClientKey,
    pub id: u64,
    /// How often it was pressed, and the draft it was to send.
    pub pressed: u8,
    pub draft: String,
    /// Until then the text is waited for to show in the input line.
    pub shows_by: Option<u64>,
}

/// Which recordings an agent's output goes to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recorded {
    /// One that somebody asked for.
    pub asked: bool,
    /// The one that every agent gets.
    pub always: bool,
}

impl Recorded {
    pub(super) fn any(self) -> bool {
        self.asked || self.always
    }
}

/// An agent.
#[derive(Debug)]
pub struct Agent {
    pub(super) spec: AgentSpec,
    pub(super) policy: Arc<Policy>,
    pub(super) profile: Arc<Profile>,
    pub(super) screen: Screen,
    pub(super) watcher: Watcher,
    pub(super) history: History,
    pub(super) raw: Tail,
    pub(super) verdict: Verdict,
    /// What `ls` shows; follows from `life` and `verdict`.
    pub(super) state: State,
    pub(super) since_unix_ms: u64,
    pub(super) status: Option<ProgramStatus>,
    pub(super) life: Life,
    pub(super) pid: Option<u32>,
    pub(super) keeper: Option<u32>,
    /// How a person reaches its terminal without counsel.
    pub(super) place: Option<String>,
    pub(super) token: String,
    /// Counts what a person or a program typed; an answer decided on before it changed is void.
    pub(super) typed: u64,
    pub(super) judged_ms: u64,
    /// When the screen last changed in a way the verdict shows.
    pub(super) changed_ms: u64,
    pub(super) output_ms: u64,
    /// When its size last changed.
    pub(super) resized_ms: u64,
    pub(super) printed: u64,
    pub(super) sync_since: Option<u64>,
    pub(super) ask: Option<AskKey>,
    /// The open question has not been on the last screen; since when.
    pub(super) missing_since: Option<u64>,
    pub(super) typing: Option<Typing>,
    pub(super) submits: Vec<PendingSubmit>,
    pub(super) typing_wake: Option<u64>,
    pub(super) sync_state: SyncState,
    /// Its terminal collected lines when that was last looked at: no key before this time.
    pub(super) input_blocked_until: u64,
    pub(super) first_prompt: Option<String>,
    pub(super) thinking: Option<super::consultant::Thinking>,
    pub(super) queue: VecDeque<AskKey>,
    /// When it was last asked, or typed into.
    pub(super) used_ms: u64,
    /// Whose questions it was put, the latest last.
    pub(super) served: Vec<AgentKey>,
    /// The words its last reply ended in, where they read like a question.
    pub(super) replied: Option<Fingerprint>,
    /// Fingerprints of the questions answered last, newest at the end.
    pub(super) recent: VecDeque<u64>,
    /// When answers were given automatically within the last hour.
    pub(super) answered_ms: VecDeque<u64>,
    /// It is being made to draw its whole screen.
    pub(super) redraw: Option<Redraw>,
    pub(super) journal: Journal,
    pub(super) memory_kib: Option<u64>,
    pub(super) recorded: Recorded,
    /// The words of the title subscribers were last told.
    pub(super) told_title: String,
    pub(super) ending: Ending,
    pub(super) started_ms: u64,
    /// Since when it stands still.
    pub(super) paused_ms: Option<u64>,
    pub(super) hook: HookState,
    pub(super) conflict: Conflict,
}

/// How an agent is to end, and what its ends have been like.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// It is to be started again once it is gone.
    pub(super) restart_wanted: bool,
    pub(super) stop_wanted: bool,
    /// The keeper has ended everything it ever started.
    pub(super) swept: bool,
    /// What it could not end, and what it saw elsewhere.
    pub(super) left: Vec<u32>,
    pub(super) kept: Vec<u32>,
    /// Starts in a row that ended at once; lengthens the pause before the next.
    pub(super) failures: u32,
}

impl Agent {
    pub(super) fn new(
        spec: AgentSpec,
        policy: Policy,
        profile: Arc<Profile>,
        screen: Screen,
        scrollback: usize,
        now: Now,
    ) -> Agent {
        Agent {
            raw: raw_tail(&spec),
            first_prompt: spec.prompt.clone(),
            spec,
            policy: Arc::new(policy),
            profile,
            screen,
            watcher: Watcher::new(),
            history: History::new(scrollback),
            verdict: Verdict::default(),
            state: State::Starting,
            since_unix_ms: now.unix_ms,
            status: None,
            life: Life::Spawning,
            pid: None,
            keeper: None,
            place: None,
            token: String::new(),
            typed: 0,
            judged_ms: now.ms,
            changed_ms: now.ms,
            output_ms: now.ms,
            resized_ms: 0,
            printed: 0,
            sync_since: None,
            ask: None,
            missing_since: None,
            typing: None,
            submits: Vec::new(),
            typing_wake: None,
            sync_state: SyncState::Old,
            input_blocked_until: 0,
            thinking: None,
            queue: VecDeque::new(),
            used_ms: now.ms,
            served: Vec::new(),
            replied: None,
            recent: VecDeque::new(),
            answered_ms: VecDeque::new(),
            redraw: None,
            journal: Journal::default(),
            memory_kib: None,
            recorded: Recorded::default(),
            told_title: String::new(),
            ending: Ending::default(),
            started_ms: now.ms,
            paused_ms: None,
            hook: HookState::default(),
            conflict: Conflict::default(),
        }
    }

    pub(super) fn gone(&self) -> bool {
        matches!(self.life, Life::Exited(_))
    }

    pub(super) fn paused(&self) -> bool {
        self.life == Life::Paused
    }

    pub(super) fn snapshot(&self) -> Snapshot<'_> {
        Snapshot {
            grid: self.screen.grid(),
            title: self.screen.title(),
            status: self.status.as_ref(),
            modes: self.screen.modes(),
            alive: !self.gone(),
        }
    }

    pub(super) fn delivery_context(&self, now: Now) -> DeliveryContext<'_> {
        DeliveryContext {
            verdict: &self.verdict,
            judged_ms: self.judged_ms,
            // Output that was not judged yet counts, and so does a resize that the program has still to
            // answer: no key is sent on an old look.
            changed_ms: match self.redraw {
                Some(_) => self.judged_ms + 1,
                None => self.output_ms.max(self.changed_ms).max(self.resized_ms),
            },
            typed: self.typed,
            halted: self.life != Life::Running,
            input_blocked: now.ms < self.input_blocked_until,
        }
    }

    /// The state that people are told.
    pub(super) fn shown_state(&self, now: Now) -> State {
        match self.life {
            Life::Exited(_) => State::Exited,
            Life::Paused => State::Paused,
            Life::Spawning => State::Starting,
            Life::Running => match self.verdict.state {
                State::Unknown if self.state == State::Starting && !self.settled_down(now) => State::Starting,
                judged => judged,
            },
        }
    }

    /// It has printed something and fallen silent: whatever it is, it is not starting any more.
    pub(super) fn settled_down(&self, now: Now) -> bool {
        self.printed >= READY_BYTES && now.ms >= self.output_ms + READY_QUIET_MS
    }

    /// Frees what an agent that has fallen silent does not need.
    pub(super) fn rest(&mut self, now: Now) {
        if self.screen.stretched() && now.ms >= self.output_ms + REST_MS {
            self.screen.rest();
        }
    }

    pub(super) fn next_wake(&self) -> Option<u64> {
        let sync = self.sync_since.map(|since| since + SYNC_LIMIT_MS);
        let undecided = self.state == State::Starting && self.verdict.state == State::Unknown;
        let settle_down = (undecided && self.life == Life::Running && self.printed >= READY_BYTES)
            .then(|| self.output_ms + READY_QUIET_MS);
        // Within a synchronized update nothing is judged: its end or its limit comes as a wake of its own.
        let look = self.watcher.next_wake().filter(|_| !self.screen.in_sync());
        let rest = self.screen.stretched().then(|| self.output_ms + REST_MS);
        let idle = self.idle_at();
        // While output is being drained, nothing is due: the answer wakes the hub.
        let enter = self.submits.iter().map(|enter| enter.due_ms).min();
        let enter = enter.filter(|_| self.sync_state == SyncState::Old);
        [
            look,
            rest,
            sync,
            self.typing_wake,
            settle_down,
            self.missing_wake(),
            enter,
            idle,
            self.redraw.map(|redraw| redraw.until_ms()),
            self.hook_wake(),
            self.conflict.wake(),
            self.thinking.as_ref().and_then(|thinking| thinking.look_ms),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// When a consultant started on demand is no longer wanted.
    pub(super) fn idle_at(&self) -> Option<u64> {
        let secs = self.spec.idle_secs.unwrap_or(IDLE_SECS);
        let busy = self.thinking.is_some() || self.typing.is_some() || !self.queue.is_empty();
        let ends = self.spec.start == Start::Demand && secs > 0 && self.life == Life::Running;
        (ends && !busy && !self.ending.stop_wanted)
            .then(|| self.used_ms.saturating_add(secs.saturating_mul(1000)))
    }

    fn missing_wake(&self) -> Option<u64> {
        self.missing_since.map(|since| since + super::question_lifecycle::MISSING_MS)
    }

    pub(super) fn info(&self, ask_id: Option<String>, deadline_unix_ms: Option<u64>) -> AgentInfo {
        let size: Size = self.screen.size();
        let title = self.spec.title.clone().unwrap_or_else(|| self.screen.title().to_owned());
        AgentInfo {
            name: self.spec.name.clone(),
            state: self.state,
            since: self.since_unix_ms as f64 / 1000.0,
            question: ask_id,
            profile: self.profile.name.clone(),
            host: self.spec.host,
            pid: self.pid.filter(|_| !self.gone()),
            cols: size.cols,
            rows: size.rows,
            exit_code: if let Life::Exited(code) = self.life { Some(code) } else { None },
            role: self.spec.role,
            title,
            memory_kib: self.memory_kib.filter(|_| self.paused()),
            deadline_at: deadline_unix_ms.map(|ms| ms as f64 / 1000.0),
            consultant: self.spec.consultant.clone(),
            cwd: self.spec.cwd.clone(),
            place: self.place.clone(),
        }
    }
}

fn raw_tail(spec: &AgentSpec) -> Tail {
    Tail::new(if spec.scrollback.is_some() { RAW_BYTES_WHOLE } else { RAW_BYTES })
}

/// Whether this input can change what a dialog would do with the next key.
pub(super) fn disturbs(input: &crate::core::terminal::keys::Input) -> bool {
    use crate::core::terminal::keys::{Action, Input, MouseKind};
    match input {
        Input::Key(press) => press.action != Action::Release,
        Input::Text(_) | Input::Paste(_) => true,
        Input::Mouse(mouse) => mouse.kind == MouseKind::Press,
        Input::Focus(_) => false,
    }
}
