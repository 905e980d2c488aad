//! The list of agents: who is started, stopped, started again or gone, and by which number one is known.

use super::*;

#[test]
fn a_stop_needs_a_yes() {
    let mut person = Person::at(100, 30, &["api"]);
    assert!(person.press("ctrl-a x n").is_empty());
    let stop = Request::Stop { names: vec!["api".into()], grace_ms: 2_000 };
    assert_eq!(person.press("ctrl-a x y"), [stop]);
}

/// What never ran went without a word, and the `y` that is pressed behind `x` elsewhere was typed into the next agent.
#[test]
fn whatever_leaves_the_list_is_asked_about() {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Agent(Box::new(failed("web", "no program"))));
    person.state.focus_on("web");
    person.press("ctrl-a x");
    assert_eq!(person.state.mode, Mode::Sure(Sure::Stop("web".into())));
    assert_eq!(person.press("y"), [Request::Stop { names: vec!["web".into()], grace_ms: 2_000 }]);
}

#[test]
fn an_agent_that_is_started_takes_the_focus_and_gives_it_back_if_it_fails() {
    let mut person = Person::at(100, 30, &["api"]);
    let typed = |text: &str| Event::Input(Input::Paste(text.into()));
    person.press("ctrl-a c");
    person.event(typed("nonsuch --x"), 2_000);
    let out = update(&mut person.state, key_event("enter"), 2_000);
    let [Effect::Start { id, agent }] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!((agent.name.as_str(), agent.command.len()), ("nonsuch", 2));
    person.notice(Notice::Agent(Box::new(AgentInfo { state: AgentState::Starting, ..info("nonsuch") })));
    assert_eq!(person.state.focus.as_deref(), Some("nonsuch"));
    let reply = Reply::error(1, "could not start nonsuch: there is no program 'nonsuch'");
    let told = person.event(Event::Server(Box::new(ServerMessage::Reply { id: *id, reply })), 3_000);
    let cause = "could not start nonsuch: there is no program 'nonsuch'";
    assert!(told.contains(&not_started("nonsuch", cause)), "{told:?}");
    person.notice(Notice::Gone { name: "nonsuch".into() });
    assert_eq!(person.state.focus.as_deref(), Some("api"));
    let Mode::Create(form) = &person.state.mode else { panic!("{:?}", person.state.mode) };
    assert_eq!(form.edit(Field::Command).text, "nonsuch --x");
    person.press_at("esc", 3_500);
    // It comes back to the list with its cause, and can be tried again.
    person.notice(Notice::Agent(Box::new(failed("nonsuch", "there is no program 'nonsuch'"))));
    assert_eq!(person.state.focus.as_deref(), Some("api"));
    assert!(person.state.watched.iter().all(|pane| pane.name != "nonsuch"), "the server does not know it");
    assert!(person.press_at("ctrl-a 2 x", 4_000).is_empty());
    assert!(person.note().contains("was not started"), "{}", person.note());
    let out = update(&mut person.state, key_event("ctrl-a"), 5_000);
    assert!(out.is_empty());
    let out = update(&mut person.state, key_event("R"), 5_000);
    assert!(matches!(out.as_slice(), [Effect::Start { agent, .. }] if agent.name == "nonsuch"), "{out:?}");
    // The form has what was typed before, and stopping takes it off the list.
    person.press_at("ctrl-a c", 6_000);
    let Mode::Create(form) = &person.state.mode else { panic!("{:?}", person.state.mode) };
    assert_eq!(form.edit(Field::Command).text, "nonsuch --x");
    assert!(form.at() == Field::Command && form.edit(Field::Command).is_offered(), "as an offer");
    assert_eq!(form.edit(Field::Name).text, "", "what is typed now is another agent");
    let stop = Request::Stop { names: vec!["nonsuch".into()], grace_ms: 2_000 };
    person.press_at("esc", 7_000);
    assert!(person.press_at("ctrl-a x y", 8_000).contains(&stop));
    person.notice(Notice::Gone { name: "nonsuch".into() });
    assert_eq!(person.state.focus.as_deref(), Some("api"));
}

/// The form was gone with the failure, and what was wrong with it stood in a line that ended before the cause.
#[test]
fn the_form_comes_back_with_what_was_typed_and_why_it_failed() {
    let start: fn(&Purpose) -> bool = |purpose| matches!(purpose, Purpose::Start(_));
    let mut person = Person::at(80, 24, &["api"]);
    let fail = |person: &mut Person, name: &str| {
        person.reply(start, Reply::error(1, format!("could not start {name}: there is no program '{name}'")));
        person.notice(Notice::Agent(Box::new(failed(name, "there is no program"))));
    };
    person.press("ctrl-a c");
    person.event(Event::Input(Input::Paste("cluade -p x".into())), 2_000);
    person.press("enter");
    assert_eq!(person.state.mode, Mode::Panes);
    fail(&mut person, "cluade");
    let Mode::Create(form) = &person.state.mode else { panic!("{:?}", person.state.mode) };
    assert_eq!(form.edit(Field::Command).text, "cluade -p x");
    assert!(form.fault.as_ref().is_some_and(|(_, why)| why.ends_with("there is no program 'cluade'")));
    // What is typed goes on with it, under another name, and the one that failed leaves the list.
    person.press("home");
    (0..6).for_each(|_| drop(person.press("delete")));
    person.event(Event::Input(Input::Paste("nonsuch".into())), 90_000);
    person.press("enter");
    let gone = |name: &str| Request::Stop { names: vec![name.into()], grace_ms: 0 };
    let id = *person.state.pending.iter().find(|(_, known)| start(known)).unwrap().0;
    let refused = Reply::error(1, "no");
    let told = person.event(Event::Server(Box::new(ServerMessage::Reply { id, reply: refused })), 90_000);
    assert!(told.contains(&gone("cluade")), "{told:?}");
    person.notice(Notice::Gone { name: "cluade".into() });
    assert!(matches!(person.state.mode, Mode::Create(_)));
}

/// Who has gone on to something else keeps what they do.
#[test]
fn a_form_comes_back_to_nobody_who_does_something_else() {
    let start: fn(&Purpose) -> bool = |purpose| matches!(purpose, Purpose::Start(_));
    let mut person = Person::at(80, 24, &["api", "web"]);
    person.press("ctrl-a c");
    person.event(Event::Input(Input::Paste("nonsuch".into())), 2_000);
    person.press("enter");
    person.press("ctrl-a n");
    person.reply(start, Reply::error(1, "there is no program 'nonsuch'"));
    assert_eq!(person.state.mode, Mode::Panes);
    assert!(person.note().starts_with("could not start nonsuch"), "{}", person.note());
}

/// Its pane promised another try, and a dashboard that had not described it could only say where it was to be tried.
#[test]
fn what_was_described_elsewhere_is_asked_for_again() {
    let mut person = Person::at(80, 24, &["api"]);
    person.notice(Notice::Agent(Box::new(failed("nonsuch", "there is no program"))));
    person.press("ctrl-a 2");
    let id = person.state.promise(Purpose::StartAsBefore("nonsuch".into()));
    let reply = Reply::error(1, "nonsuch never ran");
    person.event(Event::Server(Box::new(ServerMessage::Reply { id, reply })), 3_000);
    let Mode::Create(form) = &person.state.mode else { panic!("{:?}", person.state.mode) };
    assert_eq!((form.at(), form.name().as_str()), (Field::Command, "nonsuch"));
}

/// Who tried again what could not be started was put elsewhere when it failed once more.
#[test]
fn a_second_try_leaves_the_focus_where_it_is() {
    let nonsuch = |state| Notice::Agent(Box::new(AgentInfo { state, ..info("nonsuch") }));
    let refused = || Reply::error(1, "there is no program 'nonsuch'");
    let start: fn(&Purpose) -> bool = |purpose| matches!(purpose, Purpose::Start(_));
    let mut person = Person::at(200, 60, &["api"]);
    let typed = Event::Input(Input::Paste("nonsuch".into()));
    person.press("ctrl-a c");
    person.event(typed, 2_500);
    person.press("enter");
    person.notice(nonsuch(AgentState::Starting));
    person.reply(start, refused());
    person.notice(Notice::Gone { name: "nonsuch".into() });
    person.notice(Notice::Agent(Box::new(failed("nonsuch", "there is no program 'nonsuch'"))));
    person.press("esc");
    // From its own pane, and from elsewhere.
    for (keys, focus) in
        [("ctrl-a 2 ctrl-a R", "nonsuch"), ("ctrl-a 1 ctrl-a : r e s t a r t n o n enter", "api")]
    {
        person.press(keys);
        person.notice(nonsuch(AgentState::Starting));
        person.reply(start, refused());
        person.notice(Notice::Agent(Box::new(failed("nonsuch", "there is no program 'nonsuch'"))));
        assert_eq!(person.state.focus.as_deref(), Some(focus), "{keys}");
        assert!(person.note().starts_with("could not start nonsuch"), "{}", person.note());
    }
    // It starts after all: what was said of it is over, and the focus stays.
    person.press("ctrl-a 1 ctrl-a : r e s t a r t n o n enter");
    person.notice(nonsuch(AgentState::Working));
    person.reply(start, Reply::Done);
    assert_eq!((person.state.focus.as_deref(), person.note()), (Some("api"), ""));
    person.notice(Notice::Gone { name: "nonsuch".into() });
    person.notice(nonsuch(AgentState::Working));
    assert_eq!(person.state.focus.as_deref(), Some("api"), "nor is it waited for any more");
}

/// The server was killed, and what could not be started was gone from the list without a word.
#[test]
fn a_start_that_failed_outlives_the_server_in_the_dashboards_that_know_of_it() {
    let mut person = Person::at(200, 60, &["api"]);
    let since = 1_700_000_000.0;
    person
        .notice(Notice::Agent(Box::new(AgentInfo { since, ..failed("web", "there is no program 'codex'") })));
    person.press("ctrl-a 2");
    person.event(Event::Lost, 3_000);
    person.event(Event::Found, 4_000);
    person.notice(Notice::Agent(Box::new(info("api"))));
    let id = *person.state.pending.iter().find(|(_, known)| **known == Purpose::Synced).unwrap().0;
    let done = ServerMessage::Reply { id, reply: Reply::Done };
    let told = person.event(Event::Server(Box::new(done)), 4_100);
    let Request::NotStarted { name, role, cause, number, .. } =
        not_started("web", "there is no program 'codex'")
    else {
        unreachable!("it makes nothing else")
    };
    // With the time since when it is so: its age is not that of the server.
    let wanted = Request::NotStarted { name, role, cause, number, since: Some(since) };
    assert!(told.contains(&wanted), "{told:?}");
    assert!(person.state.agent("web").is_some_and(Agent::failed));
    assert_eq!(person.state.focus.as_deref(), Some("web"), "who looks at it goes on looking");
}

/// The first thing typed went nowhere.
#[test]
fn the_focus_begins_on_an_agent_that_runs() {
    let mut person = Person::at(100, 30, &[]);
    person.notice(Notice::Agent(Box::new(failed("gone", "there is no program 'gone'"))));
    person.notice(Notice::Agent(Box::new(info("shell"))));
    assert_eq!(person.state.focus.as_deref(), Some("shell"));
}

/// What `counsel` could not start of its configuration was only a line that the dashboard then covered.
#[test]
fn an_agent_of_the_configuration_that_could_not_start_is_tried_again_as_it_is_written_there() {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Agent(Box::new(failed("web", "there is no program 'codex'"))));
    person.press("ctrl-a 2");
    update(&mut person.state, key_event("ctrl-a"), 3_000);
    let out = update(&mut person.state, key_event("R"), 3_000);
    let [Effect::StartAgain { id, name }] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!(name, "web");
    let told = person.event(Event::NotStarted { id: *id, cause: "its folder is gone".into() }, 4_000);
    assert_eq!(told, [not_started("web", "its folder is gone")], "everybody is to see it");
    person.notice(Notice::Agent(Box::new(failed("web", "its folder is gone"))));
    assert_eq!(person.state.focus.as_deref(), Some("web"), "who looks at it goes on looking");
    person.notice(Notice::Agent(Box::new(AgentInfo { state: AgentState::Starting, ..info("web") })));
    assert!(person.state.agent("web").is_some_and(|agent| !agent.failed()));
}

/// One dashboard showed a start that had failed, and those opened later did not.
#[test]
fn who_could_not_be_started_is_the_servers_to_say() {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Agent(Box::new(AgentInfo { state: AgentState::Starting, ..info("web") })));
    let text = "could not start web: there is no folder /src/web".to_owned();
    person.notice(Notice::Notification { agent: "web".into(), question: None, text: text.clone() });
    person.notice(Notice::Gone { name: "web".into() });
    assert!(person.state.agent("web").is_none());
    assert_eq!(person.note(), text, "nobody wants it listed, and everybody is told");
    person.notice(Notice::Agent(Box::new(failed("web", &text))));
    person.press("ctrl-a 2");
    update(&mut person.state, key_event("ctrl-a"), 3_000);
    let out = update(&mut person.state, key_event("R"), 3_000);
    assert!(matches!(out.as_slice(), [Effect::StartAgain { name, .. }] if name == "web"), "{out:?}");
}

/// An agent that somebody else stopped was gone from one frame to the next without a word.
#[test]
fn that_an_agent_left_the_list_is_said_and_covers_nothing_that_says_more() {
    let mut person = Person::at(200, 60, &["api", "web", "docs"]);
    person.notice(Notice::Gone { name: "web".into() });
    assert_eq!(person.note(), "web has left the list");
    person.notice(Notice::Gone { name: "web".into() });
    let text = "docs runs on unseen: its session has failed".to_owned();
    person.notice(Notice::Notification { agent: "docs".into(), question: None, text: text.clone() });
    person.notice(Notice::Gone { name: "docs".into() });
    assert!(person.state.agent("docs").is_none());
    assert_eq!(person.note(), text);
}

#[test]
fn a_restart_of_what_runs_needs_a_yes() {
    let mut person = Person::at(100, 30, &["api"]);
    assert!(person.press("ctrl-a R").is_empty());
    assert_eq!(person.state.mode, Mode::Sure(Sure::Restart("api".into())));
    assert!(person.press("n").is_empty());
    assert_eq!(person.press("ctrl-a R y"), [Request::Restart { name: "api".into() }]);
    person.notice(Notice::Agent(Box::new(AgentInfo { state: AgentState::Exited, ..info("api") })));
    assert_eq!(person.press("ctrl-a R"), [Request::Restart { name: "api".into() }], "nothing is lost");
}

/// ctrl-a P paused the agent behind the question whether to stop it, and ctrl-a x made a restart a stop.
#[test]
fn nothing_but_a_yes_is_heard_while_one_is_asked_for() {
    for keys in ["ctrl-a P", "ctrl-a x", "ctrl-a R", "ctrl-y", "enter", "Y"] {
        for opens in ["ctrl-a x", "ctrl-a R"] {
            let mut person = Person::at(100, 30, &["api"]);
            person.press(opens);
            assert!(matches!(person.state.mode, Mode::Sure(_)));
            let first = keys.split(' ').next().unwrap();
            assert!(person.press(first).is_empty(), "{opens} {keys}");
            assert_eq!(person.state.mode, Mode::Panes, "{opens} {keys}");
        }
    }
}

/// The prefix closed the question, and the key after it was typed into the agent.
#[test]
fn the_prefix_begins_a_chord_where_a_yes_is_asked_for_too() {
    let mut person = Person::at(100, 30, &["api", "web"]);
    person.press("ctrl-a x");
    assert!(person.press("ctrl-a n").iter().all(|request| !matches!(request, Request::Keys { .. })));
    assert_eq!((&person.state.mode, person.state.focus.as_deref()), (&Mode::Panes, Some("web")));
}

#[test]
fn who_needs_the_person_comes_first_and_keeps_its_number() {
    let mut person = Person::at(200, 60, &["a", "b", "c"]);
    let number = |person: &Person, name: &str| person.state.agent(name).map(|agent| agent.number);
    person.notice(Notice::Gone { name: "b".into() });
    person.notice(Notice::Question(question("q1", "c", Status::Escalated)));
    assert_eq!(number(&person, "c"), Some(3));
    let names: Vec<&str> = person.state.listed().iter().map(|agent| agent.info.name.as_str()).collect();
    assert_eq!(names, ["c", "a"], "who needs the person comes first");
    person.press("ctrl-a 3");
    assert_eq!(person.state.focus.as_deref(), Some("c"));
}

/// Two dashboards numbered the same team differently: each as it had come to know them.
#[test]
fn numbers_are_the_servers() {
    let mut person = Person::at(200, 60, &[]);
    let numbered = |name: &str, number| Notice::Agent(Box::new(AgentInfo { number, ..info(name) }));
    for (name, number) in [("advisor", 3), ("web", 2), ("api", 1)] {
        person.notice(numbered(name, number));
    }
    let names = |person: &Person| -> Vec<String> {
        person.state.agents.iter().map(|agent| agent.info.name.clone()).collect()
    };
    assert_eq!(names(&person), ["api", "web", "advisor"]);
    person.press("ctrl-a 2");
    assert_eq!(person.state.focus.as_deref(), Some("web"));
    person.notice(numbered("api", 4));
    assert_eq!(names(&person), ["web", "advisor", "api"]);
}

#[test]
fn consultants_come_last_in_the_list() {
    let mut person = Person::at(200, 60, &[]);
    person.notice(Notice::Agent(Box::new(AgentInfo { role: Duty::Consultant, ..info("advisor") })));
    person.notice(Notice::Agent(Box::new(info("api"))));
    let names: Vec<&str> = person.state.listed().iter().map(|agent| agent.info.name.as_str()).collect();
    assert_eq!(names, ["api", "advisor"]);
    assert_eq!(person.state.focus.as_deref(), Some("api"), "until the person chooses, a worker has it");
}

/// Of more than sixty commands each one was a key press away from the one above it.
#[test]
fn the_palette_is_paged_through() {
    let mut person = Person::at(100, 30, &["api"]);
    person.press("ctrl-a :");
    let at = |person: &Person| match &person.state.mode {
        Mode::Palette(palette) => palette.selected,
        other => panic!("{other:?}"),
    };
    person.press("pagedown");
    assert_eq!(at(&person), 10);
    person.press("pagedown pageup");
    assert_eq!(at(&person), 10);
    person.press("pageup pageup");
    assert_eq!(at(&person), 0);
    (0..20).for_each(|_| drop(person.press("pagedown")));
    let last = at(&person);
    person.press("down");
    assert_eq!(at(&person), last, "it ends with the last one");
}
