//! A form known by its hook, of which the screen shows one page at a time: its beginning, its next question, its
//! end, and what the agent recorded of it.

use crate::core::deliver::{Confirmed, Proof};
use crate::core::hook::Asked;
use crate::core::question::normalize::normalize;
use crate::core::question::{Answer, Kind};
use crate::server::hub::message::ToQuestions;
use crate::server::question::ask::Source;
use crate::session::message::{AgentKey, AskKey};

use super::state::{Confirm, differs};
use super::{Hooks, World};

/// How long after an answer was seen to take the agent has to report what it recorded: it does within 150 ms.
const CONFIRM_MS: u64 = 3_000;

impl Hooks {
    pub(super) fn form_begins(&mut self, key: AgentKey, form: Vec<Asked>) {
        let hook = self.states.of(key);
        hook.meant = vec![None; form.len()];
        hook.asks = vec![None; form.len()];
        hook.form = form;
    }

    /// The form is over, however it ended: no question of it is open any more.
    pub(super) fn form_over(&mut self, key: AgentKey, world: World<'_>) {
        if let Some(confirm) = &mut self.states.of(key).confirm {
            // What it waits for cannot come any more.
            confirm.until_ms = world.now.ms;
            self.confirm(key, world);
        }
        let hook = self.states.of(key);
        let asks = std::mem::take(&mut hook.asks);
        hook.forget_form();
        asks.into_iter().flatten().for_each(|ask| self.question(ToQuestions::Withdraw(ask)));
        self.abstain(key, world);
    }

    /// The next question of a form that is not decided, of which the screen shows another one; or all answers.
    pub(super) fn next_of_form(&mut self, key: AgentKey, world: World<'_>) {
        match self.states.of(key).meant.iter().position(Option::is_none) {
            Some(next) => self.asks(key, next),
            None => self.give_form(key, world),
        }
    }

    pub(super) fn asks(&mut self, agent: AgentKey, at: usize) {
        let hook = self.states.of(agent);
        let of = hook.form.len();
        let Some(question) = hook.form.get(at).map(|asked| asked.question(at, of)) else { return };
        self.question(ToQuestions::Appeared { agent, question: Box::new(question), source: Source::Hook });
    }

    /// An answer went in by keys, and the agent reports what it records.
    pub(super) fn await_report(
        &mut self,
        key: AgentKey,
        ask: AskKey,
        keys: Vec<String>,
        proof: Proof,
        world: World<'_>,
    ) {
        let until_ms = world.now.ms + CONFIRM_MS;
        self.states.of(key).confirm = Some(Confirm { ask, keys, proof, until_ms });
        self.confirm(key, world);
    }

    /// Settles the answer that waits for it, once the agent has reported or its time is over.
    pub(super) fn confirm(&mut self, key: AgentKey, world: World<'_>) {
        let Some(hook) = self.states.get_mut(key) else { return };
        let Some(confirm) = hook.confirm.take() else { return };
        let Some(ask) = world.asks.get(confirm.ask).filter(|ask| !ask.settled()) else { return };
        let decided = ask.decision().map(|decision| &decision.answer);
        let told = match (ask.question.kind, decided) {
            (Kind::Text, Some(Answer::Text(text))) => {
                let prompted = hook.prompted.as_ref().filter(|(at, _)| *at >= ask.asked_ms);
                prompted.map(|(_, got)| match normalize(got) == normalize(text) {
                    true => Ok(got.clone()),
                    false => Err(differs(got, text)),
                })
            }
            _ => hook.form_recorded(),
        };
        let gone = world.agents.get(key).is_none_or(|agent| agent.gone());
        if told.is_none() && world.now.ms < confirm.until_ms && !gone {
            hook.confirm = Some(confirm);
            return;
        }
        hook.forget_form();
        let Confirm { ask, keys, mut proof, .. } = confirm;
        match told {
            Some(Err(why)) => self.question(ToQuestions::Differs { ask, keys, proof, why }),
            Some(Ok(recorded)) => {
                proof.confirmed = Some(Box::new(Confirmed { confirmed_by: "hook".to_owned(), recorded }));
                self.question(ToQuestions::Answered { ask, keys, proof });
            }
            None => self.question(ToQuestions::Answered { ask, keys, proof }),
        }
    }
}
