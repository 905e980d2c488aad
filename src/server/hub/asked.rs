//! Questions an agent puts in words (`ask_counsel` of `counsel mcp`): routed like those on its screen, and
//! answered by a reply to whoever waits for it. Nothing is typed because of them.
//!
//! The request waits here until the question is settled, its time is up, or the asker has gone.

use crate::core::log::log_entry::Outcome;
use crate::core::question::{Answer, Choice, Kind, Question};
use crate::server::standing::Standing;
use crate::session::message::{AskKey, ClientKey};
use crate::wire::message::{Reply, Status};

use super::Hub;
use super::ask::{Ask, words};
use super::question_lifecycle::End;

/// One of an agent's own wishes to know at a time would do; a few may come from its helpers.
const MAX_WAITING: usize = 4;
/// Enough for a question that a consultant can still answer; a file belongs into the context.
const QUESTION_BYTES: usize = 8 * 1024;
/// Goes along in place of the screen.
const CONTEXT_BYTES: usize = 32 * 1024;
/// A list nobody chooses from any more.
const MAX_OPTIONS: usize = 30;
const OPTION_BYTES: usize = 500;
/// A day: longer is a slip.
const MAX_WAIT_MS: u64 = 86_400_000;
/// Exit codes of the contract.
const USAGE: u8 = 2;
const REFUSED: u8 = 4;

/// Who waits for the answer, and until when.
#[derive(Debug)]
pub(super) struct Asked {
    client: ClientKey,
    id: u64,
    until_ms: u64,
    /// How it ended: told when the log has it.
    reply: Option<Reply>,
}

/// What an agent asks.
pub(super) struct Words {
    pub question: String,
    pub options: Vec<String>,
    pub context: Option<String>,
    pub wait_ms: Option<u64>,
}

impl Hub {
    /// `None`: the reply comes when the question is settled.
    pub(super) fn ask_counsel(&mut self, client: ClientKey, id: u64, words: Words) -> Option<Reply> {
        let standing = self.clients.get(&client).map(|client| client.standing);
        let Some(Standing::Agent(Some(agent_key))) = standing else {
            let why = "only an agent that this server started can ask; nobody else has a consultant";
            return Some(Reply::error(REFUSED, why));
        };
        if let Err(why) = fit(&words) {
            return Some(Reply::error(USAGE, why));
        }
        let of_agent = |key: &&AskKey| self.asks.get(key).is_some_and(|ask| ask.agent == agent_key);
        let waiting = self.asked.keys().filter(of_agent).count();
        if waiting >= MAX_WAITING {
            let why = format!("{waiting} questions of this agent wait for an answer already");
            return Some(Reply::error(REFUSED, why));
        }
        let now = self.now;
        // A process outlives the agent that started it, and its connection the agent's place in the list.
        let Some(agent) = self.agents.get(&agent_key) else {
            return Some(Reply::error(REFUSED, "the agent that asks has gone"));
        };
        let deadline = agent.policy.consult.deadline_secs.saturating_mul(1000);
        let wait = words.wait_ms.unwrap_or(deadline).min(MAX_WAIT_MS);
        let before = words.context.clone().unwrap_or_else(|| agent.sight.text.to_string());
        let typed = agent.sight.typed;
        let key = self.next_ask_key();
        let ask = Ask {
            sources: std::collections::BTreeSet::from(["mcp"]),
            asked_ms: now.ms,
            asked_unix_ms: now.unix_ms,
            deadline_ms: Some(now.ms + deadline.min(wait)),
            deadline_unix_ms: Some(now.unix_ms + deadline.min(wait)),
            before,
            typed,
            ..Ask::new(format!("q{}", key.0), agent_key, question(words))
        };
        self.asks.insert(key, ask);
        self.read_context(key);
        self.asked.insert(key, Asked { client, id, until_ms: now.ms + wait, reply: None });
        self.route(key);
        None
    }

    /// The answer that was decided on goes to whoever asked.
    pub(super) fn hand_back(&mut self, key: AskKey) {
        let Some(ask) = self.asks.get(&key) else { return };
        let Some(decided) = ask.decided.clone() else { return };
        if decided.answer == Answer::Reject {
            return self.end_asked(key, "declined", &decided.by);
        }
        let answer = words(&decided.answer, &ask.question);
        let reply = Reply::Asked {
            id: ask.id.clone(),
            answer: Some(answer),
            by: decided.by.clone(),
            reason: decided.reason,
        };
        self.keep_reply(key, reply);
        let (status, outcome) = (Status::Answered, Outcome::Answered);
        self.close_question(
            key,
            End { status, outcome, note: None, by: decided.by, keys: Vec::new(), proof: None },
        );
    }

    /// It ends without an answer, and the asker is told why.
    fn end_asked(&mut self, key: AskKey, why: &str, by: &str) {
        let Some(ask) = self.asks.get(&key) else { return };
        let (settled, reason) = (ask.status.settled(), Some(why.to_owned()));
        self.keep_reply(key, Reply::Asked { id: ask.id.clone(), answer: None, by: by.to_owned(), reason });
        if settled {
            return self.asked_logged(key);
        }
        self.cancel_consultation(key);
        let (status, outcome) = (Status::Withdrawn, Outcome::Withdrawn);
        let (note, by) = (Some(why.to_owned()), by.to_owned());
        self.close_question(key, End { status, outcome, note, by, keys: Vec::new(), proof: None });
    }

    fn keep_reply(&mut self, key: AskKey, reply: Reply) {
        if let Some(asked) = self.asked.get_mut(&key) {
            asked.reply = Some(reply);
        }
    }

    /// The end of a question is on the disk: whoever asked may go on with it.
    pub(super) fn asked_logged(&mut self, key: AskKey) {
        let Some(reply) = self.asked.get_mut(&key).and_then(|asked| asked.reply.take()) else { return };
        if let Some(asked) = self.asked.remove(&key) {
            self.reply(asked.client, asked.id, reply);
        }
    }

    /// Whoever asked has hung up: nobody needs an answer any more.
    pub(super) fn asker_left(&mut self, client: ClientKey) {
        let keys: Vec<AskKey> =
            self.asked.iter().filter(|(_, asked)| asked.client == client).map(|(key, _)| *key).collect();
        for key in keys {
            if self.asked[&key].reply.is_some() {
                self.asked.remove(&key);
                continue;
            }
            self.end_asked(key, "the one who asked has gone", "none");
        }
    }

    pub(super) fn asked_wake(&self) -> Option<u64> {
        self.asked.values().filter(|asked| asked.reply.is_none()).map(|asked| asked.until_ms).min()
    }

    pub(super) fn tick_asked(&mut self) {
        let open = self.asked.iter().filter(|(_, asked)| asked.reply.is_none());
        let keys: Vec<AskKey> = open.map(|(key, _)| *key).collect();
        for key in keys {
            let (ask, asked) = (&self.asks[&key], &self.asked[&key]);
            if self.agents.get(&ask.agent).is_none_or(|agent| agent.gone()) {
                self.end_asked(key, "the agent has gone", "none");
            } else if ask.status.settled() || ask.left_alone {
                let why = ask.note.clone().unwrap_or_else(|| "it was settled without an answer".to_owned());
                self.end_asked(key, &why, "none");
            } else if self.now.ms >= asked.until_ms {
                let waited = self.now.ms.saturating_sub(ask.asked_ms) / 1000;
                let why = match &ask.note {
                    Some(note) => format!("no answer within {waited} s; a person was called: {note}"),
                    None => format!("no answer within {waited} s"),
                };
                self.end_asked(key, &why, "none");
            }
        }
    }

    /// Whether this question is answered by a reply instead of keys.
    pub(super) fn in_words(&self, key: AskKey) -> bool {
        self.asked.contains_key(&key)
    }
}

fn fit(words: &Words) -> Result<(), String> {
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
        if words.options[..at].iter().any(|other| other.trim() == option.trim()) {
            return Err(format!("option {} is there twice", at + 1));
        }
    }
    Ok(())
}

fn question(words: Words) -> Question {
    let options: Vec<Choice> =
        words.options.iter().map(|label| Choice { label: line(label), ..Choice::default() }).collect();
    Question {
        kind: if options.is_empty() { Kind::Text } else { Kind::Menu },
        prompt: line(&words.question),
        options,
        selected: None,
        multi: false,
        subject: None,
        partial: false,
        tab: None,
        typing: false,
        origin: Default::default(),
    }
}

/// One line without control characters, as prompts on a screen are.
fn line(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    clean.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "asked_tests.rs"]
mod tests;
