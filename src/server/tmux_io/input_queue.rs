//! What is to be typed into a pane, and whether a person is typing there.
//!
//! Pure but for its place: the task asks tmux and tells the answers. A person always wins: as long as one
//! looks on, nothing is typed before it is known that they have not just typed.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::core::policy::typing::{BRACKETS, PASTE_BYTES};
use crate::core::tmux::command::{Line, ask_nothing, paste, type_bytes};
use crate::core::tmux::restore::clients;
use crate::core::tmux::{PaneId, Reply};

use super::control_client::Purpose;

/// Bytes that may wait to be typed: the largest paste.
const MAX_QUEUE: usize = PASTE_BYTES + BRACKETS;
/// Around a paste, as the hub encodes it.
const OPEN: &[u8] = b"\x1b[200~";
const CLOSE: &[u8] = b"\x1b[201~";

#[derive(Debug, Default)]
pub struct InputQueue {
    waiting: Vec<Waiting>,
    queued: usize,
    /// The terminals that look on, and when each last heard from its user.
    seen: HashMap<String, u64>,
    people: bool,
    looked_at: u64,
    refusing: bool,
    /// Somebody waits to be told whether what was typed was taken; so many, and something was not since the last was told.
    confirmations: usize,
    refused: bool,
}

#[derive(Debug)]
enum Waiting {
    Bytes(Vec<u8>),
    Confirmation,
}

/// What was not typed.
#[derive(Debug, PartialEq, Eq)]
pub struct Dropped {
    pub bytes: bool,
    /// How many wait to be told.
    pub confirmations: usize,
}

/// What a look at the clients told.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    /// A person looks on, and nobody did before.
    pub came: bool,
    pub typed: bool,
}

impl InputQueue {
    /// Whether a person's terminal shows the pane.
    pub fn people(&self) -> bool {
        self.people
    }

    /// Takes bytes to be typed; `false` if that would be too many.
    pub fn take(&mut self, bytes: Vec<u8>, unsent: usize) -> bool {
        // tmux is told three characters for each byte.
        if self.queued + unsent / 3 + bytes.len() > MAX_QUEUE {
            return false;
        }
        self.queued += bytes.len();
        self.waiting.push(Waiting::Bytes(bytes));
        true
    }

    /// Somebody wants to know whether all before was taken.
    pub fn confirm(&mut self) {
        self.confirmations += 1;
        self.waiting.push(Waiting::Confirmation);
    }

    /// Everything that waits, as lines for tmux.
    pub fn lines(&mut self, pane: PaneId) -> Vec<(Line, Purpose)> {
        self.queued = 0;
        let typed = |line: Line| (line, Purpose::Typed);
        let lines = |waiting: Waiting| match waiting {
            Waiting::Bytes(bytes) => lines(pane, &bytes).into_iter().map(typed).collect(),
            Waiting::Confirmation => vec![(ask_nothing(pane), Purpose::Confirm)],
        };
        std::mem::take(&mut self.waiting).into_iter().flat_map(lines).collect()
    }

    /// Forgets what waits.
    pub fn drop_all(&mut self) -> Dropped {
        self.queued = 0;
        let waiting = std::mem::take(&mut self.waiting);
        let confirmations = waiting.iter().filter(|waiting| matches!(waiting, Waiting::Confirmation)).count();
        self.confirmations -= confirmations;
        Dropped { bytes: waiting.len() > confirmations, confirmations }
    }

    /// Forgets who waits to be told; how many that were.
    pub fn drop_unconfirmed(&mut self) -> usize {
        self.waiting.retain(|waiting| matches!(waiting, Waiting::Bytes(_)));
        self.refused = false;
        std::mem::take(&mut self.confirmations)
    }

    /// Whether somebody waits to be told.
    pub fn awaits_confirmation(&self) -> bool {
        self.confirmations > 0
    }

    /// Whether all was taken before the oldest that was asked; it is told now.
    pub fn confirmed(&mut self) -> bool {
        self.confirmations = self.confirmations.saturating_sub(1);
        !std::mem::take(&mut self.refused)
    }

    /// Notes whether tmux refused; true for the first refusal in a row.
    pub fn refused(&mut self, refused: bool) -> bool {
        let first = refused && !self.refusing;
        self.refusing = refused;
        self.refused |= refused && self.awaits_confirmation();
        first
    }

    /// Compares the clients with those of the last look.
    pub fn look(&mut self, reply: &Reply, pane: PaneId) -> Seen {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        self.look_at(reply, pane, now)
    }

    fn look_at(&mut self, reply: &Reply, pane: PaneId, now: u64) -> Seen {
        let before = self.people;
        let here: HashMap<String, u64> = clients(reply)
            .into_iter()
            .filter(|client| !client.control && client.pane == pane)
            .map(|client| (client.name, client.activity))
            .collect();
        // A second is the finest tmux tells: a key in the very second of the last look may be a new one.
        let looked = self.looked_at;
        let typed = here.iter().any(|(name, activity)| {
            self.seen.get(name).is_some_and(|before| activity != before || *activity >= looked)
        });
        self.people = !here.is_empty();
        self.seen = here;
        self.looked_at = now;
        Seen { came: self.people && !before, typed }
    }
}

/// A paste goes through tmux's own, which knows better than anybody whether the program takes brackets.
fn lines(pane: PaneId, bytes: &[u8]) -> Vec<Line> {
    let find = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).position(|window| window == what);
    let mut lines = Vec::new();
    let mut rest = bytes;
    while let Some(open) = find(rest, OPEN) {
        let inner = &rest[open + OPEN.len()..];
        let Some(close) = find(inner, CLOSE) else { break };
        lines.extend(type_bytes(pane, &rest[..open]));
        if close > 0 {
            lines.extend(paste(pane, &inner[..close]));
        }
        rest = &inner[close + CLOSE.len()..];
    }
    lines.extend(type_bytes(pane, rest));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const PANE: PaneId = PaneId(4);

    fn reply(lines: &[&str]) -> Reply {
        let lines = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        Reply { number: 1, ours: true, ok: true, lines }
    }

    #[test]
    fn a_paste_is_left_to_tmux_and_keys_are_typed() {
        let lines = lines(PANE, b"a\x1b[200~two\rlines\x1b[201~\r");
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts.len(), 4, "{texts:?}");
        assert!(texts[0].ends_with("-H 61'") && texts[3].ends_with("-H 0d'"), "{texts:?}");
        assert!(texts[1].starts_with("set-buffer") && texts[2].contains("paste-buffer"), "{texts:?}");
        assert_eq!(super::lines(PANE, b"\x1b[200~open").len(), 1);
        assert!(super::lines(PANE, b"\x1b[200~\x1b[201~").is_empty());
    }

    #[test]
    fn a_person_is_seen_to_come_and_to_type() {
        let mut input_queue = InputQueue::default();
        let look =
            |input_queue: &mut InputQueue, line: &str, now| input_queue.look_at(&reply(&[line]), PANE, now);
        let seen = |came, typed| Seen { came, typed };
        assert_eq!(look(&mut input_queue, "1 90 %4 client-7", 100), seen(false, false));
        assert_eq!(look(&mut input_queue, "0 90 %5 /dev/pts/1", 101), seen(false, false));
        assert_eq!(look(&mut input_queue, "0 90 %4 /dev/pts/1", 102), seen(true, false));
        assert!(input_queue.people());
        assert_eq!(look(&mut input_queue, "0 90 %4 /dev/pts/1", 103), seen(false, false));
        assert_eq!(look(&mut input_queue, "0 104 %4 /dev/pts/1", 104), seen(false, true));
        // Perhaps the same key again, perhaps another.
        assert_eq!(look(&mut input_queue, "0 104 %4 /dev/pts/1", 104), seen(false, true));
        assert_eq!(look(&mut input_queue, "0 104 %4 /dev/pts/1", 105), seen(false, true));
        assert_eq!(look(&mut input_queue, "0 104 %4 /dev/pts/1", 106), seen(false, false));
        assert_eq!(look(&mut input_queue, "1 104 %4 client-7", 107), seen(false, false));
        assert!(!input_queue.people());
    }

    #[test]
    fn too_much_is_refused() {
        let mut input_queue = InputQueue::default();
        assert!(input_queue.take(vec![b'x'; MAX_QUEUE], 0));
        assert!(!input_queue.take(vec![b'x'], 0));
        let dropped = |bytes, confirmations| Dropped { bytes, confirmations };
        assert_eq!([input_queue.drop_all(), input_queue.drop_all()], [dropped(true, 0), dropped(false, 0)]);
        assert!(!input_queue.take(vec![b'x'; 10], 3 * MAX_QUEUE));
        assert!(input_queue.refused(true) && !input_queue.refused(true) && !input_queue.refused(false));
    }
}
