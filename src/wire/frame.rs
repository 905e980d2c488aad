//! Frames: a big-endian `u32` that counts what follows it, one kind byte, the payload.
//!
//! Both ends encode and decode with these functions. The layout is frozen; a kind that is not known
//! is skipped, so that later versions can add some.

use serde::{Serialize, de::DeserializeOwned};

/// The payload is one JSON message.
pub const KIND_JSON: u8 = 0;
/// Larger than any message: a 1 MiB paste in JSON escapes stays below it. A longer length is a peer
/// that does not speak this protocol.
const MAX_FRAME: usize = 16 * 1024 * 1024;
const HEADER: usize = 4;

/// One message as a frame.
pub fn encode<M: Serialize>(message: &M) -> Vec<u8> {
    let payload = serde_json::to_vec(message).expect("wire messages have string keys and no failing impls");
    let mut frame = Vec::with_capacity(HEADER + 1 + payload.len());
    let length = u32::try_from(payload.len() + 1).expect("a message is below MAX_FRAME");
    frame.extend_from_slice(&length.to_be_bytes());
    frame.push(KIND_JSON);
    frame.extend_from_slice(&payload);
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
    start: usize,
}

impl Decoder {
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 && self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole message of a kind this version knows; others are passed over. An error means the
    /// stream cannot be read any further.
    pub fn take<M: DeserializeOwned>(&mut self) -> Result<Option<M>, String> {
        loop {
            match self.take_any()? {
                Some(Taken::Message(message)) => return Ok(Some(message)),
                Some(Taken::Foreign(_)) => {}
                None => return Ok(None),
            }
        }
    }

    /// The same for who has an answer to what it does not know.
    pub fn take_any<M: DeserializeOwned>(&mut self) -> Result<Option<Taken<M>>, String> {
        loop {
            let rest = &self.buffer[self.start..];
            let Some(header) = rest.first_chunk::<HEADER>() else { break };
            let length = u32::from_be_bytes(*header) as usize;
            if length == 0 || length > MAX_FRAME {
                return Err(format!(
                    "the peer sent a frame of {length} bytes; it is no counsel of this kind"
                ));
            }
            let Some(body) = rest.get(HEADER..HEADER + length) else { break };
            let (kind, payload) = (body[0], &body[1..]);
            let message = (kind == KIND_JSON).then(|| parse(payload));
            let parsed = message.transpose().map_err(|e| format!("the peer sent no message: {e}"))?;
            self.start += HEADER + length;
            if parsed.is_some() {
                return Ok(parsed);
            }
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        Ok(None)
    }
}

/// Looked at as bare JSON only if it is no message: that is rare, and costs.
fn parse<M: DeserializeOwned>(payload: &[u8]) -> serde_json::Result<Taken<M>> {
    serde_json::from_slice(payload)
        .map(Taken::Message)
        .or_else(|_| serde_json::from_slice(payload).map(Taken::Foreign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_any_split() {
        let mut stream = encode(&"first");
        stream.extend([0, 0, 0, 3, 77, 1, 2]); // a kind of some later version
        stream.extend(encode(&"second"));
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
        decoder.push(&encode(&"no number"));
        decoder.push(&encode(&7));
        assert_eq!(decoder.take::<u32>(), Ok(Some(7)));
        decoder.push(&encode(&"no number"));
        assert_eq!(decoder.take_any::<u32>(), Ok(Some(Taken::Foreign("no number".into()))));
        decoder.push(&[0, 0, 0, 3, KIND_JSON, b'{', b'"']);
        assert!(decoder.take::<u32>().is_err());
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
