//! The hub: everything that concerns more than one agent, as machines that tell one another what to do.
//!
//! The server's loop feeds it one event at a time and performs the effects it returns. It has no lock, no clock and
//! no I/O, and it never waits for anyone. An event becomes messages, each goes to the machine it is for, and what
//! that returns comes next, until nothing is left: run with `RUST_LOG=counsel::server::hub=trace` to read it.

pub mod deadlines;
pub mod lookup;
pub mod message;
mod news;
pub mod queue;
pub mod replies;
pub mod settings;
pub mod table;

use std::collections::BTreeSet;

use crate::core::agent::AgentSpec;
use crate::core::log::log_entry::Entry;
use crate::core::policy::Policy;
use crate::core::profile::Profiles;
use crate::server::clients::{self, Clients};
use crate::server::consultant::{self, Consultants};
use crate::server::effect::{Effect, Event, put_before_typing};
use crate::server::hooks::{self, Hooks};
use crate::server::lifecycle::Lifecycle;
use crate::server::lifecycle::message::ToLifecycle;
use crate::server::question::{self, Questions};
use crate::server::remembered::Remembered;
use crate::session::Setup;
use crate::session::message::{AgentKey, AskKey, ClientKey, Now};
use crate::wire::message::{Reply, ServerMessage};

use deadlines::Deadlines;
use message::{Message, ToClients, ToConsultants, ToHooks, ToQuestions, ToReplies};
use queue::Queue;
use replies::{Abandoned, Caller, Owed, Replies};
pub use settings::Settings;

/// What may be due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Agent(AgentKey),
    Restart(AgentKey),
    Sweep(AgentKey),
    Question(AskKey),
    /// A `wait` whose time is up.
    Replies,
    /// Whoever came while agents were taken back has waited long enough.
    TakenBack,
    /// The server's own end.
    Server,
}

/// All state of the server, each part owned by one machine.
#[derive(Debug)]
pub struct Hub {
    lifecycle: Lifecycle,
    questions: Questions,
    hooks: Hooks,
    consultants: Consultants,
    clients: Clients,
    replies: Replies,
    deadlines: Deadlines<Due>,
    queue: Queue,
    now: Now,
    out: Vec<Effect>,
}

impl Hub {
    /// `decisions`: the newest log entries of earlier servers, oldest first.
    pub fn new(settings: Settings, profiles: Profiles, decisions: Vec<Entry>, next_ask: u64) -> Hub {
        Hub {
            questions: Questions::new(decisions, next_ask, settings.nonce_key),
            lifecycle: Lifecycle::new(settings, profiles),
            hooks: Hooks::new(),
            consultants: Consultants::new(),
            clients: Clients::new(),
            replies: Replies::default(),
            deadlines: Deadlines::new(),
            queue: Queue::default(),
            now: Now::default(),
            out: Vec::new(),
        }
    }

    /// An agent found running by a new server.
    pub fn adopt(
        &mut self,
        spec: AgentSpec,
        policy: Policy,
        earlier: Option<Remembered>,
        now: Now,
    ) -> (AgentKey, Setup) {
        self.now = now;
        if let Some(earlier) = &earlier {
            self.questions.go_on_behind(earlier.last_number());
        }
        let (key, setup, messages) = self.lifecycle.adopt(spec, policy, earlier, now);
        self.run(messages);
        self.run(vec![Message::Question(ToQuestions::Compare(key))]);
        self.settle();
        (key, setup)
    }

    /// Takes one event; what is to be done about it comes back, in order.
    pub fn step(&mut self, event: Event, now: Now) -> Vec<Effect> {
        self.now = now;
        tracing::trace!(?event, "event");
        self.run(heard(event));
        self.settle();
        std::mem::take(&mut self.out)
    }

    /// When the hub wants to be woken without an event.
    pub fn next_wake(&self) -> Option<u64> {
        self.deadlines.next()
    }

    /// Dispatches these and whatever they lead to.
    fn run(&mut self, messages: Vec<Message>) {
        self.queue.put(messages);
        while let Some((depth, message)) = self.queue.take() {
            tracing::trace!(depth, ?message, "dispatch");
            let next = self.dispatch(message);
            self.queue.put(next);
        }
    }

    /// To the machine it is for.
    fn dispatch(&mut self, message: Message) -> Vec<Message> {
        let now = self.now;
        let (agents, asks, tracks) = (&self.lifecycle.agents, &self.questions.asks, &self.questions.tracks);
        match message {
            Message::Question(message) => {
                let (hooks, backlogs) = (&self.hooks.states, &self.consultants.backlogs);
                let world = question::World { now, agents, hooks, backlogs };
                self.questions.on(message, world)
            }
            Message::Hook(message) => self.hooks.on(message, hooks::World { now, agents, asks, tracks }),
            Message::Consultant(message) => {
                self.consultants.on(message, consultant::World { now, agents, asks, tracks })
            }
            Message::Life(message) => self.lifecycle.on(message, now),
            Message::Client(message) => {
                let (hooks, pid) = (&self.hooks.states, self.lifecycle.pid());
                let failed = &self.lifecycle.failed;
                let world = clients::World { now, agents, failed, asks, tracks, hooks, pid };
                self.clients.on(message, world)
            }
            Message::Reply(message) => self.dispatch_reply(message),
            Message::Effect(effect) => {
                self.out.push(effect);
                Vec::new()
            }
        }
    }

    fn dispatch_reply(&mut self, message: ToReplies) -> Vec<Message> {
        let world = replies::World {
            agents: &self.lifecycle.agents,
            asks: &self.questions.asks,
            tracks: &self.questions.tracks,
        };
        let replies = &mut self.replies;
        let effects = match message {
            ToReplies::Owe(to, owed) => {
                replies.owe(to, owed);
                Vec::new()
            }
            ToReplies::Wait { from, agent, what, timeout_ms } => {
                let until_ms = timeout_ms.map(|ms| self.now.ms.saturating_add(ms));
                replies.wait(from, Owed::State { agent, what, until_ms }, world)
            }
            ToReplies::Check(agent) => replies.check(agent, world),
            ToReplies::Up(agent) => replies.up(agent),
            ToReplies::NotUp { agent, reply } => replies.not_up(agent, reply),
            ToReplies::Again { ended, started } => {
                replies.again(ended, started);
                Vec::new()
            }
            ToReplies::Removed { agent, remains } => replies.removed(agent, &remains),
            ToReplies::Paused { agent, paused, running } => replies.paused(agent, paused, &running),
            ToReplies::PauseUndone(agent) => replies.pause_undone(agent),
            ToReplies::PauseOver(agent) => replies.pause_over(agent),
            ToReplies::Answer { ask, reply } => replies.answered(ask, reply),
            ToReplies::Keep { ask, reply } => {
                replies.keep(ask, reply);
                Vec::new()
            }
            ToReplies::Logged(ask) => replies.logged(ask),
            ToReplies::Hook { agent, output } => replies.hook(agent, output),
            ToReplies::Told { to, reply } => replies.told(to, *reply),
            ToReplies::Replaced => replies.replaced(),
            ToReplies::Due => replies.due(self.now.ms),
            ToReplies::Left(client) => return abandoned(replies.left(client)),
        };
        effects.into_iter().map(Message::Effect).collect()
    }

    /// Looks at whatever is due and at whatever has changed, and notes when each is due again.
    fn settle(&mut self) {
        let (mut agents, mut asks) = self.changed();
        for due in self.deadlines.due(self.now.ms) {
            match due {
                Due::Agent(agent) => {
                    agents.insert(agent);
                }
                Due::Question(ask) => {
                    asks.insert(ask);
                }
                Due::Restart(agent) => self.run(vec![Message::Life(ToLifecycle::RestartDue(agent))]),
                Due::Sweep(agent) => self.run(vec![Message::Life(ToLifecycle::SweepDue(agent))]),
                Due::Replies => self.run(vec![Message::Reply(ToReplies::Due)]),
                Due::TakenBack | Due::Server => {}
            }
        }
        for agent in &agents {
            self.run(vec![
                Message::Question(ToQuestions::AgentDue(*agent)),
                Message::Hook(ToHooks::Due(*agent)),
                Message::Consultant(ToConsultants::Due(*agent)),
            ]);
        }
        let (more_agents, more_asks) = self.changed();
        agents.extend(more_agents);
        asks.extend(more_asks);
        asks.iter().for_each(|ask| self.run(vec![Message::Question(ToQuestions::Due(*ask))]));
        let clients = !self.clients.clients.is_empty();
        let busy = self.replies.hold_the_server() || self.questions.any_ordered();
        let messages = self.lifecycle.check(self.now, clients, busy);
        self.run(messages);
        if self.clients.holds_requests() && self.lifecycle.unseen_until(self.now.ms).is_none() {
            self.run(vec![Message::Client(ToClients::TakenBack)]);
        }
        let (more_agents, more_asks) = self.changed();
        agents.extend(more_agents);
        asks.extend(more_asks);
        self.have_remembered(&agents, &asks);
        self.note_deadlines(&agents, &asks);
    }

    /// The agents and the questions of which anything has changed.
    fn changed(&mut self) -> (BTreeSet<AgentKey>, BTreeSet<AskKey>) {
        let mut agents = self.lifecycle.agents.take_changed();
        agents.extend(self.questions.tracks.take_changed());
        agents.extend(self.hooks.states.take_changed());
        agents.extend(self.consultants.backlogs.take_changed());
        self.clients.clients.take_changed();
        (agents, self.questions.asks.take_changed())
    }

    /// Has the keepers hold what the next server is to know of these.
    fn have_remembered(&mut self, agents: &BTreeSet<AgentKey>, asks: &BTreeSet<AskKey>) {
        let of_ask = |ask: &AskKey| self.questions.asks.get(*ask).map(|ask| ask.agent);
        let agents: BTreeSet<AgentKey> =
            asks.iter().filter_map(of_ask).chain(agents.iter().copied()).collect();
        for agent in agents {
            let open = self.questions.open_questions(agent);
            let sight = self.lifecycle.agents.get(agent).map(|agent| &agent.sight);
            let typed = sight.map(|sight| sight.typed);
            let hidden = sight.is_some_and(|sight| sight.drawn_over);
            let consent = hidden || self.questions.consent_stands(agent, typed);
            let done = self.out.len();
            self.run(vec![Message::Life(ToLifecycle::Remember { agent, open, consent })]);
            put_before_typing(&mut self.out, done, agent);
        }
    }

    fn note_deadlines(&mut self, agents: &BTreeSet<AgentKey>, asks: &BTreeSet<AskKey>) {
        for key in agents {
            self.deadlines.set(Due::Agent(*key), self.agent_wake(*key));
            self.deadlines.set(Due::Restart(*key), self.lifecycle.restart_at(*key));
            self.deadlines.set(Due::Sweep(*key), self.lifecycle.sweep_look_at(*key));
        }
        for key in asks {
            self.deadlines.set(Due::Question(*key), self.question_wake(*key));
        }
        self.deadlines.set(Due::Replies, self.replies.wake());
        let held = self.clients.holds_requests().then(|| self.lifecycle.unseen_until(self.now.ms)).flatten();
        self.deadlines.set(Due::TakenBack, held);
        self.deadlines.set(Due::Server, self.lifecycle.wake());
    }

    fn agent_wake(&self, key: AgentKey) -> Option<u64> {
        let agent = self.lifecycle.agents.get(key)?;
        let track = self.questions.tracks.get(key);
        let open = track.is_some_and(|track| track.open.is_some());
        let waits = [
            self.questions.missing_at(key),
            self.questions.still_at(key),
            track.and_then(|track| track.conflict_wake()),
            self.hooks.states.get(key).and_then(|hook| hook.wake(open)),
            consultant::idle_at(&self.consultants.backlogs, key, agent),
            self.questions.left_wake(key, agent, self.now),
        ];
        waits.into_iter().flatten().min()
    }

    fn question_wake(&self, key: AskKey) -> Option<u64> {
        let ask = self.questions.asks.get(key)?;
        let paused = self.lifecycle.agents.get(ask.agent).is_some_and(|agent| agent.paused());
        question::consulting::wake(ask, paused)
    }
}

/// What an event means to the machines.
fn heard(event: Event) -> Vec<Message> {
    let one = match event {
        Event::News { agent, news } => return news::heard_of(agent, news),
        Event::Left { client } => return left(client),
        Event::Joined { client, verdict } => Message::Client(ToClients::Joined { client, verdict }),
        Event::Request { client, id, request } => {
            Message::Client(ToClients::Request { from: Caller { client, id }, request })
        }
        Event::Context { ask, files, secrets } => {
            Message::Question(ToQuestions::ContextRead { ask, files, secrets })
        }
        Event::Logged { ask, written } => Message::Question(ToQuestions::Logged { ask, written }),
        Event::LogHead { client, id, log, head, waiting } => {
            let message = ServerMessage::Reply { id, reply: Reply::LogHead { log, head, waiting } };
            Message::Effect(Effect::Send { client, message: Box::new(message) })
        }
        Event::Quiet { ask, left_ms } => Message::Question(ToQuestions::Quiet { ask, left_ms }),
        Event::PathLooked { ask, link } => Message::Question(ToQuestions::PathLooked { ask, link }),
        Event::LogReserved { ask, done } => Message::Question(ToQuestions::LogReserved { ask, done }),
        Event::Consulted { ask, turn, said } => {
            Message::Question(ToQuestions::CommandSaid { ask, turn, said })
        }
        Event::Trouble { what } => {
            Message::Client(ToClients::Notify { agent: String::new(), question: None, text: what })
        }
        Event::Memory { agent, kib } => Message::Life(ToLifecycle::Memory { agent, kib }),
        Event::TieCut { agent } => Message::Life(ToLifecycle::TieCut(agent)),
        Event::ForSession { agent, order } => Message::Effect(Effect::Order { agent, order }),
        Event::Wake => return Vec::new(),
        Event::Leave => Message::Life(ToLifecycle::End),
    };
    vec![one]
}

fn left(client: ClientKey) -> Vec<Message> {
    vec![Message::Client(ToClients::Left(client)), Message::Reply(ToReplies::Left(client))]
}

/// What somebody waited for who waits no more.
fn abandoned(what: Vec<Abandoned>) -> Vec<Message> {
    let message = |abandoned| match abandoned {
        Abandoned::Asked(ask) => Message::Question(ToQuestions::AskerLeft(ask)),
        Abandoned::Hook(agent) => Message::Hook(ToHooks::Left(agent)),
    };
    what.into_iter().map(message).collect()
}

#[cfg(test)]
#[path = "property_tests.rs"]
mod property;
#[cfg(test)]
#[path = "stage_tests.rs"]
mod stage;
#[cfg(test)]
#[path = "hub_tests.rs"]
mod tests;
