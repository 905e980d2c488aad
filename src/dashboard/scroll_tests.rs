//! Tests of the scrollback's window, search and selection; `scroll.rs` includes them.

use super::*;
use crate::core::terminal::picture::Run;

fn line(text: &str) -> Line {
    let run = Run { text: text.into(), style: Default::default(), width: 1, cluster: false, link: None };
    Line { runs: vec![run], wrapped: false }
}

fn scroll(count: usize, height: usize) -> Scroll {
    let lines: Vec<Line> = (0..count).map(|i| line(&format!("line {i}"))).collect();
    let mut scroll = Scroll { lines, height, ..Scroll::default() };
    scroll.go(usize::MAX);
    scroll
}

fn search(scroll: &mut Scroll, words: &str) -> Wish {
    scroll.act(Action::Search);
    for ch in words.chars() {
        scroll.search_key(KeyPress::plain(Key::Char(ch)));
    }
    scroll.search_key(KeyPress::plain(Key::Enter))
}

#[test]
fn older_lines_move_nothing_on_the_screen() {
    let mut scroll = scroll(10, 4);
    assert_eq!((scroll.top, scroll.cursor), (6, 9));
    assert_eq!(scroll.older(2500, 200, Vec::new()), Some((1500, 1000)));
    assert_eq!(scroll.older(1500, 200, vec![line("x"); 1000]), Some((500, 1000)));
    assert_eq!(scroll.missing(), 1_300);
    assert_eq!(scroll.older(500, 200, vec![line("x"); 1000]), Some((200, 300)));
    assert_eq!(scroll.older(200, 200, vec![line("x"); 300]), None);
    assert_eq!((scroll.top, scroll.cursor, scroll.lines.len()), (2306, 2309, 2310));
    assert_eq!(scroll.missing(), 0);
}

/// What stood right of the window could not be seen, and what was found there was shown by nothing.
#[test]
fn lines_that_are_wider_than_the_window_are_gone_along() {
    let wide = format!("{}needle{}", "x".repeat(70), "y".repeat(24));
    let lines = vec![line("narrow"), line(&wide), line("end")];
    let mut scroll = Scroll { lines, height: 3, width: 40, ..Scroll::default() };
    scroll.go(usize::MAX);
    assert_eq!(scroll.window_columns(), (40, 100));
    for (action, left) in [
        (Action::ColumnLeft, 0),
        (Action::ColumnRight, 8),
        (Action::ColumnRight, 16),
        (Action::ColumnLeft, 8),
    ] {
        scroll.act(action);
        assert_eq!(scroll.left, left);
    }
    (0..20).for_each(|_| drop(scroll.act(Action::ColumnRight)));
    assert_eq!(scroll.left, 60, "not beyond the widest line");
    scroll.left = 0;
    search(&mut scroll, "needle");
    assert_eq!((scroll.cursor, scroll.left), (1, 36), "what is found is in view");
    // A block begins in view, and its end takes the window along.
    (scroll.left, scroll.col) = (0, 0);
    scroll.act(Action::ColumnRight);
    scroll.act(Action::SelectBlock);
    (0..45).for_each(|_| drop(scroll.act(Action::ColumnRight)));
    assert_eq!((scroll.columns(), scroll.left), (Some((8, 54)), 14));
}

#[test]
fn a_search_goes_along_while_it_is_typed() {
    let mut scroll = scroll(50, 5);
    scroll.act(Action::Search);
    for (typed, line, count) in [('l', 49, 50), ('i', 49, 50), ('n', 49, 50), ('e', 49, 50)] {
        scroll.search_key(KeyPress::plain(Key::Char(typed)));
        assert_eq!((scroll.cursor, scroll.matches.len()), (line, count));
    }
    scroll.search_key(KeyPress::plain(Key::Char(' ')));
    scroll.search_key(KeyPress::plain(Key::Char('1')));
    assert_eq!((scroll.cursor, scroll.matches.len(), scroll.match_number()), (19, 11, Some(1)));
    scroll.search_key(KeyPress::plain(Key::Backspace));
    assert_eq!(scroll.cursor, 49, "from where it began");
    scroll.search_key(KeyPress::plain(Key::Esc));
    assert_eq!((scroll.cursor, scroll.matches.len()), (49, 0));
}

#[test]
fn searching_and_copying() {
    let mut scroll = scroll(50, 5);
    assert_eq!(search(&mut scroll, "LINE 1"), Wish::Say("no line with 'LINE 1'".into()));
    search(&mut scroll, "line 1");
    assert_eq!(scroll.cursor, 19);
    scroll.act(Action::NextMatch);
    scroll.act(Action::NextMatch);
    assert_eq!((scroll.cursor, scroll.match_number()), (17, Some(3)));
    scroll.act(Action::PreviousMatch);
    assert_eq!(scroll.cursor, 18);
    scroll.act(Action::Select);
    scroll.act(Action::RowDown);
    assert_eq!(scroll.act(Action::Copy), Wish::Copy("line 18\nline 19".into()));
    assert_eq!(scroll.act(Action::Close), Wish::Leave);
}

#[test]
fn a_block_is_copied_as_columns() {
    let mut scroll = scroll(12, 5);
    scroll.act(Action::RowUp);
    (0..3).for_each(|_| drop(scroll.act(Action::ColumnRight)));
    scroll.act(Action::SelectBlock);
    (0..4).for_each(|_| drop(scroll.act(Action::ColumnRight)));
    scroll.act(Action::RowUp);
    assert_eq!(scroll.columns(), Some((3, 8)));
    assert_eq!(scroll.act(Action::Copy), Wish::Copy("e 9\ne 10".into()));
    scroll.act(Action::SelectBlock);
    scroll.act(Action::Close);
    assert_eq!(scroll.anchor, None, "the first takes the selection back");
}

#[test]
fn prompts_and_questions_are_jumped_to() {
    let mut scroll = scroll(20, 5);
    scroll.lines[4] = line("❯ go on");
    scroll.lines[9] = line("  Which one?");
    scroll.act(Action::PreviousPrompt);
    assert_eq!(scroll.cursor, 4);
    scroll.act(Action::NextAsked);
    assert_eq!(scroll.cursor, 9);
    assert_eq!(scroll.act(Action::NextPrompt), Wish::Say("no prompt below".into()));
}

#[test]
fn the_window_stops_at_both_ends() {
    let mut scroll = scroll(20, 6);
    for _ in 0..9 {
        scroll.act(Action::PageUp);
    }
    assert_eq!((scroll.top, scroll.cursor), (0, 0));
    assert_eq!(scroll.wheel(false, 3), Wish::Nothing);
    assert_eq!(scroll.top, 3);
    for _ in 0..9 {
        scroll.act(Action::PageDown);
    }
    assert_eq!((scroll.top, scroll.cursor), (14, 19));
    assert_eq!(scroll.wheel(false, 3), Wish::Leave);
}

/// A row that ended with a blank lost it: a copied `rm -r old copy` was another command.
#[test]
fn a_blank_at_which_a_line_was_broken_is_copied() {
    let mut screen = crate::core::terminal::screen::Screen::new(
        crate::core::terminal::grid::Size::new(10, 3),
        crate::core::terminal::query_replies::TerminalIdentity::default(),
    );
    screen.feed(b"rm -r old copy");
    let mut scroll = Scroll::new("api", screen.grid(), 3);
    scroll.act(Action::RowUp);
    scroll.act(Action::RowUp);
    scroll.act(Action::Select);
    scroll.act(Action::RowDown);
    assert_eq!(scroll.act(Action::Copy), Wish::Copy("rm -r old copy".into()));
}
