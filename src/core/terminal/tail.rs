//! The newest bytes a program wrote, as it wrote them, with places that never change their number.
//!
//! The hub keeps one for each agent; `read --raw` takes from it. Bounded: what is older is gone.

use std::collections::VecDeque;

/// A bounded end of a byte stream.
#[derive(Debug)]
pub struct Tail {
    bytes: VecDeque<u8>,
    /// Place of the oldest kept byte in the whole stream.
    first: u64,
    limit: usize,
    /// Places that stand for output nobody has read. What is held there is no output.
    missed: VecDeque<u64>,
}

impl Tail {
    pub fn new(limit: usize) -> Tail {
        Tail { bytes: VecDeque::new(), first: 0, limit, missed: VecDeque::new() }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        // First out, then in: so it never allocates more than its limit.
        let kept = &bytes[bytes.len().saturating_sub(self.limit)..];
        let over = (self.bytes.len() + kept.len()).saturating_sub(self.limit);
        self.bytes.drain(..over);
        self.bytes.extend(kept);
        self.first += (over + bytes.len() - kept.len()) as u64;
        while self.missed.front().is_some_and(|place| *place < self.first) {
            self.missed.pop_front();
        }
    }

    /// Output may be missing here. It takes one place, so that whoever had come to it is told, and told once.
    pub fn miss(&mut self) {
        self.missed.push_back(self.end());
        self.push(&[0]);
    }

    /// The stream has come to this place, whatever there was on the way: what is not known of it is lost.
    pub fn go_on_at(&mut self, place: u64) {
        if place != self.end() {
            self.bytes.clear();
            self.missed.clear();
            self.first = place;
        }
    }

    /// The place behind the newest byte.
    pub fn end(&self) -> u64 {
        self.first + self.bytes.len() as u64
    }

    /// At most so many bytes from place `since` on, whether bytes before or among them are lost, and the place behind them.
    pub fn bytes_since(&self, since: u64, most: usize) -> (Vec<u8>, bool, u64) {
        let end = self.end();
        let (mut bytes, mut lost, mut place) = (Vec::new(), since < self.first, since.clamp(self.first, end));
        while place < end && bytes.len() < most {
            let stop = self.missed.iter().copied().find(|missed| *missed >= place).unwrap_or(end);
            let count = self.index(stop - place).min(most - bytes.len());
            let from = self.index(place - self.first);
            bytes.extend(self.bytes.range(from..from + count));
            place += count as u64;
            if place == stop && stop < end {
                lost = true;
                place += 1;
            }
        }
        (bytes, lost, place)
    }

    /// A distance within what is held.
    fn index(&self, distance: u64) -> usize {
        usize::try_from(distance).map_or(self.bytes.len(), |distance| distance.min(self.bytes.len()))
    }

    /// Text of at most so many bytes from place `since` on, whether bytes before or among it are lost, and the place behind
    /// it. A character whose end is still to come is left for the next call, unless the program has `ended` or that end is
    /// lost.
    pub fn since(&self, since: u64, most: usize, ended: bool) -> (String, bool, u64) {
        let (mut bytes, lost, mut end) = self.bytes_since(since, most);
        let over = (ended && end == self.end())
            || end.checked_sub(1).is_some_and(|last| self.missed.contains(&last));
        if let Err(error) = std::str::from_utf8(&bytes)
            && error.error_len().is_none()
            && !over
        {
            end -= (bytes.len() - error.valid_up_to()) as u64;
            bytes.truncate(error.valid_up_to());
        }
        (String::from_utf8_lossy(&bytes).into_owned(), lost, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_neither_repeat_nor_skip() {
        let mut tail = Tail::new(1000);
        let (mut cursor, mut seen) = (0, String::new());
        let stream = "a\u{1b}[31m漢字\r\n".repeat(50);
        for piece in stream.as_bytes().chunks(7) {
            tail.push(piece);
            let (text, lost, next) = tail.since(cursor, 5, false);
            assert!(!lost && text.len() <= 5, "{text:?}");
            seen.push_str(&text);
            cursor = next;
        }
        while cursor < tail.end() {
            let (text, _, next) = tail.since(cursor, 5, true);
            seen.push_str(&text);
            cursor = next;
        }
        assert_eq!(seen, stream);
        assert_eq!(tail.since(cursor, 1000, true), (String::new(), false, cursor));
    }

    #[test]
    fn a_stream_that_goes_on_elsewhere_has_lost_what_was_between() {
        let mut tail = Tail::new(1000);
        tail.push(b"abc");
        tail.go_on_at(3);
        assert_eq!(tail.since(0, 1000, false), ("abc".into(), false, 3));
        tail.go_on_at(10);
        tail.push(b"xy");
        assert_eq!(tail.since(3, 1000, false), ("xy".into(), true, 12));
    }

    #[test]
    fn what_was_missed_is_told_to_whoever_comes_by_and_once() {
        let mut tail = Tail::new(8);
        tail.push("ab\u{6f22}".as_bytes().split_last().unwrap().1);
        tail.miss();
        // At its end already: nothing to read, and yet something was missed.
        assert_eq!(tail.since(4, 1000, false), (String::new(), true, 5));
        assert_eq!(tail.since(5, 1000, false), (String::new(), false, 5));
        tail.push(b"cd");
        assert_eq!(
            tail.since(0, 1000, false),
            ("ab\u{fffd}cd".into(), true, 7),
            "its last character has no end"
        );
        assert_eq!(tail.since(0, 2, false), ("ab".into(), false, 2));
        assert_eq!(tail.since(5, 1000, false), ("cd".into(), false, 7));
        tail.push(b"efgh");
        assert_eq!(tail.since(0, 1000, false).0, "\u{fffd}cdefgh");
        tail.push(b"ijkl");
        assert_eq!(tail.since(7, 1000, false), ("efghijkl".into(), false, 15));
        assert_eq!(tail.since(4, 1000, false), ("efghijkl".into(), true, 15));
    }

    #[test]
    fn what_is_gone_is_said_to_be() {
        let mut tail = Tail::new(4);
        tail.push(b"abcdefgh");
        assert_eq!(tail.since(0, 1000, false), ("efgh".into(), true, 8));
        assert_eq!(tail.since(6, 1000, false), ("gh".into(), false, 8));
        assert_eq!(tail.since(99, 1000, false), (String::new(), false, 8));
        assert_eq!(tail.bytes_since(0, 3), (b"efg".to_vec(), true, 7));
        assert_eq!(tail.bytes_since(7, 3), (b"h".to_vec(), false, 8));
        tail.push(b"ij");
        assert_eq!(tail.since(0, 1000, false), ("ghij".into(), true, 10));
    }
}
