//! A consultant in a pane: one question at a time, in turn for all who ask.
//!
//! The question is typed and the reply read by the consultant's session; here is said whose turn it is.

use crate::core::agent::Start;
use crate::server::effect::Effect;
use crate::session::Life;
use crate::session::message::{AgentKey, AskKey, ConsultOrder, Order};
use crate::wire::Notice;
use crate::wire::keeper::ToKeeper;
use crate::wire::message::Status;

use super::Hub;
use super::life::GRACE_MS;

impl Hub {
    /// Gives a consultant in a pane its next question when it is free.
    pub(super) fn pump(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get(&key) else { return };
        // What is typed beside an open question would be taken for its answer.
        let free = agent.consulted.is_none() && agent.ask.is_none() && agent.life == Life::Running;
        if free
            && agent.sight.ready
            && let Some(ask) = self.next_in_turn(key)
        {
            self.put_question(key, ask);
        }
    }

    /// The first question in the queue of whoever was served longest ago.
    pub(super) fn next_in_turn(&mut self, key: AgentKey) -> Option<AskKey> {
        let agent = self.agents.get_mut(&key)?;
        let asks = &self.asks;
        agent.queue.retain(|ask| asks.get(ask).is_some_and(|ask| ask.status == Status::Consulting));
        let served = |ask: &AskKey| {
            let asker = asks.get(ask).map(|ask| ask.agent);
            agent.served.iter().position(|served| Some(*served) == asker)
        };
        // `None`, never served, comes before every position.
        let (at, _) = agent.queue.iter().enumerate().min_by_key(|(at, ask)| (served(ask), *at))?;
        let ask = agent.queue.remove(at)?;
        let asker = self.asks.get(&ask)?.agent;
        agent.served.retain(|known| *known != asker);
        agent.served.push(asker);
        Some(ask)
    }

    fn put_question(&mut self, key: AgentKey, ask_key: AskKey) {
        let now = self.now;
        let text = self.briefing(ask_key, false);
        let Some(ask) = self.asks.get_mut(&ask_key) else { return };
        ask.prompt_sent = Some(text.clone());
        let (id, question) = (ask.id.clone(), ask.question.clone());
        if let Some(agent) = self.agents.get_mut(&key) {
            agent.used_ms = now.ms;
            agent.consulted = Some(ask_key);
            agent.sight.ready = false;
        }
        let order = ConsultOrder { ask: ask_key, id, question, text };
        self.order(key, Order::Consult(Box::new(order)));
    }

    /// A question did not get into the consultant's pane. Without a reason the pane was not free: it comes first
    /// once that is.
    pub(super) fn question_not_put(&mut self, key: AgentKey, ask: AskKey, why: Option<String>) {
        let Some(agent) = self.agents.get_mut(&key).filter(|agent| agent.consulted == Some(ask)) else {
            return;
        };
        agent.consulted = None;
        match why {
            None => agent.queue.push_front(ask),
            Some(why) if self.is_asked(ask, key) => self.next_consultant(ask, why),
            Some(_) => {}
        }
    }

    /// The consultant has said what it will say.
    pub(super) fn replied(&mut self, key: AgentKey, ask: AskKey, text: &str) {
        let now = self.now;
        if let Some(agent) = self.agents.get_mut(&key) {
            agent.consulted = agent.consulted.filter(|consulted| *consulted != ask);
            agent.used_ms = now.ms;
        }
        if self.is_asked(ask, key) {
            self.said(ask, text);
        }
    }

    /// Whether it is this consultant's turn to answer.
    pub(super) fn is_asked(&self, ask: AskKey, consultant: AgentKey) -> bool {
        let name = self.agents.get(&consultant).map(|agent| agent.spec.name.as_str());
        self.asks
            .get(&ask)
            .is_some_and(|ask| ask.status == Status::Consulting && name == Some(ask.route.as_str()))
    }

    /// Whether a consultant can be asked nothing because of what stands in its input line.
    pub(super) fn held_up(&self, name: &str) -> bool {
        let consultant = self.by_name(name).and_then(|key| self.agents.get(&key));
        consultant.is_some_and(|agent| agent.sight.draft && agent.consulted.is_none())
    }

    /// Starts a consultant that stands by for this asker, if there is one of that name.
    pub(super) fn start_standby(&mut self, asker: AgentKey, name: &str) -> Option<AgentKey> {
        let policy = self.agents.get(&asker)?.policy.clone();
        let spec = policy.standby.iter().find(|spec| spec.name == name)?.clone();
        if let Some(old) = self.by_name(name) {
            self.agents.remove(&old);
            self.out.push(Effect::Forget { agent: old });
            self.broadcast(Notice::Gone { name: name.to_owned() });
        }
        Some(self.spawn(spec, (*policy).clone(), None))
    }

    /// Ends a consultant started on demand that nobody asks any more.
    pub(super) fn end_idle(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        if agent.idle_at().is_some_and(|at| self.now.ms >= at) {
            agent.ending.stop_wanted = true;
            self.keeper(key, ToKeeper::Stop { grace_ms: GRACE_MS });
        }
    }

    /// A consultant has gone: whoever waits for it is told.
    pub(super) fn consultant_left(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let mut waiting: Vec<AskKey> = agent.queue.drain(..).collect();
        waiting.extend(agent.consulted.take());
        let name = agent.spec.name.clone();
        // It was told to end for want of questions just when one came: it is started again.
        let comes_back = agent.spec.start == Start::Demand && agent.ending.stop_wanted && agent.gone();
        for ask in waiting {
            if comes_back && self.is_asked(ask, key) {
                self.dispatch(ask);
            } else if self.is_asked(ask, key) {
                self.next_consultant(ask, format!("{name} has gone"));
            }
        }
    }
}
