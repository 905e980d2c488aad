//! Output kept while no server reads: the newest bytes, up to a limit.
//!
//! The keeper's loop fills it and hands it over whole. It must never lose count of what it dropped.

use std::collections::VecDeque;

#[derive(Debug)]
pub struct Ring {
    bytes: VecDeque<u8>,
    limit: usize,
    dropped: u64,
    disturbed: bool,
}

impl Ring {
    pub fn new(limit: usize) -> Ring {
        Ring { bytes: VecDeque::new(), limit, dropped: 0, disturbed: false }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        let kept = &bytes[bytes.len().saturating_sub(self.limit)..];
        let room = self.limit - kept.len();
        let over = self.bytes.len().saturating_sub(room);
        self.bytes.drain(..over);
        self.bytes.extend(kept);
        self.dropped += (over + bytes.len() - kept.len()) as u64;
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn limit(&self) -> usize {
        self.limit
    }

    /// How many bytes came since the last `clear` and are no longer here.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Somebody had output thrown away or held back before it was read.
    pub fn disturbed(&mut self) {
        self.disturbed = true;
    }

    /// Whether that has happened since the last `clear`.
    pub fn is_disturbed(&self) -> bool {
        self.disturbed
    }

    pub fn copy_into(&self, out: &mut Vec<u8>) {
        let (front, back) = self.bytes.as_slices();
        out.extend_from_slice(front);
        out.extend_from_slice(back);
    }

    /// A server has it all. The memory goes too: most keepers never need it again.
    pub fn clear(&mut self) {
        *self = Ring::new(self.limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_bytes_stay_and_the_rest_is_counted() {
        let all: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        for limit in [0, 1, 7, 64, 9_999, 20_000] {
            for step in [1, 3, 64, 100, 10_000] {
                let mut ring = Ring::new(limit);
                all.chunks(step).for_each(|chunk| ring.push(chunk));
                let mut kept = Vec::new();
                ring.copy_into(&mut kept);
                let from = all.len().saturating_sub(limit);
                assert_eq!(kept, &all[from..], "limit {limit}, step {step}");
                assert_eq!((ring.len(), ring.dropped()), (kept.len(), from as u64));
                ring.clear();
                assert_eq!((ring.len(), ring.dropped()), (0, 0));
            }
        }
    }
}
