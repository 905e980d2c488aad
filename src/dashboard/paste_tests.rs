//! What comes in one read over a question: a paste runs no command, keys that were typed fast do.

use super::*;

impl Person {
    /// These keys come in one read, well after the last ones.
    fn together(&mut self, text: &str) -> Vec<Request> {
        self.pressed_ms += 1_000;
        let key = |ch| match ch {
            '\r' => KeyPress::plain(Key::Enter),
            '\x01' => KeyPress::ctrl('a'),
            ch => KeyPress::plain(Key::Char(ch)),
        };
        let inputs = text.chars().map(|ch| Input::Key(key(ch))).collect();
        self.event(Event::Together(inputs), self.pressed_ms)
    }
}

fn asked() -> Person {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(of_three(Status::Escalated, None)));
    person.press("ctrl-a a");
    person
}

/// `run it now` declined the question by its first letter, as it would have stopped an agent by a `y`.
#[test]
fn a_paste_without_marks_runs_no_command() {
    for text in ["run it now, quickly\r", "yes, and go on", "2. SQLite\r", "q1w2e3", "https://127.0.0.1/x"] {
        let mut person = asked();
        assert_eq!(person.together(text), [], "{text}");
        assert!(matches!(&person.state.mode, Mode::Drawer(_)), "{text}");
        assert!(person.note().starts_with("a paste goes nowhere here"), "{text}: {}", person.note());
        // Its end, where that comes in a read of its own.
        assert_eq!(person.press_at("2", person.pressed_ms + 5), [], "{text}");
        assert_eq!(person.press("2"), given(&["2. SQLite"]), "{text}: what is typed afterwards is a key");
    }
    let mut person = Person::at(100, 30, &["api"]);
    person.press("ctrl-a x");
    assert_eq!(person.together("yes please\r"), []);
    assert!(matches!(&person.state.mode, Mode::Sure(_)), "nothing was said to that question");
}

/// `yes` answered by its first letter, `ok` and a line end took the question over and gave what was highlighted.
#[test]
fn a_short_paste_answers_nothing_either() {
    for text in ["yes", "no", "ok\r", "no\r", "2\r", " 2", "y\r", "k\r", "\r\r", "\t\r", "jk2", "ab"] {
        let mut person = asked();
        assert_eq!(person.together(text), [], "{text:?}");
        assert!(matches!(&person.state.mode, Mode::Drawer(_)), "{text:?}");
        assert!(person.note().starts_with("a paste goes nowhere here"), "{text:?}: {}", person.note());
        assert_eq!(person.press("2"), given(&["2. SQLite"]), "{text:?}: what is typed afterwards is a key");
    }
    let yes_no = QuestionInfo {
        kind: Kind::YesNo,
        options: vec!["Yes".into(), "No".into()],
        choices: Vec::new(),
        ..of_three(Status::Escalated, None)
    };
    for text in ["yes", "y\r", "no", "n ", "ny"] {
        let mut person = Person::at(100, 30, &["api"]);
        person.notice(Notice::Question(yes_no.clone()));
        person.press("ctrl-a a");
        assert_eq!(person.together(text), [], "{text:?}");
        assert_eq!(person.press("y"), given(&["1. Yes"]), "{text:?}: by itself it is an answer");
        let mut person = Person::at(100, 30, &["api"]);
        person.press("ctrl-a x");
        assert_eq!(person.together(text), [], "{text:?}");
        assert!(matches!(&person.state.mode, Mode::Sure(_)), "{text:?}: nothing was said to that question");
    }
}

/// The line end of what was copied gave it before anybody had read it.
#[test]
fn a_line_that_is_pasted_with_its_end_is_not_given() {
    let mut person = Person::at(100, 30, &["api"]);
    let words = QuestionInfo { kind: Kind::Text, options: Vec::new(), ..of_three(Status::Escalated, None) };
    person.notice(Notice::Question(words));
    person.press("ctrl-a a");
    assert_eq!(person.together("both\r"), []);
    let Mode::Drawer(Drawer { edit: Some(edit), .. }) = &person.state.mode else { panic!("no line") };
    assert_eq!(edit.text, "both");
    assert_eq!(person.press("enter").len(), 1, "an Enter by itself gives it");
}

/// Over a line that stalls several keys come at once.
#[test]
fn keys_that_only_move_are_keys_however_they_come() {
    let mut person = asked();
    assert_eq!(person.together("jjjjkk"), [], "a key that is held down");
    assert_eq!(person.press("enter"), given(&["1. PostgreSQL"]));
    let mut person = asked();
    person.together("j");
    assert_eq!(person.press("enter"), given(&["2. SQLite"]));
    assert_eq!(asked().together("2"), given(&["2. SQLite"]));
    // The chord that opens it may have come with them.
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
    person.together("\x01a2");
    assert_eq!(person.state.mode, Mode::Panes, "it was answered");
    // To an agent everything goes as it came.
    let mut person = Person::at(100, 30, &["api"]);
    assert_eq!(person.together("run it\r").len(), 7);
}

/// Where there is a line to type in, what comes in one read is typed.
#[test]
fn a_line_takes_what_comes_in_one_read() {
    let mut person = Person::at(100, 30, &["api"]);
    let words = QuestionInfo { kind: Kind::Text, options: Vec::new(), ..of_three(Status::Escalated, None) };
    person.notice(Notice::Question(words));
    person.press("ctrl-a a");
    person.together("both of them");
    let Mode::Drawer(Drawer { edit: Some(edit), .. }) = &person.state.mode else { panic!("no line") };
    assert_eq!(edit.text, "both of them");
    let mut person = Person::at(100, 30, &["api", "web"]);
    person.press("ctrl-a :");
    person.together("go to web\r");
    assert_eq!(person.state.focus.as_deref(), Some("web"));
}

/// The first of two pasted lines was started as a program, or given as the answer, and the rest typed into an agent.
#[test]
fn several_lines_stay_in_the_line_they_are_pasted_into() {
    let mut person = Person::at(100, 30, &["api", "web"]);
    person.press("ctrl-a c");
    assert_eq!(person.together("cargo test\rrm -rf target\r"), []);
    let Mode::Create(form) = &person.state.mode else { panic!("it was started") };
    assert_eq!(form.edit(Field::Command).text, "cargo test rm -rf target ");
    let mut person = Person::at(100, 30, &["api", "web"]);
    person.press("ctrl-a :");
    assert_eq!(person.together("stop web\rgo on\r"), []);
    assert!(matches!(&person.state.mode, Mode::Palette(_)), "nothing was done");
}

/// A marked paste was lost without a word.
#[test]
fn a_paste_that_goes_nowhere_says_so() {
    let mut person = asked();
    person.event(Event::Input(Input::Paste("SQLite, since it is one file".into())), 9_000);
    assert!(person.note().starts_with("a paste goes nowhere here"), "{}", person.note());
}
