//! What a program may send and what must come of it: replies, splits, sizes, scrolling.

use super::*;

fn screen(cols: u16, rows: u16) -> Screen {
    Screen::new(Size::new(cols, rows), TerminalIdentity::default())
}

fn replies(screen: &mut Screen, bytes: &[u8]) -> String {
    String::from_utf8(screen.feed(bytes).replies).unwrap()
}

#[test]
fn there_and_back_it_is_the_same_screen() {
    let mut screen = Screen::new(Size::new(40, 10), TerminalIdentity::default());
    screen
        .feed(b"\x1b[1;31mone\x1b[m\r\ntwo, which is a long line of text\r\n\x1b[7mthree\x1b[m\x1b[9;3Hnine");
    let before = screen.grid().clone();
    for sizes in [&[(40, 1)][..], &[(7, 3), (1, 1), (200, 50)]] {
        for (cols, rows) in sizes {
            screen.resize(Size::new(*cols, *rows));
            assert_ne!(screen.grid(), &before);
        }
        screen.resize(Size::new(40, 10));
        assert_eq!(screen.grid(), &before);
    }
    // What was printed at another size is the program's own view of it.
    screen.resize(Size::new(40, 3));
    screen.feed(b"\x1b[2J\x1b[Hnew");
    screen.resize(Size::new(40, 10));
    assert_eq!(screen.grid().text().trim_end(), "new");
    assert!(screen.feed(b"\n").scrolled.is_empty(), "no row that only a resize moved");
}

#[test]
fn rows_there_is_no_room_for_have_scrolled_once_the_program_goes_on() {
    let mut screen = Screen::new(Size::new(10, 5), TerminalIdentity::default());
    screen.feed(b"one\r\ntwo\r\n==========\r\nfour\r\nfive");
    screen.resize(Size::new(9, 5));
    screen.resize(Size::new(9, 4));
    let scrolled = screen.feed(b"!").scrolled;
    assert_eq!(scrolled.iter().map(Row::text).collect::<Vec<_>>(), ["one", "two"]);
    assert!(screen.feed(b"?").scrolled.is_empty());
}

#[test]
fn every_query_is_answered_from_the_state_at_that_point() {
    let mut s = screen(100, 30);
    assert_eq!(replies(&mut s, b"\x1b[c\x1b[0c"), "\x1b[?62;22c\x1b[?62;22c");
    assert_eq!(replies(&mut s, b"\x1b[>c\x1b[>0c"), "\x1b[>0;0;0c\x1b[>0;0;0c");
    assert_eq!(replies(&mut s, b"ab\x1b[6ncd\x1b[6n\r\n\x1b[?6n"), "\x1b[1;3R\x1b[1;5R\x1b[?2;1R");
    assert_eq!(
        replies(&mut s, b"\x1b[5n\x1b[18t\x1b[14t\x1b[16t"),
        "\x1b[0n\x1b[8;30;100t\x1b[4;600;1000t\x1b[6;20;10t"
    );
    assert!(replies(&mut s, b"\x1b[>0q").starts_with("\x1bP>|counsel "));
    assert_eq!(
        replies(&mut s, b"\x1b[?2004$p\x1b[?2004h\x1b[?2004$p\x1b[?1016$p"),
        "\x1b[?2004;2$y\x1b[?2004;1$y\x1b[?1016;0$y"
    );
    assert_eq!(replies(&mut s, b"\x1b[?u\x1b[>5u\x1b[?u"), "\x1b[?0u\x1b[?5u");
    assert_eq!(replies(&mut s, b"\x1b]11;?\x07"), "\x1b]11;rgb:1010/1010/1010\x07");
    assert_eq!(replies(&mut s, b"\x1b]4;1;?\x1b\\"), "\x1b]4;1;rgb:cdcd/0000/0000\x1b\\");
    assert_eq!(replies(&mut s, b"\x1b]7501;?\x07\x1b[?996n"), "\x1b]7501;?\x1b\\\x1b[?997;1n");
    assert_eq!(replies(&mut s, b"\x1bP$qm\x1b\\\x1bP+q544e\x1b\\"), "\x1bP0$r\x1b\\\x1bP0+r\x1b\\");
    assert_eq!(replies(&mut s, b"\x1b]52;c;?\x07\x1b[21t\x1b[20t"), "", "nothing is echoed back");
}

#[test]
fn a_query_split_anywhere_is_answered_once() {
    let probe = b"x\x1b[6n\x1b]10;?\x1b\\\x1b[?2026$p\xe6\xbc\xa2\x1b[6n";
    let whole = replies(&mut screen(80, 24), probe);
    for at in 1..probe.len() {
        let mut s = screen(80, 24);
        let split = replies(&mut s, &probe[..at]) + &replies(&mut s, &probe[at..]);
        assert_eq!(split, whole, "split at {at}");
        assert_eq!(s.grid().rows[0].text(), "x漢");
    }
}

#[test]
fn a_flood_of_queries_gets_a_bounded_reply() {
    let fed = screen(80, 24).feed(&b"\x1b[c".repeat(100_000));
    assert!(fed.replies.len() < MAX_REPLY + 100);
}

#[test]
fn a_silent_personality_never_replies() {
    let me = TerminalIdentity { silent: true, ..TerminalIdentity::default() };
    assert!(Screen::new(Size::new(80, 24), me).feed(b"\x1b[c\x1b[6n").replies.is_empty());
}

#[test]
fn each_kind_can_be_answered_only_once() {
    let me = TerminalIdentity { once: true, ..TerminalIdentity::default() };
    let mut s = Screen::new(Size::new(80, 24), me);
    assert_eq!(replies(&mut s, b"\x1b[c\x1b[6n\x1b[c"), "\x1b[?62;22c\x1b[1;1R");
    assert_eq!(replies(&mut s, b"\x1b[c\x1b[6n\x1b[5n"), "\x1b[0n");
}

#[test]
fn lines_that_scroll_off_are_handed_out_in_order_and_once() {
    let mut s = screen(20, 3);
    let text: String = (0..10_000).map(|n| format!("line {n}\r\n")).collect();
    let mut seen = Vec::new();
    for chunk in text.as_bytes().chunks(777) {
        seen.extend(s.feed(chunk).scrolled.iter().map(Row::text));
    }
    let expected: Vec<String> = (0..9_998).map(|n| format!("line {n}")).collect();
    assert_eq!(seen, expected);
}

#[test]
fn a_synchronized_update_shows_only_when_it_is_whole() {
    let mut s = screen(20, 3);
    s.feed(b"old");
    s.feed(b"\x1b[?2026h\x1b[2J\x1b[Hne");
    assert!(s.in_sync());
    assert_eq!(s.grid().text(), "old");
    s.feed(b"w\x1b[?2026l");
    assert!(!s.in_sync());
    assert_eq!(s.grid().text(), "new");
    s.feed(b"\x1b[?2026h\x1b[2J\x1b[Hlate");
    s.end_sync();
    assert_eq!(s.grid().text(), "late");
}

#[test]
fn the_smallest_sizes_do_no_harm() {
    for (cols, rows) in [(0, 0), (1, 1), (1, 50), (2, 1), (65535, 65535)] {
        let mut s = screen(cols, rows);
        s.feed("漢字 ❤️ 👍\r\n\x1b[2J\x1b[99;99Hx\x1b[?1049h漢".as_bytes());
        s.resize(Size::new(rows, cols));
        s.feed("漢字 ❤️ 👍\r\n".as_bytes());
    }
}

#[test]
fn styles_and_widths_reach_the_grid() {
    let mut s = screen(20, 2);
    s.feed("\x1b[1;2;31;48;2;1;2;3mA\x1b[0;7m漢\x1b[0me\u{301}".as_bytes());
    let row = &s.grid().rows[0];
    assert!(row.cells[0].style.attrs.has(Attrs::BOLD) && row.cells[0].style.attrs.has(Attrs::DIM));
    assert_eq!((row.cells[0].style.fg, row.cells[0].style.bg), (Color::Indexed(1), Color::Rgb(1, 2, 3)));
    assert_eq!((row.cells[1].width, row.cells[2].width), (Width::Two, Width::Spacer));
    assert_eq!(row.text(), "A漢e\u{301}");
}

#[test]
fn rest_frees_memory_and_changes_nothing() {
    let (mut rested, mut restless) = (screen(20, 5), screen(20, 5));
    for round in 0..5 {
        let lines: String = (0..300).map(|line| format!("{round}.{line} 漢 \x1b[7m \x1b[m\r\n")).collect();
        let (a, b) = (rested.feed(lines.as_bytes()), restless.feed(lines.as_bytes()));
        assert_eq!(a.scrolled, b.scrolled);
        assert!(rested.stretched(), "a screen that scrolled keeps rows for more");
        rested.rest();
        assert!(!rested.stretched());
        assert_eq!(rested.grid(), restless.grid());
    }
}

#[test]
fn no_line_of_the_fastest_flood_is_lost() {
    let mut s = screen(10, 5);
    let scrolled: usize = (0..20).map(|_| s.feed(&b"\n".repeat(10_000)).scrolled.len()).sum();
    assert_eq!(scrolled, 200_000 - 4);
}
