//! Signs that the rows of a menu can be ticked, or that there are more of them, in ways nobody described: boxes of other glyphs, a
//! row beside the list that is not understood, a page or a count in the words.
//!
//! `detect/dialog.rs` asks, for programs that nobody described. A sign too many costs a person a look; one too few sends ticks
//! that nobody saw. Pure.

use std::sync::LazyLock;

use super::item;
use super::menu::Menu;
use super::page::{Line, Page};
use crate::core::pattern::Pattern;
use crate::core::profile::MenuRule;
use crate::core::question::{Choice, Role};

/// A box in front of a label: a glyph or a blank between brackets.
static BRACKETED: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::constant(r"^(\[.?\]|\(.?\)|<.?>|\{.?\}|⟨.?⟩|[01ynYN](?: |$))"));

/// Words that tell of pages.
static PAGES: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::constant(
        r"(?i)\bpages? ?\d+ ?(?:/|of) ?\d+|\b(?:next|prev(?:ious)?) pages?\b|\bpg ?(?:up|dn|down)\b|\bpage ?(?:up|down)\b",
    )
});

/// "1 of 6", "(2/9)".
static COUNTED: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(r"\b\d{1,4} ?(?:/|of) ?(\d{1,4})\b"));

/// Words that libraries have been told to draw for a box.
const STATES: [&str; 6] = ["on", "off", "yes", "no", "true", "false"];

/// Whether each of these labels begins with what may be a box: one of at most two signs, the same for all that are ticked.
/// `several`: they are asked for more than one.
pub fn may_be_boxes(choices: &[Choice], several: bool) -> bool {
    let labels = || choices.iter().filter(|choice| choice.role == Role::Choice).map(|choice| &choice.label);
    if labels().count() > 2 && labels().all(|label| STATES.contains(&label.to_lowercase().as_str())) {
        return true;
    }
    let labels = labels();
    let Some(mut signs) = labels.map(|label| sign(label)).collect::<Option<Vec<&str>>>() else {
        return false;
    };
    let (rows, bracketed) = (signs.len(), signs.iter().all(|sign| sign.len() > 1 && sign.is_ascii()));
    signs.sort_unstable();
    signs.dedup();
    // One sign before every row is as often as not how a list is drawn.
    rows > 1 && (signs.len() == 2 || signs.len() == 1 && (bracketed || several))
}

fn sign(label: &str) -> Option<&str> {
    if let Some(found) = BRACKETED.capture(label) {
        return Some(found);
    }
    let first = label.chars().next().filter(|ch| is_figure(*ch))?;
    Some(&label[..first.len_utf8()])
}

/// Shapes, stars, ticks and crosses; pictures of things tell rows apart.
fn is_figure(ch: char) -> bool {
    matches!(ch, '\u{2300}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '🔘' | '🗹' | '🗸' | '🗷' | '+' | '-' | '=' | '~')
}

/// Whether among rows with boxes, or right above or below them, a line stands in their column that begins with a sign as well,
/// and is none of them.
pub fn goes_on_beside(page: &Page, rule: &MenuRule, menu: &Menu) -> bool {
    let Some(first) = menu.items.first() else { return false };
    let columns = first.marker.unwrap_or(first.head)..=first.label;
    let alike =
        |line: &Line| columns.contains(&line.start) && !line.text.ends_with(['?', ':']) && signed(&line.text);
    let (from, to) = (menu.first_row().saturating_sub(1), (menu.after + 1).min(page.lines.len()));
    // What cannot be chosen may be ticked all the same, and goes along.
    let empty = |row: usize| {
        let bare = page.text(row).trim_start_matches(|ch| rule.markers.contains(ch)).trim_start();
        let line = page.lines[row].rule.is_some() || bare.starts_with('-');
        line || item::read(row, &page.lines[row], rule).is_some_and(|item| item.ticked == Some(false))
    };
    let passed = |row: usize| menu.passed.contains(&row) && empty(row);
    let own = |row: usize| menu.items.iter().any(|item| item.row == row) || passed(row);
    (from..to).any(|row| !own(row) && alike(&page.lines[row]))
}

fn signed(text: &str) -> bool {
    let bare = text.trim_start_matches(|ch: char| is_figure(ch) || ch == '>' || ch == ' ');
    sign(text).is_some() || sign(bare).is_some()
}

/// Whether the words around so many rows tell of others.
pub fn tells_of_more<'a>(mut lines: impl Iterator<Item = &'a str>, rows: usize) -> bool {
    lines.any(|line| {
        let counted = COUNTED.captures(line).and_then(|found| found[1].parse::<usize>().ok());
        PAGES.is_match(line) || counted.is_some_and(|all| all > rows)
    })
}

#[cfg(test)]
mod tests {
    use crate::core::detect::tests::question;
    use crate::core::question::{Kind, Question};

    fn list(head: &str, rows: &[&str]) -> Question {
        let mut lines = vec!["Set up.".to_owned(), String::new(), format!("\x1b[?25l{head}")];
        let marked = |(at, row): (usize, &&str)| {
            format!(
                "{} \x1b[{}m{row}\x1b[m",
                if at == 0 { '❯' } else { ' ' },
                if at == 0 { "36" } else { "" }
            )
        };
        lines.extend(rows.iter().enumerate().map(marked));
        question("generic", &lines.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Enter on "blue" sent the ticks that stood there, and the log had "blue".
    #[test]
    fn boxes_of_other_glyphs_are_nobodys_rows_to_choose() {
        for (on, off) in [
            ("<x> ", "< > "),
            ("✓ ", "✗ "),
            ("★ ", "☆ "),
            ("[x]", "[ ]"),
            ("[y] ", "[n] "),
            ("◆ ", "◇ "),
            ("▪ ", "▫ "),
            ("Y ", "N "),
            ("+ ", "- "),
            ("- ", "- "),
            ("on    ", "off   "),
            ("1 ", "0 "),
        ] {
            let rows = [format!("{off}red"), format!("{on}green"), format!("{off}blue")];
            let asked = list("Which colors?", &rows.iter().map(String::as_str).collect::<Vec<_>>());
            assert!(asked.origin.ticks_hidden || asked.partial, "{on}{off}: {asked:?}");
        }
        for rows in [
            ["red", "green", "blue"],
            ["(none)", "npm", "pnpm"],
            ["🔥 hot", "🌊 wet", "🌲 green"],
            ["v1.0", "v2.0", "v3.0"],
        ] {
            let asked = list("Which one?", &rows);
            assert!(!asked.origin.ticks_hidden && asked.kind == Kind::Menu, "{rows:?}");
        }
    }

    /// A ticked row with a box that nobody knows was left out, and what was ticked there was sent along.
    #[test]
    fn a_row_beside_a_checklist_that_is_not_understood_makes_it_a_part() {
        for on in ["[v] ", "(o) ", "[#] ", "🗹 ", "⏺ "] {
            let rows = ["◯ red".to_owned(), format!("{on}green"), "◯ blue".to_owned()];
            let asked = list("Which colors?", &rows.iter().map(String::as_str).collect::<Vec<_>>());
            assert!(asked.partial || asked.origin.ticks_hidden, "{on}: {asked:?}");
        }
        assert!(!list("Which colors?", &["◯ red", "◉ green", "◯ blue"]).partial);
    }

    /// A row that could not be unticked was sent along, and the log had the others.
    #[test]
    fn a_ticked_row_that_cannot_be_chosen_makes_it_a_part() {
        for (row, partial) in [
            ("\x1b[2m◎ green (disabled)\x1b[m", true),
            ("\x1b[2m◉ green (disabled)\x1b[m", true),
            ("\x1b[9;90m◉ green\x1b[m", true),
            ("\x1b[9;90m◯ green\x1b[m", false),
            ("\x1b[2m- green (disabled)\x1b[m", false),
        ] {
            let lines = [
                "\x1b[?25l? Which colors?",
                "\x1b[36m❯◯ red\x1b[m",
                &format!(" {row}"),
                " ◯ blue",
                "space select",
            ];
            assert_eq!(
                question("generic", &lines).partial,
                partial,
                "{row}: {:?}",
                question("generic", &lines)
            );
        }
    }

    #[test]
    fn a_page_or_a_count_tells_of_rows_out_of_view() {
        for head in
            ["Which colors? (page 1/2)", "Which colors? (1 of 6 chosen)", "Which colors? PgDn for more"]
        {
            assert!(list(head, &["◯ red", "◉ green", "◯ blue"]).partial, "{head}");
        }
        assert!(!list("Which colors? (1 of 3 chosen)", &["◯ red", "◉ green", "◯ blue"]).partial);
    }
}
