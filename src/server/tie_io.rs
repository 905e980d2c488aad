//! Waits for the end of the processes that agents are tied to.
//!
//! Called by the executor; tells the hub, and ends nothing itself.

use std::collections::HashMap;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::mpsc::Sender;
use tokio::task::AbortHandle;

use crate::core::agent::Tie;
use crate::os::tie::{Found, find};
use crate::session::message::AgentKey;

use super::effect::Event;

/// The waits under way.
#[derive(Debug, Default)]
pub struct Ties(HashMap<AgentKey, AbortHandle>);

impl Ties {
    pub fn watch(&mut self, agent: AgentKey, tie: Tie, events: Sender<Event>) {
        let watch = async move {
            if ended(tie).await {
                let _ = events.send(Event::TieCut { agent }).await;
            }
        };
        self.0.insert(agent, tokio::spawn(watch).abort_handle());
    }

    /// The agent is gone for good.
    pub fn forget(&mut self, agent: AgentKey) {
        if let Some(watch) = self.0.remove(&agent) {
            watch.abort();
        }
    }
}

/// Once it has; `false`: nobody can say.
async fn ended(tie: Tie) -> bool {
    match find(tie) {
        Found::Ended => true,
        // SAFETY: an `OwnedFd` is open and stays the same descriptor until the `AsyncFd` is dropped.
        Found::Here(handle) => match unsafe { AsyncFd::register_with_interest(handle, Interest::READABLE) } {
            Ok(handle) => handle.readable().await.is_ok(),
            Err(_) => false,
        },
        Found::Untold => {
            tracing::warn!(pid = tie.pid, "the process that an agent is to end with cannot be looked after");
            false
        }
    }
}
