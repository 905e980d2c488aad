//! A request for an agent whose terminal is not there yet, as data.
//!
//! `until_started.rs` holds it and lets it go.

use crate::wire::Request;

use super::message::ClientKey;

#[derive(Debug)]
pub(super) struct Unstarted {
    pub client: ClientKey,
    pub id: u64,
    pub request: Request,
    pub until_ms: u64,
}
