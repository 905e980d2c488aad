//! The drawer: what opens and closes it, whom its keys go to, and what an answer that did not go in leads to.

use super::*;

#[test]
fn another_consultant_is_asked() {
    let mut person = Person::at(100, 30, &["api"]);
    for name in ["advisor", "oracle"] {
        person.notice(Notice::Agent(Box::new(AgentInfo { role: Duty::Consultant, ..info(name) })));
    }
    person.notice(Notice::Question(QuestionInfo {
        route: "advisor".into(),
        ..of_three(Status::Consulting, None)
    }));
    let consult =
        |with: Option<&str>| vec![Request::Consult { id: "q1".into(), with: with.map(str::to_owned) }];
    assert_eq!(person.press("ctrl-a a c"), consult(None));
    assert_eq!(person.press("C enter"), consult(Some("oracle")), "not the one that is asked already");
    assert_eq!(person.press("C up enter"), consult(Some("advisor")));
    assert!(person.press("C esc").is_empty());
}

#[test]
fn the_drawer_shows_the_asker_and_leaves_the_focus_where_it_was() {
    let mut person = Person::at(80, 24, &["a", "b", "c", "d"]);
    person.notice(Notice::Question(question("q1", "d", Status::Escalated)));
    assert!(person.state.pane_of("d").is_none(), "it is on the second page");
    person.press("ctrl-a a");
    assert!(person.state.pane_of("d").is_some());
    assert_eq!(person.state.focus.as_deref(), Some("a"));
    person.press("1");
    assert_eq!((person.state.mode.clone(), person.state.focus.as_deref()), (Mode::Panes, Some("a")));
}

#[test]
fn the_drawer_closes_with_the_last_question() {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
    person.press_at("ctrl-a a", 900);
    person.notice(Notice::Question(question("q1", "api", Status::Answered)));
    assert_eq!(person.state.mode, Mode::Panes);
    assert!(person.press_at("1", 1_100).is_empty(), "and what was meant for it goes to nobody");
}

#[test]
fn the_drawer_ignores_keys_without_a_question() {
    let mut person = Person::at(100, 30, &["api"]);
    person.press("ctrl-a q");
    assert_eq!(person.state.mode, Mode::Drawer(Drawer { row: Some(0), ..Drawer::default() }));
    assert!(person.press("1 enter e t r c space").is_empty());
    person.press("esc");
    assert_eq!(person.state.mode, Mode::Panes);
    assert_eq!(KeyPress::plain(Key::Esc), KeyPress::parse("esc").unwrap());
}

/// There was no way to decide oneself, in one's own time, what a consultant was thinking about.
#[test]
fn a_question_is_taken_from_its_consultant() {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(QuestionInfo {
        route: "advisor".into(),
        ..of_three(Status::Consulting, None)
    }));
    assert_eq!(person.press("ctrl-a a o"), [Request::TakeOver { id: "q1".into() }]);
    person.notice(Notice::Question(of_three(Status::Escalated, None)));
    assert!(person.press("o").is_empty(), "it is the person's now");
    assert_eq!(person.press("2"), given(&["2. SQLite"]));
}

#[test]
fn the_decisions_of_an_agent_lead_back_to_its_question() {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(of_three(Status::Escalated, None)));
    assert!(person.press("ctrl-a a /").is_empty());
    assert!(matches!(&person.state.mode, Mode::Log(view) if view.search.text == "api"));
    person.press("esc");
    assert!(matches!(&person.state.mode, Mode::Log(_)), "the first esc empties the search");
    person.press("esc");
    assert_eq!(person.press("2"), given(&["2. SQLite"]));
}

/// The drawer closed on every answer, and where the answer then did not go in, nothing said so.
#[test]
fn an_answer_that_did_not_go_in_opens_its_question_again() {
    let why = "the answer did not go in: something is typed behind the prompt already";
    let failed =
        |status| Notice::Question(QuestionInfo { note: Some(why.into()), ..question("q1", "api", status) });
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
    person.press("ctrl-a a 2");
    person.notice(Notice::Question(question("q1", "api", Status::Answering)));
    assert_eq!(person.state.mode, Mode::Panes);
    person.notice(failed(Status::Escalated));
    assert_eq!(person.state.in_drawer().map(|question| question.id.as_str()), Some("q1"));
    assert_eq!(person.note(), format!("api: {why}"));
    assert!(person.press_at("2", 1_200).is_empty(), "a key typed before it was seen counts for nothing");
    assert_eq!(person.press("2"), given(&["2. SQLite"]));
    // Who has gone on typing elsewhere meanwhile is told, and goes on.
    person.press("x");
    person.notice(Notice::Question(question("q1", "api", Status::Answering)));
    person.notice(failed(Status::Escalated));
    assert_eq!(person.state.mode, Mode::Panes);
    assert_eq!(person.note(), format!("api: {why}"));
    // Its words are not typed twice.
    let text = |status| QuestionInfo {
        kind: Kind::Text,
        options: Vec::new(),
        selected: None,
        ..question("q1", "api", status)
    };
    person.notice(Notice::Question(text(Status::Escalated)));
    person.press("ctrl-a a m a i n enter");
    person.notice(Notice::Question(text(Status::Answering)));
    person.notice(Notice::Question(text(Status::Escalated)));
    let Mode::Drawer(drawer) = &person.state.mode else { panic!("{:?}", person.state.mode) };
    assert_eq!(drawer.edit.as_ref().map(|edit| edit.text.as_str()), Some("main"));
    person.press("esc esc");
    person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
    // Refused by the server at once.
    person.press("ctrl-a a 2");
    let refused = Reply::error(4, "paused");
    person.reply(|purpose| matches!(purpose, Purpose::Answer { .. }), refused);
    assert_eq!(person.state.in_drawer().map(|question| question.id.as_str()), Some("q1"));
    assert_eq!(person.note(), "could not answer api's question: paused");
}

/// What was typed into the drawer for a password was echoed there, and refused by the server.
#[test]
fn a_password_is_typed_nowhere_but_in_its_pane() {
    let mut person = Person::at(100, 30, &["api"]);
    let options = Vec::new();
    let password = QuestionInfo { kind: Kind::Password, options, ..question("q1", "api", Status::Escalated) };
    person.notice(Notice::Question(password));
    person.press("ctrl-a a");
    assert_eq!(person.state.mode, Mode::Panes, "it leads to where it is typed");
    for key in ["t", "e", "r", "c"] {
        assert!(person.press(&format!("ctrl-a q {key}")).is_empty(), "{key}");
        let Mode::Drawer(drawer) = &person.state.mode else { panic!("{key}") };
        assert_eq!(drawer.edit, None, "{key}");
        assert!(person.note().contains("in its pane"), "{key}: {}", person.note());
        person.press("esc");
    }
    assert!(person.press("ctrl-a q enter").is_empty());
    assert_eq!(person.state.mode, Mode::Panes);
}

/// For a dialog of `whiptail` the drawer offered a line to type in, and what was typed there was refused.
#[test]
fn what_has_neither_rows_nor_takes_words_is_answered_in_its_pane() {
    let mut person = Person::at(80, 24, &["api", "web"]);
    let asked = |kind| QuestionInfo {
        kind,
        options: Vec::new(),
        selected: None,
        ..question("q1", "web", Status::Escalated)
    };
    for kind in [Kind::Dialog, Kind::Permission, Kind::Menu, Kind::Login] {
        person.notice(Notice::Question(asked(kind)));
        person.press("ctrl-a 1 ctrl-a a");
        assert_eq!(
            (&person.state.mode, person.state.focus.as_deref()),
            (&Mode::Panes, Some("web")),
            "{kind:?}"
        );
        assert!(person.note().contains("answer it here"), "{}", person.note());
        assert_eq!(typed_into(&person.press("tab enter")), ["web", "web"], "{kind:?}");
        for key in ["t", "x", "r"] {
            person.press("ctrl-a 1 ctrl-a q");
            assert!(person.press(key).is_empty(), "{kind:?} {key}");
            assert!(person.note().contains("in its pane"), "{key}: {}", person.note());
        }
        assert!(person.press("enter").is_empty(), "{kind:?}");
        assert_eq!(
            (&person.state.mode, person.state.focus.as_deref()),
            (&Mode::Panes, Some("web")),
            "{kind:?}"
        );
        person.notice(Notice::Question(QuestionInfo { status: Status::Answered, ..asked(kind) }));
        assert_eq!(person.note(), "", "what was to be answered here is answered");
    }
}

/// The question that was looked at was asked anew when the window changed its size; the drawer turned into the
/// list of all, with another agent's question highlighted, and took the next keys for that.
#[test]
fn a_drawer_whose_question_is_gone_closes_and_hears_nothing_for_a_moment() {
    let mut person = Person::at(100, 30, &["api", "web"]);
    person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
    person.notice(Notice::Question(question("q2", "web", Status::Escalated)));
    person.press_at("ctrl-a a", 900);
    person.notice(Notice::Question(question("q1", "api", Status::Withdrawn)));
    assert_eq!(person.state.mode, Mode::Panes);
    assert!(person.press_at("enter 2", 1_200).is_empty());
    // Nor does it become the list of all where a new connection does not know the question.
    person.press("ctrl-a a");
    person.event(Event::Found, 3_000);
    assert!(person.press_at("enter 2", 3_100).is_empty());
    person.reply(|purpose| *purpose == Purpose::Synced, Reply::Done);
    assert_eq!(person.state.mode, Mode::Panes);
}

/// Words that a person wrote, slowly, for a question that its consultant answered meanwhile were typed into the agent, whose
/// next question took them.
#[test]
fn who_writes_an_answer_has_taken_the_question() {
    let mut person = Person::at(100, 30, &["api"]);
    let words = |status| QuestionInfo {
        kind: Kind::Text,
        options: Vec::new(),
        choices: Vec::new(),
        ..question("q1", "api", status)
    };
    person.notice(Notice::Question(words(Status::Consulting)));
    let taken = [Request::TakeOver { id: "q1".into() }];
    assert_eq!(person.press("ctrl-a a m"), taken);
    assert!(person.press("y space o w n").is_empty(), "it was asked for once");
    // It is over all the same.
    person.notice(Notice::Question(words(Status::Answered)));
    assert!(person.note().contains("esc goes on"), "{}", person.note());
    for now_ms in [13_000, 14_000, 19_000] {
        assert!(person.press_at("n a m e enter", now_ms).is_empty());
        assert!(person.note().contains("nowhere"), "{}", person.note());
    }
    person.event(Event::Tick, 60_000);
    assert!(person.note().contains("nowhere"), "it is told for as long as it is so: {}", person.note());
    assert!(person.press_at("esc", 61_000).is_empty());
    assert_eq!(typed_into(&person.press_at("x", 63_000)), ["api"]);
}

/// Where something closes by itself, or its agent goes, a key meant for it was typed into the agent next to it.
#[test]
fn who_is_adrift_types_nowhere_until_they_have_seen_it() {
    let begin = |keys: &str| {
        let mut person = Person::at(200, 60, &["web", "api"]);
        person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
        person.press_at("ctrl-a 2", 900);
        person.press_at(keys, 1_500);
        person
    };
    for keys in ["ctrl-a a", "ctrl-a x", "ctrl-a [", "e c h o"] {
        for seen in ["esc", "ctrl-a 1"] {
            let mut person = begin(keys);
            person.notice(Notice::Gone { name: "api".into() });
            assert!(typed_into(&person.press_at("y", 4_000)).is_empty(), "{keys}");
            assert!(typed_into(&person.press_at("y", 9_000)).is_empty(), "{keys}");
            assert!(typed_into(&person.press_at(seen, 10_000)).is_empty(), "{keys}");
            assert_eq!(typed_into(&person.press_at("x", 11_000)), ["web"], "{keys} {seen}");
        }
    }
    // Who has typed nothing for a while is in the middle of nothing.
    let mut person = begin("e c h o");
    person.event(Event::Server(Box::new(ServerMessage::Notice(Notice::Gone { name: "api".into() }))), 60_000);
    assert_eq!(typed_into(&person.press_at("x", 70_000)), ["web"]);
}

/// Enter was pressed for the row that was highlighted, and gave the one that a suggestion had highlighted meanwhile.
#[test]
fn a_highlight_that_moves_by_itself_takes_no_key_for_a_moment() {
    let mut person = Person::at(100, 30, &["api"]);
    let notice = |person: &mut Person, question, now_ms| {
        person.event(Event::Server(Box::new(ServerMessage::Notice(Notice::Question(question)))), now_ms);
    };
    notice(&mut person, of_three(Status::Consulting, None), 800);
    person.press_at("ctrl-a a", 900);
    notice(&mut person, of_three(Status::Proposed, Some("SQLite")), 9_000);
    assert!(person.press_at("enter", 9_800).is_empty());
    assert!(matches!(&person.press_at("enter", 12_500)[..], [Request::Confirm { accept: true, .. }]));
}

/// A click on another agent's pane gave it the focus, and what was typed then answered the question that was still open.
#[test]
fn who_goes_to_another_agent_leaves_the_drawer() {
    let click = |person: &Person, name: &str| {
        let place = person.state.pane_of(name).expect("it has a pane");
        let (col, row) = (place.x + 2, place.y + 1);
        let (kind, button, mods) = (MouseKind::Press, Some(Button::Left), Default::default());
        Event::Input(Input::Mouse(Mouse { kind, button, row, col, mods }))
    };
    for go in ["click", "ctrl-a 2", "ctrl-a n"] {
        let mut person = Person::at(200, 60, &["api", "web"]);
        person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
        person.press("ctrl-a a");
        if go == "click" {
            let event = click(&person, "web");
            person.event(event, 2_000);
        } else {
            person.press(go);
        }
        assert_eq!((&person.state.mode, person.state.focus.as_deref()), (&Mode::Panes, Some("web")), "{go}");
        assert_eq!(typed_into(&person.press("1")), ["web"], "{go}");
        // To the one whose question it is one may go.
        person.press("ctrl-a a ctrl-a 1");
        assert_eq!(person.press("1"), given(&["1. PostgreSQL"]), "{go}");
    }
}

/// The second press of an Enter that had bounced opened what another agent asked, and the third answered it.
#[test]
fn a_key_pressed_twice_answers_one_question() {
    let mut person = Person::at(100, 30, &["api", "web"]);
    person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
    person.notice(Notice::Question(question("q2", "web", Status::Escalated)));
    assert_eq!(person.press("ctrl-a a enter enter enter"), given(&["1. PostgreSQL"]));
    assert!(person.note().contains("went nowhere"), "{}", person.note());
    // The next one is opened by its own keys.
    person.notice(Notice::Question(question("q1", "api", Status::Answered)));
    let sent = person.press_at("ctrl-a a", 5_000);
    assert!(sent.is_empty(), "{sent:?}");
    let sent = person.press_at("enter enter", 6_000);
    assert!(matches!(sent.as_slice(), [Request::Answer { id, .. }] if id == "q2"), "{sent:?}");
}

/// It named `--with`, which is an option of a verb and no key.
#[test]
fn who_has_no_consultant_is_told_the_keys_that_ask_another() {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
    let refused = |person: &mut Person| {
        person.press("ctrl-a C");
        person.reply(|purpose| matches!(purpose, Purpose::Act(_)), Reply::error(1, "api has no consultant"));
        person.note().to_owned()
    };
    assert_eq!(refused(&mut person), "could not consult about api's question: api has no consultant");
    person.notice(Notice::Agent(Box::new(AgentInfo { role: Duty::Consultant, ..info("advisor") })));
    assert!(refused(&mut person).ends_with("has no consultant; ctrl-a q, then C asks another"));
}

/// Somebody wrote "no, keep it" where no words are taken, saw nothing come of it, and the Enter behind it approved the command that
/// was highlighted.
#[test]
fn the_enter_behind_words_that_went_nowhere_gives_nothing() {
    for (words, paused) in [("w o r d s", 2_000), ("t w o r d s", 2_000), ("w o space", 700), ("w k", 700)] {
        let mut person = Person::at(100, 30, &["api"]);
        person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
        person.press_at("ctrl-a a", 1_000);
        let mut at = 2_000;
        for word in words.split(' ') {
            assert!(person.press_at(word, at).is_empty(), "{words}: {word}");
            at += 130;
        }
        assert!(person.press_at("enter", at + paused).is_empty(), "{words}");
        assert!(person.note().contains("went nowhere"), "{words}: {}", person.note());
        assert!(person.press_at("enter", at + 2 * paused).is_empty(), "{words}, and once more");
        assert_eq!(person.press_at("2", at + 3 * paused), given(&["2. SQLite"]), "{words}: a number chooses");
    }
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
    person.press_at("ctrl-a a", 1_000);
    person.press_at("w", 2_000);
    assert_eq!(person.press_at("up enter", 4_000), given(&["1. PostgreSQL"]), "an arrow chooses");
}
