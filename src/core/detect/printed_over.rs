//! A line that is still being read, though more has been printed since it was asked for: by a job in the background, or by
//! another thread of the program.
//!
//! `reading.rs` comes here once it is known who reads. The read decides, not the words: the kernel tells that it is the same
//! one. What it was begun for is known from the screen before; whether it would take an answer to the words that stand there
//! now is not, and only a person may say so. Pure.

use super::snapshot::Snapshot;
use super::witness::{Reader, Wait, Witness};
use crate::core::question::{Kind, Origin, Question, State, Verdict};

/// Whether the read that this was asked for waits still, for a line.
pub fn waits(before: &Question, witness: &Witness) -> bool {
    let Reader::Reading(wait) = &witness.reader else { return false };
    let same = |then: &Wait| wait.is_same(then) || wait.has_said_nothing_since(then);
    before.origin.wait().is_some_and(same) && wait.blocking && !wait.asks_nothing && witness.canonical
}

/// What a server that takes its agent back is to know of this, if a line is read for it. Where it stood is told in the count of
/// lines of the server before, and what was printed is on its way anyway.
pub fn for_the_next_server(question: &Question) -> Option<Question> {
    let Origin { line, reader, alternate, printed_over, .. } = question.origin.clone();
    let reads = line && question.origin.wait().is_some_and(|wait| wait.blocking);
    let origin = Origin { line, reader, alternate, printed_over, ..Origin::default() };
    reads.then(|| Question { origin, ..question.clone() })
}

/// Holds the verdict against the question that the read was begun for. `why`: what a verdict is called that rests on the read.
pub(super) fn weigh(why: &str, snapshot: &Snapshot, witness: &Witness, verdict: &mut Verdict) {
    let known = |before: &&Question| is_asked(before) || before.origin.printed_over;
    let Some(before) = snapshot.asked.filter(known).filter(|before| waits(before, witness)) else { return };
    let same_screen = before.origin.alternate == snapshot.modes.alternate_screen;
    match &mut verdict.question {
        Some(now) if now.typing || now.origin.typed.is_some() => {}
        Some(now) if now.prompt == before.prompt && !before.origin.printed_over && same_screen => {}
        // Other words that ask, and that somebody else may have printed.
        Some(now) if is_asked(now) && now.kind != Kind::Password => answered_in_the_pane(now, Kind::Dialog),
        question => {
            (verdict.state, verdict.why) = (State::Asking, why.to_owned());
            *question = Some(hidden(before, witness, snapshot.draft.trim()));
        }
    }
}

/// Whether its own words ask: not only that a line is read.
fn is_asked(question: &Question) -> bool {
    question.kind != Kind::Dialog || !question.options.is_empty()
}

/// The question that the read was begun for, as far as it can still be asked. It keeps its words however much is printed.
fn hidden(before: &Question, witness: &Witness, draft: &str) -> Question {
    let kind = if witness.hides_input() { Kind::Password } else { Kind::Dialog };
    let mut question = before.clone();
    answered_in_the_pane(&mut question, kind);
    question.typing = !draft.is_empty();
    question.origin.typed = question.typing.then(|| draft.to_owned());
    question
}

/// A question of which only the words are left: whoever answers it sees what else stands there.
fn answered_in_the_pane(question: &mut Question, kind: Kind) {
    (question.kind, question.selected) = (kind, None);
    question.options.clear();
    let origin = &mut question.origin;
    origin.printed_over = true;
    (origin.offered, origin.enter_takes, origin.mark, origin.rows_unclear) = (None, false, None, false);
}
