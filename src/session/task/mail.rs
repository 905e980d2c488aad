//! What clients send a session's task.

use super::{DRAIN_READS, Task};
use crate::session::mailbox::Mail;
use crate::session::message::Input;

impl Task {
    pub(super) fn mail(&mut self, mail: Mail) {
        match mail {
            Mail::Watch { client, sink, size } => {
                self.clients.insert(client, sink);
                // What was printed for the size before is parsed at that size.
                self.read_dry(DRAIN_READS);
                self.input(Input::Watch { client, size });
            }
            Mail::Unwatch { client } => self.input(Input::Unwatch { client }),
            Mail::Flushed { client } => self.input(Input::Flushed { client }),
            Mail::Left { client } => {
                self.input(Input::Left { client });
                self.clients.remove(&client);
                self.asked.left(client);
            }
            Mail::Request { client, asked, request } => {
                let id = asked.id;
                self.clients.insert(client, asked.sink.clone());
                self.asked.take(client, asked);
                self.input(Input::Request { client, id, request });
            }
        }
    }
}
