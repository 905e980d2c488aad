//! Menus whose highlight is only a colour: the row that is drawn unlike all others.
//!
//! `detect/menu.rs` comes here where no row has a mark, for profiles that say so.

use super::cut;
use super::item::{self, Item};
use super::list;
use super::menu::{self, Menu};
use super::menu_rows::passing;
use super::page::{Page, faint};
use super::plain;
use super::words::ASKS;
use crate::core::profile::MenuRule;
use crate::core::terminal::grid::{Attrs, Color, Style};

/// Rows whose highlight is only a colour: the one that differs from all others.
pub fn find(page: &Page, rule: &MenuRule, below: usize) -> Option<Menu> {
    let below = below.min(page.lines.len());
    for row in (0..below).rev() {
        let Some(item) = item::read(row, &page.lines[row], rule) else { continue };
        let menu = match (item.number, item.ticked) {
            (Some(_), _) => menu::numbered_menu(page, rule, &item, None),
            (None, Some(_)) => boxed_menu(page, rule, &item),
            (None, None) => raised_menu(page, rule, &item),
        };
        let Some(mut menu) = menu.filter(|menu| menu.items.len() > 1) else { continue };
        menu.selected =
            menu.selected.or_else(|| odd_one(page, &menu.items)).filter(|_| menu.passing.is_none());
        let is_lit = menu.selected.is_some() || menu.passing.is_some();
        if is_lit && (!rule.owns_cursor || is_offered(page, rule, &menu)) {
            return Some(menu);
        }
    }
    None
}

/// Rows that begin with a box or a ring in the same column.
fn boxed_menu(page: &Page, rule: &MenuRule, anchor: &Item) -> Option<Menu> {
    let mut items = vec![anchor.clone()];
    for row in (0..anchor.row).rev() {
        let Some(item) = item::read(row, &page.lines[row], rule) else {
            if rule.passes && plain::is_rule_of(&page.lines[row], anchor) {
                continue;
            }
            break;
        };
        if item.ticked.is_some() && item.head == anchor.head {
            items.insert(0, item);
        } else if item.head <= anchor.head {
            break;
        }
    }
    if !rule.passes {
        return menu::finish(page, rule, items, None, false);
    }
    let bottom = items.last()?.clone();
    let (passed, items) = without_disabled(page, rule, items);
    let whole = items.last()?.row >= bottom.row;
    let mut menu = menu::finish(page, rule, items, None, false)?;
    menu.passing = passed.iter().find(|item| is_underlined(page, item)).map(|lit| {
        let before = menu.items.iter().take_while(|item| item.row < lit.row).count();
        passing(before, lit.row, menu.first_row())
    });
    menu.passed = passed.iter().map(|item| item.row).collect();
    menu.after = if whole { menu.after } else { bottom.row + 1 };
    Some(menu)
}

/// The rows with a box that cannot be chosen, told by their look, and the others: they are struck through, or their words
/// are faint where those of several others are not.
fn without_disabled(page: &Page, rule: &MenuRule, items: Vec<Item>) -> (Vec<Item>, Vec<Item>) {
    let is_faint = |item: &Item| page.lines[item.row].ink_at(item.label_byte).is_some_and(faint);
    let bright = items.iter().filter(|item| !is_faint(item)).count();
    items
        .into_iter()
        .partition(|item| plain::is_disabled(rule, &page.lines[item.row]) || bright > 1 && is_faint(item))
}

fn is_underlined(page: &Page, item: &Item) -> bool {
    let ink = page.lines[item.row].ink_at(item.label_byte);
    ink.is_some_and(|style| style.attrs.has(Attrs::UNDERLINE))
}

/// Rows without number or box, of which one stands on a ground of its own.
fn raised_menu(page: &Page, rule: &MenuRule, anchor: &Item) -> Option<Menu> {
    let line = |item: &Item| &page.lines[item.row];
    // A line of keys may stand on a ground of its own as well.
    if !rule.owns_cursor || !is_raised(page, anchor) || rule.is_hint(&line(anchor).text) {
        return None;
    }
    let beside = |row: &usize| {
        let item = item::read(*row, &page.lines[*row], rule)?;
        let plain = item.number.is_none() && item.ticked.is_none() && item.marker.is_none();
        let alike = plain && line(&item).start == line(anchor).start && !is_raised(page, &item);
        let other = rule.is_hint(&line(&item).text) || cut::is_scroll_mark(&line(&item).text);
        (alike && !other).then_some(item)
    };
    let above: Vec<usize> = (0..anchor.row).rev().take_while(|row| !asks(page.text(*row))).collect();
    let mut items: Vec<Item> = above.iter().map_while(beside).collect();
    items.reverse();
    let selected = Some(items.len());
    items.push(anchor.clone());
    items.extend((anchor.row + 1..page.lines.len()).map_while(|row| beside(&row)));
    menu::finish(page, rule, items, selected, false)
}

/// Whether rows of a program that nobody described are there to be chosen from. So much else has one row of another colour
/// or ground (the head of a table, a step that is done, a line that was found), that a line above them must ask to
/// choose, or one below name keys.
fn is_offered(page: &Page, rule: &MenuRule, menu: &Menu) -> bool {
    let words = (0..menu.first_row()).rev().find(|row| !page.lines[*row].blank());
    let keys = (menu.after..page.lines.len()).find(|row| !page.lines[*row].blank());
    let near = words.is_some_and(|row| {
        row + 2 >= menu.first_row() && (asks(page.text(row)) || rule.is_hint(page.text(row)))
    });
    near || keys.is_some_and(|row| rule.is_hint(page.text(row)))
}

/// Whether a line asks to choose: by its mark, or by its words where it ends in a colon. Libraries mark both ends of it.
pub fn asks(text: &str) -> bool {
    let (whole, text) = (text.trim_end(), text.trim_end_matches([' ', '…', '›', '‣']));
    if text.len() < whole.len() && text.starts_with(['?', '◆']) {
        return true;
    }
    text.ends_with(|ch| ASKS.contains(&ch)) || (text.ends_with([':', '：']) && list::speaks_of_choosing(text))
}

fn is_raised(page: &Page, item: &Item) -> bool {
    let line = &page.lines[item.row];
    let ink = line.ink_at(item.label_byte);
    ink.is_some_and(|style| {
        style.attrs.has(Attrs::INVERSE) || style.bg != line.ground && line.ground == line.fill
    })
}

/// The index of the one row that is drawn unlike the others: by the ground it stands on, by its
/// number, or by its label.
fn odd_one(page: &Page, items: &[Item]) -> Option<usize> {
    let line = |item: &Item| &page.lines[item.row];
    let head = |item: &Item| line(item).ink_at(line(item).byte_at_column(item.head));
    let ground = |item: &Item| head(item).map(|style| Style { bg: style.bg, ..Style::default() });
    let label = |item: &Item| line(item).ink_at(item.label_byte);
    let by = |style: &dyn Fn(&Item) -> Option<Style>| odd_style(&items.iter().map(style).collect::<Vec<_>>());
    // Of two rows the one that does not stand on its line's own ground.
    let raised = |item: &Item| ground(item).is_some_and(|style| style.bg != line(item).ground);
    let two = items.len() == 2 && raised(&items[0]) != raised(&items[1]);
    let lone = two.then(|| usize::from(raised(&items[1])));
    // The box of a row tells that it is ticked, its number nothing of its own.
    let boxes = items.iter().all(|item| item.ticked.is_some());
    let told = if boxes { by(&label) } else { by(&head).or_else(|| by(&label)) };
    lone.or_else(|| by(&ground)).or(told)
}

fn odd_style(styles: &[Option<Style>]) -> Option<usize> {
    let differs = |index: usize| styles.iter().filter(|style| **style == styles[index]).count() == 1;
    let mut odd = (0..styles.len()).filter(|&index| differs(index));
    let first = odd.next()?;
    match (odd.next(), styles.len()) {
        (None, _) => Some(first),
        // Of two rows each is unlike the other: the highlighted one has a background or a line.
        (Some(second), 2) => {
            let loud = |index: usize| styles[index].map_or(0, loudness);
            match loud(first).cmp(&loud(second)) {
                std::cmp::Ordering::Greater => Some(first),
                std::cmp::Ordering::Less => Some(second),
                std::cmp::Ordering::Equal => None,
            }
        }
        (Some(_), _) => None,
    }
}

fn loudness(style: Style) -> u8 {
    let attrs = [Attrs::INVERSE, Attrs::UNDERLINE, Attrs::BOLD];
    let mut loud = attrs.iter().filter(|bit| style.attrs.has(**bit)).count() as u8;
    loud += u8::from(style.bg != Color::Default);
    loud + u8::from(matches!(style.fg, Color::Indexed(1..=6 | 9..=14 | 16..=231)))
}
