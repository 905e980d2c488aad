//! Questions of programs that no profile describes: what they printed since they last took input, and which kind
//! that makes of a question.
//!
//! `detect/mod.rs` comes here for profiles with `any_program`. A described program asks for permission in a dialog
//! of its own; of any other, all that stands on the screen may say what a yes would do.

use super::Snapshot;
use super::lines;
use super::page::Page;
use super::wrap_join;
use crate::core::policy::prompt::{Asks, asks, harms};
use crate::core::profile::Profile;
use crate::core::question::normalize::{normalize, squeezed};
use crate::core::question::{Kind, Question};

/// Longest account of what was printed, in characters: more than the largest pane that people read.
const LONGEST: usize = 16_000;

/// Fills in what was printed, and names the kind by it. Without a witness a yes or no keeps the name of its shape:
/// what it would permit is weighed where a program waits for it, and a recording has no such program.
pub fn weigh(profile: &Profile, snapshot: &Snapshot, page: &Page, question: &mut Question) {
    let line = lines::input_row(profile, page).filter(|_| question.origin.line);
    let last = line.or(page.bottom()).unwrap_or(0);
    let screen = printed(profile, page, last);
    let mut printed = match snapshot.written {
        "" => screen,
        written => newest(&screen, written),
    };
    // What was scrolled off or cleared away was printed all the same.
    let all = format!("{}\n{printed}", snapshot.written);
    if asks(question, &all) != asks(question, &printed) {
        printed = all;
    }
    let witnessed = snapshot.witness.is_some();
    question.kind = match kind(question, &printed) {
        Kind::Permission if question.kind == Kind::YesNo && !witnessed => Kind::YesNo,
        kind => kind,
    };
    question.origin.printed = Some(printed);
}

/// The lines of the screen without those that were printed and answered before: of them only what speaks of harm is
/// held against this question.
fn newest(screen: &str, written: &str) -> String {
    let written = squeezed(written);
    let counts = |line: &&str| written.contains(&squeezed(line)) || harms(&normalize(line));
    screen.lines().filter(counts).collect::<Vec<_>>().join("\n")
}

/// Everything down to this row that was printed since somebody last typed, as far as it is on the screen.
fn printed(profile: &Profile, page: &Page, last: usize) -> String {
    let typed = |row: &usize| profile.reply.person.iter().any(|pattern| pattern.is_match(page.text(*row)));
    // The line of the question may itself look like one.
    let first = (0..last).rev().find(typed).map_or(0, |row| row + 1);
    let mut text = String::new();
    for row in first..=last.min(page.lines.len().saturating_sub(1)) {
        if row > first {
            text.push_str(wrap_join::hard(&page.lines[row - 1], &page.lines[row]).unwrap_or("\n"));
        }
        text.push_str(page.text(row));
    }
    match text.char_indices().rev().nth(LONGEST) {
        Some((at, _)) => text.split_off(at),
        None => text,
    }
}

fn kind(question: &Question, printed: &str) -> Kind {
    match (question.kind, asks(question, printed)) {
        (Kind::YesNo | Kind::Menu | Kind::Multi | Kind::Text, Asks::Trust) => Kind::Trust,
        (Kind::YesNo | Kind::Menu | Kind::Multi | Kind::Text, Asks::Login) => Kind::Login,
        (Kind::Text, Asks::Secret) => Kind::Password,
        (Kind::YesNo | Kind::Text, Asks::Approval(_)) => Kind::Permission,
        (kind, _) => kind,
    }
}
