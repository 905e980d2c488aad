//! What each agent and all together have used of what may be answered and asked without a person.
//!
//! An agent is its name here, from when on it goes on by itself: one that ends and is started again because its own file says so
//! goes on with what is left, and so does one that another server takes back.

use std::collections::VecDeque;

use crate::core::log::log_entry::{Entry, Outcome};
use crate::core::policy::Consult;
use crate::core::question::Fingerprint;
use crate::server::lifecycle::agent::Agent;

pub const MINUTE_MS: u64 = 60_000;
pub const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;

/// Questions of an agent among which the same one must not come too often; longer loops are rarer than honest repetitions.
const RECENT: usize = 12;
/// Questions of an agent in the log that went before anybody decided them. A program that draws another one ten times a second,
/// with a full screen each, would fill the disk with what nobody has read.
const UNDECIDED_PER_MINUTE: usize = 20;
const UNDECIDED_PER_HOUR: usize = 120;

/// An agent, and since when it goes on by itself.
#[derive(Debug, Clone, Copy)]
pub struct Of<'a> {
    pub name: &'a str,
    pub from_unix_ms: u64,
}

impl Of<'_> {
    pub fn agent(agent: &Agent) -> Of<'_> {
        Of { name: &agent.spec.name, from_unix_ms: agent.counts_from_unix_ms }
    }

    fn is(&self, name: &str, at: u64) -> bool {
        self.name == name && self.from_unix_ms <= at
    }
}

/// In Unix milliseconds: it outlives a server, by the log.
#[derive(Debug, Default)]
pub struct Spent {
    asked: VecDeque<u64>,
    /// When an agent was answered automatically.
    answers: VecDeque<(String, u64)>,
    /// When a question of it was taken to a consultant.
    consulted: VecDeque<(String, u64)>,
    /// When it put a question in words: no log knows of all of those.
    worded: VecDeque<(String, u64)>,
    /// When one of its questions went that nobody had decided, and the log was told.
    undecided: VecDeque<(String, u64)>,
    /// Its questions that ended last, newest at the end, and when.
    recent: Vec<(String, Fingerprint, u64)>,
}

fn within(times: &VecDeque<u64>, now: u64, span: u64) -> usize {
    times.iter().filter(|at| now < **at + span).count()
}

/// How often within so long.
fn of(times: &VecDeque<(String, u64)>, agent: Of<'_>, now: u64, span: u64) -> usize {
    times.iter().filter(|(name, at)| agent.is(name, *at) && now < *at + span).count()
}

fn note(times: &mut VecDeque<(String, u64)>, agent: &str, now: u64) {
    times.retain(|(_, at)| now < *at + HOUR_MS);
    times.push_back((agent.to_owned(), now));
}

impl Spent {
    pub fn of(log: &[Entry]) -> Spent {
        let mut spent = Spent::default();
        for entry in log {
            spent.asked.extend(entry.asked.iter().map(|turn| turn.asked_at));
            let consulted = entry.asked.first().map(|turn| (entry.agent.clone(), turn.asked_at));
            spent.consulted.extend(consulted);
            if entry.is_undecided() {
                spent.undecided.push_back((entry.agent.clone(), entry.settled_at));
            }
            // The log knows who answered by these words alone.
            if entry.outcome == Outcome::Answered && entry.by != "person" {
                spent.answers.push_back((entry.agent.clone(), entry.settled_at));
            }
        }
        spent
    }

    /// Automatic answers within the last hour.
    pub fn answers(&self, now_unix_ms: u64) -> usize {
        self.answers.iter().filter(|(_, at)| now_unix_ms < *at + HOUR_MS).count()
    }

    /// Those of this agent.
    pub fn answers_of(&self, agent: Of<'_>, now_unix_ms: u64) -> usize {
        of(&self.answers, agent, now_unix_ms, HOUR_MS)
    }

    /// Its questions that were taken to a consultant within so long.
    pub fn consulted(&self, agent: Of<'_>, now_unix_ms: u64, span: u64) -> usize {
        of(&self.consulted, agent, now_unix_ms, span)
    }

    /// The questions in words that it put within so long.
    pub fn worded(&self, agent: Of<'_>, now_unix_ms: u64, span: u64) -> usize {
        of(&self.worded, agent, now_unix_ms, span)
    }

    /// Why no consultant may be asked any more for now.
    pub fn budget_spent(&self, consult: &Consult, now_unix_ms: u64) -> Option<String> {
        let budgets = [
            (consult.asked_per_hour, HOUR_MS, "hour", "asked_per_hour"),
            (consult.asked_per_day, DAY_MS, "day", "asked_per_day"),
        ];
        let spent = budgets.iter().find(|(limit, span, _, _)| {
            *limit > 0 && within(&self.asked, now_unix_ms, *span) >= *limit as usize
        });
        spent.map(|(limit, _, span, key)| {
            format!("consultants were asked {limit} times within the {span}, the budget of [consult] {key}")
        })
    }

    pub fn note_asked(&mut self, now_unix_ms: u64) {
        self.asked.retain(|at| now_unix_ms < at + DAY_MS);
        self.asked.push_back(now_unix_ms);
    }

    pub fn note_answer(&mut self, agent: &str, now_unix_ms: u64) {
        note(&mut self.answers, agent, now_unix_ms);
    }

    pub fn note_consulted(&mut self, agent: &str, now_unix_ms: u64) {
        note(&mut self.consulted, agent, now_unix_ms);
    }

    /// How often this question was among its last.
    pub fn repeats(&self, agent: Of<'_>, question: Fingerprint) -> usize {
        self.recent.iter().filter(|(name, of, at)| *of == question && agent.is(name, *at)).count()
    }

    pub fn note_ended(&mut self, agent: &str, question: Fingerprint, now_unix_ms: u64) {
        let mut newer = 0;
        let of_agent = |name: &str, newer: &mut usize| {
            *newer += usize::from(name == agent);
            name != agent || *newer < RECENT
        };
        self.recent.reverse();
        self.recent.retain(|(name, _, at)| now_unix_ms < at + DAY_MS && of_agent(name, &mut newer));
        self.recent.reverse();
        self.recent.push((agent.to_owned(), question, now_unix_ms));
    }

    /// Whether the log has room for one more of its questions that nobody decided. It is counted then.
    pub fn may_log_undecided(&mut self, agent: &str, now_unix_ms: u64) -> bool {
        let of = Of { name: agent, from_unix_ms: 0 };
        let within = |span: u64| self::of(&self.undecided, of, now_unix_ms, span);
        let room = within(HOUR_MS) < UNDECIDED_PER_HOUR && within(MINUTE_MS) < UNDECIDED_PER_MINUTE;
        if room {
            note(&mut self.undecided, agent, now_unix_ms);
        }
        room
    }

    pub fn note_worded(&mut self, agent: &str, now_unix_ms: u64) {
        note(&mut self.worded, agent, now_unix_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_questions_that_nobody_decides_leaves_so_many_in_the_log() {
        let mut spent = Spent::default();
        let mut logged = |from: u64, to: u64| {
            (from..to).step_by(100).filter(|at| spent.may_log_undecided("a", *at)).count()
        };
        assert_eq!(logged(HOUR_MS, HOUR_MS + 30_000), UNDECIDED_PER_MINUTE);
        assert_eq!(logged(HOUR_MS + 30_000, 2 * HOUR_MS), UNDECIDED_PER_HOUR - UNDECIDED_PER_MINUTE);
        assert_eq!(logged(3 * HOUR_MS, 3 * HOUR_MS + 200), 2);
        assert!(spent.may_log_undecided("b", HOUR_MS), "another agent has its own");
    }

    const QUESTION: Fingerprint = Fingerprint(7);

    /// An agent that ended behind each answer, and was started again, was answered without end.
    #[test]
    fn what_was_used_is_used_in_the_next_life_and_by_no_other_agent() {
        let mut spent = Spent::default();
        for at in [1_000, 2_000, 3_000] {
            spent.note_answer("web", at);
            spent.note_consulted("web", at);
            spent.note_worded("web", at);
            spent.note_ended("web", QUESTION, at);
        }
        let used = |name, from_unix_ms| {
            let of = Of { name, from_unix_ms };
            let counts = [spent.answers_of(of, 4_000), spent.consulted(of, 4_000, HOUR_MS)];
            (counts, spent.worded(of, 4_000, HOUR_MS), spent.repeats(of, QUESTION))
        };
        assert_eq!(used("web", 0), ([3, 3], 3, 3));
        assert_eq!(used("web", 2_000), ([2, 2], 2, 2), "started by a person since");
        assert_eq!(used("api", 0), ([0, 0], 0, 0));
        assert_eq!((spent.answers(4_000), spent.answers(HOUR_MS + 2_500)), (3, 1));
    }

    #[test]
    fn a_question_is_forgotten_behind_so_many_others_of_its_agent() {
        let mut spent = Spent::default();
        let of = Of { name: "web", from_unix_ms: 0 };
        spent.note_ended("web", QUESTION, 1);
        for other in 0..RECENT as u64 - 1 {
            spent.note_ended("web", Fingerprint(100 + other), 2);
            spent.note_ended("api", QUESTION, 2);
        }
        assert_eq!(spent.repeats(of, QUESTION), 1);
        spent.note_ended("web", Fingerprint(99), 3);
        assert_eq!((spent.repeats(of, QUESTION), spent.repeats(Of { name: "api", ..of }, QUESTION)), (0, 11));
    }
}
