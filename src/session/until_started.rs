//! Requests for an agent that cannot take them yet. Its terminal is not there: under a new server it takes a moment until
//! tmux has told what it shows, and what is asked or typed meanwhile is for the agent as it will be. Or it has a terminal and
//! no screen: an agent program that is loading throws away words that come before it reads, or leaves them in its input line.
//!
//! `read.rs` hands them over, `mod.rs` has them let go. Keys of a person are never held: whoever types sees no screen.

use crate::core::question::State;
use crate::wire::Request;

use super::message::ClientKey;
use super::send::has_words;
use super::unstarted::Unstarted;
use super::{Life, Session};

/// A start takes milliseconds, on a busy machine a second or two: whoever waits longer is told how things stand.
const HELD_MS: u64 = 5_000;
/// Agent programs load for 1 to 4 s, ten times that on a busy machine. One that shows no screen of its own by then may be used
/// by lines, and is typed into as it is.
const LOADS_MS: u64 = 30_000;
/// Requests that wait for one agent: whoever is behind this many is better served at once.
const MAX_HELD: usize = 64;

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
        let until_ms = if self.life == Life::Spawning && of_the_terminal {
            self.now.ms + HELD_MS
        } else if self.is_for_later(&request) {
            self.started_ms + LOADS_MS
        } else {
            return Some(request);
        };
        if self.unstarted.len() >= MAX_HELD {
            return Some(request);
        }
        self.unstarted.push(Unstarted { client, id, request, until_ms });
        None
    }

    /// Words for a program that is loading, and what is sent behind them.
    fn is_for_later(&self, request: &Request) -> bool {
        let words = |request: &Request| matches!(request, Request::Send { input, .. } if has_words(input));
        let send = matches!(request, Request::Send { .. });
        send && self.is_loading()
            && (words(request) || self.unstarted.iter().any(|held| words(&held.request)))
    }

    /// Whether an agent program that is known has drawn nothing yet that tells what it would do with words. Nothing is known of
    /// any other: what its terminal holds until it reads is its own affair.
    fn is_loading(&self) -> bool {
        let loads = !self.profile.any_program
            && self.life == Life::Running
            && self.now.ms < self.started_ms + LOADS_MS;
        loads
            && match self.judged_state() {
                State::Starting => true,
                State::Unknown => !self.settled_down() || self.terminal.screen.modes().alternate_screen,
                // Its first prompt goes first.
                State::Idle => self.slot.first_prompt.is_some(),
                State::Working | State::Asking | State::Exited | State::Paused => false,
            }
    }

    /// Takes up what was held: all of it once the agent runs and shows what it is at, else what has waited long enough.
    pub(super) fn release_unstarted(&mut self) {
        if self.unstarted.is_empty() {
            return;
        }
        let (runs, now) = (self.life != Life::Spawning, self.now.ms);
        for mut held in std::mem::take(&mut self.unstarted) {
            let later = self.is_for_later(&held.request);
            if later {
                held.until_ms = self.started_ms + LOADS_MS;
            }
            if now < held.until_ms && (!runs || later) {
                self.unstarted.push(held);
            } else {
                self.take_request(held.client, held.id, held.request);
            }
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

    const IDLE: &str = "\x1b[?2004h\x1b[?25l\x1b[H\x1b[2J\u{25cf} Hello.\r\n\r\n";

    fn at(ms: u64) -> Now {
        Now { ms, unix_ms: ms }
    }

    /// Claude Code with its input line empty, as it looks 80 columns wide.
    fn idle() -> Vec<u8> {
        let rule = "\u{2500}".repeat(80);
        format!("{IDLE}{rule}\r\n\u{276f} \r\n{rule}\r\n  ? for shortcuts").into_bytes()
    }

    fn typed(outputs: &[Output]) -> Vec<u8> {
        let bytes = outputs.iter().filter_map(|output| match output {
            Output::Write(bytes) => Some(bytes.clone()),
            _ => None,
        });
        bytes.collect::<Vec<_>>().concat()
    }

    fn loading(profile: &str) -> Session {
        let mut session = Session::new(Setup::plain(profile, Size::new(80, 24)), at(0));
        session.on(Input::Started(Box::default()), at(0));
        session
    }

    /// `counsel start` and then `counsel send` lost the words with Gemini CLI and opencode, left them unsent in Claude Code's
    /// input line, and said that they were sent.
    #[test]
    fn words_for_an_agent_program_that_is_loading_are_typed_once_it_shows_its_screen() {
        let mut session = loading("claude");
        let request = |input| Request::Send { name: "program".into(), input, enter: false };
        let words = request(vec![Keys::Text("fix the tests".into())]);
        let key = request(vec![Keys::Text("!".into())]);
        let mut send = |id, request| session.on(Input::Request { client: CLIENT, id, request }, at(100));
        for (id, request) in [(1, words), (2, key)] {
            let outputs = send(id, request);
            assert!(replies(&outputs).is_empty() && typed(&outputs).is_empty(), "{outputs:?}");
        }
        let mut outputs = session.feed(b"loading", at(500)).1;
        outputs.extend(session.on(Input::Wake, at(1_000)));
        assert!(typed(&outputs).is_empty());
        let mut outputs = session.feed(&idle(), at(1_100)).1;
        for ms in [1_200, 1_400, 2_000, 3_000] {
            outputs.extend(session.on(Input::Wake, at(ms)));
        }
        assert_eq!(typed(&outputs), b"fix the tests!");
        assert_eq!(replies(&outputs), [(1, true), (2, true)]);
    }

    #[test]
    fn keys_and_what_is_sent_to_other_programs_wait_for_no_screen() {
        let mut session = loading("claude");
        assert_eq!(typed(&send(&mut session, 1, "y")), b"y");
        let mut session = loading("generic");
        assert_eq!(typed(&send(&mut session, 1, "ls -la")), b"ls -la");
    }

    #[test]
    fn a_program_that_never_shows_a_screen_is_typed_into_as_it_is() {
        let mut session = loading("claude");
        assert!(typed(&send(&mut session, 1, "words by the line")).is_empty());
        session.on(Input::Wake, at(1_000));
        assert_eq!(session.next_wake(), Some(LOADS_MS));
        let outputs = session.on(Input::Wake, at(LOADS_MS));
        assert_eq!((typed(&outputs), replies(&outputs)), (b"words by the line".to_vec(), vec![(1, true)]));
    }
}
