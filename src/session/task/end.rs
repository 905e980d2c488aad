//! How a session's task ends: the server goes and the agent stays, or the agent is forgotten.

use super::Task;
use super::open::told;
use crate::session::port::ToTerminal;
use crate::session::setting::Terminal;

impl Task {
    /// The server ends, the agent stays: its keeper takes the terminal back.
    pub(super) fn stop(mut self) {
        while self.fed < self.unfed.len() {
            self.feed_turn();
        }
        self.flush_journal();
    }

    pub(super) async fn leave(mut self) {
        // What became of an answer that was being typed is still to be told.
        for news in std::mem::take(&mut self.waiting) {
            let reply = told(&news);
            let _ = self.news.send((self.agent, news)).await;
            self.asked.answered(reply);
        }
        // Nothing else is answered by this session.
        drop(self.asked);
        match self.terminal {
            Some(Terminal::Pty(pty)) => pty.leave().await,
            Some(Terminal::Remote { to, task, mut from, .. }) => {
                let _ = to.send(ToTerminal::Forget).await;
                // It may have something to say yet, which nobody needs any more.
                while from.recv().await.is_some() {}
                let _ = task.await;
            }
            None => {
                // Its start is seen through, so that nothing of it stays behind.
                if let Some(starting) = self.starting
                    && let Ok((_, Terminal::Pty(pty))) = starting.await
                {
                    pty.leave().await;
                }
            }
        }
    }
}
