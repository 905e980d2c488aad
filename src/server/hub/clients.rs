//! Connections: who they are, what they may do, what they are told.

use std::collections::BTreeMap;

use crate::core::terminal::grid::{Grid, Size};
use crate::core::terminal::sizing::agreed;
use crate::server::effect::{AgentKey, ClientKey, Effect, JournalPart};
use crate::wire::message::{Pane, Reply, ServerMessage, Status};
use crate::wire::{Notice, VERSION};

use super::Hub;

/// What a client is let do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It has not said hello yet.
    Stranger,
    /// A person's terminal or script.
    Person,
    /// Something an agent started: it may look, and use the hook. Never answer, never type.
    Agent(Option<AgentKey>),
}

/// One watched agent of one client.
#[derive(Debug)]
pub(super) struct Watched {
    pub shadow: Grid,
    pub dirty: bool,
    /// No picture before this.
    pub due_ms: u64,
    pub sent_extra: (crate::core::terminal::modes::Modes, String),
    pub size: Option<Size>,
    /// When this client last showed that it is used: the hub's count of activity.
    pub active: u64,
}

#[derive(Debug)]
pub(super) struct Client {
    pub standing: Standing,
    /// The connecting process and its ancestors, nearest first.
    pub pids: Vec<u32>,
    pub subscribed: bool,
    pub watched: BTreeMap<AgentKey, Watched>,
    /// Pictures on their way to it.
    pub in_flight: u32,
}

impl Hub {
    pub(super) fn joined(&mut self, key: ClientKey, pids: Vec<u32>) {
        let client = Client {
            standing: Standing::Stranger,
            pids,
            subscribed: false,
            watched: BTreeMap::new(),
            in_flight: 0,
        };
        self.clients.insert(key, client);
    }

    pub(super) fn left(&mut self, key: ClientKey) {
        let watched = self.clients.remove(&key).map(|client| client.watched).unwrap_or_default();
        for agent in watched.into_keys() {
            self.agree_on_size(agent);
        }
        self.hook_left(key);
        self.reads.retain(|read| read.client != key);
        self.waits.retain(|wait| wait.client != key);
        self.asker_left(key);
    }

    /// The first request of every connection: versions, and who it is.
    pub(super) fn hello(&mut self, key: ClientKey, version: u32, token: Option<&str>) -> Reply {
        if version != VERSION {
            return Reply::error(
                1,
                format!(
                    "the server speaks version {VERSION} of the protocol and this program {version}; run 'counsel server restart'"
                ),
            );
        }
        let by_token = token.and_then(|token| {
            let same = |(_, agent): &(&AgentKey, &super::Agent)| !token.is_empty() && agent.token == token;
            self.agents.iter().find(same).map(|(key, _)| *key)
        });
        let Some(client) = self.clients.get_mut(&key) else { return Reply::Done };
        let within = self.agents.iter().find(|(_, agent)| {
            let own = [agent.pid, agent.keeper];
            client.pids.iter().any(|pid| own.contains(&Some(*pid)))
        });
        client.standing = match (by_token, within.map(|(key, _)| *key), token) {
            (Some(agent), _, _) | (None, Some(agent), _) => Standing::Agent(Some(agent)),
            // A token of an agent this server does not know: some agent's child all the same.
            (None, None, Some(_)) => Standing::Agent(None),
            (None, None, None) => Standing::Person,
        };
        let server = format!("counsel {}", env!("CARGO_PKG_VERSION"));
        Reply::Hello { version: VERSION, server, pid: self.settings.pid }
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

    pub(super) fn watch(&mut self, key: ClientKey, panes: Vec<Pane>) -> Reply {
        let mut wanted = Vec::new();
        for pane in panes {
            let Some(agent) = self.by_name(&pane.name) else { continue };
            wanted.push((agent, pane.size));
        }
        let now = self.now;
        let Some(client) = self.clients.get_mut(&key) else { return Reply::Done };
        // Whom it no longer watches is for the others to size.
        let mut resized: Vec<AgentKey> = Vec::new();
        client.watched.retain(|agent, _| {
            let kept = wanted.iter().any(|(want, _)| want == agent);
            resized.extend((!kept).then_some(*agent));
            kept
        });
        for (agent, size) in wanted {
            let entry = client.watched.entry(agent).or_insert_with(|| Watched {
                shadow: Grid::default(),
                dirty: true,
                due_ms: now.ms,
                sent_extra: Default::default(),
                size: None,
                active: 0,
            });
            if entry.size != size {
                entry.size = size;
                if size.is_some() {
                    self.activity += 1;
                    entry.active = self.activity;
                }
                resized.push(agent);
            }
        }
        for agent in resized {
            self.agree_on_size(agent);
        }
        Reply::Done
    }

    /// Somebody types into an agent: with `Sizing::Latest` it takes their size.
    pub(super) fn active_viewer(&mut self, client: ClientKey, key: AgentKey) {
        let latest =
            self.clients.iter().filter_map(|(client, c)| Some((c.watched.get(&key)?.active, *client)));
        if latest.max().is_none_or(|(_, latest)| latest == client) {
            return;
        }
        let watched = self.clients.get_mut(&client).and_then(|client| client.watched.get_mut(&key));
        if let Some(watched) = watched.filter(|watched| watched.size.is_some()) {
            self.activity += 1;
            watched.active = self.activity;
            self.agree_on_size(key);
        }
    }

    fn agree_on_size(&mut self, key: AgentKey) {
        let watching = self.clients.values().filter_map(|client| client.watched.get(&key));
        let votes = watching.filter_map(|watched| Some((watched.active, watched.size?)));
        if let Some(size) = agreed(self.settings.sizing, votes) {
            self.resize_agent(key, size);
        }
    }

    pub(super) fn resize_agent(&mut self, key: AgentKey, size: Size) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        // An adopted pane is as large as its user's tmux has it.
        if agent.screen.size() == size.clamped() || agent.spec.pane.is_some() {
            return;
        }
        agent.screen.resize(size);
        agent.watcher.saw_resize(now.ms);
        agent.was_resized(now);
        if agent.recorded.any() {
            self.out.push(Effect::RecordedSize { agent: key, size });
        }
        self.out.push(Effect::Journal { agent: key, parts: vec![JournalPart::Resized(size)] });
        self.out.push(Effect::Resize { agent: key, size });
        self.mark_dirty(key);
        self.tell_agent(key);
    }

    /// Viewers of an agent that was started again go on with its successor.
    pub(super) fn move_watchers(&mut self, from: AgentKey, to: AgentKey) {
        for client in self.clients.values_mut() {
            if let Some(mut watched) = client.watched.remove(&from) {
                watched.dirty = true;
                client.watched.insert(to, watched);
            }
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

    pub(super) fn tell_watchers(&mut self, agent: AgentKey, notice: Notice) {
        let watching = self.clients.iter().filter(|(_, client)| client.watched.contains_key(&agent));
        let keys: Vec<ClientKey> = watching.map(|(key, _)| *key).collect();
        for client in keys {
            self.notify(client, notice.clone());
        }
    }

    pub(super) fn tell_agent(&mut self, key: AgentKey) {
        if self.agents.contains_key(&key) {
            self.broadcast(Notice::Agent(self.agent_info(key)));
        }
    }

    /// Titles change many times a second while an agent animates them: subscribers hear of it only
    /// when the words do, not the spinner in front of them.
    pub(super) fn title_changed(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let words = agent.screen.title().trim_start_matches(|c: char| !c.is_alphanumeric()).to_owned();
        if words != agent.told_title {
            agent.told_title = words;
            self.tell_agent(key);
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
