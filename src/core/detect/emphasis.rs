//! Whether the highlighted row of a menu stands out by more than a mark before it.
//!
//! `detect/dialog.rs` asks, for programs that nobody described: such a mark may stand for the value that is set, and what Enter
//! takes be another row, told by its colour or by the cursor. Pure.

use super::item::{self, Item};
use super::menu::Menu;
use super::page::{Page, faint};
use crate::core::profile::MenuRule;
use crate::core::terminal::grid::{Attrs, Color, Style};

/// Whether nothing but its place tells that the row is the highlighted one, or another stands out as well.
pub fn is_doubtful(page: &Page, rule: &MenuRule, menu: &Menu) -> bool {
    let Some(selected) = menu.selected else { return false };
    if is_cursor_elsewhere(page, menu, selected) || is_marked_elsewhere(page, rule, menu) {
        return true;
    }
    let style = |item: &Item| page.lines[item.row].ink_at(item.label_byte).unwrap_or_default();
    let ticked = |item: &Item| item.ticked == Some(true);
    let rest = menu.items.iter().enumerate().filter(|(at, item)| *at != selected && !ticked(item));
    let mut others = rest.map(|(_, item)| style(item));
    let (own, Some(other)) = (style(&menu.items[selected]), others.next()) else { return false };
    let alike = others.all(|style| style == other);
    let louder = is_loud(own) && !is_loud(other) || faint(other) && !faint(own);
    // Of two rows that both stand out, either may be meant; of many, the one that is unlike all the others.
    let unlike = own != other && menu.items.len() > 2;
    !(alike && (louder || unlike))
}

/// Whether a row of another list is marked: the keys may be that one's, and this one only be shown.
fn is_marked_elsewhere(page: &Page, rule: &MenuRule, menu: &Menu) -> bool {
    let own = menu.first_row()..menu.after;
    let marked =
        |row: usize| item::read(row, &page.lines[row], rule).is_some_and(|item| item.marker.is_some());
    (0..page.lines.len()).any(|row| !own.contains(&row) && marked(row))
}

/// Whether the visible cursor stands in another row.
fn is_cursor_elsewhere(page: &Page, menu: &Menu, selected: usize) -> bool {
    let row = page.cursor.0;
    let within = (menu.first_row()..menu.after).contains(&row);
    let owner = menu.items.iter().rposition(|item| item.row <= row);
    page.cursor_visible && within && owner != Some(selected)
}

/// Whether words of this style draw the eye: bold, underlined, on a ground of their own, or in a colour.
fn is_loud(style: Style) -> bool {
    let attrs = [Attrs::BOLD, Attrs::UNDERLINE, Attrs::INVERSE].iter().any(|attr| style.attrs.has(*attr));
    attrs || style.bg != Color::Default || (style.fg != Color::Default && !faint(style))
}

#[cfg(test)]
mod tests {
    use crate::core::detect::tests::question;

    /// Whether the mark of the second row of three is doubtful, where the rows are drawn in these styles.
    fn doubtful(styles: [&str; 3], end: &str) -> bool {
        let mut lines = vec!["\x1b[?25lWhich color?".to_owned()];
        for (at, (name, style)) in ["red", "green", "blue"].into_iter().zip(styles).enumerate() {
            lines.push(format!("{} \x1b[{style}m{name}\x1b[m", if at == 1 { '>' } else { ' ' }));
        }
        lines[3].push_str(end);
        let question = question("generic", &lines.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(question.selected, Some(1));
        question.origin.mark_doubtful
    }

    #[test]
    fn a_row_that_only_its_mark_tells_or_beside_which_another_stands_out_is_doubtful() {
        assert!(doubtful(["", "", ""], ""));
        for look in ["1", "36", "1;36", "4"] {
            assert!(doubtful([look, "", ""], ""), "{look}: the first may be the highlighted one");
            assert!(doubtful([look, "32", ""], ""), "{look}: both stand out");
            assert!(!doubtful(["", look, ""], ""), "{look}: as libraries draw it");
        }
        assert!(!doubtful(["36", "1;36", "36"], ""), "it alone is bold");
        assert!(doubtful(["", "36", ""], "\x1b[?25h"), "the cursor stands in the last row");
    }

    /// Of two rows in two looks either may be the highlighted one.
    #[test]
    fn of_two_rows_that_stand_out_either_may_be_meant() {
        let two = |first: &str, second: &str| {
            let rows = [format!("  \x1b[{first}mred\x1b[m"), format!("> \x1b[{second}mgreen\x1b[m")];
            question("generic", &["\x1b[?25lWhich color?", &rows[0], &rows[1]]).origin.mark_doubtful
        };
        assert!(two("1", "") && two("1", "36") && two("", ""));
        assert!(!two("", "36"));
        let rings = ["\x1b[?25l◆  Which color?", "│  ● green", "│  ○ \x1b[2mred\x1b[m", "└"];
        assert!(!question("generic", &rings).origin.mark_doubtful, "the other is dimmed");
    }
}
