//! One agent as the hub knows it: what it was started from, and what its session says of its terminal.
//!
//! Data; `server/lifecycle` alone changes it. The terminal itself, and whatever is typed into it, is its session's.

use std::sync::Arc;

use crate::core::agent::{AgentInfo, AgentSpec, Duty, Restart};
use crate::core::detect::channels::Signal;
use crate::core::policy::Policy;
use crate::core::policy::route::Asker;
use crate::core::profile::LazyProfile;
use crate::core::question::{Question, State};
use crate::server::hub::table::Table;
use crate::server::remembered::{OpenQuestion, Remembered, SAME_QUESTION_MS};
use crate::session::Life;
use crate::session::message::{AgentKey, ClientKey, Now, Sight};
use crate::wire::stopped::{Stopped, far_wrapper};

pub type Agents = Table<AgentKey, Agent>;

/// An agent.
#[derive(Debug)]
pub struct Agent {
    pub spec: AgentSpec,
    pub policy: Arc<Policy>,
    pub profile: Arc<LazyProfile>,
    /// The one by which people know it.
    pub number: u16,
    /// It was on the list before this start.
    pub started_again: bool,
    /// Its terminal, as its session told last.
    pub sight: Sight,
    pub since_unix_ms: u64,
    pub life: Life,
    /// The number of this life, where a keeper holds it.
    pub life_id: Option<u64>,
    /// The connection over which somebody had it started for its output, and has not let go of it.
    pub held_by: Option<ClientKey>,
    /// What its keeper was ordered and has not done yet: to pause it, or to let it go on.
    pub to_pause: Option<bool>,
    pub pid: Option<u32>,
    pub keeper: Option<u32>,
    /// How a person reaches its terminal without counsel.
    pub place: Option<String>,
    pub token: String,
    pub memory_kib: Option<u64>,
    pub ending: Ending,
    pub admitted_ms: u64,
    pub started_ms: u64,
    /// Since when it goes on by itself, whether in one life or in several: what it may be answered without a person counts from
    /// there. 0 of one that was taken back, of which the log tells.
    pub counts_from_unix_ms: u64,
    /// Of an agent that was taken back: what the server before knew.
    pub earlier: Option<Remembered>,
    /// It was taken back, and its screen has not been judged. Until then at most.
    pub unseen_until_ms: Option<u64>,
    /// Its first prompt has not been typed yet.
    pub prompt_due: bool,
    /// It is being typed.
    pub prompt_begun: bool,
    /// What its keeper holds.
    pub remembered: Remembered,
}

/// The pause before a program that ended is started again; doubled with every failure in a row.
const RESTART_MS: u64 = 500;
/// The longest such pause.
const RESTART_MAX_MS: u64 = 60_000;
/// A program that ran for this long did not fail at once.
const RESTART_GOOD_MS: u64 = 10_000;

/// How an agent is to end, and what its ends have been like.
#[derive(Debug, Default)]
pub struct Ending {
    /// It is to be started again once it is gone.
    pub restart_wanted: bool,
    pub stop_wanted: bool,
    /// The exit code with which it had ended before anybody wanted it stopped.
    pub ended_before: Option<i32>,
    /// It is stopped because nobody asks it anything, and by no person.
    pub unasked: bool,
    /// The keeper has ended everything it ever started.
    pub swept: bool,
    /// When its grace is over, and when it is looked at next whether its keeper sweeps.
    pub grace_until_ms: u64,
    pub sweep_look_ms: Option<u64>,
    /// What it could not end, and what it saw elsewhere.
    pub left: Vec<u32>,
    pub kept: Vec<u32>,
    /// Starts in a row that ended at once; lengthens the pause before the next.
    pub failures: u32,
    /// It goes, but its place on the list does not: that it could not be started again is said there.
    pub stays_listed: bool,
}

impl Ending {
    /// The program ended after so long: the pause before it is started again, in milliseconds.
    pub fn ended(&mut self, ran_ms: u64) -> u64 {
        let before = if ran_ms >= RESTART_GOOD_MS { 0 } else { self.failures };
        self.failures = before + 1;
        RESTART_MS.saturating_mul(1 << before.min(7)).min(RESTART_MAX_MS)
    }
}

impl Agent {
    pub fn new(spec: AgentSpec, policy: Policy, profile: Arc<LazyProfile>, now: Now) -> Agent {
        Agent {
            spec,
            policy: Arc::new(policy),
            profile,
            number: 0,
            started_again: false,
            sight: Sight::default(),
            since_unix_ms: now.unix_ms,
            life: Life::Spawning,
            life_id: None,
            held_by: None,
            to_pause: None,
            pid: None,
            keeper: None,
            place: None,
            token: String::new(),
            memory_kib: None,
            ending: Ending::default(),
            admitted_ms: now.ms,
            started_ms: now.ms,
            counts_from_unix_ms: now.unix_ms,
            earlier: None,
            unseen_until_ms: None,
            prompt_due: false,
            prompt_begun: false,
            remembered: Remembered::default(),
        }
    }

    pub fn gone(&self) -> bool {
        matches!(self.life, Life::Exited(_))
    }

    /// Whoever had it started for its output may still be reading that. A server that took it back does not know their connection,
    /// but the process it is tied to.
    pub fn is_held(&self) -> bool {
        self.spec.call.is_some() && (self.held_by.is_some() || self.spec.tied.is_some())
    }

    pub fn unseen_until(&self, now_ms: u64) -> Option<u64> {
        // One that had shown nothing yet may not for long: once it has its terminal there is nothing to wait for.
        let due = self.life == Life::Spawning || !self.was_silent();
        self.unseen_until_ms.filter(|until| now_ms < *until && due && !self.gone())
    }

    /// The server before told of a question here, and since its program drew anew it has only been seen at work: what it asks
    /// is judged once that pauses.
    pub fn awaits_its_question(&self) -> bool {
        let asked = self.left_open().any(|open| !open.ended);
        asked && self.on_screen().is_none() && self.sight.state == State::Working
    }

    /// It was taken back, and had shown nothing by then.
    pub fn was_silent(&self) -> bool {
        self.earlier.as_ref().is_some_and(|earlier| earlier.state == State::Starting)
    }

    pub fn paused(&self) -> bool {
        self.life == Life::Paused
    }

    /// Nothing is typed until it goes on: it is paused, or its session says that it is about to be.
    pub fn stands_still(&self) -> bool {
        self.paused() || self.sight.stands_still
    }

    /// The question on its screen.
    pub fn on_screen(&self) -> Option<&Question> {
        self.sight.verdict.question.as_ref()
    }

    /// As whom its questions are routed.
    pub fn asker(&self) -> Asker<'_> {
        Asker {
            name: &self.spec.name,
            consultant: self.spec.consultant.as_ref(),
            is_consultant: self.spec.role == Duty::Consultant,
        }
    }

    /// What its other channels say of the verdict on its screen.
    pub fn signals(&self) -> &[Signal] {
        match self.life {
            Life::Running => &self.sight.signals,
            Life::Spawning | Life::Paused | Life::Exited(_) => &[],
        }
    }

    /// The question of the server before that this one is, if it is one.
    pub fn earlier_question(&self, question: &Question, now: Now) -> Option<&OpenQuestion> {
        let earlier = self.earlier.as_ref().filter(|_| now.ms < self.admitted_ms + SAME_QUESTION_MS)?;
        earlier.question(question)
    }

    /// The question of the server before that it was typing an answer to.
    pub fn earlier_typing(&self, now: Now) -> Option<&OpenQuestion> {
        let earlier = self.earlier.as_ref().filter(|_| now.ms < self.admitted_ms + SAME_QUESTION_MS)?;
        earlier.open.iter().find(|open| open.typing)
    }

    /// What was open under the server before.
    pub fn left_open(&self) -> impl Iterator<Item = &OpenQuestion> {
        self.earlier.iter().flat_map(|earlier| &earlier.open)
    }

    /// The server before left it where consent was asked for, and nothing was typed since.
    pub fn earlier_consent(&self) -> bool {
        self.sight.typed == 0 && self.earlier.as_ref().is_some_and(|earlier| earlier.consent)
    }

    /// The state that people are told.
    pub fn state(&self) -> State {
        // Its end is told before the screen it leaves.
        if self.gone() { State::Exited } else { self.sight.state }
    }

    /// What is left of it now that its keeper has done what it can.
    pub fn remains(&self) -> Stopped {
        // Released, not ended: nothing of it is ours to tell.
        let wrapper = if self.spec.pane.is_none() && self.pid.is_some() {
            far_wrapper(&self.spec.wrap, &self.spec.command)
        } else {
            None
        };
        let Ending { left, kept, ended_before, .. } = &self.ending;
        let (name, ended) = (self.spec.name.clone(), *ended_before);
        Stopped { name, ended, left: left.clone(), kept: kept.clone(), wrapper }
    }

    /// Whether it has ended and is to be started again: somebody wants that, or its own `restart` does.
    pub fn starts_again(&self) -> bool {
        let Life::Exited(code) = self.life else { return false };
        let by_policy = match self.spec.restart {
            Restart::Never => false,
            Restart::OnFailure => code != 0,
            Restart::Always => true,
        };
        self.ending.restart_wanted || by_policy && !self.ending.stop_wanted
    }

    pub fn info(&self, ask_id: Option<String>, deadline_unix_ms: Option<u64>) -> AgentInfo {
        let size = self.sight.size;
        let title = self.spec.title.clone().unwrap_or_else(|| self.sight.title.clone());
        // The end of an answer shows that its program has ended before that is told.
        let exit_code = if let Life::Exited(code) = self.life { Some(code) } else { self.sight.exit_code };
        AgentInfo {
            name: self.spec.name.clone(),
            state: self.state(),
            since: self.since_unix_ms as f64 / 1000.0,
            question: ask_id,
            profile: self.profile.name.clone(),
            host: self.spec.host,
            pid: self.pid.filter(|_| exit_code.is_none()),
            cols: size.cols,
            rows: size.rows,
            exit_code,
            role: self.spec.role,
            title,
            isolate: self.spec.isolate,
            memory_kib: self.memory_kib.filter(|_| self.paused()),
            deadline_at: deadline_unix_ms.map(|ms| ms as f64 / 1000.0),
            consultant: self.spec.consultant.clone(),
            cwd: self.spec.cwd.clone(),
            recording: self.sight.recording.clone(),
            auto_recording: self.sight.auto_recording.clone().filter(|_| exit_code.is_none()),
            starts_again: self.starts_again(),
            untyped_prompt: self.sight.untyped_prompt.clone().filter(|_| exit_code.is_none()),
            place: self.place.clone(),
            number: self.number,
            definition: self.spec.definition.clone(),
            defined_in: self.spec.defined_in.clone(),
            failed: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first pause was a whole second.
    #[test]
    fn the_pause_before_the_next_start_is_half_a_second_and_doubles() {
        let mut ending = Ending::default();
        let pauses: Vec<u64> = (0..9).map(|_| ending.ended(100)).collect();
        assert_eq!(pauses, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
        assert_eq!(
            [ending.ended(10_000), ending.ended(9_999)],
            [500, 1_000],
            "after one that ran for ten seconds"
        );
    }
}
