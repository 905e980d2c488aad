//! The form for a new agent: whom it may have for a consultant.

use super::*;

/// One that has typed this command and this consultant into the form.
fn person(consultant: &str) -> Person {
    let mut person = Person::at(80, 24, &["api", "web"]);
    person.notice(Notice::Agent(Box::new(AgentInfo { role: Duty::Consultant, ..info("advisor") })));
    person.state.consultants = ["ok", "oneshot", "slow"].map(str::to_owned).to_vec();
    person.state.configured = ["later", "ok", "oneshot", "slow"].map(str::to_owned).to_vec();
    person.press("ctrl-a c");
    person.event(Event::Input(Input::Paste("claude".into())), 2_500);
    person.press("down down down");
    person.event(Event::Input(Input::Paste(consultant.into())), 6_500);
    person
}

fn form(person: &Person) -> &Form {
    let Mode::Create(form) = &person.state.mode else { panic!("{:?}", person.state.mode) };
    form
}

/// A slip of the keyboard started an agent without a word, and was only noticed when its question was nobody's.
#[test]
fn a_consultant_nobody_knows_is_refused_in_the_form() {
    for (typed, nobody) in [("okk", "okk"), ("ok, nobdy", "nobdy")] {
        let mut person = person(typed);
        person.press("enter");
        let (field, what) = form(&person).fault.clone().expect("it is no name of anybody");
        assert_eq!(field, Field::Consultant);
        let known = "there are advisor, api, later, ok, oneshot, slow, web; or start it first";
        assert_eq!(what, format!("there is no consultant '{nobody}'; {known}"));
        assert_eq!(form(&person).at(), Field::Consultant, "where it is to be mended");
        assert_eq!(form(&person).edit(Field::Consultant).text, typed);
    }
    // Agents, those of the configuration that do not run yet, and commands.
    for known in ["ok", "advisor", "api", "later", "ok, advisor", ""] {
        let mut person = person(known);
        person.press("enter");
        assert_eq!(person.state.mode, Mode::Panes, "{known}");
    }
}

/// Tab offered agents only, workers among them, and none of the consultants that are commands.
#[test]
fn tab_offers_who_answers() {
    for (typed, text, offers) in [
        ("", "", ["advisor", "ok", "oneshot", "slow"].as_slice()),
        ("o", "o", &["ok", "oneshot"]),
        ("on", "oneshot", &[]),
        ("ok,s", "ok,slow", &[]),
        ("ok, adv", "ok, advisor", &[]),
        // Any agent may be asked, where no consultant is meant.
        ("w", "web", &[]),
    ] {
        let mut person = person(typed);
        person.press("tab");
        assert_eq!(form(&person).edit(Field::Consultant).text, text, "{typed}");
        assert_eq!(form(&person).offers, offers, "{typed}");
    }
}

/// "nosuchprog has left the list" stood where it says who needs the person, of what never ran.
#[test]
fn a_try_that_failed_leaves_without_a_word() {
    let mut person = Person::at(80, 24, &["api"]);
    person.press("ctrl-a c");
    person.event(Event::Input(Input::Paste("nosuchprog".into())), 2_500);
    person.press("enter");
    let id = *person.state.pending.keys().next_back().unwrap();
    person.event(Event::NotStarted { id, cause: "no program".into() }, 3_600);
    person.notice(Notice::Agent(Box::new(failed("nosuchprog", "no program"))));
    assert_eq!(form(&person).failed_as.as_deref(), Some("nosuchprog"));
    person.press("ctrl-u c a t enter");
    let id = *person.state.pending.keys().next_back().unwrap();
    let stops = person.event(Event::Server(Box::new(ServerMessage::Reply { id, reply: Reply::Done })), 9_900);
    assert!(stops.contains(&Request::Stop { names: vec!["nosuchprog".into()], grace_ms: 0 }), "{stops:?}");
    person.notice(Notice::Gone { name: "nosuchprog".into() });
    assert!(person.state.agent("nosuchprog").is_none());
    assert_eq!(person.state.note, None);
}

/// The form offered an agent itself for its consultant, and started it so.
#[test]
fn nobody_is_offered_or_taken_for_their_own_consultant() {
    let named = |name: &str, consultant: &str| {
        let mut person = person(consultant);
        person.press("up up");
        person.event(Event::Input(Input::Paste(name.into())), 7_500);
        person.press("down down");
        person
    };
    let mut person = named("later", "later");
    person.press("enter");
    let (field, what) = form(&person).fault.clone().expect("it is its own");
    assert_eq!(field, Field::Consultant);
    assert_eq!(what, "an agent cannot answer itself; name another agent or a [[consultant]]");
    for (name, typed, text) in [("later", "lat", "lat"), ("oneshot", "on", "on"), ("mine", "lat", "later")] {
        let mut person = named(name, typed);
        person.press("tab");
        assert_eq!(form(&person).edit(Field::Consultant).text, text, "{name}");
    }
}

/// A start that had failed left its agent on the list, and Tab offered that very name as the one to answer it: Enter took it.
#[test]
fn nobody_is_offered_as_its_own_consultant_nor_who_never_started() {
    let mut person = Person::at(80, 24, &["api"]);
    person.press("ctrl-a c");
    person.event(Event::Input(Input::Paste("claude".into())), 2_500);
    person.press("down");
    person.event(Event::Input(Input::Paste("w3".into())), 4_500);
    person.press("enter");
    let id = *person.state.pending.keys().next_back().unwrap();
    person.event(Event::NotStarted { id, cause: "there is no folder /nosuch".into() }, 6_600);
    person.notice(Notice::Agent(Box::new(failed("w3", "there is no folder /nosuch"))));
    person.notice(Notice::Agent(Box::new(AgentInfo {
        role: Duty::Consultant,
        ..failed("other", "no program")
    })));
    person.press_at("down down tab", 9_600);
    assert_eq!(form(&person).edit(Field::Consultant).text, "api", "the only one who can");
    person.press_at("ctrl-u w tab", 10_600);
    assert_eq!(form(&person).edit(Field::Consultant).text, "w", "nobody else begins so");
    person.press_at("3 enter", 11_600);
    let itself = (
        Field::Consultant,
        "an agent cannot answer itself; name another agent or a [[consultant]]".to_owned(),
    );
    assert_eq!(form(&person).fault, Some(itself));
    person.press_at("ctrl-u", 12_600);
    person.event(Event::Input(Input::Paste("other".into())), 13_600);
    person.press_at("enter", 14_600);
    let never = "there is no consultant 'other'; there are api; or start it first".to_owned();
    assert_eq!(form(&person).fault, Some((Field::Consultant, never)), "it never started");
}

/// The name that it will have counts, where none was typed; and so does one of the configuration.
#[test]
fn a_name_that_is_only_to_be_is_its_own_too() {
    let mut person = person("");
    person.state.configured.push("claude".into());
    person.press("c tab");
    assert_eq!(form(&person).edit(Field::Consultant).text, "c");
    person.press("l a u d e enter");
    let itself = (
        Field::Consultant,
        "an agent cannot answer itself; name another agent or a [[consultant]]".to_owned(),
    );
    assert_eq!(form(&person).fault, Some(itself));
}
