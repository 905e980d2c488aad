//! Delivery into a form that is taller than its pane, and told whole by its hook.

use super::*;
use crate::core::hook::Asked;

const WORDS: &str = "Dump both tables first";
const PROMPT: &str =
    "The import writes two of them, so how should I order the work while they are filled in?";
const ROWS: [&str; 3] = ["Expand, backfill, contract", "One transaction", "Shadow tables"];

fn told() -> Asked {
    let options = ROWS.iter().map(|label| ((*label).to_owned(), String::new())).collect();
    Asked { prompt: PROMPT.to_owned(), multi: false, options }
}

/// What is in view: the end of its words, its rows from that one on, and what stands in the row for words.
fn part(prompt: &str, first: usize, words: &str, highlighted: u32) -> Question {
    let mut labels = ROWS.to_vec();
    labels.extend(["Type something.", "Chat about this"]);
    let mut question = Question { partial: true, ..menu(prompt, &labels) };
    question.options[3].label = words.to_owned();
    question.options[3].written = words != "Type something.";
    question.options.drain(..first);
    question.selected = question.options.iter().position(|row| row.number == Some(highlighted));
    question.typing = highlighted == 4;
    question
}

/// The dialog as it is drawn behind these keys: the highlight on the row for words takes a line, and what is typed there two.
fn drawn(sent: &[String]) -> Option<Question> {
    let downs = sent.iter().filter(|key| *key == "down").count();
    match (sent.last().map(String::as_str), downs) {
        (Some("enter"), _) => None,
        (Some(key), _) if key.starts_with('"') => Some(part("", 1, WORDS, 4)),
        (_, 3) => Some(part("while they are filled in?", 0, "Type something.", 4)),
        (_, 4) => Some(part("while they are filled in?", 0, "Type something.", 5)),
        (_, downs) => Some(part(
            "should I order the work while they are filled in?",
            0,
            "Type something.",
            downs as u32 + 1,
        )),
    }
}

fn shows(question: Option<Question>) -> Verdict {
    match question {
        Some(question) => Verdict { state: State::Asking, question: Some(question), ..Verdict::default() },
        None => Verdict { state: State::Working, ..Verdict::default() },
    }
}

fn begun(answer: &Answer, told: Option<Asked>) -> Delivery {
    Delivery::new(&drawn(&[]).unwrap(), answer, &keys(), 7, 20_000).unwrap().told(told)
}

#[test]
fn words_go_into_a_form_that_loses_lines_under_them() {
    let answer = Answer::Text(WORDS.to_owned());
    match scripted(begun(&answer, Some(told())), |sent| shows(drawn(sent))) {
        Step::Done(proof) => {
            assert_eq!(proof.keys, ["down", "down", "down", "\"Dump both tables first\"", "enter"]);
            assert_eq!((proof.seen.as_str(), proof.before), (WORDS, Some(drawn(&[]).unwrap().fingerprint())));
        }
        end => panic!("{end:?}"),
    }
    match scripted(begun(&Answer::Rows(vec![4]), Some(told())), |sent| shows(drawn(sent))) {
        Step::Done(proof) => assert_eq!(proof.keys, ["down", "down", "down", "down", "enter"]),
        end => panic!("{end:?}"),
    }
}

/// Each is what a dialog might show behind the third arrow that is not the one of the answer.
#[test]
fn nothing_is_typed_into_what_may_be_another_dialog() {
    let same = part("while they are filled in?", 0, "Type something.", 4);
    let with = |change: fn(&mut Question)| {
        let mut question = same.clone();
        change(&mut question);
        question
    };
    let other = [
        (with(|it| it.prompt = "while they are read?".to_owned()), Some(told())),
        (with(|it| it.options[1].label = "Two transactions".to_owned()), Some(told())),
        (with(|it| it.options[1].number = Some(3)), Some(told())),
        (with(|it| it.options[4].label = "Skip interview".to_owned()), Some(told())),
        (with(|it| drop(it.options.pop())), Some(told())),
        (with(|it| it.kind = Kind::Permission), Some(told())),
        (with(|it| (it.prompt, it.options) = (String::new(), it.options.split_off(3))), Some(told())),
        (same.clone(), Some(Asked { prompt: "While they are filled in, what?".to_owned(), ..told() })),
        (same.clone(), None),
    ];
    for (other, told) in other {
        let delivery = begun(&Answer::Text(WORDS.to_owned()), told);
        let mut most = Vec::new();
        let end = scripted(delivery, |sent| {
            most = sent.to_vec();
            shows(if sent.len() < 3 { drawn(sent) } else { Some(other.clone()) })
        });
        assert!(
            matches!(&end, Step::Failed(why) if why.starts_with("another question is on")),
            "{end:?} {other:?}"
        );
        assert_eq!(most, ["down", "down", "down"], "{other:?}");
    }
}

/// The ticks that are out of view would have been sent with them.
#[test]
fn words_beside_ticks_that_are_out_of_view_are_refused_at_once() {
    let form = Question { partial: true, ..multi("Which?", &MULTI) };
    let refused = Delivery::new(&form, &Answer::Text(WORDS.to_owned()), &keys(), 7, 20_000);
    assert!(refused.is_err_and(|why| why.contains("out of view")));
}
