//! Menus of which a part is scrolled or cut out of view: how that shows.
//!
//! `detect/menu.rs`, `detect/block.rs` and `detect/dialog.rs` ask; nothing here guesses what the hidden rows say, nor reads
//! a row.

use unicode_width::UnicodeWidthStr;

use super::item::{Direction, Item, SQUEEZE};
use super::page::{Line, Page};
use crate::core::question::Question;
use crate::core::terminal::grid::{Grid, Row};

/// Whether all above a row is the description of rows scrolled out of view.
pub fn runs_up(page: &Page, first: &Item) -> bool {
    let deeper = |line: &Line| !line.blank() && line.rule.is_none() && line.start + SQUEEZE >= first.head;
    first.arrow || page.lines[..first.row].iter().all(deeper)
}

/// An arrow or a "more" notice in the line next to the list.
pub fn arrow_near(page: &Page, row: usize, direction: Direction) -> bool {
    let rows: Vec<usize> = match direction {
        Direction::Up => (row.saturating_sub(2)..row).collect(),
        Direction::Down => (row..(row + 3).min(page.lines.len())).collect(),
    };
    rows.into_iter().any(|row| is_scroll_mark(page.text(row)))
}

/// Whether rows of a list may follow below it. A notice there that points up ("↑ 5 more lines") tells of what is above.
pub fn goes_on_below(page: &Page, after: usize) -> bool {
    let above = |text: &str| text.starts_with(['↑', '▲']) && text.contains("more");
    let marks = (after..(after + 3).min(page.lines.len())).map(|row| page.text(row));
    marks.filter(|text| !above(text)).any(is_scroll_mark)
}

/// Columns at the right edge of which a row that was cut off there leaves none free, or one where a blank stood.
const EDGE: usize = 1;
/// The same where three points say that it was cut off.
const EDGE_OF_POINTS: usize = 4;

/// Whether the end of a row whose last line this is may be out of view: some libraries cut off what does not fit, without a
/// sign.
pub fn at_the_edge(line: &Line) -> bool {
    let room = line.inner.1.saturating_sub(line.end);
    let points = line.text.ends_with('…') || line.text.ends_with("...");
    !line.wrapped && (room <= EDGE || points && room <= EDGE_OF_POINTS)
}

/// Whether its program counts fewer columns for a glyph than the terminal has for it, from this row on: the right edge of a frame
/// was carried over into a row of its own, and what looks like the end of a list is none, or a picture lost its second half.
pub fn is_torn(page: &Page, from: usize) -> bool {
    let carried_over = |pair: &[Line]| {
        let [row, next] = pair else { return false };
        row.wrapped
            && row.frame.left.is_some()
            && !row.frame.closed
            && next.frame.left.is_some()
            && next.blank()
    };
    let lines = page.lines.get(from..).unwrap_or_default();
    lines.windows(2).any(carried_over) || lines.iter().any(|line| has_half_a_picture(&line.text))
}

/// Whether a joiner behind a picture joins it to nothing.
fn has_half_a_picture(text: &str) -> bool {
    const PICTURES: char = '\u{2190}';
    text.match_indices('\u{200d}').any(|(at, joiner)| {
        let before = text[..at].trim_end_matches('\u{fe0f}').chars().next_back();
        let after = text[at + joiner.len()..].chars().next();
        before.is_some_and(|before| before >= PICTURES) && after.is_none_or(|after| after < PICTURES)
    })
}

/// Characters of a label that tell it from any other of its dialog.
const TELLING: usize = 24;

/// Gives a row the label back that it had a moment ago, where the same dialog shows all of it but its end, at the right edge of
/// the screen: on a narrow terminal Claude Code 2.1.150 cuts the last letter of a row while that is highlighted.
pub fn restore_labels(before: &Question, now: &mut Question, grid: &Grid) {
    let same = before.kind == now.kind
        && before.prompt == now.prompt
        && before.subject == now.subject
        && before.options.len() == now.options.len();
    if !same {
        return;
    }
    let cols = usize::from(grid.cols());
    let at_the_edge = |label: &str| {
        let rows = grid.rows.iter().map(Row::text);
        rows.into_iter().any(|row| {
            let row = row.trim_end();
            row.ends_with(label) && row.width() + EDGE >= cols
        })
    };
    for (before, now) in before.options.iter().zip(&mut now.options) {
        let begins = before.label != now.label && before.label.starts_with(&now.label);
        if begins && now.label.chars().count() >= TELLING && at_the_edge(&now.label) {
            now.label.clone_from(&before.label);
        }
    }
}

pub fn is_scroll_mark(text: &str) -> bool {
    matches!(text, "▲" | "▼" | "↑" | "↓" | "⋮" | "…" | "...")
        || (text.starts_with(['↑', '↓', '▲', '▼', '…']) && text.contains("more"))
        || text.strip_prefix("… +").is_some_and(|rest| rest.starts_with(|ch: char| ch.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::question::{Choice, Kind};
    use crate::core::terminal::grid::Size;
    use crate::core::terminal::query_replies::TerminalIdentity;
    use crate::core::terminal::screen::Screen;

    fn asks(label: &str) -> Question {
        let row = |label: &str| Choice { label: label.into(), ..Choice::default() };
        Question {
            options: vec![row("Yes"), row(label), row("No")],
            ..Question::new(Kind::Permission, "Do you want to proceed?")
        }
    }

    /// Gemini CLI counts two columns for an emoji of several characters. Where the terminal has more, three options were told as one.
    #[test]
    fn a_frame_whose_edge_is_carried_over_is_torn() {
        let torn = |middle: &str| {
            let mut screen = Screen::new(Size::new(20, 4), TerminalIdentity::default());
            screen.feed(format!("╭──────────────────╮\r\n{middle}╰──────────────────╯").as_bytes());
            is_torn(&crate::core::detect::line_cache::page(screen.grid()), 0)
        };
        assert!(torn("│ ● 1. 👍🏽🏽 Ship it  │\r\n"));
        assert!(!torn("│ ● 1. 👍🏽 Ship it  │\r\n"));
        assert!(!torn("│ ● 1. 👍 Ship it  │\r\n"));
        assert!(!torn("│ ● 1. Ship it     │\r\n│                  │\r\n"));
    }

    #[test]
    fn half_a_picture_is_told_from_a_whole_one() {
        for (text, half) in [
            ("🧑\u{200d} Improve", true),
            ("🏳\u{fe0f}\u{200d}", true),
            ("🧑\u{200d}💻 Improve", false),
            ("🏳\u{fe0f}\u{200d}🌈 🏃\u{200d}♂", false),
            ("ক\u{200d}ষ a\u{200d}b", false),
        ] {
            assert_eq!(has_half_a_picture(text), half, "{text:?}");
        }
    }

    /// "No" was to be chosen: with the highlight on the row between, its last letter was cut, which was another question, and the
    /// highlight stayed on "always".
    #[test]
    fn a_label_that_loses_its_end_at_the_edge_is_the_label_it_was() {
        const WHOLE: &str = "Yes, and always allow access to build/ from this project";
        let restored = |row: &str, label: &str, cols: u16| {
            let mut screen = Screen::new(Size::new(cols, 4), TerminalIdentity::default());
            screen.feed(row.as_bytes());
            let mut now = asks(label);
            restore_labels(&asks(WHOLE), &mut now, screen.grid());
            now.options[1].label == WHOLE
        };
        let cut = &WHOLE[..WHOLE.len() - 1];
        assert!(restored(&format!(" ❯2.{cut}"), cut, 60));
        assert!(!restored(&format!(" ❯2.{cut}"), cut, 70), "it has room for its end");
        assert!(
            !restored(" ❯ 2. Yes, and always allow", "Yes, and always allow", 28),
            "too little is left of it"
        );
        let other = "Yes, and always allow access to build/ from this machin";
        assert!(!restored(&format!(" ❯2.{other}"), other, 60), "it is another");
    }
}
