//! A menu of one row: nothing but its mark tells it from a quotation or a shell's prompt.
//!
//! `detect/mod.rs` comes here where no menu was found, of a program that nobody described and that is seen to read keys. A
//! line that asks must stand right above, and nothing below but keys. What the one row does a person decides.

use super::page::Page;
use super::snapshot::{Snapshot, Trace};
use super::{colour, item};
use crate::core::profile::Profile;
use crate::core::question::{Choice, Kind, Question};

/// Lines that explain how to choose, between the question and its row.
const EXPLAINED: usize = 6;

/// The question that such a menu asks.
pub fn find(
    profile: &Profile,
    snapshot: &Snapshot,
    page: &Page,
    trace: &mut Trace,
) -> Option<(String, Question)> {
    let question = below_a_question(profile, snapshot, page)?;
    trace.note("lone", true, || "one row with a mark, below a line that asks".into());
    Some(("lone".to_owned(), question))
}

fn below_a_question(profile: &Profile, snapshot: &Snapshot, page: &Page) -> Option<Question> {
    let keys = snapshot.witness.filter(|witness| profile.any_program && witness.waits_for_keys())?;
    // Its mark may stand before one of those.
    if keys.takes_commands() {
        return None;
    }
    let rule = &profile.menu;
    let quiet = |row: usize| {
        let line = &page.lines[row];
        let below = rule.below.iter().any(|pattern| pattern.is_match(&line.text));
        line.blank() || line.rule.is_some() || below || rule.is_hint(&line.text)
    };
    let row = (0..page.lines.len()).rev().find(|row| !quiet(*row))?;
    let item = item::read(row, &page.lines[row], rule).filter(|item| item.marker.is_some())?;
    let near = (row.saturating_sub(EXPLAINED)..row).rev();
    let asker = near.clone().find(|above| asks(page.text(*above)))?;
    if !(asker + 1..row).all(quiet) {
        return None;
    }
    // Behind a shell's mark stands the cursor, in sight.
    let elsewhere = !page.cursor_visible || page.cursor.0 != row;
    let prompt = question(profile, page.text(asker));
    let label = page.text(row)[item.label_byte..].trim().to_owned();
    (elsewhere && !label.is_empty() && page.cursor.0 >= asker).then(|| Question {
        options: vec![Choice { label, ..Choice::default() }],
        selected: Some(0),
        ..Question::new(Kind::Dialog, prompt)
    })
}

/// Whether a line asks, by its mark or as libraries mark it.
fn asks(text: &str) -> bool {
    colour::asks(text) || text.starts_with("? ") || text.starts_with("[?] ")
}

/// The words of a line that asks, as the first rule for menus that fits cuts them out.
fn question(profile: &Profile, text: &str) -> String {
    let rules = profile.dialog.iter().filter_map(|rule| rule.prompt_line.as_ref());
    let words = rules.into_iter().find_map(|pattern| pattern.capture(text));
    words.unwrap_or(text).trim().to_owned()
}
