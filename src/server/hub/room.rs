//! Whether a terminal has room for the question that was asked in it.
//!
//! `settle.rs` asks before it takes a question for gone. Nothing is decided here and nothing is changed.

use crate::core::question::State;
use crate::server::effect::AskKey;

use super::Hub;

/// Rows a dialog takes beside its options: its words, a blank, its keys, and one for the cursor.
const ROOM_ROWS: usize = 4;
/// Narrower than this no program's dialog was seen to be drawn whole.
const ROOM_COLS: u16 = 30;

impl Hub {
    /// The terminal became too small for the question, and what it shows now is nothing known: the question is
    /// not gone, there is no room for it. It stays open until its deadline calls a person.
    pub(super) fn hidden(&self, key: AskKey) -> bool {
        let Some(ask) = self.asks.get(&key) else { return false };
        let Some(agent) = self.agents.get(&ask.agent) else { return false };
        let size = agent.screen.size();
        let cramped =
            usize::from(size.rows) < ask.question.options.len() + ROOM_ROWS || size.cols < ROOM_COLS;
        let resized = agent.resized_ms > ask.seen_ms && agent.typed == ask.typed;
        cramped && resized && agent.verdict.state == State::Unknown && !agent.gone()
    }
}
