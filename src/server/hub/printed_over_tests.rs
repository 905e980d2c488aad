//! Questions in lines of which the read waits on, while a job in the background prints below them.

use super::typed::{next_read, printing_with};
use super::*;
use crate::core::detect::witness::{Reader, Witness};
use crate::core::question::Kind;
use crate::server::remembered::Remembered;
use crate::wire::message::QuestionInfo;

fn printing(text: &str) -> Stage {
    printing_with(text, |_| {})
}

/// What is open.
fn open(stage: &mut Stage) -> Vec<QuestionInfo> {
    stage.questions().into_iter().filter(|ask| !ask.status.settled()).collect()
}

fn prints(stage: &mut Stage, text: &str) {
    stage.step(Event::Output { agent: AgentKey(1), bytes: text.as_bytes().to_vec() });
    stage.pass(60);
}

/// A job printed without a pause below `read -p`: the question was gone, and nobody was called. While it was in view, each of its
/// lines made another question of it, 20 a second.
#[test]
fn what_is_printed_below_a_question_hides_it_from_nobody() {
    let mut stage = printing("Which name? ");
    assert_eq!(open(&mut stage)[0].kind, Kind::Text);
    let mut ids = Vec::new();
    for line in 0..60 {
        prints(&mut stage, &format!("{line} of the job\r\n"));
        ids.extend(open(&mut stage).into_iter().map(|ask| ask.id));
        assert_eq!(ids.len(), line + 1, "one question");
    }
    ids.dedup();
    // The line behind the prompt may be what somebody types.
    assert!(ids.len() <= 2, "{ids:?}");
    let ask = open(&mut stage).remove(0);
    assert_eq!((ask.kind, ask.status, ask.prompt.as_str()), (Kind::Dialog, Status::Escalated, "Which name?"));
    assert!(ask.note.is_some_and(|note| note.contains("more was printed")));
    assert_eq!(stage.typed(), "", "what a consultant says by now is typed nowhere");
    let answer = GivenAnswer { text: Some("demo".into()), ..GivenAnswer::default() };
    let refused = stage.request(Request::Answer { id: ask.id, answer });
    assert!(
        matches!(refused, Some(Reply::Error { .. })),
        "whoever types it sees what stands there: {refused:?}"
    );
    next_read(&mut stage);
    prints(&mut stage, "\r\nWhich colour? ");
    stage.pass(500);
    assert_eq!(open(&mut stage)[0].kind, Kind::Text, "the next one is like any other");
}

/// `(sleep 1; printf "Run the tests? [y/N] ") &` above `read -p "Delete all? [y/N] "`: the yes to the tests went to that read.
/// The end of the job takes its program out of the read, which is begun anew.
#[test]
fn other_words_below_a_question_are_a_persons() {
    for ends in [false, true] {
        let reads = |reader: &mut Witness| {
            let Reader::Reading(wait) = &mut reader.reader else { panic!("somebody reads") };
            wait.transferred = Some(100);
        };
        let mut stage = printing_with("Use JavaScript? [y/N] ", reads);
        if ends {
            next_read(&mut stage);
        }
        prints(&mut stage, "\r\nUse TypeScript? [y/N] ");
        stage.pass(500);
        let ask = open(&mut stage).remove(0);
        let told = (ask.prompt.as_str(), ask.kind, ask.status);
        assert_eq!(told, ("Use TypeScript? [y/N]", Kind::Dialog, Status::Escalated));
        assert!(ask.note.as_ref().is_some_and(|note| note.contains("more was printed")), "{:?}", ask.note);
        let answer = GivenAnswer { options: vec!["y".into()], ..GivenAnswer::default() };
        let refused = stage.request(Request::Answer { id: ask.id, answer });
        assert!(matches!(refused, Some(Reply::Error { .. })), "{refused:?}");
        stage.say(r#"{"choice": 1}"#);
        stage.pass(1_000);
        assert_eq!(stage.typed(), "");
        next_read(&mut stage);
        let Reader::Reading(wait) = &mut stage.reader.reader else { panic!("somebody reads") };
        wait.transferred = Some(130);
        prints(&mut stage, "\r\nUse React? [y/N] ");
        stage.pass(500);
        let asks = open(&mut stage);
        assert_eq!(asks.last().map(|ask| ask.status), Some(Status::Consulting), "{asks:?}");
    }
}

/// A program that was asked on one screen drew another object above the same words on the other, and the old number answered it.
#[test]
fn the_same_words_on_the_other_screen_are_another_question() {
    let mut stage = printing("File: a.txt\r\nUse TypeScript? [y/N] ");
    let before = open(&mut stage).remove(0).id;
    prints(&mut stage, "\x1b[?1049h\x1b[2J\x1b[HFile: b.txt\r\nUse TypeScript? [y/N] ");
    stage.pass(500);
    let now = open(&mut stage).remove(0);
    assert_ne!(now.id, before);
    assert_eq!((now.kind, now.status), (Kind::Dialog, Status::Escalated));
    let answer = GivenAnswer { options: vec!["y".into()], ..GivenAnswer::default() };
    let refused = stage.request(Request::Answer { id: before, answer });
    assert!(matches!(refused, Some(Reply::Error { code: 4, .. })), "{refused:?}");
    assert_eq!(stage.typed(), "");
}

/// The server was killed, a job drew other words over those of a question, and the next server had them answered into its read.
#[test]
fn the_next_server_knows_what_a_line_is_read_for() {
    let asked = printing("Use JavaScript? [y/N] ");
    let held = asked.hub.questions.open_questions(AgentKey(1));
    assert_eq!((held.len(), asked.typed().as_str()), (1, ""));
    let earlier = Remembered { state: State::Asking, open: held, ..Remembered::default() };
    for (same_read, kind, want) in
        [(true, Kind::Dialog, Status::Escalated), (false, Kind::YesNo, Status::Consulting)]
    {
        let mut stage = Stage::empty();
        if !same_read {
            next_read(&mut stage);
        }
        let policy = Policy { consultants: vec![command("oracle", None)], ..Policy::default() };
        let spec = AgentSpec {
            name: "setup".into(),
            command: vec!["setup".into()],
            consultant: Some("oracle".into()),
            ..AgentSpec::default()
        };
        let agent = stage.adopt(spec, policy, Some(earlier.clone()));
        let output_log = b"\x1b[H\x1b[2JUse TypeScript? [y/N] ".to_vec();
        let (at, size) = (output_log.len() as u64, Some(Size::new(80, 24)));
        let start =
            Started { pid: 500, keeper: 499, output_log, at, size, adopted: true, ..Started::default() };
        stage.step(Event::Started { agent, start });
        stage.pass(5_000);
        let ask = open(&mut stage).remove(0);
        let told = (ask.prompt.as_str(), ask.kind, ask.status);
        assert_eq!(told, ("Use TypeScript? [y/N]", kind, want), "{:?}", ask.note);
        assert_eq!(ask.note.is_some_and(|note| note.contains("more was printed")), same_read);
    }
}
