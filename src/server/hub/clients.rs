//! Connections: who they are, what they may do, what they are told.

use crate::server::effect::Effect;
use crate::server::standing::Standing;
use crate::session::message::{AgentKey, ClientKey};
use crate::wire::message::{Reply, ServerMessage, Status};
use crate::wire::{Notice, VERSION};

use super::Hub;

#[derive(Debug)]
pub(super) struct Client {
    pub standing: Standing,
    /// The connecting process and its ancestors, nearest first.
    pub pids: Vec<u32>,
    pub subscribed: bool,
}

impl Hub {
    pub(super) fn joined(&mut self, key: ClientKey, pids: Vec<u32>) {
        let client = Client { standing: Standing::Stranger, pids, subscribed: false };
        self.clients.insert(key, client);
    }

    pub(super) fn left(&mut self, key: ClientKey) {
        self.clients.remove(&key);
        self.hook_left(key);
        self.waits.retain(|wait| wait.client != key);
        self.asker_left(key);
    }

    /// The first request of every connection: versions, and who it is.
    pub(super) fn hello(&mut self, key: ClientKey, version: u32, token: Option<&str>) -> Reply {
        let known = version == VERSION;
        let standing = if known { self.standing_of(key, token) } else { Standing::Stranger };
        if let Some(client) = self.clients.get_mut(&key) {
            client.standing = standing;
        }
        self.out.push(Effect::Admit { client: key, standing });
        if !known {
            return Reply::error(
                1,
                format!(
                    "the server speaks version {VERSION} of the protocol and this program {version}; run 'counsel server restart'"
                ),
            );
        }
        let server = format!("counsel {}", env!("CARGO_PKG_VERSION"));
        Reply::Hello { version: VERSION, server, pid: self.settings.pid }
    }

    fn standing_of(&self, key: ClientKey, token: Option<&str>) -> Standing {
        let by_token = token.and_then(|token| {
            let same = |(_, agent): &(&AgentKey, &super::Agent)| !token.is_empty() && agent.token == token;
            self.agents.iter().find(same).map(|(key, _)| *key)
        });
        let Some(client) = self.clients.get(&key) else { return Standing::Stranger };
        let within = self.agents.iter().find(|(_, agent)| {
            let own = [agent.pid, agent.keeper];
            client.pids.iter().any(|pid| own.contains(&Some(*pid)))
        });
        match (by_token, within.map(|(key, _)| *key), token) {
            (Some(agent), _, _) | (None, Some(agent), _) => Standing::Agent(Some(agent)),
            // A token of an agent this server does not know: some agent's child all the same.
            (None, None, Some(_)) => Standing::Agent(None),
            (None, None, None) => Standing::Person,
        }
    }

    pub(super) fn subscribe(&mut self, key: ClientKey) {
        let Some(client) = self.clients.get_mut(&key) else { return };
        client.subscribed = true;
        let agents: Vec<Notice> =
            self.agents.keys().map(|agent| Notice::Agent(self.agent_info(*agent))).collect();
        let open = self.asks.iter().filter(|(_, ask)| !ask.status.settled());
        let questions: Vec<Notice> =
            open.map(|(ask, _)| Notice::Question(self.question_info(*ask))).collect();
        // Whoever comes is told what nobody may have heard.
        let waiting =
            self.asks.iter().filter(|(_, ask)| matches!(ask.status, Status::Escalated | Status::Proposed));
        let calls: Vec<Notice> = waiting
            .map(|(key, ask)| Notice::Notification {
                agent: self.agents.get(&ask.agent).map_or_else(String::new, |agent| agent.spec.name.clone()),
                question: Some(ask.id.clone()),
                text: self
                    .notification_text(*key, ask.note.as_deref().unwrap_or("an answer waits for your word")),
            })
            .collect();
        for notice in agents.into_iter().chain(questions).chain(calls) {
            self.notify(key, notice);
        }
    }

    pub(super) fn send(&mut self, client: ClientKey, message: ServerMessage) {
        self.out.push(Effect::Send { client, message: Box::new(message) });
    }

    pub(super) fn reply(&mut self, client: ClientKey, id: u64, reply: Reply) {
        self.send(client, ServerMessage::Reply { id, reply });
    }

    pub(super) fn notify(&mut self, client: ClientKey, notice: Notice) {
        self.send(client, ServerMessage::Notice(notice));
    }

    /// To every subscriber.
    pub(super) fn broadcast(&mut self, notice: Notice) {
        let subscribed: Vec<ClientKey> =
            self.clients.iter().filter(|(_, client)| client.subscribed).map(|(key, _)| *key).collect();
        for client in subscribed {
            self.notify(client, notice.clone());
        }
    }

    pub(super) fn tell_agent(&mut self, key: AgentKey) {
        if self.agents.contains_key(&key) {
            self.broadcast(Notice::Agent(self.agent_info(key)));
        }
    }

    pub(super) fn agent_info(&self, key: AgentKey) -> crate::core::agent::AgentInfo {
        let agent = &self.agents[&key];
        let ask = agent.ask.and_then(|ask| self.asks.get(&ask)).filter(|ask| !ask.status.settled());
        agent.info(ask.map(|ask| ask.id.clone()), ask.and_then(|ask| ask.deadline_unix_ms))
    }

    /// A person is needed: subscribers ring and show it.
    pub(super) fn broadcast_notification(&mut self, agent: &str, question: Option<String>, text: &str) {
        self.broadcast(Notice::Notification { agent: agent.to_owned(), question, text: text.to_owned() });
    }
}
