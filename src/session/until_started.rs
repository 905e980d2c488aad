//! Requests for an agent whose terminal is not there yet: under a new server it takes a moment until tmux has told what it
//! shows, and what is asked or typed meanwhile is for the agent as it will be.
//!
//! `read.rs` hands them over, `mod.rs` has them let go. Keys of a person are never held: whoever types sees no screen.

use crate::wire::Request;

use super::message::ClientKey;
use super::unstarted::Unstarted;
use super::{Life, Session};

/// A start takes milliseconds, on a busy machine a second or two: whoever waits longer is told how things stand.
const HELD_MS: u64 = 5_000;

impl Session {
    /// The request back, unless it is held until the agent runs.
    pub(super) fn hold_until_started(
        &mut self,
        client: ClientKey,
        id: u64,
        request: Request,
    ) -> Option<Request> {
        let of_the_terminal = matches!(
            request,
            Request::Send { .. } | Request::Read { .. } | Request::Record { .. } | Request::Resize { .. }
        );
        if self.life != Life::Spawning || !of_the_terminal {
            return Some(request);
        }
        self.unstarted.push(Unstarted { client, id, request, until_ms: self.now.ms + HELD_MS });
        None
    }

    /// Takes up what was held: all of it once the agent runs, else what has waited long enough.
    pub(super) fn release_unstarted(&mut self) {
        let (runs, now) = (self.life != Life::Spawning, self.now.ms);
        let due = self.unstarted.extract_if(.., |held| runs || held.until_ms <= now);
        for Unstarted { client, id, request, .. } in due.collect::<Vec<_>>() {
            self.take_request(client, id, request);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::grid::Size;
    use crate::core::terminal::keys::Input as Keys;
    use crate::session::Setup;
    use crate::session::message::{Input, News, Now, Output, Started};
    use crate::wire::message::Reply;

    const CLIENT: ClientKey = ClientKey(1);

    fn send(session: &mut Session, id: u64, text: &str) -> Vec<Output> {
        let request =
            Request::Send { name: "program".into(), input: vec![Keys::Text(text.into())], enter: false };
        session.on(Input::Request { client: CLIENT, id, request }, Now::default())
    }

    fn replies(outputs: &[Output]) -> Vec<(u64, bool)> {
        let reply = |output: &Output| match output {
            Output::News(News::Reply { id, reply, .. }) => Some((*id, matches!(**reply, Reply::Done))),
            _ => None,
        };
        outputs.iter().filter_map(reply).collect()
    }

    #[test]
    fn what_is_sent_to_an_agent_that_is_being_started_is_typed_once_it_runs() {
        let mut session = Session::new(Setup::plain("generic", Size::new(80, 24)), Now::default());
        assert!(replies(&send(&mut session, 1, "one")).is_empty());
        assert!(replies(&send(&mut session, 2, "two")).is_empty());
        let outputs = session.on(Input::Started(Box::default()), Now::default());
        assert_eq!(replies(&outputs), [(1, true), (2, true)]);
        let typed = outputs.iter().filter_map(|output| match output {
            Output::Write(bytes) => Some(&bytes[..]),
            _ => None,
        });
        assert_eq!(typed.collect::<Vec<_>>().concat(), b"onetwo");
    }

    #[test]
    fn whoever_has_waited_long_enough_is_told_how_things_stand() {
        let mut session = Session::new(Setup::plain("generic", Size::new(80, 24)), Now::default());
        send(&mut session, 1, "one");
        session.on(Input::Left { client: CLIENT }, Now::default());
        send(&mut session, 2, "two");
        assert_eq!(session.next_wake(), Some(HELD_MS));
        let late = Now { ms: HELD_MS, unix_ms: HELD_MS };
        assert_eq!(replies(&session.on(Input::Wake, late)), [(2, false)]);
        let outputs = session.on(Input::Started(Box::<Started>::default()), late);
        assert!(
            replies(&outputs).is_empty() && !outputs.iter().any(|output| matches!(output, Output::Write(_)))
        );
    }
}
