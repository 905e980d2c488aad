//! An agent that is paused with a question open: what stands still, what is kept, and what goes on.

use super::typed::printing_at;
use super::*;
use crate::core::detect::witness::Reader;
use crate::core::recording::asciicast::{Asciicast, What};
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::repaint::repaint;
use crate::core::terminal::screen::Screen;

impl Stage {
    /// The exit codes of the answers that were refused.
    fn refusals(&self) -> Vec<u8> {
        let code = |reply: &Reply| if let Reply::Error { code, .. } = reply { Some(*code) } else { None };
        self.replies(PERSON, 7).iter().filter_map(code).collect()
    }
}

fn keeper(stage: &mut Stage, message: FromKeeper) {
    stage.step(Event::Keeper { agent: AgentKey(1), message });
}

fn pause(stage: &mut Stage) {
    keeper(stage, FromKeeper::Paused { forced: Vec::new(), running: Vec::new() });
}

/// It goes on, is made to draw, and draws what the recording shows at that second.
fn go_on(stage: &mut Stage, seconds: f64) {
    keeper(stage, FromKeeper::Continued);
    stage.pass(300);
    stage.play_to(seconds);
}

fn asking() -> Stage {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    assert_eq!(stage.questions()[0].status, Status::Consulting);
    stage
}

fn resizes(stage: &Stage) -> Vec<u16> {
    let cols =
        |effect: &Effect| if let Effect::Resize { size, .. } = effect { Some(size.cols) } else { None };
    stage.done.iter().filter_map(cols).collect()
}

#[test]
fn the_clock_of_a_question_stands_still() {
    let mut stage = asking();
    let deadline = stage.questions()[0].deadline_at.unwrap();
    pause(&mut stage);
    stage.pass(200_000);
    assert_eq!(
        (stage.questions()[0].status, stage.notifications()),
        (Status::Consulting, 0),
        "nobody's time is up"
    );
    go_on(&mut stage, 5.9);
    let later = stage.questions()[0].deadline_at.unwrap() - deadline;
    assert!((199.0..202.0).contains(&later), "{later}");
    stage.pass(60_000);
    assert_eq!(
        (stage.questions()[0].status, stage.notifications()),
        (Status::Escalated, 1),
        "and then it runs on"
    );
}

#[test]
fn an_answer_that_comes_meanwhile_is_kept_and_typed_afterwards() {
    let mut stage = asking();
    pause(&mut stage);
    stage.say(r#"{"choice": 2}"#);
    stage.pass(100_000);
    assert_eq!(
        (stage.typed().as_str(), stage.notifications()),
        ("", 0),
        "nothing is typed into what stands still"
    );
    go_on(&mut stage, 5.9);
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[B");
    stage.play_to(8.0);
    stage.pass(1_000);
    assert_eq!(stage.typed(), "\x1b[B\r");
    stage.play_to(16.0);
    stage.pass(1_000);
    assert_eq!((stage.questions()[0].status, stage.entries().len()), (Status::Answered, 1));
}

/// Between the order to pause and the keeper's word that all stands still, the session refused the answer and the hub
/// offered it again, without end.
#[test]
fn an_answer_that_comes_while_a_pause_is_on_its_way_waits_for_the_agent_to_go_on() {
    let mut stage = asking();
    stage.request(Request::Pause { names: vec!["worker".into()] });
    stage.say(r#"{"choice": 2}"#);
    stage.pass(1_000);
    assert_eq!((stage.typed().as_str(), stage.notifications()), ("", 0));
    keeper(&mut stage, FromKeeper::Paused { forced: Vec::new(), running: Vec::new() });
    stage.pass(1_000);
    assert_eq!(stage.typed(), "");
    go_on(&mut stage, 5.9);
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[B");
}

#[test]
fn an_answer_that_was_kept_goes_into_no_other_dialog() {
    let mut stage = asking();
    pause(&mut stage);
    stage.say(r#"{"choice": 2}"#);
    keeper(&mut stage, FromKeeper::Continued);
    stage.step(Event::Output { agent: AgentKey(1), bytes: b"\x1b[2J\x1b[Hother words".to_vec() });
    stage.pass(10_000);
    assert_eq!((stage.typed().as_str(), stage.questions()[0].status), ("", Status::Withdrawn));
}

#[test]
fn a_person_is_told_that_it_is_paused_and_answers_when_it_goes_on() {
    let mut stage = Stage::new(Policy::default());
    stage.play_to(5.9);
    pause(&mut stage);
    let answer = GivenAnswer { options: vec!["1".into()], ..GivenAnswer::default() };
    let request = || Request::Answer { id: "q1".into(), answer: answer.clone() };
    match stage.request(request()) {
        Some(Reply::Error { code: 4, message }) => {
            assert!(message.contains("counsel resume worker"), "{message}")
        }
        other => panic!("{other:?}"),
    }
    go_on(&mut stage, 5.9);
    stage.pass(3_000);
    assert_eq!(stage.request(request()), None);
    stage.pass(1_000);
    assert_eq!(stage.typed(), "\r");
}

#[test]
fn whoever_goes_on_draws_its_screen_anew() {
    let mut stage = asking();
    let before = resizes(&stage).len();
    pause(&mut stage);
    stage.pass(5_000);
    assert_eq!(resizes(&stage).len(), before, "nothing is asked of what stands still");
    keeper(&mut stage, FromKeeper::Continued);
    stage.pass(1_000);
    assert_eq!(resizes(&stage)[before..], [119, 120]);
}

/// The dialog as it stands, for a program that draws it anew.
fn picture(stage: &Stage) -> Vec<u8> {
    let mut screen = Screen::new(Size { cols: 120, rows: 40 }, TerminalIdentity::default());
    for event in &stage.cast.events[..stage.next_event] {
        if let What::Output(text) = &event.what {
            screen.feed(text.as_bytes());
        }
    }
    repaint(screen.grid(), screen.modes())
}

fn print(stage: &mut Stage, bytes: Vec<u8>) {
    stage.step(Event::Output { agent: AgentKey(1), bytes });
}

fn first() -> Request {
    let answer = GivenAnswer { options: vec!["1".into()], ..GivenAnswer::default() };
    Request::Answer { id: "q1".into(), answer }
}

/// Somebody who answers as soon as the agent goes on was told that the question is gone, though it was only being drawn.
#[test]
fn an_answer_to_an_agent_that_draws_its_dialog_anew_waits_until_it_is_seen() {
    let mut stage = Stage::new(Policy::default());
    stage.play_to(5.9);
    let dialog = picture(&stage);
    pause(&mut stage);
    keeper(&mut stage, FromKeeper::Continued);
    stage.pass(700);
    print(&mut stage, b"\x1b[2J\x1b[H".to_vec());
    stage.pass(300);
    assert_eq!(stage.request(first()), None, "it waits");
    assert_eq!((stage.typed().as_str(), stage.questions()[0].status), ("", Status::Answering));
    print(&mut stage, dialog);
    stage.pass(1_000);
    assert_eq!(stage.typed(), "\r");
}

/// `dialog` draws on the main screen, and on the alternate one once it was stopped: its consultant was asked again.
#[test]
fn a_dialog_that_goes_on_on_the_other_screen_is_the_one_it_was() {
    let cast = include_str!("../../../tests/recordings/plain-0-dialog-menu-100x30.cast");
    let cast = Asciicast::parse(cast).expect("a recording");
    let drawn = cast.events.iter().take_while(|event| event.at_ms < 900).map(|event| &event.what);
    let menu: String = drawn
        .filter_map(|what| if let What::Output(text) = what { Some(text.as_str()) } else { None })
        .collect();
    for paused in [true, false] {
        let mut stage = printing_at(Size::new(100, 30), &menu, |reader| {
            (reader.canonical, reader.echo) = (false, false);
            if let Reader::Reading(wait) = &mut reader.reader {
                (wait.blocking, wait.sleeps) = (false, 0);
            }
        });
        assert_eq!(stage.questions().len(), 1, "it asks");
        if paused {
            pause(&mut stage);
            stage.pass(2_000);
            keeper(&mut stage, FromKeeper::Continued);
        }
        print(&mut stage, menu.replace("\x1b[?1049l", "").into_bytes());
        stage.pass(3_000);
        let ended = stage.questions().iter().filter(|ask| ask.status == Status::Withdrawn).count();
        assert_eq!((ended, stage.typed().as_str()), (usize::from(!paused), ""), "{:?}", stage.questions());
    }
}

#[test]
fn an_answer_that_waits_for_a_dialog_that_is_gone_is_refused() {
    let mut stage = Stage::new(Policy::default());
    stage.play_to(5.9);
    pause(&mut stage);
    keeper(&mut stage, FromKeeper::Continued);
    stage.pass(700);
    print(&mut stage, b"\x1b[2J\x1b[H".to_vec());
    stage.pass(300);
    assert_eq!(stage.request(first()), None, "it waits");
    stage.pass(2_000);
    assert_eq!((stage.typed().as_str(), stage.questions()[0].status), ("", Status::Withdrawn));
    assert_eq!(stage.refusals(), [4]);
}

/// One cause, one exit code: it was 1 where the question went while the first key was waited for.
#[test]
fn an_answer_whose_question_goes_before_the_first_key_is_refused_as_one_that_comes_too_late() {
    let mut stage = Stage::new(Policy::default());
    stage.play_to(5.9);
    assert_eq!(stage.request(first()), None, "it is on its way");
    print(&mut stage, b"\x1b[2J\x1b[H".to_vec());
    stage.pass(3_000);
    assert_eq!((stage.typed().as_str(), stage.refusals()), ("", vec![4]));
}
