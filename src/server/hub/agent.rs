//! One agent as the hub knows it: what it was started from, what its session says of its terminal, and how far
//! the hub's own business with it has come.
//!
//! Owned by the hub, which alone changes it. The terminal itself, and whatever is typed into it, is its session's.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::core::agent::{AgentInfo, AgentSpec, IDLE_SECS, Start};
use crate::core::policy::Policy;
use crate::core::profile::Profile;
use crate::core::question::{Question, State};
use crate::session::Life;
use crate::session::message::{AgentKey, AskKey, Now, Sight};

use super::conflict::Conflict;
use super::hook::HookState;

/// An agent.
#[derive(Debug)]
pub struct Agent {
    pub(super) spec: AgentSpec,
    pub(super) policy: Arc<Policy>,
    pub(super) profile: Arc<Profile>,
    /// Its terminal, as its session told last.
    pub(super) sight: Sight,
    pub(super) since_unix_ms: u64,
    pub(super) life: Life,
    pub(super) pid: Option<u32>,
    pub(super) keeper: Option<u32>,
    /// How a person reaches its terminal without counsel.
    pub(super) place: Option<String>,
    pub(super) token: String,
    pub(super) ask: Option<AskKey>,
    /// The open question has not been on the last screen; since when.
    pub(super) missing_since: Option<u64>,
    /// The question that is being put to it, or that it thinks about.
    pub(super) consulted: Option<AskKey>,
    pub(super) queue: VecDeque<AskKey>,
    /// When it was last asked, or typed into.
    pub(super) used_ms: u64,
    /// Whose questions it was put, the latest last.
    pub(super) served: Vec<AgentKey>,
    /// Fingerprints of the questions answered last, newest at the end.
    pub(super) recent: VecDeque<u64>,
    /// When answers were given automatically within the last hour.
    pub(super) answered_ms: VecDeque<u64>,
    pub(super) memory_kib: Option<u64>,
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
    pub(super) fn new(spec: AgentSpec, policy: Policy, profile: Arc<Profile>, now: Now) -> Agent {
        Agent {
            spec,
            policy: Arc::new(policy),
            profile,
            sight: Sight::default(),
            since_unix_ms: now.unix_ms,
            life: Life::Spawning,
            pid: None,
            keeper: None,
            place: None,
            token: String::new(),
            ask: None,
            missing_since: None,
            consulted: None,
            queue: VecDeque::new(),
            used_ms: now.ms,
            served: Vec::new(),
            recent: VecDeque::new(),
            answered_ms: VecDeque::new(),
            memory_kib: None,
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

    /// The question on its screen.
    pub(super) fn on_screen(&self) -> Option<&Question> {
        self.sight.verdict.question.as_ref()
    }

    pub(super) fn next_wake(&self) -> Option<u64> {
        [self.missing_wake(), self.idle_at(), self.hook_wake(), self.conflict.wake()]
            .into_iter()
            .flatten()
            .min()
    }

    /// When a consultant started on demand is no longer wanted.
    pub(super) fn idle_at(&self) -> Option<u64> {
        let secs = self.spec.idle_secs.unwrap_or(IDLE_SECS);
        let busy = self.consulted.is_some() || self.sight.typing || !self.queue.is_empty();
        let ends = self.spec.start == Start::Demand && secs > 0 && self.life == Life::Running;
        (ends && !busy && !self.ending.stop_wanted)
            .then(|| self.used_ms.saturating_add(secs.saturating_mul(1000)))
    }

    fn missing_wake(&self) -> Option<u64> {
        self.missing_since.map(|since| since + super::question_lifecycle::MISSING_MS)
    }

    /// The state that people are told.
    pub(super) fn state(&self) -> State {
        self.sight.state
    }

    pub(super) fn info(&self, ask_id: Option<String>, deadline_unix_ms: Option<u64>) -> AgentInfo {
        let size = self.sight.size;
        let title = self.spec.title.clone().unwrap_or_else(|| self.sight.title.clone());
        AgentInfo {
            name: self.spec.name.clone(),
            state: self.state(),
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
            isolate: self.spec.isolate,
            memory_kib: self.memory_kib.filter(|_| self.paused()),
            deadline_at: deadline_unix_ms.map(|ms| ms as f64 / 1000.0),
            consultant: self.spec.consultant.clone(),
            cwd: self.spec.cwd.clone(),
            place: self.place.clone(),
        }
    }
}
