//! The words of a dialog: its question.
//!
//! Paragraphs are told apart by blank lines, rules, and a change of style where a line had room for
//! more.

use super::block::Block;
use super::cut;
use super::page::{Line, Page};
use super::plain;
use super::wrap_join;
use crate::core::profile::{MenuRule, PromptRule};
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
    /// They begin in view: below the first row, or with a mark that nothing stands before.
    pub begin: bool,
}

/// Whether a question asks for several: "Which features …?", "Select the tools:".
pub fn asks_for_several(prompt: &str) -> bool {
    const ASKED: [&str; 5] = ["which", "what", "select", "choose", "pick"];
    // What follows the noun, where it has any adjectives before it.
    const ENDS: &str =
        "do does did should would shall can could may is are was were to for in on of from with you we i it";
    let lower = prompt.to_lowercase();
    let mut words = lower.split(|ch: char| !ch.is_alphanumeric()).filter(|word| !word.is_empty());
    if !words.any(|word| ASKED.contains(&word)) {
        return false;
    }
    let noun = words.take_while(|word| !ENDS.split(' ').any(|end| end == *word)).last().unwrap_or_default();
    noun.len() > 2 && noun.ends_with('s') && !["ss", "us", "is"].iter().any(|end| noun.ends_with(end))
}

/// The question of a block.
pub fn prompt(rule: &MenuRule, page: &Page, block: &Block, how: PromptRule) -> Prompt {
    // A form's header is no words of its own, whatever the rows below make of it.
    let how = match how {
        PromptRule::Heading if block.header.is_some() && block.header == block.heading => PromptRule::Form,
        how => how,
    };
    let from = match (how, block.header) {
        (PromptRule::Form, Some(header)) => header + 1,
        _ => block.top,
    };
    let paragraphs = paragraphs(rule, page, from, block.rows);
    let mut begin = false;
    let words = match how {
        // Where the header scrolled out of view, all that is left is the form's.
        PromptRule::Form if block.header.is_some() || block.top == 0 => all(&paragraphs),
        PromptRule::Whole => all(&paragraphs),
        PromptRule::Titled => all(&paragraphs[paragraphs.len().min(2) / 2..]),
        PromptRule::Field => field(rule, page, block),
        PromptRule::Adjacent => {
            let (first, text) = below_output(&paragraphs);
            begin = first.is_some_and(|row| row > 0);
            text
        }
        PromptRule::Form => last(&paragraphs),
        PromptRule::Heading => paragraphs.first().map(|paragraph| paragraph.text.clone()).unwrap_or_default(),
        PromptRule::Question => asking(&paragraphs),
    };
    let added = rule.trim.iter().filter_map(|pattern| pattern.find(&words)).map(|span| span.start).min();
    Prompt { text: words[..added.unwrap_or(words.len())].trim_end().to_owned(), begin }
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
    // Rows that cannot be chosen are passed over, the first ones too.
    let disabled = |row: &usize| plain::is_disabled(rule, &page.lines[*row]);
    let to = to - (from..to).rev().take_while(disabled).count();
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
                paragraph.text.push_str(wrap_join::between(
                    &rule.breaks,
                    (above, &above.text),
                    (line, &line.text),
                ));
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

/// The first row of the last paragraph above the rows: where the question begins that is asked right there.
pub fn last_begins(rule: &MenuRule, page: &Page, block: &Block) -> usize {
    paragraphs(rule, page, block.top, block.rows).last().map_or(block.rows, |paragraph| paragraph.first)
}
