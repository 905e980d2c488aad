//! Another server is to take over, once nothing is half typed: it finds every dialog and draft as it was.
//!
//! What a session was just sent, or told to type, is not known here before it says so: each is asked for a barrier, and has
//! told all that came before when that is back.

use std::collections::BTreeSet;

use crate::session::message::AgentKey;

/// An answer is typed within seconds; longer than that nobody wants to wait for an upgrade.
const REPLACE_MS: u64 = 10_000;

#[derive(Debug)]
pub struct Replacement {
    /// By then at the latest.
    pub by_ms: u64,
    /// Sessions whose barrier is still to come.
    behind: BTreeSet<AgentKey>,
}

impl Replacement {
    pub fn new(now_ms: u64, sessions: impl Iterator<Item = AgentKey>) -> Replacement {
        Replacement { by_ms: now_ms + REPLACE_MS, behind: sessions.collect() }
    }

    pub fn barrier(&mut self, session: AgentKey) {
        self.behind.remove(&session);
    }

    /// Whether it waits for one of these.
    pub fn waits_for(&self, mut sessions: impl Iterator<Item = AgentKey>) -> bool {
        sessions.any(|session| self.behind.contains(&session))
    }
}
