//! The mouse: what a click, a drag and the wheel do; `update_tests.rs` includes it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::*;
use crate::core::terminal::picture::{Picture, Shadow};
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;
use crate::dashboard::state::Pressed;

fn event(kind: MouseKind, col: u16, row: u16) -> Event {
    let button = Some(Button::Left);
    Event::Input(Input::Mouse(Mouse { kind, button, row, col, mods: Default::default() }))
}

/// The agent prints this.
fn shows(person: &mut Person, name: &str, text: &str) {
    let mut screen = Screen::new(Size::new(60, 20), TerminalIdentity::default());
    screen.feed(text.as_bytes());
    let rows = Picture::delta(&mut Shadow::default(), &screen).unwrap();
    let (cursor, modes) = (screen.grid().cursor, screen.modes());
    let picture = Picture { size: screen.size(), rows, cursor, modes, title: String::new() };
    person.notice(Notice::Picture { name: name.into(), picture });
}

/// What a drag from here to there, both counted from the pane's upper left cell, put on the clipboard.
fn dragged(person: &mut Person, name: &str, from: (u16, u16), to: (u16, u16)) -> Option<String> {
    let inner = person.state.pane_of(name).unwrap().inner();
    let at = |kind, (row, col): (u16, u16)| event(kind, inner.x + col, inner.y + row);
    person.event(at(MouseKind::Press, from), 20_000);
    person.event(at(MouseKind::Drag, to), 20_010);
    let out = update(&mut person.state, at(MouseKind::Release, to), 20_020);
    let copied = out.into_iter().find_map(|effect| match effect {
        Effect::Clipboard(data) => Some(data),
        _ => None,
    });
    copied.map(|data| String::from_utf8(STANDARD.decode(data).unwrap()).unwrap())
}

/// Nothing could be copied from a pane but by the keys of the scrollback, and the terminal's own selection took the pane
/// beside it along.
#[test]
fn a_drag_over_a_pane_copies_what_it_covers() {
    let mut person = Person::at(140, 48, &["api", "web"]);
    shows(&mut person, "web", "first line\r\n  second 漢字 line\r\nthird");
    assert_eq!(dragged(&mut person, "web", (0, 6), (1, 12)).as_deref(), Some("line\n  second 漢字"));
    assert_eq!((person.state.focus.as_deref(), person.note()), (Some("web"), "copied 2 lines"));
    assert_eq!(dragged(&mut person, "web", (2, 4), (2, 0)).as_deref(), Some("third"), "backwards");
    assert_eq!(dragged(&mut person, "web", (2, 2), (2, 2)), None, "a click is none");
    assert_eq!(dragged(&mut person, "web", (0, 0), (200, 200)).map(|text| text.lines().count()), Some(3));
    assert_eq!(person.state.selection, None);
}

/// A click that was to give a pane the focus answered what it showed, and ended the consultation: a person had typed there.
#[test]
fn the_click_that_gives_the_focus_is_not_the_agents() {
    let mut person = Person::at(140, 48, &["api", "web"]);
    let modes = Modes { mouse_click: true, mouse_drag: true, ..Modes::default() };
    person.state.agent_mut("web").unwrap().modes = modes;
    let inner = person.state.pane_of("web").unwrap().inner();
    let mut reach = |kind, at| typed_into(&person.event(event(kind, inner.x + 1, inner.y + 1), at)).len();
    for (kind, at) in [(MouseKind::Press, 20_000), (MouseKind::Drag, 20_010), (MouseKind::Release, 20_020)] {
        assert_eq!(reach(kind, at), 0, "{kind:?}");
    }
    for (kind, at) in [(MouseKind::Press, 30_000), (MouseKind::Drag, 30_010), (MouseKind::Release, 30_020)] {
        assert_eq!(reach(kind, at), 1, "{kind:?}");
    }
    assert_eq!(person.state.focus.as_deref(), Some("web"));
}

/// A wheel turned over another pane, up and down again, left the keyboard there: the next "y" answered its question.
#[test]
fn the_wheel_gives_the_keyboard_back_to_whoever_had_it() {
    let mut person = Person::at(140, 48, &["api", "web"]);
    person.state.focus_on("api");
    let inner = person.state.pane_of("web").unwrap().inner();
    person.event(event(MouseKind::WheelUp, inner.x + 1, inner.y + 1), 20_000);
    assert!(matches!(person.state.mode, Mode::Scroll(_)));
    assert_eq!(person.state.focus.as_deref(), Some("web"), "its keys are the scrollback's meanwhile");
    person.event(event(MouseKind::WheelDown, inner.x + 1, inner.y + 1), 20_100);
    assert_eq!((&person.state.mode, person.state.focus.as_deref()), (&Mode::Panes, Some("api")));
    person.event(event(MouseKind::WheelUp, inner.x + 1, inner.y + 1), 21_000);
    person.event(event(MouseKind::Press, inner.x + 1, inner.y + 1), 21_100);
    person.event(event(MouseKind::Release, inner.x + 1, inner.y + 1), 21_150);
    person.event(event(MouseKind::WheelDown, inner.x + 1, inner.y + 1), 21_200);
    assert_eq!(person.state.focus.as_deref(), Some("web"), "a click in it is a choice");
}

/// As arrow keys, which some programs have the wheel be, a notch moved the highlight of what was asked.
#[test]
fn the_wheel_moves_nothing_in_a_question() {
    let mut person = Person::at(140, 48, &["api"]);
    let modes = Modes { alternate_screen: true, alternate_scroll: true, ..Modes::default() };
    person.state.agent_mut("api").unwrap().modes = modes;
    let inner = person.state.pane_of("api").unwrap().inner();
    let notch = |person: &mut Person, at| {
        typed_into(&person.event(event(MouseKind::WheelDown, inner.x + 1, inner.y + 1), at)).len()
    };
    assert_eq!(notch(&mut person, 20_000), 1);
    person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
    assert_eq!(notch(&mut person, 30_000), 0);
}

/// While one selects, the agent goes on, and what is selected holds still.
#[test]
fn what_is_printed_meanwhile_does_not_move_what_is_selected() {
    let mut person = Person::at(140, 48, &["web"]);
    shows(&mut person, "web", "wanted");
    let inner = person.state.pane_of("web").unwrap().inner();
    person.event(event(MouseKind::Press, inner.x, inner.y), 20_000);
    person.event(event(MouseKind::Drag, inner.x + 5, inner.y), 20_010);
    shows(&mut person, "web", "another");
    let out = update(&mut person.state, event(MouseKind::Release, inner.x + 5, inner.y), 20_020);
    assert!(out.contains(&Effect::Clipboard(STANDARD.encode("wanted"))), "{out:?}");
}

/// An agent that asked for the mouse has it.
#[test]
fn an_agent_that_takes_the_mouse_gets_the_drag() {
    let mut person = Person::at(140, 48, &["web"]);
    shows(&mut person, "web", "\x1b[?1002h\x1b[?1006htext");
    assert_eq!(dragged(&mut person, "web", (0, 0), (0, 3)), None);
    let inner = person.state.pane_of("web").unwrap().inner();
    assert_eq!(person.event(event(MouseKind::Press, inner.x, inner.y), 30_000).len(), 1);
}

#[test]
fn a_click_focuses_and_a_drag_on_a_border_resizes() {
    let mut person = Person::at(240, 48, &["api", "web"]);
    let place = |person: &Person, i: usize| person.state.panes()[i].1;
    let second = place(&person, 1);
    person.event(event(MouseKind::Press, second.x + 5, second.y + 5), 2_000);
    assert_eq!(person.state.focus.as_deref(), Some("web"));
    person.event(event(MouseKind::Press, second.x, 9), 2_000);
    assert!(person.event(event(MouseKind::Drag, second.x + 10, 9), 2_010).is_empty());
    person.event(event(MouseKind::Release, second.x + 10, 9), 2_020);
    assert_eq!(person.event(Event::Tick, 2_200).len(), 1, "the new sizes are told once it rests");
    assert_eq!(place(&person, 1).x, second.x + 11);
}

/// A border between two panes has two rows on the screen, and only the upper one could be dragged.
#[test]
fn a_pane_is_made_higher_by_the_title_below_it() {
    let mut person = Person::at(80, 48, &["api", "web"]);
    let (above, below) = (person.state.pane_of("api").unwrap(), person.state.pane_of("web").unwrap());
    assert_eq!(below.y, above.rows, "one above the other");
    person.event(event(MouseKind::Press, below.x + 30, below.y), 20_000);
    assert_eq!(person.state.focus.as_deref(), Some("web"), "as a click on it does");
    person.event(event(MouseKind::Drag, below.x + 30, below.y + 5), 20_010);
    person.event(event(MouseKind::Release, below.x + 30, below.y + 5), 20_020);
    assert!(person.state.pane_of("api").unwrap().rows > above.rows + 3);
    assert_eq!(person.state.pressed, Pressed::Nothing);
    // The uppermost one is nobody's border.
    person.event(event(MouseKind::Press, above.x + 30, above.y), 30_000);
    assert_eq!((person.state.pressed, person.state.focus.as_deref()), (Pressed::Nothing, Some("api")));
}
