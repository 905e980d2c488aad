//! Whether a terminal has room for the question that was asked in it, and what may be done only by the owner of
//! an adopted pane. Nothing is decided here and nothing is changed.

use crate::core::question::{Kind, Question, State};
use crate::session::message::{AgentKey, AskKey};
use crate::wire::message::Reply;

use super::Hub;

/// Rows a dialog takes beside its options: its words, a blank, its keys, and one for the cursor.
const ROOM_ROWS: usize = 4;
/// Narrower than this no program's dialog was seen to be drawn whole.
const ROOM_COLS: u16 = 30;

/// Something owns the keyboard, and what it asks is not to be read.
fn rowless(question: &Question) -> bool {
    question.kind == Kind::Dialog && question.options.is_empty()
}

impl Hub {
    /// The terminal became too small for the question, and what it shows now is nothing known: the question is
    /// not gone, there is no room for it. It stays open until its deadline calls a person.
    pub(super) fn hidden(&self, key: AskKey) -> bool {
        let Some(ask) = self.asks.get(&key) else { return false };
        let Some(agent) = self.agents.get(&ask.agent) else { return false };
        let sight = &agent.sight;
        let cramped = usize::from(sight.size.rows) < ask.question.options.len() + ROOM_ROWS
            || sight.size.cols < ROOM_COLS;
        let resized = sight.resized_ms > ask.seen_ms && sight.typed == ask.typed;
        // The last line of a dialog without its rows may be all there is room for.
        let unreadable = agent.on_screen().is_some_and(rowless);
        cramped && resized && (sight.verdict.state == State::Unknown || unreadable) && !agent.gone()
    }

    /// The refusal of what only the owner of an adopted pane may do to it.
    pub(super) fn adopted(&self, key: AgentKey, what: &str) -> Option<Reply> {
        let agent = self.agents.get(&key).filter(|agent| agent.spec.pane.is_some())?;
        let name = &agent.spec.name;
        Some(Reply::error(1, format!("{name} runs in a pane of your own tmux; it can be {what} only there")))
    }
}
