//! Pause and resume: asked of the keeper, answered when the keeper has seen it happen.

use std::collections::BTreeSet;

use crate::session::message::{AgentKey, ClientKey};
use crate::wire::keeper::ToKeeper;
use crate::wire::message::Reply;

use super::Hub;
use crate::session::Life;

/// A client that waits until agents stand still, or go on.
#[derive(Debug)]
pub(super) struct PauseRequest {
    client: ClientKey,
    id: u64,
    agents: BTreeSet<AgentKey>,
    paused: bool,
    /// Processes that could not be stopped.
    running: Vec<u32>,
}

impl Hub {
    pub(super) fn request_pause(
        &mut self,
        client: ClientKey,
        id: u64,
        names: &[String],
        pause: bool,
    ) -> Option<Reply> {
        let keys = match self.named(names) {
            Ok(keys) => keys,
            Err(reply) => return Some(reply),
        };
        let (from, message) = match pause {
            true => (Life::Running, ToKeeper::Pause),
            false => (Life::Paused, ToKeeper::Resume),
        };
        if let (false, Some(gone)) = (names.is_empty(), keys.iter().find(|key| self.agents[key].gone())) {
            return Some(Reply::error(1, format!("{} has exited", self.agents[gone].spec.name)));
        }
        let adopted = keys.iter().find_map(|key| self.adopted(*key, "paused"));
        if let (false, Some(refusal)) = (names.is_empty(), adopted) {
            return Some(refusal);
        }
        let ours = keys.into_iter().filter(|key| self.agents[key].spec.pane.is_none());
        let agents: BTreeSet<AgentKey> = ours.filter(|key| self.agents[key].life == from).collect();
        if agents.is_empty() {
            return Some(Reply::Done);
        }
        for key in &agents {
            self.keeper(*key, message.clone());
        }
        self.pause_requests.push(PauseRequest { client, id, agents, paused: pause, running: Vec::new() });
        None
    }

    /// An agent stands still or goes on; `running`: processes of it that do not stop.
    pub(super) fn pause_confirmed(&mut self, key: AgentKey, paused: bool, running: &[u32]) {
        for wait in self.pause_requests.iter_mut().filter(|wait| wait.paused == paused) {
            if wait.agents.remove(&key) {
                wait.running.extend(running);
            }
        }
        self.answer_pause_requests();
    }

    /// An agent has ended: nobody need wait for it any more.
    pub(super) fn pause_over(&mut self, key: AgentKey) {
        for wait in &mut self.pause_requests {
            wait.agents.remove(&key);
        }
        self.answer_pause_requests();
    }

    fn answer_pause_requests(&mut self) {
        for wait in self.pause_requests.extract_if(.., |wait| wait.agents.is_empty()).collect::<Vec<_>>() {
            let reply = if wait.running.is_empty() {
                Reply::Done
            } else {
                Reply::error(1, format!("could not stop every process: {:?} go on", wait.running))
            };
            self.reply(wait.client, wait.id, reply);
        }
    }
}
