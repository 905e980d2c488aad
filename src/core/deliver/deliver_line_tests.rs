//! Delivery behind the prompt of a line.

use super::*;
use crate::core::detect::witness::{Reader, Wait};
use crate::core::terminal::grid::Size;

fn asked_in_a_line() -> Question {
    let origin = Origin { line: true, ..Origin::default() };
    Question { kind: Kind::Text, options: Vec::new(), origin, ..yesno(&[]) }
}

/// The prompt with this typed behind it.
fn showing(question: &Question, typed: Option<&str>) -> Verdict {
    let origin = Origin { typed: typed.map(str::to_owned), ..question.origin.clone() };
    Verdict {
        state: State::Asking,
        question: Some(Question { typing: typed.is_some(), origin, ..question.clone() }),
        ..Verdict::default()
    }
}

#[test]
fn a_line_prompt_gets_its_word_and_enter_when_it_is_seen() {
    let question = yesno(&["y", "n"]);
    let asking = |typing: bool| Verdict {
        state: State::Asking,
        question: Some(Question { typing, ..question.clone() }),
        ..Verdict::default()
    };
    let delivery = || Delivery::new(&question, &Answer::Rows(vec![0]), &keys(), 7, 20_000).unwrap();
    let end = scripted(delivery(), |sent| match sent.len() {
        0 => asking(false),
        1 => asking(true),
        _ => idle(""),
    });
    assert!(matches!(&end, Step::Done(proof) if proof.keys == ["\"y\"", "enter"]), "{end:?}");
    // A prompt that takes the letter at once gets no Enter.
    let end = scripted(delivery(), |sent| if sent.is_empty() { asking(false) } else { idle("") });
    assert!(matches!(&end, Step::Done(proof) if proof.keys == ["\"y\""]), "{end:?}");
    // Where a whole line is read, nothing was taken yet: also by who waits for that in a select, as with a time set.
    for (blocking, collected) in [(true, true), (false, true)] {
        let wait = Wait { pid: 7, blocking, ..Wait::default() };
        let origin = Origin { reader: Some(Reader::Reading(wait)), collected, ..question.origin.clone() };
        let whole = Question { origin, ..question.clone() };
        for after in [idle(""), Verdict { state: State::Exited, ..Verdict::default() }] {
            let delivery = Delivery::new(&whole, &Answer::Rows(vec![0]), &keys(), 7, 20_000).unwrap();
            let end = scripted(delivery, |sent| {
                let question = Some(whole.clone());
                let asking = Verdict { question, state: State::Asking, ..Verdict::default() };
                if sent.is_empty() { asking } else { after.clone() }
            });
            assert!(matches!(&end, Step::Failed(_)), "{end:?}");
        }
    }
    // Unseen, it is not sent: Enter alone would be the default.
    let end = scripted(delivery(), |_| asking(false));
    assert!(matches!(&end, Step::Failed(_)), "{end:?}");
}

/// A program that draws a star for each letter got `yes` and Enter for `Number:`.
#[test]
fn what_the_prompt_does_not_show_is_not_sent() {
    let question = asked_in_a_line();
    for (shown, sent) in [("demo", true), ("demo  (enter goes on)", true), ("****", false), ("••••", false)]
    {
        let delivery = Delivery::new(&question, &Answer::Text("demo".into()), &keys(), 7, 20_000).unwrap();
        let end = scripted(delivery, |sent| match sent.len() {
            0 => showing(&question, None),
            1 => showing(&question, Some(shown)),
            _ => idle(""),
        });
        assert_eq!(
            matches!(&end, Step::Done(proof) if proof.keys == ["\"demo\"", "enter"]),
            sent,
            "{shown}: {end:?}"
        );
        assert!(
            sent || matches!(&end, Step::Failed(why) if why.contains("hidden field")),
            "{shown}: {end:?}"
        );
    }
}

/// All letters of an answer went into a field that drew stars for them, before it was seen.
#[test]
fn a_field_that_draws_for_itself_is_given_one_letter_before_the_rest() {
    let question = Question { kind: Kind::Text, options: Vec::new(), ..yesno(&[]) };
    for (mask, keys_sent) in [
        (None, vec!["\"d\"", "\"emo\"", "enter"]),
        // And that letter was left there.
        (Some('*'), vec!["\"d\"", "backspace"]),
    ] {
        let screen = |typed: &str| {
            let shown: String = typed.chars().map(|ch| mask.unwrap_or(ch)).collect();
            let typed = (!shown.is_empty()).then_some(shown);
            let typing = typed.is_some();
            let origin = Origin { line: true, unechoed: true, typed, ..Origin::default() };
            let question = Question { typing, origin, ..question.clone() };
            Verdict { state: State::Asking, question: Some(question), ..Verdict::default() }
        };
        let asked = screen("").question.unwrap();
        let delivery = Delivery::new(&asked, &Answer::Text("demo".into()), &keys(), 7, 20_000).unwrap();
        let mut seen = Vec::new();
        let end = scripted(delivery, |sent| {
            seen = sent.to_vec();
            match sent.len() {
                0 => screen(""),
                1 => screen("d"),
                2 if mask.is_some() => screen(""),
                2 => screen("demo"),
                _ => Verdict { state: State::Working, ..Verdict::default() },
            }
        });
        assert_eq!(seen, keys_sent, "{end:?}");
        assert_eq!(matches!(end, Step::Done(_)), mask.is_none(), "{end:?}");
    }
}

/// A field for numbers dropped a digit of `8081`, and the others stayed there: the next answer was refused for them.
#[test]
fn whatever_a_field_shows_of_an_answer_that_is_given_up_is_taken_back() {
    let question = Question { kind: Kind::Text, options: Vec::new(), ..yesno(&[]) };
    let screen = |typed: &str| {
        let origin = Origin {
            line: true,
            unechoed: true,
            typed: (!typed.is_empty()).then(|| typed.to_owned()),
            ..question.origin.clone()
        };
        let asked = Question { typing: !typed.is_empty(), origin, ..question.clone() };
        Verdict { state: State::Asking, question: Some(asked), ..Verdict::default() }
    };
    let asked = screen("").question.unwrap();
    let delivery = Delivery::new(&asked, &Answer::Text("8081".into()), &keys(), 7, 20_000).unwrap();
    let mut seen = Vec::new();
    let end = scripted(delivery, |sent| {
        seen = sent.to_vec();
        screen(["", "8", "81", "8", "", ""][sent.len().min(5)])
    });
    assert!(matches!(&end, Step::Failed(why) if why.contains("does not appear")), "{end:?}");
    assert_eq!(seen, ["\"8\"", "\"081\"", "backspace", "backspace"]);
}

/// A field that shows nothing at all kept the letter, too.
#[test]
fn a_letter_that_is_not_shown_is_taken_back() {
    let origin = Origin { line: true, unechoed: true, ..Origin::default() };
    let asked = Question { origin, ..asked_in_a_line() };
    let delivery = Delivery::new(&asked, &Answer::Text("demo".into()), &keys(), 7, 20_000).unwrap();
    let mut seen = Vec::new();
    let end = scripted(delivery, |sent| {
        seen = sent.to_vec();
        showing(&asked, None)
    });
    assert!(matches!(&end, Step::Failed(why) if why.contains("does not appear")), "{end:?}");
    assert_eq!(seen, ["\"d\"", "backspace"]);
}

/// The value that a field offers needs no letter.
#[test]
fn what_is_offered_is_taken_by_enter_alone() {
    let origin = |offered: &str, unechoed| Origin {
        line: true,
        unechoed,
        offered: Some(offered.to_owned()),
        enter_takes: unechoed,
        ..Origin::default()
    };
    let asking = |offered, unechoed| Question { origin: origin(offered, unechoed), ..asked_in_a_line() };
    let on =
        |question: Question| Verdict { state: State::Asking, question: Some(question), ..Verdict::default() };
    let take = |question: &Question, shown: Verdict| {
        let delivery = Delivery::new(question, &Answer::Text("shop".into()), &keys(), 7, 20_000).unwrap();
        let mut seen = Vec::new();
        let end = scripted(delivery, |sent| {
            seen = sent.to_vec();
            if sent.iter().any(|key| key == "enter") { idle("") } else { shown.clone() }
        });
        (end, seen)
    };
    let field = asking("shop", true);
    let (end, keys) = take(&field, on(field.clone()));
    assert!(matches!(end, Step::Done(_)) && keys == ["enter"], "{end:?} {keys:?}");
    // Something else is offered by then, or somebody has typed.
    let typed = Question { typing: true, ..field.clone() };
    for shown in [asking("prod", true), typed] {
        let (end, keys) = take(&field, on(shown));
        assert!(matches!(end, Step::Failed(_)) && keys.is_empty(), "{end:?} {keys:?}");
    }
    // A line that the terminal shows is given the words, and so is one with the value in its question: `readline` took
    // Enter there for an empty answer.
    let (line, question) = (asking("shop", false), field.clone());
    let question = Question { origin: Origin { enter_takes: false, ..question.origin }, ..question };
    for (asked, first) in [(line, "\"shop\""), (question, "\"s\"")] {
        let (_, keys) = take(&asked, on(asked.clone()));
        assert_eq!(keys.first().map(String::as_str), Some(first));
    }
}

/// A prompt that was not known any more with its answer typed behind it counted as answered, and was logged so:
/// the words stood there unsent.
#[test]
fn words_behind_a_prompt_that_is_out_of_sight_are_no_answer() {
    let question = Question { kind: Kind::Text, options: Vec::new(), ..yesno(&[]) };
    let question = Question { origin: Origin { line: true, ..Origin::default() }, ..question };
    let asking = Verdict { state: State::Asking, question: Some(question.clone()), ..Verdict::default() };
    let unknown = Verdict { state: State::Unknown, ..Verdict::default() };
    let delivery = Delivery::new(&question, &Answer::Text("two words".into()), &keys(), 7, 20_000).unwrap();
    let end = scripted(delivery, |sent| if sent.is_empty() { asking.clone() } else { unknown.clone() });
    assert!(matches!(&end, Step::Failed(_)), "{end:?}");
}

/// Esc was typed behind `[y/N]` like any other key: the prompt read `^[` and took no answer any more.
#[test]
fn a_line_is_declined_by_its_no_and_never_by_esc() {
    let delivery =
        |answer| format!("{:?}", Delivery::new(&yesno(&["y", "n"]), &answer, &keys(), 0, 0).unwrap());
    assert_eq!(delivery(Answer::Reject), delivery(Answer::Rows(vec![1])));
    let list = yesno(&["PostgreSQL", "SQLite"]);
    let refused = Delivery::new(&list, &Answer::Reject, &keys(), 0, 0).unwrap_err();
    assert!(refused.contains("no key that declines"), "{refused}");
}

/// `npm init` took a name, said what is wrong with it and asked again in the same words: the answer was said not to have
/// gone in.
#[test]
fn a_prompt_that_comes_again_without_the_answer_has_taken_it() {
    let question = asked_in_a_line();
    for (after, done) in [(None, true), (Some("demo"), false)] {
        let delivery = Delivery::new(&question, &Answer::Text("demo".into()), &keys(), 7, 20_000).unwrap();
        let end = scripted(delivery, |sent| match sent.len() {
            0 => showing(&question, None),
            1 => showing(&question, Some("demo")),
            _ => showing(&question, after),
        });
        assert_eq!(matches!(&end, Step::Done(_)), done, "{after:?}: {end:?}");
    }
}

/// A terminal threw the end of a long answer away, Enter followed, and the log had the whole of it: its length was counted in
/// characters.
#[test]
fn a_text_that_its_terminal_would_cut_is_refused() {
    let question = asked_in_a_line();
    for (collected, text, fits) in [
        (true, "\u{65e5}".repeat(1_365), true),
        (true, "\u{65e5}".repeat(1_366), false),
        (true, "x".repeat(4_000), true),
        (false, "\u{65e5}".repeat(4_000), true),
    ] {
        let asked = Question { origin: Origin { collected, ..question.origin.clone() }, ..question.clone() };
        let begun = Delivery::new(&asked, &Answer::Text(text), &keys(), 7, 20_000);
        assert_eq!(begun.is_ok(), fits, "{collected}");
        assert!(fits || begun.unwrap_err().contains("4098 bytes"));
    }
}

/// A path was refused everywhere as a command, and what Enter alone would take could be had in no way.
#[test]
fn a_person_gives_a_line_any_words_or_none() {
    let words = asked_in_a_line();
    let undescribed = Origin { printed: Some(String::new()), ..words.origin.clone() };
    let line = Question { origin: undescribed, ..words.clone() };
    let text = |text: &str| Answer::Text(text.to_owned());
    for path in ["/opt/x", "!important", "#dev", "@me"] {
        assert!(Delivery::of_person(&line, &text(path), &keys(), 7, 20_000).is_ok(), "{path}");
        assert!(Delivery::new(&line, &text(path), &keys(), 7, 20_000).is_err(), "{path}: of nobody else");
        for other in [&words, &plain("Which port?")] {
            assert!(Delivery::of_person(other, &text(path), &keys(), 7, 20_000).is_err(), "{path}");
        }
    }
    assert!(Delivery::new(&line, &text(""), &keys(), 7, 20_000).is_err(), "of nobody else");
    for other in [plain("Which port?"), yesno(&[]), yesno(&["y", "n"])] {
        assert!(Delivery::of_person(&other, &text(""), &keys(), 7, 20_000).is_err(), "{other:?}");
    }
    for (stands, done) in [(None, true), (Some("x"), false)] {
        let empty = Delivery::of_person(&line, &text(""), &keys(), 7, 20_000).unwrap();
        let end =
            scripted(empty, |sent| if sent.is_empty() { showing(&line, stands) } else { Verdict::default() });
        match end {
            Step::Done(proof) => assert!(done && proof.keys == ["enter"], "{proof:?}"),
            end => assert!(!done && matches!(end, Step::Failed(_)), "{end:?}"),
        }
    }
}

/// Words longer than the pane were typed, could not be seen whole and lay in the line without their Enter.
#[test]
fn nothing_is_typed_of_words_that_the_pane_cannot_show() {
    let question = asked_in_a_line();
    let verdict = showing(&question, None);
    let first = |words: usize| {
        let text = Answer::Text("word ".repeat(words));
        let mut delivery = Delivery::new(&question, &text, &keys(), 7, 20_000).unwrap();
        let mut now = 20_000;
        loop {
            let view = DeliveryContext {
                verdict: &verdict,
                judged_ms: 1,
                changed_ms: 1,
                text: String::new(),
                size: Size { cols: 58, rows: 20 },
                typed: 7,
                stopped: false,
                input_blocked: false,
            };
            match delivery.step(&view, now) {
                Step::Wait { until_ms } => now = until_ms,
                step => break step,
            }
        }
    };
    assert!(matches!(first(200), Step::Text(_)));
    assert!(matches!(first(300), Step::Failed(why) if why.contains("the pane has 20")));
}
