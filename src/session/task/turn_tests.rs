//! How long a session keeps its thread.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::core::agent::Host;
use crate::core::profile::Profiles;
use crate::core::terminal::grid::Size;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::sizing::Sizing;
use crate::session::message::{AgentKey, Started};
use crate::session::port::FromTerminal;
use crate::session::setting::{Clock, Setting, Terminal};
use crate::session::{Session, Setup, mailbox, task};

const BLOCKS: usize = 60;

fn session(now: crate::session::message::Now) -> Session {
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
    let terminal = Terminal::Remote { to, from, task: tokio::spawn(std::future::pending()) };
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
