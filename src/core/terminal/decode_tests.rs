//! Every key as terminals send it, in any pieces; and nothing that comes can swallow what follows.

use proptest::prelude::*;

use super::*;
use crate::core::terminal::encode::encode;
use crate::core::terminal::modes::Modes;

fn decode(pieces: &[&[u8]]) -> Vec<Decoded> {
    let (mut decoder, mut out) = (InputDecoder::default(), Vec::new());
    for piece in pieces {
        decoder.push(piece, &mut out);
    }
    decoder.flush(&mut out);
    out
}

/// The keys, as the configuration writes them.
fn keys(bytes: &[u8]) -> String {
    let word = |decoded: &Decoded| match decoded {
        Decoded::Input(Input::Key(press)) => press.to_string(),
        other => panic!("{other:?} is no key"),
    };
    decode(&[bytes]).iter().map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn keys_as_terminals_without_the_kitty_protocol_send_them() {
    let table: [(&[u8], &str); 30] = [
        (b"x", "x"),
        (b"A", "shift-A"),
        (b" ", "space"),
        ("é漢".as_bytes(), "é 漢"),
        (b"\r\t\x7f", "enter tab backspace"),
        (b"\0\x01\x1a\n", "ctrl-space ctrl-a ctrl-z ctrl-j"),
        // An agent with the kitty keyboard had ctrl-7 of whoever pressed ctrl-_.
        (b"\x1c\x1d\x1e\x1f", "ctrl-\\ ctrl-] ctrl-^ ctrl-_"),
        (b"\x1b", "esc"),
        (b"\x1b\x1b", "esc esc"),
        (b"\x1bx\x1b\x04", "alt-x ctrl-alt-d"),
        ("\x1bé".as_bytes(), "alt-é"),
        (b"\x1b\r", "alt-enter"),
        (b"\x1b[", "alt-["),
        (b"\x1bO", "alt-shift-O"),
        (b"\x1b]", "alt-]"),
        (b"\x1bP", "alt-shift-P"),
        (b"\x1b]x", "alt-] x"),
        (b"\x1b[A\x1bOB", "up down"),
        (b"\x1b[1;5C\x1b[1;2D", "ctrl-right shift-left"),
        (b"\x1b[H\x1b[F\x1b[1~\x1b[8~", "home end home end"),
        (b"\x1b[2~\x1b[3~\x1b[5~\x1b[6~", "insert delete pageup pagedown"),
        (b"\x1b[3;5~", "ctrl-delete"),
        (b"\x1bOP\x1b[[B\x1b[13~\x1bOS", "f1 f2 f3 f4"),
        (b"\x1b[15~\x1b[17~\x1b[24~\x1b[34~", "f5 f6 f12 f20"),
        (b"\x1b[1;2P\x1b[1;5R\x1b[15;3~", "shift-f1 ctrl-f3 alt-f5"),
        (b"\x1b[Z", "shift-tab"),
        (b"\x1b[27;5;105~", "ctrl-i"),
        (b"\x1b\x1b[A", "esc up"),
        (b"\x1bOx", "alt-shift-O x"),
        (b"\xff\xc3x\x80", "x"),
    ];
    for (bytes, wanted) in table {
        assert_eq!(keys(bytes), wanted, "{bytes:?}");
    }
}

#[test]
fn keys_of_the_kitty_protocol() {
    let table: [(&[u8], &str); 9] = [
        (b"\x1b[27u\x1b[13u\x1b[9;2u\x1b[127;5u", "esc enter shift-tab ctrl-backspace"),
        (b"\x1b[99;5u\x1b[105;5u", "ctrl-c ctrl-i"),
        (b"\x1b[97;2u\x1b[97:65;2u\x1b[49:33;2u", "shift-A shift-A shift-!"),
        (b"\x1b[97;6u", "ctrl-shift-a"),
        (b"\x1b[57399u\x1b[57414u\x1b[57419u", "0 enter up"),
        (b"\x1b[57376u", "f13"),
        (b"\x1b[120;129u", "x"),
        (b"\x1b[57441;2u\x1b[57358u", ""),
        (b"\x1b[E\x1b[0u", ""),
    ];
    for (bytes, wanted) in table {
        assert_eq!(keys(bytes), wanted, "{bytes:?}");
    }
    let [Decoded::Input(Input::Key(up))] = decode(&[b"\x1b[1;1:3A"])[..] else { panic!("no key") };
    assert_eq!((up.key, up.action), (Key::Up, Action::Release));
}

#[test]
fn replies_and_unknown_sequences_are_no_keys_and_swallow_none() {
    let unknown: [&[u8]; 11] = [
        b"\x1b[?2026;2$y",
        b"\x1b[?1;2R",
        b"\x1b[12;40R",
        b"\x1b[>1;10;0c",
        b"\x1b[4;1000;2000t",
        b"\x1b[99999999999u",
        b"\x1b[5 q",
        b"\x1b]12;rgb:00/00/00\x07",
        b"\x1b]10;rgb:00/00/00\x1b\\",
        b"\x1bP>|xterm(370)\x1b\\",
        b"\x1b[12;",
    ];
    for bytes in unknown {
        let whole = [bytes, "é".as_bytes()].concat();
        assert_eq!(keys(&whole), "é", "{bytes:?}");
    }
    let light = [Decoded::Background { light: true }];
    assert_eq!(decode(&[b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\"]), light);
    assert_eq!(decode(&[b"\x1b]11;rgb:ff/ff", b"/ff\x07"]), light);
    assert_eq!(decode(&[b"\x1b[?0u\x1b[?62;22c"]), [Decoded::KittyFlags, Decoded::DeviceAttributes]);
    let endless = [&b"\x1b["[..], &[b'1'; 3 * MAX_SEQUENCE], b"x"].concat();
    assert_eq!(keys(&endless), "");
    assert_eq!(keys(&[endless, b"y".to_vec()].concat()), "y");
}

#[test]
fn the_mouse_and_focus() {
    let mouse = |bytes: &[u8]| match decode(&[bytes])[..] {
        [Decoded::Input(Input::Mouse(mouse))] => mouse,
        ref other => panic!("{bytes:?}: {other:?}"),
    };
    let at = |kind, button, col, row, mods| Mouse { kind, button, row, col, mods };
    let left = Some(Button::Left);
    assert_eq!(mouse(b"\x1b[<0;5;3M"), at(MouseKind::Press, left, 4, 2, Mods::NONE));
    assert_eq!(mouse(b"\x1b[<2;1;1m"), at(MouseKind::Release, Some(Button::Right), 0, 0, Mods::NONE));
    assert_eq!(mouse(b"\x1b[<48;300;9M"), at(MouseKind::Drag, left, 299, 8, Mods::CTRL));
    assert_eq!(mouse(b"\x1b[<35;2;2M"), at(MouseKind::Move, None, 1, 1, Mods::NONE));
    assert_eq!(mouse(b"\x1b[<69;2;2M"), at(MouseKind::WheelDown, None, 1, 1, Mods::SHIFT));
    assert_eq!(mouse(b"\x1b[M \xff\x21"), at(MouseKind::Press, left, 222, 0, Mods::NONE));
    assert_eq!(mouse(b"\x1b[M##$"), at(MouseKind::Release, left, 2, 3, Mods::NONE));
    assert_eq!(mouse(b"\x1b[32;2;4M"), at(MouseKind::Press, left, 1, 3, Mods::NONE));
    for sideways in [b"\x1b[<66;1;1M", b"\x1b[<67;1;1M"] {
        assert_eq!(decode(&[sideways]), []);
    }
    let focus = |gained| Decoded::Input(Input::Focus(gained));
    assert_eq!(decode(&[b"\x1b[I\x1b[O"]), [focus(true), focus(false)]);
}

/// Over a slow line the bytes of one key come apart: an arrow taken for Esc and two letters would type them.
#[test]
fn a_key_that_comes_in_pieces_is_one_key() {
    let mut decoder = InputDecoder::default();
    let mut out = Vec::new();
    for (piece, ambiguous) in [(&b"\x1b"[..], true), (b"[", true), (b"1;", false), (b"5A\xc3", false)] {
        decoder.push(piece, &mut out);
        assert_eq!(decoder.is_ambiguous(), ambiguous, "{piece:?}");
    }
    decoder.flush(&mut out);
    decoder.push(b"\xa9", &mut out);
    let up = KeyPress { mods: Mods::CTRL, ..KeyPress::plain(Key::Up) };
    assert_eq!(out, [key(up), plain(Key::Char('é'))]);
}

#[test]
fn a_paste_is_one_however_it_comes_and_a_long_one_is_read_in_linear_time() {
    let paste = |text: &str| Decoded::Input(Input::Paste(text.to_owned()));
    let bytes = b"\x1b[200~a\rb\x1b[201\x1b[201~c";
    for at in 0..bytes.len() {
        let wanted = [paste("a\rb\x1b[201"), plain(Key::Char('c'))];
        assert_eq!(decode(&[&bytes[..at], &bytes[at..]]), wanted, "split at {at}");
    }
    let long = "x".repeat(2 * PASTE_PIECE + 1);
    let mut decoder = InputDecoder::default();
    let mut out = Vec::new();
    decoder.push(b"\x1b[200~", &mut out);
    for piece in long.as_bytes().chunks(100) {
        decoder.push(piece, &mut out);
        assert!(decoder.pending.len() < 200, "what was looked at is looked at again");
    }
    decoder.push(b"\x1b[201~", &mut out);
    let length = |decoded: &Decoded| match decoded {
        Decoded::Input(Input::Paste(text)) => text.len(),
        other => panic!("{other:?} is no paste"),
    };
    assert_eq!(out.iter().map(length).sum::<usize>(), long.len());
    assert!(out.iter().all(|piece| length(piece) <= PASTE_PIECE + 100));
}

fn press() -> impl Strategy<Value = KeyPress> {
    let named = prop::sample::select(vec![
        Key::Enter,
        Key::Esc,
        Key::Tab,
        Key::Backspace,
        Key::Up,
        Key::Left,
        Key::Home,
        Key::End,
        Key::PageDown,
        Key::Insert,
        Key::Delete,
    ]);
    let code = prop_oneof![
        named,
        (1u8..=20).prop_map(Key::F),
        prop::char::range(' ', '~').prop_map(Key::Char),
        prop::sample::select(vec!['é', '漢', 'Ä', '❤']).prop_map(Key::Char),
    ];
    let action = prop::sample::select(vec![Action::Press, Action::Repeat, Action::Release]);
    (code, 0u8..16, action).prop_map(|(key, mods, action)| KeyPress { key, mods: Mods(mods), action })
}

fn input() -> impl Strategy<Value = Input> {
    let kinds = vec![
        (MouseKind::Press, true),
        (MouseKind::Release, true),
        (MouseKind::Drag, true),
        (MouseKind::Move, false),
        (MouseKind::WheelUp, false),
        (MouseKind::WheelDown, false),
    ];
    let buttons = prop::sample::select(vec![Button::Left, Button::Middle, Button::Right]);
    let mouse = (prop::sample::select(kinds), buttons, 0u16..300, 0u16..300, 0u8..8).prop_map(
        |((kind, has_button), button, row, col, mods)| Mouse {
            kind,
            button: has_button.then_some(button),
            row,
            col,
            mods: Mods(mods),
        },
    );
    prop_oneof![
        4 => press().prop_map(Input::Key),
        1 => mouse.prop_map(Input::Mouse),
        1 => "[a-zé漢\t\r ]{0,20}".prop_map(Input::Paste),
        1 => any::<bool>().prop_map(Input::Focus),
    ]
}

proptest! {
    /// What comes out makes a program get the very bytes that went in.
    #[test]
    fn what_is_decoded_is_encoded_again_the_same(
        input in input(), kitty in 0u8..32, application_cursor in any::<bool>(),
        mouse_sgr in any::<bool>(), at in any::<prop::sample::Index>()
    ) {
        let modes = Modes {
            application_cursor,
            bracketed_paste: true,
            focus_events: true,
            mouse_click: true,
            mouse_drag: true,
            mouse_motion: true,
            mouse_sgr,
            kitty,
            ..Modes::default()
        };
        let bytes = encode(&input, &modes);
        let (one, two) = bytes.split_at(at.index(bytes.len() + 1));
        let mut again = Vec::new();
        for decoded in decode(&[one, two]) {
            let Decoded::Input(input) = decoded else { panic!("{decoded:?} was never typed") };
            again.extend(encode(&input, &modes));
        }
        prop_assert_eq!(again, bytes);
    }

    /// Whatever came before, once its sequence has run out or been given up a key is read as that key.
    #[test]
    fn nothing_swallows_the_keys_behind_it(noise in prop::collection::vec(any::<u8>(), 0..80)) {
        let (mut decoder, mut out) = (InputDecoder::default(), Vec::new());
        decoder.push(&noise, &mut out);
        decoder.flush(&mut out);
        // The end of a paste, of a mouse report, of a control sequence, of a character.
        decoder.push(b"\x1b[201~", &mut out);
        decoder.push(&[b'~'; 8], &mut out);
        out.clear();
        decoder.push(b"q", &mut out);
        prop_assert_eq!(out, [plain(Key::Char('q'))]);
    }
}
