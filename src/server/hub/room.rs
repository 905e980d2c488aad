//! A terminal's size: whether it has room for the question that was asked in it, and how far its program is with
//! drawing after a change.
//!
//! `question_lifecycle.rs` asks before it takes a question for gone, `life.rs` makes programs draw. Nothing is decided
//! here and nothing is changed.

use crate::core::question::{Kind, Question, State};
use crate::core::terminal::grid::Size;
use crate::server::effect::AskKey;

use super::Hub;

/// Rows a dialog takes beside its options: its words, a blank, its keys, and one for the cursor.
const ROOM_ROWS: usize = 4;
/// Narrower than this no program's dialog was seen to be drawn whole.
const ROOM_COLS: u16 = 30;

/// How far a program is with drawing everything anew. No key is sent meanwhile: what it was typed by an
/// earlier server may still be on its way to the screen.
#[derive(Debug, Clone, Copy)]
pub(super) enum Redraw {
    /// It has another size for a moment.
    Narrow { until_ms: u64 },
    /// It has its own size back and has not said a word since.
    Back { until_ms: u64 },
    /// It was resized and has not said a word since: what the emulator made of its screen is not believed.
    Resized { until_ms: u64 },
}

impl Redraw {
    pub(super) fn until_ms(self) -> u64 {
        let (Redraw::Narrow { until_ms } | Redraw::Back { until_ms } | Redraw::Resized { until_ms }) = self;
        until_ms
    }
}

/// The size a program is shown for a moment, to make it draw.
pub(super) fn narrower(size: Size) -> Size {
    Size::new(size.cols.saturating_sub(1).max(Size::MIN.cols), size.rows)
}

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
        let size = agent.screen.size();
        let cramped =
            usize::from(size.rows) < ask.question.options.len() + ROOM_ROWS || size.cols < ROOM_COLS;
        let resized = agent.resized_ms > ask.seen_ms && agent.typed == ask.typed;
        // The last line of a dialog without its rows may be all there is room for.
        let unreadable = agent.verdict.question.as_ref().is_some_and(rowless);
        cramped && resized && (agent.verdict.state == State::Unknown || unreadable) && !agent.gone()
    }
}
