//! Rows without numbers: the marked one and its neighbours in the same column.
//!
//! `detect/menu.rs` comes here with a marked row. Between the rows of some libraries stand lines that the keys pass over, and
//! rows that cannot be chosen, on some of which the highlight stops. None of these is offered to anybody.

use super::item::{self, Direction, Item};
use super::menu_rows::{Menu, any, finish, passing};
use super::page::{Line, Page, Rule, faint};
use super::wrap_join;
use crate::core::profile::MenuRule;
use crate::core::terminal::grid::Attrs;

/// Lines that a question takes at most above a list with headings.
const QUESTION_LINES: usize = 3;

/// Where a list stands.
struct List {
    /// The row with the mark.
    row: usize,
    /// A row that can be chosen: the one with the mark, or else one of its neighbours.
    like: Item,
    /// The marked row cannot be chosen.
    passing: bool,
    /// There may be headings among the rows.
    headings: bool,
}

/// The list around a marked row.
pub fn plain_menu(page: &Page, rule: &MenuRule, marked: Item) -> Option<Menu> {
    let alone = List { row: marked.row, like: marked, passing: false, headings: false };
    if !rule.passes {
        return list(page, rule, &alone);
    }
    let other = row_unlike(page, rule, &alone.like);
    let passing = other.is_some();
    let whole =
        List { row: alone.row, like: other.unwrap_or_else(|| alone.like.clone()), passing, headings: true };
    // What stands between rows belongs to one list only where the question right above it tells so.
    let told = |menu: &Menu| !passing && menu.passed.is_empty() || is_headed(page, rule, menu);
    list(page, rule, &whole).filter(told).or_else(|| list(page, rule, &alone))
}

fn list(page: &Page, rule: &MenuRule, list: &List) -> Option<Menu> {
    let mut items = neighbours(page, rule, list, Direction::Up);
    items.reverse();
    let before = items.len();
    if !list.passing {
        items.push(list.like.clone());
    }
    items.extend(neighbours(page, rule, list, Direction::Down));
    // One row alone is a prompt or a quotation.
    if items.len() + usize::from(list.passing) < 2 {
        return None;
    }
    let (first, last) = (items.first()?.row, items.last()?.row);
    let passing = list.passing.then(|| passing(before, list.row, first));
    let none = |at: &usize| {
        let line = &page.lines[*at];
        is_disabled(rule, line) || list.headings && is_heading(line, *at, rule, &list.like)
    };
    let passed = (first..last).filter(|at| items.iter().all(|item| item.row != *at)).filter(none).collect();
    let selected = if list.passing { None } else { Some(before) };
    let menu = finish(page, rule, items, selected, false)?;
    Some(Menu { passed, passing, ..menu })
}

/// Whether a row cannot be chosen: a profile knows it by its words, or it is faint and struck through or behind a dash.
pub fn is_disabled(rule: &MenuRule, line: &Line) -> bool {
    let struck =
        || line.ink_before(line.text.len()).is_some_and(|ink| ink.attrs.has(Attrs::STRIKE) && faint(ink));
    let dashed = || line.text.starts_with("- ") && line.inks(0).all(faint);
    any(&rule.disabled, &line.text) || rule.passes && (struck() || dashed())
}

/// The first line of a list, of a row that cannot be chosen perhaps: there it stands, wherever its highlight is.
pub fn first_line(page: &Page, rule: &MenuRule, menu: &Menu) -> usize {
    let first = menu.first_row();
    let lit = menu.passing.and_then(|at| first.checked_add_signed(isize::try_from(at.line).ok()?));
    let of_list = |row: &usize| Some(*row) == lit || is_disabled(rule, &page.lines[*row]);
    (0..first).rev().take_while(of_list).last().unwrap_or(first)
}

/// Whether a line among rows is a heading or a rule: it begins right of the mark and left of the labels, or is drawn there.
fn is_heading(line: &Line, row: usize, rule: &MenuRule, like: &Item) -> bool {
    let Some(mark) = like.marker else { return false };
    if line.rule.is_some() {
        return line.start > mark && is_rule_of(line, like);
    }
    let boxed = || item::read(row, line, rule).is_some_and(|item| item.ticked.is_some());
    line.start > mark && line.start < like.label && !boxed()
}

/// Whether a line is a rule between the rows of a list.
pub fn is_rule_of(line: &Line, like: &Item) -> bool {
    let from = like.marker.unwrap_or(like.head);
    line.rule == Some(Rule::Across) && line.start > from && line.start <= like.label
}

/// Whether the line that asks stands right above a list.
fn is_headed(page: &Page, rule: &MenuRule, menu: &Menu) -> bool {
    let among = |row: &usize| page.lines[*row].start > 0 || page.lines[*row].rule.is_some();
    let above = (0..first_line(page, rule, menu)).rev().skip_while(among);
    let mut asked = above.take(QUESTION_LINES).take_while(|row| !page.lines[*row].blank());
    asked.any(|row| page.text(row).starts_with(['?', '◆']))
}

/// Of a faint marked row among brighter ones, which cannot be chosen: one of the others.
fn row_unlike(page: &Page, rule: &MenuRule, marked: &Item) -> Option<Item> {
    let line = |row: usize| &page.lines[row];
    if !line(marked.row).inks(0).all(faint) {
        return None;
    }
    let right = |row: usize| line(row).start > marked.marker.unwrap_or(0) || is_disabled(rule, line(row));
    let near = |row: &usize| !line(*row).blank() && right(*row);
    let below = (marked.row + 1..page.lines.len()).take_while(near);
    let above = (0..marked.row).rev().take_while(near);
    let rows: Vec<Item> = below
        .chain(above)
        .filter(|row| !line(*row).inks(0).all(faint))
        .filter_map(|row| item::read(row, line(row), rule))
        .collect();
    let boxed = rows.iter().find(|item| item.ticked.is_some());
    let like = boxed.or_else(|| rows.iter().find(|item| item.label == marked.label))?;
    Some(Item { marker: marked.marker, ..like.clone() })
}

/// The rows above or below a marked one, nearest first.
fn neighbours(page: &Page, rule: &MenuRule, list: &List, direction: Direction) -> Vec<Item> {
    let marked = &list.like;
    let rows: Vec<usize> = match direction {
        Direction::Up => (0..list.row).rev().collect(),
        Direction::Down => (list.row + 1..page.lines.len()).collect(),
    };
    let (mut items, mut blanks) = (Vec::new(), 0);
    for row in rows {
        let line = &page.lines[row];
        if line.blank() && line.rule.is_none() {
            // Rows with descriptions may stand apart; where no line names the keys, nothing tells
            // such rows from other text; nor at the left edge, where a person's messages stand.
            blanks += 1;
            if blanks > 1 || rule.owns_cursor || rule.hints.is_empty() || marked.marker == Some(0) {
                break;
            }
            continue;
        }
        if rule.skip.iter().any(|pattern| pattern.is_match(&line.text)) {
            break;
        }
        if is_disabled(rule, line) || list.headings && is_heading(line, row, rule, marked) {
            continue;
        }
        let Some(item) = sibling(line, row, rule, marked) else {
            // Words of the row above that did not fit there may start left of the rows.
            let carried =
                row > 0 && !page.lines[row - 1].blank() && wrap_join::wraps(&page.lines[row - 1], line);
            if carried && line.rule.is_none() {
                continue;
            }
            break;
        };
        if item.label != marked.label || (blanks > 0 && line.start != marked.label) {
            if blanks > 0 {
                break;
            }
            continue;
        }
        blanks = 0;
        // Words in a fainter style are the description of the row above, unless they have a ring of their own
        // or are the row that takes words.
        let described = line.ink_at(item.label_byte).is_some_and(faint)
            && !page.lines[marked.row].inks(0).any(faint)
            && item::radio(line, rule).is_none()
            && !any(&rule.free_text, line.text[item.label_byte..].trim());
        if !described {
            items.push(item);
        }
    }
    items
}

/// A line as another row of the marked row's menu.
fn sibling(line: &Line, row: usize, rule: &MenuRule, marked: &Item) -> Option<Item> {
    let mut item = item::read(row, line, rule)?;
    // Among rows without numbers a number is a part of the label.
    if marked.number.is_none() && item.number.is_some() && item.unnumbered.0 == marked.label {
        item = item.unnumber();
    }
    // What stands in the column of the labels, right of the mark's, is a letter of its label: "> Custom".
    let bare = marked.number.is_none() && marked.ticked.is_none();
    if bare && marked.marker < Some(marked.label) && item.marker == Some(marked.label) {
        (item.marker, item.number, item.ticked) = (None, None, None);
        (item.head, item.label, item.label_byte) = (marked.label, marked.label, 0);
    }
    // Of a row of rings the filled one is the marker and the others are empty.
    if marked.ticked.is_none() && Some(item.head) == marked.marker && item.ticked == Some(false) {
        (item.ticked, item.head) = (None, item.label);
    }
    let other_list = item.marker.is_some() || item.number.is_some();
    let left = item.head < marked.label.min(marked.head);
    let unlike = item.label == marked.label && item.ticked.is_some() != marked.ticked.is_some();
    (!other_list && !left && !unlike).then_some(item)
}

#[cfg(test)]
mod tests {
    use crate::core::detect::tests::question;
    use crate::core::question::{Passing, Question};

    /// The rows of `@inquirer/prompts`, `inquirer` and `enquirer`; `at`: the highlighted one of the list.
    fn list(rows: &[&str], at: usize) -> Question {
        let mut lines = vec!["\x1b[?25l? Which one?".to_owned()];
        for (row, text) in rows.iter().enumerate() {
            lines.push(match (row == at, text.strip_prefix("- ")) {
                (true, Some(out)) => format!("\x1b[2m❯ {out}\x1b[m"),
                (true, None) => format!("\x1b[36m❯ {}\x1b[m", text.trim_start()),
                (false, Some(_)) => format!("\x1b[2m{text}\x1b[m"),
                (false, None) => (*text).to_owned(),
            });
        }
        lines.extend([String::new(), "↑↓ navigate • ⏎ select".to_owned()]);
        question("generic", &lines.iter().map(String::as_str).collect::<Vec<_>>())
    }

    const ROWS: [&str; 8] = [
        "  npm",
        " ──────────────",
        "- yarn sold out",
        "  pnpm",
        " -- other --",
        "  bun",
        "- deno (disabled)",
        "  nub",
    ];

    /// The list ended at its first rule or heading, and became a dialog without rows, about the line above its keys.
    #[test]
    fn headings_and_rows_that_cannot_be_chosen_are_passed_over() {
        for (at, selected) in [(0, 0), (3, 1), (5, 2), (7, 3)] {
            let asked = list(&ROWS, at);
            assert_eq!(asked.prompt, "Which one?");
            assert_eq!(asked.labels(), ["npm", "pnpm", "bun", "nub"], "{at}");
            assert_eq!((asked.selected, asked.origin.passing), (Some(selected), None));
            assert!(asked.options.iter().all(|row| row.description.is_empty()), "{asked:?}");
        }
        let first = list(&[" == fast ==", "  npm", "  pnpm", "  ──────────────", "  bun"], 1);
        assert_eq!((first.prompt.as_str(), first.labels()), ("Which one?", vec!["npm", "pnpm", "bun"]));
    }

    /// The highlight stops there, and an answer was given up: "other rows of its list came into view".
    #[test]
    fn a_highlight_on_such_a_row_leaves_the_question_what_it_was() {
        for (at, passing) in [(2, Passing { before: 1, line: 2 }), (6, Passing { before: 3, line: 6 })] {
            let asked = list(&ROWS, at);
            assert_eq!(asked.fingerprint(), list(&ROWS, 0).fingerprint(), "{asked:?}");
            assert_eq!((asked.selected, asked.origin.passing), (None, Some(passing)));
        }
        let among = list(&["  npm", "- a (disabled)", "- b (disabled)", "- c (disabled)", "  bun"], 2);
        assert_eq!(
            (among.labels(), among.origin.passing),
            (vec!["npm", "bun"], Some(Passing { before: 1, line: 2 }))
        );
        let first = list(&["- yarn sold out", "  npm", "  bun"], 0);
        assert_eq!(first.labels(), ["npm", "bun"]);
        assert_eq!(first.origin.passing, Some(Passing { before: 0, line: -1 }));
        assert_eq!(first.prompt, "Which one?");
    }

    #[test]
    fn no_line_is_a_heading_where_no_question_stands_right_above() {
        let asked = question("generic", &["\x1b[?25lDone?", "  one", " Pick one:", "› red", "  green"]);
        assert_eq!(asked.labels(), ["red", "green"]);
        let asked = question("generic", &["\x1b[?25lWhich one?", "\x1b[2m❯ red", "  green\x1b[m"]);
        assert_eq!((asked.labels(), asked.selected), (vec!["red", "green"], Some(0)), "all are faint");
    }

    /// A row that begins with a mark of its own ended the list, and was told as the description of the one above.
    #[test]
    fn a_label_may_begin_with_a_mark() {
        let asked = list(&["  npm", "  > custom", "  › other", "  bun"], 0);
        assert_eq!(asked.labels(), ["npm", "> custom", "› other", "bun"]);
        assert_eq!(list(&["  npm", "  > custom", "  bun"], 1).selected, Some(1));
    }

    /// `checkbox` of `@inquirer/prompts`; `multiselect` of `prompts`, which tells its rows apart by colour alone.
    #[test]
    fn boxes_that_cannot_be_ticked_are_passed_over() {
        for (mark, rest) in [
            ("\x1b[36m❯◯ npm\x1b[m", "\x1b[2m - yarn sold out\x1b[m"),
            (" ◯ npm", "\x1b[2m❯- yarn sold out\x1b[m"),
        ] {
            let lines = [
                "\x1b[?25l? Which ones?",
                mark,
                " ──────────────",
                rest,
                " ◯ pnpm",
                " -- other --",
                " ◯ bun",
                "",
                "space select",
            ];
            let asked = question("generic", &lines);
            assert_eq!((asked.labels(), asked.partial), (vec!["npm", "pnpm", "bun"], false), "{asked:?}");
            assert_eq!(asked.selected.is_some(), asked.origin.passing.is_none());
        }
        let struck = "◯   \x1b[9;90myarn\x1b[m";
        for (first, second) in [("◯   \x1b[36;4mnpm\x1b[m", struck), ("◯   npm", "◯   \x1b[90;4myarn\x1b[m")]
        {
            let lines = [
                "\x1b[?25l? Which ones? ›",
                "a: Toggle all",
                "enter: Complete answer",
                first,
                second,
                "◯   pnpm",
                "◯   bun",
            ];
            let asked = question("generic", &lines);
            assert_eq!((asked.labels(), asked.partial), (vec!["npm", "pnpm", "bun"], false), "{asked:?}");
            assert_eq!(asked.selected.is_some(), asked.origin.passing.is_none());
        }
    }
}
