//! Scrollback against a screen that was wide enough never to wrap.

use super::*;
use crate::core::terminal::grid::{Attrs, Color, Size, Style};
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;
use crate::core::terminal::scrolled::{LONGEST, Packer};
use proptest::prelude::*;

/// Rows that leave a screen one after the other; whether each wrapped.
fn rows(rows: &[(&str, bool)]) -> Scrolled {
    let mut packer = Packer::default();
    pack(&mut packer, rows)
}

fn pack(packer: &mut Packer, rows: &[(&str, bool)]) -> Scrolled {
    for (text, wrapped) in rows {
        packer.begin_row();
        packer.run(Style::default(), text.chars());
        packer.end_row(*wrapped);
    }
    packer.take()
}

fn texts(lines: &[Line]) -> Vec<String> {
    lines.iter().map(Line::text).collect()
}

#[test]
fn wrapped_rows_are_one_line_and_keep_their_blanks() {
    let mut history = History::new(10);
    history.push(&rows(&[("one  ", true), ("two", false), ("three", false)]));
    assert_eq!(history.text(0), ["one  two", "three"]);
    assert_eq!(texts(&history.lines(0, 9, 4)), ["one", " two", "thre", "e"]);
    assert_eq!(history.lines(0, 1, 4).iter().map(|l| l.wrapped).collect::<Vec<_>>(), [true, false]);
    assert_eq!(history.lines(1, 1, 80).len(), 1);
}

#[test]
fn a_line_goes_on_in_the_next_push() {
    let (mut history, mut packer) = (History::new(10), Packer::default());
    history.push(&pack(&mut packer, &[("abc", true)]));
    assert!(history.open_line());
    assert_eq!((history.end(), history.text(0)), (1, vec!["abc".to_owned()]));
    history.push(&pack(&mut packer, &[]));
    assert!(history.open_line());
    history.push(&pack(&mut packer, &[("def", true)]));
    history.push(&pack(&mut packer, &[("ghi", false), ("jkl", true)]));
    assert_eq!((history.end(), history.text(0)), (2, vec!["abcdefghi".to_owned(), "jkl".to_owned()]));
    assert!(history.open_line());
    history.push(&pack(&mut packer, &[("mno", false)]));
    assert!(!history.open_line());
    assert_eq!((history.end(), history.text(1)), (2, vec!["jklmno".to_owned()]));
}

/// A program that is started again has a fresh screen and its former history: its first line has nothing to do
/// with the last one of the life before.
#[test]
fn another_screen_does_not_go_on_with_the_last_line() {
    let mut history = History::new(10);
    history.push(&rows(&[("half a", true)]));
    history.push(&rows(&[("first", false)]));
    assert_eq!(history.text(0), ["half a", "first"]);
}

#[test]
fn numbers_stay_when_lines_are_dropped_or_forgotten() {
    let mut history = History::new(3);
    for n in 0..8 {
        history.push(&rows(&[(&n.to_string(), false)]));
    }
    assert_eq!((history.first(), history.end()), (5, 8));
    assert_eq!(history.dropped_for(), Some(Limit::Lines));
    assert_eq!(history.text(6), ["6", "7"]);
    assert_eq!(history.text(0), ["5", "6", "7"]);
    assert_eq!(history.text(99), Vec::<String>::new());
    history.forget();
    assert_eq!((history.first(), history.end(), history.text(0).len()), (8, 8, 0));
    history.push(&rows(&[("new", false)]));
    assert_eq!((history.end(), history.text(8)), (9, vec!["new".to_owned()]));
}

/// Lines that a program has its terminal forget are counted, and what it prints in the same breath is kept.
#[test]
fn what_comes_after_a_forgotten_history_stays() {
    let mut packer = Packer::default();
    let mut history = History::new(10);
    history.push(&pack(&mut packer, &[("one", false), ("two", true)]));
    packer.begin_row();
    packer.run(Style::default(), "of it".chars());
    packer.end_row(false);
    packer.forget();
    history.push(&pack(&mut packer, &[("three", false)]));
    assert_eq!((history.first(), history.end(), history.text(0)), (2, 3, vec!["three".to_owned()]));
}

#[test]
fn a_program_that_never_ends_its_line_is_bounded() {
    let (mut history, mut packer) = (History::new(4), Packer::default());
    let wide = "x".repeat(1000);
    for _ in 0..2000 {
        history.push(&pack(&mut packer, &[(&wide, true)]));
    }
    assert!(history.text(0).iter().map(String::len).sum::<usize>() <= 5 * (LONGEST + 1000));
    assert_eq!(history.end() - history.first(), 4);
}

#[test]
fn an_empty_line_is_a_line_and_styles_survive() {
    let (mut history, mut packer) = (History::new(9), Packer::default());
    let red = Style { fg: Color::Indexed(1), attrs: Attrs::BOLD, ..Style::default() };
    let sky = Style { bg: Color::Rgb(1, 200, 255), ..Style::default() };
    packer.blank_rows(1);
    packer.begin_row();
    packer.run(red, "red".chars());
    packer.run(Style::default(), " plain ".chars());
    packer.glyph('漢', std::iter::empty(), sky, true);
    packer.glyph('e', "\u{301}".chars(), sky, false);
    packer.run(Style::default(), "end".chars());
    packer.end_row(false);
    history.push(&packer.take());
    assert_eq!(history.text(0), ["", "red plain 漢e\u{301}end"]);
    let lines = history.lines(0, 9, 40);
    assert_eq!(lines.len(), 2);
    let run =
        |text: &str, style, width, cluster| Run { text: text.to_owned(), style, width, cluster, link: None };
    let plain = Style::default();
    let expected = [
        run("red", red, 1, false),
        run(" plain ", plain, 1, false),
        run("漢", sky, 2, false),
        run("e\u{301}", sky, 1, true),
        run("end", plain, 1, false),
    ];
    assert_eq!(lines[1].runs, expected);
}

#[test]
fn a_line_costs_its_text_and_little_more() {
    let text = "a line of the usual length, without colours";
    let mut history = History::new(10_000);
    (0..10_000).for_each(|_| history.push(&rows(&[(text, false)])));
    assert_eq!(history.end() - history.first(), 10_000);
    assert!(history.held() < 10_000 * (text.len() + 4), "{} bytes", history.held());
}

/// Five million lines were allowed to a program whose whole output is wanted, and ten thousand to any other; nothing
/// bounded how long each was.
#[test]
fn bytes_are_bounded_too_and_the_reason_is_told() {
    let mut history = History::new(5_000_000);
    let long = "x".repeat(LONGEST - 100);
    let batch = rows(&[(long.as_str(), false); 100]);
    for _ in 0..20 {
        history.push(&batch);
    }
    assert!(history.held() <= MOST_BYTES, "{} bytes", history.held());
    assert_eq!(history.dropped_for(), Some(Limit::Bytes));
    assert_eq!(history.end(), 2_000);
    assert_eq!(history.text(0).len() as u64, history.end() - history.first());
    assert_eq!(history.text(1_999), [long]);
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

    /// However the lines are handed over, and however many are dropped meanwhile, the newest are the same.
    #[test]
    fn lines_are_the_same_in_any_portions(
        lines in prop::collection::vec(("[a-z漢]{0,40}", prop::bool::weighted(0.2)), 1..200),
        portions in prop::collection::vec(1usize..30, 1..200), limit in 1usize..50,
    ) {
        let (mut whole, mut packer) = (History::new(limit), Packer::default());
        let all: Vec<(&str, bool)> = lines.iter().map(|(text, wrapped)| (text.as_str(), *wrapped)).collect();
        whole.push(&pack(&mut packer, &all));
        let (mut parts, mut packer) = (History::new(limit), Packer::default());
        let (mut rest, mut sizes) = (&all[..], portions.iter().cycle());
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
            parts.push(&pack(&mut packer, now));
            rest = later;
        }
        prop_assert_eq!(parts.text(0), whole.text(0));
        prop_assert_eq!((parts.first(), parts.end(), parts.open_line()), (whole.first(), whole.end(), whole.open_line()));
        let from = whole.first() + (whole.end() - whole.first()) / 2;
        prop_assert_eq!(parts.text(from), whole.text(0)[(from - whole.first()) as usize..].to_vec());
    }
}
