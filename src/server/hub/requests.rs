//! Requests: each looked up, permitted or refused, and handed to the file that does it.

use crate::core::consult::chain::Chain;
use crate::core::policy::guard::veto;
use crate::core::policy::route::{GivenOptions, resolve};
use crate::core::question::Answer;
use crate::server::standing::{no_agent, permitted};
use crate::session::message::{AgentKey, AskKey, ClientKey, Order};
use crate::wire::Request;
use crate::wire::keeper::{SIGNALS, ToKeeper};
use crate::wire::message::{GivenAnswer, Reply, Status};

use super::Hub;
use super::ask::Decided;
use super::asked::Words;

/// Exit codes of the contract.
const FAILED: u8 = 1;
const NO_SUCH: u8 = 3;
const REFUSED: u8 = 4;

impl Hub {
    pub(super) fn request(&mut self, client: ClientKey, id: u64, request: Request) {
        let Some(standing) = self.clients.get(&client).map(|client| client.standing) else { return };
        if let Request::Hello { version, token } = &request {
            let reply = self.hello(client, *version, token.as_deref());
            return self.reply(client, id, reply);
        }
        if let Err(reply) = permitted(standing, &request) {
            return self.reply(client, id, reply);
        }
        if let Some(reply) = self.perform(client, id, request) {
            self.reply(client, id, reply);
        }
    }

    /// `None`: the reply comes later, or has gone already.
    fn perform(&mut self, client: ClientKey, id: u64, request: Request) -> Option<Reply> {
        match request {
            Request::Hello { .. } => None,
            Request::Ping => Some(Reply::Done),
            Request::Foreign => Some(foreign()),
            Request::Start { spec, policy } => self.start(client, id, *spec, *policy),
            Request::Stop { names, grace_ms } => self.stop(client, id, &names, grace_ms),
            Request::Replace => self.replace(client, id),
            Request::Down { grace_ms } => self.down(client, id, grace_ms),
            Request::List => {
                let agents = self.agents.keys().map(|key| self.agent_info(*key)).collect();
                Some(Reply::Agents { agents })
            }
            Request::Pause { names } => self.request_pause(client, id, &names, true),
            Request::Resume { names } => self.request_pause(client, id, &names, false),
            Request::Restart { name } => Some(self.one(&name, Hub::restart)),
            Request::Signal { name, signal } => Some(self.one(&name, |hub, key| hub.signal(key, &signal))),
            Request::Subscribe => {
                self.reply(client, id, Reply::Done);
                self.subscribe(client);
                None
            }
            Request::Questions { all } => Some(self.questions(all)),
            Request::Answer { id: question, answer } => self.answer(client, id, &question, &answer),
            Request::Confirm { id: question, accept } => self.confirm(client, id, &question, accept),
            Request::Consult { id, with } => Some(self.consult_now(&id, with)),
            Request::Explain { name } => self.explain(client, id, &name),
            // Whoever carries requests takes these to the agent's session.
            Request::Resize { name, .. }
            | Request::Send { name, .. }
            | Request::Keys { name, .. }
            | Request::Read { name, .. }
            | Request::Wait { name, .. }
            | Request::History { name, .. }
            | Request::Record { name, .. } => Some(no_agent(&name)),
            Request::Watch { .. } => Some(Reply::Done),
            Request::Hook { event, payload } => self.hook(client, id, &event, &payload),
            Request::AskCounsel { question, options, context, wait_ms } => {
                self.ask_counsel(client, id, Words { question, options, context, wait_ms })
            }
        }
    }

    fn questions(&self, all: bool) -> Reply {
        let shown = self.asks.iter().filter(|(_, ask)| all || !ask.status.settled());
        Reply::Questions { questions: shown.map(|(key, _)| self.question_info(*key)).collect() }
    }

    fn one(&mut self, name: &str, act: impl FnOnce(&mut Hub, AgentKey) -> Reply) -> Reply {
        match self.by_name(name) {
            Some(key) => act(self, key),
            None => no_agent(name),
        }
    }

    /// Every named agent, or none if one of the names is unknown. No names: all.
    pub(super) fn named(&self, names: &[String]) -> Result<Vec<AgentKey>, Reply> {
        if names.is_empty() {
            return Ok(self.agents.keys().copied().collect());
        }
        names.iter().map(|name| self.by_name(name).ok_or_else(|| no_agent(name))).collect()
    }

    fn signal(&mut self, key: AgentKey, signal: &str) -> Reply {
        if !SIGNALS.contains(&signal) {
            return Reply::error(
                2,
                format!("'{signal}' is not a signal that can be sent; one of {}", SIGNALS.join(" ")),
            );
        }
        if self.agents[&key].gone() {
            return Reply::error(FAILED, "the agent has exited");
        }
        self.keeper(key, ToKeeper::Signal { signal: signal.to_owned() });
        Reply::Done
    }

    pub(super) fn ask_by_id(&self, id: &str) -> Result<AskKey, Reply> {
        let key = id.strip_prefix('q').and_then(|number| number.parse().ok()).map(AskKey);
        key.filter(|key| self.asks.contains_key(key)).ok_or_else(|| {
            Reply::error(NO_SUCH, format!("there is no question '{id}'; see 'counsel questions'"))
        })
    }

    /// `None`: the reply comes once the session has said whether the answer is being typed.
    fn answer(&mut self, client: ClientKey, request: u64, id: &str, given: &GivenAnswer) -> Option<Reply> {
        let (key, answer) = match self.given_answer(id, given) {
            Ok(both) => both,
            Err(reply) => return Some(reply),
        };
        self.cancel_consultation(key);
        self.decide(key, Decided { answer, by: "person".to_owned(), reason: None });
        self.reply_to_answer(key, client, request)
    }

    fn reply_to_answer(&mut self, key: AskKey, client: ClientKey, request: u64) -> Option<Reply> {
        let ask = self.asks.get_mut(&key)?;
        if ask.delivering {
            ask.reply_to = Some((client, request));
            return None;
        }
        Some(match ask.status {
            Status::Escalated => Reply::error(FAILED, ask.note.clone().unwrap_or_default()),
            Status::Open | Status::Consulting | Status::Proposed | Status::Answering => Reply::Done,
            Status::Answered | Status::Withdrawn => Reply::Done,
        })
    }

    /// A person's answer to a question that is open and on the screen.
    fn given_answer(&self, id: &str, given: &GivenAnswer) -> Result<(AskKey, Answer), Reply> {
        let key = self.ask_by_id(id)?;
        let ask = &self.asks[&key];
        let stale = || Reply::error(REFUSED, format!("{id} is no longer the question on screen"));
        if ask.status.settled() {
            return Err(stale());
        }
        if ask.status == Status::Answering {
            return Err(Reply::error(REFUSED, format!("{id} is being answered at this moment")));
        }
        let Some(agent) = self.agents.get(&ask.agent) else { return Err(stale()) };
        if agent.paused() {
            let name = &agent.spec.name;
            let why = format!("{name} is paused; run 'counsel resume {name}' first");
            return Err(Reply::error(REFUSED, why));
        }
        let on_screen = agent.on_screen();
        let shown = on_screen.map(|question| question.fingerprint()) == Some(ask.fingerprint);
        if !shown && !self.hook_open(key) && !self.in_words(key) {
            return Err(stale());
        }
        let given =
            GivenOptions { options: &given.options, text: given.text.as_deref(), reject: given.reject };
        let answer = resolve(&given, &ask.question)
            .map_err(|why| Reply::error(2, format!("could not answer {id}: {why}")))?;
        Ok((key, answer))
    }

    fn confirm(&mut self, client: ClientKey, request: u64, id: &str, accept: bool) -> Option<Reply> {
        let key = match self.ask_by_id(id) {
            Ok(key) => key,
            Err(reply) => return Some(reply),
        };
        if self.asks[&key].status != Status::Proposed {
            return Some(Reply::error(REFUSED, format!("no answer to {id} waits for confirmation")));
        }
        if accept {
            self.deliver(key);
            return self.reply_to_answer(key, client, request);
        }
        self.escalate(key, "the proposed answer was turned down".to_owned(), String::new());
        Some(Reply::Done)
    }

    fn consult_now(&mut self, id: &str, with: Option<String>) -> Reply {
        let key = match self.ask_by_id(id) {
            Ok(key) => key,
            Err(reply) => return reply,
        };
        let ask = &self.asks[&key];
        if ask.status.settled() || ask.status == Status::Answering {
            return Reply::error(REFUSED, format!("{id} is no longer open"));
        }
        if ask.question.kind.person_only() || !consultable(ask.question.kind) {
            return Reply::error(
                REFUSED,
                format!("a {} question is a person's to answer", ask.question.kind.name()),
            );
        }
        if let Some(why) = veto(&ask.question) {
            return Reply::error(REFUSED, format!("{why}: a person answers that"));
        }
        let agent = &self.agents[&ask.agent];
        let Some(with) = with.map(Chain::from).or_else(|| agent.spec.consultant.clone()) else {
            return Reply::error(
                FAILED,
                format!("{} has no consultant; name one with --with", agent.spec.name),
            );
        };
        let known = |name: &str| {
            let policy = &agent.policy;
            self.by_name(name).is_some()
                || policy.consultants.iter().any(|command| command.name == name)
                || policy.standby.iter().any(|spec| spec.name == name)
        };
        if let Some(name) = with.names().find(|name| !known(name)) {
            return Reply::error(NO_SUCH, format!("there is no consultant '{name}'"));
        }
        if with.names().any(|name| name == agent.spec.name) {
            return Reply::error(REFUSED, "an agent does not answer itself");
        }
        let seconds = agent.policy.consult.deadline_secs;
        self.cancel_consultation(key);
        self.restart_clock(key, seconds);
        self.read_context(key);
        self.consult(key, &with);
        Reply::Done
    }

    fn explain(&mut self, client: ClientKey, id: u64, name: &str) -> Option<Reply> {
        let Some(key) = self.by_name(name) else { return Some(no_agent(name)) };
        let hook = self.hook_step(key);
        self.order(key, Order::Explain { client, id, hook });
        None
    }
}

/// Questions that may go to a consultant at all, as far as a person asks for it.
fn consultable(kind: crate::core::question::Kind) -> bool {
    use crate::core::question::Kind;
    match kind {
        Kind::Menu | Kind::Multi | Kind::Review | Kind::Text | Kind::YesNo => true,
        Kind::Permission | Kind::Plan | Kind::Trust | Kind::Login | Kind::Password | Kind::Dialog => false,
    }
}

/// What a client of a later version is told.
fn foreign() -> Reply {
    Reply::error(
        FAILED,
        "this server does not know that request; 'counsel server restart' puts the one of your program in \
         its place",
    )
}
