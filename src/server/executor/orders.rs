//! The orders of one session: handed over in turn, kept while its mailbox has no room, and at last given up.
//!
//! The executor has one for each agent. Nothing here waits for a session but the task that hands on what was kept.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::{Sender, error::TrySendError};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::session::mailbox::Command;
use crate::session::message::{AgentKey, News, Order};
use crate::wire::keeper::ToKeeper;

/// A session takes an order within one turn. On a machine whose processors are all taken that turn may be seconds off; one
/// that takes none for so long does not run any more.
const PATIENCE: Duration = Duration::from_secs(20);
/// Orders that are kept: about 100 bytes each. Whoever asks for more meanwhile floods.
const KEPT: usize = 65_536;

pub(super) struct Orders {
    commands: Sender<Command>,
    /// Behind what is in the mailbox; somebody hands them on as long as there is one.
    kept: Arc<Mutex<VecDeque<Command>>>,
    failure: Arc<Failure>,
}

/// What is done with a session that takes no orders.
struct Failure {
    agent: AgentKey,
    name: String,
    task: AbortHandle,
    news: Sender<(AgentKey, News)>,
    patience: Duration,
    given_up: AtomicBool,
}

impl Orders {
    pub fn new(
        to: Sender<Command>,
        agent: AgentKey,
        name: String,
        task: AbortHandle,
        news: Sender<(AgentKey, News)>,
    ) -> Orders {
        let failure =
            Failure { agent, name, task, news, patience: PATIENCE, given_up: AtomicBool::new(false) };
        Orders { commands: to, kept: Arc::default(), failure: Arc::new(failure) }
    }

    /// Whether the session was given up: its keeper takes the terminal back, and a next server the agent.
    pub fn given_up(&self) -> bool {
        self.failure.given_up.load(Ordering::Acquire)
    }

    pub fn give(&self, command: Command) {
        if self.given_up() {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let full = match kept.is_empty() {
            true => match self.commands.try_send(command) {
                Err(TrySendError::Full(command)) => command,
                Ok(()) | Err(TrySendError::Closed(_)) => return,
            },
            false => command,
        };
        if kept.len() >= KEPT {
            drop(kept);
            let failure = Arc::clone(&self.failure);
            drop(tokio::spawn(async move { failure.give_up().await }));
            return;
        }
        // Of what its keeper holds for the next server only the last counts.
        match kept.back_mut() {
            Some(last) if is_note(last) && is_note(&full) => *last = full,
            Some(_) => kept.push_back(full),
            None => {
                kept.push_back(full);
                let (kept, commands) = (Arc::clone(&self.kept), self.commands.clone());
                drop(tokio::spawn(hand_on(kept, commands, Arc::clone(&self.failure))));
            }
        }
    }
}

impl Failure {
    async fn give_up(&self) {
        if self.given_up.swap(true, Ordering::AcqRel) {
            return;
        }
        tracing::error!(agent = self.name, "a session takes no orders and is given up");
        self.task.abort();
        // It may be that it never gets so far as to end.
        drop(self.news.send((self.agent, News::SessionEnded)).await);
    }
}

/// Hands on what is kept, until nothing is or the session takes nothing.
async fn hand_on(kept: Arc<Mutex<VecDeque<Command>>>, commands: Sender<Command>, failure: Arc<Failure>) {
    loop {
        let room = match timeout(failure.patience, commands.reserve()).await {
            Ok(Ok(room)) => room,
            // It has ended, and that is heard.
            Ok(Err(_)) => return,
            Err(_) => return failure.give_up().await,
        };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(first) = kept.pop_front() else { return };
        room.send(first);
        // Whoever gives the next one finds none kept, and hands it over or has somebody hand it on.
        if kept.is_empty() {
            return;
        }
    }
}

fn is_note(command: &Command) -> bool {
    let Command::Order(order) = command else { return false };
    matches!(**order, Order::Keeper(ToKeeper::Hold { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::message::ClientKey;
    use tokio::sync::mpsc;

    fn note(number: u64) -> Command {
        Command::Order(Box::new(Order::Keeper(ToKeeper::Hold { note: number.into() })))
    }

    fn explain(id: u64) -> Command {
        Command::Order(Box::new(Order::Explain { client: ClientKey(1), id, hook: None }))
    }

    fn number(command: &Command) -> u64 {
        let Command::Order(order) = command else { return u64::MAX };
        match &**order {
            Order::Keeper(ToKeeper::Hold { note }) => 1_000_000 + note.as_u64().unwrap_or_default(),
            Order::Explain { id, .. } => *id,
            other => panic!("{other:?} was not given"),
        }
    }

    fn orders(room: usize) -> (Orders, mpsc::Receiver<Command>, mpsc::Receiver<(AgentKey, News)>) {
        let (commands, taken) = mpsc::channel(room);
        let (news, heard) = mpsc::channel(4);
        let task = tokio::spawn(std::future::pending::<()>());
        (Orders::new(commands, AgentKey(1), "a".into(), task.abort_handle(), news), taken, heard)
    }

    /// 160 kB pasted into an `attach` on a busy machine gave a living session up: each key is an order to its keeper.
    #[tokio::test]
    async fn a_session_that_was_slow_to_wake_gets_every_order_in_turn() {
        let (orders, mut taken, mut heard) = orders(4);
        (0..1000).for_each(|id| orders.give(explain(id)));
        for id in 0..500 {
            assert_eq!(number(&taken.recv().await.expect("there are more")), id);
        }
        (1000..1100).for_each(|id| orders.give(explain(id)));
        orders.give(Command::Forget);
        for id in 500..1100 {
            assert_eq!(number(&taken.recv().await.expect("there are more")), id);
        }
        assert!(matches!(taken.recv().await, Some(Command::Forget)));
        assert!(!orders.given_up() && heard.try_recv().is_err());
    }

    #[tokio::test]
    async fn of_what_a_keeper_is_to_hold_the_last_is_kept_at_its_place() {
        let (orders, mut taken, _heard) = orders(1);
        orders.give(explain(0));
        (1..50).for_each(|id| orders.give(note(id)));
        orders.give(explain(2));
        (50..60).for_each(|id| orders.give(note(id)));
        for wanted in [0, 1_000_049, 2, 1_000_059] {
            assert_eq!(number(&taken.recv().await.expect("there are more")), wanted);
        }
    }

    #[tokio::test]
    async fn a_session_that_takes_none_is_given_up_once() {
        let (mut orders, _taken, mut heard) = orders(1);
        Arc::get_mut(&mut orders.failure).expect("nobody else has it yet").patience = Duration::ZERO;
        (0..50).for_each(|id| orders.give(explain(id)));
        assert!(matches!(heard.recv().await, Some((AgentKey(1), News::SessionEnded))));
        assert!(orders.given_up());
        orders.give(explain(50));
        drop(orders);
        assert!(heard.recv().await.is_none(), "told once");
    }
}
