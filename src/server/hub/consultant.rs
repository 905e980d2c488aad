//! A consultant in a pane: one question at a time, in turn for all who ask, and the reply read off its screen.

use crate::core::agent::Start;
use crate::core::consult::read_reply;
use crate::core::deliver::Delivery;
use crate::core::detect::watch::last_message;
use crate::core::question::State;
use crate::server::effect::{AgentKey, AskKey, Effect};
use crate::wire::Notice;
use crate::wire::keeper::ToKeeper;
use crate::wire::message::Status;

use super::Hub;
use super::agent::Typing;
use super::life::GRACE_MS;

/// A consultant that shows no work for this long after the question and then stands idle has said
/// what it will say.
const SILENT_MS: u64 = 3_000;
/// Gemini says that it is done before it draws the end of what it said: a message that is no reply, or the one
/// before, is read again until the consultant has been idle for this long.
const DRAWS_MS: u64 = 1_000;

/// A question that a consultant in a pane is thinking about.
#[derive(Debug)]
pub(super) struct Thinking {
    pub ask: AskKey,
    pub submitted_ms: u64,
    /// It has been seen at work since.
    pub worked: bool,
    /// Its last message before the question was put.
    pub before: Option<String>,
    /// Since when it has been idle.
    pub idle_ms: Option<u64>,
    /// When its screen is to be looked at again.
    pub look_ms: Option<u64>,
}

impl Hub {
    /// Gives a consultant in a pane its next question when it is free, and reads its reply when it
    /// has thought.
    pub(super) fn pump(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get(&key) else { return };
        if agent.thinking.is_some() {
            return self.read_pane(key);
        }
        // What is typed beside an open question would be taken for its answer.
        let ready = agent.verdict.state == State::Idle
            && agent.state == State::Idle
            && agent.typing.is_none()
            && agent.first_prompt.is_none()
            && agent.ask.is_none();
        let draft = agent.verdict.composer.as_ref().map(|composer| composer.draft.as_str());
        if !ready || draft.is_none() {
            return;
        }
        if draft != Some("") {
            return self.send_unsent_draft(key);
        }
        self.forget_draft(key);
        if let Some(ask) = self.next_in_turn(key) {
            self.put_question(key, ask);
        }
    }

    /// The first question in the queue of whoever was served longest ago.
    pub(super) fn next_in_turn(&mut self, key: AgentKey) -> Option<AskKey> {
        let agent = self.agents.get_mut(&key)?;
        let asks = &self.asks;
        agent.queue.retain(|ask| asks.get(ask).is_some_and(|ask| ask.status == Status::Consulting));
        let served = |ask: &AskKey| agent.served.iter().position(|asker| *asker == asks[ask].agent);
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
        if let Some(agent) = self.agents.get_mut(&key) {
            agent.used_ms = now.ms;
        }
        if let Some(ask) = self.asks.get_mut(&ask_key) {
            ask.prompt_sent = Some(text.clone());
        }
        let agent = self.agents.get_mut(&key).expect("pump checked that the consultant is there");
        // While a long question is typed and submitted, this message may be out of view, and then in view again.
        let before = last_message(&agent.profile, agent.screen.grid());
        let delivery = Delivery::prompt(&text, &agent.profile.keys, agent.typed, now.ms);
        agent.typing = Some(Typing::Consultation(ask_key, Box::new(delivery)));
        if let Some(ask) = self.asks.get_mut(&ask_key) {
            ask.said_before = before;
        }
        self.drive_typing(key);
    }

    /// The question stands in the consultant's pane: from now on it thinks.
    pub(super) fn question_put(&mut self, key: AgentKey, ask: AskKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let before = self.asks.get_mut(&ask).and_then(|ask| ask.said_before.take());
        let worked = agent.verdict.state == State::Working;
        agent.thinking =
            Some(Thinking { ask, submitted_ms: now.ms, worked, before, idle_ms: None, look_ms: None });
    }

    fn read_pane(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let Some(thinking) = agent.thinking.as_mut() else { return };
        if agent.verdict.state != State::Idle || agent.state != State::Idle {
            (thinking.idle_ms, thinking.look_ms) = (None, None);
            return;
        }
        let idle_ms = *thinking.idle_ms.get_or_insert(now.ms);
        let said = last_message(&agent.profile, agent.screen.grid());
        let fresh = said.is_some() && said != thinking.before;
        let reads = |said: &String| {
            self.asks.get(&thinking.ask).is_some_and(|ask| read_reply(said, &ask.question, &ask.id).is_ok())
        };
        // Without a sign of work it may be the reply to another question, in view again as the pane scrolls.
        let whole = thinking.worked && fresh && said.as_ref().is_some_and(reads);
        let until = if thinking.worked { idle_ms + DRAWS_MS } else { thinking.submitted_ms + SILENT_MS };
        let said = said.filter(|_| thinking.worked || fresh);
        if !whole && now.ms < until {
            thinking.look_ms = Some(until);
            return;
        }
        let ask = thinking.ask;
        agent.thinking = None;
        agent.used_ms = now.ms;
        // A remark that ends in a question mark is its reply, and no question of its own.
        agent.replied = agent.verdict.question.as_ref().map(|question| question.fingerprint());
        if self.is_asked(ask, key) {
            self.said(ask, said.as_deref().unwrap_or(""));
        }
        self.pump(key);
    }

    /// Whether it is this consultant's turn to answer.
    pub(super) fn is_asked(&self, ask: AskKey, consultant: AgentKey) -> bool {
        let name = self.agents.get(&consultant).map(|agent| agent.spec.name.as_str());
        self.asks
            .get(&ask)
            .is_some_and(|ask| ask.status == Status::Consulting && name == Some(ask.route.as_str()))
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
        Some(self.admit(spec, (*policy).clone(), true))
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
        waiting.extend(agent.thinking.take().map(|thinking| thinking.ask));
        if let Some(Typing::Consultation(ask, _)) = &agent.typing {
            waiting.push(*ask);
            agent.typing = None;
        }
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
