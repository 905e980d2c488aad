//! What a program may send and what must come of it: replies, splits, sizes, scrolling.

use proptest::prelude::*;

use super::*;
use crate::core::terminal::grid::{Attrs, Color, Width};
use crate::core::terminal::history::History;

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
    assert_eq!(scrolled.texts().collect::<Vec<_>>(), ["one", "two"]);
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

/// The parser drops a character where it gets the end of another one, a whole one and the beginning of a third.
#[test]
fn characters_split_anywhere_are_all_there() {
    let text = "aé漢é1👍2漢3é4\u{301}5漢漢é6❤️7".repeat(2);
    let mut whole = screen(80, 4);
    whole.feed(text.as_bytes());
    assert_eq!(whole.grid().rows[0].text(), text);
    for size in 1..9 {
        for begin in 0..4 {
            let mut s = screen(80, 4);
            let (head, tail) = text.as_bytes().split_at(begin);
            s.feed(head);
            tail.chunks(size).for_each(|part| drop(s.feed(part)));
            assert_eq!(s.grid().rows[0].text(), text, "in pieces of {size} after {begin}");
        }
    }
    for bad in [
        &b"\xe6A"[..],
        b"\xe6\xbcA",
        b"\xe6\xe6\xbc\xa2A",
        b"\xf0\x9f\x91\x1b[mA",
        b"\x80\x80\x80\x80A",
        b"\xffA",
    ] {
        let mut whole = screen(20, 2);
        whole.feed(bad);
        let mut split = screen(20, 2);
        bad.iter().for_each(|byte| drop(split.feed(&[*byte])));
        assert_eq!(split.grid().text(), whole.grid().text(), "{bad:?}");
        assert!(whole.grid().text().ends_with('A'), "{bad:?}");
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
    // Two colours and two modes are two questions; how the reply is to end makes no other one of it.
    assert_eq!(replies(&mut s, b"\x1b]10;?\x07").matches("]10;").count(), 1);
    let both = replies(&mut s, b"\x1b]11;?\x07\x1b]10;?\x1b\\\x1b]11;?\x1b\\");
    assert_eq!((both.matches("]11;").count(), both.matches("]10;").count()), (1, 0), "{both:?}");
    let modes = replies(&mut s, b"\x1b[?2026$p\x1b[?2004$p\x1b[?2026$p");
    assert_eq!(modes.matches("$y").count(), 2, "{modes:?}");
}

#[test]
fn lines_that_scroll_off_are_handed_out_in_order_and_once() {
    let mut s = screen(20, 3);
    let text: String = (0..10_000).map(|n| format!("line {n}\r\n")).collect();
    let mut seen = Vec::new();
    for chunk in text.as_bytes().chunks(777) {
        seen.extend(s.feed(chunk).scrolled.texts().map(str::to_owned));
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
fn no_line_of_the_fastest_flood_is_lost() {
    let mut s = screen(10, 5);
    let scrolled: usize = (0..20).map(|_| s.feed(&b"\n".repeat(10_000)).scrolled.texts().count()).sum();
    assert_eq!(scrolled, 200_000 - 4);
}

/// The last whole frame and the lines above it belong together: a reader that got half of the next frame's
/// lines would read them twice.
#[test]
fn within_a_synchronized_update_nothing_scrolls_off() {
    let mut s = screen(20, 3);
    let before = s.feed(b"one\r\ntwo\r\nthree\r\nfour\x1b[?2026h\r\nfive\r\nsix").scrolled;
    assert_eq!(before.texts().collect::<Vec<_>>(), ["one"]);
    assert_eq!(s.grid().text(), "two\nthree\nfour");
    assert!(s.feed(b"\r\nseven").scrolled.is_empty());
    let after = s.feed(b"\x1b[?2026l!").scrolled;
    assert_eq!(after.texts().collect::<Vec<_>>(), ["two", "three", "four"]);
    assert_eq!(s.grid().text(), "five\nsix\nseven!");
    // One that lasts too long, and one that the program gives up by a reset.
    s.feed(b"\x1b[?2026h\r\neight");
    assert_eq!(s.end_sync().texts().collect::<Vec<_>>(), ["five"]);
    assert_eq!(s.grid().text(), "six\nseven!\neight");
    s.feed(b"\x1b[?2026h\x1bcnew");
    assert!(!s.in_sync());
    assert_eq!(s.grid().text(), "new");
}

#[test]
fn a_query_within_a_synchronized_update_is_answered_from_what_was_drawn_in_it() {
    let mut s = screen(20, 3);
    assert_eq!(
        replies(&mut s, b"\x1b[?2026h\x1b[2;5H\x1b[6n\x1b[?2026$p\x1b[?2026l"),
        "\x1b[2;5R\x1b[?2026;1$y"
    );
}

/// Half a frame is not shown because somebody made a window smaller.
#[test]
fn a_resize_within_a_synchronized_update_shows_the_last_frame() {
    let mut s = screen(20, 3);
    s.feed("last 漢\r\nframe\x1b[?2026h\x1b[2J\x1b[Hhalf".as_bytes());
    s.resize(Size::new(6, 2));
    assert_eq!((s.grid().size, s.grid().text()), ((6, 2), "last\nframe".to_owned()));
    s.resize(Size::new(30, 5));
    assert_eq!((s.grid().size, s.grid().text()), ((30, 5), "last\nframe".to_owned()));
    s.feed(b" a frame\x1b[?2026l");
    assert_eq!(s.grid().text(), "half a frame");
}

/// CSI 3 J: the lines before it are forgotten, those after it are not, also when all came at once.
#[test]
fn a_forgotten_scrollback_is_forgotten_at_that_point() {
    let (mut s, mut history) = (screen(20, 2), History::new(100));
    history.push(&s.feed(b"one\r\ntwo\r\nthree\r\n").scrolled);
    history.push(&s.feed(b"four\r\nfive\r\n\x1b[3J\x1b[2J\x1b[Hsix\r\nseven\r\neight").scrolled);
    assert_eq!(history.text(0), ["five", "six"]);
    assert_eq!((history.first(), history.end()), (4, 6));
}

/// The main screen is reflowed below the alternate one, where the emulator gives nobody its rows.
#[test]
fn rows_pushed_off_below_an_alternate_screen_are_not_lost() {
    let (mut s, mut history) = (screen(12, 6), History::new(100));
    history.push(&s.feed(b"one\r\ntwo\r\nthree is long\r\nfour\r\nfive\x1b[?1049h\x1b[Halt").scrolled);
    s.resize(Size::new(6, 3));
    assert_eq!(s.grid().text(), "alt");
    history.push(&s.feed(b"\x1b[?1049l").scrolled);
    let all = history.text(0).join("\n") + if history.open_line() { "" } else { "\n" } + &s.grid().text();
    assert_eq!(all, "one\ntwo\nthree is long\nfour\nfive");
    // And there and back nothing has happened, to either of them.
    let (mut s, mut twin) = (screen(12, 6), screen(12, 6));
    for s in [&mut s, &mut twin] {
        s.feed(b"one\r\ntwo\r\nthree is long\r\nfour\r\nfive\x1b[?1049h\x1b[Halt");
    }
    s.resize(Size::new(6, 3));
    s.resize(Size::new(12, 6));
    assert_eq!(s.grid(), twin.grid());
    assert!(s.feed(b"\x1b[?1049l").scrolled.is_empty());
    twin.feed(b"\x1b[?1049l");
    assert_eq!(s.grid(), twin.grid());
}

/// Text, sequences of every kind, their beginnings, and bytes that are neither.
fn any_output() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "\x1b[31m",
        "\x1b[m",
        "\x1b[2;3H",
        "\x1b[K",
        "\x1b[6n",
        "\x1b[c",
        "\x1b[?6n",
        "\x1b[?25l",
        "\x1b[2J",
        "\x1b[3S",
        "\x1b[3b",
        "\x1b[?2026h",
        "\x1b[?2026l",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1bc",
        "\x1bM",
        "\x1b#8",
        "\x1b(0",
        "\x1b(B",
        "\x0e",
        "\x0f",
        "\x07",
        "\t",
        "\x08",
        "\x18",
        "\x1a",
        "\x1b",
        "\x1b[",
        "\x1b[3",
        "\x1b[3;",
        "\x1b[1\n2m",
        "\x1b[>4m",
        "\x1b]0;title\x07",
        "\x1b]2;other\x1b\\",
        "\x1b]0;begun",
        "\x1b]10;?\x07",
        "\x1bP$qm\x1b\\",
        "\x1bPtmux;",
        "\x1b\\",
        "\x1b_gone\x1b\\",
        "\x1bX",
        "\x1b]9;note\x07",
        "\x1b]7501;state=working\x07",
        "\x1b[12;65535P",
        "漢",
        "e\u{301}",
    ]);
    let piece = prop_oneof![
        3 => "[ -~]{1,12}".prop_map(String::into_bytes),
        1 => "(\r?\n){1,2}".prop_map(String::into_bytes),
        5 => known.prop_map(|known| known.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..4),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// What most output is made of is drawn without being read twice, wherever it stands between two sequences. Read byte by
    /// byte, hardly anything is: and it is the same terminal.
    #[test]
    fn however_it_is_cut_output_makes_the_same_terminal(
        output in any_output(), cuts in prop::collection::vec(1usize..30, 1..20), cols in 2u16..14, rows in 1u16..9,
    ) {
        let told = |pieces: &[&[u8]]| {
            let mut screen = screen(cols, rows);
            let (mut replies, mut reports, mut garbled) = (Vec::new(), Vec::new(), false);
            let mut lines = Scrolled::default();
            for piece in pieces {
                let fed = screen.feed(piece);
                replies.extend(fed.replies);
                reports.extend(fed.reports);
                lines.append(fed.scrolled);
                garbled |= fed.garbled;
            }
            let texts: Vec<String> = lines.texts().map(str::to_owned).collect();
            let place = (screen.cursor(), screen.title().to_owned(), screen.in_sync(), screen.modes());
            (screen.drawn(), replies, reports, garbled, texts, place)
        };
        let whole = told(&[&output]);
        let bytes: Vec<&[u8]> = output.chunks(1).collect();
        prop_assert_eq!(&told(&bytes), &whole);
        let (mut pieces, mut rest) = (Vec::new(), &output[..]);
        for cut in cuts.iter().cycle().take_while(|_| !output.is_empty()) {
            let (piece, after) = rest.split_at((*cut).min(rest.len()));
            pieces.push(piece);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(&told(&pieces), &whole);
    }
}
