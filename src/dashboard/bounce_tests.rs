//! Keys pressed twice, or too soon after another: none of them decides anything.

use super::*;

/// The agent's own yes or no, with `y` as what Enter gives there.
fn allow(id: &str, agent: &str, status: Status) -> QuestionInfo {
    let options = ["Y", "n"].map(str::to_owned).to_vec();
    let (kind, prompt) = (Kind::YesNo, "Allow? [Y/n]".into());
    QuestionInfo { kind, prompt, options, ..question(id, agent, status) }
}

fn told(person: &mut Person, question: QuestionInfo, now_ms: u64) {
    person.event(Event::Server(Box::new(ServerMessage::Notice(Notice::Question(question)))), now_ms);
}

/// Of `Allow? [Y/n]` "n" was given by Enter, and a second Enter went to the agent before the answer did: yes.
#[test]
fn a_second_key_does_not_turn_an_answer_into_its_opposite() {
    for (gives, again) in [("down down enter", "enter"), ("2", "2"), ("y", "n"), ("n", "y"), ("1", "esc")] {
        let mut person = Person::at(80, 24, &["api"]);
        told(&mut person, allow("q1", "api", Status::Escalated), 1_000);
        let sent = person.press_at(&format!("ctrl-a a {gives}"), 10_000);
        assert!(matches!(sent.as_slice(), [Request::Answer { .. }]), "{gives}: {sent:?}");
        told(&mut person, allow("q1", "api", Status::Answering), 10_020);
        // One after another, each too soon.
        for after_ms in [50, 320, 800] {
            let sent = person.press_at(again, 10_000 + after_ms);
            assert_eq!(typed_into(&sent), [""; 0], "{gives} {again}, {after_ms} ms later");
            // An Escape also takes the words away that say so.
            assert!(again == "esc" || person.note().contains("went nowhere"), "{}", person.note());
        }
        told(&mut person, allow("q1", "api", Status::Answered), 11_900);
        assert_eq!(typed_into(&person.press_at(again, 12_100)), [""; 0], "it could not be seen yet");
        // A chord is meant for the dashboard at any time.
        person.press_at("ctrl-a z", 12_150);
        assert!(person.state.zoomed);
        assert_eq!(typed_into(&person.press_at("x", 12_700)), ["api"]);
    }
}

/// The second key was the answer to what the agent asked next.
#[test]
fn a_second_key_does_not_answer_what_is_asked_next() {
    let mut person = Person::at(80, 24, &["api"]);
    told(&mut person, allow("q1", "api", Status::Escalated), 1_000);
    person.press_at("ctrl-a a y", 10_000);
    told(&mut person, allow("q1", "api", Status::Answered), 10_300);
    told(&mut person, allow("q2", "api", Status::Escalated), 10_700);
    assert_eq!(typed_into(&person.press_at("y", 10_800)), [""; 0]);
    assert_eq!(typed_into(&person.press_at("y", 11_300)), ["api"], "it has been seen by then");
}

#[test]
fn an_answer_of_which_nothing_is_heard_locks_nobody_out() {
    let mut person = Person::at(80, 24, &["api", "web"]);
    told(&mut person, allow("q1", "api", Status::Escalated), 1_000);
    person.press_at("ctrl-a a y", 10_000);
    for now_ms in (10_100..13_000).step_by(100) {
        assert_eq!(typed_into(&person.press_at("x", now_ms)), [""; 0], "{now_ms}");
    }
    // Whoever goes to another agent can type there.
    person.press_at("ctrl-a 2", 13_000);
    assert_eq!(typed_into(&person.press_at("x", 13_500)), ["web"]);
    person.press_at("ctrl-a 1", 14_000);
    assert_eq!(typed_into(&person.press_at("x", 14_500)), ["api"]);
}

/// What is typed to everybody leaves out whoever is being answered; a click there chooses nothing either.
#[test]
fn neither_a_broadcast_nor_a_click_reaches_who_is_being_answered() {
    let mut person = Person::at(200, 60, &["api", "web"]);
    told(&mut person, allow("q1", "api", Status::Escalated), 1_000);
    person.press_at("ctrl-a a y", 10_000);
    told(&mut person, allow("q1", "api", Status::Answered), 10_100);
    person.press_at("ctrl-a b", 10_310);
    assert_eq!(typed_into(&person.press_at("x", 10_350)), ["web"]);
    person.press_at("ctrl-a b", 10_360);
    let modes = Modes { mouse_click: true, ..Modes::default() };
    person.state.agent_mut("api").unwrap().modes = modes;
    let place = person.state.pane_of("api").unwrap();
    let (kind, button, mods) = (MouseKind::Press, Some(Button::Left), Default::default());
    let click = Mouse { kind, button, row: place.y + 1, col: place.x + 1, mods };
    assert_eq!(typed_into(&person.event(Event::Input(Input::Mouse(click)), 10_390)), [""; 0]);
    assert_eq!(typed_into(&person.event(Event::Input(Input::Mouse(click)), 14_000)), ["api"]);
}

/// An answer was followed by the list of all questions, and what was typed next opened, and answered, another agent's.
#[test]
fn no_list_opens_by_itself_after_an_answer() {
    let mut person = Person::at(80, 24, &["api", "web"]);
    told(&mut person, allow("q1", "api", Status::Escalated), 1_000);
    told(&mut person, allow("q2", "web", Status::Escalated), 1_000);
    person.press_at("ctrl-a a y", 10_000);
    assert_eq!((&person.state.mode, person.state.focus.as_deref()), (&Mode::Panes, Some("api")));
    assert_eq!(
        person.state.next_needed().map(|asked| asked.id.as_str()),
        Some("q2"),
        "it is named at the edge"
    );
    told(&mut person, allow("q1", "api", Status::Answered), 10_300);
    person.event(Event::Tick, 12_000);
    assert_eq!(person.state.mode, Mode::Panes);
    assert_eq!(typed_into(&person.press_at("down enter", 12_100)), ["api", "api"]);
}

/// Whoever typed `green` behind the chord, at an agent that asked nothing, declined what another one asked by its `r`.
#[test]
fn a_word_decides_nothing_in_another_agents_question() {
    let mut person = Person::at(80, 24, &["whip", "git"]);
    let git = |status| QuestionInfo {
        kind: Kind::Permission,
        options: ["y", "n", "q"].map(str::to_owned).to_vec(),
        ..question("q1", "git", status)
    };
    told(&mut person, git(Status::Escalated), 1_000);
    person.press_at("ctrl-a a", 10_000);
    assert!(person.note().starts_with("whip asks nothing; this is what git asks"), "{}", person.note());
    for (at, letter) in ["r", "e", "d"].into_iter().enumerate() {
        assert!(person.press_at(letter, 10_050 + 150 * at as u64).is_empty(), "{letter}");
    }
    assert_eq!(person.state.in_drawer().map(|asked| asked.agent.as_str()), Some("git"));
    // Once it has been looked at it is answered as any other; a word typed then decides nothing either.
    for (at, letter) in ["g", "r", "e", "e", "n"].into_iter().enumerate() {
        assert!(person.press_at(letter, 12_000 + 150 * at as u64).is_empty(), "{letter}");
    }
    assert!(
        matches!(person.press_at("r", 14_000)[..], [Request::Answer { ref answer, .. }] if answer.reject)
    );
}

/// "whip asks nothing" stood at the lower edge while whip asked in its pane.
#[test]
fn that_somebody_asks_nothing_is_taken_back_when_they_ask() {
    let mut person = Person::at(80, 24, &["whip", "git"]);
    told(&mut person, allow("q1", "git", Status::Escalated), 1_000);
    person.press_at("ctrl-a a", 10_000);
    assert!(person.note().starts_with("whip asks nothing"), "{}", person.note());
    told(&mut person, allow("q2", "whip", Status::Escalated), 10_500);
    assert_eq!(person.note(), "");
    // And as soon as the drawer is closed.
    let mut person = Person::at(80, 24, &["whip", "git"]);
    told(&mut person, allow("q1", "git", Status::Escalated), 1_000);
    person.press_at("ctrl-a a", 10_000);
    person.press_at("esc", 12_000);
    assert_eq!(person.note(), "");
}

/// The focused agent's own question is there to be answered at once.
#[test]
fn ones_own_question_takes_its_letters_at_once() {
    let mut person = Person::at(80, 24, &["api"]);
    told(&mut person, allow("q1", "api", Status::Escalated), 1_000);
    assert_eq!(person.press_at("ctrl-a a n", 10_000), given(&["2. n"]));
}

/// For a password the chord opens nothing and only says where it is typed: the Escape that was to close that emptied the
/// line, or interrupted the program.
#[test]
fn an_escape_takes_back_what_was_just_said() {
    let mut person = Person::at(80, 24, &["api"]);
    let options = Vec::new();
    let password = QuestionInfo { kind: Kind::Password, options, ..question("q1", "api", Status::Escalated) };
    told(&mut person, password, 1_000);
    person.press_at("ctrl-a a", 10_000);
    assert!(person.note().contains("type it here"), "{}", person.note());
    assert_eq!(typed_into(&person.press_at("esc", 10_900)), [""; 0]);
    assert_eq!(person.note(), "");
    assert_eq!(typed_into(&person.press_at("esc", 11_000)), ["api"], "the next one is the agent's");
    // Whoever types on means the agent by it.
    person.press_at("ctrl-a a", 20_000);
    assert_eq!(typed_into(&person.press_at("x esc", 20_500)), ["api", "api"]);
    // Behind a question whether to stop it, which another key has closed.
    person.press_at("ctrl-a x", 30_000);
    person.press_at("n", 31_000);
    assert_eq!(typed_into(&person.press_at("esc", 31_700)), [""; 0]);
    assert_eq!(typed_into(&person.press_at("esc", 33_000)), ["api"]);
}

/// The drawer closes once somebody else has answered, and the Escape that was to close it interrupted the agent's turn.
#[test]
fn an_escape_for_a_drawer_that_has_closed_by_itself_is_no_agents() {
    for (status, after_ms) in [(Status::Answered, 700), (Status::Withdrawn, 700), (Status::Answered, 2_200)] {
        let mut person = Person::at(80, 24, &["api"]);
        told(&mut person, allow("q1", "api", Status::Escalated), 1_000);
        assert!(person.press_at("ctrl-a a", 10_000).is_empty());
        told(&mut person, allow("q1", "api", status), 13_000);
        assert_eq!(person.state.mode, Mode::Panes);
        assert_eq!(typed_into(&person.press_at("esc", 13_000 + after_ms)), [""; 0], "{after_ms}");
        assert_eq!(typed_into(&person.press_at("esc", 18_000)), ["api"], "the next one is the agent's");
    }
}

/// An agent's number was shown that could not be typed: its second digit went into the agent of the first.
#[test]
fn a_number_of_two_digits_leads_to_its_agent() {
    let mut person = Person::at(200, 60, &[]);
    for number in 1..=12 {
        person.notice(Notice::Agent(Box::new(AgentInfo { number, ..info(&format!("agent-{number}")) })));
    }
    let focus = |person: &Person| person.state.focus.clone().unwrap_or_default();
    for (at, (keys, name)) in
        [("1 2", "agent-12"), ("1 0", "agent-10"), ("1", "agent-1"), ("2", "agent-2")].into_iter().enumerate()
    {
        let now_ms = 10_000 * (at as u64 + 1);
        assert_eq!(typed_into(&person.press_at(&format!("ctrl-a {keys}"), now_ms)), [""; 0], "{keys}");
        assert_eq!(focus(&person), name);
    }
    // There is none of that number.
    for (keys, number) in [("ctrl-a 1 9", "19"), ("ctrl-a 3 4", "34")] {
        assert_eq!(typed_into(&person.press_at(keys, 60_000)), [""; 0]);
        assert!(person.note().contains(&format!("no agent has the number {number}")), "{}", person.note());
    }
    // Somewhat later a digit is the agent's, and so is any other key at once.
    person.press_at("ctrl-a 1", 80_000);
    assert_eq!(typed_into(&person.press_at("2", 81_000)), ["agent-1"]);
    assert_eq!(typed_into(&person.press_at("ctrl-a 1 x 2", 90_000)), ["agent-1", "agent-1"]);
}

/// Of `33` the first digit had gone to agent 3, where what was typed next went.
#[test]
fn a_number_nobody_has_leaves_everything_where_it_is() {
    let mut person = Person::at(200, 60, &[]);
    for number in 1..=28 {
        person.notice(Notice::Agent(Box::new(AgentInfo { number, ..info(&format!("agent-{number}")) })));
    }
    person.press_at("ctrl-a 5", 10_000);
    person.press_at("ctrl-a 7", 20_000);
    for (at, keys) in ["ctrl-a 3 3", "ctrl-a 2 9", "ctrl-a 7 7"].into_iter().enumerate() {
        let now_ms = 10_000 * (at as u64 + 3);
        assert_eq!(typed_into(&person.press_at(keys, now_ms)), [""; 0], "{keys}");
        assert_eq!(person.state.focus.as_deref(), Some("agent-7"), "{keys}");
        assert_eq!(typed_into(&person.press_at("x", now_ms + 2_000)), ["agent-7"], "{keys}");
    }
    person.press_at("ctrl-a ;", 90_000);
    assert_eq!(person.state.focus.as_deref(), Some("agent-5"), "nor has anybody been elsewhere");
}

/// In a tmux that waits for the end of a sequence, Escape and the prefix came as one key: alt with the prefix was typed into
/// the agent, and the letter of the command behind it.
#[test]
fn an_escape_before_the_prefix_is_two_keys() {
    let mut person = Person::at(80, 24, &["api", "web"]);
    let sent = person.press_at("alt-ctrl-a", 10_000);
    assert_eq!(
        sent,
        [Request::Keys { name: "api".into(), input: vec![Input::Key(KeyPress::plain(Key::Esc))] }]
    );
    assert!(person.state.prefix.pending);
    assert!(person.press_at("n", 10_010).is_empty());
    assert_eq!(person.state.focus.as_deref(), Some("web"));
    // In what lies over the panes it closes that.
    person.press_at("ctrl-a ?", 20_000);
    person.press_at("alt-ctrl-a", 21_000);
    assert_eq!((&person.state.mode, person.state.prefix.pending), (&Mode::Panes, true));
}

/// The lower edge named one who asks, and another was the first of the list.
#[test]
fn who_has_asked_the_longest_is_first_everywhere() {
    let mut person = Person::at(80, 24, &["api", "web", "docs"]);
    for (id, agent) in [("q1", "docs"), ("q2", "web")] {
        told(&mut person, allow(id, agent, Status::Escalated), 1_000);
    }
    assert_eq!(person.state.next_needed().map(|asked| asked.agent.as_str()), Some("docs"));
    let names: Vec<&str> = person.state.listed().iter().map(|agent| agent.info.name.as_str()).collect();
    assert_eq!(names, ["docs", "web", "api"]);
}
