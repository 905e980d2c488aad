//! The one typing slot of an agent, as data: what is being typed, which Enter is due, what its consultant thinks about.
//!
//! `input.rs`, `submit.rs` and `consultation.rs` fill it and act on it. Nothing here types or decides.

use std::collections::VecDeque;

use crate::core::deliver::Delivery;
use crate::core::detect::front::Front;
use crate::core::question::Question;
use crate::core::terminal::keys::Input;

use super::draft::Draft;
use super::message::{AskKey, ClientKey};
use super::sight::TypedLine;
use super::unsent::Unsent;

/// A question that is being put to the consultant that runs here.
#[derive(Debug, Clone)]
pub(super) struct Put {
    pub ask: AskKey,
    /// How it is called in the reply, and what that must carry.
    pub id: String,
    pub nonce: String,
    pub question: Question,
    /// The consultant's last message before: while a long question is typed and submitted, it may be out of view,
    /// and then in view again.
    pub before: Option<String>,
}

/// What counsel is typing into an agent: one thing at a time.
#[derive(Debug, Clone)]
pub(super) enum Typing {
    /// An answer to the agent's open question.
    Answer(AskKey, Box<Delivery>),
    /// A question put to this consultant.
    Consultation(Box<Put>, Box<Delivery>),
    /// The question of an earlier server that stands in the input line: nobody waits for its answer.
    UnsentDraft(Box<Delivery>),
    /// The prompt it was configured to begin with, and its words.
    FirstPrompt(String, Box<Delivery>),
}

impl Typing {
    pub(super) fn delivery(&mut self) -> &mut Delivery {
        match self {
            Typing::Answer(_, delivery)
            | Typing::Consultation(_, delivery)
            | Typing::UnsentDraft(delivery)
            | Typing::FirstPrompt(_, delivery) => delivery,
        }
    }
}

/// Whether all that the agent has printed is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyncState {
    Old,
    /// `Output::Drain` is on its way.
    Asked,
    /// In this very step.
    Fresh,
}

/// Whether the first prompt may be typed. The hub says so once the keeper holds that it was: a server that is killed meanwhile
/// has no successor that types it again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Release {
    #[default]
    ToAsk,
    Asked,
    Given,
}

/// The typing slot.
#[derive(Debug)]
pub(super) struct Slot {
    pub typing: Option<Typing>,
    pub wake: Option<u64>,
    /// What stands of the answer that is being typed.
    pub unsent: Unsent,
    pub submits: Vec<DueSubmit>,
    /// Texts that wait for those.
    pub sends: VecDeque<DueSend>,
    /// What was typed by `send` into a pane, which may not take it.
    pub unconfirmed: VecDeque<Unconfirmed>,
    /// Whoever ordered one is being told how it ended.
    pub answering: bool,
    pub sync: SyncState,
    /// Its terminal collected lines when that was last looked at: no key before this time.
    pub blocked_until: u64,
    pub first_prompt: Option<String>,
    /// Why it was not typed, or not sent, and `typed` at that time: whoever has typed since has seen it.
    pub first_prompt_fault: Option<String>,
    pub first_prompt_fault_typed: u64,
    /// Since when it waits for what no question and no work explains, and whether that was told.
    pub first_prompt_since: u64,
    pub first_prompt_told: bool,
    pub release: Release,
    /// Counts what a person or a program typed; an answer decided on before it changed is void.
    pub typed: u64,
    /// When that was; 0: never.
    pub typed_ms: u64,
    /// How much the program had printed when it was last given a key of a person's, or the end of an answer.
    pub typed_place: u64,
    /// What was typed and not yet ended with a line end.
    pub draft: Draft,
    /// Its program has begun a line since anything was typed.
    pub untouched: bool,
    /// Line ends of answers, and bytes of answers besides.
    pub lines_typed: u64,
    pub text_typed: u64,
    /// Who would take a key, when that was last looked at, and whether that was ever the agent.
    pub front: Front,
    pub agent_seen: bool,
    /// Until then no key is due, since nobody waited for one.
    pub held_until: u64,
}

impl Slot {
    pub(super) fn new(first_prompt: Option<String>, typed_line: Option<TypedLine>) -> Slot {
        Slot {
            typing: None,
            wake: None,
            unsent: Unsent::default(),
            submits: Vec::new(),
            sends: VecDeque::new(),
            unconfirmed: VecDeque::new(),
            answering: false,
            sync: SyncState::Old,
            blocked_until: 0,
            first_prompt,
            first_prompt_fault: None,
            first_prompt_fault_typed: 0,
            first_prompt_since: 0,
            first_prompt_told: false,
            release: Release::default(),
            typed: 0,
            typed_ms: 0,
            typed_place: 0,
            draft: Draft::of_the_server_before(typed_line),
            untouched: false,
            lines_typed: 0,
            text_typed: 0,
            front: Front::Unseen,
            held_until: 0,
            agent_seen: false,
        }
    }

    /// The program has ended: nothing more is typed but what sees an answer through to its end.
    pub(super) fn program_ended(&mut self) {
        if let Some(Typing::FirstPrompt(..) | Typing::UnsentDraft(_)) = self.typing {
            self.typing = None;
        }
        self.wake = None;
    }
}

/// A text that is typed once the Enter before it has been pressed.
#[derive(Debug)]
pub(super) struct DueSend {
    pub client: ClientKey,
    pub id: u64,
    pub input: Vec<Input>,
    pub enter: bool,
}

/// What `send` has typed into a pane, or the Enter behind it, until that is known to have been taken.
#[derive(Debug)]
pub(super) struct Unconfirmed {
    pub client: ClientKey,
    pub id: u64,
    pub what: Sent,
    /// It was not taken before anybody could ask.
    pub refused: bool,
    /// `typed` behind it, and the line as it was before.
    pub typed: u64,
    pub before: Draft,
}

/// What was sent.
#[derive(Debug)]
pub(super) enum Sent {
    /// An Enter is to follow, or not.
    Text {
        input: Vec<Input>,
        enter: bool,
    },
    Enter,
}

/// An Enter that follows what `send --enter` typed.
#[derive(Debug)]
pub(super) struct DueSubmit {
    pub due_ms: u64,
    pub ordered_ms: u64,
    /// `typed` when it was ordered: if anything else was typed since, it would send something else.
    pub typed: u64,
    pub client: ClientKey,
    pub id: u64,
    /// How often it was pressed, and the draft it was to send.
    pub pressed: u8,
    pub draft: String,
    /// How often in a row the program was seen to wait for keys since.
    pub rests: u8,
    /// It sends words, and is no key by itself.
    pub words: bool,
    /// Until then the text is waited for to show in the input line.
    pub shows_by: Option<u64>,
}

/// A question that the consultant is thinking about.
#[derive(Debug)]
pub(super) struct Thinking {
    /// `None`: an earlier server's question, whose answer nobody waits for.
    pub asked: Option<Put>,
    pub submitted_ms: u64,
    /// It has been seen at work since.
    pub worked: bool,
    /// Since when it has been idle.
    pub idle_ms: Option<u64>,
    /// When its screen is to be looked at again.
    pub look_ms: Option<u64>,
}
