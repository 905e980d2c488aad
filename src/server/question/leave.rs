//! Leave that a program asks of a person: `pty_start`, `pty_exec` and `pty_stop` of `counsel mcp`, where the user's
//! `[permissions]` say `ask`.
//!
//! It is a question in words that belongs to no agent: listed, answered and logged like the others, and never anybody's
//! but a person's. Nothing is typed because of it.

use crate::core::question::{Choice, Kind, Question};
use crate::server::hub::message::{ToClients, ToReplies};
use crate::server::hub::replies::{Caller, Owed};

use super::ask::{Ask, NOBODY, Source};
use super::phase::Phase;
use super::{Questions, World};

/// Stands where an agent's name does; no agent can have it.
const PROGRAM: &str = "(mcp)";
/// Words for what is to be done, on one line: a command with its arguments may be long.
const WHAT_CHARS: usize = 1_000;

impl Questions {
    /// The reply comes when a person has answered, or the time is up.
    pub(super) fn asked_for_leave(&mut self, from: Caller, what: &str, wait_ms: u64, world: World<'_>) {
        let key = self.next_key();
        let clean = crate::core::log::redact::clean(what);
        let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
        let label = |label: &str| Choice { label: label.to_owned(), ..Choice::default() };
        let question = Question {
            kind: Kind::Permission,
            prompt: format!("May a program {}?", line.chars().take(WHAT_CHARS).collect::<String>()),
            options: vec![label("Yes"), label("No")],
            selected: None,
            multi: false,
            subject: None,
            partial: false,
            tab: None,
            typing: false,
            origin: Default::default(),
        };
        let why = "your [permissions] ask for it";
        let text = format!("{PROGRAM} needs you (permission): {} [{why}]", question.prompt);
        let ask = Ask {
            sources: std::collections::BTreeSet::from([Source::Mcp]),
            asked_ms: world.now.ms,
            seen_unix_ms: world.now.unix_ms,
            asked_unix_ms: world.now.unix_ms,
            words_until_ms: Some(world.now.ms.saturating_add(wait_ms)),
            phase: Phase::Escalated { was: None },
            rule: "permissions".to_owned(),
            note: Some(why.to_owned()),
            ..Ask::new(format!("q{}", key.0), (NOBODY, PROGRAM), question)
        };
        let id = ask.id.clone();
        self.asks.insert(key, ask);
        self.reply(ToReplies::Owe(from, Owed::Asked { ask: key, reply: None }));
        self.tell_question(key);
        self.tell(ToClients::Notify { agent: PROGRAM.to_owned(), question: Some(id), text });
    }
}
