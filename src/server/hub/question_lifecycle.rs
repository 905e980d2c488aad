//! A question's lifecycle, from a classified screen: it appears, it is routed, it goes away, it is logged.

use crate::core::deliver::{Proof, part_of, same_dialog};
use crate::core::log::log_entry::{Channel, Entry, Outcome};
use crate::core::policy::route::{Asker, Route, route};
use crate::core::question::Question;
use crate::session::message::{AgentKey, AskKey, Order};
use crate::wire::Notice;
use crate::wire::message::Status;

use super::Hub;
use super::ask::{Ask, Decided, words};

/// A question that is not on one screen may be back on the next (a redraw in two pieces); after this
/// long it is gone.
pub(super) const MISSING_MS: u64 = 400;
/// Fingerprints remembered for the loop guard; longer loops are rarer than honest repetitions.
const RECENT: usize = 12;

/// How a question ended.
#[derive(Debug, Clone)]
pub(super) struct End {
    pub status: Status,
    pub outcome: Outcome,
    pub note: Option<String>,
    pub by: String,
    pub keys: Vec<String>,
    pub proof: Option<Proof>,
}

impl Hub {
    /// Compares the question on the screen with the one that is open.
    pub(super) fn compare(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get(&key) else { return };
        if agent.sight.redrawing && !agent.gone() {
            return;
        }
        let judged_ms = agent.sight.judged_ms;
        let seen = agent.on_screen().cloned().filter(|_| !agent.gone());
        let open = agent.ask.filter(|ask| self.asks.get(ask).is_some_and(|ask| !ask.status.settled()));
        if self.hook_covers(key, open, seen.as_ref()) {
            return;
        }
        let seen = seen.filter(|_| open.is_none_or(|ask| !self.hidden(ask)));
        let cropped = open.zip(seen.as_ref()).is_some_and(|(ask, seen)| self.only_cropped(ask, seen));
        match (open, seen) {
            (Some(ask), Some(question)) if same_dialog(&self.asks[&ask].question, &question) => {
                if let Some(agent) = self.agents.get_mut(&key) {
                    agent.missing_since = None;
                }
                self.still_there(ask, question, judged_ms);
            }
            (Some(_), Some(_)) if cropped => {
                if let Some(agent) = self.agents.get_mut(&key) {
                    agent.missing_since = None;
                }
            }
            (Some(ask), Some(question)) => {
                self.withdraw(ask);
                self.appeared(key, question, "screen");
            }
            (Some(_), None) => {
                if let Some(agent) = self.agents.get_mut(&key) {
                    agent.missing_since.get_or_insert(now.ms);
                }
                self.question_missing(key);
            }
            (None, Some(question)) => self.appeared(key, question, "screen"),
            (None, None) => {}
        }
    }

    /// Since the question was seen the pane became smaller, and a part of it is still to be seen: whoever
    /// is consulted goes on thinking. Before a key is sent the dialog must be whole again.
    fn only_cropped(&self, key: AskKey, seen: &Question) -> bool {
        let Some(ask) = self.asks.get(&key) else { return false };
        let resized = self.agents.get(&ask.agent).is_some_and(|agent| agent.sight.resized_ms > ask.asked_ms);
        ask.status == Status::Consulting && resized && part_of(&ask.question, seen)
    }

    /// If only a part of the question is to be seen, that part is asked anew, since nothing else can be
    /// answered there. True if so.
    pub(super) fn ask_anew_if_cropped(&mut self, key: AskKey) -> bool {
        let Some(ask) = self.asks.get(&key).filter(|ask| !ask.status.settled()) else { return false };
        let agent_key = ask.agent;
        let seen = self.agents.get(&agent_key).and_then(|agent| agent.sight.verdict.question.clone());
        let Some(seen) = seen.filter(|seen| {
            seen.fingerprint() != ask.fingerprint
                && !same_dialog(&ask.question, seen)
                && part_of(&ask.question, seen)
        }) else {
            return false;
        };
        self.withdraw(key);
        self.appeared(agent_key, seen, "screen");
        true
    }

    fn still_there(&mut self, key: AskKey, question: Question, judged_ms: u64) {
        let Some(ask) = self.asks.get_mut(&key) else { return };
        ask.seen_ms = judged_ms.max(ask.seen_ms);
        // With a text typed into it, a free-text row reads like any other: the row stays what it was.
        if ask.question != question && ask.fingerprint == question.fingerprint() {
            ask.question = question;
            self.tell_question(key);
        }
    }

    pub(super) fn question_missing(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get(&key) else { return };
        let Some(since) = agent.missing_since else { return };
        if now.ms >= since + MISSING_MS || agent.gone() {
            let ask = agent.ask.filter(|ask| !self.hidden(*ask));
            if let Some(agent) = self.agents.get_mut(&key) {
                agent.missing_since = None;
            }
            if let Some(ask) = ask {
                self.withdraw(ask);
            }
        }
    }

    /// The question has gone without an answer of ours: a person answered in the pane, or the agent
    /// went on by itself.
    pub(super) fn withdraw(&mut self, key: AskKey) {
        if self.hook_keeps(key) {
            return;
        }
        let Some(ask) = self.asks.get_mut(&key).filter(|ask| !ask.status.settled()) else { return };
        if ask.leaving.is_some() {
            return;
        }
        let agent_key = ask.agent;
        let agent = self.agents.get(&agent_key);
        let person = agent.is_some_and(|agent| agent.sight.typed != ask.typed);
        let note = if person { "answered in the pane" } else { "the question went away" };
        let by = if person { "person" } else { "none" };
        let (note, by) = (note.to_owned(), by.to_owned());
        let (status, outcome) = (Status::Withdrawn, Outcome::Withdrawn);
        let end = End { status, outcome, note: Some(note), by, keys: Vec::new(), proof: None };
        if ask.delivering {
            // The session says which keys were sent, or that the answer is in after all.
            ask.leaving = Some(end);
            return self.order(agent_key, Order::Withdraw { ask: key, untouched: false });
        }
        self.withdrawn(key, end);
    }

    /// Nothing is typed for it any more, and it is gone.
    pub(super) fn withdrawn(&mut self, key: AskKey, end: End) {
        let Some(agent_key) = self.asks.get(&key).map(|ask| ask.agent) else { return };
        self.cancel_consultation(key);
        self.close_question(key, end);
        self.hook_withdrawn(agent_key, key);
    }

    /// A question is new; `source` is where it was seen first.
    pub(super) fn appeared(&mut self, key: AgentKey, question: Question, source: &'static str) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let ask_key = AskKey(self.next_ask);
        agent.ask = Some(ask_key);
        agent.missing_since = None;
        let deadline = agent.policy.consult.deadline_secs.saturating_mul(1000);
        let ask = Ask {
            sources: std::collections::BTreeSet::from([source]),
            asked_ms: now.ms,
            seen_ms: now.ms,
            asked_unix_ms: now.unix_ms,
            deadline_ms: Some(now.ms + deadline),
            deadline_unix_ms: Some(now.unix_ms + deadline),
            before: agent.sight.text.to_string(),
            typed: agent.sight.typed,
            ..Ask::new(format!("q{}", ask_key.0), key, question)
        };
        self.next_ask_key();
        self.asks.insert(ask_key, ask);
        self.read_context(ask_key);
        self.corroborate(ask_key);
        match self.hook_meets(ask_key) {
            Ok(_) => self.route(ask_key),
            Err(why) => self.escalate(ask_key, why, String::new()),
        }
        self.hook_after_route(ask_key);
        self.tell_agent(key);
        self.check_waits(key);
    }

    /// Decides who answers, and starts on it.
    pub(super) fn route(&mut self, key: AskKey) {
        let Some(ask) = self.asks.get(&key) else { return };
        let Some(agent) = self.agents.get(&ask.agent) else { return };
        let asker = Asker {
            name: &agent.spec.name,
            consultant: agent.spec.consultant.as_ref(),
            is_consultant: agent.spec.role == crate::core::agent::Duty::Consultant,
        };
        let decision = route(&ask.question, &asker, &agent.policy);
        let (agent_key, fingerprint) = (ask.agent, ask.fingerprint);
        match decision {
            Route::Human { why, rule } => self.escalate(key, why, rule),
            Route::Consult { with, rule } => {
                let limit = self.loops(agent_key, fingerprint).or_else(|| self.limit_reached(agent_key));
                if let Some(limit) = limit {
                    return self.escalate(key, limit, rule);
                }
                if let Some(ask) = self.asks.get_mut(&key) {
                    ask.rule = rule;
                }
                self.consult(key, &with);
            }
            Route::Answer { answer, rule } => {
                // A rule may well say the same a hundred times, but not a thousand.
                if let Some(limit) = self.limit_reached(agent_key) {
                    return self.escalate(key, limit, rule);
                }
                self.decide(key, Decided { answer, by: format!("rule {rule}"), reason: None });
            }
            Route::Ignore { rule } => {
                if let Some(ask) = self.asks.get_mut(&key) {
                    ask.route = "nobody".to_owned();
                    ask.left_alone = true;
                    ask.note = Some("a rule says to leave it alone".to_owned());
                    ask.rule = rule;
                    (ask.deadline_ms, ask.deadline_unix_ms) = (None, None);
                }
                self.tell_question(key);
            }
        }
    }

    /// A person is needed: the question waits for them, and they are told.
    pub(super) fn escalate(&mut self, key: AskKey, why: String, rule: String) {
        self.cancel_consultation(key);
        let Some(ask) = self.asks.get_mut(&key).filter(|ask| !ask.status.settled()) else { return };
        ask.status = Status::Escalated;
        ask.route = "human".to_owned();
        ask.left_alone = false;
        ask.note = Some(why.clone());
        if !rule.is_empty() {
            ask.rule = rule;
        }
        (ask.deadline_ms, ask.deadline_unix_ms) = (None, None);
        let agent_key = ask.agent;
        self.tell_question(key);
        self.notify_person(key, &why);
        self.hook_abstains(agent_key);
    }

    /// The end of a question: the log, and everybody who shows it.
    pub(super) fn close_question(&mut self, key: AskKey, end: End) {
        let End { status, outcome, note, by, keys, proof } = end;
        let Some(ask) = self.asks.get_mut(&key) else { return };
        // Nobody is told of an end that a crash could make forgotten.
        ask.shown = Some(ask.status);
        ask.status = status;
        if note.is_some() {
            ask.note = note;
        }
        let keys = [std::mem::take(&mut ask.typed_in_vain), keys].concat();
        let (agent_key, fingerprint) = (ask.agent, ask.fingerprint);
        if let Some(agent) = self.agents.get_mut(&agent_key) {
            if agent.ask == Some(key) {
                agent.ask = None;
            }
            agent.recent.push_back(fingerprint.0);
            if agent.recent.len() > RECENT {
                agent.recent.pop_front();
            }
        }
        let entry = Entry { keys, proof, ..self.entry(key, outcome, &by) };
        let entry = entry.withheld(&self.asks[&key].secrets);
        self.remember(key, entry);
        self.tell_agent(agent_key);
    }

    /// The end of a question is on the disk: now it is told.
    pub(super) fn logged(&mut self, key: AskKey) {
        if let Some(ask) = self.asks.get_mut(&key) {
            ask.shown = None;
            self.tell_question(key);
            self.asked_logged(key);
        }
    }

    fn entry(&self, key: AskKey, outcome: Outcome, by: &str) -> Entry {
        let ask = &self.asks[&key];
        let agent = self.agents.get(&ask.agent);
        let delivered = outcome == Outcome::Answered;
        let answer = ask.decided.as_ref().map(|decided| words(&decided.answer, &ask.question));
        // Only where it went by a person's key.
        let chosen = ask.choice.as_ref().filter(|_| outcome == Outcome::Withdrawn && by == "person");
        Entry {
            id: ask.id.clone(),
            agent: agent.map(|agent| agent.spec.name.clone()).unwrap_or_default(),
            asked_at: ask.asked_unix_ms,
            settled_at: self.now.unix_ms,
            latency_ms: self.now.ms.saturating_sub(ask.asked_ms),
            kind: ask.question.kind,
            prompt: ask.question.prompt.clone(),
            options: ask.question.options.iter().map(|choice| choice.label.clone()).collect(),
            subject: ask.question.subject.clone(),
            answer: answer.filter(|_| delivered || outcome == Outcome::Failed),
            by: by.to_owned(),
            rule: ask.rule.clone(),
            channel: match delivered {
                true if ask.by_hook => Channel::Hook,
                true if ask.sources.contains("mcp") => Channel::Mcp,
                true => Channel::Keys,
                false => Channel::None,
            },
            outcome,
            reason: ask
                .decided
                .as_ref()
                .and_then(|decided| decided.reason.clone())
                .or_else(|| ask.note.clone()),
            prompt_sent: ask.prompt_sent.clone(),
            reply: ask.reply.clone(),
            keys: Vec::new(),
            proof: None,
            before: ask.before.clone(),
            after: agent.map(|agent| agent.sight.text.to_string()).unwrap_or_default(),
            shadow: ask.shadow(chosen),
            proposed: ask.proposed.as_ref().map(|decided| words(&decided.answer, &ask.question)),
            chosen: chosen.map(|chosen| words(chosen, &ask.question)),
            asked: ask.turns.clone(),
        }
    }

    pub(super) fn question_info(&self, key: AskKey) -> crate::wire::message::QuestionInfo {
        let ask = &self.asks[&key];
        let name = self.agents.get(&ask.agent).map_or("", |agent| agent.spec.name.as_str());
        ask.info(name)
    }

    pub(super) fn tell_question(&mut self, key: AskKey) {
        if self.asks.contains_key(&key) {
            self.broadcast(Notice::Question(self.question_info(key)));
        }
    }
}
