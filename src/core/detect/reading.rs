//! What a witness changes in the verdict on a screen: nothing is asked unless somebody reads, and what is not
//! echoed is a secret.
//!
//! `detect/mod.rs` comes here with every verdict. Without a witness (a recording, a system that does not tell) the
//! screen's verdict stands, with nothing said of a reader; the router then keeps it for a person.

use super::page::Page;
use super::witness::{Reader, Witness};
use super::{Snapshot, Trace, lines, undescribed};
use crate::core::profile::Profile;
use crate::core::question::{Kind, Needs, Origin, Question, State, Verdict};

/// Holds the verdict on a screen against who reads it.
pub fn weigh(profile: &Profile, snapshot: &Snapshot, page: &Page, verdict: &mut Verdict, trace: &mut Trace) {
    verdict.needs = needs(profile, verdict);
    if verdict.needs == Needs::Nothing {
        return;
    }
    if let Some(witness) = snapshot.witness {
        trace.note("tty", true, || witness.to_string());
        hear(profile, page, witness, verdict);
    }
    if let Some(question) = verdict.question.as_mut().filter(|_| profile.any_program) {
        undescribed::weigh(profile, snapshot, page, question);
    }
}

fn needs(profile: &Profile, verdict: &Verdict) -> Needs {
    match (verdict.state, &verdict.question) {
        (State::Exited | State::Starting | State::Paused, _) => Needs::Nothing,
        (_, Some(question)) if question.origin.line => Needs::Witness,
        _ if !profile.any_program => Needs::Nothing,
        (State::Idle | State::Asking, _) | (_, Some(_)) => Needs::Witness,
        (State::Working | State::Unknown, None) => Needs::WitnessOnceQuiet,
    }
}

fn hear(profile: &Profile, page: &Page, witness: &Witness, verdict: &mut Verdict) {
    let by_tty = |state, question| Verdict {
        state,
        why: format!("{}/tty", profile.name),
        question,
        composer: None,
        needs: verdict.needs,
    };
    let waited_for = verdict.question.is_some() || line(page).is_some();
    match &witness.reader {
        Reader::Nobody => *verdict = by_tty(State::Working, None),
        Reader::Reading(_) | Reader::MayRead { .. } | Reader::Unknown(_)
            if witness.hides_input() && waited_for =>
        {
            let prompt = match &verdict.question {
                Some(question) => question.prompt.clone(),
                None => line(page).unwrap_or_default(),
            };
            *verdict = by_tty(State::Asking, Some(asked(Kind::Password, prompt)));
        }
        Reader::Reading(wait)
            if wait.blocking && matches!(verdict.state, State::Unknown | State::Working) =>
        {
            if let Some(prompt) = line(page).or_else(|| told_above(page)) {
                *verdict = by_tty(State::Asking, Some(asked(Kind::Text, prompt)));
            }
        }
        Reader::Reading(_) | Reader::MayRead { .. } | Reader::Unknown(_) => {}
    }
    if let Some(question) = &mut verdict.question {
        question.origin.reader = Some(witness.reader.clone());
        question.origin.unechoed = !witness.echo;
    }
}

/// A question of which only its words are known.
fn asked(kind: Kind, prompt: String) -> Question {
    Question {
        kind,
        prompt,
        options: Vec::new(),
        selected: None,
        multi: false,
        subject: None,
        partial: false,
        tab: None,
        typing: false,
        origin: Origin { line: true, ..Origin::default() },
    }
}

/// The words right before the cursor, on the last line that shows any.
fn line(page: &Page) -> Option<String> {
    let (row, column) = page.cursor;
    let line = page.lines.get(row)?;
    if line.blank() {
        let above = row.checked_sub(1).filter(|above| page.lines[*above].wrapped)?;
        return (page.bottom() == Some(above)).then(|| lines::broken(page, above).1);
    }
    let last = page.bottom() == Some(row) && column > line.start && column >= line.end;
    last.then(|| lines::broken(page, row).1)
}

/// A line that asks and leaves the cursor below it.
fn told_above(page: &Page) -> Option<String> {
    let (row, column) = page.cursor;
    let above = row.checked_sub(1)?;
    let text = page.text(above);
    let asks = text.ends_with([':', '?', '>']) || {
        let text = text.to_lowercase();
        ["press ", "hit ", "enter ", "type "].iter().any(|word| text.contains(word))
    };
    let free = column == 0 && page.bottom() == Some(above);
    (free && asks).then(|| lines::broken(page, above).1)
}
