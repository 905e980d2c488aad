//! A question of which the screen shows a part, and which its hook has told whole, or its screen before the pane became
//! smaller: a dialog that is taller than its pane.
//!
//! It is told and decided as a whole. Its answer goes through the hook; by keys only where the rows it means are in
//! view, since no key is sent for a row that is not seen to be highlighted.

use crate::core::hook::{Asked, follow, same_row};
use crate::core::policy::readings::hangs_on_its_rows;
use crate::core::question::{Answer, Question, Role};
use crate::session::message::AskKey;

use super::ask::Ask;
use super::{Questions, World};

pub(super) const OUT_OF_VIEW: &str =
    "the row of this answer is out of view; make the pane larger, or answer in it";

impl Ask {
    /// What the screen shows of it.
    pub fn shown(&self) -> &Question {
        self.part.as_deref().unwrap_or(&self.question)
    }

    /// The screen shows it so, or this part of what was told of it. An answer that was decided on keeps its rows: the hook's
    /// come first.
    pub(super) fn seen_as(&mut self, seen: &Question, told: Option<&Asked>) {
        self.fingerprint = seen.fingerprint();
        let Some(mut whole) = told.and_then(|told| told.whole(seen)) else {
            (self.question, self.part) = (seen.clone(), None);
            return;
        };
        // What is out of view now may have been ticked while it was seen.
        for (row, before) in whole.options.iter_mut().zip(&self.question.options) {
            if row.role == Role::Choice && row.label == before.label {
                row.checked = before.checked;
            }
        }
        follow(&mut whole, seen);
        (self.question, self.part) = (whole, Some(Box::new(seen.clone())));
    }

    /// Its highlight or its ticks have moved.
    pub(super) fn follow(&mut self, seen: &Question) {
        match &mut self.part {
            Some(part) => {
                follow(&mut self.question, seen);
                **part = seen.clone();
            }
            None => {
                // While it is drawn anew nothing is known of what it shows.
                let shows = seen.origin.shows.or(self.question.origin.shows);
                self.question = seen.clone();
                self.question.origin.shows = shows;
            }
        }
    }

    /// Whether nothing was decided, or told of, by the place of its rows.
    pub(super) fn is_undecided(&self) -> bool {
        let decisions = [self.decision(), self.shadow.as_ref(), self.suggested.as_ref()];
        let answers = [&self.proposed, &self.choice];
        decisions.iter().all(Option::is_none) && answers.iter().all(|answer| answer.is_none())
    }

    /// Whether what was decided on means the same rows once it is told whole: those of a part are counted from another one.
    pub(super) fn can_be_whole(&self) -> bool {
        !self.question.partial || self.is_undecided()
    }

    /// A hook tells the command that is asked for. On the screen other line ends and blanks may stand in it, and an answer
    /// is for what the screen shows.
    pub(super) fn told_command(&mut self, command: &str) {
        if self.question.subject.as_deref() != Some(command) || hangs_on_its_rows(command) {
            self.part.get_or_insert_with(|| Box::new(self.question.clone()));
        }
        self.question = exactly(&self.question, command);
    }

    /// A hook has told of it.
    pub(super) fn told_whole(&mut self, told: Option<&Asked>) {
        if self.question.partial && self.can_be_whole() {
            let seen = self.question.clone();
            self.seen_as(&seen, told);
        }
    }

    /// The answer in the rows that are in view; none where one of them is not.
    pub(super) fn in_view(&self, answer: &Answer) -> Option<Answer> {
        match &self.part {
            Some(part) => between(&self.question, answer, part),
            None => Some(answer.clone()),
        }
    }

    /// What was chosen among the rows in view.
    pub(super) fn of_view(&self, answer: Answer) -> Option<Answer> {
        match &self.part {
            Some(part) => between(part, &answer, &self.question),
            None => Some(answer),
        }
    }
}

/// The question about this very command.
pub(super) fn exactly(question: &Question, command: &str) -> Question {
    let mut exact = Question { subject: Some(command.to_owned()), ..question.clone() };
    exact.origin.exact = hangs_on_its_rows(command);
    exact
}

fn between(from: &Question, answer: &Answer, to: &Question) -> Option<Answer> {
    match answer {
        Answer::Rows(rows) => {
            rows.iter().map(|row| same_row(from, *row, to)).collect::<Option<_>>().map(Answer::Rows)
        }
        Answer::Text(_) | Answer::Reject => Some(answer.clone()),
    }
}

impl Questions {
    /// Whether the screen shows another part of the open question that a hook told of, or all of it: its pane has another
    /// size, or its highlight has moved. It stays the one it is.
    pub(super) fn shows_more_or_less(&mut self, key: AskKey, seen: &Question, world: World<'_>) -> bool {
        let Some(ask) = self.asks.get_mut(key).filter(|ask| !ask.settled()) else { return false };
        let cropped = seen.partial || ask.part.is_some();
        let hook = world.hooks.get(ask.agent).filter(|_| cropped);
        let Some((hook, told)) = hook.and_then(|hook| Some((hook, hook.told(key)?))) else { return false };
        let lost = !ask.can_be_whole() || seen.partial && told.whole(seen).is_none();
        if lost || hook.position(seen) != hook.at(key) {
            return false;
        }
        ask.seen_as(seen, Some(told));
        let agent = world.agent_of(ask);
        ask.seen_ms = agent.map_or(ask.seen_ms, |agent| agent.sight.judged_ms.max(ask.seen_ms));
        self.tell_question(key);
        true
    }
}
