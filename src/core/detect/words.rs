//! The words of a dialog: its question, and what a permission is asked for.
//!
//! Paragraphs are told apart by blank lines, rules, and a change of style where a line had room for
//! more.

use super::cut;
use super::dialog::Block;
use super::page::{Line, Page, Rule, faint};
use super::wrap_join;
use crate::core::profile::{MenuRule, PromptRule, SubjectRule};
use crate::core::terminal::grid::Attrs;

/// Question marks of the world's scripts.
pub const ASKS: [char; 6] = ['?', '？', '؟', '\u{37e}', '⸮', '՞'];

/// Lines that a question takes at most where nothing sets it apart from what was printed before it.
const MAX_ASKED: usize = 6;

/// Lines of a block that belong together.
#[derive(Debug, Clone, Default)]
struct Paragraph {
    text: String,
    first: usize,
    last: usize,
    /// Where its lines begin that the one above had room for: the row, and the byte of `text`.
    lines: Vec<(usize, usize)>,
}

/// The words of a block that ask.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    pub text: String,
    /// Its first row, where it is known to be whole.
    pub row: Option<usize>,
}

/// The question of a block.
pub fn prompt(rule: &MenuRule, page: &Page, block: &Block, how: PromptRule) -> Prompt {
    let from = match (how, block.header) {
        (PromptRule::Form, Some(header)) => header + 1,
        _ => block.top,
    };
    let paragraphs = paragraphs(rule, page, from, block.rows);
    let mut row = None;
    let words = match how {
        // Where the header scrolled out of view, all that is left is the form's.
        PromptRule::Form if block.header.is_some() || block.top == 0 => all(&paragraphs),
        PromptRule::Whole => all(&paragraphs),
        PromptRule::Titled => all(&paragraphs[paragraphs.len().min(2) / 2..]),
        PromptRule::Field => field(rule, page, block),
        PromptRule::Adjacent => {
            let (first, text) = below_output(&paragraphs);
            row = first;
            text
        }
        PromptRule::Form => last(&paragraphs),
        PromptRule::Heading => paragraphs.first().map(|paragraph| paragraph.text.clone()).unwrap_or_default(),
        PromptRule::Question => asking(&paragraphs),
    };
    let added = rule.trim.iter().filter_map(|pattern| pattern.find(&words)).map(|span| span.start).min();
    Prompt { text: words[..added.unwrap_or(words.len())].trim_end().to_owned(), row }
}

/// The last paragraph; of one that is longer than a question, which begins with what the program has printed before,
/// the line that asks.
fn below_output(paragraphs: &[Paragraph]) -> (Option<usize>, String) {
    let Some(paragraph) = paragraphs.last() else { return (None, String::new()) };
    let asks = |(row, byte): &(usize, usize)| {
        let text = paragraph.text.get(*byte..)?;
        let ends = up_to_mark(text).is_some() || text.trim_end().ends_with([':', '：']);
        ends.then(|| (Some(*row), text.to_owned()))
    };
    let long = paragraph.lines.len() >= MAX_ASKED;
    let asked = paragraph.lines.iter().rev().find_map(asks).filter(|_| long);
    asked.unwrap_or_else(|| (Some(paragraph.first), paragraph.text.clone()))
}

/// The words below the name of a field; where that scrolled out of view, all there are.
fn field(rule: &MenuRule, page: &Page, block: &Block) -> String {
    let bold = |line: &Line| line.inks(0).all(|style| style.attrs.has(Attrs::BOLD));
    let name = |row: &usize| page.text(*row).ends_with(':') && bold(&page.lines[*row]);
    let found = (block.top..block.rows).rfind(name);
    let words = paragraphs(rule, page, found.map_or(block.top, |row| row + 1), block.rows);
    if found.is_some() || block.top == 0 { all(&words) } else { last(&words) }
}

fn all(paragraphs: &[Paragraph]) -> String {
    paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect::<Vec<_>>().join(" ")
}

fn last(paragraphs: &[Paragraph]) -> String {
    paragraphs.last().map(|paragraph| paragraph.text.clone()).unwrap_or_default()
}

/// The adjacent paragraph if it asks; the nearest one that does, up to its question mark; the heading.
fn asking(paragraphs: &[Paragraph]) -> String {
    let Some((adjacent, above)) = paragraphs.split_last() else { return String::new() };
    let asked = paragraphs.iter().rev().find_map(|paragraph| up_to_mark(&paragraph.text));
    let other = || if above.is_empty() { adjacent.text.clone() } else { paragraphs[0].text.clone() };
    asked.unwrap_or_else(other)
}

/// A text up to its first question mark that ends a word; what follows explains.
fn up_to_mark(text: &str) -> Option<String> {
    let ends = |at: usize, mark: char| {
        text[at + mark.len_utf8()..].chars().next().is_none_or(|ch| !ch.is_alphanumeric())
    };
    let (at, mark) = text.char_indices().find(|(at, ch)| ASKS.contains(ch) && ends(*at, *ch))?;
    Some(text[..at + mark.len_utf8()].to_owned())
}

fn paragraphs(rule: &MenuRule, page: &Page, from: usize, to: usize) -> Vec<Paragraph> {
    let mut found: Vec<Paragraph> = Vec::new();
    let mut open = false;
    for row in from..to {
        let line = &page.lines[row];
        // A scroll bar beside the words.
        let bar =
            !line.text.is_empty() && line.text.chars().all(|ch| matches!(ch, '█' | '▀' | '▄' | '▐' | '┃'));
        let skipped = bar
            || rule.skip.iter().any(|pattern| pattern.is_match(&line.text))
            || cut::is_scroll_mark(&line.text);
        if line.blank() || line.rule.is_some() || skipped {
            open = false;
            continue;
        }
        match found.last_mut().filter(|_| open) {
            Some(paragraph) if joined(page, paragraph.last, row) => {
                let above = &page.lines[paragraph.last];
                let is_line = !wrap_join::wraps(above, line);
                paragraph.text.push_str(wrap_join::between(&rule.breaks, above, &above.text, &line.text));
                if is_line {
                    paragraph.lines.push((row, paragraph.text.len()));
                }
                paragraph.text.push_str(&line.text);
                paragraph.last = row;
            }
            _ => found.push(Paragraph { text: line.text.clone(), first: row, last: row, lines: Vec::new() }),
        }
        open = true;
    }
    found
}

/// Whether two lines are of one paragraph: the first was full, or both begin in the same style.
fn joined(page: &Page, above: usize, row: usize) -> bool {
    let (line, next) = (&page.lines[above], &page.lines[row]);
    if wrap_join::wraps(line, next) {
        return true;
    }
    let (Some(one), Some(other)) = (line.ink_at(0), next.ink_at(0)) else { return true };
    one.fg == other.fg && one.attrs.has(Attrs::BOLD) == other.attrs.has(Attrs::BOLD)
}

/// What a permission is asked for.
pub fn subject(
    how: &SubjectRule,
    rule: &MenuRule,
    page: &Page,
    block: &Block,
    prompt: &str,
) -> Option<String> {
    let from_prompt = how.prompt.as_ref().and_then(|pattern| pattern.capture(prompt)).map(str::to_owned);
    let from_line = || {
        let pattern = how.line.as_ref()?;
        (block.top..block.rows).find_map(|row| pattern.capture(page.text(row))).map(str::to_owned)
    };
    let from_body = || how.body.then(|| body(how, rule, page, block)).flatten();
    from_prompt.or_else(from_line).or_else(from_body).filter(|subject| !subject.trim().is_empty())
}

/// Lines between dashed rules or in an inner box; else the undimmed ones between heading and prompt.
fn body(how: &SubjectRule, rule: &MenuRule, page: &Page, block: &Block) -> Option<String> {
    let rows = block.top..block.rows;
    let is_edge = |row: &usize| {
        let line = &page.lines[*row];
        line.rule == Some(Rule::Dashed) || (line.rule.is_some() && line.frame.left.is_some())
    };
    let first = rows.clone().find(|row| is_edge(row));
    let last = rows.clone().rev().find(|row| is_edge(row));
    let kept = |row: usize| {
        let text = page.text(row);
        !text.is_empty()
            && page.lines[row].rule.is_none()
            && !how.except.iter().chain(&rule.skip).any(|pattern| pattern.is_match(text))
    };
    if let (Some(first), Some(last)) = (first, last)
        && last > first + 1
    {
        return Some(text_of(page, (first + 1..last).filter(|&row| kept(row)).collect()));
    }
    let heading = rows.clone().find(|&row| !page.lines[row].blank() && page.lines[row].rule.is_none())?;
    let bright = |row: usize| page.lines[row].ink_at(0).is_some_and(|style| !faint(style));
    let mut body: Vec<usize> = (heading + 1..block.rows).filter(|&row| kept(row) && bright(row)).collect();
    // The last of them is the prompt itself.
    let prompt_row = rows.rev().find(|&row| !page.lines[row].blank() && page.lines[row].rule.is_none());
    body.retain(|row| Some(*row) != prompt_row);
    // What explains the command is drawn in another colour than the command.
    let colour = |row: usize| page.lines[row].ink_at(0).map(|style| style.fg);
    let own = body.first().and_then(|&row| colour(row));
    body.retain(|&row| colour(row) == own);
    (!body.is_empty()).then(|| text_of(page, body))
}

/// The lines' text; a wrapped line is joined with the one it goes on in.
fn text_of(page: &Page, rows: Vec<usize>) -> String {
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            let above = &page.lines[rows[index - 1]];
            let glue = if above.wrapped {
                ""
            } else if wrap_join::wraps(above, &page.lines[*row]) {
                " "
            } else {
                "\n"
            };
            text.push_str(glue);
        }
        text.push_str(page.text(*row));
    }
    text
}
