//! How a server goes: whoever typed is answered, clients are let go, sessions hand their agents to the keepers.
//!
//! The server's loop has ended by then, and nobody decides anything any more.

use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::sync::{OwnedRwLockWriteGuard, oneshot};
use tokio::time::timeout;

use crate::session::message::{AgentKey, News};
use crate::wire::message::{Notice, ServerMessage};

use super::{AgentHandle, Executor, file_io};

/// What was typed is answered within a turn, its Enter within a second on a busy machine.
const TYPING_TIME: Duration = Duration::from_secs(1);
/// A session ends within one turn.
const STOP_TIME: Duration = Duration::from_secs(1);
/// A client that was told everything has at most this long to read it and hang up.
const GOODBYE_TIME: Duration = Duration::from_secs(1);
/// What a disk may take to write a few lines: a next server begins without them rather than not at all.
const LOG_TIME: Duration = Duration::from_secs(5);
/// A keeper that was told to leave has at most this long to sweep and go.
const LEAVE_TIME: Duration = Duration::from_secs(3);

impl Executor {
    /// Waits until the log has all that was decided. While the sockets are still this server's: the next one reads there which
    /// questions there were, and ties its own entries to the last.
    async fn written(&mut self) {
        let Some(files) = self.files.clone() else { return };
        let (told, written) = oneshot::channel();
        let barrier = file_io::Job::Barrier(told);
        let jobs: Vec<file_io::Job> =
            std::mem::take(&mut self.unwritten).into_iter().chain([barrier]).collect();
        // Where the disk keeps its thread, there may be no room for them yet.
        drop(tokio::task::spawn_blocking(move || jobs.into_iter().try_for_each(|job| files.send(job))));
        let _ = timeout(LOG_TIME, written).await;
    }

    /// Lets what must be finished finish: the log, messages under way, keepers that were told to leave. The sockets are let go in
    /// the order in which they are given.
    pub async fn close(
        &mut self,
        news: &mut Receiver<(AgentKey, News)>,
        (first, then): (impl Send, impl Send),
    ) {
        self.written().await;
        drop(first);
        drop(then);
        let closed = self.end_typing(news).await;
        for client in self.clients.values() {
            if closed.is_some() {
                client.sink.send(ServerMessage::Notice(Notice::TypesNoMore));
            }
            client.sink.goodbye();
        }
        // The answer to whoever ended the server may still be on its way, and keys typed before they heard of it.
        let served = async { while self.serving.join_next().await.is_some() {} };
        let _ = timeout(GOODBYE_TIME, served).await;
        self.clients.clear();
        let agents: Vec<AgentHandle> = self.agents.drain().map(|(_, handle)| handle).collect();
        for AgentHandle { orders, task, .. } in agents {
            drop(orders);
            // What it has read goes to its journal.
            let _ = timeout(STOP_TIME, task).await;
        }
        let leaving: Vec<_> = self.leaving.drain().map(|(_, task)| task).collect();
        for task in leaving {
            let _ = timeout(LEAVE_TIME, task).await;
        }
        for job in std::mem::take(&mut self.unwritten) {
            // Its thread writes what it can before it ends.
            let _ = self.files.as_ref().map(|files| files.send(job));
        }
        self.files = None;
        if let Some(writer) = self.writer.take() {
            let _ = tokio::task::spawn_blocking(move || writer.join()).await;
        }
    }

    /// From now on no text is taken, and whoever's was is answered: a client that heard nothing of it would type it again at
    /// the next server, or not at all. `None`: an agent has not come to it in time, and nobody can be told that it was not typed.
    async fn end_typing(
        &mut self,
        news: &mut Receiver<(AgentKey, News)>,
    ) -> Option<OwnedRwLockWriteGuard<()>> {
        let gate = self.gate.clone();
        let mut closed = std::pin::pin!(timeout(TYPING_TIME, gate.close()));
        let closed = loop {
            tokio::select! {
                biased;
                closed = &mut closed => break closed.ok(),
                Some((_, news)) = news.recv() => self.pass_reply(news),
            }
        };
        // A request is let go of when its reply is among these.
        while let Ok((_, news)) = news.try_recv() {
            self.pass_reply(news);
        }
        closed
    }

    fn pass_reply(&self, news: News) {
        if let News::Reply { client, id, reply } = news
            && let Some(client) = self.clients.get(&client)
        {
            client.sink.send(ServerMessage::Reply { id, reply: *reply });
        }
    }
}
