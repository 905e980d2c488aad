//! A question on its way along a chain of consultants: who is asked, for how long, and what if not.

use super::*;
use crate::core::agent::DefinedIn;
use crate::core::consult::chain::Chain;
use std::collections::VecDeque;

use crate::server::question::ask::Ask;
use crate::server::question::phase::Phase;
use crate::server::question::spent::Spent;

/// A hub whose worker asks `chain`; "oracle", "second" and "third" are commands.
fn stage(chain: &str) -> Stage {
    let consultants = ["oracle", "second", "third"].map(|name| command(name, None)).to_vec();
    let mut stage = Stage::new(Policy { consultants, ..Policy::default() });
    stage.agent_mut(1).spec.consultant = Some(Chain::from(chain));
    stage
}

/// The seconds that a consultant is told it has.
fn seconds(prompt: &str) -> u64 {
    let (_, told) = prompt.split_once("You have ").expect("it is told");
    told.split(' ').next().and_then(|seconds| seconds.parse().ok()).expect("a number")
}

/// The commands that were run, each with the seconds it got.
fn runs(stage: &Stage) -> Vec<(String, u64)> {
    let run = |effect: &Effect| match effect {
        Effect::Consult { run, .. } => Some((run.command[0].clone(), seconds(&run.prompt))),
        _ => None,
    };
    stage.done.iter().filter_map(run).collect()
}

fn names(stage: &Stage) -> Vec<String> {
    runs(stage).into_iter().map(|(name, _)| name).collect()
}

/// An agent beside the worker, up and silent.
fn beside(stage: &mut Stage, name: &str) -> AgentKey {
    let spec = AgentSpec { name: name.into(), command: vec!["claude".into()], ..AgentSpec::default() };
    stage.request(Request::Start { spec: Box::new(spec), policy: Box::default() });
    let key = stage.hub.agent_named(name).unwrap();
    let start = Started { pid: 600, keeper: 599, token: name.into(), ..Started::default() };
    stage.step(Event::Started { agent: key, start });
    key
}

#[test]
fn one_that_fails_leaves_the_rest_of_the_time_to_the_next() {
    let mut stage = stage("oracle,second");
    stage.play_to(5.9);
    assert_eq!(runs(&stage), [("oracle".to_owned(), 26)], "half of 52 s");
    stage.hears(1, Err("it failed"));
    assert_eq!(runs(&stage)[1], ("second".to_owned(), 51));
    assert_eq!(stage.questions()[0].route, "second");
    stage.hears(2, Ok(r#"{"choice": 1}"#));
    stage.pass(1_000);
    assert_eq!(stage.typed(), "\r");
    let asked = &stage.ask(1).turns;
    let ended: Vec<_> = asked.iter().map(|turn| turn.ended.as_deref().unwrap_or("-")).collect();
    assert_eq!(ended, ["oracle: it failed", "answered"]);
}

#[test]
fn one_that_is_slow_is_not_waited_for_and_its_late_word_counts_for_nothing() {
    let mut stage = stage("oracle,second");
    stage.play_to(5.9);
    stage.pass(26_000);
    assert_eq!(names(&stage), ["oracle", "second"]);
    assert!(stage.done.iter().any(|effect| matches!(effect, Effect::CancelConsult { .. })));
    stage.hears(1, Ok(r#"{"choice": 2}"#));
    stage.hears(1, Err("its answer is no longer wanted"));
    stage.pass(2_000);
    assert_eq!((stage.typed().as_str(), stage.questions()[0].status), ("", Status::Consulting));
    stage.hears(2, Ok(r#"{"choice": 1}"#));
    stage.pass(1_000);
    assert_eq!(stage.typed(), "\r");
}

#[test]
fn nobody_answers_and_a_person_is_called_within_the_deadline() {
    let mut stage = stage("oracle,second,third");
    stage.play_to(5.9);
    let asked = stage.ask(1).asked_ms;
    while stage.questions()[0].status == Status::Consulting {
        stage.pass(100);
        assert!(stage.now.ms < asked + 55_000, "still {:?}", stage.questions()[0]);
    }
    assert_eq!(names(&stage), ["oracle", "second", "third"]);
    let question = &stage.questions()[0];
    let note = question.note.clone().unwrap();
    assert_eq!((question.status, stage.notifications()), (Status::Escalated, 1));
    assert!(note.contains("oracle did not") && note.contains("third did not"), "{note}");
}

#[test]
fn one_that_says_a_person_must_decide_is_not_overruled() {
    let mut stage = stage("oracle,second");
    stage.play_to(5.9);
    stage.say(r#"{"escalate": "it costs money"}"#);
    assert_eq!((names(&stage).len(), stage.questions()[0].status), (1, Status::Escalated));
}

#[test]
fn nonsense_twice_is_the_next_ones_turn_and_that_one_may_err_once_as_well() {
    let mut stage = stage("oracle,second");
    stage.play_to(5.9);
    stage.say("hm");
    stage.say("hm");
    stage.say("hm");
    assert_eq!(names(&stage), ["oracle", "oracle", "second", "second"]);
    stage.say(r#"{"choice": 1}"#);
    stage.pass(1_000);
    assert_eq!(stage.typed(), "\r");
}

#[test]
fn a_pane_that_is_silent_gone_or_unknown_is_passed_over() {
    for (chain, gone) in [("advisor,oracle", false), ("advisor,oracle", true), ("nobody,oracle", false)] {
        let mut stage = stage(chain);
        let advisor = beside(&mut stage, "advisor");
        stage.play_to(5.9);
        if gone {
            let message = FromKeeper::Exited(Exit { code: Some(1), signal: None });
            stage.step(Event::Keeper { agent: advisor, message });
        } else if chain.starts_with("advisor") {
            stage.pass(24_000);
            assert_eq!(names(&stage).len(), 0, "its share is not over");
            stage.pass(2_000);
        }
        assert_eq!(names(&stage), ["oracle"], "{chain}");
        assert!(stage.hub.consultants.backlogs.of(advisor).waiting.is_empty());
    }
}

#[test]
fn a_command_names_its_successor_and_its_time() {
    let mut one = command("one", Some("two"));
    one.secs = Some(10);
    let mut two = command("two", Some("one"));
    two.share = Some(50);
    let mut stage = Stage::new(Policy { consultants: vec![one, two], ..Policy::default() });
    stage.agent_mut(1).spec.consultant = Some(Chain::from("one"));
    stage.play_to(5.9);
    stage.pass(50_000);
    assert_eq!(runs(&stage), [("one".to_owned(), 10), ("two".to_owned(), 26)]);
    assert_eq!(stage.questions()[0].status, Status::Escalated, "36 s after it was asked");
}

#[test]
fn nobody_waits_for_an_agent_that_waits_for_him() {
    let mut stage = stage("asker,oracle");
    let asker = beside(&mut stage, "asker");
    stage.play_to(0.1);
    // The worker thinks about a question of that agent when it comes to ask it something.
    let question = AskKey(77);
    stage.play_to(5.9);
    let mut ask = stage.hub.questions.asks.remove(AskKey(1)).unwrap();
    assert_eq!(ask.consultant(), Some("asker"));
    ask.agent = asker;
    ask.turns.last_mut().unwrap().with = "worker".into();
    stage.hub.questions.asks.insert(question, ask);
    stage.hub.consultants.backlogs.of(AgentKey(1)).current = Some(question);
    let circle = |agent: AgentKey, with: &str| {
        let Hub { lifecycle, questions, .. } = &stage.hub;
        let (agents, asks, tracks) = (&lifecycle.agents, &questions.asks, &questions.tracks);
        let world = consultant::World { now: stage.now, agents, asks, tracks };
        stage.hub.consultants.circle(agent, with, world)
    };
    assert!(circle(AgentKey(1), "asker").is_some());
    assert!(circle(AgentKey(1), "oracle").is_none());
    assert!(circle(asker, "worker").is_none());
}

/// A worker whose consultant is started when it is first asked, with one behind it.
fn with_helper_on_demand() -> Stage {
    let mut stage = stage("helper,oracle");
    let spec = AgentSpec {
        name: "helper".into(),
        command: vec!["claude".into()],
        start: crate::core::agent::Start::Demand,
        idle_secs: Some(30),
        ..AgentSpec::default()
    };
    let worker = stage.agent_mut(1);
    worker.policy = Policy { standby: vec![spec], ..(*worker.policy).clone() }.into();
    stage
}

fn spawned(stage: &Stage, name: &str) -> usize {
    let of = |effect: &&Effect| matches!(effect, Effect::Spawn { spec, .. } if spec.name == name);
    stage.done.iter().filter(of).count()
}

/// `counsel down` came while a question waited for one that was not ready yet: the server asked and started it in turns
/// without end, and answered nobody any more. After a stop it was started again.
#[test]
fn one_on_demand_that_a_person_has_stopped_stays_so() {
    let stop = |names: &[&str]| Request::Stop {
        names: names.iter().map(|&name| name.into()).collect(),
        grace_ms: 0,
    };
    for order in [Request::Down { grace_ms: 0 }, stop(&["helper"]), stop(&["helper", "worker"])] {
        let mut stage = with_helper_on_demand();
        stage.play_to(5.9);
        let helper = stage.hub.agent_named("helper").unwrap();
        let start = Started { pid: 700, keeper: 699, token: "h".into(), ..Started::default() };
        stage.step(Event::Started { agent: helper, start });
        stage.pass(1_000);
        stage.request(order.clone());
        let message = FromKeeper::Exited(Exit { code: None, signal: Some(9) });
        stage.step(Event::Keeper { agent: helper, message });
        stage.pass(100);
        assert_eq!(spawned(&stage, "helper"), 1, "{order:?}");
        assert_eq!(names(&stage), ["oracle"], "whose turn it is next");
    }
}

#[test]
fn one_on_demand_is_started_when_asked_and_stopped_when_nobody_asks() {
    let mut stage = with_helper_on_demand();
    let stops = |stage: &Stage| {
        let stop = |effect: &&Effect| {
            matches!(effect, Effect::Keeper { message: crate::wire::keeper::ToKeeper::Stop { .. }, .. })
        };
        stage.done.iter().filter(stop).count()
    };
    assert_eq!(spawned(&stage, "helper"), 0);
    stage.play_to(5.9);
    assert_eq!((spawned(&stage, "helper"), names(&stage).len()), (1, 0));
    let helper = stage.hub.agent_named("helper").unwrap();
    let start = Started { pid: 700, keeper: 699, token: "h".into(), ..Started::default() };
    stage.step(Event::Started { agent: helper, start });
    stage.pass(26_000);
    assert_eq!((names(&stage), stops(&stage)), (vec!["oracle".to_owned()], 0), "it never drew a prompt");
    stage.pass(30_000);
    assert_eq!(stops(&stage), 1);
    let message = FromKeeper::Exited(Exit { code: None, signal: Some(15) });
    stage.step(Event::Keeper { agent: helper, message });
    stage.step(Event::Keeper {
        agent: helper,
        message: FromKeeper::Swept { killed: Vec::new(), left: Vec::new(), kept: Vec::new() },
    });
    assert!(stage.hub.agent_named("helper").is_none());
    stage.pass(100_000);
    assert_eq!((spawned(&stage, "helper"), stops(&stage)), (1, 1));
}

/// A server under which a consultant has given one answer.
fn answered_once(policy: &Policy) -> Stage {
    let mut stage = Stage::new(policy.clone());
    stage.play_to(5.9);
    stage.say(r#"{"choice": 1}"#);
    stage.pass(1_000);
    stage.play_to(16.0);
    stage.pass(1_000);
    stage
}

#[test]
fn limits_hold_for_all_agents_together_and_outlive_a_server() {
    let mut policy = Policy { consultants: vec![command("oracle", None)], ..Policy::default() };
    policy.consult.asked_per_hour = 1;
    let stage = answered_once(&policy);
    let log = stage.entries();
    assert_eq!((log.len(), log[0].asked.len(), log[0].outcome.name()), (1, 1, "answered"));
    for (hour, want) in [(0, Status::Escalated), (3_600_000, Status::Consulting)] {
        let mut later = Stage::new(policy.clone());
        later.hub.questions.spent = Spent::of(&log);
        later.now.unix_ms = stage.now.unix_ms + hour;
        later.play_to(5.9);
        let question = &later.questions()[0];
        assert_eq!(question.status, want, "{:?}", question.note);
    }
    let mut policy = policy.clone();
    (policy.consult.asked_per_hour, policy.consult.max_per_hour_all) = (0, 1);
    let mut later = Stage::new(policy);
    later.hub.questions.spent = Spent::of(&log);
    later.now = stage.now;
    later.play_to(5.9);
    assert!(later.questions()[0].note.clone().unwrap().contains("max_per_hour_all"));
}

/// Each server counted an agent's own hour anew.
#[test]
fn the_limits_of_an_agent_outlive_a_server() {
    let mut policy = Policy { consultants: vec![command("oracle", None)], ..Policy::default() };
    let stage = answered_once(&policy);
    policy.consult.max_per_hour = 1;
    let hour = 3_600_000;
    for (taken_back, later_ms, want) in
        [(true, 0, Status::Escalated), (true, hour, Status::Consulting), (false, 0, Status::Consulting)]
    {
        let mut later = Stage::new(policy.clone());
        later.hub.questions.spent = Spent::of(&stage.entries());
        later.now.unix_ms = stage.now.unix_ms + later_ms;
        later.agent_mut(1).counts_from_unix_ms = if taken_back { 0 } else { stage.now.unix_ms };
        later.play_to(5.9);
        let question = &later.questions()[0];
        assert_eq!(question.status, want, "{:?}", question.note);
    }
}

#[test]
fn an_end_is_told_when_it_is_on_the_disk_and_not_before() {
    let mut stage = stage("oracle");
    stage.play_to(5.9);
    stage.say(r#"{"choice": 1}"#);
    stage.pass(1_000);
    let from = stage.done.len();
    stage.play_to(16.0);
    stage.pass(1_000);
    let told = |effect: &Effect| match effect {
        Effect::Send { message, .. } => match &**message {
            ServerMessage::Notice(Notice::Question(question)) => Some(question.status),
            _ => None,
        },
        _ => None,
    };
    let append = stage.done[from..].iter().position(|e| matches!(e, Effect::Append { .. })).unwrap();
    let (before, after) = stage.done[from..].split_at(append);
    assert!(before.iter().filter_map(told).all(|status| status != Status::Answered));
    assert_eq!(after.iter().filter_map(told).collect::<Vec<_>>(), [Status::Answered]);
    // Until then it is shown as it was.
    let Phase::Settled(settled) = &mut stage.ask_mut(1).phase else { panic!("it is settled") };
    settled.logged = false;
    assert_eq!(stage.questions()[0].status, Status::Answering);
    stage.step(Event::Logged { ask: AskKey(1) });
    assert_eq!(stage.questions()[0].status, Status::Answered);
}

#[test]
fn what_is_known_to_be_secret_is_not_told() {
    let mut stage = stage("oracle");
    let worker = stage.agent_mut(1);
    worker.spec.task = Some("log in with hunter22 and green-field-7".into());
    worker.spec.env.insert("SHOP_PASSWORD".into(), "green-field-7".into());
    stage.play_to(5.9);
    let prompt = stage.ask(1).prompt_sent.clone().unwrap();
    assert!(prompt.contains("log in with [secret removed] and [secret removed]"), "{prompt}");
}

#[test]
fn who_was_served_longest_ago_is_next() {
    let mut stage = stage("advisor");
    let advisor = beside(&mut stage, "advisor");
    stage.play_to(5.9);
    let template = stage.hub.questions.asks.remove(AskKey(1)).unwrap();
    // Three questions of one agent before one each of two others.
    let askers = [1, 1, 1, 8, 9];
    let mut queue = VecDeque::new();
    for (at, asker) in (11..).zip(askers) {
        let ask = Ask { agent: AgentKey(asker), ..template.clone() };
        stage.hub.questions.asks.insert(AskKey(at), ask);
        queue.push_back(AskKey(at));
    }
    let asks = &stage.hub.questions.asks;
    let backlog = stage.hub.consultants.backlogs.of(advisor);
    backlog.waiting = queue;
    let order: Vec<u64> = std::iter::from_fn(|| backlog.next_in_turn(asks)).map(|ask| ask.0).collect();
    assert_eq!(order, [11, 14, 15, 12, 13]);
}

/// Another project's agent had the name of the consultant that an agent's own definition names: it was put the question, with the
/// task and the screen of a project that is none of its.
#[test]
fn a_consultant_of_another_project_is_not_asked() {
    let (one, two) = (DefinedIn::Project("one".into()), DefinedIn::Project("two".into()));
    for (file, refused) in [(two, true), (one.clone(), false), (DefinedIn::User, false)] {
        let mut stage = Stage::empty();
        for (key, name, file) in [(1, "oracle", &file), (2, "setup", &one)] {
            let spec = AgentSpec {
                name: name.into(),
                command: vec![name.into()],
                consultant: (name == "setup").then(|| "oracle".into()),
                defined_in: Some(file.clone()),
                ..AgentSpec::default()
            };
            stage.request(Request::Start { spec: Box::new(spec), policy: Box::new(Policy::default()) });
            let start =
                Started { pid: 500 + key, keeper: 400 + key, token: "secret".into(), ..Started::default() };
            stage.step(Event::Started { agent: AgentKey(key.into()), start });
        }
        let bytes = b"? Choose a title: ".to_vec();
        stage.step(Event::Output { agent: AgentKey(2), bytes });
        stage.pass(1_000);
        let asks = stage.questions();
        let told = asks.iter().find(|ask| ask.agent == "setup").and_then(|ask| ask.note.clone());
        let another = told.is_some_and(|told| told.contains("another project's agent"));
        assert_eq!(another, refused, "{file:?}: {asks:?}");
    }
}
