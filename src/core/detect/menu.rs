//! Menus: rows that belong together, the highlighted one among them, and where they end.
//!
//! Works from the marked row outwards. A list without a highlighted row is a list, not a menu,
//! except where the profile says that the program marks rows by colour or not at all.

use super::cut;
use super::item::{self, Direction, Item, SQUEEZE};
use super::menu_rows::any;
pub use super::menu_rows::{Menu, finish};
use super::page::Page;
use super::plain::plain_menu;
use super::wrap_join;
use crate::core::profile::MenuRule;

/// Lines a label with its description may take before the next row must come.
const MAX_ROW_LINES: usize = 14;
/// Lines at the bottom in which the keys of a menu are named.
const KEY_LINES: usize = 6;

/// The lowest menu on the page above `below`, by a mark; by a colour `detect/colour.rs` finds it.
pub fn find(page: &Page, rule: &MenuRule, below: usize) -> Option<Menu> {
    let marked = (0..below.min(page.lines.len())).rev().filter_map(|row| {
        let line = &page.lines[row];
        let read = item::read(row, line, rule).filter(|item| item.marker.is_some());
        read.or_else(|| item::lone_marker(row, line, rule))
    });
    for item in marked {
        if let Some(menu) = around(page, rule, item) {
            return Some(menu);
        }
    }
    if rule.colour { None } else { headless(page, rule, below) }
}

/// Whether another row bears the mark of the highlighted one, as its own first letter or before it: which of them is the
/// highlighted one, and where the list ends, nobody can say.
pub fn is_marked_twice(page: &Page, menu: &Menu) -> bool {
    let Some(item) = menu.selected.and_then(|at| menu.items.get(at)) else { return false };
    let Some(column) = item.marker else { return false };
    let line = &page.lines[item.row];
    let Some(mark) = line.text[line.byte_at_column(column)..].chars().next() else { return false };
    let marked = |row: usize| page.text(row).starts_with(mark);
    let labelled = |item: &Item| page.text(item.row)[item.label_byte..].starts_with(mark);
    let (first, rows) = (menu.first_row(), page.lines.len());
    // Rows that this menu does not count among its own stand right next to it, further in than its mark.
    let near = |row: &usize| {
        let line = &page.lines[*row];
        !line.blank() && line.rule.is_none() && (marked(*row) || line.start > column)
    };
    menu.items.iter().any(labelled)
        || (first..menu.after.min(rows)).any(|row| row != item.row && marked(row))
        || (0..first).rev().take_while(near).any(marked)
        || (menu.after..rows).take_while(near).any(marked)
}

/// A menu whose highlighted row is scrolled out of view: told by the keys named at the bottom.
fn headless(page: &Page, rule: &MenuRule, below: usize) -> Option<Menu> {
    let pattern = rule.headless.as_ref()?;
    let bottom = page.bottom()?;
    (bottom.saturating_sub(KEY_LINES)..=bottom).find(|&row| pattern.is_match(page.text(row)))?;
    let rows = (0..below.min(page.lines.len())).rev();
    let numbered =
        rows.filter_map(|row| item::read(row, &page.lines[row], rule)).filter(|item| item.number.is_some());
    numbered
        .filter_map(|item| numbered_menu(page, rule, &item, None))
        .find(|menu| menu.cut && menu.items.len() > 1)
}

fn around(page: &Page, rule: &MenuRule, marked: Item) -> Option<Menu> {
    let numbered = match marked.number {
        Some(_) => Some(marked.clone()),
        None => numbered_neighbour(page, rule, &marked),
    };
    match numbered {
        Some(anchor) => {
            let menu = numbered_menu(page, rule, &anchor, Some(marked.clone()));
            let alone = anchor.number > Some(1) && menu.as_ref().is_none_or(|menu| menu.items.len() == 1);
            if !rule.unnumbered {
                return menu;
            }
            // A number that stands alone among the rows, or that not all of them have, is a part of the label.
            let plain = plain_menu(page, rule, marked.unnumber());
            match plain {
                Some(plain)
                    if alone || menu.as_ref().is_some_and(|menu| has_more_rows(page, rule, &plain, menu)) =>
                {
                    Some(plain)
                }
                _ => menu,
            }
        }
        None if rule.unnumbered && marked.label_byte < page.text(marked.row).len() => {
            plain_menu(page, rule, marked)
        }
        None => None,
    }
}

/// Whether a list has rows beside those with a number, in the same column: no descriptions, which stand further in, nor the
/// question above them.
fn has_more_rows(page: &Page, rule: &MenuRule, plain: &Menu, numbered: &Menu) -> bool {
    // A way out of the menu, and what sends its ticks, have no number anywhere.
    let apart = |item: &Item| {
        let label = page.text(item.row)[item.label_byte..].trim();
        [&rule.aside, &rule.submit, &rule.free_text].iter().any(|patterns| any(patterns, label))
    };
    let among = |row: usize| {
        numbered.items.iter().any(|item| item.row == row && (item.number.is_some() || apart(item)))
    };
    let first = numbered.first_row();
    let asks = |row: usize| row < first && page.text(row).trim_end().ends_with(['?', ':']);
    let whole = numbered.items.iter().all(|item| plain.items.iter().any(|row| row.row == item.row));
    let more = |item: &&Item| !among(item.row) && !asks(item.row) && !rule.is_hint(page.text(item.row));
    whole && plain.items.iter().any(|item| more(&item))
}

/// For a marked row without a number: the numbered row above it whose label it stands under.
fn numbered_neighbour(page: &Page, rule: &MenuRule, marked: &Item) -> Option<Item> {
    let from = marked.row.saturating_sub(MAX_ROW_LINES);
    // A way out of the menu stands apart from the other rows.
    let aside = any(&rule.aside, page.lines[marked.row].text[marked.label_byte..].trim());
    for row in (from..marked.row).rev() {
        let line = &page.lines[row];
        if line.blank() || line.rule.is_some() {
            if aside {
                continue;
            }
            return None;
        }
        if let Some(item) = item::read(row, line, rule).filter(|item| item.number.is_some()) {
            let goes_on = row + 1 == marked.row && wrap_join::wraps(line, &page.lines[marked.row]);
            // The rest of its row may be longer than the terminal is wide.
            let above = page.lines[row..marked.row - 1].iter().all(|line| line.wrapped);
            let pushed = above && marked.label_byte == page.text(marked.row).len();
            let under = marked.head + SQUEEZE >= item.label || marked.head > item.head || goes_on || pushed;
            return under.then_some(item);
        }
    }
    None
}

pub fn numbered_menu(page: &Page, rule: &MenuRule, anchor: &Item, marked: Option<Item>) -> Option<Menu> {
    let mut items = vec![anchor.clone()];
    while let Some(above) = step(page, rule, &items[0], Direction::Up) {
        items.insert(0, above);
    }
    while let Some(below) = step(page, rule, items.last().expect("the anchor is in it"), Direction::Down) {
        items.push(below);
    }
    unbox_labels(page, rule, &mut items);
    add_bare_rows(page, rule, &mut items, marked.as_ref());
    let first = items.first()?;
    let cut_above = first.number.is_some_and(|number| number > 1);
    if cut_above
        && !(cut::arrow_near(page, first.row, Direction::Up) || first.row <= 1 || cut::runs_up(page, first))
    {
        return None;
    }
    let selected = marked.and_then(|marked| selected(&items, &marked));
    finish(page, rule, items, selected, cut_above)
}

/// Where one row to choose has no box, or not where its program draws it, what looks like boxes are letters of the labels.
fn unbox_labels(page: &Page, rule: &MenuRule, items: &mut [Item]) {
    let chosen = |item: &Item| !any(&rule.aside, page.text(item.row)[item.label_byte..].trim());
    let bare = items.iter().any(|item| item.ticked.is_none() && chosen(item));
    // A program draws all of its boxes in one way: as brackets, or as glyphs.
    let brackets = |item: &&&Item| page.text(item.row)[..item.label_byte].contains(['[', '(']);
    let boxed: Vec<&Item> = items.iter().filter(|item| item.ticked.is_some()).collect();
    let drawn = boxed.iter().filter(brackets).count();
    let loose = |item: &&Item| item.number.is_some() && page.text(item.row)[..item.unboxed.1].ends_with("  ");
    let elsewhere = rule.tight_boxes && boxed.iter().copied().any(|item| loose(&item));
    if bare || elsewhere || (drawn > 0 && drawn < boxed.len()) {
        items.iter_mut().filter(|item| item.ticked.is_some()).for_each(Item::unbox);
    }
}

/// The row that the marker highlights; it may stand on the second line of a wrapped label.
fn selected(items: &[Item], marked: &Item) -> Option<usize> {
    items.iter().rposition(|item| item.row <= marked.row)
}

/// The row with the next number, across descriptions, single blank lines and one rule.
fn step(page: &Page, rule: &MenuRule, from: &Item, direction: Direction) -> Option<Item> {
    let number = match direction {
        Direction::Up => from.number?.checked_sub(1)?,
        Direction::Down => from.number? + 1,
    };
    let (mut blanks, mut rules) = (0, 0);
    for distance in 1..=MAX_ROW_LINES {
        let row = match direction {
            Direction::Up => from.row.checked_sub(distance)?,
            Direction::Down => from.row + distance,
        };
        let line = page.lines.get(row)?;
        if line.rule.is_some() {
            rules += 1;
        } else if line.blank() {
            blanks += 1;
        } else if line.frame.left != page.lines[from.row].frame.left {
            return None;
        } else if let Some(item) = item::read(row, line, rule).filter(|item| item.number.is_some()) {
            let aligned = item.head.abs_diff(from.head) <= SQUEEZE;
            // The way out keeps its number when the rows above it are scrolled away.
            let beyond = direction == Direction::Down
                && item.number > Some(number)
                && any(&rule.aside, line.text[item.label_byte..].trim());
            if aligned && (item.number == Some(number) || beyond) {
                return Some(item);
            }
            // Another number in the same column belongs to another list.
            if aligned {
                return None;
            }
        }
        if blanks > 1 || rules > 1 {
            return None;
        }
    }
    None
}

/// Rows without a number among numbered ones: a "Submit" below the tick boxes, a way out below a
/// rule, or the marked row.
fn add_bare_rows(page: &Page, rule: &MenuRule, items: &mut Vec<Item>, marked: Option<&Item>) {
    let boxes = items.iter().any(|item| item.ticked.is_some());
    let (Some(first), Some(last)) = (items.first().cloned(), items.last().cloned()) else { return };
    let until = (last.row + MAX_ROW_LINES).min(page.lines.len());
    for row in first.row + 1..until {
        let line = &page.lines[row];
        let Some(item) = item::read(row, line, rule) else { continue };
        if item.number.is_some() || items.iter().any(|other| other.row == item.row) {
            continue;
        }
        if rule.is_hint(&line.text) {
            break;
        }
        // Right below the last row, or below its wrapped label and its description.
        let attached = || page.lines[last.row..row].iter().all(|line| !line.blank() && line.rule.is_none());
        let near = row < last.row + 3 || attached();
        let label = line.text[item.label_byte..].trim();
        let is_marked =
            marked.is_some_and(|marked| marked.row == item.row) && !continues(page, items, item.row);
        let submits = boxes && near && any(&rule.submit, label);
        let aside = row > last.row && any(&rule.aside, label);
        if is_marked || submits || aside {
            let place = items.iter().position(|other| other.row > item.row).unwrap_or(items.len());
            items.insert(place, item);
        }
    }
}

/// Whether the line at `row` goes on with the wrapped label of the row above it.
fn continues(page: &Page, items: &[Item], row: usize) -> bool {
    let Some(owner) = items.iter().rev().find(|item| item.row < row) else { return false };
    // Letters that the terminal carried over stand between the two.
    let full = (owner.row..row).find(|&at| !page.lines[at].wrapped).unwrap_or(owner.row);
    row == full + 1 && (full > owner.row || wrap_join::wraps(&page.lines[full], &page.lines[row]))
}
