//! Menus that say they are moved in by other keys than arrows: `j/k to move`, `1-3 to choose`.
//!
//! A program that knows no arrows takes the first byte of one for Escape, which cancels most of them. `reading.rs` asks for
//! menus of programs that no profile describes; such a one is answered in its pane.

use std::sync::LazyLock;

use regex::Regex;

use super::page::Page;
use crate::core::question::{Kind, Question, Widget};

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant that a test compiles")
}

/// Letters or digits that move or choose.
static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:j ?/ ?k|k ?/ ?j)\b|\b\d{1,2} ?[-–] ?\d{1,2}\b[):,]? ?(?:to )?(?:choose|select|pick|move|jump)\b",
    )
});
/// Arrows, drawn or named.
static ARROWS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)[↑↓⇅↕▲▼⬆⬇]|\barrows?\b|\bup ?(?:/|and|or|,) ?down\b|\bcursor keys\b"));
/// Lines at the bottom in which keys are named.
const FOOT_LINES: usize = 6;

/// Leaves a menu that names other keys, and no arrows, without rows to choose.
pub fn weigh(page: &Page, question: &mut Question) {
    let origin = &question.origin;
    if question.options.is_empty() || origin.line || origin.widget != Widget::Rows {
        return;
    }
    let row = |line: &str| question.options.iter().any(|choice| line.contains(&choice.label));
    let lines = (0..page.lines.len()).rev().map(|at| page.text(at)).filter(|line| !line.trim().is_empty());
    let foot: Vec<&str> = lines.take(FOOT_LINES).filter(|line| !row(line)).collect();
    let named = |keys: &Regex| keys.is_match(&question.prompt) || foot.iter().any(|line| keys.is_match(line));
    if named(&OTHERS) && !named(&ARROWS) {
        question.kind = Kind::Dialog;
        question.options.clear();
        (question.selected, question.multi) = (None, false);
    }
}

#[cfg(test)]
mod tests {
    use crate::core::detect::tests::question;
    use crate::core::question::Kind;

    /// An arrow's Escape cancelled the program, on a consultant's word.
    #[test]
    fn a_menu_that_names_other_keys_is_answered_in_its_pane() {
        for (foot, rows) in [
            ("(j/k to move, enter to select, esc to cancel)", 0),
            ("(1-3 to choose, enter to confirm)", 0),
            ("j/k or ↑/↓ to move, enter to select", 3),
            ("(Use arrow keys, enter to select)", 3),
            ("up/down or j/k to move, enter to select", 3),
        ] {
            let asked = question("generic", &["Which color?", "❯ red", "  green", "  blue", "", foot]);
            assert_eq!(
                (asked.options.len(), asked.kind == Kind::Dialog),
                (rows, rows == 0),
                "{foot}: {asked:?}"
            );
        }
        let ranges = question("generic", &["Which pages, 1-3 or 4-6?", "❯ 1-3 pages", "  4-6 pages"]);
        assert_eq!(ranges.options.len(), 2);
    }
}
