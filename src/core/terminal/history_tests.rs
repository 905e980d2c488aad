//! Scrollback against a screen that was wide enough never to wrap.

use super::*;
use crate::core::terminal::grid::{Attrs, Cell, Color, Size};
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;
use proptest::prelude::*;

fn row(text: &str, cols: usize, wrapped: bool) -> Row {
    let mut cells: Vec<Cell> = text.chars().map(|ch| Cell { ch, ..Cell::default() }).collect();
    cells.resize(cols, Cell::default());
    Row { cells, wrapped }
}

fn texts(lines: &[Line]) -> Vec<String> {
    lines.iter().map(Line::text).collect()
}

#[test]
fn wrapped_rows_are_one_line_and_keep_their_blanks() {
    let mut history = History::new(10);
    history.push(&[row("one  ", 5, true), row("two", 5, false), row("three", 5, false)]);
    assert_eq!(history.text(0), ["one  two", "three"]);
    assert_eq!(texts(&history.lines(0, 9, 4)), ["one", " two", "thre", "e"]);
    assert_eq!(history.lines(0, 1, 4).iter().map(|l| l.wrapped).collect::<Vec<_>>(), [true, false]);
    assert_eq!(history.lines(1, 1, 80).len(), 1);
}

/// Five million lines were allowed to a program whose whole output is wanted, and nothing bounded how long each was.
#[test]
fn what_is_kept_is_bounded_in_bytes_too() {
    let mut history = History::new(5_000_000);
    let long = row(&"x".repeat(60_000), 60_000, false);
    for _ in 0..800 {
        history.push(std::slice::from_ref(&long));
    }
    assert_eq!(history.end(), 800);
    let kept: usize = history.text(0).iter().map(String::len).sum();
    assert!((MAX_BYTES - 100_000..=MAX_BYTES).contains(&kept), "{kept}");
    assert_eq!(history.first() as usize, 800 - kept / 60_000);
    history.forget();
    assert_eq!((history.bytes, history.first()), (0, 800));
}

#[test]
fn a_line_goes_on_in_the_next_push() {
    let mut history = History::new(10);
    history.push(&[row("abc", 3, true)]);
    assert!(history.open_line());
    assert_eq!((history.end(), history.text(0)), (1, vec!["abc".to_owned()]));
    history.push(&[row("def", 3, false)]);
    assert!(!history.open_line());
    assert_eq!((history.end(), history.text(0)), (1, vec!["abcdef".to_owned()]));
}

#[test]
fn numbers_stay_when_lines_are_dropped_or_forgotten() {
    let mut history = History::new(3);
    for n in 0..8 {
        history.push(&[row(&n.to_string(), 4, false)]);
    }
    assert_eq!((history.first(), history.end()), (5, 8));
    assert_eq!(history.text(6), ["6", "7"]);
    assert_eq!(history.text(0), ["5", "6", "7"]);
    assert_eq!(history.text(99), Vec::<String>::new());
    history.forget();
    assert_eq!((history.first(), history.end(), history.text(0).len()), (8, 8, 0));
    history.push(&[row("new", 4, false)]);
    assert_eq!((history.end(), history.text(8)), (9, vec!["new".to_owned()]));
}

#[test]
fn a_program_that_never_ends_its_line_is_bounded() {
    let mut history = History::new(4);
    let wide = row(&"x".repeat(1000), 1000, true);
    for _ in 0..2000 {
        history.push(std::slice::from_ref(&wide));
    }
    assert!(history.text(0).iter().map(String::len).sum::<usize>() <= 5 * (LONGEST + 1000));
    assert_eq!(history.end() - history.first(), 4);
}

#[test]
fn an_empty_line_is_a_line_and_styles_survive() {
    let mut history = History::new(9);
    let mut styled = row("red plain", 12, false);
    for cell in &mut styled.cells[..3] {
        cell.style = Style { fg: Color::Indexed(1), attrs: Attrs::BOLD, ..Style::default() };
    }
    history.push(&[row("", 12, false), styled.clone()]);
    assert_eq!(history.text(0), ["", "red plain"]);
    let lines = history.lines(0, 9, 12);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1].to_row(12), styled);
}

#[test]
fn a_plain_line_costs_its_text_and_little_more() {
    let mut line = Growing::default();
    line.push(&row("a line of the usual length, without colours", 120, false));
    let stored = line.finish();
    assert!(stored.spans.is_empty());
    assert!(std::mem::size_of::<Stored>() <= 32 && std::mem::size_of::<Span>() <= 20);
}

proptest! {
    /// What scrolled off a narrow screen is, wrapped wide, what a wide screen shows.
    #[test]
    fn wrapping_undoes_wrapping(
        lines in prop::collection::vec("([a-zé][a-z漢é]{0,12} {1,3}){0,5}[a-z]漢{0,9}", 1..12), narrow in 2u16..20
    ) {
        let mut screen = Screen::new(Size::new(narrow, 2), TerminalIdentity::default());
        let mut history = History::new(1000);
        let text = lines.iter().map(|line| format!("{line}\r\n")).collect::<String>();
        history.push(&screen.feed(text.as_bytes()).scrolled);
        // Everything but the two last rows has scrolled off.
        history.push(&screen.feed(b"\r\n\r\n\r\n").scrolled);
        let seen = texts(&history.lines(0, u64::MAX, 200));
        prop_assert_eq!(&seen[..lines.len()], &lines[..]);
        for line in history.lines(0, u64::MAX, narrow) {
            let columns: usize = line.runs.iter().map(|run| run.text.chars().count() * usize::from(run.width)).sum();
            prop_assert!(columns <= usize::from(narrow));
        }
    }
}
