//! What is typed while the server is away: as a whole or not at all, and said for as long as it is so.

use super::*;
use crate::dashboard::link::LostKeys;

const SYNCED: fn(&Purpose) -> bool = |purpose| *purpose == Purpose::Synced;

/// One whose agent *api* has the focus, and whose server has just gone.
fn without_server() -> Person {
    let mut person = Person::at(100, 30, &["web", "api"]);
    person.press("ctrl-a 2");
    person.event(Event::Lost, 3_000);
    person
}

/// The server is back, and everybody with it.
fn back(person: &mut Person, now_ms: u64) -> Vec<Request> {
    person.event(Event::Found, now_ms - 100);
    for name in ["web", "api"] {
        person.event(
            Event::Server(Box::new(ServerMessage::Notice(Notice::Agent(Box::new(info(name)))))),
            now_ms - 50,
        );
    }
    person.reply_at(SYNCED, Reply::Done, now_ms)
}

/// `rm -r old; ls new`, of which the beginning was typed too long before the server was back: the rest of it was run.
#[test]
fn what_follows_lost_keys_is_lost_up_to_where_a_line_ends() {
    for ends in ["enter", "esc", "ctrl-c"] {
        let mut person = without_server();
        person.press_at("l s", 3_100);
        assert!(typed_into(&back(&mut person, 60_000)).is_empty(), "too old");
        assert!(person.note().starts_with("not sent"), "{}", person.note());
        for key in ["n", "e", "w"] {
            assert_eq!(typed_into(&person.press_at(key, 61_000)), [""; 0], "{ends} {key}");
            assert!(person.note().contains("Enter, Esc or ctrl-c"), "{}", person.note());
        }
        // It says so for as long as it is so.
        person.event(Event::Tick, 80_000);
        assert!(person.note().contains("Enter, Esc or ctrl-c"), "{}", person.note());
        // Another agent's line is another line.
        person.press_at("ctrl-a 1", 81_000);
        assert_eq!(typed_into(&person.press_at("x", 82_000)), ["web"]);
        person.press_at("ctrl-a 2", 83_000);
        assert_eq!(typed_into(&person.press_at(ends, 84_000)), [""; 0], "{ends}");
        assert_eq!(typed_into(&person.press_at("x", 85_000)), ["api"], "{ends}");
    }
}

/// What is typed for longer than a server is waited for, or was typed for a shell that asks by now.
#[test]
fn keys_are_lost_with_their_whole_line_whatever_they_are_lost_by() {
    let many: fn(&mut Person) = |person| (0..2_000).for_each(|_| drop(person.press_at("m", 3_200)));
    let long: fn(&mut Person) = |person| drop((person.press_at("m", 3_200), person.press_at("m", 14_000)));
    let asks: fn(&mut Person) = |person| {
        person.press_at("m", 3_200);
        person.notice(Notice::Question(question("q1", "api", Status::Escalated)));
        person.notice(Notice::Agent(Box::new(info("api"))));
    };
    for (why, loses) in [("many", many), ("long", long), ("asks", asks)] {
        let mut person = without_server();
        loses(&mut person);
        assert!(typed_into(&back(&mut person, 14_500)).is_empty(), "{why}");
        person.notice(Notice::Question(question("q1", "api", Status::Withdrawn)));
        assert_eq!(typed_into(&person.press_at("x", 16_000)), [""; 0], "{why}");
        assert_eq!(typed_into(&person.press_at("enter", 17_000)), [""; 0], "{why}");
        assert_eq!(typed_into(&person.press_at("x", 18_000)), ["api"], "{why}");
    }
    // A line that was lost with its end is followed by another one.
    let mut person = without_server();
    person.press_at("l s enter", 3_100);
    back(&mut person, 60_000);
    assert_eq!(typed_into(&person.press_at("x", 61_000)), ["api"]);
    // An agent of the same name is another one; one that was started again gets no rest of a line either.
    for (gone, typed) in [(true, &["api"][..]), (false, &[])] {
        let mut person = without_server();
        person.press_at("l s", 3_100);
        back(&mut person, 60_000);
        person.notice(Notice::Agent(Box::new(AgentInfo { state: AgentState::Exited, ..info("api") })));
        if gone {
            person.notice(Notice::Gone { name: "api".into() });
        }
        person.notice(Notice::Agent(Box::new(info("api"))));
        person.press_at("ctrl-a 2", 60_500);
        assert_eq!(typed_into(&person.press_at("x", 61_000)), typed);
    }
}

/// The head went to the life before and the middle nowhere; the tail with its Enter was run.
#[test]
fn the_rest_of_a_line_is_not_for_the_next_life() {
    let over = |request: &Request| matches!(request, Request::Keys { input, .. } if input.is_empty());
    let has = |state| Notice::Agent(Box::new(AgentInfo { state, ..info("api") }));
    let lost = |keys| {
        let mut person = Person::at(100, 30, &["web", "api"]);
        person.press("ctrl-a 2");
        person.notice(has(AgentState::Exited));
        assert!(typed_into(&person.press_at(keys, 3_000)).is_empty());
        assert!(person.note().contains("has ended"), "{}", person.note());
        person
    };
    let mut person = lost("m");
    person.notice(has(AgentState::Idle));
    assert_eq!(typed_into(&person.press_at("x", 4_000)), [""; 0]);
    assert!(person.note().contains("Enter, Esc or ctrl-c"), "{}", person.note());
    // The server, which counts lines by what reaches it, is told that this one is over.
    assert!(person.press_at("enter", 5_000).iter().any(over));
    assert_eq!(typed_into(&person.press_at("x", 6_000)), ["api"]);
    // Whoever ends the line, or starts the agent again, goes on with a new one.
    for ends in ["enter", "ctrl-a R"] {
        let mut person = lost("m");
        person.press_at(ends, 3_500);
        person.notice(has(AgentState::Idle));
        assert_eq!(typed_into(&person.press_at("x", 4_000)), ["api"], "{ends}");
    }
}

/// The server sees what life keys reach, and tells what it left out for as long as it is so.
#[test]
fn what_the_server_leaves_out_is_said_up_to_where_the_line_ends() {
    let mut person = Person::at(100, 30, &["web", "api"]);
    person.press("ctrl-a 2");
    person.notice(Notice::LineCut { name: "api".into(), over: false });
    person.event(Event::Tick, 80_000);
    assert!(person.note().contains("Enter, Esc or ctrl-c"), "{}", person.note());
    assert_eq!(typed_into(&person.press_at("x", 81_000)), ["api"], "the server leaves it out");
    person.notice(Notice::LineCut { name: "api".into(), over: true });
    assert!(person.note().contains("gets what you type now"), "{}", person.note());
    // The next server knows of no line.
    person.notice(Notice::LineCut { name: "api".into(), over: false });
    person.event(Event::Lost, 82_000);
    back(&mut person, 83_000);
    assert_eq!(typed_into(&person.press_at("x", 84_000)), [""; 0]);
    person.press_at("enter", 85_000);
    assert_eq!(typed_into(&person.press_at("x", 86_000)), ["api"]);
}

/// Without an agent nothing waits, and the return of a server takes back no other words than its own.
#[test]
fn nothing_is_said_of_keys_that_are_nobodys() {
    let mut person = Person::at(100, 30, &[]);
    person.event(Event::Lost, 3_000);
    person.press_at("x", 3_100);
    assert_eq!((person.note(), person.state.held_keys.is_empty()), ("", true));
    let mut person = without_server();
    person.press_at("x", 3_100);
    person.state.warn("the log could not be read");
    assert_eq!(typed_into(&back(&mut person, 4_000)), ["api"]);
    assert_eq!(person.note(), "the log could not be read");
}

/// The key that was on its way when the server was killed was lost from the middle of a line.
#[test]
fn what_the_server_has_not_read_goes_to_the_next() {
    let keys = |ch: char| Request::Keys { name: "api".into(), input: vec![Input::Text(ch.to_string())] };
    for doubtful in [false, true] {
        let mut person = without_server();
        let before = if doubtful { vec![keys('a')] } else { Vec::new() };
        let lost = LostKeys { doubtful: before, unread: vec![keys('b')] };
        person.event(Event::Unread(lost), 3_050);
        person.press_at("c", 3_100);
        let sent = back(&mut person, 4_000);
        // Where a part may be missing the rest is not sent either.
        assert_eq!(typed_into(&sent).len(), if doubtful { 0 } else { 2 }, "{sent:?}");
    }
}
