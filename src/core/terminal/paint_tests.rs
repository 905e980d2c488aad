//! Tests of the painter; `paint.rs` includes them. Another emulator judges what it wrote.

use std::num::NonZeroU16;

use proptest::prelude::*;

use super::*;
use crate::core::terminal::picture::{Line, Shadow};
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;

struct Agent {
    screen: Screen,
    shadow: Shadow,
}

impl Agent {
    fn new(cols: u16, rows: u16) -> Agent {
        let screen = Screen::new(Size::new(cols, rows), TerminalIdentity::default());
        Agent { screen, shadow: Shadow::default() }
    }

    fn prints(&mut self, bytes: &[u8]) -> Picture {
        self.screen.feed(bytes);
        let rows = Picture::delta(&mut self.shadow, &self.screen).unwrap_or_default();
        self.picture(rows)
    }

    /// What it shows, to whoever has seen nothing of it.
    fn whole(&self) -> Picture {
        self.picture(Picture::delta(&mut Shadow::default(), &self.screen).unwrap_or_default())
    }

    fn picture(&self, rows: Vec<(u16, Line)>) -> Picture {
        Picture {
            size: self.screen.size(),
            rows,
            cursor: self.screen.grid().cursor,
            modes: self.screen.modes(),
            title: self.screen.title().to_owned(),
        }
    }
}

/// What shows this picture after what was shown.
fn paint(painter: &mut Painter, picture: &Picture) -> String {
    painter.apply(picture);
    painter.frame().unwrap_or_default()
}

#[test]
fn pictures_that_came_together_are_one_frame_and_nothing_new_is_none() {
    let mut agent = Agent::new(40, 10);
    let mut painter = Painter::new(Size::new(40, 10), false);
    paint(&mut painter, &agent.prints(b"one"));
    assert_eq!(painter.frame(), None);
    painter.apply(&agent.prints(b"\x1b[2;1Htwo"));
    painter.apply(&agent.prints(b"\x1b[2;1HTWO"));
    let bytes = painter.frame().unwrap();
    assert!(bytes.contains("TWO") && !bytes.contains("two"), "{bytes:?}");
    assert_eq!(bytes.matches("\x1b[?2026h").count(), 1);
    painter.apply(&agent.prints(b""));
    assert_eq!(painter.frame(), None);
}

/// Each key was a whole row in a synchronized update, a hundred bytes for one.
#[test]
fn the_echo_of_a_key_is_that_key() {
    let mut agent = Agent::new(40, 10);
    let mut painter = Painter::new(Size::new(40, 10), false);
    paint(&mut painter, &agent.prints(b"\x1b[2;1H$ "));
    assert_eq!(paint(&mut painter, &agent.prints(b"l")), "l");
    assert_eq!(paint(&mut painter, &agent.prints(b"s")), "s");
    assert_eq!(paint(&mut painter, &agent.prints(b"\x08 \x08")), "\x1b[2;4H \x1b[2;4H");
    assert_eq!(paint(&mut painter, &agent.prints(b"\x1b[31mx\x1b[m")), "\x1b[0;31mx\x1b[m");
    // Nobody knows where a cursor is behind the last column, or what is over a notice.
    let bytes = paint(&mut painter, &agent.prints(&[b'y'; 36]));
    assert!(bytes.contains("\x1b[?2026h"), "{bytes:?}");
    painter.set_notice(Some("paused".into()));
    paint(&mut painter, &agent.prints(b"\r"));
    assert!(paint(&mut painter, &agent.prints(b"z")).contains("\x1b[?2026h"));
}

#[test]
fn an_update_writes_only_the_rows_that_changed() {
    let mut agent = Agent::new(40, 10);
    let mut painter = Painter::new(Size::new(40, 10), false);
    paint(&mut painter, &agent.prints(b"one\r\ntwo\r\nthree"));
    let bytes = paint(&mut painter, &agent.prints(b"\x1b[2;1HTWO"));
    assert!(bytes.contains("TWO") && !bytes.contains("one") && !bytes.contains("three"), "{bytes:?}");
}

/// Underlines lost their colour, and nothing led anywhere.
#[test]
fn links_and_coloured_underlines_reach_the_terminal_that_can_show_them() {
    let printed =
        b"\x1b[5;4:4;58:5:9mdotted\x1b[m \x1b]8;id=7;https://example.org/a\x1b\\leads\x1b]8;;\x1b\\ end";
    let mut agent = Agent::new(40, 3);
    let picture = agent.prints(printed);
    let mut outer = Screen::new(Size::new(40, 3), TerminalIdentity::default());
    let mut painter = Painter::new(Size::new(40, 3), false);
    outer.feed(paint(&mut painter, &picture).as_bytes());
    let (shown, wanted) = (&outer.grid().rows[0].cells, &agent.screen.grid().rows[0].cells);
    for (shown, wanted) in shown.iter().zip(wanted) {
        assert_eq!(shown.style, wanted.style);
        assert_eq!(shown.link().map(|link| &link.uri), wanted.link().map(|link| &link.uri));
    }
    assert!(shown[7].link().is_some() && shown[12].link().is_none());
    let plain = Features { underlines: false, links: false };
    let bytes = paint(&mut Painter::new(Size::new(40, 3), false).limited(plain), &picture);
    assert!(
        !bytes.contains("\x1b]8") && !bytes.contains("58:") && bytes.contains("\x1b[0;5;4m"),
        "{bytes:?}"
    );
}

#[test]
fn modes_are_mirrored_once_and_taken_back() {
    let mut agent = Agent::new(40, 10);
    let mut painter = Painter::new(Size::new(40, 10), true);
    paint(&mut painter, &agent.prints(b"x"));
    let bytes = paint(&mut painter, &agent.prints(b"\x1b[?1002h\x1b[?1006h\x1b[>11u"));
    assert!(bytes.contains("\x1b[?1000h\x1b[?1002h") && bytes.contains("\x1b[?1006h"), "{bytes:?}");
    assert!(bytes.contains("\x1b[=11;1u"), "{bytes:?}");
    let bytes = paint(&mut painter, &agent.prints(b"y"));
    assert!(!bytes.contains("?100"), "{bytes:?}");
    let bytes = paint(&mut painter, &agent.prints(b"\x1b[?1002l\x1b[<u"));
    assert!(bytes.contains("\x1b[?1002l") && bytes.contains("\x1b[=1;1u"), "{bytes:?}");
}

#[test]
fn a_notice_lies_over_the_last_row_and_goes_again() {
    let mut agent = Agent::new(20, 3);
    let mut painter = Painter::new(Size::new(20, 3), false);
    let mut judge = terminal(3, 20);
    judge.process(paint(&mut painter, &agent.prints(b"a\r\nb\r\nc")).as_bytes());
    painter.set_notice(Some("api has exited\x1b[2J".into()));
    judge.process(painter.frame().unwrap().as_bytes());
    assert_eq!(judge.screen().contents(), "a\nb\napi has exited[2J");
    painter.set_notice(None);
    judge.process(painter.frame().unwrap().as_bytes());
    assert_eq!(judge.screen().contents(), "a\nb\nc");
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}

fn terminal(rows: u16, cols: u16) -> vt100::Parser {
    vt100::Parser::new(cells(rows), cells(cols), 0)
}

fn text(judge: &vt100::Parser) -> String {
    let (_, cols) = judge.screen().size();
    let rows: Vec<String> =
        judge.screen().rows(0, cols.into()).map(|row| row.trim_end().to_owned()).collect();
    rows.join("\n").trim_end_matches('\n').to_owned()
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,12}",
        // Glyphs on whose width both emulators agree.
        Just("漢字é\r\n".to_owned()),
        (0u8..110).prop_map(|n| format!("\x1b[{n}m")),
        (1u8..30, 1u8..30).prop_map(|(r, c)| format!("\x1b[{r};{c}H")),
        (0u8..4, prop::sample::select(vec!['J', 'K', 'P', 'L', 'M', 'X']))
            .prop_map(|(n, c)| format!("\x1b[{n}{c}")),
        prop::sample::select(vec!["\x1b[?1049h", "\x1b[?1049l", "\x1b[?25l", "\n"]).prop_map(str::to_owned),
    ]
}

/// Each cell as it looks: one that is erased looks like a blank.
fn looks(screen: &vt100::Screen) -> Vec<String> {
    let (rows, cols) = screen.size();
    let cells = (0..rows.get()).flat_map(|row| (0..cols.get()).filter_map(move |col| screen.cell(row, col)));
    let glyph =
        |cell: &vt100::Cell| if cell.contents().is_empty() { " " } else { cell.contents() }.to_owned();
    cells
        .map(|cell| format!("{} {:?} {:?} {}", glyph(cell), cell.fgcolor(), cell.bgcolor(), cell.inverse()))
        .collect()
}

/// What a program prints for a key, most of the time.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[ -~]{1,2}",
        2 => Just("\x08 \x08".to_owned()),
        1 => "\x1b\\[3[1-7]m[a-z]\x1b\\[m",
        1 => "[\r\n]",
        1 => Just("漢".to_owned()),
        1 => prop::sample::select(vec![
            "\x1b[?25l", "\x1b[?25h", "\x1b[4 q", "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[K", "\x1b[7m", "\x1b[m", "\x1b[P", "\x1b[@",
        ]).prop_map(str::to_owned),
    ]
}

proptest! {
    #[test]
    fn the_outer_terminal_shows_what_the_agent_shows(
        frames in prop::collection::vec(
            (prop::collection::vec(piece(), 0..16), prop::option::of((4u16..40, 2u16..20))), 1..10)
    ) {
        let mut agent = Agent::new(24, 8);
        let mut painter = Painter::new(Size::new(24, 8), false);
        let mut judge = terminal(8, 24);
        for (pieces, size) in frames {
            if let Some((cols, rows)) = size {
                agent.screen.resize(Size::new(cols, rows));
                judge.screen_mut().set_size(cells(rows), cells(cols));
                painter.resize(Size::new(cols, rows));
                judge.process(painter.frame().unwrap().as_bytes());
            }
            let picture = agent.prints(pieces.concat().as_bytes());
            judge.process(paint(&mut painter, &picture).as_bytes());
            prop_assert_eq!(text(&judge), agent.screen.grid().text());
            let at = agent.screen.grid().cursor;
            prop_assert_eq!(judge.screen().cursor_position(), (at.row, at.col));
        }
    }

    /// What is typed is shown in as few bytes as it has, and as a whole drawing would have it.
    #[test]
    fn what_is_typed_is_shown_as_a_whole_drawing_would(
        keys in prop::collection::vec(key(), 1..60), (cols, rows) in (4u16..26, 2u16..9)
    ) {
        let mut agent = Agent::new(24, 8);
        let mut painter = Painter::new(Size::new(cols, rows), false);
        let mut outer = terminal(rows, cols);
        outer.process(paint(&mut painter, &agent.prints(b"\x1b[3;1H$ ")).as_bytes());
        for key in keys {
            outer.process(paint(&mut painter, &agent.prints(key.as_bytes())).as_bytes());
            let mut whole = terminal(rows, cols);
            whole.process(paint(&mut Painter::new(Size::new(cols, rows), false), &agent.whole()).as_bytes());
            let (outer, whole) = (outer.screen(), whole.screen());
            prop_assert_eq!(looks(outer), looks(whole));
            prop_assert_eq!(outer.hide_cursor(), whole.hide_cursor());
            // Nobody sees where one is that is hidden.
            if !whole.hide_cursor() {
                prop_assert_eq!(outer.cursor_position(), whole.cursor_position());
            }
        }
    }

    #[test]
    fn a_smaller_terminal_is_never_written_beyond(cols in 1u16..12, rows in 1u16..6) {
        let mut agent = Agent::new(30, 10);
        let mut painter = Painter::new(Size::new(cols, rows), false);
        let bytes = paint(&mut painter, &agent.prints("漢字漢字漢字漢字\r\nabcdefghijklmnopqrst\r\n".repeat(4).as_bytes()));
        let mut judge = terminal(rows + 4, cols + 4);
        judge.process(bytes.as_bytes());
        for (number, row) in judge.screen().rows(0, cols + 4).enumerate() {
            let outside = number >= usize::from(rows);
            let width = unicode_width::UnicodeWidthStr::width(row.as_str());
            prop_assert!(width <= usize::from(cols) && (!outside || width == 0), "{number} {row:?}");
        }
    }
}

/// Whoever attached to a dialog in the middle of a larger screen, which keeps its size until it is answered, saw nothing.
#[test]
fn of_a_larger_screen_the_part_with_the_dialog_is_shown() {
    use crate::core::terminal::keys::{Mods, Mouse, MouseKind};
    let mut agent = Agent::new(220, 50);
    let mut painter = Painter::new(Size::new(80, 24), false);
    let mut outer = terminal(24, 80);
    let dialog = "\x1b[?25l\x1b[20;86H日本 Which?\x1b[21;86H> React\x1b[22;86H  Vue";
    outer.process(paint(&mut painter, &agent.prints(dialog.as_bytes())).as_bytes());
    let shown = outer.screen().contents();
    assert!(shown.contains("日本 Which?") && shown.contains("> React") && shown.contains("  Vue"), "{shown}");
    // One row of it changes, and nothing else is drawn.
    let bytes = paint(&mut painter, &agent.prints(b"\x1b[22;86H> Vue"));
    outer.process(bytes.as_bytes());
    assert!(!bytes.contains("\x1b[2J") && outer.screen().contents().contains("> Vue"), "{bytes:?}");
    let row = outer.screen().contents().lines().position(|line| line.contains("Which?")).unwrap();
    let col = outer.screen().contents().lines().nth(row).unwrap().find('日').unwrap();
    let (row, col) = (u16::try_from(row).unwrap(), u16::try_from(col).unwrap());
    let mouse = Mouse { kind: MouseKind::Press, button: None, row, col, mods: Mods::NONE };
    let Some(Input::Mouse(there)) = painter.on_screen(Input::Mouse(mouse)) else {
        panic!("it is on the screen")
    };
    assert_eq!((there.row, there.col), (19, 85));
}

/// A terminal that has one column for a heart kept the letter that stood in its second one.
#[test]
fn a_picture_leaves_nothing_of_what_stood_there() {
    let mut agent = Agent::new(12, 2);
    let mut painter = Painter::new(Size::new(12, 2), false);
    let mut outer = terminal(2, 12);
    outer.process(paint(&mut painter, &agent.prints(b"XXXXXXXXXXXX")).as_bytes());
    outer.process(
        paint(&mut painter, &agent.prints("\r❤\u{fe0f}b👍🏽c1\u{fe0f}\u{20e3}d\x1b[K".as_bytes())).as_bytes(),
    );
    let shown = outer.screen().contents();
    assert!(!shown.contains('X'), "{shown:?}");
    for (col, letter) in [(2, "b"), (5, "c"), (8, "d")] {
        assert_eq!(outer.screen().cell(0, col).map(|cell| cell.contents()), Some(letter), "{shown:?}");
    }
}
