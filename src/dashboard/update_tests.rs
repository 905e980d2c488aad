//! Tests of what keys and notices do; `update.rs` includes them. No terminal, no server.

use super::*;
use crate::core::agent::{AgentInfo, Duty};
use crate::core::clipboard::Clipboard;
use crate::core::keymap::Keymap;
use crate::core::layout::Layout;
use crate::core::question::{Choice, Kind, Role, State as AgentState};
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::{Action as Press, Button, Mouse, MouseKind};
use crate::core::terminal::modes::Modes;
use crate::dashboard::agent::Agent;
use crate::dashboard::form::Form;
use crate::dashboard::mode::{Drawer, Sure};
use crate::dashboard::state::Purpose;
use crate::wire::message::{ClientMessage, GivenAnswer, Notice, QuestionInfo, Reply, Status};

#[path = "help_tests.rs"]
mod help;

#[path = "answer_tests.rs"]
mod answer;
#[path = "bounce_tests.rs"]
mod bounce;
#[path = "call_tests.rs"]
mod call;
#[path = "drawer_tests.rs"]
mod drawer;
#[path = "held_tests.rs"]
mod held;
#[path = "hold_tests.rs"]
mod hold;
#[path = "list_tests.rs"]
mod list;
#[path = "mouse_tests.rs"]
mod mouse;
#[path = "new_agent_tests.rs"]
mod new_agent;
#[path = "next_pane_tests.rs"]
mod next_pane;
#[path = "paste_tests.rs"]
mod paste;

fn confirm(id: &str, accept: bool, answer: &str) -> Request {
    Request::Confirm { id: id.into(), accept, answer: Some(answer.into()) }
}

fn info(name: &str) -> AgentInfo {
    AgentInfo { profile: "claude".into(), pid: Some(1), cwd: String::new(), ..AgentInfo::at_work(name) }
}

/// One that could not be started.
fn failed(name: &str, cause: &str) -> AgentInfo {
    AgentInfo { failed: Some(cause.into()), ..AgentInfo::of(name, AgentState::Exited) }
}

fn not_started(name: &str, cause: &str) -> Request {
    Request::NotStarted { name: name.into(), role: Duty::Worker, cause: cause.into(), number: 0, since: None }
}

fn question(id: &str, agent: &str, status: Status) -> QuestionInfo {
    QuestionInfo {
        id: id.into(),
        agent: agent.into(),
        kind: Kind::Menu,
        prompt: "Which database?".into(),
        options: vec!["PostgreSQL".into(), "SQLite".into()],
        selected: Some(0),
        multi: false,
        asked_at: 0.0,
        deadline_at: None,
        status,
        route: "human".into(),
        sources: Vec::new(),
        trust: Default::default(),
        choices: Vec::new(),
        subject: None,
        partial: false,
        note: None,
        answer: None,
    }
}

struct Person {
    state: State,
    /// When they last pressed something.
    pressed_ms: u64,
}

impl Person {
    fn at(cols: u16, rows: u16, names: &[&str]) -> Person {
        let keymap = Keymap::standard(KeyPress::ctrl('a'));
        let state = State::new(keymap, Layout::built_in(), 0, "test".into());
        let mut person = Person { state, pressed_ms: 1_000 };
        person.event(Event::Resize(cols, rows), 0);
        for name in names {
            person.notice(Notice::Agent(Box::new(info(name))));
        }
        person.event(Event::Tick, 1_000);
        person
    }

    fn event(&mut self, event: Event, now_ms: u64) -> Vec<Request> {
        let sent = |effect| match effect {
            // What goes along whenever the panes change: `next_pane_tests.rs` looks at it.
            Effect::Send(ClientMessage { request: Request::NextPane(_), .. }) => None,
            Effect::Send(message) => Some(message.request),
            _ => None,
        };
        update(&mut self.state, event, now_ms).into_iter().filter_map(sent).collect()
    }

    fn notice(&mut self, notice: Notice) -> Vec<Request> {
        self.event(Event::Server(Box::new(ServerMessage::Notice(notice))), 1_000)
    }

    /// Presses keys in one go, and that well after the last ones.
    fn press(&mut self, keys: &str) -> Vec<Request> {
        self.pressed_ms += 1_000;
        self.press_at(keys, self.pressed_ms)
    }

    fn press_at(&mut self, keys: &str, now_ms: u64) -> Vec<Request> {
        let key = |word| Event::Input(Input::Key(KeyPress::parse(word).unwrap()));
        keys.split(' ').flat_map(|word| self.event(key(word), now_ms)).collect()
    }

    fn reply(&mut self, purpose: fn(&Purpose) -> bool, reply: Reply) -> Vec<Request> {
        self.reply_at(purpose, reply, 1_500)
    }

    fn reply_at(&mut self, purpose: fn(&Purpose) -> bool, reply: Reply, now_ms: u64) -> Vec<Request> {
        let id = *self.state.pending.iter().find(|(_, known)| purpose(known)).expect("it was asked").0;
        self.event(Event::Server(Box::new(ServerMessage::Reply { id, reply })), now_ms)
    }

    fn note(&self) -> &str {
        self.state.note.as_ref().map_or("", |note| &note.text)
    }
}

fn typed_into(requests: &[Request]) -> Vec<&str> {
    let mut names = Vec::new();
    for request in requests {
        if let Request::Keys { name, input } = request
            && !input.is_empty()
        {
            names.push(name.as_str());
        }
    }
    names
}

#[test]
fn keys_go_to_the_focused_agent_and_the_prefix_does_not() {
    let mut person = Person::at(160, 48, &["api", "web"]);
    assert_eq!(typed_into(&person.press("x")), ["api"]);
    assert!(person.press("ctrl-a n").is_empty());
    assert_eq!(typed_into(&person.press("x enter")), ["web", "web"]);
    let sent = person.press("ctrl-a ctrl-a");
    assert_eq!(sent, [Request::Keys { name: "web".into(), input: vec![Input::Key(KeyPress::ctrl('a'))] }]);
    assert!(person.press("ctrl-a % ctrl-a esc").is_empty(), "an unknown key after the prefix goes nowhere");
}

#[test]
fn the_server_is_told_which_panes_are_shown_and_how_large() {
    let mut person = Person::at(160, 48, &["api", "web"]);
    let watched = |person: &Person| person.state.watched.clone();
    assert_eq!(watched(&person).len(), 2);
    let sent = person.press("ctrl-a z");
    let [Request::Watch { panes }] = sent.as_slice() else { panic!("{sent:?}") };
    assert_eq!((panes[0].name.as_str(), panes[0].size), ("api", Some(Size::new(158, 45))));
    assert!(person.event(Event::Resize(100, 30), 5_000).is_empty(), "a size in motion is not told");
    assert!(person.event(Event::Tick, 5_050).is_empty());
    assert_eq!(person.event(Event::Tick, 5_100).len(), 1);
}

fn given(options: &[&str]) -> Vec<Request> {
    let options = options.iter().map(|option| (*option).to_owned()).collect();
    vec![Request::Answer { id: "q1".into(), answer: GivenAnswer { options, ..GivenAnswer::default() } }]
}

fn of_three(status: Status, answer: Option<&str>) -> QuestionInfo {
    let options = ["PostgreSQL", "SQLite", "Redis"].map(str::to_owned).to_vec();
    QuestionInfo { options, answer: answer.map(str::to_owned), ..question("q1", "api", status) }
}

#[test]
fn broadcast_goes_to_every_worker_shown_and_to_nobody_else() {
    let mut person = Person::at(200, 60, &["api", "web", "old"]);
    person.notice(Notice::Agent(Box::new(AgentInfo { role: Duty::Consultant, ..info("advisor") })));
    person.notice(Notice::Agent(Box::new(AgentInfo { state: AgentState::Exited, ..info("old") })));
    person.press("ctrl-a b");
    assert_eq!(typed_into(&person.press("x")), ["api", "web"]);
    person.press("ctrl-a b");
    assert_eq!(typed_into(&person.press("x")), ["api"]);
}

/// A line typed to everybody once answered the dialog that one of them had open.
#[test]
fn broadcast_leaves_out_whoever_asks() {
    let mut person = Person::at(200, 60, &["api", "web", "docs"]);
    person.notice(Notice::Question(question("q1", "web", Status::Consulting)));
    person.notice(Notice::Agent(Box::new(AgentInfo { state: AgentState::Asking, ..info("docs") })));
    person.press("ctrl-a b");
    assert_eq!(typed_into(&person.press("y enter")), ["api", "api"]);
    person.notice(Notice::Agent(Box::new(AgentInfo { question: Some("q2".into()), ..info("api") })));
    assert!(person.press("y").is_empty());
    assert!(person.note().starts_with("not sent: every agent shown asks"), "{}", person.note());
}

#[test]
fn without_a_server_keys_wait_and_everything_comes_back() {
    let mut person = Person::at(100, 30, &["web", "api"]);
    person.press("ctrl-a 2");
    person.event(Event::Lost, 3_000);
    assert!(person.press("x").is_empty());
    assert_eq!(person.event(Event::Found, 4_000), [Request::Subscribe, Request::Ping]);
    person.notice(Notice::Agent(Box::new(info("web"))));
    assert!(person.press("y").is_empty(), "nobody else gets what was meant for api");
    let names = person.state.agents.iter().map(|agent| agent.info.name.as_str());
    assert_eq!(names.collect::<Vec<&str>>(), ["web", "api"], "what was last known stays in view");
    assert!(person.state.out_of_date("api") && !person.state.out_of_date("web"));
    person.notice(Notice::Agent(Box::new(info("api"))));
    let sent = person.reply(|purpose| *purpose == Purpose::Synced, Reply::Done);
    let keys = |name: &str, key: char| Request::Keys {
        name: name.into(),
        input: vec![Input::Key(KeyPress::plain(Key::Char(key)))],
    };
    let typed = sent.into_iter().filter(|request| matches!(request, Request::Keys { .. }));
    assert_eq!(typed.collect::<Vec<_>>(), [keys("api", 'x'), keys("api", 'y')]);
    assert_eq!(person.note(), "");
    assert_eq!(typed_into(&person.press("x")), ["api"]);
    assert_eq!(person.state.agent("api").map(|agent| agent.number), Some(2), "and it has its number");
}

#[test]
fn an_agent_that_is_no_more_after_a_reconnect_leaves_its_keys_to_nobody() {
    let mut person = Person::at(100, 30, &["web", "api"]);
    person.press("ctrl-a 2");
    person.event(Event::Lost, 3_000);
    person.event(Event::Found, 4_000);
    person.notice(Notice::Agent(Box::new(info("web"))));
    person.reply(|purpose| *purpose == Purpose::Synced, Reply::Done);
    assert_eq!(person.state.focus.as_deref(), Some("web"));
    assert!(person.press_at("y", 1_600).is_empty(), "it was not typed for web");
    assert_eq!(typed_into(&person.press("x")), ["web"]);
}

/// Of `echo keep; echo not run-this` what was typed while the server was away was dropped, and the Enter behind the
/// rest ran that.
#[test]
fn what_is_typed_without_a_server_is_sent_whole_or_not_at_all() {
    let synced: fn(&Purpose) -> bool = |purpose| *purpose == Purpose::Synced;
    let back = |away: &dyn Fn(&mut Person), back_ms: u64| {
        let mut person = Person::at(100, 30, &["web", "api"]);
        person.press("ctrl-a 2");
        person.event(Event::Lost, 3_000);
        assert!(person.press_at("r", 3_100).is_empty());
        away(&mut person);
        person.event(Event::Found, back_ms - 100);
        person.notice(Notice::Agent(Box::new(info("web"))));
        person.notice(Notice::Agent(Box::new(info("api"))));
        person
    };
    let mut soon = back(&|person| drop(person.press_at("m", 4_000)), 4_500);
    assert_eq!(typed_into(&soon.reply_at(synced, Reply::Done, 4_500)), ["api", "api"]);
    let mut late = back(&|_| (), 60_000);
    assert!(
        typed_into(&late.reply_at(synced, Reply::Done, 60_000)).is_empty(),
        "nobody knows what it was typed for"
    );
    assert!(late.note().starts_with("not sent: what you typed while the server was away"));
    // What was typed into a shell is no answer.
    let mut asking = back(&|_| (), 4_500);
    asking.notice(Notice::Question(question("q1", "api", Status::Escalated)));
    assert!(asking.press_at("m", 4_450).is_empty());
    assert!(typed_into(&asking.reply_at(synced, Reply::Done, 4_500)).is_empty());
    let mut many = back(&|person| (0..2_000).for_each(|_| drop(person.press_at("m", 3_200))), 4_500);
    assert!(typed_into(&many.reply_at(synced, Reply::Done, 4_500)).is_empty(), "not the end of it");
}

/// At 30x8 the screen says that it is too small, and a digit answered a permission nobody had seen.
#[test]
fn where_nothing_is_shown_nothing_is_typed() {
    let mut person = Person::at(30, 8, &["api"]);
    person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
    assert!(person.press("ctrl-a a 1 enter x").is_empty());
    assert_eq!(person.state.mode, Mode::Panes);
    person.event(Event::Resize(100, 30), 2_000);
    assert_eq!(typed_into(&person.press_at("x", 3_000)), ["api"]);
    person.event(Event::Resize(30, 8), 4_000);
    let out = ["ctrl-a", "d"].map(|key| update(&mut person.state, key_event(key), 5_000));
    assert_eq!(out[1], [Effect::Detach]);
}

#[test]
fn nothing_that_happens_elsewhere_moves_the_focus() {
    let mut person = Person::at(200, 60, &["api", "web", "docs"]);
    person.press("ctrl-a 2");
    for notice in [
        Notice::Gone { name: "api".into() },
        Notice::Agent(Box::new(info("new"))),
        Notice::Agent(Box::new(AgentInfo { state: AgentState::Exited, ..info("web") })),
        Notice::Question(question("q1", "docs", Status::Escalated)),
        Notice::Bell { name: "docs".into() },
        Notice::Question(question("q1", "docs", Status::Answered)),
    ] {
        person.notice(notice);
        assert_eq!(person.state.focus.as_deref(), Some("web"));
    }
    person.notice(Notice::Agent(Box::new(info("web"))));
    assert_eq!(typed_into(&person.press_at("x", 1_001)), ["web"], "and nothing is swallowed");
}

/// What was typed into one that had ended came back as an error that named a command for a shell.
#[test]
fn who_types_where_nothing_reads_is_told_the_key_that_helps() {
    let mut person = Person::at(200, 60, &["api"]);
    for (state, words) in [
        (AgentState::Exited, "not sent: api has ended; ctrl-a R starts it again"),
        (AgentState::Paused, "not sent: api is paused; ctrl-a P lets it go on"),
    ] {
        person.notice(Notice::Agent(Box::new(AgentInfo { state, ..info("api") })));
        assert!(person.press("x").is_empty());
        assert_eq!(person.note(), words);
        person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
        assert!(person.press("ctrl-a a 1").is_empty());
        assert_eq!(person.note(), words, "nor is it answered");
        person.press("esc");
        person.notice(Notice::Question(question("q1", "api", Status::Withdrawn)));
    }
}

#[test]
fn panes_are_hidden_swapped_and_resized_by_keys() {
    let mut person = Person::at(200, 60, &["a", "b", "c", "d"]);
    let shown = |person: &Person| -> Vec<String> {
        person.state.panes().iter().map(|(agent, _)| agent.info.name.clone()).collect()
    };
    person.press("ctrl-a }");
    assert_eq!(shown(&person), ["b", "a", "c", "d"]);
    person.press("ctrl-a {");
    assert_eq!(shown(&person), ["a", "b", "c", "d"]);
    let cols = |person: &Person| person.state.pane_of("a").unwrap().cols;
    let before = cols(&person);
    person.press("ctrl-a >");
    assert_eq!(cols(&person), before + 4);
    person.press("ctrl-a < ctrl-a <");
    assert_eq!(cols(&person), before - 4);
    // As in tmux, one after the other without the prefix; a moment later they are the agent's.
    person.press_at("ctrl-a >", 100_000);
    assert_eq!(typed_into(&person.press_at(">", 100_300)), [""; 0]);
    assert_eq!(cols(&person), before + 4);
    assert_eq!(typed_into(&person.press_at("x", 100_400)), ["a"]);
    assert_eq!(typed_into(&person.press_at(">", 100_450)), ["a"]);
    person.press_at("ctrl-a <", 101_000);
    assert_eq!(typed_into(&person.press_at("<", 101_600)), ["a"]);
    let rows = |person: &Person| person.state.pane_of("a").unwrap().rows;
    let before = rows(&person);
    person.press("ctrl-a +");
    assert_eq!(rows(&person), before + 2);
    person.press("ctrl-a - ctrl-a -");
    assert_eq!(rows(&person), before - 2);
    person.press("ctrl-a 2 ctrl-a h");
    assert_eq!(shown(&person), ["a", "c", "d"]);
    assert_eq!(person.state.focus.as_deref(), Some("a"), "back to where the person was");
    person.press("ctrl-a 2");
    assert_eq!(shown(&person), ["b"], "who is hidden is still there to be looked at");
    person.press("ctrl-a h");
    assert_eq!(shown(&person), ["a", "b", "c", "d"]);
}

fn key_event(word: &str) -> Event {
    Event::Input(Input::Key(KeyPress::parse(word).unwrap()))
}
