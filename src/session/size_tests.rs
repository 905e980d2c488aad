//! Whoever looks at a question does not take it away: the size of a terminal while a dialog stands in it.

use std::sync::Arc;

use crate::core::question::{Kind, Question, State, Verdict};
use crate::core::terminal::grid::Size;
use crate::session::message::{ClientKey, Input, Now, Output, Started};
use crate::session::{Session, Setup};

const DRAWN: Size = Size { cols: 80, rows: 24 };

/// A program of this profile that has been drawn at 80x24.
fn session(profile: &str) -> Session {
    let setup = Setup::plain(profile, DRAWN);
    let mut session = Session::new(setup, Now::default());
    session.on(Input::Started(Box::new(Started { size: Some(DRAWN), ..Started::default() })), at(1_000));
    // It is looked at once more when it has been drawn for that size.
    session.on(Input::Unwatch { client: ClientKey(7) }, at(3_000));
    session
}

fn at(ms: u64) -> Now {
    Now { ms, unix_ms: ms }
}

fn asks(session: &mut Session, question: Option<Question>) {
    let state = if question.is_some() { State::Asking } else { State::Idle };
    let verdict = Verdict { state, question, ..Verdict::clone(&session.observation.verdict) };
    session.observation.verdict = Arc::new(verdict);
}

fn menu() -> Question {
    Question::new(Kind::Menu, "Which framework?")
}

/// The sizes that its terminal is given when somebody looks at it in a pane of this size.
fn looked_at(session: &mut Session, cols: u16, rows: u16, ms: u64) -> Vec<Size> {
    let watch = Input::Watch { client: ClientKey(7), size: Some(Size::new(cols, rows)) };
    sizes(session.on(watch, at(ms)))
}

fn sizes(outputs: Vec<Output>) -> Vec<Size> {
    let size = |output| if let Output::Resize(size) = output { Some(size) } else { None };
    outputs.into_iter().filter_map(size).collect()
}

/// whiptail never draws anew: the pane that showed its box cut that, and the question, with what a consultant had proposed, was
/// withdrawn by a glance.
#[test]
fn a_dialog_keeps_its_size_until_it_is_answered() {
    let mut session = session("generic");
    asks(&mut session, Some(menu()));
    assert_eq!(looked_at(&mut session, 58, 20, 10_000), [], "it would be cut");
    assert_eq!(looked_at(&mut session, 100, 20, 11_000), [], "so would its last rows");
    session.release_size();
    assert_eq!(sizes(std::mem::take(&mut session.out)), [], "it stands there still");
    asks(&mut session, None);
    session.release_size();
    assert_eq!(sizes(std::mem::take(&mut session.out)), [Size::new(100, 20)], "what was wanted last");
    session.release_size();
    assert_eq!(sizes(std::mem::take(&mut session.out)), []);
}

#[test]
fn what_cuts_nothing_is_not_held_back() {
    let mut larger = session("generic");
    asks(&mut larger, Some(menu()));
    assert_eq!(looked_at(&mut larger, 100, 30, 10_000), [Size::new(100, 30)]);
    // The terminal breaks the row of a prompt, and detection joins it again.
    let mut line = menu();
    line.origin.line = true;
    let mut prompts = session("generic");
    asks(&mut prompts, Some(line));
    assert_eq!(looked_at(&mut prompts, 58, 20, 10_000), [Size::new(58, 20)]);
    // Agents draw their dialogs anew.
    let mut agent = session("claude");
    asks(&mut agent, Some(menu()));
    assert_eq!(looked_at(&mut agent, 58, 20, 10_000), [Size::new(58, 20)]);
    let mut idle = session("generic");
    assert_eq!(looked_at(&mut idle, 58, 20, 10_000), [Size::new(58, 20)]);
}

/// tmux tells of each size it has given, also of the one by which a program is made to draw: with each pause and resume its agent had
/// a column less, for good.
#[test]
fn the_size_that_makes_a_program_draw_is_not_taken_for_its_own() {
    let mut session = session("generic");
    session.redraw();
    let narrow = Size { cols: 79, rows: 24 };
    session.on(Input::Resized(narrow), at(1_010));
    let given: Vec<Size> = (1..60).flat_map(|n| sizes(session.on(Input::Wake, at(1_010 + n * 50)))).collect();
    assert_eq!(given.last(), Some(&DRAWN), "{given:?}");
    // One that a person gives it is.
    session.on(Input::Resized(narrow), at(9_000));
    assert_eq!(session.terminal.screen.size(), narrow);
}
