//! The agent's own input line: where it is and what is typed in it.
//!
//! It is the strongest sign there is: while it stands at the bottom of the screen, no dialog owns
//! the keyboard, whatever the text above it looks like.

use super::page::{Line, Page, Rule};
use crate::core::profile::{ComposerRule, Enclosure};
use crate::core::terminal::grid::{Attrs, Color, Style};

/// A draft longer than this is text on the screen, not an input line.
const MAX_DRAFT_LINES: usize = 60;
/// A draft with more numbered lines than this in a box is not told from a list of choices.
const LISTED: usize = 2;
/// A rule across must cover this share of the screen's width, in tenths, to enclose the input line.
const WIDE_TENTHS: usize = 6;

/// The input line as found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// First and last line, the enclosure included.
    pub top: usize,
    pub bottom: usize,
    pub draft: String,
    pub enclosure: Enclosure,
}

/// The lowest input line on the page.
pub fn find(page: &Page, rule: &ComposerRule) -> Option<Field> {
    rule.frame.iter().find_map(|enclosure| {
        let field = match enclosure {
            Enclosure::Rules => between_rules(page, rule, page.lines.len()),
            Enclosure::Box => in_a_box(page, rule),
            Enclosure::Fill => filled(page, rule),
            Enclosure::Bar => barred(page, rule),
            Enclosure::Open => open(page, rule),
        };
        field.filter(|field| !overlaid(page, field, rule))
    })
}

/// Whether something that is no footer stands below it, or the cursor stands elsewhere.
fn overlaid(page: &Page, field: &Field, rule: &ComposerRule) -> bool {
    let below = page.lines.iter().skip(field.bottom + 1);
    let shown = below.clone().filter(|line| !line.blank() && line.rule.is_none());
    // Its rows begin as what was typed does.
    let begun = |line: &Line| field.draft.chars().next().is_some_and(|first| line.text.starts_with(first));
    let picks =
        |line: &Line| begun(line) && rule.picker.as_ref().is_some_and(|pattern| pattern.is_match(&line.text));
    let long = shown.clone().count() > rule.footer && !shown.clone().next().is_some_and(picks);
    let boxed = below.clone().any(|line| line.frame.closed);
    // Rows to choose from, of which one is marked, are a dialog's; what encloses the line above them is its words.
    let rows = || shown.clone().filter(|line| is_numbered(&line.text));
    let marked = |line: &Line| line.text.starts_with(|ch: char| !ch.is_alphanumeric());
    let choice = rows().count() >= LISTED && rows().filter(|line| marked(line)).count() == 1;
    let inside = page.cursor_visible && (field.top..=field.bottom).contains(&page.cursor.0);
    long || boxed || choice || (rule.has_cursor && !inside)
}

/// Programs enclose their input line from the first column on; what they show of a command is indented.
fn wide(page: &Page, line: &Line) -> bool {
    line.start == 0 && line.frame.left.is_none() && (line.end - line.start) * 10 >= page.cols * WIDE_TENTHS
}

/// The last line of an input line that an earlier frame left above this one: a program that was stopped begins
/// a new frame where it goes on. Only between rules: nothing else stands between two as wide behind the prompt,
/// whereas words that wait to be sent are filled or boxed as an input line is.
pub fn left_behind(page: &Page, field: &Field, rule: &ComposerRule) -> Option<usize> {
    let framed = field.enclosure == Enclosure::Rules;
    framed.then(|| between_rules(page, rule, field.top)).flatten().map(|field| field.bottom)
}

/// The lowest above the line `below`.
fn between_rules(page: &Page, rule: &ComposerRule, below: usize) -> Option<Field> {
    let is_rule = |row: &usize| page.lines[*row].rule == Some(Rule::Across) && wide(page, &page.lines[*row]);
    let bottom = (0..below).rev().find(is_rule)?;
    let top = (bottom.saturating_sub(MAX_DRAFT_LINES)..bottom).rev().find(is_rule)?;
    let inside = &page.lines[top + 1..bottom];
    let first = inside.first()?;
    let after = prompt_length(&first.text, &rule.prompts)?;
    Some(Field { top, bottom, draft: draft(inside, after, rule), enclosure: Enclosure::Rules })
}

fn in_a_box(page: &Page, rule: &ComposerRule) -> Option<Field> {
    let bottom = page.lines.iter().rposition(|line| line.rule == Some(Rule::Bottom) && wide(page, line))?;
    let from = bottom.saturating_sub(MAX_DRAFT_LINES);
    let top = (from..bottom).rev().find(|&row| page.lines[row].frame.left.is_none())?;
    if page.lines[top].rule != Some(Rule::Top) {
        return None;
    }
    let inside = &page.lines[top + 1..bottom];
    let after = prompt_length(&inside.first()?.text, &rule.prompts)?;
    // A titled list of choices is a dialog, though its title begins like an input line.
    if inside.iter().filter(|line| is_numbered(&line.text)).count() > LISTED {
        return None;
    }
    Some(Field { top, bottom, draft: draft(inside, after, rule), enclosure: Enclosure::Box })
}

/// Whether a line begins with a number and a stop, perhaps behind a mark.
fn is_numbered(text: &str) -> bool {
    let text = text.trim_start_matches(|ch: char| !ch.is_alphanumeric());
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && text[digits..].starts_with(". ")
}

/// An input line told by its background alone.
fn filled(page: &Page, rule: &ComposerRule) -> Option<Field> {
    let starts =
        |line: &Line| line.fill != Color::Default && prompt_length(&line.text, &rule.prompts).is_some();
    let row = page.lines.iter().rposition(starts)?;
    let fill = page.lines[row].fill;
    let end = (row..page.lines.len()).take_while(|&at| page.lines[at].fill == fill).last().unwrap_or(row);
    let top = (0..=row)
        .rev()
        .take_while(|&at| at == row || (page.lines[at].fill == fill && page.lines[at].blank()));
    let top = top.last().unwrap_or(row);
    let after = prompt_length(&page.lines[row].text, &rule.prompts)?;
    // Below a blank line on the same ground stands the footer.
    let last = (row..=end).take_while(|&at| !page.lines[at].blank()).last().unwrap_or(row);
    let draft = draft(&page.lines[row..=last], after, rule);
    Some(Field { top, bottom: end, draft, enclosure: Enclosure::Fill })
}

/// Lines behind a bar at the left, with a foot below.
fn barred(page: &Page, rule: &ComposerRule) -> Option<Field> {
    let bottom = page.lines.iter().rposition(|line| line.rule == Some(Rule::Bottom))?;
    let side = page.lines.get(bottom.checked_sub(1)?)?.frame.left?;
    let block = (0..bottom).rev().take_while(|&row| page.lines[row].frame.left == Some(side));
    let top = block.last()?;
    let inside: Vec<Line> = page.lines[top..bottom]
        .iter()
        .filter(|line| !rule.label.as_ref().is_some_and(|label| label.is_match(&line.text)))
        .cloned()
        .collect();
    // Without the line that names the mode it is a message or a dialog.
    if rule.label.is_some() && inside.len() == bottom - top {
        return None;
    }
    Some(Field { top, bottom, draft: draft(&inside, 0, rule), enclosure: Enclosure::Bar })
}

/// No enclosure: the line in which the cursor stands.
fn open(page: &Page, rule: &ComposerRule) -> Option<Field> {
    let row = page.cursor.0;
    let line = page.lines.get(row).filter(|_| page.cursor_visible)?;
    let after = prompt_length(&line.text, &rule.prompts)?;
    let prompt = line.text.get(..after).unwrap_or(&line.text).chars().count();
    if line.start > 1 || page.cursor.1 < line.start + prompt {
        return None;
    }
    let draft = draft(std::slice::from_ref(line), after, rule);
    Some(Field { top: row, bottom: row, draft, enclosure: Enclosure::Open })
}

/// Bytes the prompt takes at the start of a line, with the blank after it.
fn prompt_length(text: &str, prompts: &[String]) -> Option<usize> {
    prompts.iter().find_map(|prompt| {
        let rest = text.strip_prefix(prompt.as_str())?;
        if rest.is_empty() || prompt.is_empty() {
            return Some(prompt.len());
        }
        rest.starts_with(' ').then_some(prompt.len() + 1)
    })
}

fn draft(lines: &[Line], after: usize, rule: &ComposerRule) -> String {
    let mut draft: Vec<&str> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let from = if index == 0 { after.min(line.text.len()) } else { 0 };
        let text = line.text[from..].trim();
        let placeholder = rule.placeholders.iter().any(|pattern| pattern.is_match(text));
        if placeholder || ghost(line, from, rule) {
            continue;
        }
        draft.push(text);
    }
    while draft.last().is_some_and(|line| line.is_empty()) {
        draft.pop();
    }
    // A zero-width space is a cursor's place, not a letter.
    draft.join("\n").trim_matches(|ch: char| ch.is_whitespace() || ch == '\u{200b}').to_owned()
}

/// Whether every word is a suggestion: dimmed or in the program's ghost colour. A block cursor over
/// the first letter hides that letter's own style.
fn ghost(line: &Line, from: usize, rule: &ComposerRule) -> bool {
    let is_ghost = |style: &Style| {
        style.attrs.has(Attrs::DIM)
            || matches!(style.fg, Color::Indexed(index) if rule.ghost.contains(&index))
    };
    let mut inks = line.inks(from).peekable();
    inks.next_if(|style| style.attrs.has(Attrs::INVERSE));
    inks.peek().is_some() && inks.all(|style| is_ghost(&style))
}
