//! When a screen is believed and when it is not: after a resize, after an earlier server, and without a keeper.

use super::*;
use crate::core::log::log_entry::Outcome;
use crate::core::recording::asciicast::What;
use crate::core::terminal::repaint::repaint;
use crate::server::effect;
use crate::server::hub::lookup::agent_info;
use crate::server::remembered::{OpenQuestion, UNSEEN_MS};
use crate::session::message::{JournalPart, Order};
use crate::wire::keeper::ToKeeper;
use crate::wire::message::{GivenAnswer, QuestionInfo};

fn resize(stage: &mut Stage, cols: u16, rows: u16) {
    stage.request(Request::Resize { name: "worker".into(), size: Size::new(cols, rows) });
}

#[test]
fn a_question_there_is_no_room_for_stays_open() {
    // The program does not draw, or what it draws there says nothing.
    for drawn in [None, Some("\x1b[2J\x1b[HEnter to select")] {
        let mut stage = Stage::with_oracle(Policy::default());
        stage.play_to(5.9);
        let screen = stage.session(stage.agent).screen();
        let whole = repaint(screen.grid(), screen.modes());
        resize(&mut stage, 79, 1);
        if let Some(bytes) = drawn {
            stage.step(Event::Output { agent: stage.agent, bytes: bytes.into() });
        }
        stage.pass(1_500);
        assert_eq!(stage.questions()[0].status, Status::Consulting, "{drawn:?}");
        resize(&mut stage, 120, 40);
        if drawn.is_some() {
            stage.step(Event::Output { agent: stage.agent, bytes: whole });
        }
        stage.pass(2_000);
        stage.say(r#"{"choice": 2}"#);
        stage.pass(400);
        assert_eq!((stage.typed().as_str(), stage.questions().len()), ("\x1b[B", 1), "{drawn:?}");
    }
}

#[test]
fn a_person_who_answers_right_after_a_resize_has_answered() {
    // A popup opens on the agent, which makes it smaller, and the person in it types at once.
    for typed in [true, false] {
        let mut stage = Stage::new(Policy::default());
        stage.play_to(5.9);
        let rows = if typed { 6 } else { 20 };
        resize(&mut stage, 60, rows);
        if typed {
            let input = vec![Input::Key(KeyPress::plain(Key::Enter))];
            stage.request(Request::Keys { name: "worker".into(), input });
        }
        stage.step(Event::Output { agent: stage.agent, bytes: b"\x1b[2J\x1b[Hgot it".to_vec() });
        stage.pass(2_500);
        assert_eq!(stage.questions()[0].status, Status::Withdrawn, "{typed}");
    }
}

#[test]
fn a_question_hidden_in_mid_answer_goes_to_a_person_with_the_keys_in_the_log() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    stage.say(r#"{"choice": 2}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[B");
    resize(&mut stage, 79, 1);
    stage.step(Event::Output { agent: stage.agent, bytes: b"\x1b[2J\x1b[HEnter to select".to_vec() });
    stage.pass(60_000);
    assert_eq!((stage.typed().as_str(), stage.questions()[0].status), ("\x1b[B", Status::Escalated));
    // The agent goes on at that size: somebody has answered.
    stage.step(Event::Output {
        agent: stage.agent,
        bytes: b"\x1b[2J\x1b[H\xe2\x9c\xbb Baking... (3s)".to_vec(),
    });
    resize(&mut stage, 120, 40);
    stage.play_to(16.0);
    stage.pass(2_000);
    let entries = stage.entries();
    assert_eq!(entries.last().unwrap().keys, ["down"]);
}

#[test]
fn an_agent_whose_keeper_is_gone_can_be_stopped_before_and_after() {
    for stopped_first in [true, false] {
        let mut stage = Stage::new(Policy::default());
        let stop = || Request::Stop { names: vec!["worker".into()], grace_ms: 100 };
        let lost = Event::KeeperLost { agent: stage.agent };
        let from = stage.done.len();
        if stopped_first {
            assert_eq!(stage.request(stop()), None, "it waits for the sweep");
            stage.step(lost);
        } else {
            stage.step(lost);
            stage.request(stop());
        }
        // The server sweeps in the keeper's place, and tells so as a keeper would.
        let ended = |effect: &Effect| matches!(effect, Effect::EndOrphans { keeper: 499, .. });
        assert!(stage.done[from..].iter().any(ended), "{stopped_first}");
        let message = FromKeeper::Swept { killed: vec![], left: vec![], kept: vec![] };
        stage.step(Event::Keeper { agent: stage.agent, message });
        let done = |effect: &Effect| matches!(effect, Effect::Send { message, .. } if matches!(**message, ServerMessage::Reply { id: 7, reply: Reply::Stopped { .. } }));
        assert!(stage.done[from..].iter().any(done), "{stopped_first}");
        assert!(stage.hub.lifecycle.agents.is_empty());
    }
}

/// A stage whose worker an earlier server left with a question on its screen.
fn taken_back() -> Stage {
    // It was killed while it made the program draw.
    taken_back_at(Size::new(119, 40), None)
}

pub(super) fn taken_back_at(terminal: Size, earlier: Option<Remembered>) -> Stage {
    let policy = Policy { consultants: vec![command("oracle", None)], ..Policy::default() };
    taken_back_with(policy, terminal, earlier)
}

/// The same under this policy.
pub(super) fn taken_back_with(policy: Policy, terminal: Size, earlier: Option<Remembered>) -> Stage {
    let mut stage = Stage::with_oracle(Policy::default());
    let output = stage.cast.events.iter().take_while(|event| event.at_ms <= 5_900);
    let bytes = output.filter_map(|event| match &event.what {
        What::Output(text) => Some(text.clone().into_bytes()),
        _ => None,
    });
    let bytes = bytes.collect::<Vec<_>>().concat();
    let cut = bytes.len() - 500;
    let (seen, output_log) = (bytes[..cut].to_vec(), bytes[cut..].to_vec());
    let size = Size::new(120, 40);
    let journal =
        vec![JournalPart::Begin { at: 0, line: 0, size, seed: Vec::new() }, JournalPart::Output(seen)];
    let spec = AgentSpec {
        name: "old".into(),
        command: vec!["claude".into()],
        consultant: Some("oracle".into()),
        size: Some(size),
        ..AgentSpec::default()
    };
    stage.agent = stage.adopt(spec, policy, earlier);
    let start = Started {
        pid: 700,
        keeper: 699,
        at: bytes.len() as u64,
        journal,
        output_log,
        size: Some(terminal),
        adopted: true,
        ..Started::default()
    };
    stage.step(Event::Started { agent: stage.agent, start });
    stage.pass(400);
    stage
}

#[test]
fn what_an_earlier_server_only_read_is_on_the_screen_and_in_the_journal() {
    let stage = taken_back();
    let screen = stage.session(stage.agent).screen();
    assert_eq!(screen.size(), Size::new(120, 40));
    let screen = screen.grid().text();
    assert!(screen.contains("Enter to select"), "{screen}");
    let journaled = stage.done.iter().filter_map(|effect| match effect {
        Effect::Journal { agent, parts } if *agent == stage.agent => Some(parts.clone()),
        _ => None,
    });
    let outputs =
        journaled.flatten().filter(|part| matches!(part, JournalPart::Output(bytes) if bytes.len() == 500));
    assert_eq!(outputs.count(), 1);
    let answered = stage
        .done
        .iter()
        .any(|effect| matches!(effect, Effect::Write { agent, .. } if *agent == stage.agent));
    assert!(!answered, "queries of then are not answered now");
}

#[test]
fn a_size_that_no_journal_tells_of_is_the_terminals() {
    let stage = taken_back_at(Size::new(90, 30), None);
    assert_eq!(stage.session(stage.agent).screen().size(), Size::new(90, 30));
}

#[test]
fn nothing_is_typed_before_a_program_that_was_taken_back_has_drawn_its_screen() {
    for draws in [true, false] {
        let mut stage = taken_back();
        stage.say(r#"{"choice": 2}"#);
        stage.pass(1_500);
        assert_eq!(stage.typed(), "", "keys of the earlier server may be on their way");
        if draws {
            let bytes = b"\x1b[1;1H".to_vec();
            stage.step(Event::Output { agent: stage.agent, bytes });
            stage.pass(300);
        } else {
            stage.pass(500);
        }
        assert_eq!(stage.typed(), "\x1b[B", "{draws}");
    }
}

/// A person who answered by a number seen before the server was killed could answer another agent's question: the
/// next server counted anew.
#[test]
fn a_question_keeps_its_number_and_its_age_under_the_next_server() {
    let known = Stage::with_oracle(Policy::default());
    let (mut asked, mut open) = (known, Vec::new());
    asked.play_to(5.9);
    for question in asked.hub.questions.open_questions(AgentKey(1)) {
        open.push(OpenQuestion { id: "q41".into(), asked_at: 1_699_999_990_000, ..question });
    }
    assert_eq!(open.len(), 1);
    let since_unix_ms = 1_699_999_991_000;
    let earlier = Remembered {
        prompt_begun: false,
        place: 0,
        number: 0,
        state: State::Asking,
        since_unix_ms,
        open,
        consent: false,
        prompt_due: false,
        typed_behind: None,
        typed_columns: 0,
        typed_wiped: false,
        typed_left: false,
        released: false,
        life_id: Some(41),
        recording: None,
    };
    let mut stage = taken_back_at(Size::new(119, 40), Some(earlier));
    stage.pass(1_000);
    let of = |stage: &mut Stage, agent: &str| {
        let questions = stage.questions();
        let one = questions.iter().find(|question| question.agent == agent).expect("it asks");
        (one.id.clone(), one.asked_at)
    };
    assert_eq!(of(&mut stage, "old"), ("q41".to_owned(), 1_699_999_990.0));
    let agent = stage.hub.lifecycle.agents.get(stage.agent).expect("it was taken back");
    assert_eq!((agent.state(), agent.since_unix_ms), (State::Asking, 1_699_999_991_000));
    // Asked of a consultant now, it has time from now on: the deadline was told as if it counted from the first asking.
    let consult = Request::Consult { id: "q41".into(), with: Some("oracle".into()) };
    assert_eq!(stage.request(consult), Some(Reply::Done));
    let question = stage.questions().remove(0);
    let seconds = stage.agent(stage.agent.0).policy.consult.deadline_secs;
    let left = question.deadline_at.expect("it has a deadline") - stage.now.unix_ms as f64 / 1000.0;
    assert_eq!((question.id.as_str(), left), ("q41", seconds as f64));
    // Another agent's question is no number that was ever told.
    stage.agent = AgentKey(1);
    stage.play_to(5.9);
    assert_eq!(of(&mut stage, "worker").0, "q43");
}

/// `cat` had been started a quarter of an hour ago, and a second ago under the next server.
#[test]
fn one_that_has_shown_nothing_yet_is_as_old_as_it_was() {
    let mut stage = Stage::empty();
    let spec = AgentSpec { name: "old".into(), command: vec!["cat".into()], ..AgentSpec::default() };
    let since_unix_ms = 1_699_999_100_000;
    let earlier = Remembered { state: State::Starting, since_unix_ms, ..Remembered::default() };
    let key = stage.adopt(spec, Policy::default(), Some(earlier));
    let agent = stage.hub.lifecycle.agents.get(key).expect("it was taken back");
    assert_eq!((agent.state(), agent.since_unix_ms), (State::Starting, since_unix_ms));
}

/// The age of a menu began anew with the server: the agent had last been told of as at work, and asked only from the
/// moment at which the next server had read its screen.
#[test]
fn who_asks_does_so_since_the_question_was_asked() {
    let mut asked = Stage::with_oracle(Policy::default());
    asked.play_to(5.9);
    let mut open = asked.hub.questions.open_questions(AgentKey(1));
    open.iter_mut().for_each(|question| question.asked_at = 1_699_999_990_000);
    let earlier = Remembered { state: State::Working, open, ..Remembered::default() };
    let mut stage = taken_back_at(Size::new(119, 40), Some(earlier));
    stage.pass(1_000);
    let (lifecycle, questions) = (&stage.hub.lifecycle, &stage.hub.questions);
    let info =
        agent_info(&lifecycle.agents, &questions.asks, &questions.tracks, stage.agent).expect("it runs");
    assert_eq!((info.state, info.since), (State::Asking, 1_699_999_990.0));
}

/// A question that a consultant had passed on, or that a person had taken over, was asked of the consultant again by the
/// next server, and what it said then was typed.
#[test]
fn a_question_that_is_a_persons_stays_one_under_the_next_server() {
    let mut asked = Stage::with_oracle(Policy::default());
    asked.play_to(5.9);
    asked.request(Request::TakeOver { id: "q1".into() });
    let open = asked.hub.questions.open_questions(AgentKey(1));
    assert_eq!(open.iter().filter_map(|open| open.persons.as_deref()).count(), 1, "{open:?}");
    let why = open[0].persons.clone();
    let earlier = Remembered { state: State::Asking, open, ..Remembered::default() };
    let mut stage = taken_back_at(Size::new(119, 40), Some(earlier));
    stage.pass(5_000);
    let question = stage.questions().into_iter().find(|question| question.agent == "old").expect("it asks");
    assert_eq!((question.status, question.note), (Status::Escalated, why));
    let of_old = |effect: &Effect| matches!(effect, Effect::Consult { ask, .. } if stage.hub.questions.asks.get(*ask).is_some_and(|ask| ask.agent_name == "old"));
    assert!(!stage.done.iter().any(of_old), "nobody is asked twice");
}

/// A server that was killed behind the Enter left no word of the answer it had given.
#[test]
fn an_answer_that_was_being_given_is_in_the_log_under_the_next_server() {
    let mut asked = Stage::with_oracle(Policy::default());
    asked.play_to(5.9);
    asked.say(r#"{"choice": 2, "reason": "one writer"}"#);
    let open = asked.hub.questions.open_questions(AgentKey(1));
    let held = serde_json::to_value(Remembered { open, ..Remembered::default() }).unwrap();
    for (gone, logged, called) in [(true, 1, 2), (false, 0, 1)] {
        let mut held = held.clone();
        if gone {
            held["open"][0]["fingerprint"] = serde_json::json!(7);
        }
        let mut stage = taken_back_at(Size::new(119, 40), Remembered::of(held));
        stage.pass(5_000);
        let entries = stage.entries();
        assert_eq!((entries.len(), stage.notifications()), (logged, called), "{gone}");
        let Some(entry) = entries.first() else { continue };
        assert_eq!(
            (entry.id.as_str(), entry.agent.as_str(), entry.outcome),
            ("q1", "worker", Outcome::Failed)
        );
        assert_eq!((entry.answer.as_deref(), entry.by.as_str()), (Some("SQLite"), "consultant oracle"));
    }
}

/// The keeper was told of the answer behind the order to type it: a server that was killed at once left no word of it.
#[test]
fn what_the_log_would_say_is_held_before_the_first_key() {
    let mut asked = Stage::with_oracle(Policy::default());
    asked.play_to(5.9);
    let orders = |effects: Vec<effect::Effect>| {
        let order =
            |effect| if let effect::Effect::Order { order, .. } = effect { Some(order) } else { None };
        effects.into_iter().filter_map(order).collect::<Vec<Box<Order>>>()
    };
    let (ask, turn) = (AskKey(1), asked.ask(1).turn_number());
    let said = Ok(r#"{"choice": 2, "reason": "one writer"}"#.to_owned());
    let mut all = orders(asked.hub.step(effect::Event::Consulted { ask, turn, said }, asked.now));
    all.extend(orders(asked.hub.step(effect::Event::LogReserved { ask, done: Ok(()) }, asked.now)));
    let holds = |order: &Order| match order {
        Order::Keeper(ToKeeper::Hold { note }) => !note["open"][0]["unfinished"].is_null(),
        _ => false,
    };
    let held = all.iter().position(|order| holds(order)).expect("it is held");
    let typed = all.iter().position(|order| matches!(**order, Order::Deliver(_))).expect("it is typed");
    assert!(held < typed, "{all:?}");
}

/// An entry was forgotten by the keeper when it was handed to the disk: killed before the disk had it, the server left no
/// word of an answer that had gone in.
#[test]
fn an_entry_is_held_until_it_is_on_the_disk() {
    let mut asked = Stage::with_oracle(Policy::default());
    asked.play_to(5.9);
    asked.say(r#"{"choice": 1}"#);
    asked.pass(1_000);
    let from = asked.done.len();
    asked.play_to(16.0);
    asked.pass(1_000);
    let entry = asked.entries().remove(0);
    assert_eq!(entry.outcome, Outcome::Answered);
    let note = |effect: &Effect| match effect {
        Effect::Keeper { message: ToKeeper::Hold { note }, .. } => Remembered::of(note.clone()),
        _ => None,
    };
    let ended = |held: &Remembered| held.open.iter().any(|open| open.unfinished.as_deref() == Some(&entry));
    let notes: Vec<Remembered> = asked.done[from..].iter().filter_map(note).collect();
    let held = notes.iter().find(|held| ended(held)).expect("it is held").clone();
    assert!(!notes.last().is_some_and(ended), "it is on the disk by now");
    for written in [false, true] {
        let mut stage = Stage::empty();
        if written {
            stage.hub.questions.in_log.insert(entry.id.clone());
        }
        let spec = AgentSpec { name: "old".into(), command: vec!["cat".into()], ..AgentSpec::default() };
        let key = stage.adopt(spec, Policy::default(), Some(held.clone()));
        // A program that prints nothing: what had ended waits for no look at its screen.
        stage.step(Event::Wake);
        let expected = if written { Vec::new() } else { vec![entry.clone()] };
        assert_eq!((stage.entries(), stage.notifications()), (expected, 0), "{key:?}");
    }
}

/// A program that had printed something its profile does not know, and was silent since, was one that starts to the next
/// server for as long as that lasted. So the answer that was being given was looked for too early, and never again.
#[test]
fn an_answer_that_was_being_given_is_looked_for_at_a_screen_that_says_nothing() {
    let mut asked = Stage::with_oracle(Policy::default());
    asked.play_to(5.9);
    asked.say(r#"{"choice": 1}"#);
    let open = asked.hub.questions.open_questions(AgentKey(1));
    assert!(open[0].unfinished.is_some());
    let earlier = Remembered { state: State::Asking, open, ..Remembered::default() };
    let mut stage = Stage::empty();
    let spec = AgentSpec { name: "old".into(), command: vec!["codex".into()], ..AgentSpec::default() };
    let agent = stage.adopt(spec, Policy::default(), Some(earlier));
    let output_log = b"\x1b[H\x1b[2JOn it.\r\n".to_vec();
    let (at, size) = (output_log.len() as u64, Some(Size::new(80, 24)));
    let start = Started { pid: 500, keeper: 499, output_log, at, size, adopted: true, ..Started::default() };
    stage.step(Event::Started { agent, start });
    stage.pass(2 * UNSEEN_MS);
    let state = stage.hub.lifecycle.agents.get(agent).map(|agent| agent.state());
    let entries = stage.entries();
    assert_eq!((entries.len(), state), (1, Some(State::Unknown)));
    assert_eq!((entries[0].outcome, entries[0].answer.as_deref()), (Outcome::Failed, Some("PostgreSQL")));
}

/// A suggestion that waited for its Enter was gone with the server, and its consultant was run again, a minute and a paid
/// call each time.
#[test]
fn a_suggestion_still_waits_for_its_enter_under_the_next_server() {
    let mut policy = Policy::default();
    policy.consult.confirm = true;
    let mut asked = Stage::with_oracle(policy);
    asked.play_to(5.9);
    asked.say(r#"{"choice": 2, "reason": "one writer"}"#);
    asked.pass(5_000);
    let before = asked.questions().remove(0);
    assert_eq!(before.status, Status::Proposed);
    let open = asked.hub.questions.open_questions(AgentKey(1));
    // As a keeper holds it.
    let held =
        serde_json::to_value(Remembered { state: State::Asking, open, ..Remembered::default() }).unwrap();
    let mut stage = taken_back_at(Size::new(119, 40), Remembered::of(held));
    stage.pass(5_000);
    let question = stage.questions().into_iter().find(|question| question.agent == "old").expect("it asks");
    assert_eq!((question.status, &question.answer), (Status::Proposed, &before.answer));
    assert_eq!((&question.route, &question.note), (&before.route, &before.note));
    assert_eq!(question.deadline_at, None, "it is a person's");
    let of_old = |effect: &Effect| matches!(effect, Effect::Consult { ask, .. } if stage.hub.questions.asks.get(*ask).is_some_and(|ask| ask.agent_name == "old"));
    assert!(!stage.done.iter().any(of_old), "nobody is asked twice");
    assert_eq!(stage.typed(), "", "and nothing is typed without the Enter");
    let accept = Request::Confirm { id: question.id, accept: true, answer: None };
    stage.request(accept);
    stage.pass(500);
    assert_eq!(stage.typed(), "\x1b[B");
}

/// Agents that had shown nothing yet came back in another order: what their keepers were to hold of them was sent when
/// they were admitted, and nobody was there to hold it.
#[test]
fn a_keeper_holds_the_place_of_an_agent_that_has_shown_nothing() {
    let mut stage = Stage::empty();
    let command = vec!["cat".into()];
    let spec = AgentSpec { name: "silent".into(), command, ..AgentSpec::default() };
    stage.request(Request::Start { spec: Box::new(spec), policy: Box::default() });
    let held = |stage: &Stage| {
        let note = |effect: &Effect| match effect {
            Effect::Keeper { agent, message: ToKeeper::Hold { note } } => Some((*agent, note.clone())),
            _ => None,
        };
        stage.done.iter().filter_map(note).collect::<Vec<_>>()
    };
    assert_eq!(held(&stage), []);
    let start = Started { pid: 500, keeper: 499, token: "secret".into(), ..Started::default() };
    stage.step(Event::Started { agent: AgentKey(1), start });
    let [(agent, note)] = &held(&stage)[..] else { panic!("one note") };
    assert_eq!((*agent, Remembered::of(note.clone()).map(|held| held.place)), (AgentKey(1), Some(1)));
}

/// `ls` and `questions` said for a second that nobody asked anything.
#[test]
fn nothing_is_told_of_agents_that_were_taken_back_before_they_are_seen() {
    let mut stage = Stage::empty();
    let spec = AgentSpec { name: "old".into(), command: vec!["cat".into()], ..AgentSpec::default() };
    let earlier = Remembered { state: State::Asking, ..Remembered::default() };
    stage.adopt(spec, Policy::default(), Some(earlier));
    assert_eq!(stage.request(Request::List), None);
    let signal = Request::Signal { name: "old".into(), signal: "INT".into() };
    assert_eq!(stage.request(signal), None, "it is not refused as if it were only being started");
    stage.pass(UNSEEN_MS / 2);
    assert_eq!(stage.request(Request::Questions { all: false }), None);
    let told = |stage: &Stage| {
        let listed = |effect: &Effect| match effect {
            Effect::Send { message, .. } => {
                matches!(
                    **message,
                    ServerMessage::Reply { reply: Reply::Agents { .. } | Reply::Questions { .. }, .. }
                )
            }
            _ => false,
        };
        stage.done.iter().filter(|effect| listed(effect)).count()
    };
    assert_eq!(told(&stage), 0);
    stage.pass(UNSEEN_MS);
    assert_eq!(told(&stage), 2, "it shows nothing, and its time is up");
    assert!(stage.request(Request::List).is_some(), "from now on at once");
}

/// A menu that its program draws anew under the next server was at work for half a second there, and `questions` said that nobody
/// asked anything.
#[test]
fn what_was_asked_before_is_waited_for_while_its_program_draws() {
    let mut asked = Stage::with_oracle(Policy::default());
    asked.play_to(5.9);
    let open = asked.hub.questions.open_questions(AgentKey(1));
    let ended: Vec<OpenQuestion> =
        open.iter().map(|open| OpenQuestion { ended: true, ..open.clone() }).collect();
    let awaits = |open: &[OpenQuestion], state: State, seen: bool| {
        let mut stage = Stage::empty();
        let spec = AgentSpec { name: "old".into(), command: vec!["menu".into()], ..AgentSpec::default() };
        let earlier = Remembered { state: State::Asking, open: open.to_vec(), ..Remembered::default() };
        let agent = stage.adopt(spec, Policy::default(), Some(earlier));
        let agent = stage.agent_mut(agent.0);
        agent.sight.state = state;
        if seen {
            agent.sight.verdict = asked.agent(1).sight.verdict.clone();
        }
        agent.awaits_its_question()
    };
    assert!(awaits(&open, State::Working, false));
    assert!(!awaits(&open, State::Asking, true), "there it is");
    assert!(!awaits(&open, State::Idle, false), "it is gone");
    assert!(
        !awaits(&ended, State::Working, false) && !awaits(&[], State::Working, false),
        "nothing was open"
    );
}

/// Two agents that had printed `A CSI 65535 b` over and over kept the next server from everybody for two minutes.
#[test]
fn costly_output_is_not_rebuilt_whole() {
    let mut stage = Stage::empty();
    let spec = AgentSpec { name: "old".into(), command: vec!["cat".into()], ..AgentSpec::default() };
    let agent = stage.adopt(spec, Policy::default(), None);
    let size = Size::new(120, 40);
    let costly = b"A\x1b[65535b".repeat(5_000);
    let mut journal = vec![JournalPart::Begin { at: 0, line: 0, size, seed: Vec::new() }];
    // As it is kept: a file of many parts. The end of each of them was rebuilt, however many there were.
    journal.extend(vec![JournalPart::Output(costly.clone()); 40]);
    let (output_log, mut backlog) = (costly.repeat(20), costly.repeat(20));
    backlog.extend(b"\x1b[2J\x1b[Hthe last words");
    let start = Started {
        pid: 700,
        keeper: 699,
        journal,
        output_log,
        backlog,
        size: Some(size),
        adopted: true,
        ..Started::default()
    };
    stage.step(Event::Started { agent, start });
    let scrolled = stage.session(agent).lines();
    assert!(scrolled < 1_000_000, "{scrolled} lines of {} were rebuilt", 80 * 5_000 * 40);
    let screen = stage.session(agent).screen().grid().text();
    assert!(screen.starts_with("the last words"), "{screen}");
}

/// Codex asks to run a command, with all of its rows or without the last.
fn codex_asks(stage: &mut Stage, command: &str, whole: bool) {
    codex_draws(stage, command, whole);
    stage.pass(3_000);
}

fn codex_draws(stage: &mut Stage, command: &str, whole: bool) {
    let mut drawn =
        "\x1b[?25l\x1b[2J\x1b[H\r\n  Would you like to run the following command?\r\n\r\n".to_owned();
    drawn += &format!("  Reason: to clean up\r\n\r\n  $ {command}\r\n\r\n› 1. Yes, proceed (y)\r\n");
    drawn += "  2. Yes, and don't ask again for this (p)\r\n";
    drawn += if whole { "  3. No, and tell Codex what to do differently (esc)\r\n" } else { "↓\r\n" };
    drawn += "\r\n  Press enter to confirm or esc to cancel";
    stage.step(Event::Output { agent: AgentKey(1), bytes: drawn.into_bytes() });
}

fn codex() -> Stage {
    let mut stage = Stage::empty();
    let spec = AgentSpec {
        name: "worker".into(),
        command: vec!["codex".into()],
        size: Some(Size::new(80, 24)),
        ..AgentSpec::default()
    };
    stage.request(Request::Start { spec: Box::new(spec), policy: Box::new(Policy::default()) });
    let start = Started { pid: 500, keeper: 499, token: "secret".into(), ..Started::default() };
    stage.step(Event::Started { agent: AgentKey(1), start });
    stage.pass(2_000);
    stage
}

fn asked_ids(stage: &mut Stage) -> Vec<String> {
    let open = |question: &QuestionInfo| question.status == Status::Escalated;
    stage.questions().into_iter().filter(open).map(|question| question.id).collect()
}

#[test]
fn a_request_that_is_cut_by_a_smaller_pane_is_the_one_it_was() {
    let mut stage = codex();
    codex_asks(&mut stage, "rm -rf build", true);
    assert_eq!(asked_ids(&mut stage), ["q1"]);
    resize(&mut stage, 60, 12);
    codex_asks(&mut stage, "rm -rf build", false);
    let told = stage.questions().remove(0);
    assert_eq!((told.id.as_str(), told.status, told.options.len()), ("q1", Status::Escalated, 3));
    let answer = |stage: &mut Stage, row: &str| {
        let answer = GivenAnswer { options: vec![row.into()], ..GivenAnswer::default() };
        stage.request(Request::Answer { id: "q1".into(), answer });
        stage.pass(1_000);
    };
    answer(&mut stage, "3");
    assert_eq!(stage.typed(), "", "its row is out of view");
    resize(&mut stage, 80, 24);
    codex_asks(&mut stage, "rm -rf build", true);
    assert_eq!(asked_ids(&mut stage), ["q1"]);
    answer(&mut stage, "3");
    assert_eq!(stage.typed(), "\x1b[B", "on its way to the last row");
}

#[test]
fn another_command_in_a_smaller_pane_is_another_request() {
    for other in ["rm -rf dist", "rm -rfbuild", "rm -rf build /srv"] {
        let mut stage = codex();
        codex_asks(&mut stage, "rm -rf build", true);
        resize(&mut stage, 60, 12);
        codex_asks(&mut stage, other, false);
        assert_eq!(asked_ids(&mut stage), ["q2"], "{other}");
        codex_asks(&mut stage, "rm -rf build", true);
        assert_eq!(asked_ids(&mut stage), ["q3"], "{other}");
    }
    // The reason tells what for.
    let mut stage = codex();
    codex_asks(&mut stage, "rm -rf build", true);
    resize(&mut stage, 60, 12);
    let drawn = "\x1b[2J\x1b[H\r\n  Would you like to run the following command?\r\n\r\n  Reason: to start anew\r\n\r\n  \
        $ rm -rf build\r\n\r\n› 1. Yes, proceed (y)\r\n  2. Yes, and don't ask again for this (p)\r\n↓\r\n\r\n  \
        Press enter to confirm or esc to cancel";
    stage.step(Event::Output { agent: AgentKey(1), bytes: drawn.into() });
    stage.pass(3_000);
    assert_eq!(asked_ids(&mut stage), ["q2"]);
}

fn give(stage: &mut Stage, id: &str, row: &str) {
    let answer = GivenAnswer { options: vec![row.into()], ..GivenAnswer::default() };
    stage.request(Request::Answer { id: id.into(), answer });
}

/// A command of more than one row is broken elsewhere at each width: with every zoom it was another question, and an answer to
/// the one that a person saw was refused.
#[test]
fn a_request_whose_rows_are_broken_elsewhere_is_the_one_it_was() {
    let mut stage = codex();
    codex_asks(&mut stage, "rm -rf build && echo one\r\n  two > out.txt", true);
    let asked = stage.questions().remove(0);
    for (cols, command) in [
        (60, "rm -rf build &&\r\n  echo one two >\r\n  out.txt"),
        (120, "rm -rf build && echo one two > out.txt"),
        (80, "rm -rf build && echo one\r\n  two > out.txt"),
    ] {
        resize(&mut stage, cols, 24);
        codex_asks(&mut stage, command, true);
        let told = stage.questions();
        assert_eq!((told.len(), &told[0].id, told[0].asked_at), (1, &asked.id, asked.asked_at), "{cols}");
        assert_eq!(told[0].note, asked.note, "nothing waits behind it");
        assert_eq!(told[0].subject.as_deref(), Some(command.replace("\r\n  ", "\n").as_str()));
    }
    assert!(stage.entries().is_empty());
    give(&mut stage, "q1", "1");
    stage.pass(1_000);
    assert_eq!(stage.typed(), "\r");
}

/// In a small pane nothing stood above it, and more of it might have: the first zoom made another question of it.
#[test]
fn a_request_that_is_seen_to_have_been_whole_is_the_one_it_was() {
    let mut stage = codex();
    let lines: String = (0..30).map(|line| format!("line {line}\r\n")).collect();
    let asks = "Would you like to run the following command?\r\n\r\n  $ rm -rf build\r\n\r\n› 1. Yes, proceed (y)\r\n  \
        2. No, and tell Codex what to do differently (esc)\r\n\r\n  Press enter to confirm or esc to cancel";
    stage.step(Event::Output {
        agent: AgentKey(1),
        bytes: format!("{lines}\x1b[?25l\x1b[H\x1b[J  {asks}").into(),
    });
    stage.pass(3_000);
    let asked = stage.questions().remove(0);
    assert!(asked.partial);
    resize(&mut stage, 100, 30);
    stage.step(Event::Output {
        agent: AgentKey(1),
        bytes: format!("\x1b[2J\x1b[H• I'll run it.\r\n\r\n\r\n  {asks}").into(),
    });
    stage.pass(3_000);
    let told = stage.questions();
    assert_eq!((told.len(), &told[0].id, told[0].partial, &told[0].note), (1, &asked.id, false, &asked.note));
}

#[test]
fn another_command_at_another_width_is_another_request() {
    for other in ["rm -rf\r\n  build /srv", "rm -rfbuild &&\r\n  echo one", "rm -rf build  && echo\r\n  one"]
    {
        let mut stage = codex();
        codex_asks(&mut stage, "rm -rf build && echo\r\n  one", true);
        resize(&mut stage, 60, 24);
        codex_asks(&mut stage, other, true);
        assert_eq!(asked_ids(&mut stage), ["q2"], "{other}");
    }
    // A key may have answered it.
    let mut stage = codex();
    codex_asks(&mut stage, "rm -rf build && echo\r\n  one", true);
    let input = vec![Input::Key(KeyPress::plain(Key::Enter))];
    stage.request(Request::Keys { name: "worker".into(), input });
    resize(&mut stage, 60, 24);
    codex_asks(&mut stage, "rm -rf build &&\r\n  echo one", true);
    assert_eq!(asked_ids(&mut stage), ["q2"]);
}

/// Until a program has drawn anew, its rows may be cut at the new edge: that was a question of its own, and what a person had
/// begun to write for the one before was lost.
#[test]
fn what_stands_there_while_a_program_draws_anew_is_no_question() {
    let mut stage = codex();
    let command = "rm -rf build && echo one two three four five six seven eight > out.txt";
    codex_asks(&mut stage, command, true);
    resize(&mut stage, 60, 24);
    codex_draws(&mut stage, &command[..56], true);
    stage.pass(600);
    assert_eq!(asked_ids(&mut stage), ["q1"]);
    give(&mut stage, "q1", "1");
    stage.pass(200);
    assert_eq!(stage.typed(), "", "nothing is typed on an old look");
    codex_draws(&mut stage, &command.replacen(" six ", "\r\n  six ", 1), true);
    stage.pass(1_000);
    assert_eq!((stage.typed().as_str(), stage.questions().len()), ("\r", 1));
}

/// A look between two resizes forgot what it showed, and the next one took it for another question.
#[test]
fn a_pane_that_is_zoomed_back_at_once_keeps_its_question() {
    let command = "rm -rf build && echo one two three four five six seven eight > out.txt";
    let broken = command.replacen(" six ", "\r\n  six ", 1);
    let mut stage = codex();
    codex_asks(&mut stage, command, true);
    for (cols, drawn) in [(60, &*broken), (80, command), (60, &*broken)] {
        resize(&mut stage, cols, 24);
        codex_draws(&mut stage, drawn, true);
        stage.pass(450);
    }
    give(&mut stage, "q1", "1");
    stage.pass(2_500);
    assert_eq!((stage.typed().as_str(), stage.questions().len()), ("\r", 1));
}

/// An answer was under way, and no key of it typed.
#[test]
fn an_answer_that_a_resize_overtakes_is_typed_once_it_is_drawn() {
    let command = "rm -rf build && echo one two three four five six seven eight > out.txt";
    let broken = command.replacen(" six ", "\r\n  six ", 1);
    for (drawn, typed, asked) in [(&*broken, "\r", 1), ("rm -rf /srv", "", 2)] {
        let mut stage = codex();
        codex_asks(&mut stage, command, true);
        codex_draws(&mut stage, command, true);
        stage.pass(30);
        give(&mut stage, "q1", "1");
        assert!(stage.ask(1).ordered.is_some() && stage.typed().is_empty());
        resize(&mut stage, 60, 24);
        codex_draws(&mut stage, drawn, true);
        stage.pass(1_500);
        let told: Vec<_> = stage.questions().into_iter().map(|q| (q.id, q.status, q.note)).collect();
        assert_eq!((stage.typed().as_str(), told.len()), (typed, asked), "{drawn} {told:?}");
    }
}

/// The same where another command comes to stand there.
#[test]
fn an_answer_given_while_a_program_draws_anew_goes_to_no_other_request() {
    let mut stage = codex();
    codex_asks(&mut stage, "rm -rf build && echo one two > out.txt", true);
    resize(&mut stage, 60, 24);
    give(&mut stage, "q1", "1");
    codex_asks(&mut stage, "rm -rf /srv", true);
    assert_eq!((stage.typed().as_str(), asked_ids(&mut stage)), ("", vec!["q2".to_owned()]));
}

/// Claude Code asks for a choice, with the beginning of its words out of view or not.
fn claude_asks(stage: &mut Stage, words: &[&str]) {
    let mut drawn = "\x1b[?25l\x1b[2J\x1b[H".to_owned();
    if words.len() > 1 {
        drawn += &format!("{}\r\n ☐ Migration\r\n\r\n", "─".repeat(50));
    }
    words.iter().for_each(|line| drawn += &format!("│ {line}\r\n"));
    drawn += "\r\n❯ 1. Expand, backfill, contract\r\n  2. One transaction\r\n  3. Type something.\r\n";
    drawn += &format!("{}\r\n  4. Chat about this\r\n", "─".repeat(50));
    if words.len() == 1 {
        drawn += " ↑ 3 more lines\r\n";
    }
    drawn += "Enter to select · ↑/↓ to navigate · Esc to cancel";
    stage.step(Event::Output { agent: AgentKey(1), bytes: drawn.into_bytes() });
    stage.pass(3_000);
}

#[test]
fn a_list_whose_words_begin_out_of_view_is_the_one_it_was() {
    let whole =
        ["The migration touches 14 tables, so how should I", "order the work to keep the service available?"];
    let ends = ["order the work to keep the service available?"];
    let mut stage = Stage::new(Policy::default());
    claude_asks(&mut stage, &whole);
    assert_eq!(asked_ids(&mut stage), ["q1"]);
    resize(&mut stage, 60, 10);
    claude_asks(&mut stage, &ends);
    let told = stage.questions().remove(0);
    assert_eq!((told.id.as_str(), told.prompt.as_str()), ("q1", whole.join(" ").as_str()));
    resize(&mut stage, 120, 40);
    claude_asks(&mut stage, &whole);
    assert_eq!(asked_ids(&mut stage), ["q1"]);
    // First seen without them, and then with them.
    let mut stage = Stage::new(Policy::default());
    claude_asks(&mut stage, &ends);
    resize(&mut stage, 118, 40);
    claude_asks(&mut stage, &whole);
    let told = stage.questions();
    assert_eq!((told.len(), told[0].prompt.as_str()), (1, whole.join(" ").as_str()));
    // Other words above the same rows.
    resize(&mut stage, 120, 40);
    claude_asks(&mut stage, &["The cleanup touches 3 tables, so how should I", "order the work?"]);
    assert_eq!(stage.questions().len(), 2);
}
