//! An agent's own words, from the request to the reply, in made-up time.

use super::*;
use crate::core::agent::{AgentSpec, Duty};
use crate::core::ancestry::{Identity, Verdict};
use crate::core::log::log_entry::{Channel, Entry};
use crate::core::policy::{CommandConsultant, Policy, Rule, Then};
use crate::core::profile::Profiles;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::server::effect::{Effect, Event};
use crate::server::hub::{Hub, Settings};
use crate::server::question::notify::CALL_EVERY_MS;
use crate::session::message::{ClientKey, News, Now, Order};
use crate::wire::Request;
use crate::wire::keeper::ToKeeper;
use crate::wire::message::{GivenAnswer, QuestionInfo, ServerMessage, Status, WaitFor};

const PERSON: ClientKey = ClientKey(1);
/// What the worker's own process speaks over.
const WORKER: ClientKey = ClientKey(2);

struct Stage {
    hub: Hub,
    now: Now,
    done: Vec<Effect>,
}

fn stage(policy: Policy, consultant: Option<&str>, role: Duty) -> Stage {
    let terminal_identity = TerminalIdentity::default();
    let sizing = Default::default();
    let settings = Settings {
        exit_when_empty_ms: 30_000,
        scrollback: 100,
        terminal_identity,
        pid: 1,
        nonce_key: [7; 16],
        sizing,
        record_bytes: None,
    };
    let hub = Hub::new(settings, Profiles::builtin(), Vec::new(), 1);
    let mut stage = Stage { hub, now: Now { ms: 1_000, unix_ms: 1_700_000_000_000 }, done: Vec::new() };
    let hello = |token: Option<&str>| Request::Hello {
        version: crate::wire::VERSION,
        token: token.map(str::to_owned),
    };
    stage
        .step(Event::Joined { client: PERSON, verdict: Verdict::Person(Identity { pid: 4000, started: 0 }) });
    stage.request(PERSON, hello(None));
    let spec = AgentSpec {
        name: "worker".into(),
        command: vec!["cat".into()],
        consultant: consultant.map(Into::into),
        role,
        ..AgentSpec::default()
    };
    stage.request(PERSON, Request::Start { spec: Box::new(spec), policy: Box::new(policy) });
    let (token, place) = ("secret".into(), None);
    let news = News::Started { pid: 500, keeper: 499, token, place, stopped: false };
    stage.step(Event::News { agent: AgentKey(1), news });
    stage.step(Event::Joined { client: WORKER, verdict: Verdict::Agent(Identity { pid: 500, started: 0 }) });
    stage.request(WORKER, hello(Some("secret")));
    stage.done.clear();
    stage
}

fn oracle() -> CommandConsultant {
    CommandConsultant {
        name: "oracle".into(),
        command: vec!["oracle".into()],
        ..CommandConsultant::default()
    }
}

fn with_oracle() -> Stage {
    stage(Policy { consultants: vec![oracle()], ..Policy::default() }, Some("oracle"), Duty::Worker)
}

fn ask(question: &str, options: &[&str], wait_ms: Option<u64>) -> Request {
    Request::AskCounsel {
        question: question.into(),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        context: Some("two tables, forty rows".into()),
        wait_ms,
    }
}

impl Stage {
    /// One event; what is to be written or read is there at once.
    fn step(&mut self, event: Event) {
        let mut events = std::collections::VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            let effects = self.hub.step(event, self.now);
            events.extend(effects.iter().filter_map(|effect| match effect {
                Effect::Append { ask, .. } => Some(Event::Logged { ask: *ask, written: true }),
                Effect::LookAtPath { ask, .. } => Some(Event::PathLooked { ask: *ask, link: None }),
                Effect::ReserveLog { ask } => Some(Event::LogReserved { ask: *ask, done: Ok(()) }),
                Effect::ReadContext { ask, .. } => {
                    Some(Event::Context { ask: *ask, files: Vec::new(), secrets: Vec::new() })
                }
                _ => None,
            }));
            self.done.extend(effects);
        }
    }

    fn request(&mut self, client: ClientKey, request: Request) {
        self.step(Event::Request { client, id: 9, request });
    }

    fn pass(&mut self, ms: u64) {
        self.now = Now { ms: self.now.ms + ms, unix_ms: self.now.unix_ms + ms };
        self.step(Event::Wake);
    }

    /// The last reply this client got since it was looked at last.
    fn reply(&mut self, to: ClientKey) -> Option<Reply> {
        let mut replies = self.done.iter().filter_map(|effect| match effect {
            Effect::Send { client, message } if *client == to => match &**message {
                ServerMessage::Reply { id: 9, reply } => Some(reply.clone()),
                _ => None,
            },
            _ => None,
        });
        replies.next_back()
    }

    fn answer(&mut self) -> (Option<String>, String, Option<String>) {
        match self.reply(WORKER) {
            Some(Reply::Asked { answer, by, reason, .. }) => (answer, by, reason),
            other => panic!("no answer came: {other:?}"),
        }
    }

    fn questions(&mut self) -> Vec<QuestionInfo> {
        self.request(PERSON, Request::Questions { all: true });
        match self.reply(PERSON) {
            Some(Reply::Questions { questions }) => questions,
            other => panic!("{other:?}"),
        }
    }

    fn logged(&self) -> Vec<&Entry> {
        let entries = self.done.iter().filter_map(|effect| match effect {
            Effect::Append { entry, .. } => Some(&**entry),
            _ => None,
        });
        entries.collect()
    }

    fn written(&self) -> bool {
        let held = |order: &Order| matches!(order, Order::Keeper(ToKeeper::Hold { .. }));
        self.done.iter().any(|effect| matches!(effect, Effect::Order { order, .. } if !held(order)))
    }

    /// The oracle was asked with these words in its prompt, and says this.
    fn oracle(&mut self, asked_for: &[&str], says: &str) {
        let prompt = self.done.iter().rev().find_map(|effect| match effect {
            Effect::Consult { ask, turn, run } => Some((*ask, *turn, run.prompt.clone())),
            _ => None,
        });
        let (ask, turn, prompt) = prompt.expect("the oracle was asked");
        for words in asked_for {
            assert!(prompt.contains(words), "no {words:?} in {prompt}");
        }
        self.step(Event::Consulted { ask, turn, said: Ok(says.into()) });
    }
}

#[test]
fn a_consultant_chooses_and_the_asker_gets_the_label() {
    let mut stage = with_oracle();
    stage.request(WORKER, ask("Which store?", &["PostgreSQL", "SQLite"], None));
    assert_eq!(stage.reply(WORKER), None, "it waits");
    let open = stage.questions().remove(0);
    assert_eq!((open.agent.as_str(), open.route.as_str()), ("worker", "oracle"));
    assert_eq!(open.sources, ["mcp"]);
    stage
        .oracle(&["Which store?", "SQLite", "two tables, forty rows"], r#"{"choice": 2, "reason": "small"}"#);
    let answer = stage.answer();
    assert_eq!(answer, (Some("SQLite".into()), "consultant oracle".into(), Some("small".into())));
    let [entry] = stage.logged()[..] else { panic!("one entry") };
    assert_eq!((entry.answer.as_deref(), entry.channel), (Some("SQLite"), Channel::Mcp));
    assert!(!stage.written(), "nothing was typed");
}

#[test]
fn words_are_answered_by_words_and_by_a_person_if_there_is_no_consultant() {
    let mut stage = stage(Policy::default(), None, Duty::Worker);
    stage.request(WORKER, ask("What shall it be called?", &[], None));
    let open = stage.questions().remove(0);
    assert_eq!((open.status, open.route.as_str()), (Status::Escalated, "human"));
    // It ends once nobody waits any more, and whoever is to answer sees when.
    assert_eq!(open.deadline_at, Some(open.asked_at + 55.0));
    let answer = GivenAnswer { text: Some("counsel".into()), ..GivenAnswer::default() };
    stage.request(PERSON, Request::Answer { id: open.id, answer });
    assert_eq!(stage.reply(PERSON), Some(Reply::Done));
    assert_eq!(stage.answer(), (Some("counsel".into()), "person".into(), None));
}

/// An agent that waited for `ask_counsel` looked in `ls` like one at work, and `wait --for asking` waited for ever.
#[test]
fn an_agent_that_asks_in_words_is_seen_to_ask() {
    let mut stage = stage(Policy::default(), None, Duty::Worker);
    let wait = News::Wait { client: PERSON, id: 9, what: WaitFor::Asking, timeout_ms: None };
    stage.step(Event::News { agent: AgentKey(1), news: wait });
    assert_eq!(stage.reply(PERSON), None);
    stage.request(WORKER, ask("What shall it be called?", &[], None));
    assert!(matches!(stage.reply(PERSON), Some(Reply::Waited { .. })), "{:?}", stage.reply(PERSON));
    let shown = |stage: &mut Stage| {
        stage.request(PERSON, Request::List);
        match stage.reply(PERSON) {
            Some(Reply::Agents { agents }) => {
                (agents[0].state.name() == "asking", agents[0].question.clone())
            }
            other => panic!("{other:?}"),
        }
    };
    let id = stage.questions().remove(0).id;
    assert_eq!(shown(&mut stage), (true, Some(id.clone())));
    let answer = GivenAnswer { text: Some("counsel".into()), ..GivenAnswer::default() };
    stage.request(PERSON, Request::Answer { id, answer });
    assert_eq!(shown(&mut stage), (false, None));
}

#[test]
fn the_time_runs_out_for_both_and_then_the_question_is_over() {
    let mut stage = with_oracle();
    stage.request(WORKER, ask("Which store?", &["a", "b"], None));
    stage.pass(54_000);
    assert_eq!(stage.questions()[0].status, Status::Escalated, "a person is called before the time is up");
    assert_eq!(stage.reply(WORKER), None);
    stage.pass(1_001);
    let (answer, _, reason) = stage.answer();
    assert!(answer.is_none() && reason.unwrap().contains("no answer within 55 s"));
    assert_eq!(stage.questions()[0].status, Status::Withdrawn);
    assert_eq!(stage.logged().len(), 1);
}

/// Who waited for three seconds was told that there was no consultant: the time that typing takes had been taken off.
#[test]
fn who_waits_for_seconds_only_has_most_of_them_for_a_consultant() {
    let mut stage = with_oracle();
    stage.request(WORKER, ask("Which store?", &["a", "b"], Some(2_000)));
    assert_eq!(stage.questions()[0].status, Status::Consulting);
    let mut stage = with_oracle();
    stage.request(WORKER, ask("Which store?", &["a", "b"], Some(500)));
    let note = stage.questions()[0].note.clone().unwrap_or_default();
    assert!(note.contains("too short a time to ask oracle"), "{note}");
}

#[test]
fn who_waits_longer_gives_a_person_time() {
    let mut stage = with_oracle();
    stage.request(WORKER, ask("Which store?", &["a", "b"], Some(600_000)));
    stage.pass(500_000);
    let open = stage.questions().remove(0);
    assert_eq!(open.status, Status::Escalated);
    let answer = GivenAnswer { options: vec!["b".into()], ..GivenAnswer::default() };
    stage.request(PERSON, Request::Answer { id: open.id, answer });
    assert_eq!(stage.answer().0.as_deref(), Some("b"));
}

#[test]
fn who_hangs_up_or_ends_leaves_no_question_behind() {
    let mut stage = with_oracle();
    stage.request(WORKER, ask("Which store?", &["a", "b"], None));
    stage.step(Event::Left { client: WORKER });
    assert_eq!(stage.questions()[0].status, Status::Withdrawn);
    assert!(stage.done.iter().any(|effect| matches!(effect, Effect::CancelConsult { .. })));
    assert_eq!(stage.logged().len(), 1);
    stage.pass(60_000);
    assert_eq!(stage.logged().len(), 1, "and it is not settled twice");
}

#[test]
fn only_what_fits_is_asked_by_agents_and_by_a_persons_programs() {
    let mut stage = with_oracle();
    let refused = |stage: &mut Stage, client, request| {
        stage.request(client, request);
        match stage.reply(client) {
            Some(Reply::Error { code, .. }) => code,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(&mut stage, PERSON, ask("Which?", &["a"], None)), USAGE);
    assert_eq!(refused(&mut stage, WORKER, ask(" ", &[], None)), USAGE);
    assert_eq!(refused(&mut stage, WORKER, ask("Which?", &["a"], None)), USAGE);
    assert_eq!(refused(&mut stage, WORKER, ask("Which?", &["a", " a"], None)), USAGE);
    assert_eq!(refused(&mut stage, WORKER, ask(&"x".repeat(QUESTION_BYTES + 1), &[], None)), USAGE);
    stage.done.clear();
    for number in 0..MAX_WAITING {
        stage.request(WORKER, ask(&format!("Which of {number}?"), &["a", "b"], None));
        assert_eq!(stage.reply(WORKER), None);
    }
    assert_eq!(refused(&mut stage, WORKER, ask("One more?", &[], None)), REFUSED);
    // And it may not answer what it has asked.
    let answer = GivenAnswer { options: vec!["a".into()], ..GivenAnswer::default() };
    let own = stage.questions().remove(0).id;
    assert_eq!(refused(&mut stage, WORKER, Request::Answer { id: own, answer }), REFUSED);
}

#[test]
fn rules_hold_and_an_ignored_question_is_not_waited_for() {
    let rule = |then, answer: Option<&str>| Rule {
        agent: None,
        kind: None,
        prompt: Some("store".into()),
        command: None,
        option: None,
        then,
        answer: answer.map(str::to_owned),
        with: None,
        from_project: false,
    };
    let policy = Policy { rules: vec![rule(Then::Ignore, None)], ..Policy::default() };
    let mut ignored = stage(policy, None, Duty::Worker);
    ignored.request(WORKER, ask("Which store?", &["a", "b"], None));
    assert_eq!(ignored.answer().0, None);
    let policy = Policy { rules: vec![rule(Then::Answer, Some("b"))], ..Policy::default() };
    let mut ruled = stage(policy, None, Duty::Worker);
    ruled.request(WORKER, ask("Which store?", &["a", "b"], None));
    assert_eq!(ruled.answer().0.as_deref(), Some("b"));
}

/// A name used to say that nobody is asked: a question for a consultant of that name ended as soon as it was put.
#[test]
fn a_consultant_may_have_any_name() {
    for name in ["nobody", "human", "person", "none"] {
        let command = CommandConsultant {
            name: name.into(),
            command: vec![name.into()],
            ..CommandConsultant::default()
        };
        let policy = Policy { consultants: vec![command], ..Policy::default() };
        let mut stage = stage(policy, Some(name), Duty::Worker);
        stage.request(WORKER, ask("Which one?", &["one", "two"], None));
        assert!(stage.reply(WORKER).is_none(), "{name} is still to answer");
        let said = Ok(r#"{"choice": 2}"#.to_owned());
        stage.step(Event::Consulted { ask: AskKey(1), turn: 1, said });
        let Some(Reply::Asked { answer, by, .. }) = stage.reply(WORKER) else {
            panic!("{name} has answered")
        };
        assert_eq!((answer.as_deref(), by), (Some("two"), format!("consultant {name}")));
    }
}

/// A process of an agent that was started again keeps its connection, and with it a standing that names an agent
/// which is gone. What it asked then took the whole server down.
#[test]
fn a_process_of_an_agent_that_is_gone_is_refused() {
    let mut stage = with_oracle();
    stage.step(Event::News { agent: AgentKey(1), news: News::Exited { code: 0 } });
    stage.request(PERSON, Request::Restart { name: "worker".into() });
    let history = Box::new(crate::core::terminal::history::History::new(10));
    stage.step(Event::News { agent: AgentKey(1), news: News::Retired { history } });
    stage.done.clear();
    stage.request(WORKER, ask("Which one?", &["one", "two"], None));
    assert!(matches!(stage.reply(WORKER), Some(Reply::Error { code: 4, .. })));
    stage.request(WORKER, Request::Hook { event: "Stop".into(), payload: serde_json::json!({}) });
    assert!(matches!(stage.reply(WORKER), Some(Reply::Hook { output: None })));
}

/// Asks over a connection of its own; whoever asked then.
fn asks_anew(stage: &mut Stage, number: u64, question: &str) -> ClientKey {
    let client = ClientKey(100 + number);
    stage.step(Event::Joined { client, verdict: Verdict::Agent(Identity { pid: 500, started: 0 }) });
    let version = crate::wire::VERSION;
    stage.request(client, Request::Hello { version, token: Some("secret".into()) });
    stage.request(client, ask(question, &[], None));
    client
}

fn refusal(stage: &mut Stage, client: ClientKey) -> Option<String> {
    match stage.reply(client) {
        Some(Reply::Error { code: REFUSED, message }) => Some(message),
        _ => None,
    }
}

/// Hanging up made room for the next one: a hundred questions a second, each in the log and each a call of a person.
#[test]
fn whoever_asks_and_hangs_up_again_and_again_is_refused() {
    let mut policy = Policy::default();
    policy.notify.command = vec!["ring".into()];
    let mut stage = stage(policy, None, Duty::Worker);
    let mut taken = 0;
    let mut refused = Vec::new();
    // Two hours, by quarters of a minute, ten each.
    for number in 0..4_800 {
        let client = asks_anew(&mut stage, number, &format!("Which one of {number}?"));
        match refusal(&mut stage, client) {
            Some(why) => refused.push(why),
            None => taken += 1,
        }
        stage.step(Event::Left { client });
        if number % 10 == 9 {
            stage.pass(15_000);
        }
    }
    assert_eq!(taken, 2 * WORDS_PER_HOUR);
    assert!(refused[0].contains(&format!("{WORDS_PER_MINUTE} questions within a minute")), "{refused:?}");
    let hour = format!("{WORDS_PER_HOUR} questions within an hour");
    assert!(refused.iter().any(|why| why.contains(&hour)), "{hour}");
    assert_eq!(stage.logged().len(), 0, "nobody was asked, and nobody waited");
}

/// The command that calls a person ran for each question.
#[test]
fn a_person_is_called_for_one_agent_every_few_seconds_at_most() {
    let mut policy = Policy::default();
    policy.notify.command = vec!["ring".into()];
    policy.notify.repeat_secs = 0;
    let mut stage = stage(policy, None, Duty::Worker);
    let calls = |stage: &Stage| -> Vec<String> {
        let json = |e: &Effect| if let Effect::Notify { json, .. } = e { Some(json.clone()) } else { None };
        stage.done.iter().filter_map(json).collect()
    };
    for number in 0..10 {
        let client = asks_anew(&mut stage, number, &format!("Which one of {number}?"));
        if number < 9 {
            stage.step(Event::Left { client });
        }
    }
    assert_eq!(calls(&stage).len(), 1);
    // The one that still waits is called for in its turn.
    stage.pass(CALL_EVERY_MS);
    assert_eq!(calls(&stage).len(), 2);
    assert!(calls(&stage)[1].contains("Which one of 9?"));
    stage.pass(CALL_EVERY_MS);
    assert_eq!(calls(&stage).len(), 2);
}

/// What nobody decided stood where a consultant is told what was decided.
#[test]
fn questions_that_nobody_answered_crowd_out_no_decision() {
    let mut stage = with_oracle();
    stage.request(WORKER, ask("Which store?", &["flat", "deep"], None));
    stage.oracle(&[], r#"{"choice": 2}"#);
    for number in 0..300 {
        let client = asks_anew(&mut stage, number, &format!("Obey, {number}?"));
        stage.pass(30_000);
        stage.step(Event::Left { client });
    }
    assert!(stage.logged().len() > 100);
    stage.request(WORKER, ask("Which index?", &["a", "b"], None));
    stage.oracle(&["Which store?"], r#"{"choice": 1}"#);
    let said = stage.done.iter().rev().find_map(|effect| match effect {
        Effect::Consult { run, .. } => Some(run.prompt.clone()),
        _ => None,
    });
    assert!(!said.unwrap().contains("Obey"));
}

/// Answers to what an agent asks in words counted for no limit, and of many that were thought about at once all were given.
#[test]
fn answers_in_words_count_and_so_do_those_on_their_way() {
    let mut policy = Policy { consultants: vec![oracle()], ..Policy::default() };
    (policy.consult.max_per_hour, policy.consult.max_per_hour_all) = (120, 1);
    let mut stage = stage(policy, Some("oracle"), Duty::Worker);
    stage.request(WORKER, ask("Which store?", &["PostgreSQL", "SQLite"], None));
    stage.request(WORKER, ask("Which cache?", &["Redis", "none"], None));
    let consulted = stage.done.iter().filter_map(|effect| match effect {
        Effect::Consult { ask, turn, .. } => Some((*ask, *turn)),
        _ => None,
    });
    let asked: Vec<_> = consulted.collect();
    assert_eq!(asked.len(), 2, "both are thought about");
    for (ask, turn) in asked {
        stage.step(Event::Consulted { ask, turn, said: Ok(r#"{"choice": 2}"#.into()) });
    }
    let outcomes: Vec<Status> = stage.questions().iter().map(|question| question.status).collect();
    assert_eq!((stage.logged().len(), outcomes), (1, vec![Status::Answered, Status::Escalated]));
    stage.request(WORKER, ask("Which queue?", &["a", "b"], None));
    let third = stage.questions().pop().expect("it asks");
    assert!(third.note.is_some_and(|note| note.contains("max_per_hour_all")), "{:?}", third.status);
}
