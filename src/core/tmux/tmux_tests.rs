//! Control mode: every byte there and back, split anywhere; captures against the screen they came from.

use proptest::prelude::*;

use super::command::{paste, type_bytes};
use super::restore::{Capture, STATE};
use super::*;
use crate::core::terminal::modes::Modes;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;

/// As tmux writes it.
fn escape(bytes: &[u8]) -> Vec<u8> {
    let mut line = Vec::new();
    for byte in bytes {
        match byte {
            0..=0x1f | b'\\' => line.extend(format!("\\{byte:03o}").bytes()),
            byte => line.push(*byte),
        }
    }
    line
}

fn output(pane: u32, bytes: &[u8], age: Option<u64>) -> Vec<u8> {
    let mut line = match age {
        None => format!("%output %{pane} ").into_bytes(),
        Some(age) => format!("%extended-output %{pane} {age} : ").into_bytes(),
    };
    line.extend(escape(bytes));
    line.push(b'\n');
    line
}

#[test]
fn all_bytes_come_back() {
    let all: Vec<u8> = (0..=255).collect();
    for age in [None, Some(0), Some(1_234_567)] {
        let said = Parser::default().push(&output(7, &all, age));
        assert_eq!(said, [Said::Output { pane: PaneId(7), bytes: all.clone() }]);
    }
    assert_eq!(unescape(&escape(&all)), all);
    // What is no escape stays: an older tmux may leave a backslash as it is.
    assert_eq!(unescape(br"a\9\77\400\\134"), br"a\9\77\400\\");
}

#[test]
fn what_looks_like_a_word_of_tmux_in_an_answer_or_in_output_is_none() {
    let mut parser = Parser::default();
    let said = parser.push(
        b"%begin 17 5 1\n%output %1 x\n%end 17 4 1\n%exit\n%end 17 5 1\n%output %1 %exit\\012%end 17 5 1\n",
    );
    let lines = vec![b"%output %1 x".to_vec(), b"%end 17 4 1".to_vec(), b"%exit".to_vec()];
    assert_eq!(
        said,
        [
            Said::Reply(Reply { number: 5, ours: true, ok: true, lines }),
            Said::Output { pane: PaneId(1), bytes: b"%exit\n%end 17 5 1".to_vec() },
        ]
    );
}

#[test]
fn every_notification_has_its_meaning() {
    let mut parser = Parser::default();
    let mut one = |line: &str| parser.push(format!("{line}\n").as_bytes()).remove(0);
    assert_eq!(one("%pause %3"), Said::Paused(PaneId(3)));
    assert_eq!(one("%continue %3"), Said::Continued(PaneId(3)));
    assert_eq!(one("%pane-mode-changed %12"), Said::ModeChanged(PaneId(12)));
    assert_eq!(one("%exit"), Said::Exit(String::new()));
    assert_eq!(one("%exit server exited"), Said::Exit("server exited".into()));
    assert_eq!(one("%window-close @1"), Said::Moved);
    assert_eq!(one("%session-changed $0 api"), Said::Moved);
    assert_eq!(one("%client-detached /dev/pts/3"), Said::ClientLeft { client: "/dev/pts/3".into() });
    let came = Said::ClientCame { client: "/dev/pts/3".into(), session: "$2".into() };
    assert_eq!(one("%client-session-changed /dev/pts/3 $2 a b"), came);
    assert_eq!(one("%something-new a"), Said::Other("%something-new a".into()));
    let layout = "b25d,120x40,0,0{60x40,0,0,3,59x40,61,0[59x20,61,0,4,59x19,61,21,15]}";
    let sizes =
        vec![(PaneId(3), Size::new(60, 40)), (PaneId(4), Size::new(59, 20)), (PaneId(15), Size::new(59, 19))];
    assert_eq!(one(&format!("%layout-change @0 {layout} {layout} *")), Said::Layout { sizes });
    let zoomed = vec![(PaneId(4), Size::new(120, 40))];
    assert_eq!(
        one(&format!("%layout-change @0 {layout} b3dd,120x40,0,0,4 *Z")),
        Said::Layout { sizes: zoomed }
    );
    assert_eq!(
        one("%layout-change @0 b3dd,60x15,0,0,0"),
        Said::Layout { sizes: vec![(PaneId(0), Size::new(60, 15))] }
    );
}

#[test]
fn what_is_typed_is_hexadecimal_and_what_is_pasted_octal() {
    let lines = type_bytes(PaneId(5), b"a'\x1b\x00\xff");
    assert_eq!(lines.len(), 1);
    assert!(lines[0].text.ends_with(" 'send-keys -t %5 -H 61 27 1b 00 ff'"), "{}", lines[0].text);
    assert_eq!(lines[0].replies, 2);
    assert_eq!(type_bytes(PaneId(5), &[b'x'; 1025]).len(), 3);
    let lines = paste(PaneId(5), "a\"'$;\r\u{e4}".as_bytes());
    assert_eq!(lines[0].text, r#"set-buffer -b counsel-5 -- "a\042\047\044\073\015\303\244""#);
}

fn reply(lines: &[&str]) -> Reply {
    let lines = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
    Reply { number: 0, ours: true, ok: true, lines }
}

#[test]
fn a_capture_draws_the_same_screen() {
    // 20 columns, 4 rows, the cursor in column 3 of row 1, mouse by SGR, an alternate screen.
    let state = "%0 4242 20 4 3 1 1 1 2 3 2 0 1 0 0 0 1 0 3 0 1 0 1 0 a title";
    assert_eq!(STATE.matches("#{").count() - 2, state.split(' ').count() - 1);
    let replies = vec![
        reply(&[state]),
        reply(&["\x1b[7malt", "row two\x1b[0m", "", "last"]),
        reply(&["main", "", "", "$ x"]),
        reply(&["\\033[3"]),
        reply(&["\x1b[31mold", "older\x1b[0m than the others"]),
    ];
    let capture = Capture::read(replies).unwrap();
    assert_eq!((capture.state.size, capture.state.title.as_str()), (Size::new(20, 4), "a title"));
    let modes = Modes { bracketed_paste: true, ..Modes::default() };
    let mut screen =
        Screen::new(capture.state.size, TerminalIdentity { silent: true, ..TerminalIdentity::default() });
    let [history, rest] = capture.bytes(modes);
    let fed = screen.feed(&history);
    assert_eq!(fed.scrolled.texts().collect::<Vec<_>>(), ["old", "older than the others"]);
    let fed = screen.feed(&rest);
    assert_eq!(screen.grid().text().trim_end(), "alt\nrow two\n\nlast");
    assert_eq!((screen.grid().cursor.row, screen.grid().cursor.col), (1, 3));
    let modes = screen.modes();
    assert!(modes.alternate_screen && modes.application_cursor && modes.bracketed_paste);
    assert!(modes.mouse_drag && modes.mouse_sgr && !modes.mouse_motion);
    assert_eq!(screen.title(), "a title");
    assert!(fed.replies.is_empty() && fed.scrolled.is_empty());
    // The sequence the program had begun goes on: red, then the main screen with its own cursor.
    screen.feed(b"1mX\x1b[?1049l");
    assert_eq!(screen.grid().text().trim_end(), "main\n\n\n$ x");
    assert_eq!((screen.grid().cursor.row, screen.grid().cursor.col), (3, 2));
}

#[test]
fn a_refused_capture_says_why() {
    let refused = Reply { ok: false, ..reply(&["can't find pane: %9"]) };
    assert_eq!(Capture::read(vec![refused]).unwrap_err(), "can't find pane: %9");
}

proptest! {
    #[test]
    fn output_split_anywhere_is_the_same(
        blocks in prop::collection::vec((0u32..3, prop::collection::vec(any::<u8>(), 0..40), any::<bool>()), 0..8),
        cuts in prop::collection::vec(1usize..17, 1..60),
    ) {
        let mut stream = Vec::new();
        let mut expected = Vec::new();
        for (pane, bytes, extended) in blocks {
            stream.extend(output(pane, &bytes, extended.then_some(12)));
            expected.push(Said::Output { pane: PaneId(pane), bytes });
        }
        let mut parser = Parser::default();
        let (mut said, mut rest, mut at) = (Vec::new(), stream.as_slice(), 0);
        while !rest.is_empty() {
            let cut = cuts[at % cuts.len()].min(rest.len());
            said.extend(parser.push(&rest[..cut]));
            rest = &rest[cut..];
            at += 1;
        }
        prop_assert_eq!(said, expected);
    }

    #[test]
    fn nothing_said_makes_it_fail(bytes in prop::collection::vec(any::<u8>(), 0..300), words in "[%a-z0-9x,{}\\[\\] \n-]{0,200}") {
        let mut parser = Parser::default();
        parser.push(&bytes);
        parser.push(words.as_bytes());
        parser.push(b"\n%layout-change @0 ");
        parser.push(words.as_bytes());
        parser.push(b"\n");
    }

    #[test]
    fn typed_bytes_are_read_back_from_the_lines(bytes in prop::collection::vec(any::<u8>(), 0..1500)) {
        let mut typed = Vec::new();
        for line in type_bytes(PaneId(1), &bytes) {
            let hex = line.text.rsplit(" -H ").next().unwrap().trim_end_matches('\'').to_owned();
            typed.extend(hex.split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()));
        }
        prop_assert_eq!(&typed, &bytes);
        let pasted = paste(PaneId(1), &bytes)[0].text.clone();
        let octal = pasted.split('"').nth(1).unwrap();
        prop_assert_eq!(unescape(octal.as_bytes()), bytes);
    }
}
