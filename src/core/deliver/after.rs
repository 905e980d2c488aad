//! After the committing key: whether it took, and nothing more is sent.
//!
//! The one exception is a prompt whose Enter a program swallowed before it listened: it is sent again
//! while exactly our draft stands in the input line.

use super::flight::{Committed, Gone};
use super::plan::Plan;
use super::{Delivery, DeliveryContext, LOOK_MS, Proof, Step, sight, wait};
use crate::core::question::{Needs, Question, State};
use crate::core::terminal::keys::{Key, KeyPress};

/// How long a committed dialog may stay on the screen.
pub(super) const GONE_MS: u64 = 5_000;
/// A dialog that stands there though nobody is seen to read any more: it is looked on for this long whether it asks again. Who works
/// for longer has taken the answer.
const STANDS_MS: u64 = 4_000;
/// What follows a dialog may show nothing known; for this long it must stay so.
const UNKNOWN_MS: u64 = 300;
/// Somebody's key may come right behind the one that sent the answer. A dialog that goes so soon has gone by ours, which was first.
const BY_OURS_MS: u64 = 500;
/// An Enter that left the draft in place was swallowed, if it still stands there after this long.
const SWALLOWED_MS: u64 = 1_000;
/// Enters sent again at most.
const MORE_ENTERS: u32 = 2;

impl Gone {
    /// What stands in its place, once it has gone.
    fn seen(
        &self,
        delivery: &mut Delivery,
        view: &DeliveryContext,
        committed: &Committed,
        now: u64,
    ) -> Option<String> {
        let verdict = view.verdict;
        if verdict.state == State::Exited {
            return Some(State::Exited.name().to_owned());
        }
        let place = match (&verdict.question, verdict.state) {
            (Some(question), _) => format!("{}: {}", question.kind.name(), question.prompt),
            (None, state) => state.name().to_owned(),
        };
        let certain = match self {
            Gone::Unseen => return (now >= committed.at_ms + UNKNOWN_MS).then_some(place),
            Gone::Dialog => match (&verdict.question, &delivery.question) {
                // Asked anew in the same words: the answer was taken, and did not please.
                (Some(now), Some(asked)) if sight::same(asked, now) => delivery.emptied(now).then_some(false),
                (Some(now), _) if delivery.is_refused(view, now) => None,
                (Some(_), _) => Some(true),
                // It stands there as it stood, and its program has the answer: it may ask on.
                (None, _)
                    if delivery.is_shown_still(view, committed) && now < committed.at_ms + STANDS_MS =>
                {
                    None
                }
                (None, _) => Some(matches!(verdict.state, State::Working | State::Idle)),
            },
            // Gemini empties its input line before the message stands below the question: that question would be
            // taken for another one.
            Gone::Draft(_) if still_asked(delivery, view) => None,
            Gone::Draft(_) => match &verdict.composer {
                Some(composer) => composer.draft.is_empty().then_some(true),
                None => Some(matches!(verdict.state, State::Working | State::Asking)),
            },
        };
        match certain {
            None => {
                delivery.away_since = None;
                None
            }
            Some(true) => Some(place),
            Some(false) => {
                let since = *delivery.away_since.get_or_insert(now);
                (now >= since + UNKNOWN_MS).then_some(place)
            }
        }
    }
}

/// Whether an idle agent's last words are the question in words that was answered.
fn still_asked(delivery: &Delivery, view: &DeliveryContext) -> bool {
    let (asked, seen) = (&delivery.question, &view.verdict.question);
    let same = asked.as_ref().zip(seen.as_ref()).is_some_and(|(asked, seen)| sight::same(asked, seen));
    same && view.verdict.state == State::Idle
}

impl Delivery {
    /// The one key after which nothing more is sent.
    pub(super) fn commit(&mut self, press: KeyPress, seen: String, gone: Gone, now: u64) -> Step {
        self.sent.push(press.to_string());
        self.last_key_ms = Some(now);
        self.away_since = None;
        self.committed = Some(Committed { at_ms: now, enters: 1, last_ms: now, seen, gone });
        Step::Press(press)
    }

    pub(super) fn commit_dialog(&mut self, key: Key, seen: String, now: u64) -> Step {
        self.commit(KeyPress::plain(key), seen, Gone::Dialog, now)
    }

    /// The one letter of an answer is on its way, and its prompt has gone.
    pub(super) fn taken_at_once(&mut self, view: &DeliveryContext, now: u64) -> Option<Step> {
        let (Plan::Line { text, .. }, Some(flight)) = (&self.plan, &self.flight) else { return None };
        // Who reads a whole line has not taken it before Enter, whatever the screen looks like by now.
        let whole_line = self.question.as_ref().is_some_and(|asked| asked.origin.takes_lines());
        if text.chars().count() != 1 || whole_line {
            return None;
        }
        let (at_ms, seen) = (flight.first_ms, text.clone());
        let committed = Committed { at_ms, enters: 0, last_ms: at_ms, seen, gone: Gone::Dialog };
        // Shown behind its prompt it may want an Enter yet, once its program reads again.
        if self.is_shown_still(view, &committed) && now < at_ms + STANDS_MS {
            return Some(wait(now, now + LOOK_MS));
        }
        self.committed = Some(committed.clone());
        Some(self.confirm(&committed, view, now))
    }

    /// Whether all its rows, or its prompt with the letter behind it, are on the screen still, and only who reads could tell
    /// that it asks no more. A line that was read is none of that: its Enter is seen.
    fn is_shown_still(&self, view: &DeliveryContext, committed: &Committed) -> bool {
        let Some(asked) = self.question.as_ref().filter(|_| view.verdict.needs != Needs::Nothing) else {
            return false;
        };
        if let Plan::Line { text, .. } = &self.plan {
            let line = view.text.trim_end().lines().last().unwrap_or_default();
            let prompt = asked.prompt.split_whitespace().last().unwrap_or_default();
            return committed.enters == 0 && line.ends_with(text) && line.contains(prompt);
        }
        !asked.options.is_empty() && asked.options.iter().all(|row| view.text.contains(&row.label))
    }

    /// Whether the prompt stands there without the answer that was typed behind it.
    fn emptied(&self, question: &Question) -> bool {
        matches!(self.plan, Plan::Line { .. }) && self.written && !question.typing
    }

    /// After the committing key: waits for the dialog to go, and sends nothing more.
    pub(super) fn confirm(&mut self, committed: &Committed, view: &DeliveryContext, now: u64) -> Step {
        let after = committed.gone.seen(self, view, committed, now);
        if let Some(after) = after {
            return Step::Done(Proof {
                before: self.asked,
                seen: committed.seen.clone(),
                keys: self.sent.clone(),
                gone_after_ms: now.saturating_sub(committed.at_ms),
                after,
                confirmed: None,
            });
        }
        if let Some(why) = self.disturbed(view) {
            let until = committed.last_ms + BY_OURS_MS;
            if !view.stopped && now < until {
                return wait(now, until.min(now + LOOK_MS));
            }
            return Step::Failed(format!("{why} after the answer was sent and before it was seen to take"));
        }
        if let Some(step) = self.once_more(committed, view, now) {
            return step;
        }
        let until = committed.last_ms + GONE_MS;
        if now >= until {
            let stands = match self.question {
                Some(_) if self.chooses() => "; whether it was taken is not known: the question",
                Some(_) => ", but the question",
                None => ", but the draft",
            };
            return Step::Failed(format!(
                "the answer was sent{stands} is still there after {} s",
                GONE_MS / 1000
            ));
        }
        wait(now, until.min(now + LOOK_MS))
    }

    /// A prompt whose Enter came before the program listened: Enter again, while exactly our draft
    /// stands there and nothing else has happened.
    fn once_more(&mut self, committed: &Committed, view: &DeliveryContext, now: u64) -> Option<Step> {
        let Gone::Draft(text) = &committed.gone else { return None };
        let ours = view.verdict.composer.as_ref().is_some_and(|field| sight::is_draft(&field.draft, text));
        if !ours && view.verdict.composer.as_ref().is_some_and(|field| !field.draft.is_empty()) {
            return Some(Step::Failed("another draft stands in the input line".into()));
        }
        let due = self.question.is_none()
            && ours
            && view.verdict.state == State::Idle
            && view.changed_ms <= view.judged_ms
            && committed.enters <= MORE_ENTERS
            && now >= committed.last_ms + SWALLOWED_MS;
        if !due {
            return None;
        }
        let press = KeyPress::plain(Key::Enter);
        self.sent.push(press.to_string());
        self.committed = Some(Committed { enters: committed.enters + 1, last_ms: now, ..committed.clone() });
        Some(Step::Press(press))
    }
}
