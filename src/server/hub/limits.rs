//! How much may be answered and asked without a person: for one agent, for all together, and the same
//! question again and again.

use std::collections::VecDeque;

use crate::core::log::log_entry::{Entry, Outcome};
use crate::core::policy::Consult;
use crate::core::question::Fingerprint;
use crate::session::message::AgentKey;

use super::Hub;

const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;

/// What all agents together have used, in Unix milliseconds: it outlives a server, by the log.
#[derive(Debug, Default)]
pub(super) struct Spent {
    answers: VecDeque<u64>,
    asked: VecDeque<u64>,
}

impl Spent {
    pub(super) fn of(log: &[Entry]) -> Spent {
        let mut spent = Spent::default();
        for entry in log {
            spent.asked.extend(entry.asked.iter().map(|turn| turn.asked_at));
            if entry.outcome == Outcome::Answered && entry.by != "person" {
                spent.answers.push_back(entry.settled_at);
            }
        }
        spent
    }
}

fn within(times: &VecDeque<u64>, now: u64, span: u64) -> usize {
    times.iter().filter(|at| now < **at + span).count()
}

impl Hub {
    /// Why this question may not be answered automatically although its route would allow it.
    pub(super) fn limit_reached(&mut self, key: AgentKey) -> Option<String> {
        let now = self.now;
        let agent = self.agents.get_mut(&key)?;
        let consult = &agent.policy.consult;
        agent.answered_ms.retain(|at| now.ms < at + HOUR_MS);
        let limit = consult.max_per_hour;
        if agent.answered_ms.len() >= limit as usize {
            return Some(format!(
                "{limit} automatic answers within the hour, the limit of [consult] max_per_hour"
            ));
        }
        let limit = consult.max_per_hour_all;
        (limit > 0 && within(&self.spent.answers, now.unix_ms, HOUR_MS) >= limit as usize).then(|| {
            format!("{limit} automatic answers of all agents within the hour, the limit of [consult] max_per_hour_all")
        })
    }

    /// Why a consultant would be asked in vain: the same question came just before, and before that.
    pub(super) fn loops(&self, key: AgentKey, fingerprint: Fingerprint) -> Option<String> {
        let agent = self.agents.get(&key)?;
        let limit = agent.policy.consult.repeat_limit as usize;
        let repeats = agent.recent.iter().filter(|seen| **seen == fingerprint.0).count();
        (limit > 0 && repeats + 1 >= limit)
            .then(|| format!("the same question for the {}. time", repeats + 1))
    }

    /// Why no consultant may be asked any more for now.
    pub(super) fn budget_spent(&self, consult: &Consult) -> Option<String> {
        let budgets = [
            (consult.asked_per_hour, HOUR_MS, "hour", "asked_per_hour"),
            (consult.asked_per_day, DAY_MS, "day", "asked_per_day"),
        ];
        let spent = budgets.iter().find(|(limit, span, _, _)| {
            *limit > 0 && within(&self.spent.asked, self.now.unix_ms, *span) >= *limit as usize
        });
        spent.map(|(limit, _, span, key)| {
            format!("consultants were asked {limit} times within the {span}, the budget of [consult] {key}")
        })
    }

    pub(super) fn note_asked(&mut self) {
        let now = self.now.unix_ms;
        self.spent.asked.retain(|at| now < at + DAY_MS);
        self.spent.asked.push_back(now);
    }

    pub(super) fn note_answer(&mut self, key: AgentKey) {
        let now = self.now;
        self.spent.answers.retain(|at| now.unix_ms < at + HOUR_MS);
        self.spent.answers.push_back(now.unix_ms);
        if let Some(agent) = self.agents.get_mut(&key) {
            agent.answered_ms.push_back(now.ms);
        }
    }
}
