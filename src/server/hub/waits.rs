//! Requests that wait for an agent to come to a state.

use crate::core::question::State;
use crate::session::message::{AgentKey, ClientKey};
use crate::wire::message::{Reply, WaitFor};

use super::Hub;

/// A `wait`.
#[derive(Debug)]
pub(super) struct PendingWait {
    pub client: ClientKey,
    pub id: u64,
    pub agent: AgentKey,
    pub what: WaitFor,
    pub until_ms: Option<u64>,
}

impl Hub {
    /// The agent is off the list: nothing will come of waiting for it.
    pub(super) fn waits_over(&mut self, key: AgentKey, name: &str) {
        for wait in self.waits.extract_if(.., |wait| wait.agent == key).collect::<Vec<_>>() {
            let reply = match wait.what {
                WaitFor::Exited => Reply::Waited { state: State::Exited, exit_code: None },
                WaitFor::Idle | WaitFor::Asking | WaitFor::Working => {
                    Reply::error(1, format!("{name} has exited"))
                }
            };
            self.reply(wait.client, wait.id, reply);
        }
    }

    pub(super) fn wait_for(
        &mut self,
        client: ClientKey,
        id: u64,
        agent: AgentKey,
        what: WaitFor,
        timeout_ms: Option<u64>,
    ) {
        let until_ms = timeout_ms.map(|ms| self.now.ms + ms);
        self.waits.push(PendingWait { client, id, agent, what, until_ms });
        self.check_waits(agent);
    }

    pub(super) fn tick_waits(&mut self) {
        let now = self.now;
        let late = |wait: &PendingWait| wait.until_ms.is_some_and(|at| now.ms >= at);
        for wait in self.waits.extract_if(.., |wait| late(wait)).collect::<Vec<_>>() {
            self.reply(wait.client, wait.id, Reply::error(124, "the time is up"));
        }
    }

    /// Answers the waits that this agent's state fulfils, or can never fulfil any more. A state is believed only
    /// once it was judged after the last thing typed.
    pub(super) fn check_waits(&mut self, key: AgentKey) {
        if !self.waits.iter().any(|wait| wait.agent == key) {
            return;
        }
        let Some(agent) = self.agents.get(&key) else { return };
        let (state, info) = (agent.state(), self.agent_info(key));
        let current = agent.sight.current || agent.sight.typed == 0;
        let asking = state == State::Asking || (info.question.is_some() && state == State::Idle);
        let met = |what: WaitFor| match what {
            WaitFor::Idle => state == State::Idle && current,
            WaitFor::Asking => asking && current,
            WaitFor::Working => state == State::Working,
            WaitFor::Exited => state == State::Exited,
        };
        let over = |wait: &mut PendingWait| wait.agent == key && (met(wait.what) || state == State::Exited);
        for wait in self.waits.extract_if(.., over).collect::<Vec<_>>() {
            let reply = if met(wait.what) {
                Reply::Waited { state, exit_code: info.exit_code }
            } else {
                Reply::error(1, format!("{} has exited", info.name))
            };
            self.reply(wait.client, wait.id, reply);
        }
    }
}
