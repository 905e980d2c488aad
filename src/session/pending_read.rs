//! A `read --wait` that has nothing to say yet, as data.
//!
//! `read.rs` makes and answers it.

use crate::wire::message::ReadMode;

use super::message::ClientKey;

/// A `read --wait` that has nothing to say yet.
#[derive(Debug)]
pub(super) struct PendingRead {
    pub client: ClientKey,
    pub id: u64,
    pub wanted: Wanted,
    /// What is given begins here.
    pub from: u64,
    /// What lies beyond is new to whoever asks.
    pub known: u64,
    pub until_ms: u64,
}

/// What a `read` asks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub since: Option<u64>,
    pub seen: Option<u64>,
    pub tail: Option<u64>,
    pub mode: ReadMode,
}
