//! What crosses the socket, letter for letter: another form needs another `VERSION`.

use super::*;
use crate::core::terminal::grid::{Cursor, Style};
use crate::core::terminal::keys::{Key, KeyPress};
use crate::core::terminal::modes::Modes;
use crate::core::terminal::picture::Run;
use crate::wire::{Decoder, Message, encode};

/// A frame around this payload.
fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = u32::try_from(payload.len() + 1).unwrap().to_be_bytes().to_vec();
    frame.push(kind);
    frame.extend(payload);
    frame
}

fn is_golden<M: Message + PartialEq + std::fmt::Debug>(message: M, kind: u8, payload: &[u8]) {
    let golden = frame(kind, payload);
    assert_eq!(encode(&message), golden, "{message:?} is encoded in another form");
    let mut decoder = Decoder::default();
    decoder.push(&golden);
    assert_eq!(decoder.take::<M>(), Ok(Some(message)));
}

#[test]
fn requests_keep_their_form() {
    let asks = |id, request| ClientMessage { id, request };
    let hello = Request::Hello { version: 2, token: Some("t".into()) };
    is_golden(asks(1, hello), 0, br#"{"id":1,"request":{"hello":{"version":2,"token":"t"}}}"#);
    let input = vec![Input::Key(KeyPress::ctrl('c')), Input::Key(KeyPress::plain(Key::Enter))];
    is_golden(
        asks(0, Request::Keys { name: "api".into(), input }),
        0,
        br#"{"id":0,"request":{"keys":{"name":"api","input":[{"key":{"key":{"char":"c"},"mods":4,"action":"press"}},{"key":{"key":"enter","mods":0,"action":"press"}}]}}}"#,
    );
    let input = vec![Input::Key(KeyPress::ctrl('c'))];
    is_golden(asks(300, Request::Keys { name: "api".into(), input }), 2, b"\xac\x02\x03api\x04c");
    let input = vec![Input::Key(KeyPress::plain(Key::Up))];
    is_golden(asks(0, Request::Keys { name: "api".into(), input }), 2, b"\0\x03api\0\x84\x80\x44");
    let panes = vec![Pane { name: "api".into(), size: Some(Size::new(80, 24)) }];
    is_golden(
        asks(3, Request::Watch { panes }),
        0,
        br#"{"id":3,"request":{"watch":{"panes":[{"name":"api","size":{"cols":80,"rows":24}}]}}}"#,
    );
    let next = NextPane { worker: Some(Size::new(80, 24)), ..NextPane::default() };
    is_golden(
        asks(4, Request::NextPane(next)),
        0,
        br#"{"id":4,"request":{"next_pane":{"worker":{"cols":80,"rows":24},"consultant":null,"ended":[]}}}"#,
    );
}

#[test]
fn replies_and_notices_keep_their_form() {
    let hello = Reply::Hello { version: 2, server: "counsel 1".into(), pid: 7 };
    is_golden(
        ServerMessage::Reply { id: 1, reply: hello },
        0,
        br#"{"reply":{"id":1,"reply":{"hello":{"version":2,"server":"counsel 1","pid":7}}}}"#,
    );
    let refused = Notice::KeysRefused { name: "api".into(), message: "api is paused".into() };
    is_golden(
        ServerMessage::Notice(refused),
        0,
        br#"{"notice":{"keys_refused":{"name":"api","message":"api is paused"}}}"#,
    );
    let cut = Notice::LineCut { name: "api".into(), over: true };
    is_golden(ServerMessage::Notice(cut), 0, br#"{"notice":{"line_cut":{"name":"api","over":true}}}"#);
    is_golden(ServerMessage::Notice(Notice::TypesNoMore), 0, br#"{"notice":"types_no_more"}"#);
}

/// One changed row: an echo. `wire/picture.rs` has the rest of its form.
#[test]
fn a_key_s_echo_is_small_and_keeps_its_form() {
    let run = Run { text: "$ l".into(), style: Style::default(), width: 1, cluster: false, link: None };
    let picture = Picture {
        size: Size::new(80, 24),
        rows: vec![(5, Line { runs: vec![run], wrapped: false })],
        cursor: Cursor { row: 5, col: 3, visible: true, shape: 0 },
        modes: Modes::default(),
        title: String::new(),
    };
    let payload = b"\x03api\x50\x18\x05\x03\x80\0\0\0\0\x01\x05\x02\0\x03$ l";
    is_golden(ServerMessage::Notice(Notice::Picture { name: "api".into(), picture }), 1, payload);
}

#[test]
fn a_picture_that_is_none_ends_the_connection() {
    let mut decoder = Decoder::default();
    decoder.push(&frame(1, b"\x03api\x50"));
    assert!(decoder.take::<ServerMessage>().is_err());
}
