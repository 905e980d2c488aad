//! The hub rests: it asks to be woken only for what is still to be done, whatever state an agent is in.
//! `Stage::pass` fails as soon as a wake leaves something due.

use super::*;

fn output(stage: &mut Stage, text: &str) {
    stage.step(Event::Output { agent: AgentKey(1), bytes: text.as_bytes().to_vec() });
}

#[test]
fn a_frame_that_does_not_end_keeps_nobody_busy() {
    let mut stage = Stage::new(Policy::default());
    output(&mut stage, "before\r\n\x1b[?2026hhalf a fra");
    stage.pass(10_000);
    output(&mut stage, "me\x1b[?2026l and after it");
    stage.pass(10_000);
}

#[test]
fn a_screen_that_stays_blank_keeps_nobody_busy() {
    let mut stage = Stage::new(Policy::default());
    output(&mut stage, &format!("{}\x1b[2J\x1b[H", "x".repeat(300)));
    stage.pass(10_000);
    assert_eq!(stage.agent(1).state(), State::Starting);
}

/// What printed without a pause was `starting` for as long as it did so.
#[test]
fn an_agent_that_prints_without_end_has_started() {
    let mut stage = super::typed::printing_with("", |_| {});
    for _ in 0..1_100 {
        stage.step(Event::Output { agent: AgentKey(1), bytes: b"one more line\r\n".to_vec() });
        stage.pass(10);
    }
    assert_eq!(stage.agent(1).state(), State::Unknown);
}

/// Who began one synchronized update after the other kept a question from ever being seen, and nobody was called.
#[test]
fn updates_without_end_hide_no_question() {
    let mut stage = super::typed::printing_with("", |_| {});
    let begin = |stage: &mut Stage, text: &str| {
        stage.step(Event::Output { agent: AgentKey(1), bytes: format!("\x1b[?2026h{text}").into_bytes() });
        stage.pass(50);
    };
    begin(&mut stage, "Use TypeScript? [Y/n] ");
    for _ in 0..60 {
        begin(&mut stage, "");
    }
    assert_eq!(stage.questions().len(), 1, "{:?}", stage.questions());
}

#[test]
fn an_agent_that_is_gone_before_its_picture_keeps_nobody_busy() {
    let mut stage = Stage::new(Policy::default());
    stage.request(Request::Watch { panes: vec![Pane { name: "worker".into(), size: None }] });
    output(&mut stage, "one");
    output(&mut stage, "two");
    let message = Message::Life(ToLifecycle::Remove(AgentKey(1)));
    stage.hub.run(vec![message]);
    stage.pass(10_000);
}

/// A person types into an agent that goes on and redraws. What they typed is to be looked at 200 ms later, while the
/// redraw is not to be judged yet: until it was, the session had itself woken again and again.
#[test]
fn keys_typed_during_a_redraw_keep_nobody_busy() {
    let mut stage = Stage::new(Policy::default());
    output(&mut stage, "\x1b[?2004h> ");
    stage.pass(1_000);
    let keeper = |message| Event::Keeper { agent: AgentKey(1), message };
    stage.step(keeper(FromKeeper::Paused { forced: Vec::new(), running: Vec::new() }));
    stage.step(keeper(FromKeeper::Continued));
    stage.step(Event::PersonTyped { agent: AgentKey(1) });
    stage.pass(10_000);
}

/// Whoever waited for an agent that was taken off the list before it had ended waited until their own time was up.
#[test]
fn whoever_waits_for_an_agent_that_is_removed_is_told() {
    use crate::wire::message::WaitFor;
    for (what, told) in [(WaitFor::Idle, false), (WaitFor::Exited, true)] {
        let mut stage = Stage::empty();
        let spec =
            AgentSpec { name: "worker".into(), command: vec!["claude".into()], ..AgentSpec::default() };
        stage.request(Request::Start { spec: Box::new(spec), policy: Box::default() });
        let wait = Request::Wait { name: "worker".into(), what, timeout_ms: None };
        assert!(stage.request(wait).is_none(), "it is still being started");
        let from = stage.done.len();
        stage.step(Event::StartFailed { agent: AgentKey(1), why: "no such file".into() });
        let replies: Vec<&Reply> = stage.done[from..].iter().filter_map(reply).collect();
        assert_eq!(replies.len(), 2, "to the start and to the wait: {replies:?}");
        assert_eq!(replies.iter().any(|reply| matches!(reply, Reply::Waited { .. })), told, "{replies:?}");
    }
}

fn told(stage: &Stage, from: usize) -> Vec<&Reply> {
    stage.done[from..].iter().filter_map(reply).collect()
}

/// A `read --wait` without a cursor gave what had been printed long before at once.
#[test]
fn a_read_without_a_cursor_waits_for_what_is_new_to_the_caller() {
    use crate::wire::message::ReadMode;
    let read = |seen| Request::Read {
        name: "worker".into(),
        since: None,
        tail: None,
        wait_ms: 30_000,
        mode: ReadMode::Output,
        seen,
    };
    let mut stage = Stage::new(Policy::default());
    output(&mut stage, "old\r\n");
    // Whoever has seen nothing yet is told at once.
    let Some(Reply::Text(first)) = stage.request(read(Some(0))) else { panic!("all of it is new") };
    assert!(first.text.contains("old"), "{first:?}");
    for seen in [None, Some(first.cursor)] {
        assert_eq!(stage.request(read(seen)), None, "nothing is new");
    }
    let from = stage.done.len();
    output(&mut stage, "new\r\n");
    stage.pass(1_000);
    let told = told(&stage, from);
    assert_eq!(told.len(), 2, "{told:?}");
    for reply in told {
        let Reply::Text(text) = reply else { panic!("{reply:?}") };
        assert!(text.text.contains("old\nnew"), "{text:?}");
    }
}

/// A `read --wait` of more than half a minute was over after that, with the old text and without a word.
#[test]
fn a_read_waits_for_as_long_as_it_was_told_to() {
    use crate::wire::message::ReadMode;
    let mut stage = Stage::new(Policy::default());
    output(&mut stage, "old\r\n");
    let (name, mode) = ("worker".to_owned(), ReadMode::Output);
    let read = Request::Read { name, since: None, tail: None, wait_ms: 60_000, mode, seen: None };
    let from = stage.done.len();
    assert_eq!(stage.request(read), None, "nothing is new");
    stage.pass(59_000);
    assert!(told(&stage, from).is_empty());
    stage.pass(2_000);
    assert_eq!(told(&stage, from).len(), 1);
}

/// Lines that a smaller size had no room for were nowhere until the program printed again: neither `read` nor the
/// scrollback had them.
#[test]
fn what_a_smaller_size_has_no_room_for_is_read_all_the_same() {
    use crate::wire::message::ReadMode;
    let mut stage = Stage::new(Policy::default());
    let all: Vec<String> = (0..30).map(|line| format!("line {line}")).collect();
    output(&mut stage, &all.join("\r\n"));
    let read = |stage: &mut Stage, mode, since| {
        let request =
            Request::Read { name: "worker".into(), since, tail: None, wait_ms: 0, mode, seen: None };
        match stage.request(request) {
            Some(Reply::Text(text)) => text,
            other => panic!("{other:?}"),
        }
    };
    let before = read(&mut stage, ReadMode::Output, None);
    let resize = |stage: &mut Stage, rows| {
        stage.request(Request::Resize { name: "worker".into(), size: Size::new(120, rows) });
        stage.pass(3_000);
    };
    resize(&mut stage, 8);
    for mode in [ReadMode::Output, ReadMode::Scrollback] {
        assert_eq!(read(&mut stage, mode, None).text.trim_end(), all.join("\n"));
    }
    let Some(Reply::History { end, lines, .. }) =
        stage.request(Request::History { name: "worker".into(), from: 0, count: 100 })
    else {
        panic!("no history")
    };
    assert_eq!((end, lines.len()), (22, 22), "what is not on the screen");
    assert_eq!(lines[21].text().trim_end(), "line 21");
    assert_eq!(read(&mut stage, ReadMode::Output, Some(before.cursor)).text, "", "nothing of it is new");
    // They come back with the room, and leave for good once the program goes on.
    resize(&mut stage, 20);
    assert_eq!(read(&mut stage, ReadMode::Output, None).text.trim_end(), all.join("\n"));
    output(&mut stage, "\r\nline 30");
    assert_eq!(read(&mut stage, ReadMode::Output, None).text.lines().count(), 31);
    assert_eq!(read(&mut stage, ReadMode::Output, Some(before.cursor)).text.trim(), "line 30");
}

/// What was drawn over a line that had been read was lost: a failure in place of "waiting...", with nothing said of it.
#[test]
fn a_line_drawn_over_behind_a_readers_back_is_read_again() {
    use crate::wire::message::ReadMode;
    let read = |since, seen, wait_ms| Request::Read {
        name: "worker".into(),
        since,
        tail: None,
        wait_ms,
        mode: ReadMode::Output,
        seen,
    };
    for (before, then, new) in [
        ("waiting...", "\rFAILED: x1\r\nnext\r\n", "FAILED: x1\nnext\n"),
        ("10%", "\r100% done\r\n", "100% done\n"),
        ("downloading", "\r\x1b[Kok", "ok"),
        ("downloading", "\r\x1b[Kok\r\n", "ok\n"),
        ("wait", "ed\r\n", "ed\n"),
        ("done\r\n", "more", "more"),
    ] {
        let mut stage = Stage::new(Policy::default());
        output(&mut stage, &format!("first\r\n{before}"));
        let Some(Reply::Text(seen)) = stage.request(read(None, None, 0)) else { panic!("{before}") };
        output(&mut stage, then);
        let Some(Reply::Text(text)) = stage.request(read(Some(seen.cursor), None, 0)) else {
            panic!("{then}")
        };
        assert_eq!((text.text.as_str(), text.truncated), (new, false), "{before:?}, then {then:?}");
        let Some(Reply::Text(text)) = stage.request(read(Some(text.cursor), None, 0)) else {
            panic!("{then}")
        };
        assert_eq!(text.text, "", "{then:?} is told once");
    }
    // It wakes whoever waits, with a cursor and without.
    for with in [true, false] {
        let mut stage = Stage::new(Policy::default());
        output(&mut stage, "aaa");
        let Some(Reply::Text(seen)) = stage.request(read(None, None, 0)) else { panic!("aaa") };
        let from = stage.done.len();
        let since = with.then_some(seen.cursor);
        assert_eq!(stage.request(read(since, None, 30_000)), None, "there is nothing new yet");
        output(&mut stage, "\rbbb");
        assert!(
            told(&stage, from)
                .iter()
                .any(|reply| matches!(reply, Reply::Text(text) if text.text.ends_with("bbb")))
        );
    }
}

/// It came back at once, however long it was to wait.
#[test]
fn a_reader_of_the_screen_waits_for_what_is_new_to_it() {
    use crate::wire::message::ReadMode;
    let read = |since, seen, wait_ms| Request::Read {
        name: "worker".into(),
        since,
        tail: None,
        wait_ms,
        mode: ReadMode::Screen,
        seen,
    };
    let screen = |stage: &Stage, from| {
        let texts: Vec<String> = told(stage, from)
            .iter()
            .filter_map(|reply| match reply {
                Reply::Text(text) => Some(text.text.clone()),
                _ => None,
            })
            .collect();
        texts
    };
    for way in ["alone", "since", "seen"] {
        let mut stage = Stage::new(Policy::default());
        output(&mut stage, "\x1b[?1049h\x1b[H50%");
        let Some(Reply::Text(shown)) = stage.request(read(None, None, 0)) else { panic!("the screen") };
        let (since, seen) = match way {
            "since" => (Some(shown.cursor), None),
            "seen" => (None, Some(shown.cursor)),
            _ => (None, None),
        };
        let from = stage.done.len();
        assert_eq!(stage.request(read(since, seen, 30_000)), None, "{way}: there is nothing new yet");
        stage.pass(1_000);
        assert_eq!(screen(&stage, from), Vec::<String>::new(), "{way}");
        // It is drawn over and no line longer.
        output(&mut stage, "\x1b[H60%");
        assert!(matches!(&screen(&stage, from)[..], [text] if text.trim() == "60%"), "{way}");
        let from = stage.done.len();
        assert_eq!(stage.request(read(None, None, 2_000)), None);
        stage.pass(2_500);
        assert_eq!(screen(&stage, from).len(), 1, "{way}: it has waited long enough");
        // What came between is new.
        output(&mut stage, "\r\nmore");
        if way != "alone" {
            assert!(matches!(stage.request(read(since, seen, 30_000)), Some(Reply::Text(_))), "{way}");
        }
    }
}

/// Whoever followed a program by the cursors it was given got an error once the program had left the alternate screen: the
/// lines that came back were fewer.
#[test]
fn a_cursor_that_was_given_is_good_for_as_long_as_its_life() {
    use crate::wire::message::ReadMode;
    let mut stage = Stage::new(Policy::default());
    let read = |stage: &mut Stage, since| {
        let mode = ReadMode::Output;
        stage.request(Request::Read {
            name: "worker".into(),
            since,
            tail: None,
            wait_ms: 0,
            mode,
            seen: None,
        })
    };
    output(&mut stage, "one\r\n\x1b[?1049h\x1b[20;1Ha program of many lines");
    let Some(Reply::Text(before)) = read(&mut stage, None) else { panic!("its lines") };
    output(&mut stage, "\x1b[?1049ltwo\r\n");
    let Some(Reply::Text(after)) = read(&mut stage, Some(before.cursor)) else { panic!("what is new since") };
    assert!(after.text.contains("two"), "{:?}", after.text);
    output(&mut stage, "three\r\n");
    let Some(Reply::Text(last)) = read(&mut stage, Some(after.cursor)) else { panic!("what is new since") };
    assert_eq!(last.text.trim(), "three");
    let beyond = read(&mut stage, Some(before.cursor + 1_000_000));
    assert!(matches!(beyond, Some(Reply::Error { code: 2, .. })), "{beyond:?}");
}

/// `answer`, then `wait --for asking`: the wait ended at once, for the question that was being answered.
#[test]
fn a_question_that_is_being_answered_asks_nobody() {
    use crate::wire::message::{GivenAnswer, Status, WaitFor};
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    let wait = || Request::Wait { name: "worker".into(), what: WaitFor::Asking, timeout_ms: None };
    assert!(matches!(stage.request(wait()), Some(Reply::Waited { .. })));
    let answer = GivenAnswer { options: vec!["2".into()], ..GivenAnswer::default() };
    stage.request(Request::Answer { id: "q1".into(), answer });
    assert_eq!(stage.questions()[0].status, Status::Answering);
    assert_eq!(stage.request(wait()), None);
    // A person types: it is theirs to answer, and asks.
    let from = stage.done.len();
    stage.step(Event::PersonTyped { agent: AgentKey(1) });
    stage.pass(2_000);
    assert_eq!(stage.questions()[0].status, Status::Escalated);
    let told = told(&stage, from);
    assert!(told.iter().any(|reply| matches!(reply, Reply::Waited { .. })), "{told:?}");
}

/// A prompt that stands is looked at again every second, and what was to be looked at again was never thought judged:
/// once anything had been typed into a shell script, a wait for its next question went on until its time was up.
#[test]
fn whoever_waits_for_a_question_in_a_line_is_told_after_something_was_typed() {
    use crate::wire::message::WaitFor;
    let mut stage = Stage::empty();
    let spec = AgentSpec { name: "deploy".into(), command: vec!["./deploy".into()], ..AgentSpec::default() };
    stage.request(Request::Start { spec: Box::new(spec), policy: Box::default() });
    stage.step(Event::Started { agent: AgentKey(1), start: Started { pid: 600, ..Started::default() } });
    output(&mut stage, "first ");
    stage.pass(1_000);
    let wait = || Request::Wait { name: "deploy".into(), what: WaitFor::Asking, timeout_ms: None };
    stage.request(Request::Send {
        name: "deploy".into(),
        input: vec![Input::Text("go\r".into())],
        enter: false,
    });
    assert_eq!(stage.request(wait()), None, "the screen shows what stood there before");
    let from = stage.done.len();
    output(&mut stage, "go\r\nWhich port? ");
    stage.pass(1_000);
    assert_eq!(stage.agent(1).state(), State::Asking);
    let told = told(&stage, from);
    assert!(told.iter().any(|reply| matches!(reply, Reply::Waited { .. })), "{told:?}");
    assert!(matches!(stage.request(wait()), Some(Reply::Waited { .. })), "and it asks still");
}

fn reply(effect: &Effect) -> Option<&Reply> {
    let Effect::Send { message, .. } = effect else { return None };
    if let ServerMessage::Reply { reply, .. } = &**message { Some(reply) } else { None }
}

/// Ten bits of the process id told the lives of an agent apart: one in 1,024 restarts took a cursor of the life before for
/// its own, and gave lines that are not those.
#[test]
fn a_cursor_of_the_life_before_is_none_of_the_next_whatever_its_pid() {
    use crate::core::agent::AgentSpec;
    use crate::server::remembered::Remembered;
    use crate::wire::keeper::ToKeeper;
    use crate::wire::message::ReadMode;
    let read = |stage: &mut Stage, since| {
        let name = "worker".into();
        let mode = ReadMode::Output;
        stage.request(Request::Read { name, since, tail: None, wait_ms: 0, mode, seen: None })
    };
    let begins = |stage: &mut Stage, agent, pid| {
        let start = Started { pid, keeper: 499, ..Started::default() };
        stage.step(Event::Started { agent: AgentKey(agent), start });
    };
    let ends = |stage: &mut Stage, agent| {
        let message = FromKeeper::Exited(Exit { code: Some(0), signal: None });
        stage.step(Event::Keeper { agent: AgentKey(agent), message });
        stage.pass(1_000);
    };
    let held = |stage: &Stage| {
        let note = |effect: &Effect| match effect {
            Effect::Keeper { message: ToKeeper::Hold { note }, .. } => Remembered::of(note.clone()),
            _ => None,
        };
        stage.done.iter().rev().find_map(note).expect("its keeper holds it")
    };
    let mut stage = Stage::new(Policy::default());
    let mut agent = 1;
    for pid in [500, 500 + 1024, 500 + 2048] {
        if pid > 500 {
            stage.request(Request::Restart { name: "worker".into() });
            ends(&mut stage, agent);
            agent += 1;
            begins(&mut stage, agent, pid);
        }
        let Some(Reply::Text(before)) = read(&mut stage, None) else { panic!("its lines") };
        assert!(matches!(read(&mut stage, Some(before.cursor)), Some(Reply::Text(_))), "of this life");
        stage.request(Request::Restart { name: "worker".into() });
        ends(&mut stage, agent);
        agent += 1;
        begins(&mut stage, agent, pid + 4096);
        let refused = read(&mut stage, Some(before.cursor));
        assert!(
            matches!(&refused, Some(Reply::Error { code: 2, message, .. }) if message.contains("earlier life")),
            "{refused:?}"
        );
    }
    // The next server goes on with the same life, and the life after it is another one still.
    let Some(Reply::Text(last)) = read(&mut stage, None) else { panic!("its lines") };
    let earlier = held(&stage);
    let mut next = Stage::empty();
    let spec = AgentSpec { name: "worker".into(), command: vec!["claude".into()], ..AgentSpec::default() };
    next.adopt(spec, Policy::default(), Some(earlier));
    begins(&mut next, 1, 9);
    assert!(matches!(read(&mut next, Some(last.cursor)), Some(Reply::Text(_))), "of this life");
    next.request(Request::Restart { name: "worker".into() });
    ends(&mut next, 1);
    begins(&mut next, 2, 9 + 1024);
    assert!(matches!(read(&mut next, Some(last.cursor)), Some(Reply::Error { code: 2, .. })));
}
