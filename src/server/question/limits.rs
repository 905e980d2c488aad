//! How much may be answered and asked without a person: for one agent, for all together, and the same
//! question again and again.

use crate::core::question::Fingerprint;
use crate::session::message::{AgentKey, AskKey};

use super::ask::Ask;
use super::phase::{AnsweredBy, Phase};
use super::spent::{HOUR_MS, MINUTE_MS, Of};
use super::{Questions, World};

/// Within one minute an agent may have this part of its hour: ten questions of a set-up come one upon the other, a program
/// that never stops asking goes on.
const MINUTES_PART: u32 = 6;

impl Questions {
    /// Why this question may not be answered automatically although its route would allow it.
    pub(super) fn limit_reached(&self, ask: AskKey, key: AgentKey, world: World<'_>) -> Option<String> {
        let now = world.now;
        let agent = world.agents.get(key)?;
        let consult = &agent.policy.consult;
        // Those on their way count as well: many that are asked at once were all answered.
        let on_the_way = |ask: &Ask| match &ask.phase {
            Phase::Delivering(decision, _) => decision.by != AnsweredBy::Person,
            _ => false,
        };
        let others = self.asks.iter().filter(|(other, _)| *other != ask).map(|(_, other)| other);
        let under_way: Vec<AgentKey> =
            others.filter(|other| on_the_way(other)).map(|other| other.agent).collect();
        let of_agent = under_way.iter().filter(|agent| **agent == key).count();
        let limit = consult.max_per_hour;
        if self.spent.answers_of(Of::agent(agent), now.unix_ms) + of_agent >= limit as usize {
            return Some(format!(
                "{limit} automatic answers within the hour, the limit of [consult] max_per_hour"
            ));
        }
        let limit = consult.max_per_hour_all;
        (limit > 0 && self.spent.answers(now.unix_ms) + under_way.len() >= limit as usize).then(|| {
            format!("{limit} automatic answers of all agents within the hour, the limit of [consult] max_per_hour_all")
        })
    }

    /// Why no consultant is asked: this agent's questions were taken to one too often, whatever came of that. Whoever is
    /// asked costs time and money.
    pub(super) fn consulted_too_often(&self, key: AgentKey, world: World<'_>) -> Option<String> {
        let now = world.now;
        let agent = world.agents.get(key)?;
        let hour = agent.policy.consult.max_per_hour;
        let within = |span: u64| self.spent.consulted(Of::agent(agent), now.unix_ms, span);
        let minute = hour.div_ceil(MINUTES_PART);
        let spans = [(hour, within(HOUR_MS), "the hour"), (minute, within(MINUTE_MS), "a minute")];
        let (limit, _, span) = spans.into_iter().find(|(limit, count, _)| *count >= *limit as usize)?;
        Some(format!(
            "its questions were taken to a consultant {limit} times within {span}, by [consult] max_per_hour"
        ))
    }

    pub(super) fn note_consulted(&mut self, key: AgentKey, world: World<'_>) {
        if let Some(agent) = world.agents.get(key) {
            self.spent.note_consulted(&agent.spec.name, world.now.unix_ms);
        }
    }

    /// Why a consultant would be asked in vain: the same question came just before, and before that.
    pub(super) fn loops(&self, key: AgentKey, fingerprint: Fingerprint, world: World<'_>) -> Option<String> {
        let agent = world.agents.get(key)?;
        let limit = agent.policy.consult.repeat_limit as usize;
        let repeats = self.spent.repeats(Of::agent(agent), fingerprint);
        (limit > 0 && repeats + 1 >= limit)
            .then(|| format!("the same question for the {}. time", repeats + 1))
    }
}
