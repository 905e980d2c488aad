//! What keys give as an answer: options by number, letter and highlight, ticks, words.

use super::*;

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
        (yes_no("Use tabs? (y/n/a/A)", &["y", "n", "a", "A"]), None, "a capital is an answer of its own"),
        (yes_no("Delete the production database? [Y/n]", &["Y", "n"]), None, "though it is the default"),
        (yes_no("Go on? [y/n]", &["y", "n"]), None, "there is no default"),
        (yes_no("Go on?", &["Yes", "No"]), None, "nor are two"),
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

/// It closed with the suggestion, and the number of the option that was wanted instead was typed into the agent.
#[test]
fn a_question_stays_open_when_its_suggestion_is_turned_down() {
    let mut person = Person::at(80, 24, &["api"]);
    person.notice(Notice::Question(of_three(Status::Proposed, Some("SQLite"))));
    person.press_at("ctrl-a a", 2_000);
    assert_eq!(person.press_at("x", 3_000), [confirm("q1", false, "SQLite")]);
    person.notice(Notice::Question(of_three(Status::Escalated, None)));
    assert_eq!(person.state.in_drawer().map(|asked| asked.id.as_str()), Some("q1"));
    assert_eq!(person.press_at("1", 4_500), given(&["1. PostgreSQL"]));
    assert_eq!(person.state.mode, Mode::Panes);
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

/// Escape, another pane, another question: each threw the words away.
#[test]
fn words_that_were_not_given_stand_there_again() {
    let mut person = Person::at(100, 30, &["api", "web"]);
    let asked = |id: &str, agent: &str, status| QuestionInfo {
        kind: Kind::Text,
        options: Vec::new(),
        choices: Vec::new(),
        selected: None,
        ..question(id, agent, status)
    };
    let line = |person: &Person| match &person.state.mode {
        Mode::Drawer(drawer) => drawer.edit.as_ref().map(|edit| edit.text.clone()),
        _ => None,
    };
    person.notice(Notice::Question(asked("q1", "api", Status::Escalated)));
    person.notice(Notice::Question(asked("q2", "web", Status::Escalated)));
    person.press("ctrl-a a s h o p esc");
    assert_eq!(line(&person), None);
    for way in ["t", "esc tab shift-tab", "esc esc ctrl-a a", "ctrl-a 2 ctrl-a 1 ctrl-a a"] {
        person.press(way);
        assert_eq!(line(&person).as_deref(), Some("shop"), "{way}");
    }
    person.press("esc tab");
    assert_eq!(line(&person).as_deref(), Some(""), "they belong to their question");
    person.press("esc shift-tab");
    let answer = GivenAnswer { text: Some("shop2".into()), ..GivenAnswer::default() };
    assert_eq!(person.press("2 enter"), [Request::Answer { id: "q1".into(), answer }]);
    person.notice(Notice::Question(asked("q1", "api", Status::Answered)));
    assert!(person.state.words.drafts.is_empty());
    // A suggestion that is changed, and one that is only looked at.
    person.notice(Notice::Question(QuestionInfo {
        answer: Some("ours".into()),
        ..asked("q3", "api", Status::Proposed)
    }));
    person.press("ctrl-a e x esc e");
    assert_eq!(line(&person).as_deref(), Some("oursx"));
    person.press("backspace esc");
    person.notice(Notice::Question(QuestionInfo {
        answer: Some("theirs".into()),
        ..asked("q3", "api", Status::Proposed)
    }));
    person.press("e");
    assert_eq!(line(&person).as_deref(), Some("theirs"));
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
    for letter in ["y", "n"] {
        assert!(person.press(&format!("ctrl-a a {letter}")).is_empty());
        assert!(person.note().contains("does nothing here"), "{}", person.note());
    }
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

/// In a low pane `9` gave an option that could not be seen.
#[test]
fn digits_only_highlight_where_the_drawer_has_no_room_for_all_options() {
    let options: Vec<String> = (1..=9).map(|number| format!("branch-{number}")).collect();
    let asked = || QuestionInfo {
        options: options.clone(),
        selected: None,
        ..question("q1", "api", Status::Escalated)
    };
    let mut person = Person::at(100, 10, &["api"]);
    person.notice(Notice::Question(asked()));
    assert!(person.press("ctrl-a a 9").is_empty());
    assert_eq!(person.press("enter"), given(&["9. branch-9"]));
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(asked()));
    assert_eq!(person.press("ctrl-a a 9"), given(&["9. branch-9"]));
}

/// `2` answered a list whose second row only looked like the second: rows above it were out of view.
#[test]
fn digits_only_highlight_where_some_of_the_list_is_out_of_view() {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(QuestionInfo { partial: true, ..of_three(Status::Escalated, None) }));
    assert!(person.press("ctrl-a a 2").is_empty());
    assert_eq!(person.press("enter"), given(&["2. SQLite"]));
}

#[test]
fn digits_of_a_long_list_tick_nothing_by_themselves() {
    let mut person = Person::at(100, 40, &["api"]);
    person.notice(Notice::Question(QuestionInfo { multi: true, ..of_thirteen() }));
    assert_eq!(person.press("ctrl-a a 1 3 space 2 space enter"), given(&["2. branch-2", "13. branch-13"]));
}

/// A suggestion that the server refused opened its line with what had been typed for another agent's question, one Enter from
/// being given.
#[test]
fn what_was_typed_for_another_question_does_not_come_up_where_a_suggestion_is_refused() {
    let mut person = Person::at(100, 30, &["api"]);
    person.state.words.given = Some("shop2".into());
    person.notice(Notice::Question(of_three(Status::Proposed, Some("SQLite"))));
    assert_eq!(person.press("ctrl-a a enter"), [confirm("q1", true, "SQLite")]);
    crate::dashboard::drawer::refused(&mut person.state, "q1", "it is paused".into());
    let Mode::Drawer(drawer) = &person.state.mode else { panic!("{:?}", person.state.mode) };
    assert!(drawer.edit.as_ref().is_none_or(|edit| edit.text.is_empty()), "{:?}", drawer.edit);
}

/// Enter behind no words did nothing and said nothing, and what it would take could not be had.
#[test]
fn an_empty_line_is_told_how_it_is_sent() {
    let mut person = Person::at(100, 30, &["api"]);
    person.notice(Notice::Question(QuestionInfo {
        kind: Kind::Text,
        options: Vec::new(),
        choices: Vec::new(),
        selected: None,
        ..question("q1", "api", Status::Escalated)
    }));
    assert!(person.press("ctrl-a a enter").is_empty(), "it may be a slip");
    assert!(person.note().ends_with("counsel answer q1 --text ''"), "{}", person.note());
}

/// What was being written when the terminal was resized was gone with its question.
#[test]
fn words_whose_question_is_over_wait_for_the_next_one_of_its_agent() {
    let mut person = Person::at(100, 30, &["api", "web"]);
    let free = |id: &str, agent: &str, status| {
        let mut question = QuestionInfo { agent: agent.into(), ..of_three(status, None) };
        question.id = id.into();
        question.choices = question
            .options
            .iter()
            .map(|label| Choice { label: label.clone(), ..Choice::default() })
            .collect();
        question.choices[2].role = Role::FreeText;
        question
    };
    let line = |person: &Person| match &person.state.mode {
        Mode::Drawer(drawer) => drawer.edit.as_ref().map(|edit| edit.text.clone()),
        _ => None,
    };
    person.notice(Notice::Question(free("q1", "api", Status::Escalated)));
    person.press("ctrl-a a t s h o p");
    person.notice(Notice::Question(free("q1", "api", Status::Withdrawn)));
    assert!(person.note().contains("your words wait for its next one"));
    person.notice(Notice::Question(free("q2", "api", Status::Escalated)));
    person.notice(Notice::Question(free("q3", "web", Status::Escalated)));
    // Whoever does not want them leaves them there.
    for id in ["q3", "q2"] {
        crate::dashboard::drawer::show_question(&mut person.state, if id == "q2" { 0 } else { 1 });
        person.press("t");
        assert_eq!(line(&person).as_deref(), Some(if id == "q2" { "shop" } else { "" }), "{id}");
        person.press("esc");
    }
    person.press("t");
    assert!(person.press("enter").is_empty(), "they were written for another question");
    assert!(person.note().contains("enter once more gives it"));
    let answer = GivenAnswer { text: Some("shop".into()), ..GivenAnswer::default() };
    let answers = vec![Request::Answer { id: "q2".into(), answer }];
    assert_eq!(person.press("enter"), answers);
    person.notice(Notice::Question(free("q2", "api", Status::Answered)));
    assert!(person.state.words.drafts.is_empty() && person.state.words.left.is_empty());
}

#[test]
fn words_of_another_question_that_are_gone_on_with_are_this_ones() {
    let mut person = Person::at(100, 30, &["api"]);
    let text = |id: &str, status| QuestionInfo {
        kind: Kind::Text,
        options: Vec::new(),
        choices: Vec::new(),
        selected: None,
        ..question(id, "api", status)
    };
    person.notice(Notice::Question(text("q1", Status::Escalated)));
    person.press("ctrl-a a s h o p");
    person.notice(Notice::Question(text("q1", Status::Withdrawn)));
    person.notice(Notice::Question(text("q2", Status::Escalated)));
    person.press("esc ctrl-a a 2 esc ctrl-a a");
    let answer = GivenAnswer { text: Some("shop2".into()), ..GivenAnswer::default() };
    assert_eq!(person.press("enter"), [Request::Answer { id: "q2".into(), answer }]);
}
