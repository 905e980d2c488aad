//! Tests of what keys and notices do; `update.rs` includes them. No terminal, no server.

use super::*;
use crate::core::agent::{AgentInfo, Duty};
use crate::core::clipboard::Clipboard;
use crate::core::keymap::Keymap;
use crate::core::layout::Layout;
use crate::core::question::{Choice, Kind, Role, State as AgentState};
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::{Button, Mouse, MouseKind};
use crate::dashboard::agents::Agent;
use crate::dashboard::agents::Failed;
use crate::dashboard::state::{Drawer, Purpose, Sure};
use crate::wire::message::{GivenAnswer, Notice, QuestionInfo, Reply, Status};

fn confirm(id: &str, accept: bool, answer: &str) -> Request {
    Request::Confirm { id: id.into(), accept, answer: Some(answer.into()) }
}

fn info(name: &str) -> AgentInfo {
    AgentInfo { profile: "claude".into(), pid: Some(1), cwd: String::new(), ..AgentInfo::at_work(name) }
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
}

impl Person {
    fn at(cols: u16, rows: u16, names: &[&str]) -> Person {
        let keymap = Keymap::standard(KeyPress::ctrl('a'));
        let state = State::new(keymap, Layout::built_in(), 0, "test".into());
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
        self.press_at(keys, 2_000)
    }

    fn press_at(&mut self, keys: &str, now_ms: u64) -> Vec<Request> {
        let key = |word| Event::Input(Input::Key(KeyPress::parse(word).unwrap()));
        keys.split(' ').flat_map(|word| self.event(key(word), now_ms)).collect()
    }

    fn reply(&mut self, purpose: fn(&Purpose) -> bool, reply: Reply) {
        let id = *self.state.pending.iter().find(|(_, known)| purpose(known)).expect("it was asked").0;
        self.event(Event::Server(Box::new(ServerMessage::Reply { id, reply })), 1_500);
    }

    fn note(&self) -> &str {
        self.state.note.as_ref().map_or("", |note| &note.text)
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
    assert!(person.press_at("1 enter", 1_100).is_empty());
    // It closed; the other one is opened, and answered, by its own keys.
    let sent = person.press("ctrl-a 2 ctrl-a a down enter");
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
    assert_eq!(person.press("ctrl-a a enter"), [confirm("q1", true, "SQLite")]);
    let sent = person.press("ctrl-a e space n o enter");
    let text = Some("SQLite no".into());
    let answer = GivenAnswer { text, ..GivenAnswer::default() };
    assert_eq!(sent, [Request::Answer { id: "q1".into(), answer }]);
    let sent = person.press("ctrl-a e enter");
    let answer = GivenAnswer { options: vec!["SQLite".into()], ..GivenAnswer::default() };
    assert_eq!(sent, [Request::Answer { id: "q1".into(), answer }]);
    assert_eq!(person.press("ctrl-a q x"), [confirm("q1", false, "SQLite")]);
}

fn given(options: &[&str]) -> Vec<Request> {
    let options = options.iter().map(|option| (*option).to_owned()).collect();
    vec![Request::Answer { id: "q1".into(), answer: GivenAnswer { options, ..GivenAnswer::default() } }]
}

fn of_three(status: Status, answer: Option<&str>) -> QuestionInfo {
    let options = ["PostgreSQL", "SQLite", "Redis"].map(str::to_owned).to_vec();
    QuestionInfo { options, answer: answer.map(str::to_owned), ..question("q1", "api", status) }
}

/// Enter on "3. Redis" answered SQLite, because that was proposed.
#[test]
fn enter_gives_exactly_the_highlighted_option() {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(of_three(Status::Proposed, Some("SQLite"))));
    let yes = vec![confirm("q1", true, "SQLite")];
    assert_eq!(person.press("ctrl-a a enter"), yes, "the highlight begins on the proposal");
    assert_eq!(person.press("ctrl-a a down enter"), given(&["3. Redis"]));
    assert_eq!(person.press("ctrl-a a up enter"), given(&["1. PostgreSQL"]));
    assert_eq!(person.press("ctrl-a a 3"), given(&["3. Redis"]));
    assert_eq!(person.press("ctrl-a a 2"), yes);
}

#[test]
fn ticks_are_given_as_they_stand() {
    let mut person = Person::at(100, 30, &["api"]);
    let multi = QuestionInfo { multi: true, ..of_three(Status::Proposed, Some("PostgreSQL, Redis")) };
    person.notice(Notice::Question(multi));
    let yes = vec![confirm("q1", true, "PostgreSQL, Redis")];
    assert_eq!(person.press("ctrl-a a enter"), yes);
    assert_eq!(person.press("ctrl-a a down space enter"), given(&["1. PostgreSQL", "2. SQLite", "3. Redis"]));
    assert_eq!(person.press("ctrl-a a 1 3 2 enter"), given(&["2. SQLite"]));
}

#[test]
fn proposed_words_are_confirmed_on_their_own_line() {
    let mut person = Person::at(100, 30, &["api"]);
    let mut free = of_three(Status::Proposed, Some("DuckDB"));
    free.choices =
        free.options.iter().map(|label| Choice { label: label.clone(), ..Choice::default() }).collect();
    free.choices[2].role = Role::FreeText;
    person.notice(Notice::Question(free.clone()));
    let yes = vec![confirm("q1", true, "DuckDB")];
    assert_eq!(person.press("ctrl-a a enter"), yes, "in the row that takes words");
    assert_eq!(person.press("ctrl-a a up enter"), given(&["2. SQLite"]));
    free.choices.clear();
    person.notice(Notice::Question(free));
    assert_eq!(person.press("ctrl-a a enter"), yes, "below the options, where no row takes words");
    assert_eq!(person.press("ctrl-a a up enter"), given(&["3. Redis"]));
}

#[test]
fn the_highlight_never_begins_on_what_cannot_be_taken_back() {
    let mut person = Person::at(100, 30, &["api"]);
    let ask = |kind, prompt: &str, options: &[&str], selected, subject: Option<&str>| QuestionInfo {
        kind,
        prompt: prompt.into(),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        selected,
        subject: subject.map(str::to_owned),
        ..question("q1", "api", Status::Escalated)
    };
    let yes_no = |prompt: &str, options: &[&str]| ask(Kind::YesNo, prompt, options, None, None);
    let permission = |subject| ask(Kind::Permission, "Proceed?", &["Yes", "No"], Some(0), Some(subject));
    let cases = [
        (yes_no("Overwrite? [y/N]", &["y", "N"]), Some(1), "the capital is the default"),
        (yes_no("Go on? [Y/n]", &["Y", "n"]), Some(0), "the capital is the default"),
        (yes_no("Delete the production database? [Y/n]", &["Y", "n"]), None, "though it is the default"),
        (yes_no("Go on? [y/n]", &["y", "n"]), None, "there is no default"),
        (yes_no("Go on?", &["Yes", "No"]), None, "two capitals are none"),
        (permission("git status"), Some(0), "the program's default"),
        (permission("rm -rf ~"), None, "though the program has it highlighted"),
        (ask(Kind::Permission, "Edit?", &["Yes, always", "No"], Some(0), None), None, "it allows more"),
        (ask(Kind::Permission, "Edit?", &["No", "Yes"], Some(0), Some("rm -rf ~")), Some(0), "a refusal"),
        (ask(Kind::Menu, "What now?", &["Keep it", "Delete it"], Some(1), None), None, "it throws away"),
        (ask(Kind::Menu, "What now?", &["Keep it", "Delete it"], Some(0), None), Some(0), "the default"),
        (ask(Kind::Menu, "Which?", &["a", "b"], None, None), None, "nothing is highlighted there"),
        (ask(Kind::Trust, "Trust this folder?", &["Yes, I trust it", "No"], Some(0), None), None, "trust"),
    ];
    for (question, row, why) in cases {
        let words = format!("{} {:?}: {why}", question.prompt, question.options);
        person.notice(Notice::Question(question));
        person.press("ctrl-a a");
        let Mode::Drawer(drawer) = &person.state.mode else { panic!("{words}") };
        assert_eq!(drawer.row, row, "{words}");
        if row.is_none() {
            assert!(person.press("enter").is_empty(), "{words}");
            assert!(person.note().starts_with("nothing is highlighted"), "{words}");
        }
        person.press("esc");
    }
}

#[test]
fn a_proposal_that_comes_while_one_looks_is_not_confirmed_by_the_key_before_it() {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(of_three(Status::Consulting, None)));
    person.press_at("ctrl-a a", 900);
    person.notice(Notice::Question(of_three(Status::Proposed, Some("Redis"))));
    assert!(person.press_at("enter", 1_200).is_empty(), "it was meant for PostgreSQL");
    assert_eq!(person.press_at("enter", 1_600), [confirm("q1", true, "Redis")]);
    // Where the person has chosen already, the highlight stays.
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(of_three(Status::Consulting, None)));
    person.press_at("ctrl-a a down", 900);
    person.notice(Notice::Question(of_three(Status::Proposed, Some("Redis"))));
    assert_eq!(person.press_at("enter", 1_001), given(&["2. SQLite"]));
}

#[test]
fn rows_that_move_take_the_highlight_along() {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(of_three(Status::Escalated, None)));
    person.press_at("ctrl-a a down", 900);
    let mut other = of_three(Status::Escalated, None);
    other.options.insert(0, "MySQL".into());
    person.notice(Notice::Question(other));
    assert_eq!(person.press_at("enter", 1_400), given(&["3. SQLite"]));
}

#[test]
fn another_consultant_is_asked() {
    let mut person = Person::at(100, 30, &["api"]);
    for name in ["advisor", "oracle"] {
        person.notice(Notice::Agent(AgentInfo { role: Duty::Consultant, ..info(name) }));
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
fn broadcast_goes_to_every_worker_shown_and_to_nobody_else() {
    let mut person = Person::at(200, 60, &["api", "web", "old"]);
    person.notice(Notice::Agent(AgentInfo { role: Duty::Consultant, ..info("advisor") }));
    person.notice(Notice::Agent(AgentInfo { state: AgentState::Exited, ..info("old") }));
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
    person.notice(Notice::Agent(AgentInfo { state: AgentState::Asking, ..info("docs") }));
    person.press("ctrl-a b");
    assert_eq!(typed_into(&person.press("y enter")), ["api", "api"]);
    person.notice(Notice::Agent(AgentInfo { question: Some("q2".into()), ..info("api") }));
    assert!(person.press("y").is_empty());
    assert!(person.note().starts_with("not sent: every agent shown asks"), "{}", person.note());
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
    assert_eq!(person.event(Event::Found, 4_000), [Request::Subscribe, Request::Ping]);
    person.notice(Notice::Agent(info("web")));
    assert!(person.press("x").is_empty(), "nobody else gets what was meant for api");
    let names = person.state.agents.iter().map(|agent| agent.info.name.as_str());
    assert_eq!(names.collect::<Vec<&str>>(), ["web", "api"], "what was last known stays in view");
    assert!(person.state.out_of_date("api") && !person.state.out_of_date("web"));
    person.notice(Notice::Agent(info("api")));
    person.reply(|purpose| *purpose == Purpose::Synced, Reply::Done);
    assert_eq!(typed_into(&person.press("x")), ["api"]);
    assert_eq!(person.state.agent("api").map(|agent| agent.number), Some(2), "and it has its number");
}

#[test]
fn an_agent_that_is_no_more_after_a_reconnect_leaves_its_keys_to_nobody() {
    let mut person = Person::at(100, 30, &["web", "api"]);
    person.press("ctrl-a 2");
    person.event(Event::Lost, 3_000);
    person.event(Event::Found, 4_000);
    person.notice(Notice::Agent(info("web")));
    person.reply(|purpose| *purpose == Purpose::Synced, Reply::Done);
    assert_eq!(person.state.focus.as_deref(), Some("web"));
    assert!(person.press_at("y", 1_600).is_empty(), "it was not typed for web");
    assert_eq!(typed_into(&person.press("x")), ["web"]);
}

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

/// What never ran went without a word, and the `y` that is pressed behind `x` elsewhere was typed into the next agent.
#[test]
fn whatever_leaves_the_list_is_asked_about() {
    let mut person = Person::at(100, 30, &["api"]);
    person.state.keep_failed("web", Failed { cause: "no program".into(), form: None });
    person.state.focus_on("web");
    person.press("ctrl-a x");
    assert_eq!(person.state.mode, Mode::Sure(Sure::Stop("web".into())));
    assert_eq!(typed_into(&person.press("y")), [""; 0]);
    assert!(person.state.agent("web").is_none());
}

#[test]
fn nothing_that_happens_elsewhere_moves_the_focus() {
    let mut person = Person::at(200, 60, &["api", "web", "docs"]);
    person.press("ctrl-a 2");
    for notice in [
        Notice::Gone { name: "api".into() },
        Notice::Agent(info("new")),
        Notice::Agent(AgentInfo { state: AgentState::Exited, ..info("web") }),
        Notice::Question(question("q1", "docs", Status::Escalated)),
        Notice::Bell { name: "docs".into() },
        Notice::Question(question("q1", "docs", Status::Answered)),
    ] {
        person.notice(notice);
        assert_eq!(person.state.focus.as_deref(), Some("web"));
    }
    person.notice(Notice::Agent(info("web")));
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
        person.notice(Notice::Agent(AgentInfo { state, ..info("api") }));
        assert!(person.press("x").is_empty());
        assert_eq!(person.note(), words);
        person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
        assert!(person.press("ctrl-a a 1").is_empty());
        assert_eq!(person.note(), words, "nor is it answered");
        person.press("esc");
        person.notice(Notice::Question(question("q1", "api", Status::Withdrawn)));
    }
}

/// The letters of an answer declined it, turned it down or sent it to somebody else.
#[test]
fn who_types_an_answer_is_typing_the_answer() {
    let mut person = Person::at(100, 30, &["api"]);
    let asked = |status| QuestionInfo {
        kind: Kind::Text,
        options: Vec::new(),
        choices: Vec::new(),
        selected: None,
        ..question("q1", "api", status)
    };
    person.notice(Notice::Question(asked(Status::Escalated)));
    assert!(person.press("ctrl-a a x r o c t e q space / l").is_empty());
    let Mode::Drawer(drawer) = &person.state.mode else { panic!("{:?}", person.state.mode) };
    assert_eq!(drawer.edit.as_ref().map(|edit| edit.text.as_str()), Some("xrocteq /l"));
    let given = |text: &str| {
        let answer = GivenAnswer { text: Some(text.into()), ..GivenAnswer::default() };
        [Request::Answer { id: "q1".into(), answer }]
    };
    assert_eq!(person.press("enter"), given("xrocteq /l"));
    // The other keys are behind Escape.
    person.press("ctrl-a a esc");
    assert!(matches!(person.press("r")[..], [Request::Answer { ref answer, .. }] if answer.reject));
    // A suggestion is given by Enter alone, and nothing by Enter where there is none.
    person.press("ctrl-a a");
    assert!(person.press("enter").is_empty());
    person.notice(Notice::Question(QuestionInfo { answer: Some("ours".into()), ..asked(Status::Proposed) }));
    assert!(matches!(person.press("enter")[..], [Request::Confirm { accept: true, .. }]));
    person.press("ctrl-a a n");
    assert_eq!(person.press("o enter"), given("no"));
}

/// At `[y/N]` neither letter did anything.
#[test]
fn a_yes_or_no_takes_its_letters() {
    let mut person = Person::at(100, 30, &["api"]);
    let options = ["y", "N"].map(str::to_owned).to_vec();
    let asked = |id: &str, kind| QuestionInfo {
        kind,
        options: options.clone(),
        choices: Vec::new(),
        ..question(id, "api", Status::Escalated)
    };
    for (number, (key, row)) in [("y", "1. y"), ("n", "2. N"), ("N", "2. N")].into_iter().enumerate() {
        let id = format!("q{number}");
        person.notice(Notice::Question(asked(&id, Kind::YesNo)));
        let sent = person.press(&format!("ctrl-a a {key}"));
        let answer = GivenAnswer { options: vec![row.into()], ..GivenAnswer::default() };
        assert_eq!(sent, [Request::Answer { id: id.clone(), answer }], "{key}");
        person.notice(Notice::Question(QuestionInfo { id, ..question("x", "api", Status::Answered) }));
    }
    // A list of more than yes and no is not answered by a letter.
    let three = ["Yes", "Yes, always", "No"].map(str::to_owned).to_vec();
    person.notice(Notice::Question(QuestionInfo { options: three, ..asked("q9", Kind::Permission) }));
    assert!(person.press("ctrl-a a y n").is_empty());
    assert!(person.note().contains("does nothing here"), "{}", person.note());
}

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
fn an_agent_that_is_started_takes_the_focus_and_gives_it_back_if_it_fails() {
    let mut person = Person::at(100, 30, &["api"]);
    let typed = |text: &str| Event::Input(Input::Paste(text.into()));
    person.press("ctrl-a c");
    person.event(typed("nonsuch --x"), 2_000);
    let out = update(&mut person.state, key_event("enter"), 2_000);
    let [Effect::Start { id, agent }] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!((agent.name.as_str(), agent.command.len()), ("nonsuch", 2));
    person.notice(Notice::Agent(AgentInfo { state: AgentState::Starting, ..info("nonsuch") }));
    assert_eq!(person.state.focus.as_deref(), Some("nonsuch"));
    let reply = Reply::error(1, "could not start nonsuch: there is no program 'nonsuch'");
    person.event(Event::Server(Box::new(ServerMessage::Reply { id: *id, reply })), 3_000);
    person.notice(Notice::Gone { name: "nonsuch".into() });
    assert_eq!(person.state.focus.as_deref(), Some("api"));
    // It stays in the list with its cause, and can be tried again.
    let failed = |person: &Person| person.state.agent("nonsuch").and_then(|agent| agent.failed.clone());
    assert!(failed(&person).unwrap().cause.contains("there is no program"));
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
    person.press_at("esc ctrl-a x y", 7_000);
    assert!(person.state.agent("nonsuch").is_none());
    assert_eq!(person.state.focus.as_deref(), Some("api"));
}

/// The first thing typed went nowhere.
#[test]
fn the_focus_begins_on_an_agent_that_runs() {
    let mut person = Person::at(100, 30, &[]);
    person.state.keep_failed("gone", Failed { cause: "there is no program 'gone'".into(), form: None });
    person.event(Event::Tick, 1_000);
    person.notice(Notice::Agent(info("shell")));
    assert_eq!(person.state.focus.as_deref(), Some("shell"));
}

/// What `counsel` could not start of its configuration was only a line that the dashboard then covered.
#[test]
fn an_agent_of_the_configuration_that_could_not_start_is_tried_again_as_it_is_written_there() {
    let mut person = Person::at(100, 30, &["api"]);
    let cause = |person: &Person| person.state.agent("web")?.failed.clone().map(|failed| failed.cause);
    person.state.keep_failed("web", Failed { cause: "there is no program 'codex'".into(), form: None });
    person.press("ctrl-a 2");
    update(&mut person.state, key_event("ctrl-a"), 3_000);
    let out = update(&mut person.state, key_event("R"), 3_000);
    let [Effect::StartAgain { id, name }] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!(name, "web");
    person.event(Event::NotStarted { id: *id, cause: "its folder is gone".into() }, 4_000);
    assert_eq!(cause(&person).as_deref(), Some("its folder is gone"));
    assert_eq!(person.state.focus.as_deref(), Some("web"), "who looks at it goes on looking");
    person.notice(Notice::Agent(AgentInfo { state: AgentState::Starting, ..info("web") }));
    assert_eq!(cause(&person), None);
}

#[test]
fn an_agent_somebody_else_could_not_start_stays_with_its_cause() {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Agent(AgentInfo { state: AgentState::Starting, ..info("web") }));
    let text = "could not start web: there is no folder /src/web".into();
    person.notice(Notice::Notification { agent: "web".into(), question: None, text });
    person.notice(Notice::Gone { name: "web".into() });
    assert!(person.state.agent("web").is_some_and(|agent| agent.failed.is_some()));
    person.press("ctrl-a 2");
    update(&mut person.state, key_event("ctrl-a"), 3_000);
    let out = update(&mut person.state, key_event("R"), 3_000);
    assert!(matches!(out.as_slice(), [Effect::StartAgain { name, .. }] if name == "web"), "{out:?}");
    // One that is stopped while it starts has not failed.
    person.notice(Notice::Agent(AgentInfo { state: AgentState::Starting, ..info("docs") }));
    person.notice(Notice::Gone { name: "docs".into() });
    assert!(person.state.agent("docs").is_none());
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
    person.notice(Notice::Agent(AgentInfo { state: AgentState::Exited, ..info("api") }));
    assert_eq!(person.press("ctrl-a R"), [Request::Restart { name: "api".into() }], "nothing is lost");
}

#[test]
fn a_number_belongs_to_one_agent_for_good() {
    let mut person = Person::at(200, 60, &["a", "b", "c"]);
    let number = |person: &Person, name: &str| person.state.agent(name).map(|agent| agent.number);
    person.notice(Notice::Gone { name: "b".into() });
    person.notice(Notice::Question(question("q1", "c", Status::Escalated)));
    assert_eq!(number(&person, "c"), Some(3));
    let names: Vec<&str> = person.state.listed().iter().map(|agent| agent.info.name.as_str()).collect();
    assert_eq!(names, ["c", "a"], "who needs the person comes first");
    person.notice(Notice::Agent(info("b")));
    assert_eq!(number(&person, "b"), Some(2), "one that comes back has its own");
    person.press("ctrl-a 3");
    assert_eq!(person.state.focus.as_deref(), Some("c"));
}

#[test]
fn consultants_come_last_in_the_list() {
    let mut person = Person::at(200, 60, &[]);
    person.notice(Notice::Agent(AgentInfo { role: Duty::Consultant, ..info("advisor") }));
    person.notice(Notice::Agent(info("api")));
    let names: Vec<&str> = person.state.listed().iter().map(|agent| agent.info.name.as_str()).collect();
    assert_eq!(names, ["api", "advisor"]);
    assert_eq!(person.state.focus.as_deref(), Some("api"), "until the person chooses, a worker has it");
}

#[test]
fn what_finished_while_nobody_looked_says_so() {
    let mut person = Person::at(200, 60, &["api", "web"]);
    let idle = |name| Notice::Agent(AgentInfo { state: AgentState::Idle, ..info(name) });
    let unseen =
        |person: &Person, name: &str| person.state.agent(name).is_some_and(|agent: &Agent| agent.unseen);
    person.notice(idle("web"));
    person.notice(idle("api"));
    assert!(unseen(&person, "web") && !unseen(&person, "api"), "api is in focus");
    person.press("ctrl-a 2");
    assert!(!unseen(&person, "web"));
    // Nor is it seen while the person is at another window.
    person.event(Event::Input(Input::Focus(false)), 2_000);
    person.notice(Notice::Agent(info("web")));
    person.notice(idle("web"));
    assert!(unseen(&person, "web"));
    person.event(Event::Input(Input::Focus(true)), 2_000);
    assert!(!unseen(&person, "web"));
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

#[test]
fn the_main_pane_is_the_focused_agents() {
    let mut person = Person::at(240, 60, &["a", "b", "c"]);
    person.press("ctrl-a space ctrl-a 3");
    let main = person.state.panes()[0].1;
    assert_eq!(person.state.pane_of("c"), Some(main));
}

fn key_event(word: &str) -> Event {
    Event::Input(Input::Key(KeyPress::parse(word).unwrap()))
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

#[test]
fn workers_have_the_first_numbers_though_their_consultant_was_started_first() {
    let keymap = Keymap::standard(KeyPress::ctrl('a'));
    let mut person = Person { state: State::new(keymap, Layout::built_in(), 0, "test".into()) };
    person.event(Event::Resize(200, 60), 0);
    person.event(Event::Found, 0);
    person.notice(Notice::Agent(AgentInfo { role: Duty::Consultant, ..info("advisor") }));
    person.notice(Notice::Agent(info("api")));
    person.reply(|purpose| *purpose == Purpose::Synced, Reply::Done);
    let number = |person: &Person, name: &str| person.state.agent(name).map(|agent| agent.number);
    assert_eq!((number(&person, "api"), number(&person, "advisor")), (Some(1), Some(2)));
    // They keep them, whatever comes later and in whatever order they come again.
    person.event(Event::Found, 0);
    for name in ["new", "api"] {
        person.notice(Notice::Agent(info(name)));
    }
    person.reply(|purpose| *purpose == Purpose::Synced, Reply::Done);
    assert_eq!((number(&person, "api"), number(&person, "new")), (Some(1), Some(3)));
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

#[test]
fn a_layout_that_is_chosen_is_remembered() {
    let mut person = Person::at(100, 30, &["api"]);
    let press = |word: &str| Event::Input(Input::Key(KeyPress::parse(word).unwrap()));
    update(&mut person.state, press("ctrl-a"), 2_000);
    let out = update(&mut person.state, press("space"), 2_000);
    assert!(out.contains(&Effect::Remember("main-and-stack".into())), "{out:?}");
}

fn of_thirteen() -> QuestionInfo {
    let options = (1..=13).map(|number| format!("branch-{number}")).collect();
    QuestionInfo { options, selected: None, ..question("q1", "api", Status::Escalated) }
}

/// `13` in a list of thirteen gave its first option: the `1` answered before the `3` was typed.
#[test]
fn digits_only_highlight_where_the_list_is_longer_than_they_count() {
    let mut person = Person::at(100, 40, &["api"]);
    person.notice(Notice::Question(of_thirteen()));
    assert!(person.press("ctrl-a a 1 3").is_empty());
    assert_eq!(person.press("enter"), given(&["13. branch-13"]));
    assert_eq!(person.press("ctrl-a a 1 0 enter"), given(&["10. branch-10"]));
    assert_eq!(person.press("ctrl-a a 1 enter"), given(&["1. branch-1"]));
    assert_eq!(person.press("ctrl-a a 4 2 enter"), given(&["2. branch-2"]), "there is no 42: a new number");
    assert_eq!(person.press("ctrl-a a 1 down 3 enter"), given(&["3. branch-3"]), "another key ends a number");
    assert!(person.press("ctrl-a a 1 4 enter").is_empty(), "there is no 14, and 4 was not meant");
    assert!(person.note().starts_with("nothing is highlighted"), "{}", person.note());
    assert!(person.press("0 enter").is_empty(), "no option has that number");
}

/// In a part of a long list the numbers are long though the rows are few.
#[test]
fn the_numbers_printed_say_whether_a_digit_is_a_whole_number() {
    let mut person = Person::at(100, 30, &["api"]);
    let row =
        |number: u32| Choice { label: format!("branch-{number}"), number: Some(number), ..Choice::default() };
    let choices: Vec<Choice> = (10..=12).map(row).collect();
    let options = choices.iter().map(|choice| choice.label.clone()).collect();
    let part = QuestionInfo { options, choices, ..question("q1", "api", Status::Escalated) };
    person.notice(Notice::Question(part));
    assert_eq!(person.press("ctrl-a a 1 2 enter"), given(&["12. branch-12"]));
    assert!(person.press("ctrl-a a 1 enter").is_empty(), "half a number highlights nothing");
}

/// `2` answered a list whose second row only looked like the second: rows above it were out of view.
#[test]
fn digits_only_highlight_where_some_of_the_list_is_out_of_view() {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(QuestionInfo { partial: true, ..of_three(Status::Escalated, None) }));
    assert!(person.press("ctrl-a a 2").is_empty());
    assert_eq!(person.press("enter"), given(&["2. SQLite"]));
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

#[test]
fn digits_of_a_long_list_tick_nothing_by_themselves() {
    let mut person = Person::at(100, 40, &["api"]);
    person.notice(Notice::Question(QuestionInfo { multi: true, ..of_thirteen() }));
    assert_eq!(person.press("ctrl-a a 1 3 space 2 space enter"), given(&["2. branch-2", "13. branch-13"]));
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
    for key in ["t", "e", "enter", "r", "c"] {
        assert!(person.press(&format!("ctrl-a q {key}")).is_empty(), "{key}");
        let Mode::Drawer(drawer) = &person.state.mode else { panic!("{key}") };
        assert_eq!(drawer.edit, None, "{key}");
        assert!(person.note().contains("in its pane"), "{key}: {}", person.note());
        person.press("esc");
    }
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
            assert!(!person.state.prefix_pending, "{opens} {keys}");
        }
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
