//! Notifying a person: whoever is there, and by a command whoever is not.
//!
//! What leaves counsel here may end on a telephone or in a chat: no secrets go along.

use crate::core::agent::Isolate;
use crate::core::log::redact::{clean, withheld};
use crate::server::effect::Effect;
use crate::server::hub::lookup;
use crate::server::hub::message::ToClients;
use crate::server::lifecycle::agent::Agents;
use crate::session::message::AskKey;
use crate::wire::message::QuestionInfo;

use super::ask::Ask;
use super::{Questions, World};

/// Reading the secrets of a folder takes a few milliseconds; nobody is left uncalled because of a disk that hangs.
const SECRETS_MS: u64 = 2_000;

/// Between two runs of the command for one agent: each may be a message on a telephone, and the first one brings whoever
/// reads it to all of that agent's questions.
pub(super) const CALL_EVERY_MS: u64 = 5_000;

impl Questions {
    /// Tells whoever is there, runs the command that calls somebody, and remembers to do it again.
    pub(super) fn notify_person(&mut self, key: AskKey, why: &str, world: World<'_>) {
        let Some(ask) = self.asks.get_mut(key) else { return };
        let Some(agent) = world.agent_of(ask) else { return };
        let now_ms = world.now.ms;
        let text = notification_text(world.agents, ask, why);
        let question = Some(ask.id.clone());
        let repeat_ms = agent.policy.notify.repeat_secs * 1000;
        // Whom the server before has called is not called again by each that follows it.
        let called = ask.called_unix_ms.filter(|_| std::mem::take(&mut ask.called_before));
        let waited = called.map(|at| world.now.unix_ms.saturating_sub(at));
        let waited = waited.filter(|waited| repeat_ms == 0 || *waited < repeat_ms);
        if repeat_ms > 0 {
            ask.remind_ms = Some(now_ms + repeat_ms - waited.unwrap_or(0));
        }
        let by_command = !agent.policy.notify.command.is_empty() && waited.is_none();
        if by_command {
            // One that waits for its turn keeps it.
            ask.call_by_ms.get_or_insert(now_ms + SECRETS_MS);
        }
        let quiet_hours = agent.policy.notify.quiet_hours;
        self.tell(ToClients::Notify { agent: agent.spec.name.clone(), question, text });
        if let Some(quiet_hours) = quiet_hours {
            self.effect(Effect::AskWhetherQuiet { ask: key, quiet_hours });
        }
        if by_command {
            self.notify_by_command(key, world);
        }
    }

    /// Runs the command that notifies a person, as soon as it is known what it must not tell.
    pub(super) fn notify_by_command(&mut self, key: AskKey, world: World<'_>) {
        let now_ms = world.now.ms;
        let Some(asker) = self.asks.get(key).map(|ask| ask.agent) else { return };
        let next = self.tracks.get(asker).and_then(|track| track.called_ms).map(|at| at + CALL_EVERY_MS);
        let Some(ask) = self.asks.get_mut(key) else { return };
        if let Some(next) = next.filter(|next| now_ms < *next) {
            // In its turn, if it is still open then.
            ask.call_by_ms = ask.call_by_ms.map(|by| by.max(next));
            return;
        }
        let known = ask.context.is_some();
        if ask.call_by_ms.take_if(|by| known || now_ms >= *by).is_none() || ask.settled() {
            return;
        }
        ask.called_unix_ms = Some(world.now.unix_ms);
        let Some(agent) = world.agent_of(ask) else { return };
        let (command, quiet_hours) = (agent.policy.notify.command.clone(), agent.policy.notify.quiet_hours);
        let told = told_elsewhere(ask.info(), &ask.secrets);
        let json = told.told().to_string();
        let cwd = match agent.spec.isolate {
            Isolate::None => agent.spec.cwd.clone(),
            Isolate::Landlock | Isolate::Namespace | Isolate::Uid => String::new(),
        };
        let agreed = agent.policy.agreed_for_notify().cloned().map(Box::new);
        self.track(asker).called_ms = Some(now_ms);
        self.effect(Effect::Notify { ask: key, command, json, cwd, quiet_hours, agreed });
    }

    /// It was asked in quiet hours, and whoever it is for is called once they are over.
    pub(super) fn quiet(&mut self, key: AskKey, left_ms: u64, world: World<'_>) {
        let Some(ask) = self.open_mut(key) else { return };
        let at = world.now.ms + left_ms;
        ask.remind_ms = Some(ask.remind_ms.map_or(at, |remind| remind.min(at)));
        ask.called_unix_ms = None;
    }
}

/// The words of a notification: plain text on one line, whatever the agent asked.
pub fn notification_text(agents: &Agents, ask: &Ask, why: &str) -> String {
    let name = lookup::name_of(agents, ask.agent);
    let text = format!("{name} needs you ({}): {} [{why}]", ask.question.kind.name(), ask.question.prompt);
    let text = withheld(&clean(&text), &ask.secrets);
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// A question without what must not be told.
fn told_elsewhere(mut question: QuestionInfo, secrets: &[String]) -> QuestionInfo {
    let hide = |text: &mut String| *text = withheld(&clean(text), secrets);
    let given = [&mut question.subject, &mut question.note, &mut question.answer].into_iter().flatten();
    let rows = question.choices.iter_mut().flat_map(|row| [&mut row.label, &mut row.description]);
    given.chain(rows).chain(&mut question.options).chain([&mut question.prompt]).for_each(hide);
    question
}
