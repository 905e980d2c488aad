//! Tests of what keys and notices do; `update.rs` includes them. No terminal, no server.

use super::*;
use crate::core::agent::{Duty, Host};
use crate::core::layout::Layout;
use crate::core::question::{Choice, Kind, State as AgentState};
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::{Button, Key, Mouse, MouseKind};
use crate::dashboard::state::Drawer;
use crate::wire::message::{GivenAnswer, Status};

fn info(name: &str) -> AgentInfo {
    AgentInfo {
        name: name.into(),
        state: AgentState::Working,
        since: 0.0,
        question: None,
        profile: "claude".into(),
        host: Host::Pty,
        pid: Some(1),
        cols: 80,
        rows: 24,
        exit_code: None,
        role: Duty::Worker,
        title: String::new(),
        isolate: Default::default(),
        memory_kib: None,
        deadline_at: None,
        consultant: None,
        cwd: String::new(),
        place: None,
    }
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
        note: None,
        answer: None,
    }
}

struct Person {
    state: State,
}

impl Person {
    fn at(cols: u16, rows: u16, names: &[&str]) -> Person {
        let state = State::new(KeyPress::ctrl('a'), Layout::built_in(), 0, "test".into());
        let mut person = Person { state };
        person.event(Event::Resize(cols, rows), 0);
        for name in names {
            person.notice(Notice::Agent(info(name)));
        }
        person.event(Event::Tick, 1_000);
        person
    }

    fn event(&mut self, event: Event, now_ms: u64) -> Vec<Request> {
        let sent = |effect| match effect {
            Effect::Send(message) => Some(message.request),
            _ => None,
        };
        update(&mut self.state, event, now_ms).into_iter().filter_map(sent).collect()
    }

    fn notice(&mut self, notice: Notice) -> Vec<Request> {
        self.event(Event::Server(Box::new(ServerMessage::Notice(notice))), 1_000)
    }

    fn press(&mut self, keys: &str) -> Vec<Request> {
        let key = |word| Event::Input(Input::Key(KeyPress::parse(word).unwrap()));
        keys.split(' ').flat_map(|word| self.event(key(word), 2_000)).collect()
    }
}

fn typed_into(requests: &[Request]) -> Vec<&str> {
    let mut names = Vec::new();
    for request in requests {
        if let Request::Keys { name, .. } = request {
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

#[test]
fn a_stop_needs_a_yes() {
    let mut person = Person::at(100, 30, &["api"]);
    assert!(person.press("ctrl-a x n").is_empty());
    let stop = Request::Stop { names: vec!["api".into()], grace_ms: 2_000 };
    assert_eq!(person.press("ctrl-a x y"), [stop]);
}

#[test]
fn an_answer_goes_to_the_question_that_was_shown() {
    let mut person = Person::at(100, 30, &["api", "web"]);
    person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
    person.notice(Notice::Question(question("q2", "web", Status::Escalated)));
    let answer = |options: &[&str]| GivenAnswer {
        options: options.iter().map(|o| (*o).to_owned()).collect(),
        ..GivenAnswer::default()
    };
    assert_eq!(
        person.press("ctrl-a a 2"),
        [Request::Answer { id: "q1".into(), answer: answer(&["2. SQLite"]) }]
    );
    // Settled by somebody else while it is looked at: the next key must not answer another question.
    person.press("ctrl-a a");
    person.notice(Notice::Question(question("q1", "api", Status::Answered)));
    assert!(person.press("1 enter").is_empty());
    let sent = person.press("tab down enter");
    assert_eq!(sent, [Request::Answer { id: "q2".into(), answer: answer(&["2. SQLite"]) }]);
}

#[test]
fn a_row_is_named_by_its_printed_number_where_the_top_of_a_list_is_out_of_view() {
    let mut person = Person::at(100, 30, &["api"]);
    let row = |label: &str, number| Choice { label: label.into(), number: Some(number), ..Choice::default() };
    let scrolled = QuestionInfo {
        options: vec!["b".into(), "c".into(), "d".into()],
        choices: vec![row("b", 2), row("c", 3), row("d", 4)],
        ..question("q1", "api", Status::Escalated)
    };
    let given = |option: &str| {
        let answer = GivenAnswer { options: vec![option.into()], ..GivenAnswer::default() };
        [Request::Answer { id: "q1".into(), answer }]
    };
    person.notice(Notice::Question(scrolled));
    assert_eq!(person.press("ctrl-a a 2"), given("2. b"));
    assert_eq!(person.press("ctrl-a a 4"), given("4. d"));
    assert_eq!(person.press("ctrl-a a down enter"), given("3. c"));
    assert!(person.press("ctrl-a a 1").is_empty(), "no row has that number");
}

#[test]
fn a_page_of_answers_without_rows_is_confirmed_by_enter() {
    let mut person = Person::at(100, 30, &["api"]);
    let review =
        QuestionInfo { kind: Kind::Review, options: Vec::new(), ..question("q1", "api", Status::Escalated) };
    person.notice(Notice::Question(review));
    let answer = GivenAnswer { options: vec!["1".into()], ..GivenAnswer::default() };
    assert_eq!(person.press("ctrl-a a enter"), [Request::Answer { id: "q1".into(), answer }]);
}

#[test]
fn labels_of_several_ticks_are_edited_as_labels() {
    let mut person = Person::at(100, 30, &["api"]);
    let proposed = QuestionInfo {
        multi: true,
        answer: Some("PostgreSQL, SQLite".into()),
        ..question("q1", "api", Status::Proposed)
    };
    person.notice(Notice::Question(proposed));
    let options = vec!["PostgreSQL".into(), "SQLite".into()];
    let answer = GivenAnswer { options, ..GivenAnswer::default() };
    assert_eq!(person.press("ctrl-a e enter"), [Request::Answer { id: "q1".into(), answer }]);
}

#[test]
fn a_proposed_answer_is_confirmed_or_changed() {
    let mut person = Person::at(100, 30, &["api"]);
    let proposed = QuestionInfo { answer: Some("SQLite".into()), ..question("q1", "api", Status::Proposed) };
    person.notice(Notice::Question(proposed));
    assert_eq!(person.press("ctrl-a a enter"), [Request::Confirm { id: "q1".into(), accept: true }]);
    let sent = person.press("ctrl-a e space n o enter");
    let text = Some("SQLite no".into());
    let answer = GivenAnswer { text, ..GivenAnswer::default() };
    assert_eq!(sent, [Request::Answer { id: "q1".into(), answer }]);
    let sent = person.press("ctrl-a e enter");
    let answer = GivenAnswer { options: vec!["SQLite".into()], ..GivenAnswer::default() };
    assert_eq!(sent, [Request::Answer { id: "q1".into(), answer }]);
    assert_eq!(person.press("ctrl-a q x"), [Request::Confirm { id: "q1".into(), accept: false }]);
}

#[test]
fn broadcast_goes_to_every_worker_shown_and_to_nobody_else() {
    let mut person = Person::at(160, 48, &["api", "web", "old"]);
    person.notice(Notice::Agent(AgentInfo { role: Duty::Consultant, ..info("advisor") }));
    person.notice(Notice::Agent(AgentInfo { state: AgentState::Exited, ..info("old") }));
    person.press("ctrl-a b");
    assert_eq!(typed_into(&person.press("x")), ["api", "web"]);
    person.press("ctrl-a b");
    assert_eq!(typed_into(&person.press("x")), ["api"]);
}

#[test]
fn a_click_focuses_and_a_drag_on_a_border_resizes() {
    let mut person = Person::at(240, 48, &["api", "web"]);
    let place = |person: &Person, i: usize| person.state.panes()[i].1;
    let second = place(&person, 1);
    let event = |kind, col, row| {
        Event::Input(Input::Mouse(Mouse {
            kind,
            button: Some(Button::Left),
            row,
            col,
            mods: Default::default(),
        }))
    };
    person.event(event(MouseKind::Press, second.x + 5, second.y + 5), 2_000);
    assert_eq!(person.state.focus.as_deref(), Some("web"));
    person.event(event(MouseKind::Press, second.x, 9), 2_000);
    assert!(person.event(event(MouseKind::Drag, second.x + 10, 9), 2_010).is_empty());
    person.event(event(MouseKind::Release, second.x + 10, 9), 2_020);
    assert_eq!(person.event(Event::Tick, 2_200).len(), 1, "the new sizes are told once it rests");
    assert_eq!(place(&person, 1).x, second.x + 11);
}

#[test]
fn without_a_server_nothing_is_sent_and_everything_comes_back() {
    let mut person = Person::at(100, 30, &["web", "api"]);
    person.press("ctrl-a 2");
    person.event(Event::Lost, 3_000);
    assert!(person.press("x").is_empty());
    assert!(person.state.note.is_some());
    assert_eq!(person.event(Event::Found, 4_000)[0], Request::Subscribe);
    person.notice(Notice::Agent(info("web")));
    person.notice(Notice::Agent(info("api")));
    assert_eq!(typed_into(&person.press("x")), ["api"]);
}

#[test]
fn an_agent_that_goes_hands_its_focus_on() {
    let mut person = Person::at(100, 30, &["a", "b", "c"]);
    person.press("ctrl-a 2");
    person.notice(Notice::Gone { name: "b".into() });
    assert_eq!(person.state.focus.as_deref(), Some("c"));
    for name in ["c", "a"] {
        person.notice(Notice::Gone { name: name.into() });
    }
    assert_eq!(person.state.focus, None);
    assert!(person.press("x ctrl-a z ctrl-a x y").iter().all(|r| matches!(r, Request::Watch { .. })));
}

#[test]
fn the_drawer_ignores_keys_without_a_question() {
    let mut person = Person::at(100, 30, &["api"]);
    person.press("ctrl-a q");
    assert_eq!(person.state.mode, Mode::Drawer(Drawer::default()));
    assert!(person.press("1 enter e t r c space").is_empty());
    person.press("esc");
    assert_eq!(person.state.mode, Mode::Panes);
    assert_eq!(KeyPress::plain(Key::Esc), KeyPress::parse("esc").unwrap());
}
