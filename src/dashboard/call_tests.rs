//! How a person is called, what is said to them, and what goes on their clipboard.

use super::*;

/// News of a failure was gone after five seconds, seen or not.
#[test]
fn what_failed_is_said_until_a_key_is_pressed() {
    let mut person = Person::at(100, 30, &["api"]);
    person.state.warn("could not do it");
    person.event(Event::Tick, 60_000);
    assert_eq!(person.note(), "could not do it");
    person.press_at("x", 60_001);
    assert_eq!(person.state.note, None);
}

#[test]
fn what_finished_while_nobody_looked_says_so() {
    let mut person = Person::at(200, 60, &["api", "web"]);
    let idle = |name| Notice::Agent(Box::new(AgentInfo { state: AgentState::Idle, ..info(name) }));
    let unseen =
        |person: &Person, name: &str| person.state.agent(name).is_some_and(|agent: &Agent| agent.unseen);
    person.notice(idle("web"));
    person.notice(idle("api"));
    assert!(unseen(&person, "web") && !unseen(&person, "api"), "api is in focus");
    person.press("ctrl-a 2");
    assert!(!unseen(&person, "web"));
    // Nor is it seen while the person is at another window.
    person.event(Event::Input(Input::Focus(false)), 2_000);
    person.notice(Notice::Agent(Box::new(info("web"))));
    person.notice(idle("web"));
    assert!(unseen(&person, "web"));
    person.event(Event::Input(Input::Focus(true)), 2_000);
    assert!(!unseen(&person, "web"));
}

#[test]
fn a_person_is_called_in_plain_words() {
    let mut person = Person::at(100, 30, &["api"]);
    let subject = Some("rm build/x".into());
    let asked = QuestionInfo { kind: Kind::Permission, subject, ..question("q1", "api", Status::Escalated) };
    person.notice(Notice::Question(asked));
    let notice = |question: Option<&str>, text: &str| {
        let (agent, question) = ("api".into(), question.map(str::to_owned));
        Event::Server(Box::new(ServerMessage::Notice(Notice::Notification {
            agent,
            question,
            text: text.into(),
        })))
    };
    let out = update(&mut person.state, notice(Some("q1"), "api needs you (permission): x [y]"), 2_000);
    assert_eq!(out, [Effect::Notify("api asks permission: rm build/x".into())]);
    assert_eq!(person.note(), "", "the status line says it for as long as it is so");
    let out = update(&mut person.state, notice(None, "the keeper of api died"), 2_000);
    assert_eq!(out, [Effect::Notify("the keeper of api died".into())]);
    assert_eq!(person.note(), "the keeper of api died");
    // Who is meant is said, also where the name is part of another word.
    person.notice(Notice::Agent(Box::new(info("e"))));
    let text = "a process could not be ended".to_owned();
    person.notice(Notice::Notification { agent: "e".into(), question: None, text });
    assert_eq!(person.note(), "e: a process could not be ended");
}

/// It rang for what the person was reading at that moment.
#[test]
fn nobody_is_called_to_what_they_look_at() {
    let mut person = Person::at(100, 30, &["api", "web"]);
    person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
    person.notice(Notice::Question(question("q2", "web", Status::Escalated)));
    let called = |person: &mut Person, agent: &str, now_ms: u64| {
        let question = Some(if agent == "api" { "q1" } else { "q2" }.to_owned());
        let notice = Notice::Notification { agent: agent.into(), question, text: "it needs you".into() };
        let event = Event::Server(Box::new(ServerMessage::Notice(notice)));
        update(&mut person.state, event, now_ms).iter().any(|effect| matches!(effect, Effect::Notify(_)))
    };
    assert!(called(&mut person, "api", 2_000), "nobody has typed yet");
    person.press_at("x", 2_000);
    assert!(!called(&mut person, "api", 3_000), "it has the focus, and the person is at it");
    assert!(called(&mut person, "web", 3_000));
    person.event(Event::Input(Input::Focus(false)), 4_000);
    assert!(called(&mut person, "api", 4_000), "they look at another window");
    person.event(Event::Input(Input::Focus(true)), 5_000);
    assert!(!called(&mut person, "api", 5_000));
    assert!(called(&mut person, "api", 65_000), "nobody has typed for a minute");
}

#[test]
fn who_comes_to_need_the_person_gets_the_focus_where_they_want_that() {
    let focus_after = |wanted: bool, before: fn(&mut Person)| {
        let mut person = Person::at(100, 30, &["api", "web"]);
        person.state.asker_to_front = wanted;
        before(&mut person);
        let asked = Notice::Question(question("q1", "web", Status::Escalated));
        person.event(Event::Server(Box::new(ServerMessage::Notice(asked))), 10_000);
        (person.state.focus.clone().unwrap_or_default(), person.state.holding())
    };
    let moved = |held| ("web".to_owned(), held);
    let stays = || ("api".to_owned(), false);
    assert_eq!(focus_after(true, |_| {}), moved(true), "and what is typed at that moment goes nowhere");
    assert_eq!(focus_after(false, |_| {}), stays(), "unless they want it, it never moves by itself");
    assert_eq!(focus_after(true, |person| drop(person.press_at("x", 6_000))), stays(), "they type");
    assert_eq!(focus_after(true, |person| drop(person.press_at("ctrl-a ?", 2_000))), stays(), "they read");
}

/// An agent put whatever it liked on the clipboard of whoever looked at it, unasked and unseen.
#[test]
fn nothing_is_on_the_clipboard_before_a_person_said_so() {
    let copied = |effects: Vec<Effect>| {
        let copied = |effect| if let Effect::Clipboard(data) = effect { Some(data) } else { None };
        effects.into_iter().find_map(copied)
    };
    let mut person = Person::at(120, 40, &["api", "web"]);
    person.state.focus_on("api");
    let offer = |person: &mut Person, name: &str, data: &str| {
        let notice = Notice::Clipboard { name: name.into(), data: data.into() };
        let event = Event::Server(Box::new(ServerMessage::Notice(notice)));
        copied(update(&mut person.state, event, 1_000))
    };
    assert_eq!(offer(&mut person, "web", "d2Vi"), None);
    assert_eq!(person.state.offered, None, "not the one that is worked in");
    assert_eq!(offer(&mut person, "api", "bHMgLWw="), None);
    let note = person.state.note.as_ref().unwrap().text.clone();
    assert!(note.contains("api wants 'ls -l' (5 characters) on your clipboard"), "{note}");
    person.press("ctrl-a :");
    // While the palette shows it, it stays what it is.
    assert_eq!(offer(&mut person, "api", "cm0gLXJm"), None);
    let enter = Event::Input(Input::Key(KeyPress::plain(Key::Enter)));
    for letter in "copy what".chars() {
        let key = Event::Input(Input::Key(KeyPress::plain(Key::Char(letter))));
        update(&mut person.state, key, 1_000);
    }
    assert_eq!(copied(update(&mut person.state, enter, 1_000)).as_deref(), Some("bHMgLWw="));
    assert_eq!(person.state.offered, None);
    person.state.clipboard = Clipboard::Allow;
    assert_eq!(offer(&mut person, "api", "bHM=").as_deref(), Some("bHM="));
    person.state.clipboard = Clipboard::Deny;
    assert_eq!(offer(&mut person, "api", "bHM="), None);
    assert!(person.state.note.as_ref().unwrap().text.contains("put nothing on your clipboard"));
}
