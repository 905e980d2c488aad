//! The block of a menu: the lines of the screen that belong to it, and whether it is alive.
//!
//! `detect/dialog.rs` names the dialog and reads its words from it. Where a block begins and ends is told by what the
//! program draws around it, not by what its words say.

use super::cut;
use super::menu::Menu;
use super::page::{Page, Rule};
use super::wrap_join;
use crate::core::profile::MenuRule;
use crate::core::terminal::grid::Color;

/// A dialog taller than this is no dialog.
const MAX_BODY: usize = 200;
/// Lines of key names and notices below a menu.
const MAX_TAIL: usize = 12;
/// A rule that ends a dialog covers this share of the width, in tenths.
const WIDE_TENTHS: usize = 6;

/// The lines around a menu that belong to it.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// First line of the block's words.
    pub top: usize,
    /// First line of the rows.
    pub rows: usize,
    /// Lines below the rows that show words.
    pub hints: Vec<usize>,
    /// Its first line, if it is seen to begin there.
    pub heading: Option<usize>,
    /// The line of tabs, or the header with a box: what stands below it is asked, if it is a form.
    pub header: Option<usize>,
}

/// Why a menu was not taken for a living dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dead(pub String);

/// The block of a menu, if nothing on the screen contradicts that it is alive. `cursor_below`: a visible cursor on the
/// free line below it does not.
pub fn of(
    page: &Page,
    rule: &MenuRule,
    menu: &Menu,
    below: usize,
    cursor_below: bool,
) -> Result<Block, Dead> {
    let rows = menu.first_row();
    let top = top_of(page, rule, menu);
    let (hints, mut named) = tail(page, rule, menu, below)?;
    let approves = |row: &&usize| rule.approves.iter().any(|pattern| pattern.is_match(page.text(**row)));
    if let Some(row) = hints.iter().find(approves) {
        return Err(Dead(format!(
            "line {} below it asks for a permission, which they may be a part of",
            row + 1
        )));
    }
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
    let shown = |row: &usize| !page.lines[*row].blank() && page.lines[*row].rule.is_none();
    // Of a dialog that reaches to the upper edge, the first lines may be out of view.
    let heading = (top..rows).find(shown).filter(|_| top > 0);
    let header = (top..rows).find(|&row| is_header(page.text(row)));
    Ok(Block { top, rows, hints, heading, header })
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
        // What a command or a file holds stands in from the edge where the dialog's own rules begin.
        Some(Rule::Across) => wide && line.start == 0,
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
