//! Questions of line-oriented programs: the last line of the screen, with the cursor behind it.
//!
//! `[y/N]`, `Password:`, a numbered list with an input line below. Only the line in which the cursor
//! stands counts: what was printed and left is output.

use super::page::Page;
use crate::core::profile::{Choices, LineRule, Profile, SignState};
use crate::core::question::{Choice, Question};

/// Lines above the input line in which a list is looked for.
const MAX_LIST: usize = 40;

/// What the cursor's line is.
#[derive(Debug, Clone)]
pub struct Found {
    pub rule: String,
    pub state: Option<SignState>,
    pub question: Option<Question>,
    pub row: usize,
}

/// The rule that fits the line in which the cursor stands.
pub fn find(profile: &Profile, page: &Page) -> Option<Found> {
    let (row, text, typed) = input_line(page)?;
    profile.line.iter().find_map(|rule| read(rule, page, row, &text, &typed))
}

/// The line up to where the prompt ends, and what stands behind it; a wrapped line is joined with
/// those it began in.
fn input_line(page: &Page) -> Option<(usize, String, String)> {
    let bottom = page.bottom()?;
    let mut row = page.cursor.0;
    // A program that hides the cursor may park it below its last line.
    if !page.cursor_visible && page.lines.get(row).is_none_or(|line| line.blank()) {
        row = bottom;
    }
    let line = page.lines.get(row).filter(|line| !line.blank() && row >= bottom)?;
    let mut text = line.text.clone();
    let mut first = row;
    while first > 0 && page.lines[first - 1].wrapped {
        first -= 1;
        text.insert_str(0, &page.lines[first].text);
    }
    Some((first, text, String::new()))
}

fn read(rule: &LineRule, page: &Page, row: usize, text: &str, _typed: &str) -> Option<Found> {
    let text = text.trim_end();
    let span = rule.pattern.find(text)?;
    let (mut options, mut prompt) = (Vec::new(), None);
    if rule.list {
        let list = list_above(rule, page, row)?;
        options = list.1;
        if let Some(pattern) = &rule.prompt_above {
            prompt = (0..list.0).rev().find_map(|row| pattern.capture(page.text(row)).map(str::to_owned));
        }
    }
    match &rule.choices {
        Choices::None => {}
        Choices::Group => {
            let group = rule.pattern.capture(text).unwrap_or_default();
            options = split(group);
        }
        Choices::Fixed(labels) => options = labels.iter().map(|label| choice(label)).collect(),
    }
    let words = rule.prompt.as_ref().and_then(|pattern| pattern.capture(text)).unwrap_or(&text[..span.end]);
    let question = Question {
        kind: rule.kind,
        prompt: prompt.unwrap_or_else(|| words.trim().to_owned()),
        options,
        selected: None,
        multi: false,
        subject: None,
        partial: false,
        tab: None,
        typing: false,
    };
    let question = rule.state.is_none().then_some(question);
    Some(Found { rule: rule.name.clone(), state: rule.state, question, row })
}

/// `y/N`, `yes/no/[fingerprint]`, `y,n,q,a,d,e,?` as choices: bare words, lower case.
fn split(group: &str) -> Vec<Choice> {
    let words = group.split(['/', ',', '|']).map(|word| word.trim().trim_matches(['[', ']', '(', ')']));
    words.filter(|word| !word.is_empty()).map(|word| choice(&word.to_lowercase())).collect()
}

fn choice(label: &str) -> Choice {
    Choice { label: label.to_owned(), ..Choice::default() }
}

/// The numbered rows right above a line: the row of the first, and all of them in order.
fn list_above(rule: &LineRule, page: &Page, row: usize) -> Option<(usize, Vec<Choice>)> {
    let mut first = row;
    let mut numbered: Vec<(u32, Choice)> = Vec::new();
    for at in (row.saturating_sub(MAX_LIST)..row).rev() {
        let entries = entries(rule, page.text(at));
        if entries.is_empty() {
            if first < row || page.lines[at].blank() {
                // Descriptions may stand between the rows of a list, but not above its first.
                if numbered.iter().any(|(number, _)| *number == 1) || page.lines[at].blank() {
                    break;
                }
                continue;
            }
            continue;
        }
        first = at;
        numbered.extend(entries);
        if numbered.iter().any(|(number, _)| *number == 1) {
            break;
        }
    }
    numbered.sort_by_key(|(number, _)| *number);
    let whole = numbered.iter().enumerate().all(|(index, (number, _))| *number as usize == index + 1);
    (numbered.len() > 1 && whole).then(|| (first, numbered.into_iter().map(|(_, choice)| choice).collect()))
}

/// The numbered entries of one line: one, or several side by side.
fn entries(rule: &LineRule, text: &str) -> Vec<(u32, Choice)> {
    let mut found = Vec::new();
    for cell in text.split("  ").map(str::trim).filter(|cell| !cell.is_empty()) {
        let digits = cell.bytes().take_while(u8::is_ascii_digit).count();
        let rest = &cell[digits..];
        let Some(label) = rest.strip_prefix(['.', ')', ':']).map(str::trim) else { continue };
        let Ok(number) = cell[..digits].parse::<u32>() else { continue };
        let parted = rule.separator.as_deref().and_then(|separator| label.split_once(separator));
        let (label, description) = parted.unwrap_or((label, ""));
        let choice = Choice {
            label: label.trim().to_owned(),
            description: description.trim().to_owned(),
            number: Some(number),
            ..Choice::default()
        };
        found.push((number, choice));
    }
    found
}
