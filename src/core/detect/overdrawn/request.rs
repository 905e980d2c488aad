//! A request for consent that stood, and whether what stands now is that request.
//!
//! `Overdrawn` keeps what stood, and asks this of what is shown later. It knows nothing of how either was drawn.

use crate::core::deliver::{part_of, same_dialog};
use crate::core::question::Question;
use crate::core::terminal::grid::Grid;

/// So many letters of a label are its own, whatever follows.
const CUT: usize = 24;

/// A request, and how often its program had been given another size by then.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) question: Question,
    pub(super) resizes: u32,
}

impl Request {
    /// Whether `now` is this request, or a part of it. At another width its rows are cut in other places; at the same one a
    /// line end more or less makes another command of it.
    pub(super) fn is(&self, now: &Question, resizes: u32) -> bool {
        let other_breaks = || recut(&self.question, now) && rows_agree(&self.question, now);
        stands_as(&self.question, now) || (self.resizes != resizes && other_breaks())
    }

    /// Whether its rows are still on the screen, whatever stands around them.
    pub(super) fn stands_in(&self, grid: &Grid) -> bool {
        let rows: Vec<String> = grid.rows.iter().map(|row| unbroken(&row.text())).collect();
        let begins = |label: &str| unbroken(label).chars().take(CUT).collect::<String>();
        let stands = |label: &&str| rows.iter().any(|row| row.contains(&begins(label)));
        let labels = self.question.labels();
        !labels.is_empty() && labels.iter().all(stands)
    }

    /// Whether a part of this was out of view, and what was in view goes on, or begins, in `now`. The line that tells how much is
    /// hidden is none of its words.
    pub(super) fn is_a_view_of(&self, now: &Question) -> bool {
        let asked = &self.question;
        let (Some(seen), Some(words)) = (&asked.subject, &now.subject) else { return false };
        let same = asked.kind == now.kind && asked.prompt == now.prompt && rows_agree(asked, now);
        let seen: Vec<&str> = seen.lines().skip(1).collect();
        let words: Vec<&str> = words.lines().skip(usize::from(now.partial)).collect();
        let all = words.windows(seen.len().max(1)).any(|window| window == seen);
        let goes_on = (1..seen.len()).any(|from| words.starts_with(&seen[from..]));
        asked.partial && same && !seen.is_empty() && (all || (now.partial && goes_on))
    }

    /// Whether this is `whole` with pieces of its words missing, as where rows of it were broken in two.
    pub(super) fn is_excerpt_of(&self, whole: &Question) -> bool {
        let asked = &self.question;
        let Some(words) = &whole.subject else { return false };
        let pieces = asked.subject.as_deref().unwrap_or_default();
        let (prompt, words) = (unbroken(&asked.prompt), unbroken(words));
        let same =
            asked.kind == whole.kind && !prompt.is_empty() && unbroken(&whole.prompt).contains(&prompt);
        let goes_on = |from: usize, piece: &str| {
            let piece = unbroken(piece);
            words[from..].find(&piece).map(|at| from + at + piece.len())
        };
        let fewer = asked.options.len() <= whole.options.len() && rows_agree(asked, whole);
        same && fewer && pieces.lines().try_fold(0, goes_on).is_some()
    }

    /// Whether another row is highlighted than when it was noted.
    pub(super) fn highlights_another(&self, now: &Question) -> bool {
        let row = |question: &Question| Some(question.options.get(question.selected?)?.label.clone());
        matches!((row(&self.question), row(now)), (Some(then), Some(now)) if then != now)
    }
}

/// Whether `now` is this request, or a part of it, or asks for the very same with further rows below: what stands in the
/// place of a row is not what its program takes a key for.
pub(super) fn stands_as(request: &Question, now: &Question) -> bool {
    let same_words = || asks_for_the_same(request, now) && rows_agree(request, now);
    same_dialog(request, now) || part_of(request, now) || same_words()
}

/// Whether what can be answered is the same as far as both show it. A long label may be cut where its row ends.
fn rows_agree(one: &Question, other: &Question) -> bool {
    let cut = |one: &str, other: &str| one.len() >= CUT && other.starts_with(one);
    let labels = |question: &Question| question.labels().into_iter().map(unbroken).collect::<Vec<_>>();
    let rows = labels(one).into_iter().zip(labels(other));
    rows.into_iter().all(|(one, other)| one == other || cut(&one, &other) || cut(&other, &one))
}

/// Whether a hook that told of this question told of the request: it may know nothing of the rows.
pub(super) fn asked_by_hook(told: &Question, request: &Question) -> bool {
    asks_for_the_same(told, request)
        || same_dialog(told, request)
        || part_of(told, request)
        || recut(told, request)
}

/// Whether both ask for the very same, whatever can be answered.
fn asks_for_the_same(request: &Question, now: &Question) -> bool {
    let words = |question: &Question| (question.kind, question.prompt.clone(), question.subject.clone());
    now.subject.is_some() && words(request) == words(now)
}

/// Whether these are the same words with their rows cut in other places.
fn recut(request: &Question, now: &Question) -> bool {
    let words = |question: &Question| {
        (question.kind, unbroken(&question.prompt), question.subject.as_deref().map(unbroken))
    };
    now.subject.is_some() && words(request) == words(now)
}

fn unbroken(words: &str) -> String {
    words.split_whitespace().collect()
}
