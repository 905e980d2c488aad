//! What clients send a session's task.

use super::{DRAIN_READS, Task};
use crate::session::mailbox::Mail;
use crate::session::message::Input;
use crate::wire::message::Request;

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

    /// Gives the session an input and performs what it returns. Keys leave first: their echo is on its way while the rest
    /// is done.
    pub(super) fn step(&mut self, input: Input) {
        if !matches!(&input, Input::Request { request: Request::Keys { .. }, .. }) {
            let outputs = self.session.on(input, self.clock.now());
            return self.perform(outputs);
        }
        let keys = self.session.begin_keys(input, self.clock.now());
        // One that was not taken is told behind what came of it, as for any other write.
        let refused = keys.into_iter().map(|bytes| self.write(bytes)).filter(|taken| !taken).count();
        let outputs = self.session.finish();
        self.perform(outputs);
        for _ in 0..refused {
            let outputs = self.session.on(Input::WriteRefused, self.clock.now());
            self.perform(outputs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::keys::Input as Keys;
    use crate::session::message::{ClientKey, News, Now, Output};
    use crate::session::task::turn_tests::session;

    /// All that a key brings about was done before the program had it.
    #[test]
    fn a_key_leaves_before_anything_is_told_of_it() {
        let now = Now::default();
        let mut session = session(now);
        session.on(Input::Started(Box::default()), now);
        let request = Request::Keys { name: "flood".into(), input: vec![Keys::Text("x".into())] };
        let keys = session.begin_keys(Input::Request { client: ClientKey(1), id: 1, request }, now);
        assert_eq!(keys, [b"x"]);
        let rest = session.finish();
        assert!(rest.iter().any(|output| matches!(output, Output::News(News::Typed { person: true, .. }))));
        assert!(!rest.iter().any(|output| matches!(output, Output::Write(_))), "and once only: {rest:?}");
    }
}
