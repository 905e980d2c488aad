//! What a permission is asked for: the command, the file or the address in its dialog.
//!
//! `detect/dialog.rs` asks for it. Rules approve by these words, and whoever wants an approval chose most of them: a
//! line is left out only where the program itself put it, never for what it says in the middle of a command.

use super::block::Block;
use super::page::{Page, Rule, faint};
use super::{words, wrap_join};
use crate::core::profile::{ActRule, DialogRule, MenuRule, Pattern, PromptRule, SubjectRule};

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

/// The request in the words that rules are matched against, if it is about a file or an address.
pub fn request(
    dialog: &DialogRule,
    page: &Page,
    block: &Block,
    prompt: &str,
    subject: &str,
) -> Option<String> {
    let how = dialog.subject.as_ref()?;
    let heading = (block.top..block.rows).find(|&row| is_shown(page, row))?;
    let head = page.text(heading);
    let below = (heading + 1..block.rows).find(|&row| is_shown(page, row)).map_or("", |row| page.text(row));
    let fits = |rule: &&ActRule| {
        rule.prompt.as_ref().is_none_or(|pattern| pattern.is_match(prompt))
            && rule.heading.as_ref().is_none_or(|pattern| pattern.is_match(head))
            && rule.below.as_ref().is_none_or(|pattern| pattern.is_match(below))
    };
    let rule = how.acts.iter().find(fits)?;
    let cut = |pattern: &Option<Pattern>, text: &str| pattern.as_ref()?.capture(text).map(str::to_owned);
    let what = cut(&rule.named, head).or_else(|| cut(&rule.line, subject)).unwrap_or_else(|| {
        let path = || path_below(page, heading, block.rows, subject).unwrap_or(format!("{UNKNOWN}{subject}"));
        if rule.path_below && !subject.contains('/') { path() } else { subject.to_owned() }
    });
    let called = Some(below.trim()).filter(|called| rule.called_below && !subject.starts_with(called));
    Some(match called {
        Some(called) => format!("{} {called}: {what}", rule.act),
        None => format!("{} {what}", rule.act),
    })
}

/// In place of folders that are not seen: no pattern that begins with a file's name may take one elsewhere for it.
const UNKNOWN: &str = "…/";

/// The path right below the heading, in as many rows as the program broke it into, if it is one of a file of that name.
fn path_below(page: &Page, heading: usize, until: usize, name: &str) -> Option<String> {
    let first = (heading + 1..until).find(|&row| is_shown(page, row))?;
    let rows = (first..until).take_while(|&row| is_shown(page, row));
    let path: String = rows.map(|row| page.text(row).trim()).collect();
    let ends = |folders: &str| folders.is_empty() || folders.ends_with('/');
    path.strip_suffix(name).is_some_and(ends).then_some(path)
}

fn is_shown(page: &Page, row: usize) -> bool {
    !page.lines[row].blank() && page.lines[row].rule.is_none()
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
    let shown = |row: &usize| is_shown(page, *row);
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
