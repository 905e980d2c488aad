//! What `send` types, in turn: whoever sends while a text waits for its Enter would type into the same line.
//!
//! A request comes here, `submit.rs` presses the Enter and lets go of the next one. Keys of a person never wait.

use crate::core::question::Kind;
use crate::core::terminal::encode::encode;
use crate::core::terminal::keys::{Input as Keys, Key, Mods};
use crate::wire::message::Reply;

use super::draft::words_before_the_cursor;
use super::message::ClientKey;
use super::typing_slot::{DueSend, Sent};
use super::{Life, Session};

/// Texts that wait. Each holds up the next for a second or so: whoever is behind this many is better told at once.
const MAX_WAITING: usize = 64;
/// Exit code of the contract: what was asked for was not done.
const FAILED: u8 = 1;
/// Exit code of the contract: not allowed now.
const REFUSED: u8 = 4;

impl Session {
    /// So many bytes can be written into its terminal now, read by its program or not.
    pub fn set_room(&mut self, bytes: usize) {
        self.terminal.room = bytes;
    }

    /// This program has the terminal, and not the one that was adopted.
    pub fn set_instead(&mut self, program: Option<String>) {
        self.terminal.instead = program;
    }

    /// The refusal of what would be typed into that one.
    pub(super) fn behind_another(&self) -> Option<Reply> {
        let (other, name) = (self.terminal.instead.as_deref()?, &self.name);
        let why = format!(
            "{other} has the terminal of {name} at the moment; nothing was typed: bring {name} to the foreground there"
        );
        Some(Reply::error(REFUSED, why))
    }

    /// Types it, unless another text is on its way. `enter`: and presses Enter as a write of its own; the reply comes when that
    /// is done.
    pub(super) fn send_text(&mut self, client: ClientKey, id: u64, input: Vec<Keys>, enter: bool) {
        if self.is_answering() {
            let why = format!(
                "the answer to a question of {} is just being typed, and this would go with it; nothing was sent, try again",
                self.name
            );
            return self.reply_to(client, id, Reply::error(REFUSED, why));
        }
        if self.is_line_free() {
            return self.send_now(client, id, input, enter);
        }
        if self.slot.sends.len() == MAX_WAITING {
            let why =
                format!("{MAX_WAITING} texts wait to be typed into {} already; nothing was typed", self.name);
            return self.reply_to(client, id, Reply::error(FAILED, why));
        }
        self.slot.sends.push_back(DueSend { client, id, input, enter });
    }

    fn send_now(&mut self, client: ClientKey, id: u64, input: Vec<Keys>, enter: bool) {
        if self.answer_is_left() && !input.first().is_some_and(empties_a_line) {
            let name = &self.name;
            let why = format!(
                "a part of an answer that was given up stands in the line of {name} and would go with this; nothing was \
                 sent: 'counsel send {name} --key ctrl-u' takes it back"
            );
            return self.reply_to(client, id, Reply::error(REFUSED, why));
        }
        self.look_if_due();
        if has_words(&input)
            && let Some(why) = self.behind_a_dialog("nothing was sent")
        {
            return self.reply_to(client, id, why);
        }
        let modes = self.terminal.screen.modes();
        let bytes = input.iter().map(|input| encode(input, &modes).len()).sum::<usize>() + usize::from(enter);
        if bytes > self.terminal.room {
            let (name, room) = (&self.name, self.terminal.room);
            let why = format!(
                "{name} takes {room} bytes before it reads any, and these are {bytes}; nothing was typed: send it in parts, \
                 each once it has read the one before"
            );
            return self.reply_to(client, id, Reply::error(FAILED, why));
        }
        let before = self.slot.draft.clone();
        match self.typed_by(&input, false) {
            Reply::Done if self.is_in_tmux() => {
                self.confirm(client, id, Sent::Text { input, enter }, before);
            }
            Reply::Done if enter => self.order_submit(client, id, &input),
            reply => self.reply_to(client, id, reply),
        }
    }

    /// The refusal of words, or of their Enter, where they would be keys of a dialog: in those of the agents that are known a
    /// letter may choose, and Enter does.
    pub(super) fn behind_a_dialog(&self, done: &str) -> Option<Reply> {
        let asked = self.observation.verdict.question.as_ref().filter(|_| !self.profile.any_program)?;
        let takes_words =
            matches!(asked.kind, Kind::Text | Kind::Password) || asked.typing || asked.origin.line;
        let why = format!(
            "{} shows a dialog, which takes words for keys: {done}; answer it with 'counsel answer', or send its keys one by one",
            self.name
        );
        (!takes_words && self.life == Life::Running).then(|| Reply::error(REFUSED, why))
    }

    /// Whether a text stands in the line whose Enter is still to be pressed. Behind it one only looks whether it was taken.
    pub(super) fn awaits_enter(&self) -> bool {
        self.slot.submits.iter().any(|submit| submit.pressed == 0)
    }

    /// Whether letters of an answer that was given up stand where this would be typed: held by the terminal, or before the
    /// cursor of whoever reads there now.
    fn answer_is_left(&self) -> bool {
        let shown = || words_before_the_cursor(self.terminal.screen.grid());
        self.life == Life::Running && (self.slot.draft.is_left() || self.slot.unsent.stands_in(shown))
    }

    /// Whether nothing is being typed that ends with an Enter of its own: a text, the first prompt, a question to this consultant.
    fn is_line_free(&self) -> bool {
        self.is_sent() && self.slot.typing.is_none()
    }

    /// Whether all that was sent has gone into the terminal, with its Enter.
    pub(super) fn is_sent(&self) -> bool {
        self.slot.submits.is_empty() && self.slot.unconfirmed.is_empty()
    }

    /// The Enter before them has been pressed.
    pub(super) fn release_sends(&mut self) {
        while self.is_line_free()
            && let Some(DueSend { client, id, input, enter }) = self.slot.sends.pop_front()
        {
            self.send_now(client, id, input, enter);
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

/// Whether it is more than a key: a text of one letter is one.
pub(super) fn has_words(input: &[Keys]) -> bool {
    input.iter().any(|input| match input {
        Keys::Text(text) | Keys::Paste(text) => text.trim().chars().nth(1).is_some(),
        Keys::Key(_) | Keys::Mouse(_) | Keys::Focus(_) | Keys::Raw(_) => false,
    })
}

/// Whether a key takes back what stands in a line, or ends it.
fn empties_a_line(input: &Keys) -> bool {
    matches!(input, Keys::Key(press) if press.mods.has(Mods::CTRL) && matches!(press.key, Key::Char('u' | 'c')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::grid::Size;
    use crate::session::Setup;
    use crate::session::message::{Input, News, Now, Output};
    use crate::wire::Request;

    /// A paste of more than its terminal takes was dropped as a whole, its Enter pressed alone, and the reply said "sent".
    #[test]
    fn what_there_is_no_room_for_is_refused_with_its_enter() {
        let mut session = Session::new(Setup::plain("generic", Size::new(80, 24)), Now::default());
        session.on(Input::Started(Box::default()), Now::default());
        let mut send = |room: usize, id| {
            session.set_room(room);
            let input = vec![Keys::Paste("framework".into())];
            let request = Request::Send { name: "program".into(), input, enter: true };
            session.on(Input::Request { client: ClientKey(1), id, request }, Now::default())
        };
        let written = |outputs: &[Output]| outputs.iter().any(|output| matches!(output, Output::Write(_)));
        let outputs = send(9, 1);
        let refused = outputs.iter().any(|output| match output {
            Output::News(News::Reply { reply, .. }) => {
                matches!(&**reply, Reply::Error { code: FAILED, message } if message.contains("takes 9 bytes"))
            }
            _ => false,
        });
        assert!(refused && !written(&outputs), "{outputs:?}");
        assert!(written(&send(10, 2)));
    }
}
