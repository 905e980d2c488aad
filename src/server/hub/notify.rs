//! Notifying a person: whoever is there, and by a command whoever is not.
//!
//! What leaves counsel here may end on a telephone or in a chat: no secrets go along.

use crate::core::log::redact::{clean, withheld};
use crate::server::effect::Effect;
use crate::session::message::AskKey;
use crate::wire::message::QuestionInfo;

use super::Hub;

/// Reading the secrets of a folder takes a few milliseconds; nobody is left uncalled because of a disk that hangs.
const SECRETS_MS: u64 = 2_000;

impl Hub {
    /// Tells whoever is there, runs the command that calls somebody, and remembers to do it again.
    pub(super) fn notify_person(&mut self, key: AskKey, why: &str) {
        let Some(ask) = self.asks.get(&key) else { return };
        let Some(agent) = self.agents.get(&ask.agent) else { return };
        let (name, id) = (agent.spec.name.clone(), ask.id.clone());
        let (repeat_secs, by_command) =
            (agent.policy.notify.repeat_secs, !agent.policy.notify.command.is_empty());
        let text = self.notification_text(key, why);
        self.broadcast_notification(&name, Some(id), &text);
        if let Some(ask) = self.asks.get_mut(&key).filter(|_| repeat_secs > 0) {
            ask.remind_ms = Some(self.now.ms + repeat_secs * 1000);
        }
        if by_command {
            let by_ms = self.now.ms + SECRETS_MS;
            if let Some(ask) = self.asks.get_mut(&key) {
                ask.call_by_ms = Some(by_ms);
            }
            self.notify_by_command(key);
        }
    }

    /// Runs the command that notifies a person, as soon as it is known what it must not tell.
    pub(super) fn notify_by_command(&mut self, key: AskKey) {
        let now = self.now;
        let Some(ask) = self.asks.get_mut(&key) else { return };
        let known = ask.context.is_some();
        if ask.call_by_ms.take_if(|by| known || now.ms >= *by).is_none() || ask.status.settled() {
            return;
        }
        let Some(agent) = self.agents.get(&self.asks[&key].agent) else { return };
        let command = agent.policy.notify.command.clone();
        let told = told_elsewhere(self.question_info(key), &self.asks[&key].secrets);
        let json = serde_json::to_string(&told).unwrap_or_default();
        self.out.push(Effect::Notify { command, json });
    }

    /// The words of a notification: plain text on one line, whatever the agent asked.
    pub(super) fn notification_text(&self, key: AskKey, why: &str) -> String {
        let Some(ask) = self.asks.get(&key) else { return String::new() };
        let name = self.agents.get(&ask.agent).map_or("", |agent| agent.spec.name.as_str());
        let text =
            format!("{name} needs you ({}): {} [{why}]", ask.question.kind.name(), ask.question.prompt);
        let text = withheld(&clean(&text), &ask.secrets);
        text.split_whitespace().collect::<Vec<&str>>().join(" ")
    }
}

/// A question without what must not be told.
fn told_elsewhere(mut question: QuestionInfo, secrets: &[String]) -> QuestionInfo {
    let hide = |text: &mut String| *text = withheld(text, secrets);
    let given = [&mut question.subject, &mut question.note, &mut question.answer].into_iter().flatten();
    let rows = question.choices.iter_mut().flat_map(|row| [&mut row.label, &mut row.description]);
    given.chain(rows).chain(&mut question.options).chain([&mut question.prompt]).for_each(hide);
    question
}
