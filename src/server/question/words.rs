//! Questions an agent puts in words (`ask_counsel` of `counsel mcp`): routed like those on its screen, and
//! answered by a reply to whoever waits for it. Nothing is typed because of them.
//!
//! The request is owed its reply until the question is settled, its time is up, or the asker has gone.

use crate::core::log::log_entry::Outcome;
use crate::core::question::{Answer, Choice, Kind, Question};
use crate::server::hub::message::{ToClients, ToQuestions, ToReplies, Words};
use crate::server::hub::replies::{Caller, Owed};
use crate::server::lifecycle::agent::Agent;
use crate::session::message::{AgentKey, AskKey, Now};
use crate::wire::message::Reply;

use super::ask::{Ask, Source, words};
use super::entry::SERVER_ENDED;
use super::phase::{AnsweredBy, End, Lane, Phase};
use super::spent::{HOUR_MS, MINUTE_MS, Of};
use super::{Questions, World};

/// One of an agent's own wishes to know at a time would do; a few may come from its helpers.
pub(super) const MAX_WAITING: usize = 4;
/// One every three seconds: more than any program that works on has to ask, and still few enough to be read.
const WORDS_PER_MINUTE: usize = 20;
/// As many as `[consult] max_per_hour` lets be answered for an agent unless it is told otherwise.
const WORDS_PER_HOUR: usize = 120;
/// Nobody has read a question, let alone answered it, that was there for no longer than this.
const READABLE_MS: u64 = 1_000;
/// Enough for a question that a consultant can still answer; a file belongs into the context.
const QUESTION_BYTES: usize = 8 * 1024;
/// Goes along in place of the screen.
const CONTEXT_BYTES: usize = 32 * 1024;
/// A list nobody chooses from any more.
const MAX_OPTIONS: usize = 30;
const OPTION_BYTES: usize = 500;
/// A day: longer is a slip.
pub(super) const MAX_WAIT_MS: u64 = 86_400_000;
/// Exit codes of the contract.
pub(super) const USAGE: u8 = 2;
pub(super) const REFUSED: u8 = 4;

impl Questions {
    /// The reply comes when the question is settled.
    pub(super) fn asked_in_words(
        &mut self,
        from: Caller,
        agent_key: AgentKey,
        words: Words,
        world: World<'_>,
    ) {
        // A process outlives the agent that started it, and its connection the agent's place in the list.
        let Some(agent) = world.agents.get(agent_key) else {
            return self.respond(from, Reply::error(REFUSED, "the agent that asks has gone"));
        };
        if let Err(why) = fit(&words) {
            return self.respond(from, Reply::error(USAGE, why));
        }
        let of_agent = |ask: &&Ask| ask.in_words() && !ask.settled() && ask.agent == agent_key;
        let waiting = self.asks.values().filter(of_agent).count();
        if waiting >= MAX_WAITING {
            let why = format!("{waiting} questions of this agent wait for an answer already");
            return self.respond(from, Reply::error(REFUSED, why));
        }
        if let Some(why) = self.asks_too_often(agent, world.now) {
            return self.respond(from, Reply::error(REFUSED, why));
        }
        let now = world.now;
        let deadline = agent.policy.consult.deadline_secs.saturating_mul(1000);
        let wait = words.wait_ms.unwrap_or(deadline).min(MAX_WAIT_MS);
        let before = words.context.clone().unwrap_or_else(|| agent.sight.text.to_string());
        let key = self.next_key();
        let ask = Ask {
            sources: std::collections::BTreeSet::from([Source::Mcp]),
            asked_ms: now.ms,
            seen_unix_ms: now.unix_ms,
            exact: words.context.clone(),
            asked_unix_ms: now.unix_ms,
            deadline_ms: Some(now.ms + deadline.min(wait)),
            words_until_ms: Some(now.ms + wait),
            before,
            typed: agent.sight.typed,
            ..Ask::new(format!("q{}", key.0), (agent_key, &agent.spec.name), question(words))
        };
        self.asks.insert(key, ask);
        self.read_context(key, world);
        self.reply(ToReplies::Owe(from, Owed::Asked { ask: key, reply: None }));
        self.then(ToQuestions::Route(key));
        // It waits for an answer, whatever its screen shows.
        self.tell(ToClients::TellAgent(agent_key));
        self.reply(ToReplies::Check(agent_key));
    }

    /// The answer that was decided on goes to whoever asked.
    pub(super) fn hand_back(&mut self, key: AskKey, world: World<'_>) {
        let Some(ask) = self.asks.get_mut(key) else { return };
        let Some(decision) = ask.decision().cloned() else { return };
        ask.take_lane(Lane::Reply);
        let (id, by) = (ask.id.clone(), decision.by.to_string());
        let reply = match decision.answer {
            // To whoever asked there is no answer; in the log this is one, as where a dialog is declined.
            Answer::Reject => Reply::Asked { id, answer: None, by, reason: Some("declined".to_owned()) },
            answer => {
                let answer = words(&answer, &ask.question);
                Reply::Asked { id, answer: Some(answer), by, reason: decision.reason }
            }
        };
        self.reply(ToReplies::Keep { ask: key, reply });
        self.close(key, End::new(Outcome::Answered, None, Some(decision.by)), world);
    }

    /// It ends without an answer, and the asker is told why.
    fn end_words(&mut self, key: AskKey, why: &str, by: Option<AnsweredBy>, world: World<'_>) {
        let Some(ask) = self.open(key) else { return };
        let told = by.as_ref().map_or_else(|| "none".to_owned(), AnsweredBy::to_string);
        let reply = Reply::Asked { id: ask.id.clone(), answer: None, by: told, reason: Some(why.to_owned()) };
        self.reply(ToReplies::Keep { ask: key, reply });
        self.cancel_consultation(key, world.now);
        self.close(key, End::new(Outcome::Withdrawn, Some(why.to_owned()), by), world);
    }

    /// Whoever waits for an answer hears that the server has gone, and may ask the next one. Of an agent that was ended under an
    /// answer no session says any more what was typed; of one that goes on, the next server looks.
    pub(super) fn server_ends(&mut self, world: World<'_>) {
        let ended = |ask: &Ask| world.agent_of(ask).is_none_or(Agent::gone);
        let typing =
            self.asks.iter().filter(|(_, ask)| ask.ordered.is_some() && !ask.settled() && ended(ask));
        for key in typing.map(|(key, _)| key).collect::<Vec<_>>() {
            if let Some(end) = self.open(key).map(Ask::ended_under_answer) {
                self.withdrawn(key, end, world);
            }
        }
        let open = self.asks.iter().filter(|(_, ask)| ask.in_words() && !ask.settled());
        for key in open.map(|(key, _)| key).collect::<Vec<_>>() {
            self.close(key, End::new(Outcome::Withdrawn, Some(SERVER_ENDED.to_owned()), None), world);
        }
    }

    /// Why one more question of this agent is not taken. Each is counted, however it ended: whoever hangs up makes room
    /// for nothing.
    fn asks_too_often(&mut self, agent: &Agent, now: Now) -> Option<String> {
        let within = |span: u64| self.spent.worded(Of::agent(agent), now.unix_ms, span);
        let over = match within(HOUR_MS) {
            WORDS_PER_HOUR.. => format!("{WORDS_PER_HOUR} questions within an hour"),
            _ if within(MINUTE_MS) >= WORDS_PER_MINUTE => {
                format!("{WORDS_PER_MINUTE} questions within a minute")
            }
            _ => {
                self.spent.note_worded(&agent.spec.name, now.unix_ms);
                return None;
            }
        };
        Some(format!("this agent has put {over}, and may put no more; ask again later, or less often"))
    }

    /// Whoever asked has hung up: nobody needs an answer any more. One that nobody could have read by then, and no
    /// consultant was asked, is no entry of the log: it would only hide the others.
    pub(super) fn asker_left(&mut self, key: AskKey, world: World<'_>) {
        let Some(ask) = self.open(key) else { return };
        if ask.turns.is_empty() && world.now.ms < ask.asked_ms + READABLE_MS {
            return self.drop_unread(key);
        }
        self.end_words(key, "the one who asked has gone", None, world);
    }

    /// Ends a question in words that nobody will answer any more; whether it has.
    pub(super) fn words_due(&mut self, key: AskKey, world: World<'_>) -> bool {
        let Some(ask) = self.open(key) else { return false };
        let why = if !ask.of_nobody() && world.agent_of(ask).is_none_or(|agent| agent.gone()) {
            "the agent has gone".to_owned()
        } else if matches!(ask.phase, Phase::Ignored) {
            ask.note.clone().unwrap_or_default()
        } else if ask.words_until_ms.is_some_and(|until| world.now.ms >= until) {
            let waited = world.now.ms.saturating_sub(ask.asked_ms) / 1000;
            match &ask.note {
                Some(note) => format!("no answer within {waited} s; a person was called: {note}"),
                None => format!("no answer within {waited} s"),
            }
        } else {
            return false;
        };
        self.end_words(key, &why, None, world);
        true
    }

    pub(super) fn respond(&mut self, from: Caller, reply: Reply) {
        self.effect(from.answered(reply));
    }
}

pub(super) fn fit(words: &Words) -> Result<(), String> {
    if words.question.trim().is_empty() {
        return Err("the question is empty".to_owned());
    }
    if words.question.len() > QUESTION_BYTES {
        return Err(format!(
            "the question is longer than {QUESTION_BYTES} bytes; put the rest into the context"
        ));
    }
    if words.context.as_ref().is_some_and(|context| context.len() > CONTEXT_BYTES) {
        return Err(format!("the context is longer than {CONTEXT_BYTES} bytes"));
    }
    if words.options.len() > MAX_OPTIONS || words.options.len() == 1 {
        return Err(format!("give 2 to {MAX_OPTIONS} options, or none for an answer in words"));
    }
    for (at, option) in words.options.iter().enumerate() {
        if option.trim().is_empty() || option.len() > OPTION_BYTES {
            return Err(format!("option {} is empty or longer than {OPTION_BYTES} bytes", at + 1));
        }
        if words.options.iter().take(at).any(|other| other.trim() == option.trim()) {
            return Err(format!("option {} is there twice", at + 1));
        }
    }
    Ok(())
}

pub(super) fn question(words: Words) -> Question {
    let options: Vec<Choice> =
        words.options.iter().map(|label| Choice { label: line(label), ..Choice::default() }).collect();
    let kind = if options.is_empty() { Kind::Text } else { Kind::Menu };
    Question { options, ..Question::new(kind, line(&words.question)) }
}

/// One line without control characters, as prompts on a screen are.
fn line(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    clean.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
