//! The requests in a session's hands: which are answered by what it says, and that the others are answered all the same.

use std::collections::HashMap;

use crate::session::mailbox::Asked;
use crate::session::message::{ClientKey, News};

/// Requests that were taken and not answered yet. What is left when the task ends answers itself.
#[derive(Debug, Default)]
pub struct Open(HashMap<(ClientKey, u64), Asked>);

impl Open {
    pub fn take(&mut self, client: ClientKey, asked: Asked) {
        if asked.is_open() {
            self.0.insert((client, asked.id), asked);
        }
    }

    /// Its reply is on its way.
    pub fn answered(&mut self, request: Option<(ClientKey, u64)>) {
        request.and_then(|request| self.0.remove(&request)).into_iter().for_each(Asked::answered);
    }

    pub fn left(&mut self, client: ClientKey) {
        self.0.retain(|(of, _), _| *of != client);
    }
}

/// The request that these news answer, or hand over to the hub.
pub fn told(news: &News) -> Option<(ClientKey, u64)> {
    match news {
        News::Reply { client, id, .. } | News::Wait { client, id, .. } => Some((*client, *id)),
        _ => None,
    }
}
