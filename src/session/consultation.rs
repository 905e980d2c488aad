//! A consultant in this pane: a question put to it, the reply read off its screen, and what an earlier server left
//! in its input line.
//!
//! Whose turn it is and whether a reply counts is the hub's to say. A question that stands in the input line and was
//! never sent keeps the consultant from being asked anything else: what counsel puts there is noted in the journal
//! first, the next server sends it if nobody has typed since, and what comes back is nobody's answer. A draft that
//! is not counsel's own is never sent.

use crate::core::agent::Host;
use crate::core::consult::{ReplyTo, read_reply};
use crate::core::deliver::Delivery;
use crate::core::detect::watch::last_message;
use crate::core::question::{Question, State};

use super::Session;
use super::message::{AskKey, ConsultOrder, JournalPart, News, Output};
use super::typing_slot::{Put, Thinking, Typing};

/// A consultant that shows no work for this long after the question and then stands idle has said
/// what it will say.
const SILENT_MS: u64 = 3_000;
/// Gemini says that it is done before it draws the end of what it said: a message that is no reply, or the one
/// before, is read again until the consultant has been idle for this long.
const DRAWS_MS: u64 = 1_000;

impl Session {
    /// Puts a question to the consultant, if it is free for one.
    pub(super) fn put_question(&mut self, order: ConsultOrder) {
        let ConsultOrder { ask, id, nonce, question, text } = order;
        if !self.free() {
            // The hub knows an older screen; it is told of this one.
            self.told = None;
            self.moved = true;
            return self.tell(News::NotPut { ask, why: None });
        }
        self.forget_draft();
        let before = last_message(&self.profile, self.terminal.screen.grid());
        let delivery = Delivery::prompt(&text, &self.profile.keys, self.slot.typed, self.now.ms);
        let put = Put { ask, id, nonce, question, before };
        self.slot.typing = Some(Typing::Consultation(Box::new(put), Box::new(delivery)));
        self.moved = true;
        self.drive_typing();
    }

    /// It is idle before an empty input line, and nothing is on its way into it.
    fn free(&self) -> bool {
        let seen = &self.observation.verdict;
        let idle = seen.state == State::Idle && self.state == State::Idle;
        let empty = seen.composer.as_ref().is_some_and(|composer| composer.draft.is_empty());
        let untouched = self.slot.typing.is_none() && self.slot.first_prompt.is_none();
        idle && empty && untouched && self.thinking.is_none()
    }

    /// The question stands in the pane, sent: from now on it thinks.
    pub(super) fn question_put(&mut self, put: Put) {
        self.think(Some(put));
    }

    /// What an earlier server had asked is thought about.
    pub(super) fn think_for_nobody(&mut self) {
        self.think(None);
    }

    fn think(&mut self, asked: Option<Put>) {
        let worked = self.observation.verdict.state == State::Working;
        let submitted_ms = self.now.ms;
        self.thinking = Some(Thinking { asked, submitted_ms, worked, idle_ms: None, look_ms: None });
        self.moved = true;
    }

    /// Reads the consultant's reply when it has thought, or sends what stands unsent in its input line.
    pub(super) fn read_reply(&mut self) {
        if self.thinking.is_none() {
            return self.send_unsent_draft();
        }
        let now = self.now;
        let idle = self.observation.verdict.state == State::Idle && self.state == State::Idle;
        let Some(thinking) = self.thinking.as_mut() else { return };
        if !idle {
            (thinking.idle_ms, thinking.look_ms) = (None, None);
            return;
        }
        let idle_ms = *thinking.idle_ms.get_or_insert(now.ms);
        let said = last_message(&self.profile, self.terminal.screen.grid());
        let before = thinking.asked.as_ref().and_then(|put| put.before.as_ref());
        let fresh = said.is_some() && said.as_ref() != before;
        let reads = |said: &String| {
            thinking.asked.as_ref().is_some_and(|put| {
                let Put { question, id, nonce, .. } = put;
                read_reply(said, ReplyTo { question, id, nonce, on_terminal: true }).is_ok()
            })
        };
        // Without a sign of work it may be the reply to another question, in view again as the pane scrolls.
        let whole = thinking.worked && fresh && said.as_ref().is_some_and(reads);
        let until = if thinking.worked { idle_ms + DRAWS_MS } else { thinking.submitted_ms + SILENT_MS };
        let said = said.filter(|_| thinking.worked || fresh);
        if !whole && now.ms < until {
            thinking.look_ms = Some(until);
            return;
        }
        let asked = self.thinking.take().and_then(|thinking| thinking.asked);
        // A remark that ends in a question mark is its reply, and no question of its own.
        let remark = self.observation.verdict.question.as_ref();
        self.observation.replied = remark.map(Question::fingerprint);
        self.moved = true;
        if let Some(put) = asked {
            self.tell(News::Replied { ask: put.ask, text: said.unwrap_or_default() });
        }
    }

    /// The consultant has gone, and with it whatever it was asked. The question that was on its way, if any.
    pub(super) fn consultation_over(&mut self) -> Option<AskKey> {
        let thought = self.thinking.take().and_then(|thinking| thinking.asked).map(|put| put.ask);
        let typed = match self.slot.typing.take() {
            Some(Typing::Consultation(put, _)) => Some(put.ask),
            other => {
                self.slot.typing = other;
                None
            }
        };
        thought.or(typed)
    }

    /// The input line holds nothing of counsel's any more, or not only that.
    pub(super) fn forget_draft(&mut self) {
        if !self.log.draft.is_empty() {
            self.note_draft(String::new());
        }
    }

    /// Notes what is about to be pasted, before it is.
    pub(super) fn note_draft(&mut self, text: String) {
        self.log.bytes += text.len();
        self.log.draft.clone_from(&text);
        self.out.push(Output::Journal(vec![JournalPart::Draft(text)]));
    }

    /// Sends what an earlier server left in the input line of an idle agent.
    fn send_unsent_draft(&mut self) {
        if self.log.draft.is_empty() || self.slot.typing.is_some() || self.slot.first_prompt.is_some() {
            return;
        }
        let seen = &self.observation.verdict;
        let idle = seen.state == State::Idle && self.state == State::Idle;
        let Some(composer) = seen.composer.as_ref().filter(|_| idle) else { return };
        if composer.draft.is_empty() {
            return self.forget_draft();
        }
        // In a tmux of the user's own somebody may have typed while no server looked.
        let own = self.host != Host::Tmux && Delivery::stands(&composer.draft, &self.log.draft);
        if !own {
            return self.forget_draft();
        }
        let text = self.log.draft.clone();
        let delivery = Delivery::pasted(&text, &self.profile.keys, self.slot.typed, self.now.ms);
        self.slot.typing = Some(Typing::UnsentDraft(Box::new(delivery)));
        self.moved = true;
        self.drive_typing();
    }
}

#[cfg(test)]
impl Session {
    /// The consultant has been put this question, and thinks about it.
    pub(crate) fn thinks_about(
        &mut self,
        ask: AskKey,
        (id, nonce): (&str, &str),
        question: Question,
        worked: bool,
        before: Option<String>,
    ) {
        let (id, nonce) = (id.to_owned(), nonce.to_owned());
        let put = Put { ask, id, nonce, question, before };
        self.think(Some(put));
        if let Some(thinking) = self.thinking.as_mut() {
            thinking.worked = worked;
        }
    }
}
