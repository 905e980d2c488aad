//! Who comes to a keeper's socket: servers that a person started, and nobody else.
//!
//! The loop calls `accept` whenever somebody waits, also while a server is on the line, so that an agent can
//! neither wait in the queue for another's terminal nor fill it before the next server. What an agent is
//! stays here, in memory, for the server that comes next.

use std::collections::VecDeque;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use super::line::Line;
use super::run::Keeper;
use crate::core::ancestry::{Known, Verdict};
use crate::core::terminal::grid::Size;
use crate::os::ancestry::{Caller, identity};
use crate::os::keeper_link::{HELD, Hello, LINK_VERSION, Orders};
use crate::os::pty;
use crate::os::reserve::Reserve;

/// Servers that wait while another one leaves; two are rare.
const WAITING: usize = 8;

/// What the keeper knows of who may come, and what it tells them.
#[derive(Debug)]
pub struct Callers {
    known: Known,
    reserve: Reserve,
    manifest: serde_json::Value,
    waiting: VecDeque<UnixStream>,
}

impl Callers {
    pub fn new(orders: &Orders) -> Callers {
        let keepers = identity(std::process::id()).into_iter().collect();
        let known = Known { keepers, generation: orders.generation, ..Known::default() };
        Callers {
            known,
            reserve: Reserve::new(),
            manifest: orders.manifest.clone(),
            waiting: VecDeque::new(),
        }
    }

    /// The manifest from now on has this beside what the agent was started from.
    pub fn hold(&mut self, note: serde_json::Value) {
        if let Some(manifest) = self.manifest.as_object_mut() {
            manifest.insert(HELD.to_owned(), note);
        }
    }

    /// Whether a server waits.
    pub fn any(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// A server is a process of a person that descends from no agent, of this keeper or another.
    fn is_server(&self, stream: &UnixStream) -> bool {
        if cfg!(not(target_os = "linux")) {
            return crate::os::peer::of(stream).is_ok_and(|peer| peer.is_us());
        }
        let caller = Caller::of(stream, &self.reserve);
        let verdict = caller.map(|caller| caller.verdict(&self.known, &self.reserve));
        matches!(verdict, Ok(Verdict::Person(_)))
    }
}

impl Keeper {
    pub(super) fn accept(&mut self) {
        let Ok((stream, _)) = self.callers.reserve.lend(|| self.listener.accept()) else { return };
        if !self.callers.is_server(&stream) {
            return;
        }
        self.callers.waiting.push_back(stream);
        if self.callers.waiting.len() > WAITING {
            self.callers.waiting.pop_front();
        }
    }

    /// The line is free: whoever waits is greeted, or found to have gone.
    pub(super) fn greet_next(&mut self) {
        let Some(stream) = self.callers.waiting.pop_front() else { return };
        let manifest = self.callers.manifest.to_string().into_bytes();
        let hello = Hello {
            version: LINK_VERSION,
            name: self.name.clone(),
            agent_pid: self.agent.as_raw().unsigned_abs(),
            keeper_pid: std::process::id(),
            run: self.run,
            size: pty::size_of(&self.master).unwrap_or(Size::FALLBACK),
            manifest: manifest.len() as u64,
            ring: self.ring.len() as u64,
            dropped: self.ring.dropped(),
            ended_unix_ms: self.ended_unix_ms,
            tells_signals: true,
        };
        self.line = Line::open(stream, &hello, &manifest, &self.ring, Instant::now()).ok();
    }
}
