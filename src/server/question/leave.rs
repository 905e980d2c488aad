//! What a program that is no agent asks of a person: leave, for `pty_start`, `pty_exec` and `pty_stop` of `counsel mcp` where
//! the user's `[permissions]` say `ask`, and advice, by `ask_counsel`.
//!
//! It is a question in words that belongs to no agent: listed, answered and logged like the others, and never anybody's
//! but a person's. Nothing is typed because of it.

use crate::core::policy::Consult;
use crate::core::question::{Choice, Kind, Question};
use crate::server::hub::message::{ToClients, ToReplies, Words};
use crate::server::hub::replies::{Caller, Owed};
use crate::wire::message::Reply;

use super::ask::{Ask, NOBODY, Source};
use super::phase::Phase;
use super::words::{MAX_WAIT_MS, MAX_WAITING, REFUSED, USAGE, fit, question};
use super::{Questions, World};

/// Stands where an agent's name does; no agent can have it.
const PROGRAM: &str = "(mcp)";
/// Words for what is to be done, on one line: a command with its arguments may be long.
const WHAT_CHARS: usize = 1_000;

/// A question of nobody's, and why it is a person's.
struct Wish {
    question: Question,
    context: String,
    wait_ms: u64,
    rule: &'static str,
    why: &'static str,
}

impl Questions {
    /// The reply comes when a person has answered, or the time is up.
    pub(super) fn asked_for_leave(&mut self, from: Caller, what: &str, wait_ms: u64, world: World<'_>) {
        let clean = crate::core::log::redact::clean(what);
        let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
        let label = |label: &str| Choice { label: label.to_owned(), ..Choice::default() };
        let prompt = format!("May a program {}?", line.chars().take(WHAT_CHARS).collect::<String>());
        let options = vec![label("Yes"), label("No")];
        let question = Question { options, ..Question::new(Kind::Permission, prompt) };
        let why = "your [permissions] ask for it";
        let wish = Wish { question, context: String::new(), wait_ms, rule: "permissions", why };
        self.ask_a_person(from, wish, world);
    }

    /// The same for advice: a program of the user's own has no consultant, and no rules of its own.
    pub(super) fn asked_by_a_program(&mut self, from: Caller, words: Words, world: World<'_>) {
        if let Err(why) = fit(&words) {
            return self.respond(from, Reply::error(USAGE, why));
        }
        let open = |ask: &&Ask| ask.of_nobody() && !ask.settled() && ask.question.kind != Kind::Permission;
        let waiting = self.asks.values().filter(open).count();
        if waiting >= MAX_WAITING {
            let why =
                format!("{waiting} questions of programs that are no agents wait for an answer already");
            return self.respond(from, Reply::error(REFUSED, why));
        }
        let usual = Consult::default().deadline_secs.saturating_mul(1000);
        let wait_ms = words.wait_ms.unwrap_or(usual).min(MAX_WAIT_MS);
        let context = words.context.clone().unwrap_or_default();
        let why = "a program that is no agent asks, and has no consultant";
        let wish = Wish { question: question(words), context, wait_ms, rule: "built-in", why };
        self.ask_a_person(from, wish, world);
    }

    fn ask_a_person(&mut self, from: Caller, wish: Wish, world: World<'_>) {
        let key = self.next_key();
        let Wish { question, context, wait_ms, rule, why } = wish;
        let text = format!("{PROGRAM} needs you ({}): {} [{why}]", question.kind.name(), question.prompt);
        let ask = Ask {
            sources: std::collections::BTreeSet::from([Source::Mcp]),
            asked_ms: world.now.ms,
            seen_unix_ms: world.now.unix_ms,
            asked_unix_ms: world.now.unix_ms,
            words_until_ms: Some(world.now.ms.saturating_add(wait_ms)),
            phase: Phase::Escalated { was: None },
            rule: rule.to_owned(),
            note: Some(why.to_owned()),
            before: context,
            ..Ask::new(format!("q{}", key.0), (NOBODY, PROGRAM), question)
        };
        let id = ask.id.clone();
        self.asks.insert(key, ask);
        self.reply(ToReplies::Owe(from, Owed::Asked { ask: key, reply: None }));
        self.tell_question(key);
        self.tell(ToClients::Notify { agent: PROGRAM.to_owned(), question: Some(id), text });
    }
}
