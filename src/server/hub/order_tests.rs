//! What is so by the time somebody is answered: whoever asks next finds it done.

use super::*;
use crate::core::agent::{PaneRef, Restart, Tie};
use crate::server::effect::{Effect as Do, Event as ToHub};
use crate::server::remembered::Remembered;
use crate::session::message::News;
use crate::session::message::Order;
use crate::wire::keeper::ToKeeper;
use crate::wire::message::WaitFor;

const WORKER: AgentKey = AgentKey(1);

fn keeper(stage: &mut Stage, message: FromKeeper) {
    stage.step(Event::Keeper { agent: WORKER, message });
}

fn exited(stage: &mut Stage) {
    keeper(stage, FromKeeper::Exited(Exit { code: Some(0), signal: None }));
}

fn swept(stage: &mut Stage, agent: AgentKey) {
    let message = FromKeeper::Swept { killed: Vec::new(), left: Vec::new(), kept: Vec::new() };
    stage.step(Event::Keeper { agent, message });
}

fn up(stage: &mut Stage, agent: AgentKey) {
    let start = Started { pid: 700, keeper: 699, ..Started::default() };
    stage.step(Event::Started { agent, start });
}

fn start(stage: &mut Stage, name: &str) -> Option<Reply> {
    let spec = AgentSpec { name: name.into(), command: vec!["cat".into()], ..AgentSpec::default() };
    stage.request(Request::Start { spec: Box::new(spec), policy: Box::default() })
}

fn restart(stage: &mut Stage) -> Option<Reply> {
    stage.request(Request::Restart { name: "worker".into() })
}

fn stop_of(names: &[&str]) -> Request {
    Request::Stop { names: names.iter().map(|&name| name.into()).collect(), grace_ms: 0 }
}

fn ended(stage: &Stage) -> bool {
    stage.done.iter().any(|effect| matches!(effect, Effect::Exit))
}

fn code(reply: Option<Reply>) -> Option<u8> {
    if let Some(Reply::Error { code, .. }) = reply { Some(code) } else { None }
}

#[test]
fn whoever_restarts_what_somebody_stops_is_told() {
    let mut stage = Stage::new(Policy::default());
    assert_eq!(restart(&mut stage), None);
    let other = stage.another_person();
    assert_eq!(stage.ask_as(other, stop_of(&["worker"])), None);
    assert_eq!(code(restart(&mut stage)), Some(1), "it is being stopped");
    exited(&mut stage);
    swept(&mut stage, WORKER);
    assert_eq!(code(stage.replies(PERSON, 7).pop()), Some(1));
    assert!(matches!(stage.replies(other, 7).pop(), Some(Reply::Stopped { .. })));
    stage.pass(5_000);
    assert_eq!(stage.hub.agent_named("worker"), None);
}

/// `down` that came while an agent was handed over to its successor started it all the same, said that it was gone, and
/// waited for ever for the end of the server.
#[test]
fn a_stop_is_not_undone_by_a_restart_that_is_under_way() {
    let mut stage = Stage::new(Policy::default());
    exited(&mut stage);
    let now = stage.now;
    let hub = &mut stage.hub;
    let event = ToHub::Request { client: PERSON, id: 8, request: Request::Restart { name: "worker".into() } };
    hub.step(event, now);
    let later = Now { ms: now.ms + 1, ..now };
    let retires = hub.step(ToHub::Wake, later);
    assert!(
        retires.iter().any(|it| matches!(it, Do::Order { order, .. } if matches!(**order, Order::Retire)))
    );
    let down = ToHub::Request { client: PERSON, id: 9, request: Request::Down { grace_ms: 0 } };
    let mut effects = hub.step(down, later);
    let history = Box::default();
    effects.extend(hub.step(ToHub::News { agent: WORKER, news: News::Retired { history } }, later));
    assert!(!effects.iter().any(|it| matches!(it, Do::Spawn { .. })), "it is started");
    let swept = News::Swept { left: Vec::new(), kept: Vec::new() };
    let effects = hub.step(ToHub::News { agent: WORKER, news: swept }, later);
    assert!(effects.iter().any(|it| matches!(it, Do::Exit)), "the server does not end: {effects:?}");
}

/// One that ended behind each answer, and was started again by its file, had its hour of automatic answers anew each time.
#[test]
fn an_agent_that_starts_again_by_itself_goes_on_with_its_limits() {
    for by_person in [false, true] {
        let mut stage = Stage::empty();
        let spec = AgentSpec {
            name: "web".into(),
            command: vec!["cat".into()],
            restart: Restart::Always,
            ..AgentSpec::default()
        };
        stage.request(Request::Start { spec: Box::new(spec), policy: Box::default() });
        up(&mut stage, WORKER);
        let from = stage.agent(1).counts_from_unix_ms;
        stage.pass(20_000);
        if by_person {
            stage.request(Request::Restart { name: "web".into() });
        }
        exited(&mut stage);
        let history = Box::default();
        let now = stage.now;
        stage.hub.step(ToHub::News { agent: WORKER, news: News::Retired { history } }, now);
        let again = stage.hub.agent_named("web").expect("it is started again");
        assert_ne!(again, WORKER);
        let counts_from = stage.agent(again.0).counts_from_unix_ms;
        assert_eq!(counts_from == from, !by_person, "{from} {counts_from}");
    }
}

/// The configuration's check refuses it: its question would have gone to itself.
#[test]
fn nobody_is_started_as_their_own_consultant() {
    let mut stage = Stage::empty();
    for chain in ["w3", "oracle,w3"] {
        let spec = AgentSpec {
            name: "w3".into(),
            command: vec!["cat".into()],
            consultant: Some(chain.into()),
            ..AgentSpec::default()
        };
        let start = Request::Start { spec: Box::new(spec), policy: Box::default() };
        let Some(Reply::Error { code: 2, message, .. }) = stage.request(start) else {
            panic!("{chain} was taken for one who may answer")
        };
        assert_eq!(message, "an agent cannot answer itself; name another agent or a [[consultant]]");
    }
}

/// It was said to be started, ended with the rest a moment later, and nobody was told.
#[test]
fn nothing_is_started_while_everything_is_stopped() {
    let mut stage = Stage::new(Policy::default());
    assert_eq!(stage.request(Request::Down { grace_ms: 0 }), None);
    let other = stage.another_person();
    let spec = AgentSpec { name: "late".into(), command: vec!["cat".into()], ..AgentSpec::default() };
    let start = Request::Start { spec: Box::new(spec), policy: Box::default() };
    assert_eq!(code(stage.ask_as(other, start)), Some(1));
    exited(&mut stage);
    swept(&mut stage, WORKER);
    assert!(ended(&stage));
}

/// What ran for somebody who was killed ran on for ever, under a name that nobody had been told.
#[test]
fn what_is_tied_to_a_process_ends_with_it_unless_it_is_released() {
    for released in [false, true] {
        let mut stage = Stage::empty();
        let tied = Some(Tie { pid: 99, started: 1, space: 1 });
        let spec =
            AgentSpec { name: "tied".into(), command: vec!["cat".into()], tied, ..AgentSpec::default() };
        stage.request(Request::Start { spec: Box::new(spec), policy: Box::default() });
        up(&mut stage, WORKER);
        assert!(stage.done.iter().any(|it| matches!(it, Effect::WatchTie { agent: WORKER, pid: 99 })));
        if released {
            assert_eq!(stage.request(Request::Release { name: "tied".into() }), Some(Reply::Done));
        }
        let now = stage.now;
        let effects = stage.hub.step(ToHub::TieCut { agent: WORKER }, now);
        let stops = |it: &Do| matches!(it, Do::Order { order, .. } if matches!(**order, Order::Keeper(ToKeeper::Stop { .. })));
        assert_eq!(effects.iter().any(stops), !released);
    }
}

/// An agent that `call` has started for its output, with its program at its end.
fn run_by_call(call: u64) -> Stage {
    let mut stage = Stage::empty();
    let caller = stage.another_person();
    assert_eq!(stage.ask_as(caller, Request::Only { call }), Some(Reply::Done));
    let spec = AgentSpec {
        name: "build".into(),
        command: vec!["cat".into()],
        call: Some(call),
        ..AgentSpec::default()
    };
    stage.ask_as(caller, Request::Start { spec: Box::new(spec), policy: Box::default() });
    up(&mut stage, WORKER);
    stage
}

const CALLER: ClientKey = ClientKey(2);

fn message_of(reply: Option<Reply>) -> String {
    if let Some(Reply::Error { message, .. }) = reply { message } else { format!("{reply:?}") }
}

/// Another agent was let in under the name, and the call ended that one, or gave back what that one printed.
#[test]
fn a_name_is_taken_until_whoever_reads_its_output_has_let_go_of_it() {
    for leaves in [false, true] {
        let mut stage = run_by_call(7);
        let again = stage.request(Request::Restart { name: "build".into() });
        assert!(message_of(again).contains("waits for its end"));
        exited(&mut stage);
        assert!(message_of(start(&mut stage, "build")).contains("runs already"));
        assert!(
            message_of(stage.request(Request::Restart { name: "build".into() }))
                .contains("waits for its end")
        );
        match leaves {
            true => stage.step(Event::Left { client: CALLER }),
            false => {
                let release = Request::Release { name: "build".into() };
                assert_eq!(stage.ask_as(CALLER, release), Some(Reply::Done));
            }
        }
        assert_eq!(start(&mut stage, "build"), None, "it is being started");
        assert_eq!(stage.agent(2).spec.name, "build");
    }
}

#[test]
fn a_call_means_its_own_agent_and_nobody_else_of_the_name() {
    let mut stage = run_by_call(7);
    assert_eq!(stage.request(stop_of(&["build"])), None);
    exited(&mut stage);
    swept(&mut stage, WORKER);
    start(&mut stage, "build");
    let release = || Request::Release { name: "build".into() };
    assert_eq!(code(stage.ask_as(CALLER, stop_of(&["build"]))), Some(3));
    assert_eq!(code(stage.ask_as(CALLER, release())), Some(3));
    assert_eq!(stage.request(release()), Some(Reply::Done), "whoever says no number means the name");
    assert!(!stage.agent(2).ending.stop_wanted);
}

/// Its last words were gone, and the call leaves nothing in its place.
#[test]
fn a_call_does_not_take_the_name_of_an_agent_that_is_kept() {
    let mut stage = Stage::new(Policy::default());
    exited(&mut stage);
    let spec =
        |call| AgentSpec { name: "worker".into(), command: vec!["cat".into()], call, ..AgentSpec::default() };
    let started = |stage: &mut Stage, call| {
        stage.request(Request::Start { spec: Box::new(spec(call)), policy: Box::default() })
    };
    assert!(message_of(started(&mut stage, Some(7))).contains("takes it off the list"));
    assert_eq!(started(&mut stage, None), None, "it is being started");
}

/// A server that took it back would have ended it, though its name had been told.
#[test]
fn what_was_released_stays_so_under_the_next_server() {
    for released in [false, true] {
        let mut stage = Stage::empty();
        let tied = Some(Tie { pid: 99, started: 1, space: 1 });
        let spec =
            AgentSpec { name: "tied".into(), command: vec!["cat".into()], tied, ..AgentSpec::default() };
        stage.adopt(spec, Policy::default(), Some(Remembered { released, ..Remembered::default() }));
        up(&mut stage, WORKER);
        assert_eq!(stage.done.iter().any(|it| matches!(it, Effect::WatchTie { .. })), !released);
    }
}

/// It was listed as one that could not be started, after `stop` had said that it was gone.
#[test]
fn what_was_stopped_while_it_was_started_again_is_off_the_list() {
    let mut stage = Stage::new(Policy::default());
    restart(&mut stage);
    exited(&mut stage);
    stage.pass(1_000);
    let other = stage.another_person();
    assert_eq!(stage.ask_as(other, stop_of(&["worker"])), None);
    stage.step(Event::StartFailed { agent: AgentKey(2), why: "there is no such program".into() });
    assert!(matches!(stage.replies(other, 7).pop(), Some(Reply::Stopped { .. })));
    assert_eq!(stage.request(Request::List), Some(Reply::Agents { agents: Vec::new() }));
}

/// `resume` found nothing that stood still, said that all went on, and the agent was paused a moment later.
#[test]
fn the_last_of_a_pause_and_a_resume_that_cross_has_its_way() {
    let mut stage = Stage::new(Policy::default());
    let names = || vec!["worker".to_owned()];
    let other = stage.another_person();
    assert_eq!(stage.request(Request::Pause { names: names() }), None);
    assert_eq!(stage.ask_as(other, Request::Resume { names: names() }), None);
    keeper(&mut stage, FromKeeper::Continued);
    assert_eq!(stage.replies(other, 7).pop(), Some(Reply::Done));
    assert_eq!(code(stage.replies(PERSON, 7).pop()), Some(1), "nobody will say that it stands still");
    // The other way round.
    stage.request(Request::Pause { names: names() });
    keeper(&mut stage, FromKeeper::Paused { forced: Vec::new(), running: Vec::new() });
    assert_eq!(stage.ask_as(other, Request::Resume { names: names() }), None);
    let before = stage.replies(PERSON, 7).len();
    assert_eq!(stage.request(Request::Pause { names: names() }), None);
    keeper(&mut stage, FromKeeper::Continued);
    assert_eq!(stage.replies(PERSON, 7).len(), before, "it is still to be paused");
    keeper(&mut stage, FromKeeper::Paused { forced: Vec::new(), running: Vec::new() });
    assert_eq!(stage.replies(PERSON, 7).pop(), Some(Reply::Done));
}

/// It was said to be paused, and ran.
#[test]
fn what_is_only_being_started_is_not_said_to_be_paused_or_signalled() {
    let mut stage = Stage::empty();
    start(&mut stage, "worker");
    assert_eq!(code(stage.request(Request::Pause { names: vec!["worker".into()] })), Some(1));
    let signal = Request::Signal { name: "worker".into(), signal: "INT".into() };
    assert_eq!(code(stage.request(signal)), Some(1));
}

/// It was listed as idle, without a pid and with an exit code.
#[test]
fn an_agent_whose_end_was_told_has_exited_whatever_its_screen_shows() {
    let mut stage = Stage::new(Policy::default());
    stage.play_to(3.0);
    let (now, hub) = (stage.now, &mut stage.hub);
    hub.step(ToHub::News { agent: WORKER, news: News::Exited { code: 3 } }, now);
    let effects = hub.step(ToHub::Request { client: PERSON, id: 9, request: Request::List }, now);
    let listed = effects.iter().find_map(|effect| match effect {
        Do::Send { message, .. } => match &**message {
            ServerMessage::Reply { reply: Reply::Agents { agents }, .. } => agents.first().cloned(),
            _ => None,
        },
        _ => None,
    });
    let listed = listed.expect("it is listed");
    assert_eq!((listed.state, listed.exit_code), (State::Exited, Some(3)));
}

/// An agent that waited for itself without end took memory without end.
#[test]
fn a_connection_is_owed_so_many_replies_and_no_more() {
    let mut stage = Stage::new(Policy::default());
    let wait = || Request::Wait { name: "worker".into(), what: WaitFor::Exited, timeout_ms: None };
    let refused = (0..1_000).filter(|_| stage.request(wait()).is_some()).count();
    assert!((700..1_000).contains(&refused), "{refused}");
    let other = stage.another_person();
    assert_eq!(stage.ask_as(other, wait()), None, "and nobody else notices");
}

/// Two that adopted one pane at the same time were both told that they had, and two agents typed into one program.
#[test]
fn a_pane_is_taken_by_the_first_that_asks_for_it() {
    let adopts = |name: &str, socket: &str, pane: u32| {
        let pane = PaneRef { socket: socket.into(), pane, pid: 4711, ..PaneRef::default() };
        let spec = AgentSpec {
            name: name.into(),
            command: vec!["claude".into()],
            pane: Some(pane),
            ..AgentSpec::default()
        };
        Request::Start { spec: Box::new(spec), policy: Box::default() }
    };
    let mut stage = Stage::empty();
    let other = stage.another_person();
    assert_eq!(stage.request(adopts("one", "/tmp/tmux-0/default", 0)), None);
    // The first is only being taken.
    let Some(Reply::Error { code: 1, message, .. }) =
        stage.ask_as(other, adopts("two", "/tmp/tmux-0/default", 0))
    else {
        panic!("the pane was taken twice")
    };
    assert_eq!(message, "%0 is adopted already, as one; 'counsel stop one' releases it");
    up(&mut stage, AgentKey(1));
    assert_eq!(code(stage.ask_as(other, adopts("two", "/tmp/tmux-0/default", 0))), Some(1));
    // Others are other panes.
    assert_eq!(stage.ask_as(other, adopts("three", "/tmp/tmux-0/default", 1)), None);
    assert_eq!(stage.ask_as(other, adopts("four", "/tmp/tmux-0/other", 0)), None);
    // Released, or its program ended, it is there for whoever comes.
    exited(&mut stage);
    assert_eq!(stage.ask_as(other, adopts("two", "/tmp/tmux-0/default", 0)), None);
}
