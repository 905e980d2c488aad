//! Who is at the other end of one client's connection: looked at again whenever it is to act, and held to what it
//! may take.
//!
//! Its client's task asks. What it may do is decided by its hello, in the hub; here is only whether that still holds.

use std::sync::Arc;
use std::time::Duration;

use crate::core::ancestry::{Known, Reason, Verdict};
use crate::os::ancestry::{Ancestors, Caller};
use crate::wire::message::Reply;

use super::accept_io::Door;
use super::frame_room::Part;
use super::quota::Seat;
use super::standing::{Standing, refusal};

#[derive(Debug)]
pub struct Peer {
    /// Absent where the system does not tell, and where nobody is known there: then it never was a person.
    caller: Option<Caller>,
    seat: Seat,
    door: Arc<Door>,
    /// What made it a person: its ancestors, and which processes were known to be agents'.
    proof: Option<(Ancestors, Arc<Known>)>,
}

impl Peer {
    pub fn new(caller: Option<Caller>, seat: Seat, door: Arc<Door>) -> Peer {
        // Nobody else is looked at again, and it holds a descriptor.
        let caller = caller.filter(|_| seat.is_persons());
        Peer { caller, seat, door, proof: None }
    }

    /// # Errors
    /// The refusal.
    pub fn is_person(&mut self) -> Result<(), Reply> {
        let Some(caller) = &self.caller else { return Ok(()) };
        let known = Arc::clone(&self.door.known.borrow());
        if let Some((ancestors, then)) = &self.proof
            && Arc::ptr_eq(then, &known)
            && !caller.has_ended()
            && !ancestors.have_ended()
        {
            return Ok(());
        }
        let (verdict, ancestors) = caller.proof(&known, &self.door.reserve);
        self.proof = None;
        match verdict {
            Verdict::Person(_) => {
                self.proof = ancestors.map(|ancestors| (ancestors, known));
                Ok(())
            }
            Verdict::Agent(_) | Verdict::ByToken => Err(refusal(&Reason::Orphan)),
            Verdict::Refused(reason) => Err(refusal(&reason)),
        }
    }

    /// Room for a frame of this length, until that is whole.
    ///
    /// # Errors
    /// Why there is none.
    pub fn frame_room(&self, standing: Option<Standing>, bytes: usize) -> Result<Part, String> {
        self.door.frame_room.part(standing, bytes)
    }

    /// Whether it was let in as a person.
    pub fn was_person(&self) -> bool {
        self.seat.is_persons()
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
