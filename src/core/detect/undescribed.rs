//! Questions of programs that no profile describes: what they printed since they last took input, and which kind
//! that makes of a question.
//!
//! `detect/mod.rs` comes here for profiles with `any_program`. A described program asks for permission in a dialog
//! of its own; of any other, all that stands on the screen may say what a yes would do.

use super::buttons;
use super::lines;
use super::page::{Line, Page};
use super::snapshot::Snapshot;
use super::wrap_join;
use crate::core::policy::plain;
use crate::core::policy::prompt::{Asks, asks, harms};
use crate::core::profile::Profile;
use crate::core::question::normalize::{normalize, squeezed};
use crate::core::question::{Kind, Question, Widget};

/// Longest account of what was printed, in characters: more than the largest pane that people read.
const LONGEST: usize = 16_000;

/// Fills in what was printed, and names the kind by it. Without a witness a yes or no keeps the name of its shape:
/// what it would permit is weighed where a program waits for it, and a recording has no such program.
pub fn weigh(profile: &Profile, snapshot: &Snapshot, page: &Page, question: &mut Question) {
    let line = lines::input_row(profile, page).filter(|_| question.origin.line);
    let last = line.or(page.bottom()).unwrap_or(0);
    let (last, written) = without_draft(question, page, last, snapshot.written);
    let joined = rejoined(page, written);
    let written = joined.as_deref().unwrap_or(written);
    let boxed = question.origin.widget != Widget::Rows;
    let bare = boxed.then(|| without_rows(question, profile, page, written));
    let written = bare.as_deref().unwrap_or(written);
    let screen = printed(profile, page, last, question.origin.widget, written);
    // What was printed, and what that makes of the question.
    let account = |screen: &str, written: &str| {
        if written.is_empty() {
            return (screen.to_owned(), kind(question, asks(question, screen)));
        }
        let newest = newest(screen, written);
        // What was scrolled off or cleared away was printed all the same.
        let all = format!("{written}\n{newest}");
        let (of_all, of_newest) = (asks(question, &all), asks(question, &newest));
        let printed = if of_all == of_newest { newest } else { all };
        (printed, kind(question, of_all))
    };
    let (printed, kind) = without_answer(question, snapshot.asked, &screen, written)
        .map(|(screen, written)| account(screen, written))
        .filter(|(_, kind)| snapshot.asked.is_some_and(|asked| *kind == asked.kind))
        .unwrap_or_else(|| account(&screen, written));
    question.origin.concealed = page.lines.iter().any(|line| line.concealed);
    let witnessed = snapshot.witness.is_some();
    question.kind = match kind {
        Kind::Permission if question.kind == Kind::YesNo && !witnessed => Kind::YesNo,
        kind => kind,
    };
    question.origin.printed = Some(printed);
}

/// What was written without the rows and the buttons of the box that asks: those are weighed as what they are, and a
/// program that draws its box in one go writes all of it as one line.
fn without_rows(question: &Question, profile: &Profile, page: &Page, written: &str) -> String {
    let foot = buttons::foot(&profile.menu, page).map_or("", |row| page.text(row));
    let pressed = foot.split_inclusive('>').map(str::trim);
    let labels =
        question.options.iter().flat_map(|choice| [choice.label.as_str(), choice.description.as_str()]);
    let mut parts: Vec<&str> = pressed.chain(labels).filter(|part| !part.is_empty()).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    let whole = |text: &str| text.chars().next().is_none_or(|ch| !ch.is_alphanumeric());
    parts.iter().fold(written.to_owned(), |text, part| {
        let mut rest = String::with_capacity(text.len());
        let mut from = 0;
        for (at, _) in text.match_indices(part) {
            let before = text[..at].chars().next_back().is_none_or(|ch| !ch.is_alphanumeric());
            if before && whole(&text[at + part.len()..]) {
                rest.push_str(&text[from..at]);
                rest.push(' ');
                from = at + part.len();
            }
        }
        rest + &text[from..]
    })
}

/// The same accounts without what was typed behind the prompt since the same read began to wait: a project's name says
/// nothing of what is asked. Only of a question that was seen without it.
fn without_answer<'a>(
    question: &Question,
    asked: Option<&Question>,
    screen: &'a str,
    written: &'a str,
) -> Option<(&'a str, &'a str)> {
    let typed = question.origin.typed.as_deref()?;
    let waits = |asked: &Question| asked.origin.wait().is_some() && asked.origin.same_wait(&question.origin);
    asked.filter(|asked| asked.prompt == question.prompt && waits(asked))?;
    let before = |text: &'a str| text.trim_end().strip_suffix(typed).unwrap_or(text);
    Some((before(screen), before(written)))
}

/// The last row that was printed, and what was written, where a line of its own holds nothing but what was typed: those
/// words are no program's.
fn without_draft<'a>(question: &Question, page: &Page, last: usize, written: &'a str) -> (usize, &'a str) {
    let (first, text) = lines::broken(page, last);
    match question.origin.typed.as_deref().filter(|typed| *typed == text) {
        Some(typed) if first > 0 => (first - 1, written.trim_end().strip_suffix(typed).unwrap_or(written)),
        Some(_) | None => (last, written),
    }
}

/// The lines of the screen without those that were printed and answered before: of them only what speaks of harm is
/// held against this question.
fn newest(screen: &str, written: &str) -> String {
    let written = squeezed(written);
    let counts = |line: &&str| written.contains(&squeezed(line)) || harms(&normalize(line));
    screen.lines().filter(counts).collect::<Vec<_>>().join("\n")
}

/// Everything down to this row that was printed since somebody last typed, as far as it is on the screen. What the program has
/// written since then was typed by nobody, though it looks like a shell's line.
fn printed(profile: &Profile, page: &Page, last: usize, widget: Widget, written: &str) -> String {
    let foot = if widget == Widget::Rows { None } else { buttons::foot(&profile.menu, page) };
    let looks_typed =
        |row: &usize| profile.reply.person.iter().any(|pattern| pattern.is_match(page.text(*row)));
    let typed = |row: &usize| looks_typed(row) && !squeezed(written).contains(&squeezed(page.text(*row)));
    // The line of the question may itself look like one.
    let first = (0..last).rev().find(typed).map_or(0, |row| row + 1);
    let mut text = String::new();
    for row in first..=last.min(page.lines.len().saturating_sub(1)) {
        // What the buttons of a box say is among its options, or takes the chosen one.
        if foot == Some(row) {
            continue;
        }
        if row > first {
            let (above, line) = (&page.lines[row - 1], &page.lines[row]);
            text.push_str(
                wrap_join::hard(above, line).or_else(|| in_a_word(page, above, line)).unwrap_or("\n"),
            );
        }
        text.push_str(page.text(row));
    }
    match text.char_indices().rev().nth(LONGEST) {
        Some((at, _)) => text.split_off(at),
        None => text,
    }
}

/// Lines that a program made of one row at the edge of the screen, at most.
const PIECES: usize = 4;

/// What was written with those rows made whole that the program broke in the middle of a word.
fn rejoined(page: &Page, written: &str) -> Option<String> {
    let pairs = page.lines.windows(2).filter(|pair| in_a_word(page, &pair[0], &pair[1]).is_some());
    let rows: Vec<String> = pairs.map(|pair| format!("{}{}", pair[0].text, pair[1].text)).collect();
    (!rows.is_empty()).then(|| rows.iter().fold(written.to_owned(), |text, row| with_row(&text, row)))
}

/// The text with the lines in one that together are this row, and nothing else.
fn with_row(text: &str, row: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let whole = squeezed(row);
    let is_row = |at: usize, count: usize| {
        lines.get(at..at + count).is_some_and(|pieces| squeezed(&pieces.concat()) == whole)
    };
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    while at < lines.len() {
        let pieces = (2..=PIECES).find(|count| is_row(at, *count));
        out.push_str(if pieces.is_some() { row } else { lines[at] });
        out.push('\n');
        at += pieces.unwrap_or(1);
    }
    out
}

/// What stood between two rows that a program broke itself at the edge of the screen, in the middle of a word: nothing. Only
/// where that makes a word which is known for harmless of two pieces of which one is none.
fn in_a_word(page: &Page, line: &Line, next: &Line) -> Option<&'static str> {
    let (head, tail) = (line.text.split(' ').next_back()?, next.text.split(' ').next()?);
    let at_edge = line.end >= page.cols && next.start == 0;
    let known =
        |word: &str| plain::words_of(word).all(|word| plain::is_known(word) || plain::is_of_keys(word));
    let broken = !(known(head) && known(tail)) && known(&format!("{head}{tail}"));
    (at_edge && broken).then_some("")
}

fn kind(question: &Question, asked: Asks) -> Kind {
    match (question.kind, asked) {
        (Kind::YesNo | Kind::Menu | Kind::Multi | Kind::Text, Asks::Trust) => Kind::Trust,
        (Kind::YesNo | Kind::Menu | Kind::Multi | Kind::Text, Asks::Login) => Kind::Login,
        (Kind::Text, Asks::Secret) => Kind::Password,
        (Kind::Dialog, Asks::Secret) if question.origin.widget == Widget::Field => Kind::Password,
        (Kind::YesNo | Kind::Text, Asks::Approval(_)) => Kind::Permission,
        (kind, _) => kind,
    }
}
