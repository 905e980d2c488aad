//! What asks beside something that moves, and rows to choose from that no rule takes for a menu: a clock is drawn below
//! them, a last line names no key, their program looks for keys now and then.
//!
//! `detect/reading.rs` comes here last, for programs that nobody described: whatever has stood there for long is read as if
//! nothing else did. What comes of it calls a person and offers nothing to choose.

use std::borrow::Cow;

use super::page::{Line, Page};
use super::snapshot::Snapshot;
use super::witness::{Reader, Witness};
use super::{key_prompt, keyed, lines, menu, viewer};
use crate::core::profile::Profile;
use crate::core::question::{Kind, Needs, Question, State, Verdict};

/// A row that has shown the same for so long is none that moves; of a program that works on, something else has changed by
/// then.
const STANDS_MS: u64 = 10_000;
/// Lines between rows and the one that asks: a free one, or what explains it.
const NEAR: usize = 3;

/// The words of a question, where one stands beside what moves.
pub fn asked(
    profile: &Profile,
    snapshot: &Snapshot,
    page: &Page,
    witness: &Witness,
    verdict: &Verdict,
) -> Option<Question> {
    if !is_open(verdict) || witness.canonical || viewer::is_one(witness) {
        return None;
    }
    let at_rest = at_rest(snapshot, page)?;
    let words = match witness.reader {
        Reader::Reading(_) | Reader::MayRead { .. } if witness.waits_for_keys() => {
            let unread = verdict.state == State::Unknown && !witness.is_console();
            let above = || keyed::above(snapshot, &at_rest).filter(|_| unread);
            heading(profile, &at_rest).or_else(above)
        }
        // A program that was answered and works leaves its rows as they were, and has printed nothing since.
        Reader::Nobody if key_prompt::says(snapshot.written) => heading(profile, &at_rest),
        _ => None,
    };
    words.map(|words| Question::new(Kind::Dialog, words))
}

/// A screen that is never quiet is looked at with a witness all the same where something on it may ask.
pub fn needs(profile: &Profile, snapshot: &Snapshot, page: &Page, verdict: &Verdict) -> Needs {
    let asks = |page: &Page| heading(profile, page).or_else(|| keyed::above(snapshot, page)).is_some();
    let moves = is_open(verdict) && snapshot.still_ms < STANDS_MS;
    let may_ask = moves && at_rest(snapshot, page).is_some_and(|at_rest| asks(&at_rest));
    if may_ask { Needs::WitnessNowAndThen } else { verdict.needs }
}

/// Whether nothing has been found, and something may be.
fn is_open(verdict: &Verdict) -> bool {
    verdict.question.is_none() && matches!(verdict.state, State::Unknown | State::Working)
}

/// The page without what moves; none where nothing has stood for long.
fn at_rest<'p>(snapshot: &Snapshot, page: &'p Page) -> Option<Cow<'p, Page>> {
    if snapshot.still_ms >= STANDS_MS {
        return Some(Cow::Borrowed(page));
    }
    let moves = |row: usize| snapshot.ages.get(row).is_none_or(|age| *age < STANDS_MS);
    let stands = |(row, line): (usize, &Line)| !line.blank() && !moves(row);
    page.lines.iter().enumerate().any(stands).then(|| {
        let mut at_rest = page.clone();
        let moving = at_rest.lines.iter_mut().enumerate().filter(|(row, _)| moves(*row));
        moving.for_each(|(_, line)| *line = Line::default());
        Cow::Owned(at_rest)
    })
}

/// The line that asks right above rows of which one is marked.
fn heading(profile: &Profile, page: &Page) -> Option<String> {
    let found = menu::find(page, &profile.menu, page.lines.len())?;
    found.selected.filter(|_| found.items.len() > 1)?;
    let first = found.first_row();
    let asks = |row: &usize| {
        let text = keyed::words(page.text(*row));
        text.ends_with('?') || key_prompt::opens(text)
    };
    let row = (first.saturating_sub(NEAR)..first).rev().find(asks)?;
    Some(keyed::words(&lines::broken(page, row).1).to_owned())
}

#[cfg(test)]
#[path = "beside_tests.rs"]
mod tests;
