//! Requests: each permitted or refused, and handed to the machine that does it.

use crate::core::detect::Step;
use crate::server::effect::Effect;
use crate::server::hub::lookup::{by_name, named};
use crate::server::hub::message::{Message, ToHooks, ToQuestions, ToReplies, Words};
use crate::server::hub::replies::{Caller, Owed};
use crate::server::lifecycle::failed::FailedStart;
use crate::server::lifecycle::message::ToLifecycle;
use crate::server::standing::{Standing, hears_questions_of, no_agent, permitted};
use crate::session::message::{AgentKey, HookStep, Order};
use crate::wire::Request;
use crate::wire::message::Reply;

use super::{Client, Clients, World, listed};

/// Exit codes of the contract.
const FAILED: u8 = 1;
const NO_SUCH: u8 = 3;
const REFUSED: u8 = 4;

impl Clients {
    pub(super) fn request(&mut self, from: Caller, request: Request, world: World<'_>) {
        let Some(&Client { standing, only, .. }) = self.clients.get(from.client) else { return };
        if let Request::Hello { version, token } = &request {
            return self.hello(from, *version, token.as_deref(), world);
        }
        let about = if let Request::Explain { name } = &request { by_name(world.agents, name) } else { None };
        if let Err(reply) = permitted(standing, &request, about) {
            return self.respond(from, reply);
        }
        let unseen = || world.agents.values().any(|agent| agent.unseen_until(world.now.ms).is_some());
        // A client's replies come in the order of its requests: a ping says that all before it was told.
        let behind = self.held.iter().any(|(other, _)| other.client == from.client);
        if behind || (rests_on_screens(&request) && unseen()) {
            return self.held.push((from, request));
        }
        if matches!(request, Request::Subscribe) {
            self.respond(from, Reply::Done);
            return self.subscribe(from.client, world);
        }
        if let Request::Only { call } = request {
            self.clients.get_mut(from.client).into_iter().for_each(|client| client.only = Some(call));
            return self.respond(from, Reply::Done);
        }
        if let Some(other) = only.and_then(|call| of_another_call(call, &request, world)) {
            return self.respond(from, no_agent(other));
        }
        if matches!(request, Request::LogHead) {
            let (client, id) = (from.client, from.id);
            return self.out.push(Message::Effect(Effect::LogHead { client, id }));
        }
        match passed_on(from, standing, request, world) {
            // A session that dies with the order in its mailbox answers nobody.
            Ok(message @ Message::Effect(Effect::Order { agent, .. })) => {
                self.out.push(Message::Reply(ToReplies::Owe(from, Owed::OfSession(agent))));
                self.out.push(message);
            }
            Ok(message) => self.out.push(message),
            Err(reply) => self.respond(from, reply),
        }
    }
}

/// A name in this request that is not, or no more, that of the call's agent. Whose session takes a request is seen where that is
/// carried.
fn of_another_call<'a>(call: u64, request: &'a Request, world: World<'_>) -> Option<&'a str> {
    let names = match request {
        Request::Stop { names, .. } | Request::Pause { names } | Request::Resume { names } => {
            names.as_slice()
        }
        Request::Restart { name }
        | Request::Release { name }
        | Request::Signal { name, .. }
        | Request::Explain { name } => std::slice::from_ref(name),
        _ => &[],
    };
    let of_call = |name: &str| {
        let agent = by_name(world.agents, name).and_then(|key| world.agents.get(key));
        agent.is_some_and(|agent| agent.spec.call == Some(call))
    };
    names.iter().map(String::as_str).find(|name| !of_call(name))
}

/// What rests on agents' screens, or on their terminals being there: a server that has just taken them back has seen none of
/// them, and for one in tmux it has no terminal until tmux has answered.
fn rests_on_screens(request: &Request) -> bool {
    matches!(
        request,
        Request::List
            | Request::Questions { .. }
            | Request::Subscribe
            | Request::Answer { .. }
            | Request::Confirm { .. }
            | Request::Consult { .. }
            | Request::TakeOver { .. }
            | Request::Pause { .. }
            | Request::Resume { .. }
            | Request::Signal { .. }
    )
}

/// Whom a request is for; an error is the reply, whether it refuses or answers at once.
fn passed_on(from: Caller, standing: Standing, request: Request, world: World<'_>) -> Result<Message, Reply> {
    let asked_by = if let Standing::Agent(agent) = standing { agent } else { None };
    let one = |name: &str| by_name(world.agents, name).ok_or_else(|| not_there(name, world));
    let question = |message| Ok(Message::Question(message));
    let life = |message| Ok(Message::Life(message));
    match request {
        Request::Start { spec, policy } => life(ToLifecycle::Start { from, spec, policy }),
        Request::NotStarted { name, role, cause, number, since } => {
            let failed = Box::new(FailedStart { name, role, cause, number, since, again: None });
            life(ToLifecycle::NotStarted { from, failed })
        }
        Request::NextPane(next) => life(ToLifecycle::NextPane { client: from.client, next: Some(next) }),
        Request::Stop { names, grace_ms } => {
            let (agents, failed) = to_stop(&names, world)?;
            life(ToLifecycle::Stop { from, agents, failed, grace_ms, then_exit: false })
        }
        Request::Down { grace_ms } => {
            let agents = world.agents.keys().collect();
            life(ToLifecycle::Stop { from, agents, failed: Vec::new(), grace_ms, then_exit: true })
        }
        Request::Replace => life(ToLifecycle::Replace(from)),
        Request::Pause { names } => life(ToLifecycle::Pause { from, names, pause: true }),
        Request::Resume { names } => life(ToLifecycle::Pause { from, names, pause: false }),
        Request::Restart { name } if world.failed.contains(&name) => {
            life(ToLifecycle::TryAgain { from, name })
        }
        Request::Restart { name } => life(ToLifecycle::Restart { from, agent: one(&name)? }),
        Request::Release { name } => life(ToLifecycle::Release { from, agent: one(&name)? }),
        Request::Signal { name, signal } => life(ToLifecycle::Signal { from, agent: one(&name)?, signal }),
        Request::Answer { id, answer } => question(ToQuestions::Answer { from, id, given: answer }),
        Request::Confirm { id, accept, answer } => {
            question(ToQuestions::Confirm { from, id, accept, answer })
        }
        Request::Consult { id, with } => {
            question(ToQuestions::Consult { from, id, with: with.map(Into::into) })
        }
        Request::TakeOver { id } => question(ToQuestions::TakeOver { from, id }),
        Request::AskCounsel { question: asked, options, context, wait_ms } => {
            asked_in_words(from, standing, Words { question: asked, options, context, wait_ms })
        }
        Request::AskLeave { what, wait_ms } => question(ToQuestions::AskedForLeave { from, what, wait_ms }),
        Request::Hook { event, payload } => {
            let agent = asked_by.ok_or(Reply::Hook { output: None })?;
            Ok(Message::Hook(ToHooks::Told { from, agent, event, payload }))
        }
        Request::Explain { name } => {
            let agent = one(&name)?;
            let hook = hook_step(agent, world);
            let order = Box::new(Order::Explain { client: from.client, id: from.id, hook });
            Ok(Message::Effect(Effect::Order { agent, order }))
        }
        other => Err(answered_at_once(standing, other, world)),
    }
}

/// What an agent, or a program of a person's, asks in words of its own.
fn asked_in_words(from: Caller, standing: Standing, words: Words) -> Result<Message, Reply> {
    match standing {
        Standing::Agent(Some(agent)) => {
            Ok(Message::Question(ToQuestions::AskedInWords { from, agent, words }))
        }
        Standing::Person => Ok(Message::Question(ToQuestions::AskedByAProgram { from, words })),
        _ => Err(Reply::error(REFUSED, "which agent asks is not known any more; restart it")),
    }
}

/// The agents of these names, and those of them that could not be started. No names: all.
fn to_stop(names: &[String], world: World<'_>) -> Result<(Vec<AgentKey>, Vec<String>), Reply> {
    if names.is_empty() {
        let failed = world.failed.infos().map(|info| info.name.clone()).collect();
        return Ok((world.agents.keys().collect(), failed));
    }
    let (failed, there): (Vec<String>, Vec<String>) =
        names.iter().cloned().partition(|name| world.failed.contains(name));
    let agents = if there.is_empty() { Vec::new() } else { named(world.agents, &there)? };
    Ok((agents, failed))
}

/// No agent of that name runs. One that could not be started is on everybody's list all the same, with the cause.
fn not_there(name: &str, world: World<'_>) -> Reply {
    match world.failed.get(name) {
        Some(failed) => Reply::error(NO_SUCH, failed.refusal()),
        None => no_agent(name),
    }
}

fn answered_at_once(standing: Standing, request: Request, world: World<'_>) -> Reply {
    match request {
        Request::List => Reply::Agents { agents: listed(world) },
        Request::Questions { all } => {
            let shown = world.asks.values().filter(|ask| all || !ask.settled());
            let shown = shown.filter(|ask| hears_questions_of(standing, ask.agent));
            Reply::Questions { questions: shown.map(|ask| ask.info()).collect() }
        }
        // Whoever carries requests takes these to the agent's session.
        Request::Resize { name, .. }
        | Request::Send { name, .. }
        | Request::Keys { name, .. }
        | Request::Read { name, .. }
        | Request::Wait { name, .. }
        | Request::History { name, .. }
        | Request::Record { name, .. } => not_there(&name, world),
        Request::Foreign => Reply::error(
            FAILED,
            "this server does not know that request; 'counsel server restart' puts the one of your program in \
             its place",
        ),
        _ => Reply::Done,
    }
}

/// What the hooks have told, for `explain`.
fn hook_step(key: AgentKey, world: World<'_>) -> Option<HookStep> {
    let hook = world.hooks.get(key).filter(|hook| hook.alive)?;
    let of = hook.form.len();
    let screen = world.agents.get(key).and_then(|agent| agent.on_screen());
    let (fired, detail) = match screen.map(|question| hook.shown(question)) {
        Some(Ok(Some(at))) => (true, format!("tells of the question on the screen, {} of {of}", at + 1)),
        Some(Err(why)) => (false, why),
        Some(Ok(None)) | None if of == 0 => (false, "tells of no question".to_owned()),
        Some(Ok(None)) | None => (false, "tells of a question that is not on the screen".to_owned()),
    };
    Some(HookStep { step: Step { rule: "hook".to_owned(), fired, detail }, form: of > 0 })
}
