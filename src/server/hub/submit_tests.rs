//! `send --enter` to programs that are slow to show what they were given, or swallow the Enter.

use super::*;

/// Claude Code's input line with this draft in it, and nothing else.
fn shows(stage: &mut Stage, draft: &str) {
    let rule = "─".repeat(120);
    let screen =
        format!("\x1b[?2004h\x1b[?25l\x1b[H\x1b[2J{rule}\r\n❯ {draft}\r\n{rule}\r\n  ? for shortcuts");
    stage.step(Event::Output { agent: AgentKey(1), bytes: screen.into_bytes() });
    stage.pass(60);
}

fn idle() -> Stage {
    let mut stage = Stage::new(Policy::default());
    shows(&mut stage, "");
    stage.pass(1_000);
    stage
}

/// Sends the text with an Enter; the reply, if it came at once.
fn send(stage: &mut Stage, text: &str) -> Option<Reply> {
    let input = vec![Input::Paste(text.into())];
    stage.request(Request::Send { name: "worker".into(), input, enter: true })
}

fn enters(stage: &Stage) -> usize {
    stage.typed().matches('\r').count()
}

#[test]
fn enter_waits_until_the_text_is_in_the_input_line() {
    // A Claude Code on a busy machine took the Enter first, and the text stood there for ever.
    let mut stage = idle();
    assert_eq!(send(&mut stage, "go on"), None);
    stage.pass(2_000);
    assert_eq!(enters(&stage), 0, "nothing is there to be sent");
    shows(&mut stage, "go on");
    stage.pass(600);
    assert_eq!(enters(&stage), 1);
    shows(&mut stage, "");
    stage.pass(3_000);
    assert_eq!(enters(&stage), 1);
    assert!(matches!(told(&stage), Some(Reply::Done)));
}

#[test]
fn no_enter_goes_into_a_terminal_that_collects_lines() {
    // A Claude Code 2.0.70 had lost its terminal, and three Enters stood as empty lines in the draft.
    let mut stage = idle();
    stage.lines = true;
    assert_eq!(send(&mut stage, "go on"), None);
    shows(&mut stage, "go on");
    stage.pass(5_000);
    assert_eq!(enters(&stage), 0);
    stage.lines = false;
    stage.pass(200);
    assert_eq!(enters(&stage), 1);

    let mut stage = idle();
    stage.lines = true;
    assert_eq!(send(&mut stage, "go on"), None);
    shows(&mut stage, "go on");
    stage.pass(20_000);
    assert!(matches!(told(&stage), Some(Reply::Error { code: 1, .. })), "{:?}", told(&stage));
    assert_eq!(enters(&stage), 0);
}

#[test]
fn an_enter_that_was_swallowed_is_pressed_again_and_at_most_three_times() {
    let mut stage = idle();
    send(&mut stage, "go on");
    shows(&mut stage, "go on");
    stage.pass(10_000);
    assert_eq!(enters(&stage), 3);
    assert!(matches!(told(&stage), Some(Reply::Error { code: 1, .. })), "{:?}", told(&stage));
}

#[test]
fn enter_is_not_pressed_on_what_somebody_else_typed() {
    let mut stage = idle();
    send(&mut stage, "go on");
    stage.pass(500);
    let input = vec![Input::Text("!".into())];
    stage.request(Request::Keys { name: "worker".into(), input });
    shows(&mut stage, "go on!");
    stage.pass(10_000);
    assert_eq!(enters(&stage), 0);
}

#[test]
fn a_program_that_never_shows_what_it_is_given_gets_its_enter_all_the_same() {
    let mut stage = idle();
    send(&mut stage, "go on");
    stage.pass(6_000);
    assert_eq!(enters(&stage), 1);
    assert!(matches!(told(&stage), Some(Reply::Done)));
}

#[test]
fn no_enter_is_pressed_on_a_screen_that_is_old() {
    // The server was stopped for a second; in the meantime the text was sent and a menu came.
    let mut stage = idle();
    send(&mut stage, "go on");
    shows(&mut stage, "go on");
    stage.pass(600);
    assert_eq!(enters(&stage), 1);
    let menu = "\x1b[H\x1b[2J● Which one?\r\n\r\n❯ 1. Drop the table\r\n  2. Keep it\r\n\r\nEnter to select · Esc to cancel";
    stage.unread = menu.as_bytes().to_vec();
    stage.pass(10_000);
    assert_eq!(enters(&stage), 1);
}

#[test]
fn a_draft_that_stands_long_after_the_start_is_not_sent_twice() {
    let mut stage = idle();
    stage.pass(60_000);
    send(&mut stage, "go on");
    shows(&mut stage, "go on");
    stage.pass(10_000);
    assert_eq!(enters(&stage), 1);
}
