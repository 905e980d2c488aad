//! Questions in which something moves by itself.

use super::typed::printing_with;
use super::*;
use crate::core::detect::witness::{Reader, Witness};

/// A menu in the open, drawn anew with these words.
fn menu(words: &str) -> String {
    format!("\x1b[2J\x1b[H◆  {words}\r\n│  ● React\r\n│  ○ Vue\r\n└\r\n")
}

fn asking(words: &str) -> Stage {
    printing_with(&menu(words), |reader| {
        (reader.canonical, reader.echo) = (false, false);
        if let Reader::Reading(wait) = &mut reader.reader {
            (wait.blocking, wait.sleeps) = (false, 0);
        }
    })
}

fn draws(stage: &mut Stage, words: &str, ms: u64) {
    stage.step(Event::Output { agent: AgentKey(1), bytes: menu(words).into_bytes() });
    stage.pass(ms);
}

fn consulted(stage: &Stage) -> usize {
    stage.done.iter().filter(|effect| matches!(effect, Effect::Consult { .. })).count()
}

/// Each second that was counted down was another question: the one before counted as answered, and Enter went in once a second.
#[test]
fn a_countdown_in_its_words_gets_one_answer() {
    let mut stage = asking("Which framework? (20s)");
    assert_eq!(consulted(&stage), 1, "{:?}", stage.questions());
    stage.say(r#"{"choice": 1}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\r");
    for left in (5..20).rev() {
        draws(&mut stage, &format!("Which framework? ({left}s)"), 1_000);
    }
    let asks = stage.questions();
    assert!(matches!(&asks[..], [ask] if ask.status == Status::Escalated), "{asks:?}");
    assert!(
        asks[0].note.as_ref().is_some_and(|note| note.contains("still there after 5 s; typed: enter")),
        "{asks:?}"
    );
    assert_eq!((stage.typed().as_str(), consulted(&stage), stage.entries().len()), ("\r", 1, 0));
}

/// A spinner in the question's row made another question of it ten times a second, each taken to the consultant.
#[test]
fn a_spinner_beside_a_question_makes_no_other_of_it() {
    let turn = |at: usize| format!("Which framework?          {}", ["|", "/", "-", "\\"][at % 4]);
    let mut stage = asking(&turn(0));
    for at in 1..40 {
        draws(&mut stage, &turn(at), 100);
    }
    assert_eq!((consulted(&stage), stage.questions().len()), (1, 1), "{:?}", stage.questions());
    stage.say(r#"{"choice": 1}"#);
    for at in 0..8 {
        draws(&mut stage, &turn(at), 100);
    }
    assert_eq!(stage.typed(), "\r", "{:?}", stage.questions());
    stage.step(Event::Output {
        agent: AgentKey(1),
        bytes: b"\x1b[2J\x1b[H\xe2\x97\x87  Which framework?\r\n".to_vec(),
    });
    stage.reader = Witness { reader: Reader::Nobody, ..stage.reader.clone() };
    stage.pass(2_000);
    assert_eq!(stage.entries()[0].outcome, Outcome::Answered);
}

/// Words that change, and may mean something else each time, are nobody's to answer but a person's.
#[test]
fn a_question_that_is_another_every_second_is_a_persons_and_stays() {
    let mut stage = asking("Which framework for shop a?");
    for shop in "bcdefghijk".chars() {
        draws(&mut stage, &format!("Which framework for shop {shop}?"), 1_000);
    }
    let open =
        |stage: &mut Stage| stage.questions().into_iter().filter(|ask| ask.status == Status::Escalated);
    let asks: Vec<_> = open(&mut stage).collect();
    assert!(
        matches!(&asks[..], [ask] if ask.note.as_ref().is_some_and(|note| note.contains("change"))),
        "{asks:?}"
    );
    assert!(asks[0].prompt.ends_with("shop k?"), "{asks:?}");
    assert!(consulted(&stage) <= 3, "{}", consulted(&stage));
    assert_eq!(stage.typed(), "");
    draws(&mut stage, "Which framework for shop l?", 1_000);
    assert_eq!(open(&mut stage).map(|ask| ask.id).collect::<Vec<_>>(), [asks[0].id.clone()]);
}
