//! Dialogs without rows that could be read: told by their words, by the keys they name, by their frame.
//!
//! The last resort of `detect/mod.rs`: what comes of it says that something owns the keyboard and
//! what it is called, and never offers a row to choose.

use super::field::{self, Held};
use super::page::{Line, Page, Rule};
use super::snapshot::Trace;
use super::talk;
use crate::core::profile::{DialogRule, Pattern, Profile, PromptRule};
use crate::core::question::{Kind, Origin, Question};

/// Lines above the last one in which a dialog names its keys.
const TAIL: usize = 4;
/// Fewer lines than this below a rule across are a footer.
const FEW: usize = 3;

/// A dialog whose words the profile knows.
pub fn worded(profile: &Profile, page: &Page, trace: &mut Trace) -> Option<(String, Question)> {
    let rules = profile.dialog.iter().filter(|rule| rule.bare);
    rules.filter(|rule| rule.text.is_some()).find_map(|rule| {
        let end = keys(page, rule)?;
        let text = rule.text.as_ref()?;
        let captured = |row: usize| text.capture(page.text(row)).map(|words| (row, words));
        let (at, nearest) = (0..end).rev().find_map(captured)?;
        let whole = if rule.prompt == PromptRule::Whole { boxed(page, text, end) } else { None };
        let prompt = whole.as_deref().unwrap_or(nearest);
        trace.note(&rule.name, true, || format!("line {} names its keys", end + 1));
        let question = Question::new(rule.kind, prompt);
        let one_row = rule.field && at + 2 == end;
        Some((rule.name.clone(), if one_row { with_field(question, &page.lines[at + 1]) } else { question }))
    })
}

/// The question with what the field below it holds.
fn with_field(question: Question, line: &Line) -> Question {
    let Held { typed, offered } = field::held(line, 0);
    let origin = Origin { line: true, typed, offered, ..Origin::default() };
    Question { kind: Kind::Text, typing: origin.typed.is_some(), origin, ..question }
}

/// A dialog of which nothing is known but that it names its keys, or that it opens with a rule across
/// and stands in from the edge.
pub fn unworded(profile: &Profile, page: &Page, trace: &mut Trace) -> Option<(String, Question)> {
    let rule = profile.dialog.iter().find(|rule| rule.bare && rule.text.is_none())?;
    let lowest = |end: usize| last(page) == Some(end + usize::from(goes_on(page, end).is_some()));
    if let Some(end) = keys(page, rule).filter(|&end| frame(page, end).is_some() || lowest(end)) {
        trace.note(&rule.name, true, || format!("line {} names its keys", end + 1));
        let top = top(profile, page, end);
        let prompt = first_words(page, top.map_or(0, |row| row + 1), end).unwrap_or_default();
        return Some((
            rule.name.clone(),
            Question { partial: top.is_none(), ..Question::new(rule.kind, prompt) },
        ));
    }
    // Of a program that nobody described, lines set in below a rule are what it printed.
    let top = opened(page).filter(|_| !profile.any_program)?;
    let set_in = |row: &usize| page.lines[*row].blank() || page.lines[*row].start > 1;
    let open = (top + 1..page.lines.len()).all(|row| page.lines[row].rule.is_some() || set_in(&row));
    let shown = page.lines[top + 1..].iter().filter(|line| !line.blank() && line.rule.is_none()).count();
    let prompt = first_words(page, top + 1, page.lines.len()).filter(|_| open && shown >= FEW)?;
    trace.note(&rule.name, true, || format!("all below the rule in line {} stands in", top + 1));
    Some((rule.name.clone(), Question::new(rule.kind, prompt)))
}

/// All words in the box around a line, down to the first row with a box of its own in it. Such programs break their
/// text themselves, and the nearest line is only its end.
fn boxed(page: &Page, text: &Pattern, end: usize) -> Option<String> {
    let inside = |row: &usize| page.lines[*row].frame.left.is_some() || page.lines[*row].rule.is_some();
    let top = (0..end).rev().take_while(inside).last()?;
    let framed = |row: &usize| page.text(*row).starts_with(['┌', '│', '└', '[', '(']);
    let words = |row: usize| Some(page.text(row)).filter(|_| page.lines[row].rule.is_none());
    let rows = (top..end).skip_while(|row| words(*row).is_none_or(|text| text.starts_with('┌')));
    let lines = rows.take_while(|row| !framed(row)).filter_map(words).filter(|line| text.is_match(line));
    let all = lines.collect::<Vec<_>>().join(" ");
    (!all.is_empty()).then_some(all)
}

/// The line among the last ones that names the dialog's keys.
fn keys(page: &Page, rule: &DialogRule) -> Option<usize> {
    let hint = rule.hint.as_ref()?;
    let bottom = last(page)?;
    let whole = |row: usize| match goes_on(page, row) {
        Some(next) => format!("{}{}", page.text(row), next.text),
        None => page.text(row).to_owned(),
    };
    (bottom.saturating_sub(TAIL)..=bottom).rev().find(|&row| hint.is_match(&whole(row)))
}

/// The rest of a line that a narrow screen has on two.
fn goes_on(page: &Page, row: usize) -> Option<&Line> {
    let line = &page.lines[row];
    page.lines.get(row + 1).filter(|next| line.end >= page.cols && next.start == 0 && !next.blank())
}

/// The lowest rule across, from edge to edge.
fn opened(page: &Page) -> Option<usize> {
    let across = |line: &super::page::Line| line.rule == Some(Rule::Across) && line.start == 0;
    page.lines.iter().rposition(across).filter(|&row| page.lines[row].end + 2 >= page.cols)
}

/// The last line that shows words.
fn last(page: &Page) -> Option<usize> {
    page.lines.iter().rposition(|line| !line.blank() && line.rule.is_none())
}

/// The rule or the edge of a box that opens what ends above a line.
fn frame(page: &Page, end: usize) -> Option<usize> {
    let edge = |rule: Rule| {
        (0..end).rev().find(|&row| page.lines[row].rule == Some(rule) && page.lines[row].start == 0)
    };
    edge(Rule::Across).or_else(|| edge(Rule::Top))
}

/// What the dialog that ends above a line opens with: its frame, else what the person typed.
fn top(profile: &Profile, page: &Page, end: usize) -> Option<usize> {
    let typed = |row: &usize| talk::is_person(&profile.reply, page, *row);
    frame(page, end).or_else(|| (0..end).rev().find(typed))
}

fn first_words(page: &Page, from: usize, to: usize) -> Option<&str> {
    (from..to)
        .filter(|&row| page.lines[row].rule.is_none())
        .map(|row| page.text(row))
        .find(|text| !text.is_empty())
}
