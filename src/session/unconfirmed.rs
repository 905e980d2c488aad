//! What `send` typed into a pane of tmux, until the pane is known to have taken it.
//!
//! A pane takes nothing while somebody reads in its copy mode or types there, while its input is switched off, and where it types
//! into others as well. `send.rs` and `submit.rs` put down what they typed; whoever sent it is told how that ended. A terminal of
//! our own takes all there is room for, and nothing of it comes here.

use crate::core::terminal::keys::Input as Keys;
use crate::core::tmux::command::KEYS_AT_ONCE;
use crate::wire::message::Reply;

use super::draft::Draft;
use super::message::{ClientKey, News, Output};
use super::typing_slot::{Sent, Unconfirmed};
use super::{Life, Session};

/// Exit code of the contract: what was asked for was not done.
const FAILED: u8 = 1;
/// Exit code of the contract: not allowed now.
const REFUSED: u8 = 4;

impl Session {
    /// It was handed over just now. `before`: what stood in the line.
    pub(super) fn confirm(&mut self, client: ClientKey, id: u64, what: Sent, before: Draft) {
        let typed = self.slot.typed;
        self.slot.unconfirmed.push_back(Unconfirmed { client, id, what, refused: false, typed, before });
        self.out.push(Output::Confirm);
        self.moved = true;
    }

    pub(super) fn write_refused(&mut self) {
        if let Some(last) = self.slot.unconfirmed.back_mut() {
            last.refused = true;
            return;
        }
        let name = &self.name;
        let text = format!("{name} takes no input: what was typed last was dropped");
        self.tell(News::Notify(text));
    }

    pub(super) fn confirmed(&mut self, taken: bool) {
        let Some(sent) = self.slot.unconfirmed.pop_front() else { return };
        self.moved = true;
        let Unconfirmed { client, id, what, refused, typed, before } = sent;
        let taken = taken && !refused;
        match what {
            Sent::Text { input, enter: true } if taken => return self.order_submit(client, id, &input),
            _ if taken => self.answer_submit(client, id, Reply::Done),
            what => {
                if self.slot.typed == typed {
                    self.slot.draft = before;
                }
                let reply = self.not_taken(&what);
                self.answer_submit(client, id, reply);
                if matches!(what, Sent::Enter) {
                    return self.refuse_sends();
                }
            }
        }
        self.release_sends();
    }

    fn not_taken(&self, what: &Sent) -> Reply {
        let done = match what {
            Sent::Text { input, .. } if is_one(input) => "nothing was typed",
            Sent::Text { .. } => "not all of it was typed",
            Sent::Enter => "Enter was not pressed, and what was typed before it stands in its line",
        };
        let why = format!(
            "the pane of {} takes nothing at the moment: somebody types there or reads in copy mode, or its input is switched \
             off or goes to several panes; {done}",
            self.name
        );
        Reply::error(REFUSED, why)
    }

    /// Its program has ended, or its session does.
    pub(super) fn end_unconfirmed(&mut self) {
        for Unconfirmed { client, id, .. } in std::mem::take(&mut self.slot.unconfirmed) {
            let why = match self.life {
                Life::Running | Life::Paused => "the server ends",
                Life::Spawning | Life::Exited(_) => "its program does not run any more",
            };
            let reply = Reply::error(FAILED, format!("{why}; what was sent may not have been typed"));
            self.answer_submit(client, id, reply);
        }
    }
}

/// Whether a pane takes it as a whole or not at all: a paste or a key, and nothing else.
fn is_one(input: &[Keys]) -> bool {
    let short = |input: &Keys| match input {
        Keys::Text(text) => text.len() <= KEYS_AT_ONCE,
        Keys::Paste(_) | Keys::Key(_) => true,
        Keys::Mouse(_) | Keys::Focus(_) | Keys::Raw(_) => false,
    };
    matches!(input, [one] if short(one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::agent::Host;
    use crate::core::terminal::grid::Size;
    use crate::session::Setup;
    use crate::session::message::{Input, Now};
    use crate::wire::Request;

    fn replied(outputs: &[Output]) -> Vec<Reply> {
        let reply = |output: &Output| match output {
            Output::News(News::Reply { reply, .. }) => Some((**reply).clone()),
            _ => None,
        };
        outputs.iter().filter_map(reply).collect()
    }

    fn in_tmux() -> Session {
        let setup = Setup { host: Host::Tmux, ..Setup::plain("generic", Size::new(80, 24)) };
        let mut session = Session::new(setup, Now::default());
        session.on(Input::Started(Box::default()), Now::default());
        session
    }

    fn send(session: &mut Session, id: u64, text: &str) -> Vec<Output> {
        let request =
            Request::Send { name: "program".into(), input: vec![Keys::Text(text.into())], enter: false };
        session.on(Input::Request { client: ClientKey(1), id, request }, Now::default())
    }

    /// In copy mode `send` said "sent", nothing was typed, and the letters were held against the next answer.
    #[test]
    fn what_a_pane_does_not_take_is_told_and_holds_up_nothing() {
        let mut session = in_tmux();
        let outputs = send(&mut session, 1, "hello");
        assert!(
            replied(&outputs).is_empty() && outputs.iter().any(|output| matches!(output, Output::Confirm))
        );
        assert!(session.slot.draft.is_held());
        let behind = send(&mut session, 2, "again");
        assert!(!behind.iter().any(|output| matches!(output, Output::Write(_))), "in turn: {behind:?}");
        let outputs = session.on(Input::Confirmed { taken: false }, Now::default());
        let replies = replied(&outputs);
        assert!(matches!(&replies[..], [Reply::Error { code: REFUSED, .. }]), "{replies:?}");
        assert!(outputs.iter().any(|output| matches!(output, Output::Write(_))), "the next one");
        let outputs = session.on(Input::Confirmed { taken: false }, Now::default());
        assert_eq!((replied(&outputs).len(), session.slot.draft.is_held()), (1, false));
    }

    #[test]
    fn what_a_pane_takes_is_told_once_it_has() {
        let mut session = in_tmux();
        send(&mut session, 1, "hello");
        let outputs = session.on(Input::Confirmed { taken: true }, Now::default());
        assert!(matches!(replied(&outputs)[..], [Reply::Done]), "{outputs:?}");
        assert!(session.slot.draft.is_held());
        // The queue was full.
        send(&mut session, 2, "more");
        session.on(Input::WriteRefused, Now::default());
        let replies = replied(&session.on(Input::Confirmed { taken: true }, Now::default()));
        assert!(matches!(&replies[..], [Reply::Error { code: REFUSED, .. }]), "{replies:?}");
    }
}
