//! Every encoding a program may ask for, against the published tables.

use super::*;

fn keys(text: &str, modes: Modes) -> String {
    String::from_utf8(encode(&Input::Key(KeyPress::parse(text).unwrap()), &modes)).unwrap()
}

fn kitty(flags: u8) -> Modes {
    Modes { kitty: flags, ..Modes::default() }
}

#[test]
fn legacy_keys() {
    let plain = Modes::default();
    let table = [
        ("enter", "\r"),
        ("esc", "\x1b"),
        ("tab", "\t"),
        ("shift-tab", "\x1b[Z"),
        ("backspace", "\x7f"),
        ("up", "\x1b[A"),
        ("ctrl-up", "\x1b[1;5A"),
        ("shift-end", "\x1b[1;2F"),
        ("delete", "\x1b[3~"),
        ("f1", "\x1bOP"),
        ("f5", "\x1b[15~"),
        ("f6", "\x1b[17~"),
        ("f10", "\x1b[21~"),
        ("f11", "\x1b[23~"),
        ("f12", "\x1b[24~"),
        ("ctrl-f5", "\x1b[15;5~"),
        ("ctrl-c", "\x03"),
        ("ctrl-\\", "\x1c"),
        ("ctrl-space", "\0"),
        ("alt-x", "\x1bx"),
        ("ctrl-alt-d", "\x1b\x04"),
        ("x", "x"),
        ("ä", "ä"),
        ("space", " "),
    ];
    for (name, bytes) in table {
        assert_eq!(keys(name, plain), bytes, "{name}");
    }
}

#[test]
fn application_cursor_keys() {
    let modes = Modes { application_cursor: true, ..Modes::default() };
    assert_eq!(keys("down", modes), "\x1bOB");
    assert_eq!(keys("ctrl-down", modes), "\x1b[1;5B");
}

#[test]
fn the_kitty_protocol_as_far_as_it_was_asked_for() {
    assert_eq!(keys("esc", kitty(1)), "\x1b[27u");
    assert_eq!(keys("enter", kitty(1)), "\r");
    assert_eq!(keys("shift-enter", kitty(1)), "\x1b[13;2u");
    assert_eq!(keys("ctrl-c", kitty(1)), "\x1b[99;5u");
    assert_eq!(keys("alt-x", kitty(1)), "\x1b[120;3u");
    assert_eq!(keys("x", kitty(1)), "x");
    assert_eq!(keys("shift-tab", kitty(1)), "\x1b[9;2u");
    assert_eq!(keys("enter", kitty(9)), "\x1b[13u");
    assert_eq!(keys("x", kitty(9)), "\x1b[120u");
    assert_eq!(keys("up", kitty(5)), "\x1b[A");
    let release = KeyPress { action: Action::Release, ..KeyPress::plain(Key::Up) };
    assert_eq!(encode(&Input::Key(release), &kitty(3)), b"\x1b[1;1:3A");
    assert_eq!(encode(&Input::Key(release), &kitty(1)), b"");
    assert_eq!(encode(&Input::Key(release), &Modes::default()), b"");
    let letter = KeyPress { action: Action::Release, ..KeyPress::plain(Key::Char('x')) };
    assert_eq!(encode(&Input::Key(letter), &kitty(3)), b"", "text keys report no release without flag 8");
}

#[test]
fn a_paste_cannot_break_out_of_its_brackets() {
    let modes = Modes { bracketed_paste: true, ..Modes::default() };
    let bytes = encode(&Input::Paste("a\n\x1b[201~rm -rf\x03\tb\r\n".into()), &modes);
    assert_eq!(bytes, b"\x1b[200~a\r[201~rm -rf\tb\r\x1b[201~");
    assert_eq!(encode(&Input::Paste("a\nb".into()), &Modes::default()), b"a\rb");
}

#[test]
fn only_the_mouse_events_that_were_asked_for() {
    let press =
        Mouse { kind: MouseKind::Press, button: Some(Button::Left), row: 4, col: 9, mods: Mods::CTRL };
    let event = |kind| Input::Mouse(Mouse { kind, ..press });
    let sgr = Modes { mouse_click: true, mouse_sgr: true, ..Modes::default() };
    assert_eq!(encode(&event(MouseKind::Press), &sgr), b"\x1b[<16;10;5M");
    assert_eq!(encode(&event(MouseKind::Release), &sgr), b"\x1b[<16;10;5m");
    assert_eq!(encode(&event(MouseKind::Drag), &sgr), b"");
    assert_eq!(encode(&event(MouseKind::Press), &Modes::default()), b"");
    let old = Modes { mouse_click: true, ..Modes::default() };
    assert_eq!(encode(&event(MouseKind::Press), &old), b"\x1b[M\x30\x2a\x25");
    let scroll = Modes { alternate_screen: true, alternate_scroll: true, ..Modes::default() };
    assert_eq!(encode(&event(MouseKind::WheelUp), &scroll), b"\x1b[A\x1b[A\x1b[A");
}

#[test]
fn focus_is_reported_only_on_request() {
    let modes = Modes { focus_events: true, ..Modes::default() };
    assert_eq!(encode(&Input::Focus(true), &modes), b"\x1b[I");
    assert_eq!(encode(&Input::Focus(false), &modes), b"\x1b[O");
    assert_eq!(encode(&Input::Focus(true), &Modes::default()), b"");
}

/// `send --key A` typed a small letter to a program that has all keys as sequences.
#[test]
fn a_capital_letter_is_one_with_shift_however_it_is_named() {
    let all = Modes { kitty: 8, ..Modes::default() };
    let key =
        |text: &str| String::from_utf8(encode(&Input::Key(KeyPress::parse(text).unwrap()), &all)).unwrap();
    assert_eq!((key("A"), key("a")), ("\x1b[97;2u".to_owned(), "\x1b[97u".to_owned()));
}

/// In tmux Home came as Escape and two letters, and cancelled a dialog.
#[test]
fn home_and_end_are_those_of_the_terminal_that_tmux_is() {
    let modes = Modes { application_cursor: true, ..Modes::default() };
    let key = |text: &str| {
        String::from_utf8(encode_in_tmux(&Input::Key(KeyPress::parse(text).unwrap()), &modes)).unwrap()
    };
    assert_eq!(["home", "end", "up"].map(key), ["\x1b[1~", "\x1b[4~", "\x1bOA"].map(str::to_owned));
}
