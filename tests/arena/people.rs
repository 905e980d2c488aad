//! The persons of an arena: they type at the worst moment, answer in the pane, and settle by number what is put
//! to them.

use std::cmp::Reverse;

use counsel::core::question::Kind;
use counsel::core::terminal::keys::{Input, Key, KeyPress};
use counsel::wire::message::{GivenAnswer, Status};
use counsel::wire::{Reply, Request};

use super::field::{Act, Field, Typed};
use super::script::{Trouble, Wanted};
use super::truth::now_us;

impl Field {
    /// A person looks at a question at this time, unless they are about to already.
    pub(super) fn turn_to(&mut self, us: u64, id: String, agent: &str) {
        let act = Act::Answer { id, agent: agent.to_owned() };
        if !self.acts.iter().any(|Reverse((_, other))| *other == act) {
            self.acts.push(Reverse((us, act)));
        }
    }

    /// A person types at about the time the answer is delivered.
    pub(super) fn plan_typing(&mut self, us: u64, name: &str, prompt: &str) {
        let Some(state) = self.agents.get_mut(name) else { return };
        let Some((round, _)) = state.shown.clone() else { return };
        let life = self.script.agents.iter().find(|life| life.name == name).unwrap();
        let Some(Trouble::Typing { around_ms, keys }) = life.troubles.get(round) else { return };
        if state.troubled == Some(round) {
            return;
        }
        state.troubled = Some(round);
        let delay = self.script.wanted.get(prompt).map_or(0, |wanted| wanted.delay_ms);
        // The first key is due when the consultant has answered, and 250 ms after the drawing at the earliest.
        let due = us + 1_000 * delay.max(225);
        let at = due.saturating_add_signed(1_000 * around_ms + self.dice.roll(1_000) as i64);
        self.acts.push(Reverse((at, Act::Type { agent: name.to_owned(), round, keys: *keys })));
    }

    /// Keys that commit nothing, while the dialog of this round is up.
    pub(super) fn types_at_random(&mut self, agent: &str, round: usize, keys: u64) {
        for _ in 0..keys {
            let key = *self.dice.of(&[Key::Down, Key::Up, Key::Char('z'), Key::Tab]);
            if self.stands(agent, round) {
                self.type_into(agent, Input::Key(KeyPress::plain(key)));
            }
        }
    }

    pub(super) fn answers_by_hand(&mut self, agent: &str, round: usize) {
        if self.stands(agent, round) {
            let key = *self.dice.of(&[Key::Enter, Key::Esc, Key::Char('1'), Key::Char('2')]);
            self.type_into(agent, Input::Key(KeyPress::plain(key)));
        }
    }

    fn stands(&self, agent: &str, round: usize) -> bool {
        self.agents[agent].shown.as_ref().is_some_and(|(now, _)| *now == round)
    }

    fn type_into(&mut self, agent: &str, input: Input) {
        let us = now_us();
        let (name, inputs) = (agent.to_owned(), vec![input.clone()]);
        // Without a reply it may or may not have arrived.
        let typed = if self.dice.one_in(2) {
            let request = Request::Send { name, input: inputs, enter: false };
            matches!(self.request(request), None | Some(Reply::Done))
        } else {
            self.send(Request::Keys { name, input: inputs });
            true
        };
        if typed {
            self.seen.typed.push(Typed { agent: agent.to_owned(), us, input });
        }
    }

    /// As told, twice at most; then by leaving the dialog, which every state of it takes.
    pub(super) fn person_answers(&mut self, id: &str, name: &str) {
        let last = self.seen.told.iter().rev().find(|told| told.question.id == *id);
        // A new server gives the question a new number, and puts it to the person anew.
        let kill = self.seen.kills.last().map_or(0, |(us, _)| *us);
        let Some(question) = last.filter(|told| told.us > kill).map(|told| told.question.clone()) else {
            return;
        };
        if question.status != Status::Escalated || self.agents.get(name).is_none_or(|agent| agent.ended) {
            return;
        }
        let Some(state) = self.agents.get_mut(name) else { return };
        state.tries += 1;
        let tries = state.tries;
        let key = question.subject.as_ref().filter(|_| question.kind == Kind::Permission);
        let wanted = self.script.wanted.get(key.unwrap_or(&question.prompt)).cloned();
        let options = match (&wanted, question.kind) {
            (Some(Wanted { decided, .. }), _) => Some(decided.clone()),
            (None, Kind::Review) => Some(vec!["Submit answers".to_owned()]),
            (None, _) => None,
        };
        if tries <= 2
            && let Some(options) = options
        {
            let answer = if question.kind == Kind::Text {
                GivenAnswer { text: options.into_iter().next(), ..GivenAnswer::default() }
            } else {
                GivenAnswer { options, ..GivenAnswer::default() }
            };
            self.seen.answers.push(id.to_owned());
            if self.request(Request::Answer { id: id.to_owned(), answer }) == Some(Reply::Done) {
                return;
            }
        } else {
            self.type_into(name, Input::Key(KeyPress::plain(Key::Esc)));
        }
        // It may have failed, or hit nothing: the person looks again.
        self.turn_to(now_us() + 700_000, id.to_owned(), name);
    }
}
