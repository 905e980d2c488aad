//! `send --enter` to programs that are slow to show what they were given, or swallow the Enter.

use super::*;
use crate::core::detect::front::Front;
use crate::session::message::News;

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

/// The same with the kernel's word that it waits for keys.
fn waiting() -> Stage {
    let mut stage = idle();
    stage.front = Front::Agent;
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

/// Two that sent at once had their texts glued into one line, which one Enter submitted; one of them was told that it was sent.
#[test]
fn of_two_that_send_at_once_each_gets_a_line_of_its_own() {
    let mut stage = idle();
    let second = stage.another_person();
    let send = |text: &str| Request::Send {
        name: "worker".into(),
        input: vec![Input::Text(text.into())],
        enter: true,
    };
    let from = stage.done.len();
    assert_eq!(stage.request(send("first")), None);
    assert_eq!(stage.ask_as(second, send("second")), None);
    stage.pass(12_000);
    assert_eq!(stage.typed(), "first\rsecond\r");
    let done = |effect: &&Effect| matches!(effect, Effect::Send { message, .. } if matches!(**message, ServerMessage::Reply { reply: Reply::Done, .. }));
    assert_eq!(stage.done[from..].iter().filter(done).count(), 2);
}

/// What is typed behind a text that was not submitted would be submitted with it.
#[test]
fn what_waits_behind_a_text_that_is_not_submitted_is_not_typed() {
    let mut stage = idle();
    let second = stage.another_person();
    assert_eq!(send(&mut stage, "go on"), None);
    let input = vec![Input::Text("second".into())];
    assert_eq!(stage.ask_as(second, Request::Send { name: "worker".into(), input, enter: false }), None);
    let input = vec![Input::Text("!".into())];
    stage.request(Request::Keys { name: "worker".into(), input });
    shows(&mut stage, "go on!");
    stage.pass(10_000);
    assert_eq!((enters(&stage), stage.typed().contains("second")), (0, false));
    let refused = |effect: &Effect| {
        matches!(effect, Effect::Send { client, message } if *client == second
        && matches!(&**message, ServerMessage::Reply { reply: Reply::Error { message, .. }, .. } if message.contains("nothing was typed")))
    };
    assert!(stage.done.iter().any(refused));
}

/// `counsel server restart` came between the Enter and the word of it: the sender was told that it could not send, and would
/// have sent it again.
#[test]
fn a_server_that_makes_way_tells_of_the_enter_it_pressed_before_it_goes() {
    let mut stage = idle();
    let input = vec![Input::Text("ls".into())];
    assert_eq!(stage.request(Request::Send { name: "worker".into(), input, enter: true }), None);
    let other = stage.another_person();
    assert_eq!(stage.ask_as(other, Request::Replace), None);
    shows(&mut stage, "ls");
    stage.pass(600);
    shows(&mut stage, "");
    stage.pass(2_000);
    assert_eq!(enters(&stage), 1);
    let told = |effect: &Effect| matches!(effect, Effect::Send { client: PERSON, message } if matches!(**message, ServerMessage::Reply { id: 7, reply: Reply::Done }));
    let place = |of: &dyn Fn(&Effect) -> bool| stage.done.iter().rposition(of);
    let (told, gone) = (place(&told), place(&|effect| matches!(effect, Effect::Exit)));
    assert!(told.is_some() && told < gone, "told at {told:?}, gone at {gone:?}");
}

/// A text was typed just before a server made way; the hub had not heard of it, and its Enter was never pressed. What was sent
/// next stood behind it in the same line.
#[test]
fn a_server_makes_way_once_every_session_has_told_what_it_is_typing() {
    use crate::server::effect::{Effect, Event as ToHub};
    let mut stage = Stage::new(Policy::default());
    let client = stage.another_person();
    let goes = |effects: &[Effect]| effects.iter().any(|effect| matches!(effect, Effect::Exit));
    let asked = ToHub::Request { client, id: 8, request: Request::Replace };
    assert!(!goes(&stage.hub.step(asked, stage.now)), "a session may have more to tell");
    let told = ToHub::News { agent: AgentKey(1), news: News::Barrier };
    assert!(goes(&stage.hub.step(told, stage.now)));
}

/// An answer that was ordered behind its session's word was being typed when the server went.
#[test]
fn a_server_makes_way_once_the_answer_that_it_ordered_is_typed() {
    use crate::server::effect::{Effect, Event as ToHub};
    use crate::session::message::Order;
    let mut stage = Stage::new(Policy::default());
    stage.play_to(5.9);
    let id = stage.questions()[0].id.clone();
    stage.pass(2_000);
    let client = stage.another_person();
    let goes = |effects: &[Effect]| effects.iter().any(|effect| matches!(effect, Effect::Exit));
    let ordered = |effects: &[Effect]| {
        effects.iter().any(
            |effect| matches!(effect, Effect::Order { order, .. } if matches!(**order, Order::Deliver(_))),
        )
    };
    let replace = ToHub::Request { client, id: 8, request: Request::Replace };
    assert!(!goes(&stage.hub.step(replace, stage.now)));
    let given = GivenAnswer { options: vec!["1".into()], ..GivenAnswer::default() };
    let answer = ToHub::Request { client: PERSON, id: 9, request: Request::Answer { id, answer: given } };
    assert!(ordered(&stage.hub.step(answer, stage.now)));
    let told = ToHub::News { agent: AgentKey(1), news: News::Barrier };
    assert!(!goes(&stage.hub.step(told, stage.now)), "it is being typed");
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
    let mut stage = waiting();
    send(&mut stage, "go on");
    shows(&mut stage, "go on");
    stage.pass(10_000);
    assert_eq!(enters(&stage), 3);
    assert!(matches!(told(&stage), Some(Reply::Error { code: 1, .. })), "{:?}", told(&stage));
}

/// A machine was so busy that the first Enter was still unread after a second. The second one chose a row of the dialog that
/// the first had led to: a command was approved that nobody had looked at.
#[test]
fn an_enter_is_not_pressed_again_while_its_program_has_work_to_do() {
    for front in [Front::Nobody, Front::Unseen, Front::Other("sh".to_owned())] {
        let mut stage = idle();
        stage.front = front;
        send(&mut stage, "go on");
        shows(&mut stage, "go on");
        stage.pass(40_000);
        assert_eq!(enters(&stage), 1);
        assert!(matches!(told(&stage), Some(Reply::Done)), "{:?}", told(&stage));
    }
    let mut stage = waiting();
    send(&mut stage, "go on");
    shows(&mut stage, "go on");
    // It sleeps now and then in between.
    for pass in 0..100 {
        stage.front = if pass % 3 == 0 { Front::Nobody } else { Front::Agent };
        stage.pass(50);
    }
    assert_eq!(enters(&stage), 1);
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

/// The end of the program, as its keeper tells it, and of all that it left.
fn ends(stage: &mut Stage) {
    let killed = crate::wire::keeper::Exit { code: None, signal: Some(9) };
    for message in [
        FromKeeper::Exited(killed),
        FromKeeper::Swept { killed: Vec::new(), left: Vec::new(), kept: Vec::new() },
    ] {
        stage.step(Event::Keeper { agent: AgentKey(1), message });
    }
}

/// Who had sent words with an Enter to an agent that was stopped, or started again, before the Enter waited for ever.
#[test]
fn whoever_waits_for_an_enter_is_told_when_the_agent_ends_before_it() {
    for end in [
        Request::Stop { names: vec!["worker".into()], grace_ms: 0 },
        Request::Restart { name: "worker".into() },
    ] {
        let mut stage = idle();
        assert_eq!(send(&mut stage, "go on"), None);
        stage.step(Event::Request { client: PERSON, id: 8, request: end });
        ends(&mut stage);
        stage.pass(1);
        let reply = told(&stage);
        let said = matches!(&reply, Some(Reply::Error { code: 1, message }) if message.contains("Enter was not pressed"));
        assert!(said, "{reply:?}");
        assert_eq!(enters(&stage), 0);
    }
}

/// A pause between the text and its Enter was told as the end of the program.
#[test]
fn an_enter_for_an_agent_that_was_paused_meanwhile_is_refused_and_says_where_the_text_is() {
    let mut stage = idle();
    assert_eq!(send(&mut stage, "go on"), None);
    let message = FromKeeper::Paused { forced: Vec::new(), running: Vec::new() };
    stage.step(Event::Keeper { agent: AgentKey(1), message });
    stage.pass(10_000);
    let reply = told(&stage);
    let said = matches!(&reply, Some(Reply::Error { code: 4, message })
        if message.contains("run 'counsel resume worker' first") && message.contains("the text is in its input line"));
    assert!(said, "{reply:?}");
    assert_eq!(enters(&stage), 0);
}

/// A line that something printed before Claude Code's own screen ("Pulling image...") made a living program `exited`: `wait --for exited`
/// came back, and `up` said that it had failed.
#[test]
fn a_program_that_runs_has_not_exited_whatever_its_screen_shows() {
    let mut stage = Stage::new(Policy::default());
    stage.step(Event::Output { agent: stage.agent, bytes: b"Pulling image...\r\n".to_vec() });
    for _ in 0..40 {
        stage.pass(1_000);
        let state = stage.hub.lifecycle.agents.get(stage.agent).expect("it runs").sight.state;
        assert_ne!(state, State::Exited);
    }
    shows(&mut stage, "");
    stage.pass(1_000);
    assert_eq!(stage.hub.lifecycle.agents.get(stage.agent).expect("it runs").sight.state, State::Idle);
}

/// While it is only looked whether a `send` was taken, a question that the program asks at once is answered.
#[test]
fn a_question_that_follows_a_send_at_once_is_answered() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.front = Front::Agent;
    shows(&mut stage, "");
    stage.pass(1_000);
    assert!(send(&mut stage, "go on").is_none());
    shows(&mut stage, "go on");
    stage.pass(1_000);
    assert_eq!(enters(&stage), 1);
    let asks = "\x1b[H\x1b[2J────────────────────\r\n ☐ Store\r\n\r\nWhich store?\r\n\r\n❯ 1. PostgreSQL\r\n  2. SQLite\r\n\r\nEnter to select · ↑/↓ to navigate · Esc to cancel";
    stage.step(Event::Output { agent: stage.agent, bytes: asks.as_bytes().to_vec() });
    stage.pass(300);
    let asked = stage.questions();
    assert_eq!(asked.len(), 1, "{asked:?}");
    let answer = GivenAnswer { options: vec!["1".into()], ..GivenAnswer::default() };
    let reply = stage.request(Request::Answer { id: asked[0].id.clone(), answer });
    assert!(!matches!(reply, Some(Reply::Error { .. })), "{reply:?}");
    assert_eq!(stage.questions()[0].status, Status::Answering, "{:?}", stage.questions()[0].note);
}

/// Claude Code asks whether it may run something.
fn asks(stage: &mut Stage) {
    let rows = "Do you want to proceed?\r\n❯ 1. Yes\r\n  2. No, and tell Claude what to do differently (esc)";
    let rule = "─".repeat(120);
    let screen = format!(
        "\x1b[?25l\x1b[H\x1b[2J{rule}\r\n Bash command\r\n\r\n   touch it\r\n\r\n {rows}\r\n\r\n Esc to cancel"
    );
    stage.step(Event::Output { agent: AgentKey(1), bytes: screen.into_bytes() });
    stage.pass(60);
}

fn refused(reply: Option<Reply>) -> bool {
    matches!(reply, Some(Reply::Error { code: 4, message }) if message.contains("shows a dialog"))
}

/// A prompt was sent while a request for permission stood there: its words were lost, and its Enter let the command run.
#[test]
fn words_are_not_sent_to_a_dialog_that_takes_them_for_keys() {
    let mut stage = idle();
    asks(&mut stage);
    stage.pass(1_000);
    assert!(refused(send(&mut stage, "please do not do that")));
    let words = vec![Input::Text("yes and no".into())];
    let request = Request::Send { name: "worker".into(), input: words, enter: false };
    assert!(refused(stage.request(request)));
    stage.pass(10_000);
    assert_eq!(stage.typed(), "");
    // What is meant for its rows goes there.
    for input in [Input::Text("2".into()), Input::Key(KeyPress::plain(Key::Down))] {
        stage.request(Request::Send { name: "worker".into(), input: vec![input], enter: false });
    }
    assert_eq!(stage.typed(), "2\x1b[B");
}

/// The dialog came between the words and their Enter.
#[test]
fn the_enter_of_words_is_not_pressed_in_a_dialog() {
    let mut stage = idle();
    assert_eq!(send(&mut stage, "go on"), None);
    asks(&mut stage);
    stage.pass(10_000);
    assert_eq!(enters(&stage), 0);
    assert!(refused(told(&stage)));
}
