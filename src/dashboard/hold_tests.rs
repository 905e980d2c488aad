//! Keys that go nowhere, because they were meant for what was there a moment ago; and what is said, for as long as it is
//! true.

use super::*;

/// An Escape meant for a shell that had just ended went to the agent beside it, and declined a permission.
#[test]
fn what_ends_gives_the_focus_back_and_swallows_what_is_typed_in_that_moment() {
    let mut person = Person::at(100, 30, &["api", "shell", "web"]);
    person.press("ctrl-a 3 ctrl-a 2");
    person.notice(Notice::Gone { name: "shell".into() });
    assert_eq!(person.state.focus.as_deref(), Some("web"), "where the person was before");
    assert!(person.press_at("esc", 1_299).is_empty());
    assert!(person.note().contains("web has the keyboard now"), "{}", person.note());
    let paste = Event::Input(Input::Paste("rm -rf".into()));
    assert!(person.event(paste, 1_299).is_empty());
    assert!(person.press_at("x", 1_600).is_empty(), "who goes on typing has not seen it");
    assert_eq!(typed_into(&person.press_at("x", 2_000)), ["web"]);
}

/// The prefix was swallowed with the rest, and its second key was typed into an agent that asked.
#[test]
fn the_prefix_works_in_that_moment_too() {
    let mut person = Person::at(100, 30, &["api", "shell", "web"]);
    person.press("ctrl-a 3 ctrl-a 2");
    person.notice(Notice::Gone { name: "shell".into() });
    assert_eq!(typed_into(&person.press_at("ctrl-a z", 1_100)), [""; 0]);
    assert!(person.state.zoomed);
}

/// Nothing could be marked right after the palette had closed: the keys behind the chord that opened the scrollback went
/// nowhere, and each that did kept the next from it.
#[test]
fn what_a_chord_opens_takes_the_keys_behind_it() {
    let mut person = Person::at(100, 30, &["api"]);
    person.press("ctrl-a : esc");
    let closed_ms = person.pressed_ms;
    person.press_at("ctrl-a [", closed_ms + 20);
    assert!(matches!(person.state.mode, Mode::Scroll(_)));
    person.press_at("q", closed_ms + 40);
    assert_eq!(person.state.mode, Mode::Panes);
    assert_eq!(typed_into(&person.press_at("q", closed_ms + 60)), [""; 0], "the one more is held back");
}

/// A second Escape, after the one that had closed a box, went to the agent below it, and declined a permission there.
#[test]
fn the_key_that_closes_something_does_not_reach_an_agent_a_second_time() {
    let ways = [
        ("ctrl-a ?", "esc"),
        ("ctrl-a :", "esc"),
        ("ctrl-a : z o o m", "enter"),
        ("ctrl-a c", "esc"),
        ("ctrl-a x", "esc"),
        ("ctrl-a x", "y"),
        ("ctrl-a R", "n"),
        ("ctrl-a q", "esc"),
        ("ctrl-a a", "1"),
        ("ctrl-a l", "esc"),
        ("ctrl-a [", "q"),
        ("ctrl-a", "esc"),
        ("ctrl-a", "%"),
    ];
    for (opens, closes) in ways {
        let mut person = Person::at(100, 30, &["api"]);
        person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
        person.press(opens);
        person.press(closes);
        assert_eq!(
            (&person.state.mode, person.state.prefix.pending),
            (&Mode::Panes, false),
            "{opens} {closes}"
        );
        let closed_ms = person.pressed_ms;
        assert_eq!(typed_into(&person.press_at(closes, closed_ms + 150)), [""; 0], "{opens} {closes}");
        assert!(person.note().contains("went nowhere"), "{}", person.note());
        // Held down it repeats, and then it is let go.
        for action in [Press::Repeat, Press::Release] {
            let held = KeyPress { action, ..KeyPress::parse(closes).unwrap() };
            let sent = person.event(Event::Input(Input::Key(held)), closed_ms + 400);
            assert_eq!(typed_into(&sent), [""; 0], "{opens} {closes} {action:?}");
        }
        // An answer of which nothing is heard keeps the pane for longer than the others.
        assert_eq!(typed_into(&person.press_at("x", closed_ms + 4_000)), ["api"], "{opens} {closes}");
    }
}

/// What is said stands no longer than it is true: that an agent is paused, once it goes on; that nobody asks, once
/// somebody does.
#[test]
fn the_line_of_news_goes_when_it_is_true_no_more() {
    let mut person = Person::at(200, 60, &["api", "web"]);
    let in_state = |state| Notice::Agent(Box::new(AgentInfo { state, ..info("api") }));
    for state in [AgentState::Paused, AgentState::Exited] {
        person.notice(in_state(state));
        person.press("x");
        assert!(person.note().starts_with("not sent: api "), "{}", person.note());
        person.notice(in_state(AgentState::Idle));
        assert_eq!(person.note(), "", "{state:?}");
    }
    for (keys, words) in [("ctrl-a a", "nobody asks anything"), ("ctrl-a tab", "nobody needs you")] {
        person.press(keys);
        assert_eq!(person.note(), words);
        person.notice(Notice::Question(question("q1", "web", Status::Escalated)));
        assert_eq!(person.note(), "");
        person.notice(Notice::Question(question("q1", "web", Status::Withdrawn)));
    }
    person.notice(Notice::Question(QuestionInfo {
        selected: None,
        ..question("q2", "web", Status::Escalated)
    }));
    person.press("ctrl-a a");
    person.press("enter");
    assert!(person.note().starts_with("nothing is highlighted"), "{}", person.note());
    person.press("2");
    assert_eq!(person.note(), "");
    person.notice(Notice::Gone { name: "api".into() });
    assert_eq!(person.note(), "api has left the list");
    person.notice(in_state(AgentState::Idle));
    assert_eq!(person.note(), "");
}

/// The lower edge went on saying so for four seconds after the focus had gone to another agent, and hid who asked what.
#[test]
fn that_an_agent_has_the_keyboard_is_said_for_as_long_as_it_has() {
    for leaves in ["ctrl-a 2", "ctrl-a ?"] {
        let mut person = Person::at(200, 60, &["api", "web"]);
        person.press("ctrl-a 1");
        person.state.set_adrift();
        person.press_at("esc", 60_000);
        assert_eq!(person.note(), "api: it has the keyboard now");
        person.press_at(leaves, 61_000);
        assert_eq!(person.note(), "", "{leaves}");
    }
}

/// The lower edge said that everybody was being typed to, and what was typed went into the form.
#[test]
fn a_broadcast_puts_the_form_aside() {
    let mut person = Person::at(100, 30, &["api", "web"]);
    person.press("ctrl-a c f i x ctrl-a b");
    assert_eq!((&person.state.mode, person.state.broadcast.on), (&Mode::Panes, true));
    assert_eq!(typed_into(&person.press("h")), ["api", "web"]);
    person.press("ctrl-a b ctrl-a c");
    let Mode::Create(form) = &person.state.mode else { panic!("{:?}", person.state.mode) };
    assert_eq!(form.edit(Field::Command).text, "fix");
}
