//! The numbered list above an input line, and whether the line asks to choose from it.
//!
//! `detect/lines.rs` comes here for rules that read a list. A program that nobody described may print any numbered lines
//! above any prompt: that they are near never makes them the prompt's rows.

use std::sync::LazyLock;

use super::page::Page;
use super::snapshot::Snapshot;
use super::witness::Witness;
use super::wrap_join;
use crate::core::pattern::Pattern;
use crate::core::profile::{LineRule, Profile};
use crate::core::question::Choice;
use crate::core::question::normalize::squeezed;

/// Lines above the input line in which a list is looked for.
pub const MAX_LIST: usize = 40;
/// An explanation of the rows takes at most this many lines below them; with more in between, a prompt that asks to choose
/// means something else.
const EXPLAINED: usize = 3;

/// A screen, and what is known beside it.
pub type Seen<'a> = (&'a Snapshot<'a>, &'a Page);

/// What numbered lines are to the prompt below them.
#[derive(Debug)]
pub enum List {
    /// The row of the first, and all that the prompt asks to choose from, in order.
    Rows(usize, Vec<Choice>),
    /// The prompt asks to choose from them, but one number stands there twice, or rows go on above the first.
    Unclear(usize),
    /// The prompt may ask for one of them or for something else.
    Doubtful,
}

/// The list above a prompt that begins in this row; none if there is no list, or if it belongs to another prompt.
pub fn above(
    profile: &Profile,
    rule: &LineRule,
    (snapshot, page): Seen,
    row: usize,
    prompt: &str,
) -> Option<List> {
    let found = |first: usize, rows: Vec<Choice>| {
        if rows.is_empty() { List::Unclear(first) } else { List::Rows(first, rows) }
    };
    if !profile.any_program {
        return list_above(rule, page, row).map(|(first, rows)| found(first, rows));
    }
    let near = row.saturating_sub(MAX_LIST)..row;
    let last = near.rev().find(|&at| !entries(rule, page.text(at)).is_empty())?;
    let last = (last..row).find(|at| !page.lines[*at].wrapped).unwrap_or(last);
    let (first, rows) = list_above(rule, page, last + 1)?;
    let named = || {
        let at_once = || printed_at_once(snapshot, page, (first, row), prompt);
        last + 1 == row && (stood(snapshot, &rows, prompt) || at_once())
    };
    let highest = rows.iter().filter_map(|row| row.number).max().unwrap_or(0);
    let asks = asks_to_choose(prompt, highest) || (NAMED.is_match(prompt) && !rows.is_empty() && named());
    match below(page, last, row, prompt, &rows) {
        Below { words: 0, answered: false, .. } if asks => Some(found(first, rows)),
        Below { words: 0, answered: false, .. } => Some(List::Doubtful),
        Below { again: true, .. } if asks => Some(List::Doubtful),
        Below { answered: false, words, .. } if asks && words <= EXPLAINED => Some(List::Doubtful),
        Below { .. } => None,
    }
}

/// What stands between a list and a prompt.
#[derive(Debug, Default)]
struct Below {
    /// Lines that are neither the list's nor say how to choose from it.
    words: usize,
    /// A prompt that asked to choose, with its answer behind it.
    answered: bool,
    /// That was this very prompt: the answer was no good.
    again: bool,
}

fn below(page: &Page, last: usize, row: usize, prompt: &str, rows: &[Choice]) -> Below {
    let mut below = Below::default();
    let mut in_row = true;
    for at in last + 1..row {
        let (line, text) = (&page.lines[at], page.text(at));
        if line.blank() {
            in_row = false;
            continue;
        }
        if answered(text, rows) {
            below.again |= text.starts_with(prompt.trim_end());
            below.answered = true;
            in_row = false;
            continue;
        }
        // What describes the last row, or did not fit on it.
        in_row &= line.start > page.lines[last].start || wrap_join::wraps(&page.lines[at - 1], line);
        // Two lines that ask are two questions.
        let hint = speaks_of_choosing(text) && (is_bare(prompt) || !text.ends_with([':', '?', '>']));
        if !in_row && !hint {
            below.words += 1;
        }
    }
    below
}

/// Whether a line is a prompt to choose with an answer behind it.
fn answered(text: &str, rows: &[Choice]) -> bool {
    let asks = |head: &str| head.ends_with('?') || is_bare(head) || speaks_of_choosing(head);
    if ANSWER.captures(text).is_some_and(|parts| asks(&parts[1])) {
        return true;
    }
    // The prompt may end in no mark.
    let names = |row: &Choice| {
        let number = row.number.map(|number| number.to_string());
        [Some(row.label.as_str()), number.as_deref()].into_iter().flatten().any(|answer| {
            !answer.is_empty()
                && text.strip_suffix(answer).is_some_and(|head| head.ends_with(' ') && asks(head.trim_end()))
        })
    };
    rows.iter().any(names)
}

/// Whether a prompt right below a list asks for one of its rows, up to the one with this number.
fn asks_to_choose(prompt: &str, highest: u32) -> bool {
    let named = RANGE.captures(prompt).and_then(|parts| parts[1].parse::<u32>().ok());
    match named {
        // Of a list that is not clear the number of rows is not known.
        Some(upto) if highest > 0 && upto != highest => false,
        Some(_) => !AMOUNT.is_match(prompt),
        None => is_bare(prompt) || (speaks_of_choosing(prompt) && !VALUE.is_match(prompt)),
    }
}

/// Whether these rows were offered by this prompt before, and the read that was begun then waits still: what was typed since is
/// all that is new.
fn stood(snapshot: &Snapshot, rows: &[Choice], prompt: &str) -> bool {
    let read = snapshot.witness.and_then(Witness::wait).filter(|wait| wait.blocking);
    snapshot.asked.is_some_and(|asked| {
        let same_read = asked.origin.wait().zip(read).is_some_and(|(then, now)| now.is_same(then));
        same_read && asked.options == rows && asked.prompt.ends_with(prompt.trim())
    })
}

/// Whether who sleeps in the read of this line has printed these rows and the prompt right below them since it last took input,
/// and nothing else but what asks to choose from them, or stands apart: rows of something else would have been said what they are.
fn printed_at_once(snapshot: &Snapshot, page: &Page, (first, row): (usize, usize), prompt: &str) -> bool {
    let reads = snapshot.witness.and_then(Witness::wait).is_some_and(|wait| wait.blocking);
    let rows: String = (first..row).map(|at| page.text(at)).collect();
    let whole = squeezed(&format!("{rows}{prompt}"));
    let written = squeezed(snapshot.written);
    let Some(at) = written.rfind(&whole).filter(|_| reads) else { return false };
    let mut above = (0..first).rev().take(2).map(|at| page.text(at));
    let heads = at == 0 || above.find(|text| !text.is_empty()).is_none_or(heads_choice);
    let typed = squeezed(snapshot.draft);
    heads && [&typed, ""].contains(&&written[at + whole.len()..])
}

/// Whether a line above rows says that one of them is to be chosen.
fn heads_choice(text: &str) -> bool {
    speaks_of_choosing(text.trim_end_matches([':', '.']))
}

fn is_bare(prompt: &str) -> bool {
    prompt.chars().all(|ch| matches!(ch, '#' | '?' | '>' | ':' | ' ')) || BARE.is_match(prompt)
}

/// Whether a line asks to choose, by its words.
pub fn speaks_of_choosing(text: &str) -> bool {
    CHOOSES.is_match(text) || RANGE.is_match(text) || (WHAT.is_match(text) && !IS.is_match(text))
}

/// A prompt with one word behind it.
static ANSWER: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(r"^(.*[:?>\])])\s+\S{1,40}$"));
/// The words of choosing. "Port number:" and "Compiler options:" ask for words of one's own.
static CHOOSES: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::constant(
        r"(?ix) \b(?:choose|choice|select|selection|pick)\b | ^(?:\S+\ )?which\b | \bwhich\b.*\?$
        | \b(?:an?|your)\ option\b | \barrow[\ -]keys\b
        | ^(?:please\ )?(?:(?:enter|type)\ )?(?:(?:an?|the|its)\ )?(?:(?:row|item|option|menu)\ )?number
          (?:\ ?[\[(][^\])]*[\])])*\ ?[:>?]?$",
    )
});
/// All that these say is that something is to be chosen.
static BARE: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::constant(
        r"(?i)^(?:(?:enter )?(?:your )?(?:choice|answer|selection|option|pick))?(?: ?[\[(][^\])]*[\])])*\s*[:?>]?$",
    )
});
static WHAT: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(r"(?i)^what\b.*[?>]$"));
/// Something of which there are several kinds, by that name alone. Of these few words none is a verb that asks for a yes
/// ("Continue?"), nor the name of something new ("Project:").
static NAMED: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::constant(
        r"(?ix)^(?:(?:the|your|web|css|ui|test|build|package|programming|target|default|preferred|primary|text|background
        |accent|backend|frontend|deployment|cloud|session|log)\ )?
        (?:framework|database|colou?r|language|theme|template|environment|region|platform|runtime|licen[cs]e|flavou?r|backend
        |frontend|provider|bundler|preset|variant|(?:package\ )?manager|edition|architecture|shell|editor|size|level|mode)\ ?[:?>]?$",
    )
});
/// "What is …?" asks for what is not known yet.
static IS: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(r"(?i)^what(?:['’]s|\s+(?:is|are|was))\b"));
/// The numbers that may be typed, from 1 or 0 to the one that is captured.
static RANGE: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::constant(
        r"(?i)\b[01]\s*(?:[,/|]\s*\d+\s*)*(?:-|–|\.{2,3}|[,/|]|\bto\b|\band\b|(?:,\s*)?\bor\b)\s*(\d+)\b",
    )
});
static AMOUNT: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::constant(r"(?i)\bhow (?:many|much|long|old)\b|\bnumber of\b|\bamount\b"));
/// What is asked for by its own name or number, whatever list stands above.
static VALUE: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::constant(
        r"(?ix) \b(?:names?|named|call|called|titles?|ports?|paths?|director(?:y|ies)|folders?|ur[li]s?|address(?:es)?|e-?mails?
        |dates?|descriptions?|how\ (?:many|much|long|old)|number\ of|amount)\b",
    )
});

/// The numbered rows right above a line: the row of the first, and all of them in order. None of them if one number
/// stands there twice, or if rows go on above the first.
fn list_above(rule: &LineRule, page: &Page, row: usize) -> Option<(usize, Vec<Choice>)> {
    let mut first = row;
    let mut numbered: Vec<(u32, Choice)> = Vec::new();
    for at in (row.saturating_sub(MAX_LIST)..row).rev() {
        // What the terminal broke belongs to the row above it.
        if at > 0 && page.lines[at - 1].wrapped {
            continue;
        }
        let entries = entries(rule, &whole_line(page, at, row));
        if entries.is_empty() {
            // Descriptions may stand between the rows of a list, but not above its first.
            if page.lines[at].blank() {
                break;
            }
            continue;
        }
        first = at;
        numbered.extend(entries);
        let has = |of: u32| numbered.iter().any(|(number, _)| *number == of);
        if has(1) && (has(0) || !begins_at_zero(rule, page, at)) {
            break;
        }
    }
    // Read upwards, what is read first stands last: the way out, below the other rows.
    let zero_last = numbered.len() > 1 && numbered[0].0 == 0;
    numbered.sort_by_key(|(number, _)| *number);
    let twice =
        numbered.windows(2).any(|pair| pair[0].0 == pair[1].0 && !begins_with_digit(&pair[0].1.label));
    let least = numbered.first().map_or(1, |(number, _)| (*number).min(1));
    let whole = numbered.iter().zip(least..).all(|((number, _), wanted)| *number == wanted);
    if !numbered.is_empty() && (twice || goes_on_above(rule, page, first)) {
        return Some((first, Vec::new()));
    }
    if zero_last {
        numbered.rotate_left(1);
    }
    (numbered.len() > 1 && whole).then(|| (first, numbered.into_iter().map(|(_, choice)| choice).collect()))
}

/// Whether the row with the number 0 stands right above this one.
fn begins_at_zero(rule: &LineRule, page: &Page, at: usize) -> bool {
    let above = at.checked_sub(1).map(|above| head(page, above));
    above.is_some_and(|above| {
        entries(rule, &unbroken(page, above, at).0).iter().any(|(number, _)| *number == 0)
    })
}

/// The first of the rows that the terminal broke a line into.
fn head(page: &Page, row: usize) -> usize {
    (0..row).rev().take_while(|above| page.lines[*above].wrapped).last().unwrap_or(row)
}

/// Whether another numbered row stands right above this one, or above a description that stands between them.
fn goes_on_above(rule: &LineRule, page: &Page, first: usize) -> bool {
    let described = |row: &usize| page.lines[*row].start > page.lines[first].start;
    let above = (0..first).rev().find(|row| page.lines[*row].blank() || !described(row));
    above.is_some_and(|row| {
        entries(rule, &unbroken(page, head(page, row), row + 1).0)
            .iter()
            .any(|(_, choice)| !begins_with_digit(&choice.label))
    })
}

/// Whether it begins with a digit, as what stands behind the hour of a log's line does: "12:03:11".
fn begins_with_digit(label: &str) -> bool {
    label.starts_with(|ch: char| ch.is_ascii_digit())
}

/// A line with those below it, down to the input line, that hold what did not fit on it.
fn whole_line(page: &Page, at: usize, until: usize) -> String {
    let (mut text, at) = unbroken(page, at, until);
    let goes_on = |row: &usize| wrap_join::wraps(&page.lines[row - 1], &page.lines[*row]);
    let other = |row: &usize| begins_with_digit(page.text(*row)) || numbered_row(page.text(*row)).is_some();
    for row in (at + 1..until).take_while(|row| goes_on(row) && !other(row) && !page.lines[*row].blank()) {
        let (above, line) = (&page.lines[row - 1], &page.lines[row]);
        text.push_str(wrap_join::between("", (above, &above.text), (line, &line.text)));
        text.push_str(page.text(row));
    }
    text
}

/// A line with the rows that the terminal broke it into, every blank between its columns included, and the last of them.
fn unbroken(page: &Page, at: usize, until: usize) -> (String, usize) {
    let (mut text, mut last) = (page.text(at).to_owned(), at);
    while last + 1 < until
        && let Some(glue) = wrap_join::hard(&page.lines[last], &page.lines[last + 1])
    {
        let (line, next) = (&page.lines[last], &page.lines[last + 1]);
        let left = line.inner.1.saturating_sub(line.end.max(line.inner.0));
        let blanks = left + next.start.saturating_sub(next.inner.0);
        text.extend(std::iter::repeat_n(' ', if glue.is_empty() { 0 } else { blanks }));
        text.push_str(page.text(last + 1));
        last += 1;
    }
    (text, last)
}

/// A row's number and its label: "1) React", "1. React", "[1] React", "(1) React", "1 - React".
fn numbered_row(cell: &str) -> Option<(u32, &str)> {
    let close = match cell.as_bytes().first()? {
        b'[' => Some(']'),
        b'(' => Some(')'),
        _ => None,
    };
    let bare = if close.is_some() { &cell[1..] } else { cell };
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = bare.split_at(digits);
    let label = match close {
        // A shell tells so of its jobs: "[1] 4711", "[1]+  Done".
        Some(close) => {
            rest.strip_prefix(close)?.strip_prefix(' ').filter(|label| !begins_with_digit(label.trim()))?
        }
        None => rest.strip_prefix(['.', ')', ':']).or_else(|| rest.strip_prefix(" - "))?,
    };
    Some((number.parse().ok()?, label.trim()))
}

/// The numbered entries of one line: one, or several side by side. What stands apart behind a row, with no number of its own,
/// is the row's.
fn entries(rule: &LineRule, text: &str) -> Vec<(u32, Choice)> {
    let mut rows: Vec<(u32, usize, usize)> = Vec::new();
    let mut at = 0;
    for cell in text.split("  ") {
        let start = at + (cell.len() - cell.trim_start().len());
        let end = at + cell.trim_end().len();
        at += cell.len() + "  ".len();
        match numbered_row(cell.trim()) {
            Some((number, label)) => rows.push((number, end - label.len(), end)),
            None if start < end => rows.last_mut().into_iter().for_each(|row| row.2 = end),
            None => {}
        }
    }
    let choice = |(number, start, end): (u32, usize, usize)| {
        let label = &text[start..end];
        let parted = rule.separator.as_deref().and_then(|separator| label.split_once(separator));
        let (label, description) = parted.unwrap_or((label, ""));
        let choice = Choice {
            label: label.trim().to_owned(),
            description: description.trim().to_owned(),
            number: Some(number),
            ..Choice::default()
        };
        (number, choice)
    };
    rows.into_iter().map(choice).collect()
}
