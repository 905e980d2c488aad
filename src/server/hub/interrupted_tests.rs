//! Somebody types while an answer is being typed: nothing of it goes with their Enter, and what it came to is told as it was.

use super::typed::printing_with;
use super::*;
use crate::core::detect::witness::{Reader, Witness};

/// A program that asks for a word, with its answer typed and not submitted.
fn half_answered(canonical: bool) -> Stage {
    let mut stage = printing_with("? Choose a title: ", |reader| {
        if !canonical {
            (reader.canonical, reader.echo) = (false, false);
        }
    });
    stage.lines = canonical;
    if canonical {
        stage.say(r#"{"text": "demo"}"#);
    } else {
        // Into a field that its program draws, only a person's words go.
        let answer = GivenAnswer { text: Some("demo".into()), ..GivenAnswer::default() };
        let id = stage.questions()[0].id.clone();
        stage.request(Request::Answer { id, answer });
    }
    stage.pass(400);
    if !canonical {
        // Whoever takes each letter shows the first one before there is another.
        assert_eq!(stage.typed(), "d");
        prints(&mut stage, "d");
        // … and takes it for an answer, if at all, within this time.
        stage.pass(3_000);
    }
    assert_eq!(stage.typed(), "demo", "{canonical} {:?}", stage.questions());
    stage
}

/// What the terminal shows of the letters that are not shown yet.
fn echo(canonical: bool) -> Vec<u8> {
    if canonical { b"demo".to_vec() } else { b"emo".to_vec() }
}

fn prints(stage: &mut Stage, text: &str) {
    stage.step(Event::Output { agent: AgentKey(1), bytes: text.as_bytes().to_vec() });
    stage.pass(500);
}

fn presses(stage: &mut Stage, key: &str) {
    let input = vec![Input::Key(KeyPress::parse(key).expect("a key"))];
    stage.request(Request::Keys { name: "setup".into(), input });
}

fn sends(stage: &mut Stage, text: &str) -> Option<Reply> {
    let input = vec![Input::Text(text.into())];
    stage.request(Request::Send { name: "setup".into(), input, enter: true })
}

/// A key of a person's between the letters of an answer and its Enter ended the answer, and its letters stayed: the person's Enter
/// sent "demox".
#[test]
fn what_stands_of_an_answer_is_taken_back_before_a_persons_key() {
    for (canonical, back) in [(true, "\u{15}"), (false, "\u{7f}\u{7f}\u{7f}\u{7f}")] {
        for echoed in [false, true] {
            if echoed && !canonical {
                // There the Enter follows in the same step.
                continue;
            }
            let mut stage = half_answered(canonical);
            if echoed {
                stage.step(Event::Output { agent: AgentKey(1), bytes: echo(canonical) });
                stage.pass(60);
                assert_eq!(stage.typed(), "demo");
            }
            presses(&mut stage, "x");
            assert_eq!(stage.typed(), format!("demo{back}x"));
            if !echoed {
                stage.step(Event::Output { agent: AgentKey(1), bytes: echo(canonical) });
            }
            prints(&mut stage, "\x08 \x08\x08 \x08\x08 \x08\x08 \x08x");
            stage.pass(5_000);
            assert_eq!(stage.typed(), format!("demo{back}x"), "nothing more is typed");
            let asks = stage.questions();
            assert_eq!(asks.len(), 1, "it is the same question still: {asks:?}");
            assert_eq!((asks[0].status, asks[0].prompt.as_str()), (Status::Escalated, "Choose a title:"));
            let note = asks[0].note.clone().unwrap_or_default();
            assert!(note.contains("taken back"), "{note}");
        }
    }
}

/// The person's key came behind the Enter: the answer had gone in, and the log said that the person had given one in the pane.
#[test]
fn a_key_behind_the_enter_of_an_answer_does_not_make_it_the_persons() {
    let mut stage = half_answered(true);
    prints(&mut stage, "demo");
    assert_eq!(stage.typed(), "demo\r");
    presses(&mut stage, "x");
    assert_eq!(stage.typed(), "demo\rx");
    stage.reader = Witness { reader: Reader::Nobody, ..stage.reader.clone() };
    prints(&mut stage, "\r\nDone.\r\n");
    let entries = stage.entries();
    let told = (entries[0].outcome, entries[0].answer.as_deref(), entries[0].by.as_str());
    assert_eq!(told, (Outcome::Answered, Some("demo"), "consultant oracle"), "{entries:?}");
    // A dialog that does not go is still a person's.
    let mut stage = half_answered(true);
    prints(&mut stage, "demo");
    presses(&mut stage, "x");
    stage.pass(5_000);
    let ask = stage.questions().pop().expect("it asks still");
    assert_eq!(ask.status, Status::Escalated, "{ask:?}");
    assert!(ask.note.is_some_and(|note| note.contains("after the answer was sent")));
}

/// The text of a `send` went into the line between the letters of an answer and its Enter, or an answer between that text and the
/// Enter of the `send`: 5 of 30.
#[test]
fn what_programs_send_and_an_answer_do_not_share_a_line() {
    let mut stage = half_answered(true);
    let reply = sends(&mut stage, "x");
    assert!(matches!(&reply, Some(Reply::Error { code: 4, .. })), "{reply:?}");
    prints(&mut stage, "demo");
    assert_eq!(stage.typed(), "demo\r");

    let mut stage = printing_with("? Choose a title: ", |_| {});
    stage.lines = true;
    assert!(sends(&mut stage, "mine").is_none());
    let id = stage.questions().pop().expect("it asks").id;
    let answer = GivenAnswer { text: Some("demo".into()), ..GivenAnswer::default() };
    stage.request(Request::Answer { id, answer });
    prints(&mut stage, "mine");
    assert_eq!(stage.typed(), "mine\r");
}

/// A program was stopped between the letters of its answer and their Enter. They stood in the line of the shell behind it, and
/// `send "echo mine"` ran `demoecho mine`.
#[test]
fn nothing_is_sent_behind_letters_of_an_answer_that_was_given_up() {
    for (left, refused) in [("demo\r\n[1]+ Stopped\r\n$ demo", true), ("demo\r\nGiving up.\r\n$ ", false)] {
        let mut stage = half_answered(true);
        (stage.lines, stage.reader.canonical, stage.reader.echo) = (false, false, false);
        prints(&mut stage, left);
        stage.pass(10_000);
        assert_eq!(stage.entries().last().map(|entry| entry.outcome), Some(Outcome::Failed));
        let said = sends(&mut stage, "echo mine");
        assert_eq!(matches!(said, Some(Reply::Error { code: 4, .. })), refused, "{said:?}");
        if refused {
            assert_eq!(stage.typed(), "demo");
            let input = vec![Input::Key(KeyPress::ctrl('u'))];
            stage.request(Request::Send { name: "setup".into(), input, enter: false });
            prints(&mut stage, "\r$ \x1b[K");
            sends(&mut stage, "echo mine");
        }
        assert!(stage.typed().ends_with("echo mine"), "{:?}", stage.typed());
    }
}

/// `read -n1` takes one letter, which its terminal shows at once: those behind it answered what was asked next.
#[test]
fn whoever_takes_one_letter_gets_no_word() {
    for (prompt, reply) in
        [("Use TypeScript? [yes/no] ", r#"{"choice": 2}"#), ("? Choose a title: ", r#"{"text": "demo"}"#)]
    {
        let mut stage = printing_with(prompt, |reader| reader.canonical = false);
        stage.say(reply);
        stage.pass(1_000);
        assert_eq!(stage.typed(), "", "{prompt}");
        let asks = stage.questions();
        let told = asks[0].note.as_ref().is_some_and(|note| note.contains("takes each letter"));
        assert!(asks[0].status == Status::Escalated && told, "{asks:?}");
    }
}

/// A program that was killed had left another keyboard protocol on: the Return of an answer was no line's end, and stayed in it.
#[test]
fn a_line_is_ended_by_a_plain_return() {
    let mut stage = printing_with("\x1b[>8uUse TypeScript? [Y/n] ", |_| {});
    stage.say(r#"{"choice": 2}"#);
    stage.pass(400);
    prints(&mut stage, "n");
    assert_eq!(stage.typed(), "n\r");
}
