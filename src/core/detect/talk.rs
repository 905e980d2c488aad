//! What the agent said last: its final message on the screen, and whether that asks something.
//!
//! Used for plain questions at the end of a turn and for reading a consultant's reply. It reads the
//! transcript only; it never decides whether the agent waits.

use super::page::{Line, Page, faint};
use super::words::ASKS;
use super::wrap_join;
use crate::core::profile::ReplyRule;

/// The rows of the last message above `below`, first and one past the last.
fn rows(rule: &ReplyRule, page: &Page, below: usize) -> Option<(usize, usize)> {
    let below = below.min(page.lines.len());
    let mut end = below;
    // Notices and timings stand between the message and the input line.
    while end > 0 && (page.lines[end - 1].blank() || ignored(rule, page, end - 1) || aside(page, end - 1)) {
        end -= 1;
    }
    let last = end.checked_sub(1)?;
    // A closed box quotes: a plan sent back, a table.
    let boxed = page.lines[last].frame.closed;
    if boxed || is_person(rule, page, last) || (end < below && is_result(rule, page, end)) {
        return None;
    }
    let mut first = None;
    for row in (0..end).rev() {
        if is_person(rule, page, row) {
            break;
        }
        if begins(rule, page, row) {
            first = Some(row);
            break;
        }
        if !page.lines[row].blank() && row < last && ignored(rule, page, row) {
            break;
        }
        if rule.marks.is_empty() && !page.lines[row].blank() && page.lines[row].rule.is_none() {
            first = Some(row);
        }
        if rule.marks.is_empty() && page.lines[row].rule.is_some() {
            break;
        }
    }
    // Without its first line in view, what is there of it.
    let first = first.or_else(|| cut_off(rule, page, last))?;
    (!ignored(rule, page, first)).then_some((first, end))
}

/// A message whose beginning scrolled away fills the screen from its first line.
fn cut_off(rule: &ReplyRule, page: &Page, last: usize) -> Option<usize> {
    let marked = (0..=last).any(|row| is_person(rule, page, row) || ignored(rule, page, row));
    (!marked).then(|| page.lines.iter().position(|line| !line.blank()).unwrap_or(0))
}

/// Whether these words carry the mark of a message: a dialog asks in its own words.
pub fn is_message(rule: &ReplyRule, words: &str) -> bool {
    rule.marks.iter().any(|mark| words.starts_with(mark.as_str()))
}

fn begins(rule: &ReplyRule, page: &Page, row: usize) -> bool {
    let line = &page.lines[row];
    let marked =
        rule.marks.iter().any(|mark| line.text.starts_with(mark.as_str()) && line.text.len() > mark.len());
    marked && rule.indent.is_none_or(|indent| indent == line.start)
}

pub fn is_person(rule: &ReplyRule, page: &Page, row: usize) -> bool {
    let line = &page.lines[row];
    !line.blank() && rule.person.iter().any(|pattern| pattern.is_match(&full(page, row)))
}

/// Whether a line tells what came of a tool call or a command.
pub fn is_result(rule: &ReplyRule, page: &Page, row: usize) -> bool {
    rule.result.as_ref().is_some_and(|pattern| pattern.is_match(&full(page, row)))
}

fn ignored(rule: &ReplyRule, page: &Page, row: usize) -> bool {
    page.lines[row].rule.is_some() || rule.not.iter().any(|pattern| pattern.is_match(&full(page, row)))
}

/// A faint line below a blank one: a timing or a hint, no words of a message.
fn aside(page: &Page, row: usize) -> bool {
    let apart = row.checked_sub(1).is_some_and(|above| page.lines[above].blank());
    apart && page.lines[row].inks(0).all(faint)
}

/// A line with its indentation, its bar and its frame, as patterns of the reply table see it.
fn full(page: &Page, row: usize) -> String {
    let line = &page.lines[row];
    let bar = line.frame.left.map(|side| format!("{side} ")).unwrap_or_default();
    format!("{bar}{}{}", " ".repeat(line.start.saturating_sub(bar.len().min(line.start))), line.text)
}

/// The text of the last message: paragraphs apart by an empty line, wrapped lines joined but where its program may have broken
/// a word: whoever needs that word as it is gets no blank for it.
pub fn last_message(rule: &ReplyRule, page: &Page, below: usize) -> Option<String> {
    message(rule, page, below, true)
}

fn message(rule: &ReplyRule, page: &Page, below: usize, exact: bool) -> Option<String> {
    let (first, end) = rows(rule, page, below)?;
    let mut text = String::new();
    let mut previous: Option<usize> = None;
    let mut number = 0;
    for row in first..end {
        let line = &page.lines[row];
        if line.blank() || line.rule.is_some() {
            continue;
        }
        let mut words = line.text.as_str();
        if row == first {
            let mark = rule.marks.iter().find(|mark| words.starts_with(mark.as_str()));
            words = mark.map_or(words, |mark| words[mark.len()..].trim_start());
        }
        if rule.numbered {
            words = unnumbered(words, &mut number);
        }
        match previous {
            Some(above) if above + 1 == row => text.push_str(match glue(page, above, row) {
                " " if exact && at_the_edge(&page.lines[above]) => "\n",
                glue => glue,
            }),
            Some(_) => text.push_str("\n\n"),
            None => {}
        }
        text.push_str(words);
        previous = Some(row);
    }
    Some(text)
}

/// A line of code without its number, which follows on that of the line before, or is the first of a block.
fn unnumbered<'t>(words: &'t str, number: &mut u32) -> &'t str {
    let Some((begin, rest)) = words.split_once(' ') else { return words };
    match begin.parse::<u32>() {
        Ok(found) if found == *number + 1 || found == 1 => {
            *number = found;
            rest.trim_start()
        }
        Ok(_) | Err(_) => words,
    }
}

/// What joins two lines: nothing where the program or the terminal broke a word, a blank where a
/// word was carried over, a line break where there was room.
fn glue(page: &Page, above: usize, row: usize) -> &'static str {
    let (line, next) = (&page.lines[above], &page.lines[row]);
    if !wrap_join::wraps(line, next) {
        return "\n";
    }
    // Paths are broken behind a slash.
    wrap_join::between("/", (line, &line.text), (next, &next.text))
}

/// Whether a line that its program broke goes as far as any could.
fn at_the_edge(line: &Line) -> bool {
    !line.wrapped && line.end + wrap_join::MARGIN >= line.inner.1
}

/// The plain question with which a message ends, if it ends with one.
pub fn question(rule: &ReplyRule, page: &Page, below: usize) -> Option<String> {
    if !rule.asks {
        return None;
    }
    let message = message(rule, page, below, false)?;
    let paragraph = message.rsplit("\n\n").next()?;
    let line = paragraph.lines().last()?.trim();
    let bare = line.trim_end_matches(['"', '”', '*', '_', ')', '»', '』', '」']);
    // "WHERE name = ?" is code: a question ends in words.
    let words = bare.trim_end_matches(ASKS).trim_end();
    let asks = bare.ends_with(ASKS) && !words.ends_with(['=', '<', '>', '(', ',', '+', '&', '|', '/']);
    let repeats = |row: usize| {
        let given = rule.echoed.as_ref().and_then(|pattern| pattern.capture(page.text(row)));
        given.is_some_and(|given| bare.ends_with(given.trim()))
    };
    (asks && !(0..below.min(page.lines.len())).any(repeats)).then(|| line.to_owned())
}
