//! Hooks: what an agent's program tells through them, and the answers it takes through them.
//!
//! A machine of the hub. It owns what each agent's hooks have told; it reads agents and questions, and returns
//! messages. A key is never sent because of what it hears.
//!
//! A hook is held from the moment it asks until the answer is decided, a person takes over, or it leaves. Then it
//! is let go without a word and the dialog, which was usable all the time, is answered by keys or by a person.
//! Of the two lanes one is taken for a question and never the other after it.

mod form;
mod reply;
pub mod state;

use serde_json::Value;

use crate::core::hook::{Told, parse};
use crate::server::hub::message::{Message, ToHooks, ToQuestions, ToReplies};
use crate::server::hub::replies::{Caller, Owed};
use crate::server::hub::table::Table;
use crate::server::lifecycle::agent::Agents;
use crate::server::question::ask::Asks;
use crate::server::question::track::Tracks;
use crate::session::Life;
use crate::session::message::{AgentKey, AskKey, Now};
use crate::wire::message::Reply;

use state::{HookStates, MOST_FILES, Waiting, What};

/// What others own and this machine reads.
#[derive(Debug, Clone, Copy)]
pub struct World<'a> {
    pub now: Now,
    pub agents: &'a Agents,
    pub asks: &'a Asks,
    pub tracks: &'a Tracks,
}

#[derive(Debug)]
pub struct Hooks {
    pub states: HookStates,
    out: Vec<Message>,
}

impl Hooks {
    pub fn new() -> Hooks {
        Hooks { states: Table::new(), out: Vec::new() }
    }

    pub fn on(&mut self, message: ToHooks, world: World<'_>) -> Vec<Message> {
        match message {
            ToHooks::Told { from, agent, event, payload } => self.told(from, agent, &event, &payload, world),
            ToHooks::IsAsk { agent, at, ask } => {
                if let Some(place) = self.states.of(agent).asks.get_mut(at) {
                    *place = Some(ask);
                }
            }
            ToHooks::Means { agent, at, meant } => self.states.of(agent).mean(at, meant),
            ToHooks::NextOfForm(agent) => self.next_of_form(agent, world),
            ToHooks::Permit { agent, ask, allow } => self.permit(agent, ask, allow, world),
            ToHooks::Abstain(agent) => self.abstain(agent, world),
            ToHooks::Routed(ask) => self.routed(ask, world),
            ToHooks::AwaitReport { agent, ask, keys, proof } => {
                self.await_report(agent, ask, keys, proof, world);
            }
            ToHooks::Withdrawn { agent, ask } => {
                if self.states.get(agent).is_some_and(|hook| hook.at(ask).is_some()) {
                    self.form_over(agent, world);
                }
            }
            ToHooks::Left(agent) => {
                if self.states.of(agent).waiting.take().is_some() {
                    self.lane_closed(agent, world);
                }
            }
            ToHooks::Due(agent) => self.due(agent, world),
            ToHooks::AgentLeaves(agent) => self.agent_leaves(agent, world),
            ToHooks::Forget(agent) => {
                self.states.remove(agent);
            }
        }
        std::mem::take(&mut self.out)
    }

    fn question(&mut self, message: ToQuestions) {
        self.out.push(Message::Question(message));
    }

    /// An agent's hook speaks; it is answered at once, or owed its reply.
    fn told(&mut self, from: Caller, key: AgentKey, event: &str, payload: &Value, world: World<'_>) {
        let agent = world.agents.get(key).filter(|agent| !agent.gone());
        let waits = match (agent, parse(event, payload)) {
            (Some(_), Some(told)) => self.heard(from, key, told, world),
            _ => false,
        };
        if !waits {
            self.out.push(Message::Effect(from.answered(Reply::Hook { output: None })));
        }
    }

    /// Takes note of what was told; whether the hook waits for an answer.
    fn heard(&mut self, from: Caller, key: AgentKey, told: Told, world: World<'_>) -> bool {
        let hook = self.states.of(key);
        hook.alive = true;
        hook.tells_all |=
            matches!(told, Told::Asks { .. } | Told::Permission { .. } | Told::File { .. } | Told::Dialog);
        match told {
            Told::Dialog => false,
            Told::File { path } => {
                hook.files.truncate(MOST_FILES - 1);
                hook.files.push_front((world.now.ms, path));
                false
            }
            Told::Permission { command } => {
                let waits = self.holds(from, key, What::Command(command), world);
                if waits {
                    self.question(ToQuestions::HookSpoke(key));
                }
                waits
            }
            Told::Prompted { text } => {
                hook.message = None;
                hook.prompted = Some((world.now.ms, text));
                self.turned(key, world);
                false
            }
            Told::Asks { form, input } => {
                if hook.busy(world.agents.get(key).and_then(|agent| agent.on_screen())) {
                    // A second form behind the first: it is told of when it is on the screen.
                    return false;
                }
                self.form_over(key, world);
                self.form_begins(key, form);
                let waits = self.holds(from, key, What::Form(input), world);
                self.question(ToQuestions::HookSpoke(key));
                waits
            }
            Told::Recorded { answers } => {
                hook.recorded = Some(answers);
                self.overtaken(key);
                false
            }
            Told::Ended { message } => {
                hook.message = message;
                self.turned(key, world);
                self.question(ToQuestions::HookSpoke(key));
                false
            }
        }
    }

    /// Keeps a hook waiting for its answer; `false`: there is none to wait for.
    fn holds(&mut self, from: Caller, key: AgentKey, what: What, world: World<'_>) -> bool {
        let Some(agent) = world.agents.get(key) else { return false };
        let wanted = match &what {
            What::Form(_) => true,
            What::Command(_) => agent.policy.answers_commands(),
        };
        let hook = self.states.of(key);
        if !wanted || hook.in_lane() || agent.life != Life::Running {
            return false;
        }
        hook.waiting = Some(Waiting { what, since_ms: world.now.ms, typed: agent.sight.typed });
        self.out.push(Message::Reply(ToReplies::Owe(from, Owed::Hook(key))));
        true
    }

    /// A turn begins or is over: no form is open, save one whose answer is just being settled, and one that the screen shows:
    /// it is not the agent that said so then, or not of this form.
    fn turned(&mut self, key: AgentKey, world: World<'_>) {
        let typing = world.agents.get(key).is_some_and(|agent| agent.sight.typing);
        let shown = self.form_shown(key, world);
        let hook = self.states.of(key);
        if hook.confirm.is_none() && hook.sent.is_none() && !typing && !shown {
            self.form_over(key, world);
        }
    }

    /// The question of the form that stands on the agent's screen.
    fn on_screen(&self, key: AgentKey, world: World<'_>) -> Option<AskKey> {
        let hook = self.states.get(key)?;
        let screen = world.agents.get(key)?.on_screen()?;
        hook.ask_at(hook.position(screen)?)
    }
}
