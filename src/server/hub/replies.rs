//! The one table of replies that are owed to clients: what each waits for, and until when.
//!
//! Every request is answered at once or stands here, and leaves by one of these doors: it is answered, its time is
//! up, what it waited for is gone, or the client has left.

use std::collections::BTreeSet;

use crate::core::question::State;
use crate::server::effect::Effect;
use crate::server::hub::lookup::in_words;
use crate::server::lifecycle::agent::Agents;
use crate::server::question::ask::Asks;
use crate::server::question::track::Tracks;
use crate::session::message::{AgentKey, AskKey, ClientKey};
use crate::wire::message::{Reply, ServerMessage, Status, WaitFor};
use crate::wire::stopped::Stopped;

/// Exit code of the contract: no such agent.
const NO_SUCH: u8 = 3;
/// Replies that one connection is owed at most, so that an agent which asks without end takes no memory for ever. A
/// script waits for one thing at a time, a dashboard for a few.
const MAX_OWED: usize = 256;

/// A request, and whom its reply is owed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    pub client: ClientKey,
    pub id: u64,
}

impl Caller {
    pub fn answered(self, reply: Reply) -> Effect {
        let message = Box::new(ServerMessage::Reply { id: self.id, reply });
        Effect::Send { client: self.client, message }
    }
}

/// What a client waits for.
#[derive(Debug)]
pub enum Owed {
    /// An agent's coming to a state.
    State { agent: AgentKey, what: WaitFor, until_ms: Option<u64> },
    /// An agent's being up.
    Start(AgentKey),
    /// The end of this life of an agent, and then its next one's being up.
    Restart(AgentKey),
    /// The end of all that these ever started.
    Stop { agents: BTreeSet<AgentKey>, gone: Vec<Stopped> },
    /// Agents' standing still, or going on.
    Pause { agents: BTreeSet<AgentKey>, paused: bool, running: Vec<u32> },
    /// The end of the answer somebody gave to it, in its dialog and in the log.
    Answer(AskKey),
    /// The answer to a question put in words; how it ended is told when the log has it.
    Asked { ask: AskKey, reply: Option<Reply> },
    /// What an agent's hook is to say.
    Hook(AgentKey),
    /// What its session is to say: how the screen is judged, that a signal has been sent.
    OfSession(AgentKey),
    /// The server's making way for another.
    Replace,
}

/// What the table needs to know of agents and their questions.
#[derive(Debug, Clone, Copy)]
pub struct World<'a> {
    pub agents: &'a Agents,
    pub asks: &'a Asks,
    pub tracks: &'a Tracks,
}

/// What was waited for by whoever has left.
#[derive(Debug, PartialEq, Eq)]
pub enum Abandoned {
    Asked(AskKey),
    Hook(AgentKey),
}

#[derive(Debug, Default)]
pub struct Replies {
    owed: Vec<(Caller, Owed)>,
}

impl Replies {
    pub fn owe(&mut self, to: Caller, owed: Owed) {
        self.owed.push((to, owed));
    }

    /// A `wait`: answered at once if what is waited for has come, or never will.
    pub fn wait(&mut self, to: Caller, owed: Owed, world: World<'_>) -> Vec<Effect> {
        let Owed::State { agent, .. } = &owed else { return Vec::new() };
        if self.owed.iter().filter(|(other, _)| other.client == to.client).count() >= MAX_OWED {
            let what = format!("{MAX_OWED} requests of this connection wait for their replies already");
            return vec![to.answered(Reply::error(1, what))];
        }
        let agent = *agent;
        self.owe(to, owed);
        match world.agents.contains(agent) {
            true => self.check(agent, world),
            false => self.removed(agent, &Stopped { name: "the agent".to_owned(), ..Stopped::default() }),
        }
    }

    /// An agent comes up, or is on its way out, or whoever has given an answer is still to be told what came of it: a server that
    /// is to make way waits for that.
    pub fn hold_the_server(&self) -> bool {
        let holds = |owed: &Owed| match owed {
            Owed::Start(_) | Owed::Restart(_) | Owed::Stop { .. } | Owed::Answer(_) => true,
            Owed::Asked { reply, .. } => reply.is_some(),
            Owed::State { .. } | Owed::Pause { .. } | Owed::Hook(_) | Owed::OfSession(_) | Owed::Replace => {
                false
            }
        };
        self.owed.iter().any(|(_, owed)| holds(owed))
    }

    /// When the first wait is over.
    pub fn wake(&self) -> Option<u64> {
        let until = |(_, owed): &(Caller, Owed)| match owed {
            Owed::State { until_ms, .. } => *until_ms,
            _ => None,
        };
        self.owed.iter().filter_map(until).min()
    }

    fn take(&mut self, done: impl Fn(&Owed) -> bool) -> Vec<(Caller, Owed)> {
        self.owed.extract_if(.., |(_, owed)| done(owed)).collect()
    }

    fn answer(&mut self, done: impl Fn(&Owed) -> bool, reply: Reply) -> Vec<Effect> {
        self.take(done).into_iter().map(|(to, _)| to.answered(reply.clone())).collect()
    }

    /// The client has gone: nothing is owed to it any more.
    pub fn left(&mut self, client: ClientKey) -> Vec<Abandoned> {
        let gone = self.owed.extract_if(.., |(to, _)| to.client == client);
        let abandoned = gone.filter_map(|(_, owed)| match owed {
            Owed::Asked { ask, reply: None } => Some(Abandoned::Asked(ask)),
            Owed::Hook(agent) => Some(Abandoned::Hook(agent)),
            _ => None,
        });
        abandoned.collect()
    }

    /// Whose time is up is told.
    pub fn due(&mut self, now_ms: u64) -> Vec<Effect> {
        let late = |owed: &Owed| matches!(owed, Owed::State { until_ms: Some(at), .. } if now_ms >= *at);
        self.answer(late, Reply::error(124, "the time is up"))
    }

    /// Answers the waits that this agent's state fulfils, or can never fulfil any more. A state is believed only
    /// once it was judged after the last thing typed.
    pub fn check(&mut self, key: AgentKey, world: World<'_>) -> Vec<Effect> {
        let of_it = |owed: &Owed| matches!(owed, Owed::State { agent, .. } if *agent == key);
        let Some(agent) = world.agents.get(key).filter(|_| self.owed.iter().any(|(_, owed)| of_it(owed)))
        else {
            return Vec::new();
        };
        let state = agent.state();
        let open = world.tracks.get(key).and_then(|track| track.open).and_then(|ask| world.asks.get(ask));
        // One whose answer is on its way stands on the screen still, and asks nobody any more.
        let in_hand = open.is_some_and(|ask| matches!(ask.status(), Status::Answering | Status::Answered));
        let open = open.is_some_and(|ask| !ask.settled());
        let current = agent.sight.current || agent.sight.typed == 0;
        let in_words = in_words(world.asks, key).is_some();
        let met = |what: WaitFor| match what {
            WaitFor::Idle => state == State::Idle && current,
            WaitFor::Asking => {
                in_words
                    || ((state == State::Asking || (open && state == State::Idle)) && current && !in_hand)
            }
            WaitFor::Working => state == State::Working,
            WaitFor::Exited => state == State::Exited,
        };
        let done = |owed: &Owed| match owed {
            Owed::State { agent, what, .. } => *agent == key && (met(*what) || state == State::Exited),
            _ => false,
        };
        let exit_code = agent.info(None, None).exit_code;
        let reply = |owed: &Owed| match owed {
            Owed::State { what, .. } if met(*what) => Reply::Waited { state, exit_code },
            _ if agent.ending.stop_wanted => left_the_list(&agent.spec.name),
            _ => never(&agent.spec.name),
        };
        self.take(done).into_iter().map(|(to, owed)| to.answered(reply(&owed))).collect()
    }

    pub fn up(&mut self, agent: AgentKey) -> Vec<Effect> {
        self.answer(|owed| matches!(owed, Owed::Start(of) if *of == agent), Reply::Done)
    }

    pub fn not_up(&mut self, agent: AgentKey, reply: Reply) -> Vec<Effect> {
        self.answer(|owed| matches!(owed, Owed::Start(of) if *of == agent), reply)
    }

    /// An agent has ended and is started again: whoever wanted that waits for its new life.
    pub fn again(&mut self, ended: AgentKey, started: AgentKey) {
        for (_, owed) in &mut self.owed {
            if matches!(owed, Owed::Restart(of) if *of == ended) {
                *owed = Owed::Start(started);
            }
        }
    }

    /// The agent is off the list: whatever is waited for of it has come, or never will.
    pub fn removed(&mut self, key: AgentKey, remains: &Stopped) -> Vec<Effect> {
        let mut effects = self.not_up(key, Reply::error(1, format!("{} has exited", remains.name)));
        let stopped = Reply::error(1, format!("{} was stopped before it could start again", remains.name));
        effects.extend(self.answer(|owed| matches!(owed, Owed::Restart(of) if *of == key), stopped));
        for (_, owed) in &mut self.owed {
            if let Owed::Stop { agents, gone } = owed
                && agents.remove(&key)
            {
                gone.push(remains.clone());
            }
        }
        let of_it = |owed: &Owed| match owed {
            Owed::State { agent, .. } | Owed::OfSession(agent) => *agent == key,
            Owed::Stop { agents, .. } => agents.is_empty(),
            _ => false,
        };
        effects.extend(self.take(of_it).into_iter().map(|(to, owed)| match owed {
            Owed::Stop { gone, .. } => to.answered(Reply::Stopped { agents: gone }),
            Owed::State { what: WaitFor::Exited, .. } => {
                to.answered(Reply::Waited { state: State::Exited, exit_code: None })
            }
            _ => to.answered(left_the_list(&remains.name)),
        }));
        effects.extend(self.hook(key, None));
        effects.extend(self.pause_over(key));
        effects
    }

    pub fn paused(&mut self, key: AgentKey, now_paused: bool, still: &[u32]) -> Vec<Effect> {
        for (_, owed) in &mut self.owed {
            if let Owed::Pause { agents, paused, running } = owed
                && *paused == now_paused
                && agents.remove(&key)
            {
                running.extend(still);
            }
        }
        self.pauses_done()
    }

    /// Whoever let the agent go on has the last word: nobody will say that it stands still.
    pub fn pause_undone(&mut self, key: AgentKey) -> Vec<Effect> {
        let undone =
            |owed: &Owed| matches!(owed, Owed::Pause { agents, paused: true, .. } if agents.contains(&key));
        self.answer(undone, Reply::error(1, "the agent was let go on meanwhile"))
    }

    pub fn pause_over(&mut self, key: AgentKey) -> Vec<Effect> {
        for (_, owed) in &mut self.owed {
            if let Owed::Pause { agents, .. } = owed {
                agents.remove(&key);
            }
        }
        self.pauses_done()
    }

    fn pauses_done(&mut self) -> Vec<Effect> {
        let done = |owed: &Owed| matches!(owed, Owed::Pause { agents, .. } if agents.is_empty());
        let reply = |owed: Owed| match owed {
            Owed::Pause { running, .. } if !running.is_empty() => {
                Reply::error(1, format!("could not stop every process: {running:?} go on"))
            }
            _ => Reply::Done,
        };
        self.take(done).into_iter().map(|(to, owed)| to.answered(reply(owed))).collect()
    }

    pub fn answered(&mut self, ask: AskKey, reply: Reply) -> Vec<Effect> {
        self.answer(|owed| matches!(owed, Owed::Answer(of) if *of == ask), reply)
    }

    pub fn keep(&mut self, ask: AskKey, kept: Reply) {
        for (_, owed) in &mut self.owed {
            match owed {
                Owed::Asked { ask: of, reply } if *of == ask => *reply = Some(kept.clone()),
                _ => {}
            }
        }
    }

    /// The end of a question is on the disk: whoever asked may go on with it.
    pub fn logged(&mut self, ask: AskKey) -> Vec<Effect> {
        let told = self.take(|owed| match owed {
            Owed::Asked { ask: of, reply: Some(_) } | Owed::Answer(of) => *of == ask,
            _ => false,
        });
        let reply = |(to, owed): (Caller, Owed)| match owed {
            Owed::Asked { reply: Some(reply), .. } => Some(to.answered(reply)),
            Owed::Answer(_) => Some(to.answered(Reply::Done)),
            _ => None,
        };
        told.into_iter().filter_map(reply).collect()
    }

    pub fn hook(&mut self, agent: AgentKey, output: Option<serde_json::Value>) -> Vec<Effect> {
        self.answer(|owed| matches!(owed, Owed::Hook(of) if *of == agent), Reply::Hook { output })
    }

    /// An agent's session has a reply for whoever asked it.
    pub fn told(&mut self, to: Caller, reply: Reply) -> Vec<Effect> {
        self.owed.retain(|(owed_to, owed)| *owed_to != to || !matches!(owed, Owed::OfSession(_)));
        vec![to.answered(reply)]
    }

    pub fn replaced(&mut self) -> Vec<Effect> {
        self.answer(|owed| matches!(owed, Owed::Replace), Reply::Done)
    }
}

/// A state that will not come, of an agent that runs no more: a `wait` ends as it does where there is none.
fn never(name: &str) -> Reply {
    Reply::error(NO_SUCH, format!("{name} has exited; run 'counsel restart {name}' first"))
}

/// The same of one that somebody stops: it leaves the list.
fn left_the_list(name: &str) -> Reply {
    Reply::error(NO_SUCH, format!("{name} was stopped, and is no longer on the list"))
}
