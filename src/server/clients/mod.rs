//! Connections: who they are, what they may do, what they are told, and where their requests go.
//!
//! A machine of the hub. It owns the clients; it reads agents and questions, and returns messages.

mod requests;

use crate::core::agent::AgentInfo;
use crate::core::ancestry::{Identity, Verdict};
use crate::server::effect::Effect;
use crate::server::hooks::state::HookStates;
use crate::server::hub::lookup::{agent_info, name_of};
use crate::server::hub::message::{Message, ToClients};
use crate::server::hub::replies::Caller;
use crate::server::hub::table::Table;
use crate::server::lifecycle::agent::{Agent, Agents};
use crate::server::lifecycle::failed::FailedStarts;
use crate::server::lifecycle::message::ToLifecycle;
use crate::server::question::ask::Asks;
use crate::server::question::notify::notification_text;
use crate::server::question::track::Tracks;
use crate::server::standing::{Standing, of_client};
use crate::session::message::{ClientKey, Now};
use crate::wire::message::{Reply, ServerMessage};
use crate::wire::{Notice, Request, VERSION};

/// A connection.
#[derive(Debug)]
pub struct Client {
    pub standing: Standing,
    /// What its ancestors say.
    verdict: Verdict,
    subscribed: bool,
    /// The one call whose agent its names mean.
    only: Option<u64>,
}

/// What others own and this machine reads.
#[derive(Debug, Clone, Copy)]
pub struct World<'a> {
    pub now: Now,
    pub agents: &'a Agents,
    pub failed: &'a FailedStarts,
    pub asks: &'a Asks,
    pub tracks: &'a Tracks,
    pub hooks: &'a HookStates,
    /// The server's own process.
    pub pid: u32,
}

#[derive(Debug)]
pub struct Clients {
    pub clients: Table<ClientKey, Client>,
    /// Requests that wait until the agents of the server before have been seen.
    held: Vec<(Caller, Request)>,
    out: Vec<Message>,
}

impl Clients {
    pub fn new() -> Clients {
        Clients { clients: Table::new(), held: Vec::new(), out: Vec::new() }
    }

    pub fn on(&mut self, message: ToClients, world: World<'_>) -> Vec<Message> {
        match message {
            ToClients::Joined { client, verdict } => {
                let new = Client { standing: Standing::Stranger, verdict, subscribed: false, only: None };
                self.clients.insert(client, new);
            }
            ToClients::Left(client) => {
                self.clients.remove(client);
                self.held.retain(|(from, _)| from.client != client);
                self.out.push(Message::Life(ToLifecycle::NextPane { client, next: None }));
            }
            ToClients::Request { from, request } => self.request(from, request, world),
            ToClients::TakenBack => {
                let held = std::mem::take(&mut self.held);
                held.into_iter().for_each(|(from, request)| self.request(from, request, world));
            }
            ToClients::Tell(notice) => self.broadcast(&notice),
            ToClients::TellAgent(key) => {
                if let Some(info) = agent_info(world.agents, world.asks, world.tracks, key) {
                    self.broadcast(&Notice::Agent(Box::new(info)));
                }
            }
            ToClients::TellQuestion(key) => {
                if let Some(ask) = world.asks.get(key) {
                    self.broadcast(&Notice::Question(ask.info()));
                }
            }
            ToClients::Notify { agent, question, text } => {
                self.broadcast(&Notice::Notification { agent, question, text });
            }
            ToClients::NotifyOf { agent, text } => {
                let agent = name_of(world.agents, agent);
                self.broadcast(&Notice::Notification { agent, question: None, text });
            }
            ToClients::Bell(key) => {
                if let Some(agent) = world.agents.get(key) {
                    self.broadcast(&Notice::Bell { name: agent.spec.name.clone() });
                }
            }
        }
        std::mem::take(&mut self.out)
    }

    pub fn holds_requests(&self) -> bool {
        !self.held.is_empty()
    }

    fn respond(&mut self, from: Caller, reply: Reply) {
        self.out.push(Message::Effect(from.answered(reply)));
    }

    fn notify(&mut self, client: ClientKey, notice: Notice) {
        let message = Box::new(ServerMessage::Notice(notice));
        self.out.push(Message::Effect(Effect::Send { client, message }));
    }

    /// To every subscriber.
    fn broadcast(&mut self, notice: &Notice) {
        let subscribed: Vec<ClientKey> =
            self.clients.iter().filter(|(_, client)| client.subscribed).map(|(key, _)| key).collect();
        for client in subscribed {
            self.notify(client, notice.clone());
        }
    }

    /// The first request of every connection: versions, and who it is. Its reply goes first: once the client is admitted,
    /// what it asked behind its hello is answered by another task.
    fn hello(&mut self, from: Caller, version: u32, token: Option<&str>, world: World<'_>) {
        let known = version == VERSION;
        let decided =
            if known { self.standing_of(from.client, token, world) } else { Ok(Standing::Stranger) };
        let standing = *decided.as_ref().unwrap_or(&Standing::Refused);
        if let Some(client) = self.clients.get_mut(from.client) {
            client.standing = standing;
        }
        let server = format!("counsel {}", env!("CARGO_PKG_VERSION"));
        let reply = match decided {
            _ if !known => Reply::error(
                1,
                format!(
                    "the server speaks version {VERSION} of the protocol and this program {version}; run 'counsel server restart'"
                ),
            ),
            Err(refusal) => refusal,
            Ok(_) => Reply::Hello { version: VERSION, server, pid: world.pid },
        };
        self.respond(from, reply);
        self.out.push(Message::Effect(Effect::Admit { client: from.client, standing }));
    }

    fn standing_of(&self, key: ClientKey, token: Option<&str>, world: World<'_>) -> Result<Standing, Reply> {
        let Some(client) = self.clients.get(key) else { return Ok(Standing::Stranger) };
        let found = |is: &dyn Fn(&Agent) -> bool| {
            world.agents.iter().find(|(_, agent)| is(agent)).map(|(key, _)| key)
        };
        let agent_of =
            |keeper: Identity| found(&|agent| [agent.pid, agent.keeper].contains(&Some(keeper.pid)));
        let shown = token.map(|token| found(&|agent| !token.is_empty() && agent.token == token));
        of_client(&client.verdict, agent_of, shown)
    }

    fn subscribe(&mut self, key: ClientKey, world: World<'_>) {
        let Some(client) = self.clients.get_mut(key) else { return };
        client.subscribed = true;
        let agents = listed(world).into_iter().map(|info| Notice::Agent(Box::new(info)));
        let open = world.asks.values().filter(|ask| !ask.settled());
        let questions = open.map(|ask| Notice::Question(ask.info()));
        // Whoever comes is told what nobody may have heard.
        let waiting = world.asks.values().filter(|ask| ask.waits_for_person());
        let calls = waiting.map(|ask| {
            let why = ask.note.as_deref().unwrap_or("an answer waits for your word");
            let text = notification_text(world.agents, ask, why);
            let agent = ask.agent_name.clone();
            Notice::Notification { agent, question: Some(ask.id.clone()), text }
        });
        let notices: Vec<Notice> = agents.chain(questions).chain(calls).collect();
        notices.into_iter().for_each(|notice| self.notify(key, notice));
    }
}

/// Every agent there is, and those that could not be started.
fn listed(world: World<'_>) -> Vec<AgentInfo> {
    let info = |key| agent_info(world.agents, world.asks, world.tracks, key);
    world.agents.keys().filter_map(info).chain(world.failed.infos().cloned()).collect()
}
