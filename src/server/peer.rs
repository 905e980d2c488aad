//! Who is at the other end of one client's connection: looked at again whenever it is to act, and held to what it
//! may take.
//!
//! Its client's task asks. What it may do is decided by its hello, in the hub; here is only whether that still holds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::core::ancestry::{Reason, Verdict};
use crate::os::ancestry::Caller;
use crate::wire::Request;
use crate::wire::message::Reply;

use super::accept_io::Door;
use super::quota::Seat;
use super::standing::refusal;

/// Keys come in bursts: that the process lives is seen before each, where it comes from so often.
const BETWEEN_KEYS: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub struct Peer {
    /// Absent where the system does not tell, and where nobody is known there: then it never was a person.
    caller: Option<Caller>,
    seat: Seat,
    door: Arc<Door>,
    /// When its ancestors were last found to be a person's.
    looked: Option<Instant>,
}

impl Peer {
    pub fn new(caller: Option<Caller>, seat: Seat, door: Arc<Door>) -> Peer {
        // Nobody else is looked at again, and it holds a descriptor.
        let caller = caller.filter(|_| seat.is_persons());
        Peer { caller, seat, door, looked: None }
    }

    /// # Errors
    /// The refusal.
    pub fn is_person(&mut self, request: &Request) -> Result<(), Reply> {
        let Some(caller) = &self.caller else { return Ok(()) };
        let fresh = self.looked.is_some_and(|at| at.elapsed() < BETWEEN_KEYS);
        if fresh && matches!(request, Request::Keys { .. }) && !caller.has_ended() {
            return Ok(());
        }
        let verdict = caller.verdict(&self.door.known.borrow(), &self.door.reserve);
        match verdict {
            Verdict::Person(_) => {
                self.looked = Some(Instant::now());
                Ok(())
            }
            Verdict::Agent(_) | Verdict::ByToken => Err(refusal(&Reason::Orphan)),
            Verdict::Refused(reason) => Err(refusal(&reason)),
        }
    }

    /// An agent that asks more than it may waits.
    pub async fn asked(&self) {
        wait(self.seat.after_request(self.door.clock.now().ms)).await;
    }

    /// The same by the length of what it says.
    pub async fn read(&self, bytes: usize) {
        wait(self.seat.after_bytes(bytes, self.door.clock.now().ms)).await;
    }
}

async fn wait(time: Duration) {
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}
