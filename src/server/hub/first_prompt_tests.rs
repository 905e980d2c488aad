//! The first prompt of an agent, and the servers it may have to wait for.

use super::*;
use crate::core::detect::witness::{Blind, Witness};
use crate::core::terminal::keys::{Input as Keys, Key, KeyPress};
use crate::server::remembered::Remembered;
use crate::wire::keeper::ToKeeper;

/// A program that nobody described, started with this first prompt.
fn begins_with(name: &str, prompt: &str) -> Stage {
    let spec = AgentSpec {
        name: name.into(),
        command: vec!["program".into()],
        prompt: Some(prompt.into()),
        ..AgentSpec::default()
    };
    let mut stage = Stage::empty();
    stage.request(Request::Start { spec: Box::new(spec), policy: Box::default() });
    let start = Started { pid: 500, keeper: 499, ..Started::default() };
    stage.step(Event::Started { agent: AgentKey(1), start });
    stage.reader = Witness::unknown(Blind::Unsupported);
    stage
}

/// An agent that asks whether its folder is trusted waits with its first prompt for a person, for hours. The next server took
/// that prompt for typed.
#[test]
fn a_first_prompt_that_waits_is_typed_under_the_next_server() {
    let spec = || AgentSpec {
        name: "old".into(),
        command: vec!["program".into()],
        prompt: Some("fix the tests".into()),
        ..AgentSpec::default()
    };
    let ready = |stage: &mut Stage, agent| {
        stage.reader = Witness::unknown(Blind::Unsupported);
        stage.step(Event::Output { agent, bytes: "ready ".repeat(60).into_bytes() });
        stage.pass(3_000);
    };
    let is_held = |effect: &Effect, due: bool| match effect {
        Effect::Keeper { message: ToKeeper::Hold { note }, .. } => note["prompt_due"] == due,
        _ => false,
    };
    let mut stage = Stage::empty();
    stage.request(Request::Start { spec: Box::new(spec()), policy: Box::default() });
    let start = Started { pid: 500, keeper: 499, ..Started::default() };
    stage.step(Event::Started { agent: AgentKey(1), start });
    stage.pass(100);
    assert!(stage.done.iter().any(|effect| is_held(effect, true)));
    ready(&mut stage, AgentKey(1));
    assert_eq!(stage.typed(), "fix the tests\r");
    let typed = stage.done.iter().position(|effect| matches!(effect, Effect::Write { .. }));
    let held = stage.done.iter().position(|effect| is_held(effect, false));
    assert!(held.is_some() && held < typed, "a server that is killed between them has it typed twice");
    for (prompt_due, typed) in [(true, "fix the tests\r"), (false, "")] {
        let earlier = Remembered { state: State::Asking, prompt_due, ..Remembered::default() };
        let mut stage = Stage::empty();
        let agent = stage.adopt(spec(), Policy::default(), Some(earlier));
        let start = Started { pid: 500, keeper: 499, adopted: true, ..Started::default() };
        stage.step(Event::Started { agent, start });
        ready(&mut stage, agent);
        assert_eq!(stage.typed(), typed);
    }
}

/// A server that was killed between the words of a first prompt and their Enter left them unsent: nobody was told.
#[test]
fn whoever_comes_behind_a_server_that_typed_a_first_prompt_says_so() {
    for prompt_begun in [true, false] {
        let spec = AgentSpec { name: "old".into(), command: vec!["program".into()], ..AgentSpec::default() };
        let earlier = Remembered { state: State::Idle, prompt_begun, ..Remembered::default() };
        let mut stage = Stage::empty();
        let agent = stage.adopt(spec, Policy::default(), Some(earlier));
        let start = Started { pid: 500, keeper: 499, adopted: true, ..Started::default() };
        stage.step(Event::Started { agent, start });
        stage.reader = Witness::unknown(Blind::Unsupported);
        stage.step(Event::Output { agent, bytes: b"> fix the tests".to_vec() });
        stage.pass(3_000);
        assert_eq!(stage.notifications() == 1, prompt_begun);
    }
}

/// A person had begun a command: the first prompt went behind it, and both were sent with its Enter.
#[test]
fn a_first_prompt_goes_behind_no_draft() {
    let mut stage = begins_with("shell", "and report");
    let send = |stage: &mut Stage, input: Keys| {
        let request = Request::Send { name: "shell".into(), input: vec![input], enter: false };
        stage.request(request);
        stage.pass(3_000);
    };
    let bytes = "ready ".repeat(60).into_bytes();
    stage.step(Event::Output { agent: AgentKey(1), bytes });
    send(&mut stage, Keys::Text("rm -rf build ".into()));
    assert_eq!(stage.typed(), "rm -rf build ");
    send(&mut stage, Keys::Key(KeyPress::plain(Key::Enter)));
    assert_eq!(stage.typed(), "rm -rf build \rand report\r");
}

/// A prompt's tab reached the program as one blank, and its indent not at all, without a word.
#[test]
fn a_first_prompt_reaches_the_program_as_it_was_given() {
    for (mode, typed) in
        [("", "\tif x:\r\t\treturn 1\r"), ("\x1b[?2004h", "\x1b[200~\tif x:\r\t\treturn 1\x1b[201~\r")]
    {
        let mut stage = begins_with("reader", "\tif x:\n\t\treturn 1\n");
        let bytes = format!("{mode}{}", "ready ".repeat(60)).into_bytes();
        stage.step(Event::Output { agent: AgentKey(1), bytes });
        stage.pass(3_000);
        assert_eq!(stage.typed(), typed);
    }
}

/// Of a prompt that was never typed only `explain` told, and nobody asks that of an agent that seems to be idle.
#[test]
fn a_first_prompt_that_waits_for_long_is_told() {
    let mut stage = begins_with("cat", "hello");
    let untyped = |stage: &mut Stage| match stage.request(Request::List) {
        Some(Reply::Agents { agents }) => agents[0].untyped_prompt.clone(),
        other => panic!("{other:?}"),
    };
    stage.pass(29_000);
    assert_eq!((untyped(&mut stage), stage.notifications()), (None, 0), "it may be loading");
    stage.pass(2_000);
    let waits = untyped(&mut stage).expect("it waits for what does not come");
    assert!(waits.contains("is typed once"), "{waits}");
    assert_eq!(stage.notifications(), 1);
    stage.pass(60_000);
    assert_eq!(stage.notifications(), 1, "once");
    stage.step(Event::Output { agent: AgentKey(1), bytes: "ready ".repeat(60).into_bytes() });
    stage.pass(3_000);
    assert_eq!((untyped(&mut stage), stage.typed()), (None, "hello\r".to_owned()));
}
