//! Requests: each looked up, permitted or refused, and handed to the file that does it.

use crate::core::agent::valid_name;
use crate::core::consult::chain::Chain;
use crate::core::detect::watch::explain;
use crate::core::policy::guard::veto;
use crate::core::policy::route::{GivenOptions, resolve};
use crate::core::question::Answer;
use crate::core::terminal::keys::Input;
use crate::server::effect::{AgentKey, AskKey, ClientKey};
use crate::wire::keeper::{SIGNALS, ToKeeper};
use crate::wire::message::{GivenAnswer, Reply, Status, WaitFor};
use crate::wire::{Notice, Request};

use super::Hub;
use super::agent::Life;
use super::ask::Decided;
use super::asked::Words;
use super::clients::Standing;
use super::conflict::hook_signal;
use super::read::{PendingWait, Read};

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
        let permitted = permitted(standing, &request);
        if let Request::Keys { name, input } = request {
            return self.keys(client, permitted, name, &input);
        }
        if let Err(reply) = permitted {
            return self.reply(client, id, reply);
        }
        if let Some(reply) = self.perform(client, id, request) {
            self.reply(client, id, reply);
        }
    }

    /// Many a second while a person types: no reply, only news of what was not typed.
    fn keys(&mut self, client: ClientKey, permitted: Result<(), Reply>, name: String, input: &[Input]) {
        let done = permitted.err().unwrap_or_else(|| {
            self.one(&name, |hub, key| {
                hub.active_viewer(client, key);
                hub.typed_by(key, input, true)
            })
        });
        if let Reply::Error { message, .. } = done {
            self.notify(client, Notice::KeysRefused { name, message });
        }
    }

    /// `None`: the reply comes later, or has gone already.
    fn perform(&mut self, client: ClientKey, id: u64, request: Request) -> Option<Reply> {
        match request {
            Request::Hello { .. } | Request::Keys { .. } => None,
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
            Request::Resize { name, size } => Some(self.one(&name, |hub, key| {
                if let Some(refusal) = hub.adopted(key, "resized") {
                    return refusal;
                }
                hub.resize_agent(key, size);
                Reply::Done
            })),
            Request::Signal { name, signal } => Some(self.one(&name, |hub, key| hub.signal(key, &signal))),
            Request::Send { name, input, enter: false } => {
                Some(self.one(&name, |hub, key| hub.typed_by(key, &input, false)))
            }
            Request::Send { name, input, enter: true } => self.send_with_enter(client, id, &name, &input),
            Request::Read { name, since, tail, wait_ms, mode } => self.later(&name, |hub, agent| {
                hub.read(client, id, Read { agent, since, tail, wait_ms, mode });
            }),
            Request::Wait { name, what, timeout_ms } => {
                self.later(&name, |hub, key| hub.wait_for(client, id, key, what, timeout_ms))
            }
            Request::Watch { panes } => Some(self.watch(client, panes)),
            Request::History { name, from, count } => {
                self.later(&name, |hub, key| hub.history(client, id, key, from, count))
            }
            Request::Subscribe => {
                self.reply(client, id, Reply::Done);
                self.subscribe(client);
                None
            }
            Request::Questions { all } => Some(self.questions(all)),
            Request::Answer { id, answer } => Some(self.answer(&id, &answer)),
            Request::Confirm { id, accept } => Some(self.confirm(&id, accept)),
            Request::Consult { id, with } => Some(self.consult_now(&id, with)),
            Request::Explain { name } => Some(self.one(&name, Hub::explain)),
            Request::Record { name, path } => Some(self.one(&name, |hub, key| hub.record(key, path))),
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

    fn later(&mut self, name: &str, act: impl FnOnce(&mut Hub, AgentKey)) -> Option<Reply> {
        match self.by_name(name) {
            Some(key) => {
                act(self, key);
                None
            }
            None => Some(no_agent(name)),
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

    fn typed_by(&mut self, key: AgentKey, input: &[Input], person: bool) -> Reply {
        let agent = &self.agents[&key];
        let name = &agent.spec.name;
        match agent.life {
            Life::Running => {
                self.type_into(key, input, person);
                Reply::Done
            }
            Life::Paused => {
                Reply::error(REFUSED, format!("{name} is paused; run 'counsel resume {name}' first"))
            }
            Life::Exited(_) => {
                Reply::error(FAILED, format!("{name} has exited; run 'counsel restart {name}' first"))
            }
            Life::Spawning => Reply::error(FAILED, format!("{name} is only being started; try again")),
        }
    }

    /// Types, pauses, and presses Enter as a write of its own; the reply comes when that is done.
    fn send_with_enter(&mut self, client: ClientKey, id: u64, name: &str, input: &[Input]) -> Option<Reply> {
        let Some(key) = self.by_name(name) else { return Some(no_agent(name)) };
        if let refusal @ Reply::Error { .. } = self.typed_by(key, input, false) {
            return Some(refusal);
        }
        self.order_submit(key, client, id, input);
        None
    }

    fn wait_for(
        &mut self,
        client: ClientKey,
        id: u64,
        agent: AgentKey,
        what: WaitFor,
        timeout_ms: Option<u64>,
    ) {
        let until_ms = timeout_ms.map(|ms| self.now.ms + ms);
        self.wait(PendingWait { client, id, agent, what, until_ms });
    }

    pub(super) fn ask_by_id(&self, id: &str) -> Result<AskKey, Reply> {
        let key = id.strip_prefix('q').and_then(|number| number.parse().ok()).map(AskKey);
        key.filter(|key| self.asks.contains_key(key)).ok_or_else(|| {
            Reply::error(NO_SUCH, format!("there is no question '{id}'; see 'counsel questions'"))
        })
    }

    fn answer(&mut self, id: &str, given: &GivenAnswer) -> Reply {
        let key = match self.ask_by_id(id) {
            Ok(key) => key,
            Err(reply) => return reply,
        };
        let ask = &self.asks[&key];
        let stale = || Reply::error(REFUSED, format!("{id} is no longer the question on screen"));
        if ask.status.settled() {
            return stale();
        }
        if ask.status == Status::Answering {
            return Reply::error(REFUSED, format!("{id} is being answered at this moment"));
        }
        let Some(agent) = self.agents.get(&ask.agent) else { return stale() };
        if agent.paused() {
            return Reply::error(
                REFUSED,
                format!("{0} is paused; run 'counsel resume {0}' first", agent.spec.name),
            );
        }
        let on_screen = agent.verdict.question.as_ref();
        let shown = on_screen.map(|question| question.fingerprint()) == Some(ask.fingerprint);
        if !shown && !self.hook_open(key) && !self.in_words(key) {
            return stale();
        }
        let given =
            GivenOptions { options: &given.options, text: given.text.as_deref(), reject: given.reject };
        let answer: Answer = match resolve(&given, &ask.question) {
            Ok(answer) => answer,
            Err(why) => return Reply::error(2, format!("could not answer {id}: {why}")),
        };
        self.cancel_consultation(key);
        self.decide(key, Decided { answer, by: "person".to_owned(), reason: None });
        let ask = &self.asks[&key];
        match ask.status {
            Status::Escalated => Reply::error(FAILED, ask.note.clone().unwrap_or_default()),
            Status::Open | Status::Consulting | Status::Proposed | Status::Answering => Reply::Done,
            Status::Answered | Status::Withdrawn => Reply::Done,
        }
    }

    fn confirm(&mut self, id: &str, accept: bool) -> Reply {
        let key = match self.ask_by_id(id) {
            Ok(key) => key,
            Err(reply) => return reply,
        };
        if self.asks[&key].status != Status::Proposed {
            return Reply::error(REFUSED, format!("no answer to {id} waits for confirmation"));
        }
        if accept {
            self.deliver(key);
        } else {
            self.escalate(key, "the proposed answer was turned down".to_owned(), String::new());
        }
        Reply::Done
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

    fn explain(&mut self, key: AgentKey) -> Reply {
        let agent = &self.agents[&key];
        let mut explanation = explain(&agent.profile, &agent.snapshot());
        if let Some(step) = self.hook_step(key) {
            explanation.add(hook_signal(&explanation, &step));
            explanation.steps.push(step);
        }
        let json = serde_json::to_value(&explanation).unwrap_or_default();
        Reply::Explained { text: explanation.to_string(), json }
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

pub(super) fn no_agent(name: &str) -> Reply {
    let hint = if valid_name(name) { "see 'counsel ls'" } else { "a name is [a-z0-9][a-z0-9_-]{0,31}" };
    Reply::error(NO_SUCH, format!("there is no agent '{name}'; {hint}"))
}

/// What a client of a later version is told.
fn foreign() -> Reply {
    Reply::error(
        FAILED,
        "this server does not know that request; 'counsel server restart' puts the one of your program in \
         its place",
    )
}

/// What an agent's own processes may ask for: look, and speak through the hook. Nothing that types,
/// answers, starts or stops.
fn permitted(standing: Standing, request: &Request) -> Result<(), Reply> {
    match standing {
        Standing::Person => Ok(()),
        Standing::Stranger => Err(Reply::error(FAILED, "the client did not say hello")),
        Standing::Agent(_) => match request {
            Request::Hello { .. } | Request::Ping | Request::List | Request::Questions { .. } => Ok(()),
            Request::Explain { .. } | Request::Wait { .. } | Request::Hook { .. } | Request::Subscribe => {
                Ok(())
            }
            Request::AskCounsel { .. } => Ok(()),
            _ => Err(Reply::error(REFUSED, "an agent may not do this; a person has to")),
        },
    }
}
