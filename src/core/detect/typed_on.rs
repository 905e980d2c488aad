//! A question with an answer being typed behind it: as long as the read that it was asked for waits, it is the one it was,
//! whatever its line looks like by now.
//!
//! `reading.rs` comes here with the question that stood on the screen before. Pure.

use super::lines;
use super::page::Page;
use super::snapshot::Snapshot;
use super::witness::{Reader, Witness};
use crate::core::question::{Kind, Origin, Question};

/// That question, with what is typed for it.
pub(super) fn draft(
    snapshot: &Snapshot,
    page: &Page,
    before: &Question,
    witness: &Witness,
) -> Option<Question> {
    if !shows_what_is_typed(before, witness) {
        return None;
    }
    let mut question =
        below(page, before).or_else(|| behind(snapshot, page, before)).or_else(|| wiped(snapshot, before))?;
    // Where it stands now is for this screen to say.
    question.origin.stands = None;
    Some(question)
}

/// What was typed below a question that stood on the screen before and left the cursor under it. The terminal shows it,
/// and the read that was to take it has not ended.
fn below(page: &Page, before: &Question) -> Option<Question> {
    let (prompt, text) = words_below(page)?;
    let mark = before.origin.mark.as_deref();
    let text = mark.map_or(Some(text.as_str()), |mark| text.strip_prefix(mark)).unwrap_or_default().trim();
    let goes_on = before.options.is_empty() && before.prompt == prompt;
    (goes_on && !text.is_empty()).then(|| {
        let mut question = drafted(prompt, text.to_owned());
        question.origin.mark = mark.map(str::to_owned);
        question
    })
}

/// What was typed behind a prompt that no rule knows, or right behind the last sign of one: without the words that stood there
/// before, it would pass for a part of the prompt.
fn behind(snapshot: &Snapshot, page: &Page, before: &Question) -> Option<Question> {
    let text = line(page)?;
    let typed = text.strip_prefix(before.prompt.as_str())?.trim();
    match lines::without_signals(typed, snapshot) {
        "" if typed.is_empty() => untyped(snapshot, before),
        "" => Some(before.clone()),
        typed => Some(with_draft(before, typed)),
    }
}

/// A question in words whose whole line is its prompt, once all that was typed behind it is taken back: where something has been
/// typed, the line alone does not tell what of it was printed.
fn untyped(snapshot: &Snapshot, before: &Question) -> Option<Question> {
    let words = before.kind == Kind::Text && before.options.is_empty() && before.origin.line;
    (words && snapshot.draft.is_empty()).then(|| {
        let mut question = Question { typing: false, ..before.clone() };
        question.origin.typed = None;
        question
    })
}

/// A question of which the terminal has wiped the end away, as long as the read that it was printed for waits.
fn wiped(snapshot: &Snapshot, before: &Question) -> Option<Question> {
    snapshot.wiped.then(|| match snapshot.draft.trim() {
        "" => Question { typing: false, ..before.clone() },
        typed => with_draft(before, typed),
    })
}

/// Whether the terminal shows what is typed, and the read that waits is the one that the question was asked for.
fn shows_what_is_typed(before: &Question, witness: &Witness) -> bool {
    let Reader::Reading(wait) = &witness.reader else { return false };
    let same = before.origin.wait().is_some_and(|then| wait.is_same(then));
    same && wait.blocking && witness.canonical && witness.echo
}

/// The question with this typed behind it.
fn with_draft(before: &Question, typed: &str) -> Question {
    let mut question = Question { typing: true, ..before.clone() };
    let origin = &mut question.origin;
    (origin.typed, origin.offered, origin.enter_takes) = (Some(typed.to_owned()), None, false);
    question
}

/// A question in words with these typed below it.
pub(super) fn drafted(prompt: String, text: String) -> Question {
    let origin = Origin { line: true, typed: Some(text), ..Origin::default() };
    Question { typing: true, origin, ..Question::new(Kind::Text, prompt) }
}

/// The last words above the line of the cursor, and those right before the cursor.
pub(super) fn words_below(page: &Page) -> Option<(String, String)> {
    let (first, text) = lines::last_line(page)?;
    let above =
        (first.saturating_sub(lines::FREE_LINES)..first).rev().find(|row| !page.lines[*row].blank())?;
    Some((lines::broken(page, above).1, text))
}

/// The words right before the cursor, on the last line that shows any.
pub(super) fn line(page: &Page) -> Option<String> {
    lines::last_line(page).map(|(_, text)| text)
}
