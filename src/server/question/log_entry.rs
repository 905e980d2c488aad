//! The end of a question: what the log keeps of it, and when it is told.

use crate::core::log::log_entry::{Entry, Outcome};
use crate::core::question::Fingerprint;
use crate::server::effect::Effect;
use crate::server::hub::message::{ToClients, ToReplies};
use crate::server::remembered::OpenQuestion;
use crate::session::message::{AgentKey, AskKey};
use crate::wire::message::Reply;

use super::ask::Ask;
use super::entry::entry;
use super::phase::{AnsweredBy, End, Phase, Settled};
use super::{HELD_ENTRIES, KEPT_DECISIONS, Questions, World};

/// Settled questions kept for `questions --all`; the log keeps them all.
const KEPT_ASKS: usize = 500;
/// Exit codes of the contract.
const FAILED: u8 = 1;
const REFUSED: u8 = 4;

impl Questions {
    /// The end of a question: the log, and everybody who shows it.
    pub(super) fn close(&mut self, key: AskKey, end: End, world: World<'_>) {
        let Some(ask) = self.asks.get_mut(key).filter(|ask| !ask.settled()) else { return };
        let answered = end.outcome == Outcome::Answered;
        let before = std::mem::replace(&mut ask.phase, Phase::Routing);
        // Nobody is told of an end that a crash could make forgotten.
        ask.phase = Phase::Settled(Box::new(Settled { before, answered, logged: false }));
        if end.note.is_some() {
            ask.note.clone_from(&end.note);
        }
        let typed_in_vain = std::mem::take(&mut ask.typed_in_vain);
        let (agent, fingerprint, id) = (ask.agent, ask.fingerprint, ask.id.clone());
        let mut entry = entry(ask, &end, world.agent_of(ask), world.now);
        entry.keys = [typed_in_vain, end.keys].concat();
        entry.proof = end.proof;
        // Nobody has answered it since: what went in before is all that is known.
        if let Some(left) = ask.left.take().filter(|_| end.outcome == Outcome::Withdrawn && end.by.is_none())
        {
            (entry.outcome, entry.answer, entry.by) = (left.outcome, left.answer, left.by);
            (entry.reason, entry.channel) = (left.reason, left.channel);
        }
        let entry = entry.withheld(&ask.secrets);
        if answered && matches!(end.by, Some(AnsweredBy::Rule(_) | AnsweredBy::Consultant(_))) {
            self.spent.note_answer(&entry.agent, world.now.unix_ms);
        }
        if world.agents.contains(agent) {
            let track = self.track(agent);
            track.open = track.open.filter(|open| *open != key);
            if end.outcome == Outcome::Failed {
                track.failed = Some((fingerprint, world.now.ms));
            }
            self.spent.note_ended(&entry.agent, fingerprint, world.now.unix_ms);
        }
        if entry.is_undecided() && !self.spent.may_log_undecided(&entry.agent, world.now.unix_ms) {
            self.leave_out(key);
        } else {
            self.remember(key, (agent, fingerprint), entry);
        }
        self.tell(ToClients::TellAgent(agent));
        // An answer that was given is told once it is in the log.
        let reply = match end.outcome {
            Outcome::Answered => return,
            Outcome::Failed => Reply::error(FAILED, end.note.unwrap_or_default()),
            _ => Reply::error(REFUSED, format!("{id} is no longer the question on screen")),
        };
        self.reply(ToReplies::Answer { ask: key, reply });
    }

    /// Its agent has crowded the log: everybody is told of its end, and the log is not.
    fn leave_out(&mut self, key: AskKey) {
        if let Some(Ask { phase: Phase::Settled(settled), .. }) = self.asks.get_mut(key) {
            settled.logged = true;
        }
        self.tell_question(key);
        self.keep_newest();
    }

    /// The end of a question that nobody has read: it leaves nothing behind but that it was there.
    pub(super) fn drop_unread(&mut self, key: AskKey) {
        let Some(ask) = self.asks.get_mut(key) else { return };
        let before = std::mem::replace(&mut ask.phase, Phase::Routing);
        ask.phase = Phase::Settled(Box::new(Settled { before, answered: false, logged: true }));
        let agent = ask.agent;
        self.tell_question(key);
        self.tell(ToClients::TellAgent(agent));
        self.keep_newest();
    }

    /// Has the log take this entry; until the disk has it, the agent's keeper holds it for the next server.
    pub(super) fn remember(&mut self, key: AskKey, of: (AgentKey, Fingerprint), entry: Entry) {
        let (agent, fingerprint) = of;
        self.unwritten.insert(key, (agent, OpenQuestion::ended(&entry, fingerprint)));
        let held: Vec<AskKey> =
            self.unwritten.iter().filter(|(_, (of, _))| *of == agent).map(|(key, _)| *key).collect();
        for oldest in held.iter().take(held.len().saturating_sub(HELD_ENTRIES)) {
            self.unwritten.remove(oldest);
        }
        if entry.is_decision() {
            if self.decisions.len() == KEPT_DECISIONS {
                self.decisions.pop_front();
            }
            self.decisions.push_back(entry.clone());
        }
        self.effect(Effect::Append { ask: key, entry: Box::new(entry) });
        self.keep_newest();
    }

    fn keep_newest(&mut self) {
        let logged = |ask: &Ask| matches!(&ask.phase, Phase::Settled(settled) if settled.logged);
        let settled: Vec<AskKey> =
            self.asks.iter().filter(|(_, ask)| logged(ask)).map(|(key, _)| key).collect();
        for key in settled.iter().take(settled.len().saturating_sub(KEPT_ASKS)) {
            self.asks.remove(*key);
        }
    }

    /// The end of a question is on the disk, or will be when there is room: now it is told.
    pub(super) fn logged(&mut self, key: AskKey, written: bool) {
        if written {
            self.unwritten.remove(&key);
        }
        let Some(ask) = self.asks.get_mut(key) else { return };
        let Phase::Settled(settled) = &mut ask.phase else { return };
        if std::mem::replace(&mut settled.logged, true) {
            return;
        }
        self.tell_question(key);
        self.reply(ToReplies::Logged(key));
    }
}
