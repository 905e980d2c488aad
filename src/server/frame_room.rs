//! The room that frames take before they are whole: so much for all of them together, and none for whoever is not known yet.
//!
//! A client's task asks for it as soon as a frame's head tells its length. What is small is not asked for: each connection may
//! hold that much. Whoever gets no room is told, and what is left of the frame is read and thrown away.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::standing::Standing;

/// A frame up to this length needs no room: every request but what carries files, a paste or a whole configuration.
pub const SMALL: usize = 64 * 1024;
/// What people's frames take together, and those of agents: three of the longest, and the files that some hooks tell of.
const PEOPLE: usize = 48 * 1024 * 1024;
const AGENTS: usize = 24 * 1024 * 1024;
/// The longest takes a fraction of a second to be sent, on a busy machine some.
pub const WITHIN: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    People,
    Agents,
}

#[derive(Debug)]
struct Left {
    people: usize,
    agents: usize,
}

impl Left {
    fn of(&mut self, of: Of) -> &mut usize {
        match of {
            Of::People => &mut self.people,
            Of::Agents => &mut self.agents,
        }
    }
}

/// What is left for frames that are not whole.
#[derive(Debug, Clone)]
pub struct FrameRoom(Arc<Mutex<Left>>);

/// A frame's part of it, until it is dropped.
#[derive(Debug)]
pub struct Part {
    room: FrameRoom,
    of: Of,
    bytes: usize,
}

impl Default for FrameRoom {
    fn default() -> FrameRoom {
        FrameRoom(Arc::new(Mutex::new(Left { people: PEOPLE, agents: AGENTS })))
    }
}

impl FrameRoom {
    /// Room for a frame of this length from a client of this standing; none before its hello.
    ///
    /// # Errors
    /// Why there is none.
    pub fn part(&self, standing: Option<Standing>, bytes: usize) -> Result<Part, String> {
        let of = match standing {
            Some(Standing::Person) => Of::People,
            Some(Standing::Agent(_)) => Of::Agents,
            Some(Standing::Stranger | Standing::Refused) | None => {
                return Err(format!(
                    "a message of {bytes} bytes is too long for a client that is not known; {SMALL} are taken"
                ));
            }
        };
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left = left.of(of);
        let Some(rest) = left.checked_sub(bytes) else {
            return Err(format!(
                "a message of {bytes} bytes finds no room beside those that others are sending ({left} bytes are left); nothing of \
                 it was done: try again in {} s, or send less at once",
                WITHIN.as_secs()
            ));
        };
        *left = rest;
        Ok(Part { room: self.clone(), of, bytes })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut left = self.room.0.lock().unwrap_or_else(PoisonError::into_inner);
        *left.of(self.of) += self.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    /// A hundred connections that each sent all of a long frame but its last byte took the server to 1.7 GB.
    #[test]
    fn unfinished_frames_hold_no_more_than_their_room_together() {
        let room = FrameRoom::default();
        let person = Some(Standing::Person);
        let held: Vec<Part> = (0..100).filter_map(|_| room.part(person, 16 * MIB).ok()).collect();
        assert_eq!(held.len(), 3);
        let why = room.part(person, 16 * MIB).unwrap_err();
        assert!(why.contains("no room") && why.contains("try again"), "{why}");
        assert!(room.part(Some(Standing::Agent(None)), 16 * MIB).is_ok(), "agents have theirs");
        drop(held);
        assert!(room.part(person, 16 * MIB).is_ok());
    }

    #[test]
    fn who_is_not_known_has_none() {
        let room = FrameRoom::default();
        for standing in [None, Some(Standing::Stranger), Some(Standing::Refused)] {
            assert!(room.part(standing, SMALL + 1).is_err());
        }
        assert!(room.part(Some(Standing::Agent(None)), 25 * MIB).is_err());
    }
}
