//! The rows of a menu as choices: label, description, tick, role.
//!
//! A label may be wrapped, may have its description in the lines below or in a second column, and
//! may end in a tick; what is left is what a person would read out.

use super::cut;
use super::item::{self, Item};
use super::menu::Menu;
use super::page::{Line, Page, faint};
use super::plain;
use super::wrap_join;
use crate::core::profile::{MenuRule, Pattern};
use crate::core::question::{Choice, Role};

/// Blanks that part two columns.
const GAP: &str = "  ";
/// What the frame of a preview begins with.
const PREVIEW: [char; 5] = ['┌', '╭', '│', '└', '╰'];
/// Columns that a program may leave free at the right of a label.
const PADDING: usize = 14;

/// Every row of a menu as a choice. `form`: an agent asks its own questions there.
pub fn choices(rule: &MenuRule, page: &Page, menu: &Menu, form: bool) -> Vec<Choice> {
    let column = if rule.columns { description_column(page, menu, form) } else { None };
    // Other things may stand beside a dialog: its own lines tell how wide it is.
    let last = menu.items.last().map_or(menu.after, |item| item.row + 1);
    let edge = (menu.first_row()..last).map(|row| page.lines[row].end).max().unwrap_or(page.cols);
    let mut choices: Vec<Choice> =
        (0..menu.items.len()).map(|at| choice(rule, page, menu, at, column, edge)).collect();
    let goes_on = cut::goes_on_below(page, menu.after);
    // A request for permission has such rows between others.
    if form || !approves(rule, &choices) {
        keep_added(&mut choices, goes_on);
    }
    if rule.form_ends_in_free_text && !goes_on {
        mark_free_text(&mut choices, page, menu, form);
    }
    choices
}

fn choice(
    rule: &MenuRule,
    page: &Page,
    menu: &Menu,
    at: usize,
    column: Option<usize>,
    edge: usize,
) -> Choice {
    let item = &menu.items[at];
    let end = menu.items.get(at + 1).map_or(menu.after, |next| next.row);
    let line = &page.lines[item.row];
    let (mut label, mut description) = split(line, item, column);
    if rule.described && description.is_empty() {
        (label, description) = explained(line, item);
    }
    let mut previous = line;
    let mut whole = description.is_empty();
    let described = described(page, menu);
    for row in item.row + 1..end {
        let next = &page.lines[row];
        if next.blank() || next.rule.is_some() || cut::is_scroll_mark(&next.text) {
            break;
        }
        if menu.passed.contains(&row) || plain::is_disabled(rule, next) {
            break;
        }
        if let Some((left, right)) = column.and_then(|column| carried_over(item, line, next, column)) {
            join(&rule.breaks, &mut label, previous, (next, left));
            join(&rule.breaks, &mut description, previous, (next, right));
            previous = next;
            continue;
        }
        let words = next.text.trim_start_matches(|ch| rule.markers.contains(ch)).trim_start();
        let pushed = item.ticked.is_some() && row == item.row + 1;
        let words = if pushed { words.strip_prefix("]  ").map_or(words, str::trim_start) } else { words };
        let second_column = column.is_some_and(|column| next.start >= column);
        let told = described || next.start < item.head;
        // Letters that the terminal carried over belong to a line that was full.
        let mut over = row >= item.row + 2 && page.lines[row - 2].wrapped;
        // A label ends where the descriptions of the other rows begin.
        let beside = column.filter(|_| next.start == item.label && next.end > next.start);
        over |= beside.is_some_and(|column| next.end < column && fills(previous, words, column));
        if whole && !second_column && continues(previous, next, words, told.then_some(edge), over) {
            join(&rule.breaks, &mut label, previous, (next, words));
        } else {
            whole = false;
            join(&rule.breaks, &mut description, previous, (next, words));
        }
        previous = next;
    }
    let prefix = rule.prefix.as_ref().and_then(|pattern| pattern.find(&label)).map_or(0, |span| span.end);
    let label = without_tick(&label[prefix..], &rule.current);
    let role = role(rule, &label);
    Choice { label, description, number: item.number, checked: item.ticked, role, written: false }
}

/// Words of a label that did not fit its column, and those of the description beside them.
fn carried_over<'l>(item: &Item, line: &Line, next: &'l Line, column: usize) -> Option<(&'l str, &'l str)> {
    let first = line.byte_at_column(column);
    let beside = first > item.label_byte && first < line.text.len() && line.text[..first].ends_with(' ');
    if !beside || next.start != item.label {
        return None;
    }
    let byte = next.byte_at_column(column);
    let (left, right) = (next.text[..byte].trim_end(), next.text[byte..].trim());
    let apart = byte == next.text.len() || next.text[..byte].ends_with(' ');
    (apart && next.column_at(left.len()) < column).then_some((left, right))
}

/// Whether a line goes on with the label of the line before: its words did not fit there, and they
/// are drawn as that line ended.
///
/// Where descriptions stand apart by their faintness or their place, a line need not be quite full.
fn continues(line: &Line, next: &Line, words: &str, edge: Option<usize>, over: bool) -> bool {
    let word = words.split(' ').next().map_or(0, |word| word.chars().count());
    let apart = edge.is_some_and(|edge| line.end + 1 + word + PADDING > edge.min(line.inner.1));
    if !wrap_join::wraps(line, next) && !apart && !over {
        return false;
    }
    let byte = next.text.len() - words.len();
    let (Some(before), Some(after)) = (line.ink_before(line.text.len()), next.ink_at(byte)) else {
        return false;
    };
    faint(before) == faint(after) && (!apart || before.fg == after.fg)
}

/// Whether the first of these words had no room left of a column.
fn fills(line: &Line, words: &str, column: usize) -> bool {
    let word = words.split(' ').next().map_or(0, |word| word.chars().count());
    line.end < column && line.end + 1 + word + item::SQUEEZE > column
}

/// Whether lines below the rows are fainter than the rows: descriptions tell themselves.
fn described(page: &Page, menu: &Menu) -> bool {
    let row = |row: usize| menu.items.iter().find(|item| item.row == row);
    let bright = menu
        .items
        .iter()
        .all(|item| page.lines[item.row].ink_at(item.label_byte).is_some_and(|style| !faint(style)));
    let below = menu.first_row()..menu.after;
    bright && below.filter(|at| row(*at).is_none()).any(|at| page.lines[at].ink_at(0).is_some_and(faint))
}

fn join(breaks: &str, text: &mut String, previous: &Line, (next, words): (&Line, &str)) {
    if !text.is_empty() && !words.is_empty() {
        text.push_str(wrap_join::between(breaks, (previous, text), (next, words)));
    }
    text.push_str(words);
}

/// Label and description of a row's first line.
fn split(line: &Line, item: &Item, column: Option<usize>) -> (String, String) {
    let text = &line.text[item.label_byte..];
    if let Some(column) = column {
        let byte = line.byte_at_column(column);
        if byte > item.label_byte && byte < line.text.len() && line.text[..byte].ends_with(' ') {
            let (label, description) = (&line.text[item.label_byte..byte], &line.text[byte..]);
            return (label.trim_end().to_owned(), description.trim().to_owned());
        }
    }
    (text.trim_end().to_owned(), String::new())
}

/// The bright words of a row, and the faint ones behind them that explain it.
fn explained(line: &Line, item: &Item) -> (String, String) {
    let text = &line.text[item.label_byte..];
    let bright = |(at, ch): &(usize, char)| *ch != ' ' && !faint(line.style_at(item.label_byte + at));
    let end = text.char_indices().rfind(bright).map_or(text.len(), |(at, ch)| at + ch.len_utf8());
    (text[..end].trim_end().to_owned(), text[end..].trim().to_owned())
}

/// The column in which the descriptions of a two-column menu start: the same in every row that has one. `form`: descriptions
/// stand below the labels, which may have blanks of their own, and nothing but a framed preview beside them.
fn description_column(page: &Page, menu: &Menu, form: bool) -> Option<usize> {
    let starts = |item: &Item| -> Option<usize> {
        let line = &page.lines[item.row];
        let mut at = item.label_byte;
        loop {
            at += line.text[at..].find(GAP)?;
            at += line.text[at..].len() - line.text[at..].trim_start().len();
            if !form || line.text[at..].starts_with(PREVIEW) {
                return Some(line.column_at(at));
            }
        }
    };
    let columns: Vec<usize> = menu.items.iter().filter_map(starts).collect();
    let first = *columns.first()?;
    let common = columns.iter().copied().max_by_key(|column| columns.iter().filter(|c| *c == column).count());
    common.filter(|column| *column >= first.min(*column))
}

fn without_tick(label: &str, tick: &str) -> String {
    let cut = label.trim_end();
    let cut = if tick.is_empty() { cut } else { cut.trim_end_matches(|ch| tick.contains(ch)).trim_end() };
    cut.to_owned()
}

fn role(rule: &MenuRule, label: &str) -> Role {
    let any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.is_match(label));
    if any(&rule.submit) {
        Role::Submit
    } else if any(&rule.aside) {
        Role::Aside
    } else if any(&rule.free_text) {
        Role::FreeText
    } else {
        Role::Choice
    }
}

/// Whether its rows are those of a request for permission.
pub fn approves(rule: &MenuRule, choices: &[Choice]) -> bool {
    rule.approves.iter().any(|pattern| choices.iter().any(|choice| pattern.is_match(&choice.label)))
}

/// What a program adds to a list stands at its end, and once: a row above that is called the same is one of those that its agent
/// has put up for choice. `goes_on`: rows below may be out of view.
fn keep_added(choices: &mut [Choice], goes_on: bool) {
    let (mut choice_below, mut writes, mut submits) = (false, false, false);
    for choice in choices.iter_mut().rev() {
        if goes_on && !choice_below && choice.role == Role::FreeText {
            // Which of the two it is does not show.
            choice.role = Role::Aside;
        }
        let added = match choice.role {
            Role::Choice => false,
            Role::FreeText => !choice_below && !std::mem::replace(&mut writes, true),
            // Nor is either of them ticked.
            Role::Submit => choice.checked.is_none() && !std::mem::replace(&mut submits, true),
            Role::Aside => choice.checked.is_none() && !writes,
        };
        if !added {
            choice.role = Role::Choice;
            choice_below = true;
        }
    }
}

/// In a form the row before a rule, a submit row or the end takes free text; what is typed into it
/// replaces the label by which it could be told, so words stand in it. `form`: it is known to be one; where its header is out
/// of view, the program's own row below a rule tells.
fn mark_free_text(choices: &mut [Choice], page: &Page, menu: &Menu, form: bool) {
    if choices.iter().any(|choice| choice.role == Role::FreeText) {
        return;
    }
    let last = choices.iter().rposition(|choice| choice.role == Role::Choice && choice.number.is_some());
    let Some(last) = last.filter(|last| *last > 1) else { return };
    let submits = choices.iter().any(|choice| choice.role == Role::Submit);
    let asides = choices.iter().any(|choice| choice.role == Role::Aside);
    // What is being typed there may take several lines, and has no description.
    let first = menu.items[last].row + 1;
    let typed = menu.selected == Some(last) && choices[last].description.is_empty();
    let next = menu.items.get(last + 1).map_or(menu.after, |next| next.row).clamp(first, page.lines.len());
    let lines = if typed { first..next } else { first..first + 1 };
    let ruled = lines.filter_map(|row| page.lines.get(row)).any(|line| line.rule.is_some());
    let ends = last + 1 == choices.len();
    if asides && (ruled || submits) || form && (submits || ends) {
        choices[last].role = Role::FreeText;
        choices[last].written = true;
    }
}
