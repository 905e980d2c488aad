//! What a program that takes keys asks, where no rule knows what it drew: words above rows that only a colour tells apart,
//! buttons in boxes of a library's own, a value that may be changed.
//!
//! The last resort of `detect/reading.rs`, for whoever is seen to wait for keys. Which key does what, only the screen says:
//! what comes of it calls a person and offers nothing to choose.

use std::sync::LazyLock;

use super::key_prompt::says;
use super::page::{Line, Page};
use super::snapshot::Snapshot;
use super::viewer;
use super::witness::{Reader, Witness};
use super::{key_prompt, lines};
use crate::core::pattern::Pattern;
use crate::core::policy::prompt::{Asks, asks};
use crate::core::question::{Kind, Question};
use crate::core::terminal::grid::Attrs;

/// Lines with words below the one that asks: rows, and what names their keys.
const BELOW: usize = 12;
/// A screen with more lines than this shows something else besides a field and its label.
const FORM: usize = 8;

/// The words of a question, where whoever is seen to wait for keys asks one.
pub fn asked(snapshot: &Snapshot, page: &Page, witness: &Witness) -> Option<Question> {
    let reads = matches!(witness.reader, Reader::Reading(_) | Reader::MayRead { .. });
    if !(reads || witness.several_wait()) || witness.is_console() {
        return None;
    }
    if viewer::is_one(witness) {
        return key_prompt::in_the_last_line(page);
    }
    let dialog = |words: Option<String>| words.map(|words| Question::new(Kind::Dialog, words));
    let keys = witness.waits_for_keys() || witness.several_wait();
    let filled = || dialog(filled(page).filter(|_| keys));
    let above = || dialog(above(snapshot, page).filter(|_| keys));
    let stands = || dialog(Some(shown(page)).filter(|_| keys && waits_for_nothing_else(snapshot, witness)));
    let cut = || dialog(Some(shown(page)).filter(|_| keys && is_cut(snapshot, page)));
    let found = filled().or_else(|| key_prompt::find(snapshot, page, witness)).or_else(above);
    found.or_else(stands).or_else(cut)
}

/// Whether rows fill the screen from its first line to its last, and more have left it, with no cursor to be seen: a list that
/// was drawn as if there were room for all of it, its question and its highlight perhaps among what is gone. Whoever shows a log
/// goes on with it.
fn is_cut(snapshot: &Snapshot, page: &Page) -> bool {
    let full = page.lines.first().is_some_and(|line| !line.blank())
        && page.bottom().is_some_and(|bottom| bottom + 2 >= page.lines.len());
    let left = page.goes_on_above && !page.cursor_visible && !snapshot.modes.alternate_screen;
    full && left && snapshot.still_ms >= CUT_MS
}

/// For so long nothing is printed, before a screen full of rows is taken for a list.
const CUT_MS: u64 = 10_000;

/// Whether a program does nothing before it has a key, whatever it shows. Whoever serves something waits for more than keys,
/// and whoever moves something wakes by itself.
fn waits_for_nothing_else(snapshot: &Snapshot, witness: &Witness) -> bool {
    witness.wait().is_some_and(|wait| wait.alone) && snapshot.still_ms >= key_prompt::POLLS_MS
}

/// What such a screen is called: by the line of the cursor, or by the first that says anything and is no answer given before.
fn shown(page: &Page) -> String {
    let told = |row: &usize| says(words(page.text(*row)));
    let own = Some(page.cursor.0).filter(|row| page.cursor_visible && *row < page.lines.len());
    let rows = page.lines.len();
    let answered = (0..rows).rev().find(|row| page.text(*row).starts_with(key_prompt::ANSWERED));
    let asked = || (answered.map_or(0, |row| row + 1)..rows).find(told);
    let row = own.filter(told).or_else(asked).or_else(|| (0..rows).find(told));
    // A small pane may hide all of a box but its edges.
    row.map_or(UNSAID, |row| words(page.text(row)).trim_end_matches(['+', '-', '|', ' '])).to_owned()
}

/// What is waited for is called so where not a word is on the screen.
const UNSAID: &str = "a key is waited for, and nothing says what for";

/// The nearest line above that asks, or one that a library marks, or the label of one of few fields, or the words by which one
/// is to choose.
pub fn above(snapshot: &Snapshot, page: &Page) -> Option<String> {
    let spoken: Vec<usize> = (0..page.lines.len()).filter(|row| says(words(page.text(*row)))).collect();
    let near = || spoken.iter().rev().take(BELOW).copied();
    let few = spoken.len() <= FORM;
    let find = |fits: &dyn Fn(&str) -> bool| near().find(|row| fits(words(page.text(*row))));
    let asks = find(&|text| text.ends_with('?') || BUTTONS.is_match(text));
    let marked = || near().find(|row| is_marked(page.text(*row)));
    let labels = || find(&is_label).filter(|_| few);
    // The head of many a screen of a program's own has such words, too: there they must be a sentence at its foot.
    let foot = page.bottom().filter(|_| snapshot.modes.alternate_screen);
    let choose = || find(&|text| CHOOSE.is_match(text)).filter(|row| foot.map_or(few, |foot| foot == *row));
    // On a screen of its own, where no cursor tells what it waits for.
    let press = || find(&key_prompt::presses).filter(|_| snapshot.modes.alternate_screen);
    let rows = || near().find(|row| HEADS.is_match(words(page.text(*row))) && heads_rows(page, *row));
    let row = asks.or_else(marked).or_else(labels).or_else(choose).or_else(press).or_else(rows)?;
    let own = is_marked(page.text(row)) || is_asked(page, row);
    let edited = is_edited(page) && (snapshot.modes.alternate_screen || !own);
    let asked = |text: &str| BUTTONS.capture(text).unwrap_or(text).to_owned();
    (!edited).then(|| asked(heading(page.text(row))))
}

/// The marks of prompt libraries, before a line that asks.
const MARKS: [&str; 3] = ["? ", "[?] ", "◆ "];

/// A bar of keys may begin so, too: "? Help   s Save   q Quit".
fn is_marked(text: &str) -> bool {
    let parts = text.split("   ").filter(|part| !part.trim().is_empty()).count();
    MARKS.iter().any(|mark| text.starts_with(mark)) && parts <= 2
}

/// A sentence by which one of several is to be chosen.
static CHOOSE: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::constant(r"(?i)^(?:please )?(?:select|choose|pick) (?:an?|the|your|one|some|which|from|of)\b")
});

/// The head of rows, of which it wants one.
static HEADS: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::constant(r"(?i)^(?:please )?(?:select|choose|pick)\b"));

/// A question with its buttons behind it: "Remove it?   <Yes>   <No>".
static BUTTONS: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::constant(r"^(.*\pL.*\?)\s+(?:[\[<(] ?\pL[\pL ]{0,20}[\])>]\s*){2,}$"));

/// Whether the next lines with words are rows of which a single one is in reverse video.
fn heads_rows(page: &Page, row: usize) -> bool {
    let below = page.lines[row + 1..].iter().skip_while(|line| line.blank());
    let rows: Vec<&Line> = below.take_while(|line| !line.blank()).collect();
    let reversed = |line: &&&Line| line.inks(0).all(|style| style.attrs.has(Attrs::INVERSE));
    rows.len() > 1 && rows.iter().filter(reversed).count() == 1
}

/// Whether the cursor stands where an answer to this line goes: at the end of it, or at the head of what is right below.
fn is_asked(page: &Page, row: usize) -> bool {
    let (at, column) = page.cursor;
    let behind = at == row && page.lines[row].end <= column;
    let between = || (row + 1..at).all(|row| page.lines[row].blank());
    // In a box the cursor is at the head of a line that is being written as often as not.
    let open = |line: &Line| line.frame.left.is_none() && column <= line.start;
    behind || at > row && between() && page.lines.get(at).is_some_and(open)
}

/// The words of a line, without what a library draws behind them.
fn heading(text: &str) -> &str {
    let words = words(text);
    let end = if is_marked(text) { words.find(['›', '‣', '…']) } else { None };
    words[..end.unwrap_or(words.len())].trim_end()
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
pub fn words(text: &str) -> &str {
    let text = text.trim_start_matches(|ch: char| !(ch.is_alphanumeric() || "¿¡\"'`([".contains(ch)));
    text.trim_end_matches(|ch: char| !ch.is_ascii() && !ch.is_alphanumeric()).trim_end()
}
