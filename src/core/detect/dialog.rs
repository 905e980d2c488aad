//! Dialogs: a menu with the words above it and the keys named below it.
//!
//! Decides which block of the screen belongs to a menu, whether that block is alive, what kind it
//! is, and which of its words are the question.

use super::cut;
use super::item::{self, Item};
use super::label;
use super::menu::Menu;
use super::page::{Page, Rule};
use super::words::{self, Prompt};
use super::wrap_join;
use crate::core::profile::{DialogRule, MenuRule, Pattern, Profile, PromptRule};
use crate::core::question::{Kind, Question, Role};
use crate::core::terminal::grid::{Attrs, Color};

/// A dialog taller than this is no dialog.
const MAX_BODY: usize = 200;
/// Lines of key names and notices below a menu.
const MAX_TAIL: usize = 12;
/// A rule that ends a dialog covers this share of the width, in tenths.
const WIDE_TENTHS: usize = 6;

/// The block around a menu.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// First line of the block's words.
    pub top: usize,
    /// First line of the rows.
    pub rows: usize,
    /// Lines below the rows that show words.
    pub hints: Vec<usize>,
    /// The line of tabs, or the header with a box, if it is a form.
    pub header: Option<usize>,
}

/// A dialog and the rule that named it.
#[derive(Debug, Clone)]
pub struct Found {
    pub rule: String,
    pub question: Question,
    pub top: usize,
}

/// Why a menu was not taken for a living dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dead(pub String);

/// The block of a menu, if nothing on the screen contradicts that it is alive. `cursor_below`: a visible cursor on the
/// free line below it does not.
pub fn block(
    page: &Page,
    rule: &MenuRule,
    menu: &Menu,
    below: usize,
    cursor_below: bool,
) -> Result<Block, Dead> {
    let rows = menu.first_row();
    let top = top_of(page, rule, menu);
    let (hints, mut named) = tail(page, rule, menu, below)?;
    named |= rule.row.as_ref().is_some_and(|pattern| pattern.is_match(page.text(rows)));
    let numbered = menu.items.iter().any(|item| item.number.is_some());
    // A box with nothing below it needs no line that names the keys.
    let boxed = page.lines[rows].frame.closed;
    if !named && !numbered && !boxed && !rule.hints.is_empty() && !rule.owns_cursor {
        return Err(Dead("rows without numbers, and no line below names the keys".into()));
    }
    if rule.owns_cursor
        && page.cursor_visible
        && !cursor_below
        && !(rows.saturating_sub(2)..menu.after).contains(&page.cursor.0)
    {
        return Err(Dead(format!("the cursor is visible in line {}, outside of it", page.cursor.0 + 1)));
    }
    let header = (top..rows).find(|&row| is_header(page.text(row)));
    Ok(Block { top, rows, hints, header })
}

/// The lines that show words below the rows, and whether one of them names keys.
fn tail(page: &Page, rule: &MenuRule, menu: &Menu, below: usize) -> Result<(Vec<usize>, bool), Dead> {
    let (mut hints, mut named, mut stranger) = (Vec::new(), false, None);
    for row in menu.after..below.min(page.lines.len()) {
        let line = &page.lines[row];
        if let (Some(Rule::Across | Rule::Top | Rule::Bottom), Some(row)) = (line.rule, stranger) {
            return Err(stray(page, row));
        }
        if line.blank() || line.rule.is_some() || cut::is_scroll_mark(&line.text) {
            continue;
        }
        // What a box names are the keys of the box.
        let other = line.frame.left.is_some() && page.lines[menu.first_row()].frame.left.is_none();
        let hint = !other && rule.is_hint(&line.text);
        let boxed = line.frame.closed && page.lines[menu.first_row()].frame.closed;
        // A hint goes on in the next line on a narrow screen.
        let above = hints.last().copied().filter(|&above| named && above + 1 == row);
        let framed = line.frame.left.is_some() && line.frame.left == page.lines[menu.first_row()].frame.left;
        let follows = above.is_some_and(|above| framed || wrap_join::wraps(&page.lines[above], line));
        let right_below = |row: usize| (menu.after..row).all(|between| page.lines[between].blank());
        let explained = rule.described && stranger.is_some_and(right_below);
        if hint && (!rule.owns_cursor || explained) {
            // Notices of the dialog stand between its rows and the keys, within its frame.
            stranger = None;
        } else if !hint
            && !follows
            && !boxed
            && !rule.below.iter().any(|pattern| pattern.is_match(&line.text))
        {
            stranger = stranger.or(Some(row));
        }
        named |= hint;
        hints.push(row);
    }
    match stranger {
        Some(row) => Err(stray(page, row)),
        None if hints.len() > MAX_TAIL => Err(Dead(format!("{} lines stand below it", hints.len()))),
        None => Ok((hints, named)),
    }
}

fn stray(page: &Page, row: usize) -> Dead {
    Dead(format!("line {} below it is neither keys nor notice: {:?}", row + 1, page.text(row)))
}

/// A form's tabs, or the header of a single question: a box glyph with a short title.
fn is_header(text: &str) -> bool {
    let text = text.trim_start_matches(['←', ' ']);
    let mut chars = text.chars();
    let boxed = chars.next().is_some_and(|ch| matches!(ch, '☐' | '☒' | '☑' | '□' | '■' | '✓' | '✔' | '≡'));
    boxed && chars.next() == Some(' ')
}

/// The first line of the words that belong to a menu.
fn top_of(page: &Page, rule: &MenuRule, menu: &Menu) -> usize {
    let first = menu.first_row();
    let frame = page.lines[first].frame;
    let fill = menu
        .items
        .iter()
        .map(|item| &page.lines[item.row])
        .find(|line| !line.text.starts_with(is_marker(rule)));
    let fill = fill.map_or(Color::Default, |line| line.fill);
    let mut top = first;
    for row in (first.saturating_sub(MAX_BODY)..first).rev() {
        let line = &page.lines[row];
        let outside = if frame.closed {
            line.frame.left.is_none()
        } else if frame.left.is_some() {
            line.frame.left != frame.left
        } else if fill != Color::Default {
            line.fill != fill
        } else {
            ends_block(page, rule, row, first)
        };
        if outside {
            break;
        }
        top = row;
    }
    // The title of a block behind a bar stands above it, in the bar's own column.
    let bar = rule.owns_cursor && frame.left.is_some() && !frame.closed;
    let title =
        top.checked_sub(1).filter(|&row| bar && !page.lines[row].blank() && page.lines[row].rule.is_none());
    title.unwrap_or(top)
}

fn is_marker(rule: &MenuRule) -> impl Fn(char) -> bool + '_ {
    |ch| rule.markers.contains(ch)
}

/// In the open, a block ends at a rule across, or at words further left than a dialog's.
fn ends_block(page: &Page, rule: &MenuRule, row: usize, first: usize) -> bool {
    let line = &page.lines[row];
    let wide = (line.end - line.start) * 10 >= page.cols * WIDE_TENTHS;
    match line.rule {
        Some(Rule::Across) => wide,
        Some(Rule::Top | Rule::Bottom) => {
            line.frame.left.is_none() && row + 1 < first && !is_search_box(page, row)
        }
        Some(Rule::Dashed) => false,
        None => !line.blank() && line.start < rule.indent,
    }
}

/// A box of one line inside a dialog: the field that filters its rows.
fn is_search_box(page: &Page, row: usize) -> bool {
    let rule = |row: Option<usize>| row.and_then(|row| page.lines.get(row)).and_then(|line| line.rule);
    rule(Some(row + 2)) == Some(Rule::Bottom) || rule(row.checked_sub(2)) == Some(Rule::Top)
}

/// Names the dialog and reads its question.
pub fn read(profile: &Profile, page: &Page, menu: &Menu, block: &Block) -> Found {
    let labels = label::choices(&profile.menu, page, menu, block);
    let above = |pattern: &Pattern| (block.top..block.rows).any(|row| pattern.is_match(page.text(row)));
    let below = |pattern: &Pattern| block.hints.iter().any(|&row| pattern.is_match(page.text(row)));
    let named = |pattern: &Pattern| labels.iter().any(|label| pattern.is_match(&label.label));
    let fits = |rule: &&DialogRule| {
        !rule.bare
            && rule.boxes.is_none_or(|boxes| boxes == menu.boxes())
            && rule.form.is_none_or(|form| form == block.header.is_some())
            && rule.text.as_ref().is_none_or(above)
            && rule.hint.as_ref().is_none_or(below)
            && rule.label.as_ref().is_none_or(named)
    };
    let rule = profile.dialog.iter().find(fits);
    let kind = rule.map_or(if menu.boxes() { Kind::Multi } else { Kind::Menu }, |rule| rule.kind);
    let asked = asked(profile, rule, page, menu, block);
    // Above the words of a program that nobody described stands what it has printed: that is weighed elsewhere.
    let begins = profile.any_program && asked.row.is_some_and(|row| row > 0);
    let prompt = asked.text;
    let subject = rule.and_then(|rule| rule.subject.as_ref());
    let subject = subject.and_then(|subject| words::subject(subject, &profile.menu, page, block, &prompt));
    let typing = menu.selected.is_some_and(|at| {
        labels.get(at).is_some_and(|label| label.role == Role::FreeText)
            || (profile.menu.caret && menu.items.get(at).is_some_and(|item| has_caret(page, item)))
    });
    let told = |row: &usize| profile.menu.cut.iter().any(|pattern| pattern.is_match(page.text(*row)));
    let cut_short = block.hints.iter().any(told) || (block.top..block.rows).any(|row| told(&row));
    let prompt_lost = prompt.is_empty();
    // Rows beside the rows are not read, and which of the two columns a key moves in is not known.
    let beside = labels.iter().any(|choice| item::begins_like_a_row(&choice.description, &profile.menu));
    let disputed = profile.any_program && (beside || is_disputed(page, menu));
    let question = Question {
        kind,
        prompt,
        options: labels,
        selected: menu.selected.filter(|_| !disputed),
        multi: menu.boxes() && kind == Kind::Multi,
        subject,
        partial: menu.cut
            || prompt_lost
            || disputed
            || cut_short
            || (block.top == 0
                && !begins
                && page.goes_on_above
                && block.header.is_none()
                && !page.lines[0].blank()),
        tab: block.header.and_then(|row| tabs(page.text(row))),
        typing,
        origin: Default::default(),
    };
    Found { rule: rule.map_or("menu", |rule| rule.name.as_str()).to_owned(), question, top: block.top }
}

/// The words that ask, by the rule that fits.
fn asked(profile: &Profile, rule: Option<&DialogRule>, page: &Page, menu: &Menu, block: &Block) -> Prompt {
    let how = rule.map_or(PromptRule::Question, |rule| rule.prompt);
    let cut_out = rule.and_then(|rule| rule.prompt_line.as_ref()).and_then(|pattern| {
        let whole = |row: usize| wrap_join::whole(&profile.menu.breaks, &page.lines[row..block.rows]);
        let begins = (block.top..block.rows).rev().find(|&row| pattern.is_match(page.text(row)));
        begins.and_then(|row| pattern.capture(&whole(row)).map(str::to_owned))
    });
    // Above rows that begin in mid-list there are rows, not words.
    let lost = menu.items.first().is_some_and(|item| item.number > Some(1) && cut::runs_up(page, item));
    let opener = rule.and_then(|rule| rule.opens.as_ref());
    let opened =
        opener.and_then(|pattern| (block.top..block.rows).rfind(|&row| pattern.is_match(page.text(row))));
    let below = Block { top: opened.map_or(block.top, |row| row + 1), ..block.clone() };
    match cut_out {
        Some(text) => Prompt { text, row: None },
        None if lost => Prompt::default(),
        None => words::prompt(&profile.menu, page, &below, how),
    }
}

/// Whether a row stands out by its ground that is not the one with the mark: either may be what Enter chooses.
fn is_disputed(page: &Page, menu: &Menu) -> bool {
    let Some(selected) = menu.selected else { return false };
    let stands_out = |item: &Item| {
        let line = &page.lines[item.row];
        let ink = line.ink_at(item.label_byte);
        ink.is_some_and(|style| style.attrs.has(Attrs::INVERSE) || style.bg != Color::Default)
    };
    let out: Vec<usize> = (0..menu.items.len()).filter(|&at| stands_out(&menu.items[at])).collect();
    // A ground that all share tells nothing, and some draw what is ticked on one of its own.
    let ticked = |at: usize| menu.items[at].ticked == Some(true);
    out.len() < menu.items.len() && out.iter().any(|&at| at != selected && !ticked(at))
}

/// Whether the cursor stands in a row's words: something is typed there.
fn has_caret(page: &Page, item: &Item) -> bool {
    let (row, column) = page.cursor;
    row == item.row && column >= item.label && column <= page.lines[row].end + 1
}

/// Which tab of a form is open cannot be told from text alone; how many there are, can.
fn tabs(text: &str) -> Option<(usize, usize)> {
    let glyph = |ch: char| matches!(ch, '☐' | '☒' | '☑' | '□' | '■' | '✓' | '✔' | '≡');
    let open = |ch: char| matches!(ch, '☐' | '□');
    let count = text.chars().filter(|ch| glyph(*ch)).count();
    let done = text.chars().filter(|ch| glyph(*ch)).take_while(|ch| !open(*ch)).count();
    (count > 1).then_some((done.min(count - 1), count))
}
