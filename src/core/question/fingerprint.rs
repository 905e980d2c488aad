//! A short stand-in for words that are compared and not read.
//!
//! `core/question` makes one of each question, and `core/detect` of what stands around one. Pure.

use serde::{Deserialize, Serialize};

/// Identifies one appearance of one question. Stable across processes: FNV-1a, not a `RandomState`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    pub fn of(text: &str) -> Fingerprint {
        // FNV-1a, 64 bit: offset basis and prime.
        let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Fingerprint(text.bytes().fold(0xcbf2_9ce4_8422_2325, add))
    }
}
