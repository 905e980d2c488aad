//! What of a program's output is a query, however it is cut.

use super::*;

fn feed(bytes: &[u8]) -> QueryParser {
    let (mut parser, mut query_parser) = (vte::Parser::new(), QueryParser::new());
    parser.advance(&mut query_parser, bytes);
    query_parser
}

#[test]
fn status_reports_are_decoded() {
    let query_parser =
        feed(b"\x1b]7501;state=blocked:app=claude-code:kind=permission:msg=YXBwcm92ZSBCYXNoOiBscw==\x07");
    let Some(Report::Status(status)) = query_parser.reports.first() else {
        panic!("no report: {query_parser:?}")
    };
    assert_eq!((status.state.as_str(), status.app.as_str()), ("blocked", "claude-code"));
    assert_eq!(status.kind.as_deref(), Some("permission"));
    assert_eq!(status.message.as_deref(), Some("approve Bash: ls"));
}

#[test]
fn kitty_flags_are_kept_for_each_screen_and_bounded() {
    let mut bytes = b"\x1b[>5u\x1b[?1049h".to_vec();
    assert_eq!(feed(&bytes).modes().kitty, 0);
    bytes.extend(b"\x1b[>7u".repeat(10_000));
    assert_eq!(feed(&bytes).modes().kitty, 7);
    bytes.extend(b"\x1b[?1049l");
    assert_eq!(feed(&bytes).modes().kitty, 5);
}

#[test]
fn queries_stop_the_parser_where_they_end() {
    let (mut parser, mut query_parser) = (vte::Parser::new(), QueryParser::new());
    let bytes = b"ab\x1b[6ncd";
    assert_eq!(parser.advance_until_terminated(&mut query_parser, bytes), 6);
    assert_eq!(query_parser.queue, [Query::CursorPosition { dec: false }]);
}

/// What a program hands through to the terminal around a tmux is for that one.
#[test]
fn nothing_is_copied_from_within_a_passthrough() {
    let copies = |bytes: &[u8]| {
        feed(bytes).reports.iter().filter(|report| matches!(report, Report::Clipboard(_))).count()
    };
    assert_eq!(copies(b"\x1b]52;c;aGk=\x07"), 1);
    assert_eq!(copies(b"\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\"), 0);
    assert_eq!(copies(b"\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\\x1b]52;c;aGk=\x07"), 1);
}

#[test]
fn progress_is_not_a_notification() {
    assert!(feed(b"\x1b]9;4;3;\x07").reports.is_empty());
    assert_eq!(feed(b"\x1b]9;hello\x07").reports, [Report::Notification("hello".into())]);
}
