//! Lists of prompt libraries: rows that cannot be chosen, answers that are not taken, and lists that nobody could read.

use super::moving::keyed;
use super::typed::printing_with;
use super::*;
use crate::core::detect::witness::{Blind, Reader};

/// A list of `@inquirer/prompts` with the highlight in this row: the second one cannot be chosen.
fn inquirer(at: usize) -> String {
    let row = |row: usize, name: &str| match (row == at, row == 1) {
        (true, true) => format!("\x1b[2m❯ {name} (later)\x1b[m"),
        (true, false) => format!("\x1b[36m❯ {name}\x1b[m"),
        (false, true) => format!("\x1b[2m- {name} (later)\x1b[m"),
        (false, false) => format!("  {name}"),
    };
    let rows: Vec<String> =
        ["React", "Svelte", "Vue"].iter().enumerate().map(|(at, name)| row(at, name)).collect();
    format!("\x1b[?25l\x1b[2J\x1b[H? Which framework?\r\n{}\r\n\r\n↑↓ navigate • ⏎ select", rows.join("\r\n"))
}

fn listing(at: usize) -> Stage {
    keyed(&inquirer(at))
}

/// The highlight stops on a row that cannot be chosen: the arrow goes once more, and never Enter.
#[test]
fn an_answer_passes_over_a_row_that_cannot_be_chosen() {
    let mut stage = listing(0);
    stage.say(r#"{"choice": 2}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[B", "{:?}", stage.questions());
    for (at, typed) in [(1, "\x1b[B\x1b[B"), (2, "\x1b[B\x1b[B\r")] {
        stage.step(Event::Output { agent: AgentKey(1), bytes: inquirer(at).into_bytes() });
        stage.pass(400);
        assert_eq!(stage.typed(), typed, "{:?}", stage.questions());
    }
    assert_eq!(stage.questions().len(), 1);
    let mut stage = listing(1);
    stage.say(r#"{"choice": 1}"#);
    stage.pass(400);
    stage.step(Event::Output { agent: AgentKey(1), bytes: inquirer(0).into_bytes() });
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[A\r", "it began there: {:?}", stage.questions());
}

fn boxes(ticked: [bool; 3], at: usize, complaint: &str) -> String {
    let row = |row: usize, name: &str| {
        let (tick, label) = (if ticked[row] { '◉' } else { '◯' }, if row == at { "\x1b[36;4m" } else { "" });
        format!("{tick}   {label}{name}\x1b[m")
    };
    let rows: Vec<String> =
        ["React", "Svelte", "Vue"].iter().enumerate().map(|(at, name)| row(at, name)).collect();
    format!(
        "\x1b[?25l\x1b[2J\x1b[H? Which frameworks? ›\r\nspace: Toggle selection\r\nenter: Complete answer{complaint}\r\n{}",
        rows.join("\r\n")
    )
}

fn shown_boxes(stage: &mut Stage, ticked: [bool; 3], at: usize, complaint: &str) {
    stage.step(Event::Output { agent: AgentKey(1), bytes: boxes(ticked, at, complaint).into_bytes() });
    stage.pass(400);
}

/// `prompts` (npm) says below its question why it does not take an answer: that was another question, and the first one answered.
#[test]
fn an_answer_that_a_program_complains_of_is_not_answered() {
    for complaint in [Some("You must select a minimum of 3 choices."), None] {
        let mut stage = keyed(&boxes([false; 3], 0, ""));
        let id = stage.questions()[0].id.clone();
        let answer = GivenAnswer { options: vec!["2".into()], ..GivenAnswer::default() };
        stage.request(Request::Answer { id, answer });
        stage.pass(400);
        // Its ends are looked for first.
        shown_boxes(&mut stage, [false; 3], 2, "");
        shown_boxes(&mut stage, [false; 3], 1, "");
        shown_boxes(&mut stage, [false, true, false], 1, "");
        assert_eq!(stage.typed(), "\x1b[A\x1b[A \r", "{:?}", stage.questions());
        let (ticked, at) = if complaint.is_some() { ([false, true, false], 1) } else { ([false; 3], 0) };
        let next = if complaint.is_some() { "" } else { "\x1b[2J\x1b[HDone.\r\n" };
        stage.step(Event::Output { agent: AgentKey(1), bytes: next.as_bytes().to_vec() });
        shown_boxes(&mut stage, ticked, at, complaint.unwrap_or(" (next)"));
        let outcome = if complaint.is_some() { Outcome::Failed } else { Outcome::Answered };
        assert_eq!(stage.entries()[0].outcome, outcome, "{:?}", stage.entries());
        assert_eq!(stage.typed(), "\x1b[A\x1b[A \r");
    }
}

/// A list longer than its screen, drawn as if there were room: its question and its highlighted row were gone, and nobody was called.
#[test]
fn rows_that_fill_the_screen_and_wait_for_a_key_are_a_persons() {
    let rows: Vec<String> = (0..40).map(|at| format!("    colour {at}")).collect();
    for (hidden, asks) in [(true, 1), (false, 0)] {
        let cursor = if hidden { "\x1b[?25l" } else { "" };
        let mut stage = printing_with(&format!("{cursor}? Which one?\r\n{}", rows.join("\r\n")), |reader| {
            (reader.canonical, reader.echo) = (false, false);
            if let Reader::Reading(wait) = &mut reader.reader {
                (wait.blocking, wait.sleeps, wait.alone) = (false, 0, false);
            }
        });
        stage.pass(30_000);
        assert_eq!(stage.questions().len(), asks, "{:?}", stage.questions());
    }
}

/// A program that listens beside the one it started (`nodemon`) made a menu nobody's: its mark was taken for a shell's.
#[test]
fn a_menu_that_two_programs_listen_below_is_a_persons() {
    let menu = "? Which framework?\r\n❯ React\r\n  Vue\r\n  Svelte\r\n↑↓ navigate • ⏎ select";
    let mut stage = printing_with(menu, |reader| {
        (reader.canonical, reader.echo) = (false, false);
        reader.reader = Reader::Unknown(Blind::Contended { program: "node".into() });
    });
    stage.pass(15_000);
    let asks = stage.questions();
    assert!(matches!(&asks[..], [ask] if ask.status == Status::Escalated), "{asks:?}");
    assert_eq!(asks[0].prompt, "Which framework?");
}
