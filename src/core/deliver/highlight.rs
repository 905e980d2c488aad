//! Which row the highlight is on when a key takes it, of programs that nobody described: the mark of a row may stand for the
//! value that is set, and must have followed an arrow; and what Enter sends may be the highlighted row besides those that are
//! ticked.
//!
//! `drive.rs` comes here before such a key. Pure.

use super::drive::SPARE_MOVES;
use super::flight::{Effect, Flight};
use super::plan::is_undescribed;
use super::{Delivery, Step, wait};
use crate::core::question::{Question, Widget};
use crate::core::terminal::keys::{Key, KeyPress};

impl Delivery {
    /// A step onto the row; none where the highlight is on it, and is seen to be the highlight.
    pub(super) fn onto(&mut self, question: &Question, row: usize, now: u64) -> Option<Step> {
        let step = self.toward(question, row, now);
        step.or_else(|| {
            let last = question.options.len().checked_sub(1).filter(|last| *last > 0)?;
            let beside = if row == last { row - 1 } else { row + 1 };
            self.is_doubtful(question).then(|| self.toward(question, beside, now))?
        })
    }

    /// A step onto the nearest ticked row: in some libraries Enter ticks the highlighted row and sends it with the others.
    pub(super) fn onto_a_tick(&mut self, question: &Question, now: u64) -> Option<Step> {
        let at = question.selected.or(question.origin.passing.map(|passing| passing.before));
        let at = at.filter(|_| is_undescribed(question))?;
        let ticked = |row: &usize| question.options[*row].checked == Some(true);
        let row = (0..question.options.len()).filter(ticked).min_by_key(|row| row.abs_diff(at))?;
        self.onto(question, row, now)
    }

    /// The next row whose tick is to change, and to what. In some menus whose labels look as if they had boxes the key that ticks
    /// takes the row: until a tick was seen to change, it is only pressed on a row of the answer, even if that is ticked already.
    pub(super) fn next_tick(
        &self,
        q: &Question,
        rows: &[usize],
        typed: Option<usize>,
    ) -> Option<(usize, bool)> {
        let is = |row: usize, tick: bool| Some(row) != typed && q.options[row].checked == Some(tick);
        let wanted = |row: &usize| rows.contains(row);
        let wrong = (0..q.options.len()).find(|row| is(*row, !wanted(row)))?;
        if self.ticked || !is_undescribed(q) {
            return Some((wrong, wanted(&wrong)));
        }
        let missing = rows.iter().find(|row| is(**row, false)).map(|row| (*row, true));
        let standing = || rows.iter().find(|row| is(**row, true)).map(|row| (*row, false));
        missing.or_else(standing).or(Some((wrong, false)))
    }

    /// Whether nothing has shown yet that the mark is the highlight's.
    pub(super) fn is_doubtful(&self, question: &Question) -> bool {
        question.origin.mark_doubtful && !self.obeyed
    }

    /// A step towards an end of the list that was not found yet; none where there is nothing left to find.
    pub(super) fn find_ends(&mut self, q: &Question, now: u64) -> Option<Step> {
        // A box shows by its bar that there is more.
        if !self.keys.find_ends || q.origin.widget != Widget::Rows || self.ends.both() {
            return None;
        }
        let Some(at) = q.selected.or(q.origin.passing.map(|passing| passing.before.min(q.options.len() - 1)))
        else {
            return Some(Step::Failed("no row is highlighted".into()));
        };
        let last = q.options.len() - 1;
        let up = self.ends.top_first(at, last);
        let (from, to, key) = if up { (0, last, Key::Up) } else { (last, 0, Key::Down) };
        let step = self.toward(q, from, now);
        Some(step.unwrap_or_else(|| self.press(KeyPress::plain(key), Effect::Turned { from, to }, now)))
    }

    /// An arrow from where the highlight is, perhaps on a row that cannot be chosen.
    pub(super) fn press_at(&mut self, question: &Question, press: KeyPress, wants: Effect, now: u64) -> Step {
        let step = self.press(press, wants, now);
        if let Some(flight) = &mut self.flight {
            flight.passing = question.origin.passing;
        }
        step
    }

    /// The same key again, whose effect is seen and is a part of what is wanted.
    pub(super) fn once_again(&mut self, flight: &mut Flight, question: &Question, now: u64) -> Option<Step> {
        self.pass_on(flight, question, now).or_else(|| self.one_more_back(flight, now))
    }

    /// The same arrow again where it has brought the highlight onto a row that cannot be chosen; none where it has not.
    fn pass_on(&mut self, flight: &mut Flight, question: &Question, now: u64) -> Option<Step> {
        let at = question.origin.passing.filter(|_| question.selected.is_none())?;
        let press = flight.press?;
        let arrow = matches!(flight.wants, Effect::Moved(_) | Effect::Entered | Effect::Turned { .. });
        if !arrow || flight.passing == Some(at) {
            return None;
        }
        if self.moves >= 2 * question.options.len() + SPARE_MOVES {
            return Some(Step::Failed("the highlight stays on rows that cannot be chosen".into()));
        }
        let ready = self.quiet_until.max(self.last_key_ms.unwrap_or(now) + self.keys.gap_ms);
        if now < ready {
            return Some(wait(now, ready));
        }
        self.moves += 1;
        (flight.passing, flight.last_ms, self.last_key_ms) = (Some(at), now, Some(now));
        self.sent.push(press.to_string());
        Some(Step::Press(press))
    }
}
