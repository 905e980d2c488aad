//! How long a session keeps its thread, and what becomes of what it is told before its terminal is there.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::core::agent::Host;
use crate::core::detect::witness::{Reader, Wait, Witness};
use crate::core::profile::Profiles;
use crate::core::question::Kind;
use crate::core::terminal::grid::Size;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::sizing::Sizing;
use crate::session::message::{AgentKey, ClientKey, Input, News, Now, Order, Output, Started};
use crate::session::port::FromTerminal;
use crate::session::setting::{Clock, Setting, Terminal};
use crate::session::{Session, Setup, mailbox, task};
use crate::wire::keeper::{FromKeeper, ToKeeper};

const BLOCKS: usize = 60;

fn session(now: Now) -> Session {
    let setup = Setup {
        name: "flood".into(),
        host: Host::Tmux,
        adopted_pane: false,
        profile: Profiles::builtin().get("generic").expect("it is built in"),
        identity: TerminalIdentity::default(),
        size: Size::FALLBACK,
        scrollback: 1000,
        whole_output: false,
        prompt: None,
        history: None,
        record_bytes: None,
        sizing: Sizing::Latest,
        title: None,
    };
    Session::new(setup, now)
}

/// An agent that printed without end kept the thread that read it, a hundred blocks at a time, and keys for others
/// lay there for up to a second: nothing but a block of more than one turn's cost let go of it.
#[tokio::test(flavor = "current_thread")]
async fn whoever_prints_without_end_lets_others_in_between_any_two_blocks() {
    let clock = Clock::start();
    let (to, _orders) = mpsc::channel(8);
    let (output, from) = mpsc::channel(BLOCKS);
    for _ in 0..BLOCKS {
        output.try_send(FromTerminal::Output(b"a line of many\r\n".repeat(100))).unwrap();
    }
    let started = Started { size: Some(Size::FALLBACK), ..Started::default() };
    let terminal = Terminal::Remote { to, from, tty: None, task: tokio::spawn(std::future::pending()) };
    let (commands, orders) = mpsc::channel(mailbox::ORDERS);
    let (_mail, mail) = mpsc::channel(mailbox::MAIL);
    let (news, _heard) = mpsc::channel(1024);
    let setting = Setting {
        agent: AgentKey(1),
        clock,
        starting: Box::pin(std::future::ready(Ok((started, terminal)))),
        commands: orders,
        mail,
        news,
        files: Arc::new(|_, _| true),
    };
    let session = tokio::spawn(task::run(session(clock.now()), setting));
    let mut turns = 0;
    while output.capacity() < BLOCKS {
        tokio::task::yield_now().await;
        turns += 1;
    }
    assert!(turns >= BLOCKS, "{BLOCKS} blocks in {turns} turns");
    drop(commands);
    session.await.unwrap();
}

/// Who started an agent in the dashboard showed its pane before its terminal was there: the terminal came up at the
/// size of none, stayed at it, and less began at line 30.
#[test]
fn a_size_agreed_on_before_the_terminal_is_there_is_given_to_it() {
    let now = Clock::start().now();
    let (mut session, pane) = (session(now), Size::new(58, 20));
    session.on(Input::Watch { client: ClientKey(1), size: Some(pane) }, now);
    let started = Started { size: Some(Size::FALLBACK), ..Started::default() };
    let outputs = session.on(Input::Started(Box::new(started)), now);
    let resized = outputs.iter().any(|output| matches!(output, Output::Resize(size) if *size == pane));
    assert!(resized, "{outputs:?}");
}

/// Pausing an agent withdrew what it asked: a stopped program reads nothing, and a prompt that nobody reads is none.
#[test]
fn a_question_stays_while_its_program_stands_still() {
    let clock = Clock::start().now();
    let at = |ms: u64| Now { ms: clock.ms + ms, ..clock };
    let mut session = session(clock);
    session.on(Input::Started(Box::default()), clock);
    session.feed(b"Use TypeScript? [Y/n] ", at(10));
    let wait = Wait {
        pid: 7,
        thread: 7,
        started: 1,
        program: "npx".into(),
        place: 1,
        sleeps: 1,
        blocking: true,
        handles: false,
    };
    let reading = Witness { reader: Reader::Reading(wait), canonical: true, echo: true };
    let nobody = Witness { reader: Reader::Nobody, ..reading.clone() };
    let mut asks = false;
    let mut look = |session: &mut Session, input: Input, now: Now, witness: &Witness| {
        let mut outputs = session.on(input, now);
        if outputs.iter().any(|output| matches!(output, Output::LookAtReader)) {
            outputs.extend(session.on(Input::Witnessed(witness.clone()), now));
        }
        for output in outputs {
            if let Output::News(News::Looked(sight)) = output {
                asks = sight.verdict.question.is_some();
            }
        }
        asks
    };
    assert!(look(&mut session, Input::Wake, at(2000), &reading));
    let pause = Input::Order(Order::Keeper(ToKeeper::Pause));
    assert!(look(&mut session, pause, at(2010), &nobody));
    assert!(look(&mut session, Input::Wake, at(4000), &nobody));
    let paused = FromKeeper::Paused { forced: Vec::new(), running: Vec::new() };
    assert!(look(&mut session, Input::Keeper(paused), at(4010), &nobody));
    assert!(look(&mut session, Input::Wake, at(9000), &nobody));
    assert!(session.next_wake().is_none_or(|wake| wake > at(9000).ms), "and nobody is kept busy");
    assert!(look(&mut session, Input::Keeper(FromKeeper::Continued), at(9010), &reading));
    assert!(look(&mut session, Input::Wake, at(12_000), &reading));
    assert!(!look(&mut session, Input::Wake, at(30_000), &nobody), "it is looked at again");
}

/// "Continue?" asked in the same breath as a screen was cleared was answered for what stood on the cleared one.
#[test]
fn what_was_cleared_away_is_weighed_with_the_question() {
    let clock = Clock::start().now();
    let clears = ["\x1b[2J\x1b[3J\x1b[H", "\x1b[?1049h\x1b[H", &"\n".repeat(60)];
    for cleared in clears {
        let mut session = session(clock);
        session.on(Input::Started(Box::default()), clock);
        let words =
            format!("All files in /home will be erased if you accept.{cleared}Use TypeScript? [Y/n] ");
        session.feed(words.as_bytes(), clock);
        let now = Now { ms: clock.ms + 2000, ..clock };
        session.on(Input::Wake, now);
        let witness = Witness { reader: Reader::Reading(reading_wait()), canonical: true, echo: true };
        session.on(Input::Witnessed(witness), now);
        let question = session.sight().verdict.question.clone().expect("it asks");
        assert_eq!(question.kind, Kind::Permission, "{cleared:?}");
    }
}

fn reading_wait() -> Wait {
    Wait {
        pid: 7,
        thread: 7,
        started: 1,
        program: "npx".into(),
        place: 1,
        sleeps: 1,
        blocking: true,
        handles: false,
    }
}
