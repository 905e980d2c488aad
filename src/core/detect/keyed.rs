//! What a program that takes keys asks, where no rule knows what it drew: words above rows that only a colour tells apart,
//! buttons in boxes of a library's own, a value that may be changed.
//!
//! The last resort of `detect/reading.rs`, for whoever is seen to wait for keys. Which key does what, only the screen says:
//! what comes of it calls a person and offers nothing to choose.

use super::page::Page;
use super::viewer;
use super::witness::{Reader, Witness};
use super::{Snapshot, key_prompt, lines};
use crate::core::policy::prompt::{Asks, asks};
use crate::core::question::{Kind, Question};

/// Lines with words below the one that asks: rows, and what names their keys.
const BELOW: usize = 12;
/// A screen with more lines than this shows something else besides a field and its label.
const FORM: usize = 8;

/// The words of a question, where whoever is seen to wait for keys asks one.
pub fn asked(snapshot: &Snapshot, page: &Page, witness: &Witness) -> Option<Question> {
    let reads = matches!(witness.reader, Reader::Reading(_) | Reader::MayRead { .. });
    if !reads || witness.takes_commands() || viewer::is_one(witness) {
        return None;
    }
    let dialog = |words: Option<String>| words.map(|words| Question::new(Kind::Dialog, words));
    let keys = witness.waits_for_keys();
    let filled = || dialog(filled(page).filter(|_| keys));
    let above = || dialog(above(page).filter(|_| keys));
    filled().or_else(|| key_prompt::find(snapshot, page, witness)).or_else(above)
}

/// The nearest line above that asks, or the label of one of few fields.
fn above(page: &Page) -> Option<String> {
    let spoken: Vec<&str> =
        (0..page.lines.len()).map(|row| words(page.text(row))).filter(|text| says(text)).collect();
    let near = || spoken.iter().rev().take(BELOW);
    let asks = near().find(|text| text.ends_with('?'));
    let labels = || near().find(|text| is_label(text)).filter(|_| spoken.len() <= FORM);
    asks.or_else(labels).filter(|_| !is_edited(page)).map(|text| (*text).to_owned())
}

/// Whether the visible cursor stands where somebody writes: within words, or behind a mark at which commands are given.
fn is_edited(page: &Page) -> bool {
    let (row, column) = page.cursor;
    let Some(bottom) = page.bottom().filter(|bottom| page.cursor_visible && row <= *bottom) else {
        return false;
    };
    let behind = row == bottom && page.lines[row].end <= column;
    !behind || !says(page.text(row))
}

/// Whether a line asks for a value that is known to be asked for. Any heading may end in a colon.
fn is_label(text: &str) -> bool {
    let named = || asks(&Question::new(Kind::Text, text), text);
    text.ends_with(':') && matches!(named(), Asks::Value | Asks::Login | Asks::Secret)
}

/// A label with a value behind it that may be changed, where the visible cursor stands. Any line about progress looks so, but
/// for what it names.
fn filled(page: &Page) -> Option<String> {
    let (row, column) = page.cursor;
    let line = page.lines.get(row).filter(|_| page.cursor_visible && page.bottom() == Some(row))?;
    let text = lines::broken(page, row).1;
    let (label, value) = text.split_once(": ")?;
    let label = format!("{}:", words(label));
    let value = line.end == column && !value.trim().is_empty();
    (value && is_label(&label)).then_some(label)
}

/// A line without the marks and the box around it.
fn words(text: &str) -> &str {
    let text = text.trim_start_matches(|ch: char| !(ch.is_alphanumeric() || "¿¡\"'`([".contains(ch)));
    text.trim_end_matches(|ch: char| !ch.is_ascii() && !ch.is_alphanumeric()).trim_end()
}

/// Whether a line has a word in it, and not only the edge of a box.
fn says(text: &str) -> bool {
    text.chars().filter(|ch| ch.is_alphabetic()).nth(1).is_some()
}
