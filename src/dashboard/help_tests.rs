//! The help, hidden panes, the main pane and the layouts.

use super::*;

/// Behind the help the pane stood at its end, the place and the search were gone, and the keys just read up went to the
/// program.
#[test]
fn the_help_gives_the_scrollback_back_as_it_was() {
    for closes in ["q", "esc", "enter"] {
        let mut person = Person::at(80, 24, &["api"]);
        person.press("ctrl-a [ / e n d enter");
        let scrolled = person.state.mode.clone();
        assert!(matches!(&scrolled, Mode::Scroll(scroll) if scroll.query == "end"), "{scrolled:?}");
        person.press("ctrl-a ?");
        assert!(matches!(person.state.mode, Mode::Help(_)));
        // A page on, and once more from within the help.
        person.press("right ctrl-a ?");
        assert!(matches!(person.state.mode, Mode::Help(_)));
        assert_eq!(typed_into(&person.press(closes)), [""; 0]);
        assert_eq!(person.state.mode, scrolled, "{closes}");
        assert_eq!(typed_into(&person.press("A n")), [""; 0], "{closes}");
    }
    // Whoever is gone meanwhile has nothing to be read.
    let mut person = Person::at(80, 24, &["api", "web"]);
    person.press("ctrl-a [ ctrl-a ?");
    person.notice(Notice::Gone { name: "api".into() });
    person.press("q");
    assert_eq!(person.state.mode, Mode::Panes);
}

/// End closed the help, and the keys behind it went to the agent: its permission was declined.
#[test]
fn keys_of_a_pager_turn_the_pages_of_the_help() {
    let mut person = Person::at(80, 24, &["api"]);
    person.press("ctrl-a ?");
    let keys = "end home pagedown pageup j k G g space b x X 5 delete f3 ctrl-c";
    assert_eq!(typed_into(&person.press(keys)), [""; 0]);
    assert!(matches!(person.state.mode, Mode::Help(_)));
    person.press("end");
    let Mode::Help(help) = &person.state.mode else { panic!("it is open") };
    let (last, _) = crate::dashboard::view::help_pages(&person.state);
    assert_eq!(help.page, last - 1);
    person.press("q");
    assert_eq!(person.state.mode, Mode::Panes);
}

/// The help over a question closed the question as well, and the Escape that was to close that declined the agent's dialog.
#[test]
fn the_help_leads_back_to_what_it_was_opened_over() {
    for keys in
        ["ctrl-a a down", "ctrl-a a t n o", "ctrl-a : s t o", "ctrl-a c c l a u d e down x", "ctrl-a l"]
    {
        let mut person = Person::at(80, 24, &["api"]);
        person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
        person.press(keys);
        let before = person.state.mode.clone();
        assert_ne!(before, Mode::Panes, "{keys}");
        person.press("ctrl-a ?");
        assert!(matches!(person.state.mode, Mode::Help(_)), "{keys}");
        // What was asked for before is told meanwhile.
        person.event(Event::Log(Ok(Vec::new())), 9_000);
        person.press("right ctrl-a ?");
        assert!(person.press("esc").is_empty(), "{keys}");
        match &before {
            Mode::Log(_) => assert!(matches!(person.state.mode, Mode::Log(_)), "{keys}"),
            before => assert_eq!(&person.state.mode, before, "{keys}"),
        }
        assert_eq!(person.state.draft, None, "{keys}: it is open, and not put aside");
        for _ in 0..3 {
            if person.state.mode != Mode::Panes {
                assert!(person.press("esc").is_empty(), "{keys}");
            }
        }
        assert_eq!(person.state.mode, Mode::Panes, "{keys}");
    }
}

/// Where the question is over meanwhile there is nothing to lead back to, and no key goes on to the agent unmeant.
#[test]
fn behind_the_help_a_question_can_end() {
    let mut person = Person::at(80, 24, &["api"]);
    person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
    person.press_at("ctrl-a a", 10_000);
    person.press_at("ctrl-a ?", 12_000);
    let over = question("q1", "api", Status::Withdrawn);
    person.event(Event::Server(Box::new(ServerMessage::Notice(Notice::Question(over)))), 14_000);
    assert!(person.note().contains("api's question is withdrawn"), "{}", person.note());
    assert!(person.press_at("esc", 14_100).is_empty());
    assert_eq!(person.state.mode, Mode::Panes);
}

#[test]
fn the_main_pane_is_the_focused_agents() {
    let mut person = Person::at(240, 60, &["a", "b", "c"]);
    person.press("ctrl-a space ctrl-a 3");
    let main = person.state.panes()[0].1;
    assert_eq!(person.state.pane_of("c"), Some(main));
}

#[test]
fn a_layout_that_is_chosen_is_remembered() {
    let mut person = Person::at(100, 30, &["api"]);
    let press = |word: &str| Event::Input(Input::Key(KeyPress::parse(word).unwrap()));
    update(&mut person.state, press("ctrl-a"), 2_000);
    let out = update(&mut person.state, press("space"), 2_000);
    assert!(out.contains(&Effect::Remember("main-and-stack".into())), "{out:?}");
}

/// The rest of a line, with its Enter, went to agents that were not on the screen when broadcast began.
#[test]
fn a_broadcast_ends_when_others_come_into_view() {
    let names: Vec<String> = (0..40).map(|at| format!("agent{at}")).collect();
    let mut person = Person::at(80, 24, &names.iter().map(String::as_str).collect::<Vec<_>>());
    person.press("ctrl-a b");
    let first = typed_into(&person.press("x")).len();
    assert!(first > 0 && person.state.broadcast.on);
    person.press("ctrl-a h");
    assert!(!person.state.broadcast.on && person.note().contains("broadcast has ended"), "{}", person.note());
    assert_eq!(typed_into(&person.press("y")).len(), 1, "the focused one");
    // Fewer of them may be shown.
    person.press("ctrl-a b");
    person.press("ctrl-a z");
    assert!(person.state.broadcast.on);
}

/// A second `ctrl-a h`, as one takes back what a key has done, hid the next pane; and the line that told the way back was
/// cut at the key.
#[test]
fn a_pane_that_was_hidden_is_had_again_by_the_same_key() {
    let long = "agent-with-a-very-long-name-no-1";
    let mut person = Person::at(80, 24, &[long, "web", "docs"]);
    person.press("ctrl-a h");
    assert_eq!(person.state.focus.as_deref(), Some("web"));
    let told: String = person.note().chars().take(78).collect();
    assert!(told.contains("ctrl-a h shows it again") && told.contains("ctrl-a 1"), "{}", person.note());
    person.press("ctrl-a h");
    assert!(person.state.hidden.is_empty(), "{:?}", person.state.hidden);
    assert_eq!(person.state.focus.as_deref(), Some(long));
    // Whoever has gone on since hides what they are at now.
    for goes_on in ["x", "ctrl-a n"] {
        person.state.hidden.clear();
        person.press("ctrl-a 1 ctrl-a h");
        person.press(goes_on);
        let at = person.state.focus.clone().unwrap();
        person.press("ctrl-a h");
        assert!(person.state.hidden.contains(long) && person.state.hidden.contains(&at), "{goes_on}");
    }
    person.press("ctrl-a n ctrl-a h");
    let told: String = person.note().chars().take(78).collect();
    assert!(told.starts_with("the last pane stays") && told.contains("then ctrl-a h"), "{told}");
}
