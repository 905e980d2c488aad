//! What is typed while the server is away: it waits for the next one, as it would in a terminal.
//!
//! A key that is dropped takes its place in the line along, and the Enter behind the rest runs that. `update.rs` puts keys in,
//! `notices.rs` takes them out once everything has been told anew. Pure.

use std::collections::HashSet;

use crate::core::terminal::keys::Input;

/// A server is back within a second or two. What was typed longer ago was typed for a screen of which nobody knows what has
/// become.
const LONGEST_MS: u64 = 10_000;
/// Far more keys than anybody types in that time. A paste is one.
const MOST: usize = 1_000;

/// Keys for agents, in the order they were typed.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct HeldKeys {
    keys: Vec<HeldKey>,
    since_ms: u64,
    /// Some were too many or too old: what comes behind them waits for nothing any more.
    given_up: bool,
}

/// A key for an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldKey {
    pub agent: String,
    pub input: Input,
    /// The question that was open when this was typed.
    pub asked: Option<String>,
}

/// What comes of keys once there is a server.
#[derive(Debug, Default, PartialEq)]
pub struct Released {
    pub keys: Vec<(String, Input)>,
    /// Something was typed, and not all of it can be sent.
    pub lost: bool,
}

impl HeldKeys {
    /// Keeps a key for each of these agents, `false` where that goes on for too long.
    pub fn hold(&mut self, keys: Vec<HeldKey>, now_ms: u64) -> bool {
        if self.keys.is_empty() {
            self.since_ms = now_ms;
        }
        self.keys.extend(keys);
        self.given_up |= now_ms > self.since_ms + LONGEST_MS || self.keys.len() > MOST;
        if self.given_up {
            self.keys.clear();
        }
        !self.given_up
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && !self.given_up
    }

    /// What can still be taken as it was meant: all of an agent's keys, or none of them.
    pub fn release(self, now_ms: u64, takes: impl Fn(&HeldKey) -> bool) -> Released {
        let late = now_ms > self.since_ms + LONGEST_MS;
        let refused = self.keys.iter().filter(|key| late || !takes(key));
        let refused: HashSet<String> = refused.map(|key| key.agent.clone()).collect();
        let lost = self.given_up || !refused.is_empty();
        let keys = self.keys.into_iter().filter(|key| !refused.contains(&key.agent));
        Released { keys: keys.map(|key| (key.agent, key.input)).collect(), lost }
    }
}
