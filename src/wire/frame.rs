//! Frames: a big-endian `u32` that counts what follows it, one kind byte, the payload.
//!
//! Both ends encode and decode with these functions. The layout is frozen; a kind that is not known
//! is skipped, so that later versions can add some.

use serde::{Serialize, de::DeserializeOwned};

/// The payload is one JSON message.
pub const KIND_JSON: u8 = 0;
/// The payload is an agent's picture: `wire/picture.rs`.
pub const KIND_PICTURE: u8 = 1;
/// The payload is one key that a client presses: `wire/key.rs`.
pub const KIND_KEY: u8 = 2;
/// Larger than any message: a 1 MiB paste in JSON escapes stays below it. A longer length is a peer
/// that does not speak this protocol.
const MAX_FRAME: usize = 16 * 1024 * 1024;
const HEADER: usize = 4;
/// Room a decoder keeps while nothing is in it: a picture or several.
const KEPT_ROOM: usize = 64 * 1024;
/// Of a frame that has begun so many bytes say whose reply it wants.
const TELLING: usize = 40;

/// A payload that is no message of its kind. The words name the fault, for the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a message with {}", self.0)
    }
}

impl std::error::Error for Malformed {}

/// What a frame can carry: JSON, unless the message has a kind of its own.
pub trait Message: Serialize + DeserializeOwned {
    /// Values in one message of JSON. A number of two bytes becomes dozens of them in memory.
    const MOST_VALUES: usize = usize::MAX;

    /// Appends the payload of another kind than JSON, and says which.
    fn encode_binary(&self, _payload: &mut Vec<u8>) -> Option<u8> {
        None
    }

    /// Reads such a payload; `None` for a kind that is not known.
    fn decode_binary(_kind: u8, _payload: &[u8]) -> Option<Result<Self, Malformed>> {
        None
    }
}

/// What a later version says.
impl Message for serde_json::Value {}

/// One message as a frame.
pub fn encode<M: Message>(message: &M) -> Vec<u8> {
    let mut frame = vec![0; HEADER + 1];
    frame[HEADER] = message.encode_binary(&mut frame).unwrap_or_else(|| {
        serde_json::to_writer(&mut frame, message).expect("wire messages have string keys, no failing impls");
        KIND_JSON
    });
    let length = u32::try_from(frame.len() - HEADER).expect("a message is below MAX_FRAME");
    frame[..HEADER].copy_from_slice(&length.to_be_bytes());
    frame
}

/// A message as a peer of another version may send it.
#[derive(Debug, PartialEq)]
pub enum Taken<M> {
    Message(M),
    /// Well formed, but of a kind, or with a value, this version has no word for.
    Foreign(serde_json::Value),
}

/// Cuts a byte stream into messages.
#[derive(Debug, Default)]
pub struct Decoder {
    buffer: Vec<u8>,
    /// Of the first byte not yet taken.
    start: usize,
    /// Behind the last byte received; what follows is room.
    end: usize,
    /// Bytes still to come of a frame that is thrown away.
    skipping: usize,
}

/// A frame of which only the beginning has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Begun {
    /// Its length as a whole.
    pub length: usize,
    /// The number of the request in it, as far as it is one that has a reply.
    pub id: Option<u64>,
}

impl Decoder {
    pub fn push(&mut self, bytes: &[u8]) {
        self.room(bytes.len())[..bytes.len()].copy_from_slice(bytes);
        self.received(bytes.len());
    }

    /// Room to receive at least `least` bytes into, in place; `received` says how many came.
    pub fn room(&mut self, least: usize) -> &mut [u8] {
        if self.start > 0 && self.buffer.len() - self.end < least {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let wanted = self.end + least;
        if self.buffer.len() < wanted {
            // Twice as much as before, and never more than the frame that is being received.
            let whole = self.header().map_or(wanted, |length| HEADER + length.min(MAX_FRAME) + least);
            let ahead = (2 * self.buffer.len()).min(whole).max(wanted);
            self.buffer.reserve_exact(ahead - self.buffer.len());
            self.buffer.resize(wanted, 0);
        }
        &mut self.buffer[self.end..]
    }

    /// The first `count` bytes of the room are from the peer.
    pub fn received(&mut self, count: usize) {
        self.end = (self.end + count).min(self.buffer.len());
        let skipped = self.skipping.min(self.end - self.start);
        self.start += skipped;
        self.skipping -= skipped;
    }

    /// What the next frame's head says of its length, once that has come.
    fn header(&self) -> Option<usize> {
        let header = self.buffer[self.start..self.end].first_chunk::<HEADER>()?;
        Some(u32::from_be_bytes(*header) as usize)
    }

    /// The frame that has begun and is not whole, once enough of it has come to tell.
    pub fn begun(&self) -> Option<Begun> {
        let length = self.header()?;
        let body = &self.buffer[self.start + HEADER..self.end];
        let tells = body.len() >= TELLING.min(length) && body.len() < length;
        tells.then(|| Begun { length, id: id_of(body) })
    }

    /// Throws the frame away that has begun, and whatever is still to come of it.
    pub fn skip(&mut self) {
        let Some(length) = self.header() else { return };
        let there = self.end - self.start;
        self.skipping = (HEADER + length).saturating_sub(there);
        self.start = self.end.min(self.start + HEADER + length);
        self.give_back();
    }

    /// The next whole message of a kind this version knows; others are passed over. An error means the
    /// stream cannot be read any further.
    pub fn take<M: Message>(&mut self) -> Result<Option<M>, String> {
        loop {
            match self.take_any()? {
                Some(Taken::Message(message)) => return Ok(Some(message)),
                Some(Taken::Foreign(_)) => {}
                None => return Ok(None),
            }
        }
    }

    /// The same for who has an answer to what it does not know.
    pub fn take_any<M: Message>(&mut self) -> Result<Option<Taken<M>>, String> {
        loop {
            let rest = &self.buffer[self.start..self.end];
            let Some(header) = rest.first_chunk::<HEADER>() else { break };
            let length = u32::from_be_bytes(*header) as usize;
            if length == 0 || length > MAX_FRAME {
                return Err(format!(
                    "the peer sent a frame of {length} bytes; it is no counsel of this kind"
                ));
            }
            let Some(body) = rest.get(HEADER..HEADER + length) else { break };
            let parsed = parse(body[0], &body[1..])?;
            self.start += HEADER + length;
            if parsed.is_some() {
                return Ok(parsed);
            }
        }
        self.give_back();
        Ok(None)
    }

    /// What one large message took is given back once it is gone.
    fn give_back(&mut self) {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.end == 0 && self.buffer.len() > KEPT_ROOM {
            self.buffer.truncate(KEPT_ROOM);
            self.buffer.shrink_to_fit();
        }
    }
}

/// The number of a request, read off the beginning of its frame: every client writes it first.
fn id_of(body: &[u8]) -> Option<u64> {
    let text = body.strip_prefix(&[KIND_JSON])?.strip_prefix(br#"{"id":"#)?;
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[..digits]).ok()?.parse().ok().filter(|id| *id > 0)
}

/// `None`: a kind of a later version. JSON is looked at as bare JSON only if it is no message: that is rare,
/// and costs.
fn parse<M: Message>(kind: u8, payload: &[u8]) -> Result<Option<Taken<M>>, String> {
    if kind != KIND_JSON {
        let message = M::decode_binary(kind, payload).transpose();
        return message.map(|message| message.map(Taken::Message)).map_err(|e| format!("the peer sent {e}"));
    }
    if payload.len() > M::MOST_VALUES && values(payload) > M::MOST_VALUES {
        return Err(format!("the peer sent a message of more than {} values", M::MOST_VALUES));
    }
    serde_json::from_slice(payload)
        .map(Taken::Message)
        .or_else(|_| serde_json::from_slice(payload).map(Taken::Foreign))
        .map(Some)
        .map_err(|e| format!("the peer sent no message: {e}"))
}

/// How many values JSON holds at most, by what stands before each: counted outside of its texts.
fn values(json: &[u8]) -> usize {
    let (mut count, mut within, mut escaped) = (0, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = within,
            b'"' => within = !within,
            b',' | b'[' | b'{' => count += usize::from(!within),
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Message for String {}
    impl Message for u32 {}

    fn text(text: &str) -> Vec<u8> {
        encode(&text.to_owned())
    }

    #[test]
    fn messages_survive_any_split() {
        let mut stream = text("first");
        stream.extend([0, 0, 0, 3, 77, 1, 2]); // a kind of some later version
        stream.extend(text("second"));
        for at in 0..stream.len() {
            let (mut decoder, mut got) = (Decoder::default(), Vec::new());
            for part in [&stream[..at], &stream[at..]] {
                decoder.push(part);
                while let Some(text) = decoder.take::<String>().unwrap() {
                    got.push(text);
                }
            }
            assert_eq!(got, ["first", "second"], "split at {at}");
        }
    }

    #[test]
    fn what_a_later_version_says_is_passed_over_and_garbage_is_not() {
        let mut decoder = Decoder::default();
        decoder.push(&text("no number"));
        decoder.push(&encode(&7_u32));
        assert_eq!(decoder.take::<u32>(), Ok(Some(7)));
        decoder.push(&text("no number"));
        assert_eq!(decoder.take_any::<u32>(), Ok(Some(Taken::Foreign("no number".into()))));
        decoder.push(&[0, 0, 0, 3, KIND_JSON, b'{', b'"']);
        assert!(decoder.take::<u32>().is_err());
    }

    #[test]
    fn a_message_larger_than_the_room_is_read_and_its_room_given_back() {
        let long = "x".repeat(3 * KEPT_ROOM);
        let mut decoder = Decoder::default();
        for part in [text("a"), text(&long), text("b")].concat().chunks(1000) {
            let room = decoder.room(part.len());
            room[..part.len()].copy_from_slice(part);
            decoder.received(part.len());
        }
        for wanted in ["a", &long, "b"] {
            assert_eq!(decoder.take::<String>().unwrap().as_deref(), Some(wanted));
        }
        assert_eq!(decoder.take::<String>(), Ok(None));
        assert!(decoder.buffer.capacity() <= KEPT_ROOM);
    }

    /// A frame that finds no room is not held while the rest of it comes.
    #[test]
    fn a_frame_that_is_thrown_away_holds_nothing_and_the_next_one_is_read() {
        let long = encode(&serde_json::json!({ "id": 7, "request": "x".repeat(20 * KEPT_ROOM) }));
        let stream = [&text("a")[..], &long, &text("b")].concat();
        let (mut decoder, mut got, mut refused) = (Decoder::default(), Vec::new(), Vec::new());
        for part in stream.chunks(1_000) {
            decoder.push(part);
            while let Some(text) = decoder.take::<String>().unwrap() {
                got.push(text);
            }
            if let Some(begun) = decoder.begun().filter(|begun| begun.length > KEPT_ROOM) {
                refused.push((begun.length, begun.id));
                decoder.skip();
            }
            assert!(decoder.buffer.capacity() <= 2 * KEPT_ROOM);
        }
        assert_eq!(got, ["a", "b"]);
        assert_eq!(refused, [(long.len() - HEADER, Some(7))]);
        assert_eq!(decoder.begun(), None);
    }

    #[test]
    fn a_frame_takes_no_more_room_than_its_length() {
        let long = text(&"x".repeat(3 * 1024 * 1024));
        let mut decoder = Decoder::default();
        long[..long.len() - 1].chunks(16 * 1024).for_each(|part| decoder.push(part));
        assert_eq!(decoder.take::<String>(), Ok(None));
        assert!(decoder.buffer.capacity() <= long.len() + 16 * 1024, "{}", decoder.buffer.capacity());
        assert_eq!(decoder.begun(), Some(Begun { length: long.len() - HEADER, id: None }));
    }

    /// A message of 16 MB may be eight million numbers, which take 256 MB.
    #[test]
    fn a_message_of_more_values_than_its_kind_has_is_refused() {
        #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        struct Few(serde_json::Value);
        impl Message for Few {
            const MOST_VALUES: usize = 100;
        }
        let taken = |value: serde_json::Value| {
            let mut decoder = Decoder::default();
            decoder.push(&encode(&value));
            decoder.take::<Few>()
        };
        let text = serde_json::json!(["\\\"[{,".repeat(1_000), "\\"]);
        assert_eq!(taken(text.clone()), Ok(Some(Few(text))), "what stands in a text is none");
        assert!(taken(serde_json::json!(vec![1; 99])).is_ok());
        assert!(taken(serde_json::json!(vec![1; 101])).is_err());
        assert!(taken(serde_json::json!(vec![serde_json::json!({}); 101])).is_err());
    }

    #[test]
    fn an_absurd_length_is_refused() {
        for bad in [[0xff, 0xff, 0xff, 0xff], [0, 0, 0, 0]] {
            let mut decoder = Decoder::default();
            decoder.push(&bad);
            assert!(decoder.take::<String>().is_err());
        }
    }
}
