//! Starts that failed, and the numbers of agents: the same for everybody who asks.

use super::*;
use crate::core::agent::{AgentInfo, Duty};
use crate::wire::message::NextPane;

fn listed(stage: &mut Stage) -> Vec<AgentInfo> {
    match stage.request(Request::List) {
        Some(Reply::Agents { agents }) => agents,
        other => panic!("{other:?}"),
    }
}

fn not_started(stage: &mut Stage, name: &str) -> Option<Reply> {
    let cause = "there is no program 'codex'".to_owned();
    let name = name.to_owned();
    stage.request(Request::NotStarted { name, role: Duty::Worker, cause, number: 0, since: None })
}

fn start(stage: &mut Stage, name: &str) {
    let spec = AgentSpec { name: name.into(), command: vec!["cat".into()], ..AgentSpec::default() };
    stage.request(Request::Start { spec: Box::new(spec), policy: Box::default() });
}

fn failures(stage: &Stage, client: ClientKey) -> usize {
    let failed = |notice: &&&Notice| matches!(notice, Notice::Agent(info) if info.failed.is_some());
    stage.told(client).iter().filter(failed).count()
}

/// The dashboard that had wanted it showed it; another one, and `ls`, did not know of it.
#[test]
fn a_start_that_failed_is_on_everybodys_list_until_it_is_taken_off() {
    let mut stage = Stage::empty();
    assert_eq!(not_started(&mut stage, "web"), Some(Reply::Done));
    assert_eq!(failures(&stage, PERSON), 1, "whoever is there is told");
    let web = listed(&mut stage).remove(0);
    assert_eq!((web.state, web.number, web.exit_code), (State::Exited, 1, None));
    assert_eq!(web.failed.as_deref(), Some("there is no program 'codex'"));
    let later = ClientKey(2);
    stage.step(Event::Joined { client: later, pids: vec![5000] });
    stage.ask_as(later, Request::Hello { version: crate::wire::VERSION, token: None });
    stage.ask_as(later, Request::Subscribe);
    assert_eq!(failures(&stage, later), 1, "and whoever comes later");
    let again = stage.request(Request::Restart { name: "web".into() });
    assert!(matches!(again, Some(Reply::Error { code: 1, .. })), "how it is started is not known here");
    let stopped = stage.request(Request::Stop { names: vec!["web".into()], grace_ms: 0 });
    assert!(matches!(&stopped, Some(Reply::Stopped { agents }) if agents[0].name == "web"), "{stopped:?}");
    assert!(listed(&mut stage).is_empty());
    assert!(matches!(stage.told(later).last(), Some(Notice::Gone { name }) if name == "web"));
}

/// The next server gave it the lowest number that was free: `ctrl-a 8` led nowhere, and `ctrl-a 3` to it.
#[test]
fn one_that_another_server_had_on_its_list_keeps_its_number() {
    let mut stage = Stage::empty();
    let told = |name: &str, number| Request::NotStarted {
        name: name.into(),
        role: Duty::Worker,
        cause: "gone".into(),
        number,
        since: None,
    };
    stage.request(told("web", 8));
    stage.request(told("docs", 8));
    stage.request(told("web", 3));
    let numbers: Vec<(String, u16)> =
        listed(&mut stage).into_iter().map(|info| (info.name, info.number)).collect();
    assert!(numbers.contains(&("web".into(), 8)) && numbers.contains(&("docs".into(), 1)), "{numbers:?}");
}

/// Under the next server it had not been started since a second ago.
#[test]
fn one_that_another_server_had_on_its_list_keeps_its_age() {
    let mut stage = Stage::empty();
    let told = |name: &str, since| Request::NotStarted {
        name: name.into(),
        role: Duty::Worker,
        cause: "gone".into(),
        number: 0,
        since,
    };
    stage.request(told("now", None));
    let since = |stage: &mut Stage, name: &str| {
        listed(stage).into_iter().find(|info| info.name == name).map(|info| info.since).unwrap()
    };
    let now = since(&mut stage, "now");
    stage.request(told("before", Some(now - 600.0)));
    assert_eq!(since(&mut stage, "before"), now - 600.0);
    stage.request(told("ahead", Some(now + 600.0)));
    assert_eq!(since(&mut stage, "ahead"), now, "no clock that is ahead makes it younger than now");
}

#[test]
fn a_start_that_works_after_all_is_the_agent() {
    let mut stage = Stage::empty();
    start(&mut stage, "api");
    not_started(&mut stage, "web");
    not_started(&mut stage, "web");
    start(&mut stage, "web");
    let shown = listed(&mut stage);
    let web: Vec<&AgentInfo> = shown.iter().filter(|info| info.name == "web").collect();
    assert_eq!((shown.len(), web.len(), web[0].number, web[0].failed.as_deref()), (2, 1, 2, None));
    let late = not_started(&mut stage, "web");
    assert!(matches!(late, Some(Reply::Error { code: 1, .. })), "it runs: {late:?}");
    assert_eq!(listed(&mut stage), shown);
}

/// It was gone without a trace: its program had been replaced while it ran.
#[test]
fn an_agent_that_cannot_be_started_again_stays_on_the_list() {
    let mut stage = Stage::new(Policy::default());
    let message = FromKeeper::Exited(Exit { code: Some(0), signal: None });
    stage.step(Event::Keeper { agent: AgentKey(1), message });
    assert_eq!(stage.request(Request::Restart { name: "worker".into() }), None);
    stage.pass(1_000);
    stage.step(Event::StartFailed { agent: AgentKey(2), why: "there is no program 'claude'".into() });
    let told = stage.replies(PERSON, 7).pop();
    assert!(matches!(told, Some(Reply::Error { code: 1, .. })), "whoever wanted it is told: {told:?}");
    let worker = listed(&mut stage).remove(0);
    assert_eq!((worker.number, worker.state), (1, State::Exited));
    assert!(worker.failed.is_some_and(|cause| cause.contains("there is no program")));
    assert_eq!(stage.request(Request::Restart { name: "worker".into() }), None);
    let start = Started { pid: 700, keeper: 699, ..Started::default() };
    stage.step(Event::Started { agent: AgentKey(3), start });
    assert_eq!(restarted(&stage, 0), Some(Reply::Done));
    let worker = listed(&mut stage).remove(0);
    assert_eq!((worker.number, worker.pid, worker.failed), (1, Some(700), None));
}

/// What a person's requests to restart were answered since so many effects.
fn restarted(stage: &Stage, since: usize) -> Option<Reply> {
    let reply = |effect: &Effect| match effect {
        Effect::Send { client: PERSON, message } => match &**message {
            ServerMessage::Reply { reply: reply @ (Reply::Done | Reply::Error { .. }), .. } => {
                Some(reply.clone())
            }
            _ => None,
        },
        _ => None,
    };
    stage.done[since..].iter().rev().find_map(reply)
}

fn ends(stage: &mut Stage, agent: u64) {
    let message = FromKeeper::Exited(Exit { code: Some(0), signal: None });
    stage.step(Event::Keeper { agent: AgentKey(agent), message });
    stage.pass(1_000);
}

/// The reply came at once, and whoever typed, waited or looked after it met the life before.
#[test]
fn restart_is_answered_when_the_next_life_runs() {
    let mut stage = Stage::new(Policy::default());
    let since = stage.done.len();
    assert_eq!(stage.request(Request::Restart { name: "worker".into() }), None);
    ends(&mut stage, 1);
    assert_eq!(restarted(&stage, since), None, "it is only being started");
    let start = Started { pid: 700, keeper: 699, ..Started::default() };
    stage.step(Event::Started { agent: AgentKey(2), start });
    assert_eq!(restarted(&stage, since), Some(Reply::Done));
}

#[test]
fn restart_is_answered_when_there_will_be_no_next_life() {
    let mut stage = Stage::new(Policy::default());
    let since = stage.done.len();
    stage.request(Request::Restart { name: "worker".into() });
    ends(&mut stage, 1);
    stage.step(Event::StartFailed { agent: AgentKey(2), why: "there is no program 'claude'".into() });
    let failed = restarted(&stage, since);
    assert!(matches!(&failed, Some(Reply::Error { code: 1, message, .. }) if message.contains("no program")));
    let mut stage = Stage::new(Policy::default());
    stage.request(Request::Restart { name: "worker".into() });
    stage.request(Request::Stop { names: vec!["worker".into()], grace_ms: 0 });
    let since = stage.done.len();
    ends(&mut stage, 1);
    let swept = FromKeeper::Swept { killed: Vec::new(), left: Vec::new(), kept: Vec::new() };
    stage.step(Event::Keeper { agent: AgentKey(1), message: swept });
    let stopped = restarted(&stage, since);
    assert!(
        matches!(&stopped, Some(Reply::Error { code: 1, message, .. }) if message.contains("was stopped"))
    );
}

/// It had no keeper yet to be told, and nobody told it later: it went on as it was.
#[test]
fn an_agent_that_is_only_being_started_is_restarted_too() {
    use crate::wire::keeper::ToKeeper;
    let mut stage = Stage::empty();
    start(&mut stage, "api");
    stage.request(Request::Restart { name: "api".into() });
    let since = stage.done.len();
    let start = Started { pid: 600, keeper: 599, ..Started::default() };
    stage.step(Event::Started { agent: AgentKey(1), start });
    let stops = |effect: &Effect| matches!(effect, Effect::Keeper { message: ToKeeper::Stop { .. }, .. });
    assert!(stage.done[since..].iter().any(stops), "{:?}", &stage.done[since..]);
}

/// Whether its keeper sweeps was to be looked at before there was a keeper: the look was due for ever, and the server did
/// nothing else until the start was over, which may take ten seconds.
#[test]
fn a_start_that_takes_long_keeps_nobody_awake_who_restarts_it() {
    let mut stage = Stage::empty();
    start(&mut stage, "api");
    stage.request(Request::Restart { name: "api".into() });
    let began = stage.now.ms;
    while let Some(wake) = stage.next_wake().filter(|wake| *wake < began + 20_000) {
        stage.advance_to(wake.max(stage.now.ms));
        stage.step(Event::Wake);
        let now = stage.now.ms;
        assert!(stage.next_wake().is_none_or(|wake| wake > now), "due at {now} and for ever");
    }
    let start = Started { pid: 600, keeper: 599, ..Started::default() };
    stage.step(Event::Started { agent: AgentKey(1), start });
    assert!(stage.hub.lifecycle.sweep_look_at(AgentKey(1)).is_some(), "now there is somebody to look at");
}

/// What was tried again and failed again left the list for a moment: whoever looked at it looked at another agent then.
#[test]
fn what_is_tried_again_in_vain_never_leaves_the_list() {
    let mut stage = Stage::empty();
    start(&mut stage, "api");
    not_started(&mut stage, "web");
    start(&mut stage, "web");
    stage.step(Event::StartFailed { agent: AgentKey(2), why: "there is no program 'codex'".into() });
    let gone = |notice: &&Notice| matches!(notice, Notice::Gone { .. });
    assert_eq!(stage.told(PERSON).iter().copied().find(gone), None);
    let web = listed(&mut stage).into_iter().find(|info| info.name == "web").expect("it is on the list");
    assert_eq!((web.number, web.state, web.failed.is_some()), (2, State::Exited, true));
    // How it was to be started is known by now.
    assert_eq!(stage.request(Request::Restart { name: "web".into() }), None, "it is answered once it runs");
}

/// The keeper was told before there was one, and never again: an agent that stays as it is had another number under the
/// next server.
#[test]
fn a_keeper_holds_the_number_from_the_start_on() {
    use crate::wire::keeper::ToKeeper;
    let held = |stage: &Stage| -> Vec<serde_json::Value> {
        let note = |effect: &Effect| match effect {
            Effect::Keeper { message: ToKeeper::Hold { note }, .. } => Some(note["number"].clone()),
            _ => None,
        };
        stage.done.iter().filter_map(note).collect()
    };
    let mut stage = Stage::empty();
    start(&mut stage, "api");
    stage.pass(100);
    assert!(held(&stage).is_empty(), "there is no keeper yet");
    let start = Started { pid: 600, keeper: 599, ..Started::default() };
    stage.step(Event::Started { agent: AgentKey(1), start });
    assert_eq!(held(&stage), [1]);
}

/// Every dashboard numbered them as it came to know them, and a new server began anew.
#[test]
fn an_agent_has_the_number_it_had_under_the_server_before() {
    let mut stage = Stage::empty();
    let spec = AgentSpec { name: "old".into(), command: vec!["cat".into()], ..AgentSpec::default() };
    stage.adopt(spec, Policy::default(), Some(Remembered { number: 7, ..Remembered::default() }));
    start(&mut stage, "new");
    stage.pass(5_000);
    let numbers: Vec<u16> = listed(&mut stage).iter().map(|info| info.number).collect();
    assert_eq!(numbers, [7, 1]);
}

/// It began at the size of whoever started it, and was made smaller a moment later: what draws once stayed as it was.
#[test]
fn an_agent_begins_at_the_size_it_is_shown_at() {
    let mut stage = Stage::empty();
    let begun = |stage: &mut Stage, name: &str, role| {
        let (name, command) = (name.to_owned(), vec!["cat".into()]);
        let size = Some(Size::new(220, 50));
        let spec = AgentSpec { name: name.clone(), command, role, size, ..AgentSpec::default() };
        stage.request(Request::Start { spec: Box::new(spec), policy: Box::default() });
        let spawned = stage.done.iter().rev().find_map(|done| match done {
            Effect::Spawn { spec, size, .. } if spec.name == name => Some(*size),
            _ => None,
        });
        spawned.expect("it was begun")
    };
    assert_eq!(begun(&mut stage, "unseen", Duty::Worker), Size::new(220, 50), "nobody shows it");
    let ended = vec![Pane { name: "web".into(), size: Some(Size::new(70, 20)) }];
    let (worker, consultant) = (Some(Size::new(60, 20)), Some(Size::new(40, 30)));
    stage.request(Request::NextPane(NextPane { worker, consultant, ended }));
    assert_eq!(begun(&mut stage, "api", Duty::Worker), Size::new(60, 20));
    assert_eq!(begun(&mut stage, "advisor", Duty::Consultant), Size::new(40, 30));
    assert_eq!(begun(&mut stage, "web", Duty::Worker), Size::new(70, 20), "it has a place already");
    // Whoever said so last counts, and only while they look on.
    let other = ClientKey(2);
    stage.step(Event::Joined { client: other, pids: vec![5000] });
    stage.ask_as(other, Request::Hello { version: crate::wire::VERSION, token: None });
    stage.ask_as(other, Request::NextPane(NextPane { worker: consultant, ..NextPane::default() }));
    assert_eq!(begun(&mut stage, "docs", Duty::Worker), Size::new(40, 30));
    stage.step(Event::Left { client: other });
    assert_eq!(begun(&mut stage, "more", Duty::Worker), Size::new(60, 20));
    stage.step(Event::Left { client: PERSON });
}
