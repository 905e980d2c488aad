//! What `send` types, in turn: whoever sends while a text waits for its Enter would type into the same line.
//!
//! A request comes here, `submit.rs` presses the Enter and lets go of the next one. Keys of a person never wait.

use crate::core::terminal::keys::Input as Keys;
use crate::wire::message::Reply;

use super::message::ClientKey;
use super::typing_slot::DueSend;
use super::{Life, Session};

/// Texts that wait. Each holds up the next for a second or so: whoever is behind this many is better told at once.
const MAX_WAITING: usize = 64;
/// Exit code of the contract: what was asked for was not done.
const FAILED: u8 = 1;

impl Session {
    /// Types it, unless another text is on its way. `enter`: and presses Enter as a write of its own; the reply comes when that
    /// is done.
    pub(super) fn send_text(&mut self, client: ClientKey, id: u64, input: Vec<Keys>, enter: bool) {
        if self.slot.submits.is_empty() {
            return self.send_now(client, id, &input, enter);
        }
        if self.slot.sends.len() == MAX_WAITING {
            let why =
                format!("{MAX_WAITING} texts wait to be typed into {} already; nothing was typed", self.name);
            return self.reply_to(client, id, Reply::error(FAILED, why));
        }
        self.slot.sends.push_back(DueSend { client, id, input, enter });
    }

    fn send_now(&mut self, client: ClientKey, id: u64, input: &[Keys], enter: bool) {
        match self.typed_by(input, false) {
            Reply::Done if enter => self.order_submit(client, id, input),
            reply => self.reply_to(client, id, reply),
        }
    }

    /// The Enter before them has been pressed.
    pub(super) fn release_sends(&mut self) {
        while self.slot.submits.is_empty()
            && let Some(DueSend { client, id, input, enter }) = self.slot.sends.pop_front()
        {
            self.send_now(client, id, &input, enter);
        }
    }

    /// The Enter before them was not pressed: each would be typed behind a text that still stands in the line.
    pub(super) fn refuse_sends(&mut self) {
        let why = match self.life {
            Life::Running | Life::Paused => {
                "the text sent before it was not submitted and may still stand in the input line"
            }
            Life::Spawning | Life::Exited(_) => "its program does not run any more",
        };
        for DueSend { client, id, .. } in std::mem::take(&mut self.slot.sends) {
            self.answer_submit(client, id, Reply::error(FAILED, format!("{why}; nothing was typed")));
        }
    }
}
