//! Consultants: whose turn it is in each pane, and how the one that a question names is reached.
//!
//! A machine of the hub. It owns the queue of each consultant; it reads agents and questions, and returns messages.
//! The question is typed and the reply read by the consultant's session.

pub mod backlog;

use crate::core::agent::{DefinedIn, Start};
use crate::core::consult::chain::Chain;
use crate::server::hub::lookup::by_name;
use crate::server::hub::message::{Message, ToConsultants, ToQuestions};
use crate::server::hub::table::Table;
use crate::server::lifecycle::agent::{Agent, Agents};
use crate::server::lifecycle::message::ToLifecycle;
use crate::server::question::ask::Asks;
use crate::server::question::track::Tracks;
use crate::session::Life;
use crate::session::message::{AgentKey, AskKey, Now};

use backlog::{Backlog, Backlogs};

/// Consultants that may wait for one another: a worker's, and that one's own.
const MAX_HOPS: usize = 2;

/// What others own and this machine reads.
#[derive(Debug, Clone, Copy)]
pub struct World<'a> {
    pub now: Now,
    pub agents: &'a Agents,
    pub asks: &'a Asks,
    pub tracks: &'a Tracks,
}

#[derive(Debug)]
pub struct Consultants {
    pub backlogs: Backlogs,
    out: Vec<Message>,
}

impl Consultants {
    pub fn new() -> Consultants {
        Consultants { backlogs: Table::new(), out: Vec::new() }
    }

    pub fn on(&mut self, message: ToConsultants, world: World<'_>) -> Vec<Message> {
        match message {
            ToConsultants::Ask(ask) => self.ask(ask, world),
            ToConsultants::Cancel(ask) => self.cancel(ask),
            ToConsultants::Pump(agent) => self.pump(agent, world),
            ToConsultants::NotPut { agent, ask, why } => self.not_put(agent, ask, why, world),
            ToConsultants::Replied { agent, ask, text } => self.replied(agent, ask, text, world),
            ToConsultants::Used(agent) => self.backlogs.of(agent).used_ms = world.now.ms,
            ToConsultants::Left(agent) => self.left(agent, world),
            ToConsultants::Forget(agent) => {
                self.backlogs.remove(agent);
            }
            ToConsultants::Due(agent) => self.due(agent, world),
        }
        std::mem::take(&mut self.out)
    }

    fn next(&mut self, ask: AskKey, why: String) {
        self.out.push(Message::Question(ToQuestions::NextConsultant { ask, why }));
    }

    /// Has the consultant asked whose turn it is: in its pane, started for it if need be, or as a command.
    fn ask(&mut self, key: AskKey, world: World<'_>) {
        let Some(ask) = world.asks.get(key) else { return };
        let Some(with) = ask.consultant() else { return };
        if let Some(why) = self.circle(ask.agent, with, world) {
            return self.next(key, why);
        }
        let named = by_name(world.agents, with);
        if named.is_some_and(|named| is_another_projects(named, ask.agent, world)) {
            return self.next(key, format!("{with} is another project's agent"));
        }
        let running = named.filter(|key| world.agents.get(*key).is_some_and(|agent| !agent.gone()));
        if let Some(consultant) = running {
            self.backlogs.of(consultant).waiting.push_back(key);
            return self.pump(consultant, world);
        }
        let Some(policy) = world.agents.get(ask.agent).map(|agent| &agent.policy) else { return };
        if policy.standby.iter().any(|spec| spec.name == with) {
            let (asker, name) = (ask.agent, with.to_owned());
            return self.out.push(Message::Life(ToLifecycle::StartStandby { ask: key, asker, name }));
        }
        match policy.consultants.iter().find(|consultant| consultant.name == with) {
            Some(program) => {
                let (command, protocol) = (program.words().clone(), program.protocol());
                self.out.push(Message::Question(ToQuestions::Run { ask: key, command, protocol }));
            }
            None => {
                let why = if named.is_some() { "is not running" } else { "is not known" };
                self.next(key, format!("{with} {why}"));
            }
        }
    }

    /// Why asking `with` would end in agents that wait for each other.
    pub fn circle(&self, asker: AgentKey, with: &str, world: World<'_>) -> Option<String> {
        let mut here = asker;
        for _ in 0..MAX_HOPS {
            let before = self.waits_for(here, world)?;
            if world.agents.get(before)?.spec.name == with {
                return Some(format!("{with} waits for this very answer"));
            }
            here = before;
        }
        Some(format!("the question came from a consultant of a consultant already; {with} was not asked"))
    }

    /// The agent whose question this one is thinking about.
    fn waits_for(&self, consultant: AgentKey, world: World<'_>) -> Option<AgentKey> {
        let ask = world.asks.get(self.backlogs.get(consultant)?.current?)?;
        (ask.turn().is_some() && world.agents.contains(ask.agent)).then_some(ask.agent)
    }

    fn cancel(&mut self, key: AskKey) {
        let waits = |backlog: &Backlog| backlog.waiting.contains(&key);
        let agents: Vec<AgentKey> =
            self.backlogs.iter().filter(|(_, backlog)| waits(backlog)).map(|(agent, _)| agent).collect();
        for agent in agents {
            self.backlogs.of(agent).waiting.retain(|ask| *ask != key);
        }
    }

    /// Gives a consultant in a pane its next question when it is free.
    fn pump(&mut self, key: AgentKey, world: World<'_>) {
        let Some(agent) = world.agents.get(key) else { return };
        // What is typed beside an open question would be taken for its answer.
        let asking = world.tracks.get(key).is_some_and(|track| track.open.is_some());
        let free = agent.life == Life::Running && agent.sight.ready && !asking;
        let Some(backlog) = self.backlogs.get(key).filter(|backlog| backlog.current.is_none() && free) else {
            return;
        };
        if backlog.waiting.is_empty() {
            return;
        }
        let backlog = self.backlogs.of(key);
        let Some(ask) = backlog.next_in_turn(world.asks) else { return };
        (backlog.used_ms, backlog.current) = (world.now.ms, Some(ask));
        self.out.push(Message::Life(ToLifecycle::NotReady(key)));
        self.out.push(Message::Question(ToQuestions::PutInto { ask, consultant: key }));
    }

    /// A question did not get into the consultant's pane. Without a reason the pane was not free: it comes first
    /// once that is.
    fn not_put(&mut self, key: AgentKey, ask: AskKey, why: Option<String>, world: World<'_>) {
        let backlog = self.backlogs.of(key);
        if backlog.current != Some(ask) {
            return;
        }
        backlog.current = None;
        match why {
            None => backlog.waiting.push_front(ask),
            Some(why) if is_asked(ask, key, world) => self.next(ask, why),
            Some(_) => {}
        }
    }

    /// The consultant has said what it will say.
    fn replied(&mut self, key: AgentKey, ask: AskKey, text: String, world: World<'_>) {
        let backlog = self.backlogs.of(key);
        backlog.current = backlog.current.filter(|current| *current != ask);
        backlog.used_ms = world.now.ms;
        if is_asked(ask, key, world) {
            self.out.push(Message::Question(ToQuestions::Said { ask, text }));
        }
    }

    /// Ends a consultant started on demand that nobody asks any more.
    fn due(&mut self, key: AgentKey, world: World<'_>) {
        let Some(agent) = world.agents.get(key) else { return };
        let idle = idle_at(&self.backlogs, key, agent);
        if idle.is_some_and(|at| world.now.ms >= at) {
            self.out.push(Message::Life(ToLifecycle::StopIdle(key)));
        }
    }

    /// A consultant has gone: whoever waits for it is told.
    fn left(&mut self, key: AgentKey, world: World<'_>) {
        let Some(agent) = world.agents.get(key) else { return };
        let backlog = self.backlogs.of(key);
        let mut waiting: Vec<AskKey> = backlog.waiting.drain(..).collect();
        waiting.extend(backlog.current.take());
        // It was told to end for want of questions just when one came: it is started again.
        let comes_back = agent.spec.start == Start::Demand && agent.ending.unasked && agent.gone();
        for ask in waiting.into_iter().filter(|ask| is_asked(*ask, key, world)) {
            match comes_back {
                true => self.out.push(Message::Consultant(ToConsultants::Ask(ask))),
                false => self.next(ask, format!("{} has gone", agent.spec.name)),
            }
        }
    }
}

/// When a consultant started on demand is no longer wanted.
pub fn idle_at(backlogs: &Backlogs, key: AgentKey, agent: &Agent) -> Option<u64> {
    match backlogs.get(key) {
        Some(backlog) => backlog.idle_at(agent),
        None => Backlog::default().idle_at(agent),
    }
}

/// Whether it is this consultant's turn to answer.
fn is_asked(ask: AskKey, consultant: AgentKey, world: World<'_>) -> bool {
    let name = world.agents.get(consultant).map(|agent| agent.spec.name.as_str());
    let asked = world.asks.get(ask).and_then(|ask| ask.consultant());
    name.is_some() && name == asked
}

/// Whether an agent that another one's definition names as its consultant is of another project. The user's own rules may name
/// agents of any.
fn is_another_projects(named: AgentKey, asker: AgentKey, world: World<'_>) -> bool {
    let (Some(named), Some(asker)) = (world.agents.get(named), world.agents.get(asker)) else { return false };
    let meant = asker.spec.consultant.iter().flat_map(Chain::names).any(|name| name == named.spec.name);
    let own = named.spec.defined_in == Some(DefinedIn::User);
    meant && !own && DefinedIn::differ(named.spec.defined_in.as_ref(), asker.spec.defined_in.as_ref())
}
