//! When a screen is believed and when it is not: after a resize, after an earlier server, and without a keeper.

use super::*;
use crate::core::recording::asciicast::What;
use crate::core::terminal::repaint::repaint;
use crate::session::message::JournalPart;

fn resize(stage: &mut Stage, cols: u16, rows: u16) {
    stage.request(Request::Resize { name: "worker".into(), size: Size::new(cols, rows) });
}

#[test]
fn a_question_there_is_no_room_for_stays_open() {
    // The program does not draw, or what it draws there says nothing.
    for drawn in [None, Some("\x1b[2J\x1b[HEnter to select")] {
        let mut stage = Stage::with_oracle(Policy::default());
        stage.play_to(5.9);
        let screen = stage.session(stage.agent).screen();
        let whole = repaint(screen.grid(), screen.modes());
        resize(&mut stage, 79, 1);
        if let Some(bytes) = drawn {
            stage.step(Event::Output { agent: stage.agent, bytes: bytes.into() });
        }
        stage.pass(1_500);
        assert_eq!(stage.questions()[0].status, Status::Consulting, "{drawn:?}");
        resize(&mut stage, 120, 40);
        if drawn.is_some() {
            stage.step(Event::Output { agent: stage.agent, bytes: whole });
        }
        stage.pass(2_000);
        stage.say(r#"{"choice": 2}"#);
        stage.pass(400);
        assert_eq!((stage.typed().as_str(), stage.questions().len()), ("\x1b[B", 1), "{drawn:?}");
    }
}

#[test]
fn a_person_who_answers_right_after_a_resize_has_answered() {
    // A popup opens on the agent, which makes it smaller, and the person in it types at once.
    for typed in [true, false] {
        let mut stage = Stage::new(Policy::default());
        stage.play_to(5.9);
        let rows = if typed { 6 } else { 20 };
        resize(&mut stage, 60, rows);
        if typed {
            let input = vec![Input::Key(KeyPress::plain(Key::Enter))];
            stage.request(Request::Keys { name: "worker".into(), input });
        }
        stage.step(Event::Output { agent: stage.agent, bytes: b"\x1b[2J\x1b[Hgot it".to_vec() });
        stage.pass(2_500);
        assert_eq!(stage.questions()[0].status, Status::Withdrawn, "{typed}");
    }
}

#[test]
fn a_question_hidden_in_mid_answer_goes_to_a_person_with_the_keys_in_the_log() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    stage.say(r#"{"choice": 2}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[B");
    resize(&mut stage, 79, 1);
    stage.step(Event::Output { agent: stage.agent, bytes: b"\x1b[2J\x1b[HEnter to select".to_vec() });
    stage.pass(60_000);
    assert_eq!((stage.typed().as_str(), stage.questions()[0].status), ("\x1b[B", Status::Escalated));
    // The agent goes on at that size: somebody has answered.
    stage.step(Event::Output {
        agent: stage.agent,
        bytes: b"\x1b[2J\x1b[H\xe2\x9c\xbb Baking... (3s)".to_vec(),
    });
    resize(&mut stage, 120, 40);
    stage.play_to(16.0);
    stage.pass(2_000);
    let entries = stage.entries();
    assert_eq!(entries.last().unwrap().keys, ["down"]);
}

#[test]
fn an_agent_whose_keeper_is_gone_can_be_stopped_before_and_after() {
    for stopped_first in [true, false] {
        let mut stage = Stage::new(Policy::default());
        let stop = || Request::Stop { names: vec!["worker".into()], grace_ms: 100 };
        let lost = Event::KeeperLost { agent: stage.agent };
        let from = stage.done.len();
        if stopped_first {
            assert_eq!(stage.request(stop()), None, "it waits for the sweep");
            stage.step(lost);
        } else {
            stage.step(lost);
            stage.request(stop());
        }
        // The server sweeps in the keeper's place, and tells so as a keeper would.
        let ended = |effect: &Effect| matches!(effect, Effect::EndOrphans { keeper: 499, .. });
        assert!(stage.done[from..].iter().any(ended), "{stopped_first}");
        let message = FromKeeper::Swept { killed: vec![], left: vec![], kept: vec![] };
        stage.step(Event::Keeper { agent: stage.agent, message });
        let done = |effect: &Effect| matches!(effect, Effect::Send { message, .. } if matches!(**message, ServerMessage::Reply { id: 7, reply: Reply::Stopped { .. } }));
        assert!(stage.done[from..].iter().any(done), "{stopped_first}");
        assert!(stage.hub.lifecycle.agents.is_empty());
    }
}

/// A stage whose worker an earlier server left with a question on its screen.
fn taken_back() -> Stage {
    // It was killed while it made the program draw.
    taken_back_at(Size::new(119, 40))
}

fn taken_back_at(terminal: Size) -> Stage {
    let mut stage = Stage::with_oracle(Policy::default());
    let output = stage.cast.events.iter().take_while(|event| event.at_ms <= 5_900);
    let bytes = output.filter_map(|event| match &event.what {
        What::Output(text) => Some(text.clone().into_bytes()),
        _ => None,
    });
    let bytes = bytes.collect::<Vec<_>>().concat();
    let cut = bytes.len() - 500;
    let (seen, output_log) = (bytes[..cut].to_vec(), bytes[cut..].to_vec());
    let size = Size::new(120, 40);
    let journal =
        vec![JournalPart::Begin { at: 0, line: 0, size, seed: Vec::new() }, JournalPart::Output(seen)];
    let policy = Policy { consultants: vec![command("oracle", None)], ..Policy::default() };
    let spec = AgentSpec {
        name: "old".into(),
        command: vec!["claude".into()],
        consultant: Some("oracle".into()),
        size: Some(size),
        ..AgentSpec::default()
    };
    stage.agent = stage.adopt(spec, policy);
    let start = Started {
        pid: 700,
        keeper: 699,
        at: bytes.len() as u64,
        journal,
        output_log,
        size: Some(terminal),
        adopted: true,
        ..Started::default()
    };
    stage.step(Event::Started { agent: stage.agent, start });
    stage.pass(400);
    stage
}

#[test]
fn what_an_earlier_server_only_read_is_on_the_screen_and_in_the_journal() {
    let stage = taken_back();
    let screen = stage.session(stage.agent).screen();
    assert_eq!(screen.size(), Size::new(120, 40));
    let screen = screen.grid().text();
    assert!(screen.contains("Enter to select"), "{screen}");
    let journaled = stage.done.iter().filter_map(|effect| match effect {
        Effect::Journal { agent, parts } if *agent == stage.agent => Some(parts.clone()),
        _ => None,
    });
    let outputs =
        journaled.flatten().filter(|part| matches!(part, JournalPart::Output(bytes) if bytes.len() == 500));
    assert_eq!(outputs.count(), 1);
    let answered = stage
        .done
        .iter()
        .any(|effect| matches!(effect, Effect::Write { agent, .. } if *agent == stage.agent));
    assert!(!answered, "queries of then are not answered now");
}

#[test]
fn a_size_that_no_journal_tells_of_is_the_terminals() {
    let stage = taken_back_at(Size::new(90, 30));
    assert_eq!(stage.session(stage.agent).screen().size(), Size::new(90, 30));
}

#[test]
fn nothing_is_typed_before_a_program_that_was_taken_back_has_drawn_its_screen() {
    for draws in [true, false] {
        let mut stage = taken_back();
        stage.say(r#"{"choice": 2}"#);
        stage.pass(1_500);
        assert_eq!(stage.typed(), "", "keys of the earlier server may be on their way");
        if draws {
            let bytes = b"\x1b[1;1H".to_vec();
            stage.step(Event::Output { agent: stage.agent, bytes });
            stage.pass(300);
        } else {
            stage.pass(500);
        }
        assert_eq!(stage.typed(), "\x1b[B", "{draws}");
    }
}
