//! Who comes to a keeper's socket: servers that a person started, and nobody else.
//!
//! The loop calls `accept` whenever somebody waits, also while a server is on the line, so that an agent can
//! neither wait in the queue for another's terminal nor fill it before the next server. What an agent is
//! stays here, in memory, for the server that comes next.

use std::collections::VecDeque;
use std::os::unix::net::{UnixListener, UnixStream};

use crate::core::ancestry::{Known, Verdict};
use crate::os::ancestry::{Caller, identity};
use crate::os::keeper_link::{HELD, Orders};
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

    /// Lets in whoever comes to the socket, if that is a server.
    pub fn accept(&mut self, listener: &UnixListener) {
        let Ok((stream, _)) = self.reserve.lend(|| listener.accept()) else { return };
        if !self.is_server(&stream) {
            return;
        }
        self.waiting.push_back(stream);
        if self.waiting.len() > WAITING {
            self.waiting.pop_front();
        }
    }

    /// Whoever has waited longest, and the manifest it is to be told.
    pub fn next(&mut self) -> Option<(UnixStream, Vec<u8>)> {
        let stream = self.waiting.pop_front()?;
        Some((stream, self.manifest.to_string().into_bytes()))
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
