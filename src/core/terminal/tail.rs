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
}

impl Tail {
    pub fn new(limit: usize) -> Tail {
        Tail { bytes: VecDeque::new(), first: 0, limit }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        // First out, then in: so it never allocates more than its limit.
        let kept = &bytes[bytes.len().saturating_sub(self.limit)..];
        let over = (self.bytes.len() + kept.len()).saturating_sub(self.limit);
        self.bytes.drain(..over);
        self.bytes.extend(kept);
        self.first += (over + bytes.len() - kept.len()) as u64;
    }

    /// The stream has come to this place, whatever there was on the way: what is not known of it is lost.
    pub fn go_on_at(&mut self, place: u64) {
        if place != self.end() {
            self.bytes.clear();
            self.first = place;
        }
    }

    /// The place behind the newest byte.
    pub fn end(&self) -> u64 {
        self.first + self.bytes.len() as u64
    }

    /// At most so many bytes from place `since` on, whether bytes before them are lost, and the place behind them.
    pub fn bytes_since(&self, since: u64, most: usize) -> (Vec<u8>, bool, u64) {
        let skip = since.saturating_sub(self.first);
        let skip = usize::try_from(skip).unwrap_or(usize::MAX).min(self.bytes.len());
        let end = self.bytes.len().min(skip.saturating_add(most));
        (self.bytes.range(skip..end).copied().collect(), since < self.first, self.first + end as u64)
    }

    /// Text of at most so many bytes from place `since` on, whether bytes before it are lost, and the place behind it. A
    /// character whose end is still to come is left for the next call, unless the program has `ended`.
    pub fn since(&self, since: u64, most: usize, ended: bool) -> (String, bool, u64) {
        let (mut bytes, lost, end) = self.bytes_since(since, most);
        let from = since.max(self.first);
        if let Err(error) = std::str::from_utf8(&bytes)
            && error.error_len().is_none()
            && !(ended && end == self.end())
        {
            bytes.truncate(error.valid_up_to());
        }
        let end = from.min(self.first + self.bytes.len() as u64) + bytes.len() as u64;
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
