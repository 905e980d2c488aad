//! A question as the log keeps it.
//!
//! `log_entry.rs` has it written at its end, `mod.rs` held by the keeper while its answer is being given. Pure.

use crate::core::log::log_entry::{Channel, Entry, Outcome};
use crate::server::lifecycle::agent::Agent;
use crate::session::message::Now;

use super::ask::{Ask, words};
use super::phase::{AnsweredBy, End, Lane, Phase};

pub(super) fn entry(ask: &Ask, end: &End, agent: Option<&Agent>, now: Now) -> Entry {
    let outcome = end.outcome;
    let delivered = outcome == Outcome::Answered;
    let decision = ask.decision();
    let answer = decision.map(|decision| words(&decision.answer, &ask.question));
    // Only where it went by a person's key.
    let by_person = outcome == Outcome::Withdrawn && end.by == Some(AnsweredBy::Person);
    let chosen = ask.choice.as_ref().filter(|_| by_person);
    Entry {
        id: ask.id.clone(),
        agent: ask.agent_name.clone(),
        asked_at: ask.asked_unix_ms,
        settled_at: now.unix_ms,
        latency_ms: latency_ms(ask, now),
        kind: ask.question.kind,
        prompt: ask.question.prompt.clone(),
        options: ask.question.options.iter().map(|choice| choice.label.clone()).collect(),
        subject: ask.question.subject.clone(),
        answer: answer.filter(|_| delivered || outcome == Outcome::Failed),
        by: end.by.as_ref().map_or_else(|| "none".to_owned(), AnsweredBy::to_string),
        rule: ask.rule.clone(),
        routed: ask.routed.clone(),
        channel: match (delivered, ask.phase.lane()) {
            (true, Some(Lane::Hook)) => Channel::Hook,
            (true, Some(Lane::Reply)) => Channel::Mcp,
            (true, Some(Lane::Keys | Lane::Held(_)) | None) => Channel::Keys,
            (false, _) => Channel::None,
        },
        outcome,
        reason: match outcome {
            // Why somebody proposed what nobody took is not why it ended.
            Outcome::Withdrawn => ask.note.clone(),
            _ => decision.and_then(|decision| decision.reason.clone()).or_else(|| ask.note.clone()),
        },
        prompt_sent: ask.prompt_sent.clone(),
        reply: ask.reply().cloned(),
        keys: Vec::new(),
        proof: None,
        before: ask.before.clone(),
        after: agent.map(|agent| agent.sight.text.to_string()).unwrap_or_default(),
        shadow: ask.shadow(chosen),
        proposed: ask.proposed_words(),
        chosen: chosen.map(|chosen| words(chosen, &ask.question)),
        asked: ask.turns.clone(),
    }
}

/// How long it stood, by the clock that nobody sets; only what it had stood when this server first saw it is by the wall's.
fn latency_ms(ask: &Ask, now: Now) -> u64 {
    let before = ask.seen_unix_ms.saturating_sub(ask.asked_unix_ms);
    before.saturating_add(now.ms.saturating_sub(ask.asked_ms))
}

/// Why a question that its asker waits for in words is no more: no screen shows it to the next server.
pub(super) const SERVER_ENDED: &str = "the server ended before anybody answered";

/// What is known of an answer under way, whose it is and to what; and of a question that ends with the server.
pub(super) fn unfinished(ask: &Ask) -> Option<Box<Entry>> {
    let by_hook = matches!(&ask.phase, Phase::Delivering(_, Lane::Hook));
    let end = match ask.ordered.is_some() || by_hook {
        true => {
            let by = ask.decision().map(|decision| decision.by.clone());
            let why = "the server ended while this answer was being given; whether it went in is not known";
            End::new(Outcome::Failed, Some(why.to_owned()), by)
        }
        false if ask.in_words() => End::new(Outcome::Withdrawn, Some(SERVER_ENDED.to_owned()), None),
        false => return None,
    };
    // As it was asked: what is held is sent anew whenever it changes.
    let then = Now { unix_ms: ask.asked_unix_ms, ..Now::default() };
    let (agent, reason) = (ask.agent_name.clone(), end.note.clone());
    let entry = Entry { agent, reason, ..entry(ask, &end, None, then) };
    Some(Box::new(entry.withheld(&ask.secrets)))
}
