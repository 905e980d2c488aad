//! A text into the agent's input line: paste, see the draft, Enter alone.
//!
//! The line must be empty before: a draft that stands there is somebody's, and is never touched.

use super::drive::{EFFECT_MS, cut};
use super::flight::Gone;
use super::plan::Plan;
use super::{Delivery, DeliveryContext, GRACE_MS, LOOK_MS, Step, sight, wait};
use crate::core::question::State;
use crate::core::terminal::keys::{Key, KeyPress};

impl Delivery {
    /// Paste, see the draft, Enter.
    pub(super) fn compose(&mut self, text: &str, prompt: bool, view: &DeliveryContext, now: u64) -> Step {
        let verdict = view.verdict;
        if !self.written {
            if let Some(step) = self.unfit(prompt, view, now) {
                return step;
            }
            let ready = view.changed_ms.max(self.began_ms) + self.keys.first_key_ms;
            if !prompt && verdict.composer.is_none() {
                // A line-oriented program: what is typed is seen behind its prompt.
                self.plan = Plan::Line { text: text.to_owned(), enter: true };
                return wait(now, now);
            }
            // What keeps drawing is not waited for: the input line has not changed meanwhile.
            if now < ready && now < self.began_ms + 2 * self.keys.first_key_ms {
                return wait(now, ready);
            }
            self.written = true;
            self.last_key_ms = Some(now);
            self.opened = verdict.composer.is_some();
            self.sent.push(format!("{text:?}"));
            return Step::Paste(text.to_owned());
        }
        let pasted = self.last_key_ms.unwrap_or(now);
        match &verdict.composer {
            Some(field) if sight::is_draft(&field.draft, text) => {}
            Some(field) if !field.draft.is_empty() && now >= pasted + EFFECT_MS => {
                return Step::Failed(format!("the input line shows {:?} instead", cut(&field.draft)));
            }
            None if !self.opened => {}
            Some(_) | None if now < pasted + EFFECT_MS => return wait(now, now + LOOK_MS),
            Some(_) | None => return Step::Failed("the text does not appear in the input line".into()),
        }
        if now < pasted + self.keys.submit_ms {
            return wait(now, pasted + self.keys.submit_ms);
        }
        if verdict.state == State::Asking && !self.asked_on(view) {
            return Step::Failed("a question has come up".into());
        }
        let gone = if self.opened { Gone::Draft(text.to_owned()) } else { Gone::Unseen };
        self.commit(KeyPress::plain(Key::Enter), text.to_owned(), gone, now)
    }

    /// Why nothing can be pasted, yet or at all.
    fn unfit(&mut self, prompt: bool, view: &DeliveryContext, now: u64) -> Option<Step> {
        let verdict = view.verdict;
        if verdict.composer.as_ref().is_some_and(|field| !field.draft.is_empty()) {
            return Some(Step::Failed("somebody's draft stands in the input line".into()));
        }
        let ground = match verdict.state {
            State::Idle => prompt || self.asked_on(view),
            // A program without a profile, or a line-oriented one that asks.
            State::Unknown => prompt && verdict.composer.is_none(),
            State::Asking => !prompt && self.asked_on(view),
            State::Starting | State::Working | State::Exited | State::Paused => false,
        };
        if ground {
            self.away_since = None;
            return None;
        }
        let since = *self.away_since.get_or_insert(now);
        if now < since + GRACE_MS {
            return Some(wait(now, since + GRACE_MS));
        }
        let what = match (prompt, verdict.state) {
            (true, state) => format!("the agent is not idle, but {}", state.name()),
            (false, _) => "the question is no longer on the screen".to_owned(),
        };
        Some(Step::Failed(what))
    }

    fn asked_on(&self, view: &DeliveryContext) -> bool {
        let on = view.verdict.question.as_ref().zip(self.question.as_ref());
        on.is_some_and(|(now, asked)| sight::same(asked, now))
    }
}
