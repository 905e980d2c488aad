//! What all agents together have used of what may be answered and asked without a person.

use std::collections::VecDeque;

use crate::core::log::log_entry::{Entry, Outcome};
use crate::core::policy::Consult;

pub const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;

/// In Unix milliseconds: it outlives a server, by the log.
#[derive(Debug, Default)]
pub struct Spent {
    answers: VecDeque<u64>,
    asked: VecDeque<u64>,
    /// Of agents that earlier servers had: its name, and when it was answered automatically, or its question taken to a
    /// consultant.
    earlier_answers: Vec<(String, u64)>,
    earlier_consulted: Vec<(String, u64)>,
}

fn within(times: &VecDeque<u64>, now: u64, span: u64) -> usize {
    times.iter().filter(|at| now < **at + span).count()
}

fn of(times: &[(String, u64)], agent: &str, now: u64, span: u64) -> usize {
    times.iter().filter(|(name, at)| name == agent && now < *at + span).count()
}

impl Spent {
    pub fn of(log: &[Entry]) -> Spent {
        let mut spent = Spent::default();
        for entry in log {
            spent.asked.extend(entry.asked.iter().map(|turn| turn.asked_at));
            let consulted = entry.asked.first().map(|turn| (entry.agent.clone(), turn.asked_at));
            spent.earlier_consulted.extend(consulted);
            // The log knows who answered by these words alone.
            if entry.outcome == Outcome::Answered && entry.by != "person" {
                spent.answers.push_back(entry.settled_at);
                spent.earlier_answers.push((entry.agent.clone(), entry.settled_at));
            }
        }
        spent
    }

    /// Automatic answers within the last hour.
    pub fn answers(&self, now_unix_ms: u64) -> usize {
        within(&self.answers, now_unix_ms, HOUR_MS)
    }

    /// Automatic answers that this agent had under earlier servers within the last hour.
    pub fn earlier_answers(&self, agent: &str, now_unix_ms: u64) -> usize {
        of(&self.earlier_answers, agent, now_unix_ms, HOUR_MS)
    }

    /// Its questions that those have taken to a consultant within so long.
    pub fn earlier_consulted(&self, agent: &str, now_unix_ms: u64, span: u64) -> usize {
        of(&self.earlier_consulted, agent, now_unix_ms, span)
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

    pub fn note_answer(&mut self, now_unix_ms: u64) {
        self.answers.retain(|at| now_unix_ms < at + HOUR_MS);
        self.answers.push_back(now_unix_ms);
    }
}
