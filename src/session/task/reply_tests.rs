//! Requests to a session: each is answered, whatever becomes of the session, and not before the hub knows what whoever
//! is answered may ask it next.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::turn_tests::session;
use crate::core::question::State;
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys;
use crate::session::mailbox::{self, Asked, Command, Mail, Sink, Source};
use crate::session::message::{AgentKey, ClientKey, Input, News, Now, Output, Started};
use crate::session::setting::{Clock, Setting, Terminal};
use crate::session::{Session, task};
use crate::wire::Request;
use crate::wire::keeper::FromKeeper;
use crate::wire::message::{ReadMode, Reply, ServerMessage};

const CLIENT: ClientKey = ClientKey(1);

fn read(wait_ms: u64) -> Request {
    Request::Read {
        name: "flood".into(),
        since: None,
        tail: None,
        wait_ms,
        mode: ReadMode::Output,
        seen: None,
    }
}

fn send(text: &str, enter: bool) -> Request {
    Request::Send { name: "flood".into(), input: vec![keys::Input::Text(text.into())], enter }
}

fn mail(sink: &Sink, id: u64, request: Request) -> Mail {
    Mail::Request { client: CLIENT, asked: Asked::new(sink.clone(), id, &request), request }
}

/// A task that runs a session, and all its ends.
struct Run {
    commands: mpsc::Sender<Command>,
    mail: mpsc::Sender<Mail>,
    news: mpsc::Receiver<(AgentKey, News)>,
    task: JoinHandle<()>,
}

/// Its agent runs.
async fn run(news: usize) -> Run {
    let clock = Clock::start();
    let (to, mut orders) = mpsc::channel(8);
    let (output, from) = mpsc::channel(8);
    let started = Started { size: Some(Size::FALLBACK), ..Started::default() };
    let terminal = tokio::spawn(async move {
        while orders.recv().await.is_some_and(|order| !matches!(order, super::ToTerminal::Forget)) {}
        drop(output);
    });
    let terminal = Terminal::Remote { to, from, tty: None, task: terminal };
    let (commands, orders) = mpsc::channel(mailbox::ORDERS);
    let (mail_to, mail) = mpsc::channel(mailbox::MAIL);
    let (news_to, mut news) = mpsc::channel(news);
    let setting = Setting {
        agent: AgentKey(1),
        clock,
        starting: Box::pin(std::future::ready(Ok((started, terminal)))),
        commands: orders,
        mail,
        news: news_to,
        files: Arc::new(|_, _| true),
    };
    let task = tokio::spawn(task::run(session(clock.now()), setting));
    while !matches!(news.recv().await, Some((_, News::Started { .. }))) {}
    Run { commands, mail: mail_to, news, task }
}

async fn hears(source: &mut Source) -> ServerMessage {
    let heard = tokio::time::timeout(Duration::from_secs(60), source.messages.recv()).await;
    heard.expect("it is answered").expect("and not parted from")
}

/// Whoever asked an agent that was stopped at that moment waited for ever: its session left with the request in its
/// mailbox, or with a `read` or an Enter that was still to be answered.
#[tokio::test(flavor = "current_thread")]
async fn whoever_asks_a_session_that_is_told_to_leave_is_answered() {
    let mut run = run(1024).await;
    let (sink, mut source) = mailbox::sink();
    for (id, request) in [(1, read(30_000)), (2, send("words", true))] {
        run.mail.send(mail(&sink, id, request)).await.unwrap();
    }
    // The session has them in its hands when it tells of the keys.
    while !matches!(run.news.recv().await, Some((_, News::Typed { .. }))) {}
    run.commands.send(Command::Forget).await.unwrap();
    // This one it never comes to.
    run.mail.send(mail(&sink, 3, read(0))).await.unwrap();
    let mut answered = Vec::new();
    for _ in 0..3 {
        match hears(&mut source).await {
            ServerMessage::Reply { id, reply: Reply::Error { code: 3, .. } } => answered.push(id),
            other => panic!("{other:?}"),
        }
    }
    answered.sort_unstable();
    assert_eq!(answered, [1, 2, 3]);
    run.task.await.unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn whoever_asks_a_session_that_fails_is_answered() {
    let mut run = run(1024).await;
    let (sink, mut source) = mailbox::sink();
    run.mail.send(mail(&sink, 1, send("words", true))).await.unwrap();
    while !matches!(run.news.recv().await, Some((_, News::Typed { .. }))) {}
    run.task.abort();
    let reply = hears(&mut source).await;
    assert!(
        matches!(reply, ServerMessage::Reply { id: 1, reply: Reply::Error { code: 3, .. } }),
        "{reply:?}"
    );
}

/// While the hub heard nothing, a client that typed without end made its session as large as it liked.
#[tokio::test(flavor = "current_thread")]
async fn a_client_waits_while_the_hub_hears_nothing() {
    let run = run(1).await;
    let (sink, _source) = mailbox::sink();
    let keys = || Request::Keys { name: "flood".into(), input: vec![keys::Input::Text("k".into())] };
    let mut sent = 0;
    // It has taken all it will once nothing moves while it has every turn.
    while let Ok(Ok(())) =
        tokio::time::timeout(Duration::from_secs(2), run.mail.send(mail(&sink, 0, keys()))).await
    {
        sent += 1;
        assert!(sent < 10_000, "and more are taken");
    }
    run.task.abort();
}

fn place(outputs: &[Output], is: impl Fn(&News) -> bool) -> Option<usize> {
    outputs.iter().position(|output| matches!(output, Output::News(news) if is(news)))
}

fn running(now: Now) -> Session {
    let mut session = session(now);
    session.on(Input::Started(Box::new(Started { size: Some(Size::FALLBACK), ..Started::default() })), now);
    session
}

/// `ls` right behind `pause` or `resume` could say what had been: whoever waited was answered before the hub knew.
#[test]
fn the_hub_knows_the_state_before_it_hears_that_an_agent_stands_still_or_goes_on() {
    let now = Clock::start().now();
    let mut session = running(now);
    let paused = FromKeeper::Paused { forced: Vec::new(), running: Vec::new() };
    let outputs = session.on(Input::Keeper(paused), now);
    let known = place(&outputs, |news| matches!(news, News::Looked(sight) if sight.state == State::Paused));
    let told = place(&outputs, |news| matches!(news, News::Stopped { .. }));
    assert!(known.is_some() && known < told, "{outputs:?}");
    let outputs = session.on(Input::Keeper(FromKeeper::Continued), now);
    let known = place(&outputs, |news| matches!(news, News::Looked(sight) if sight.state != State::Paused));
    let told = place(&outputs, |news| matches!(news, News::Continued));
    assert!(known.is_some() && known < told, "{outputs:?}");
}

/// A question that `read` had shown was unknown to `questions`, and `answer` right behind `send` was for the screen before.
#[test]
fn the_hub_knows_what_was_typed_and_seen_before_whoever_did_it_is_answered() {
    let now = Clock::start().now();
    let mut session = running(now);
    session.feed(b"some words\r\n", now);
    let ask = |session: &mut Session, id, request, now| {
        let outputs = session.on(Input::Request { client: CLIENT, id, request }, now);
        let replies = |news: &News| matches!(news, News::Reply { id: of, .. } if *of == id);
        assert!(!outputs.iter().any(|output| matches!(output, Output::Reply { .. })), "{outputs:?}");
        let told = place(&outputs, replies).expect("it is answered");
        (outputs, told)
    };
    let (outputs, told) = ask(&mut session, 1, send("x", false), now);
    let known =
        place(&outputs, |news| matches!(news, News::Looked(sight) if sight.typed == 1 && !sight.current));
    assert!(known.is_some_and(|known| known < told), "{outputs:?}");
    // The time has come to look at the screen, and somebody reads.
    let later = Now { ms: now.ms + 2_000, ..now };
    let (outputs, told) = ask(&mut session, 2, read(0), later);
    let known = place(&outputs, |news| matches!(news, News::Looked(_)));
    assert!(known.is_none_or(|known| known < told), "{outputs:?}");
}

/// `resize` to the size an agent had a moment before was answered at once, and `ls` still said the other one.
#[test]
fn whoever_resizes_is_answered_when_the_size_is_there() {
    let now = Clock::start().now();
    let mut session = running(now);
    let resize = |session: &mut Session, id, size, now| {
        let request = Request::Resize { name: "flood".into(), size };
        session.on(Input::Request { client: CLIENT, id, request }, now)
    };
    let done = |outputs: &[Output], id| {
        place(outputs, |news| matches!(news, News::Reply { id: of, .. } if *of == id))
    };
    let outputs = resize(&mut session, 1, Size::new(100, 30), now);
    assert!(done(&outputs, 1).is_some());
    let outputs = resize(&mut session, 2, Size::FALLBACK, now);
    assert_eq!(done(&outputs, 2), None, "its program has not seen yet that it lost that size");
    let due = session.next_wake().expect("it is to be woken");
    let outputs = session.on(Input::Wake, Now { ms: due.max(now.ms + 150), ..now });
    let known = place(&outputs, |news| matches!(news, News::Looked(sight) if sight.size == Size::FALLBACK));
    assert!(known.is_some() && known < done(&outputs, 2), "{outputs:?}");
}
