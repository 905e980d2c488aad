//! The keys of an answer behind the prompt of a line.
//!
//! Where a program takes each letter as it comes, only it decides what that does: the first one goes alone. It is taken back
//! if the program draws what is typed and does not show it.

use super::flight::{Effect, Flight};
use super::plan::{Plan, is_undescribed};
use super::{Delivery, Step, room, sight, wait};
use crate::core::question::{Kind, Question};
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::{Key, KeyPress};

/// A program that takes one key for an answer has gone on by then: it has asked the next, or printed something. Those that edit
/// a line show the letter and wait.
const LETTER_MS: u64 = 3_000;
/// Letters that are taken back one by one, at most: more take longer than an answer.
const MOST_BACK: u64 = 100;

/// Why nothing is typed behind what stands there.
const TYPED_ALREADY: &str =
    "something is typed behind the prompt already; empty that line in its pane, then answer again";

impl Delivery {
    /// A word behind a prompt, Enter. Its first letter goes alone where the program has it at once.
    pub(super) fn line(
        &mut self,
        question: &Question,
        text: String,
        enter: bool,
        size: Size,
        now: u64,
    ) -> Step {
        if let Some(why) = &self.taken_back {
            return Step::Failed(why.clone());
        }
        let second = text.char_indices().nth(1).map_or(text.len(), |(at, _)| at);
        let apart = question.origin.takes_letters() && second < text.len();
        if !self.written {
            if question.typing {
                return Step::Failed(TYPED_ALREADY.into());
            }
            if let Some(why) = room::too_long(question, &text, size).filter(|_| question.options.is_empty()) {
                return Step::Failed(why);
            }
            let first = if apart { &text[..second] } else { &text };
            self.fly(None, Effect::Echoed, format!("{first:?}"), now);
            return Step::Text(first.to_owned());
        }
        // Where a letter may be the whole answer, what follows would go to the next question.
        let alone = question.origin.takes_letters() && is_undescribed(question) && !self.whole;
        let pause = if alone { self.keys.submit_ms.max(LETTER_MS) } else { self.keys.submit_ms };
        let typed = self.last_key_ms.unwrap_or(now) + pause;
        if now < typed {
            return wait(now, typed);
        }
        if !enter {
            return Step::Failed("the answer was typed, but the prompt did not take it".into());
        }
        let rest = apart && !self.whole;
        // A field that draws a star for each letter hides them: whatever its words ask for, it is a secret.
        if !sight::shows(question, if rest { &text[..second] } else { &text }) {
            let why = "what was typed is not what the prompt shows: it may be a hidden field";
            return if self.is_in_field() { self.take_back(why, now) } else { Step::Failed(why.into()) };
        }
        if rest {
            self.fly(None, Effect::Shown(text.clone()), format!("{:?}", &text[second..]), now);
            return Step::Text(text[second..].to_owned());
        }
        self.commit_dialog(Key::Enter, text, now)
    }

    /// Enter alone, while nothing stands behind the prompt.
    pub(super) fn empty_line(&mut self, question: &Question, now: u64) -> Step {
        if question.typing {
            return Step::Failed(TYPED_ALREADY.into());
        }
        self.commit_dialog(Key::Enter, String::new(), now)
    }

    /// Enter alone, while the value stands there that was to be taken.
    pub(super) fn accept(&mut self, question: &Question, offered: String, now: u64) -> Step {
        let stands = question.origin.offered.as_ref() == Some(&offered);
        if question.typing || !stands {
            return Step::Failed("what the prompt offers has changed".into());
        }
        self.commit_dialog(Key::Enter, offered, now)
    }

    /// Whether letters of an answer in words, and nothing else, were typed into a field that the program draws.
    pub(super) fn is_in_field(&self) -> bool {
        let drawn = |asked: &Question| asked.kind == Kind::Text && asked.origin.unechoed;
        let words = matches!(self.plan, Plan::Line { .. }) && self.question.as_ref().is_some_and(drawn);
        words
            && (1..=MOST_BACK).contains(&self.letters())
            && self.sent.iter().all(|sent| sent.starts_with('"'))
    }

    /// How many letters were typed; as the log writes them, in quotes.
    fn letters(&self) -> u64 {
        let texts = self.sent.iter().filter(|sent| sent.starts_with('"'));
        texts.map(|sent| sent.chars().count().saturating_sub(2) as u64).sum()
    }

    /// Another letter is taken back while any stand there: a program may have dropped some of them.
    pub(super) fn one_more_back(&mut self, flight: &mut Flight, now: u64) -> Option<Step> {
        let press = flight.press.filter(|_| flight.wants == Effect::Emptied)?;
        if flight.tries >= self.letters() {
            return None;
        }
        let ready = flight.last_ms + self.keys.gap_ms;
        if now < ready {
            return Some(wait(now, ready));
        }
        (flight.tries, flight.last_ms, self.last_key_ms) = (flight.tries + 1, now, Some(now));
        self.sent.push(press.to_string());
        Some(Step::Press(press))
    }

    /// Takes those letters back: whoever comes to the field finds it as it was.
    pub(super) fn take_back(&mut self, why: &str, now: u64) -> Step {
        self.taken_back = Some(why.to_owned());
        self.press(KeyPress::plain(Key::Backspace), Effect::Emptied, now)
    }
}
