//! What a permission is asked for: the command, the file or the address in its dialog.
//!
//! `detect/dialog.rs` asks for it. Rules approve by these words, and whoever wants an approval chose most of them: a
//! line is left out only where the program itself put it, never for what it says in the middle of a command.

use super::block::Block;
use super::page::{Page, Rule, faint};
use super::{words, wrap_join};
use crate::core::profile::{DialogRule, MenuRule, Pattern, PromptRule, SubjectRule};

/// Rows that a line of the program's own takes at most, on a narrow screen.
const LONGEST_NOTICE: usize = 3;

/// What a dialog with these words for its question asks to be allowed.
pub fn of(dialog: &DialogRule, rule: &MenuRule, page: &Page, block: &Block, prompt: &str) -> Option<String> {
    let how = dialog.subject.as_ref()?;
    let from_prompt = how.prompt.as_ref().and_then(|pattern| pattern.capture(prompt)).map(str::to_owned);
    // Other programs ask in the heading.
    let until = match dialog.prompt {
        PromptRule::Adjacent => words::last_begins(rule, page, block),
        _ => block.rows,
    };
    let subject = from_prompt.or_else(|| from_body(how, page, &body(how, page, block, until)?));
    subject.filter(|subject| !subject.trim().is_empty())
}

/// Whether only the heading of what is asked for stands there: the command comes with the next frame.
pub fn is_undrawn(dialog: &DialogRule, page: &Page, block: &Block) -> bool {
    let Some(how) = &dialog.subject else { return false };
    let Some(heading) = &how.heading else { return false };
    let rows = body(how, page, block, block.rows).unwrap_or_default();
    !rows.is_empty() && rows.iter().all(|row| heading.is_match(page.text(*row)))
}

/// The rows between the program's own rules or in its inner box; else those between its heading and its question.
fn body(how: &SubjectRule, page: &Page, block: &Block, until: usize) -> Option<Vec<usize>> {
    let shown = |row: &usize| !page.lines[*row].blank() && page.lines[*row].rule.is_none();
    let heading = (block.top..block.rows).find(shown)?;
    let edge = |row: &usize| is_edge(page, heading, *row);
    let first = (block.top..block.rows).find(edge);
    let last = (block.top..block.rows).rfind(edge);
    if let (Some(first), Some(last)) = (first, last)
        && last > first + 1
    {
        return Some((first + 1..last).filter(shown).collect());
    }
    let mut rows: Vec<usize> = (heading + 1..until).filter(shown).collect();
    if how.explained {
        without_explanation(page, &mut rows);
    }
    Some(rows)
}

/// A rule that the program drew around what it shows: it begins no further right than the heading, and what a command
/// holds stands in from there.
fn is_edge(page: &Page, heading: usize, row: usize) -> bool {
    let (line, heading) = (&page.lines[row], page.lines[heading].start);
    match line.rule {
        Some(_) if line.frame.left.is_some() => line.start <= heading,
        Some(Rule::Dashed) => line.start < heading,
        _ => false,
    }
}

/// Takes off the faint lines at the end, which say what the command above them is for.
fn without_explanation(page: &Page, rows: &mut Vec<usize>) {
    let bright = |row: &usize| page.lines[*row].ink_at(0).is_some_and(|style| !faint(style));
    if let Some(last) = rows.iter().rposition(bright) {
        rows.truncate(last + 1);
    }
}

/// The words of these rows, by the first way of the rule that fits; all of them if none does.
fn from_body(how: &SubjectRule, page: &Page, rows: &[usize]) -> Option<String> {
    let own = |rows: &[usize]| {
        let text = rows.iter().map(|&row| page.text(row)).collect::<Vec<_>>().join(" ");
        how.except.iter().any(|pattern| pattern.is_match(&text))
    };
    let first = (1..=LONGEST_NOTICE.min(rows.len())).find(|&count| own(&rows[..count]));
    let rows = &rows[first.unwrap_or(0)..];
    let last = (1..=LONGEST_NOTICE.min(rows.len())).find(|&count| own(&rows[rows.len() - count..]));
    let rows = &rows[..rows.len() - last.unwrap_or(0)];
    if rows.is_empty() {
        return None;
    }
    let cut = |pattern: &Option<Pattern>, row: usize| {
        pattern.as_ref().and_then(|pattern| pattern.capture(page.text(row))).map(str::to_owned)
    };
    if let Some(whole) = cut(&how.line, rows[0]).filter(|_| rows.len() == 1) {
        return Some(whole);
    }
    if let Some(named) = cut(&how.opener, rows[0]) {
        return Some(named);
    }
    let begun = rows.iter().enumerate().find_map(|(at, &row)| Some((at, cut(&how.begins, row)?)));
    if let Some((at, line)) = begun {
        let rest = text_of(page, &rows[at + 1..]);
        return Some(if rest.is_empty() { line } else { format!("{line}{}{rest}", glue(page, rows[at])) });
    }
    (how.body || how.line.is_some()).then(|| text_of(page, rows))
}

/// The lines' text. Two lines stay two, even where the first one is full: whether a program broke a long command there
/// or the command did is not seen, and a shell takes the second for a command of its own.
fn text_of(page: &Page, rows: &[usize]) -> String {
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        if at > 0 {
            text.push_str(glue(page, rows[at - 1]));
        }
        text.push_str(page.text(*row));
    }
    text
}

/// What stands between a row and the next: nothing where the terminal itself carried the line over.
fn glue(page: &Page, row: usize) -> &'static str {
    page.lines.get(row + 1).and_then(|next| wrap_join::hard(&page.lines[row], next)).unwrap_or("\n")
}
