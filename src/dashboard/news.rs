//! The line of news at the bottom: what was just done, or could not be. It stands for long enough to be read, and no
//! longer than it is true.
//!
//! Whatever has something to tell says it by these; `update.rs` takes it back. Pure.

use crate::core::question::State as AgentState;

use super::agent::Agent;
use super::agents::takes_no_keys;
use super::mode::Mode;
use super::note::{Note, Until};
use super::state::State;

/// Long enough to read a line.
const NOTE_MS: u64 = 5_000;

impl State {
    pub fn say(&mut self, text: impl Into<String>) {
        self.say_until(Until::Read, text);
    }

    pub fn say_until(&mut self, until: Until, text: impl Into<String>) {
        let (said_ms, until_ms) = (self.now_ms, self.now_ms + NOTE_MS);
        self.note = Some(Note { text: text.into(), said_ms, until_ms, stays: false, until });
    }

    /// Says that something failed. Who looks elsewhere for a moment still finds it.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.warn_until(Until::Read, text);
    }

    pub fn warn_until(&mut self, until: Until, text: impl Into<String>) {
        self.say_until(until, text);
        if let Some(note) = &mut self.note {
            note.stays = true;
        }
    }

    /// Takes back a line that could be read; one that stays, only when the person presses a key.
    pub fn note_expires(&mut self, pressed: bool) {
        let unseen = |note: &Note| note.until == Until::Seen && self.keyboard.adrift;
        let read = |note: &Note| note.until_ms <= self.now_ms && (pressed || !note.stays) && !unseen(note);
        if self.note.as_ref().is_some_and(read) {
            self.note = None;
        }
    }

    /// Takes back a line that is true no more.
    pub fn note_outlived(&mut self) {
        let drawer = matches!(self.mode, Mode::Drawer(_));
        let over = match self.note.as_ref().map(|note| &note.until) {
            None | Some(Until::Read) => false,
            Some(Until::Works(name)) => self.at_work(name),
            Some(Until::FocusLeaves(name)) => self.mode != Mode::Panes || self.focus.as_ref() != Some(name),
            Some(Until::Settled(id)) => self.question(id).is_none(),
            Some(Until::LineEnds(name)) => !self.held_keys.misses_beginning(name),
            Some(Until::DrawerCloses) => !drawer,
            Some(Until::Asks(name)) => {
                !drawer || self.question_of(name).is_some() || self.agent(name).is_some_and(Agent::asks)
            }
            Some(Until::Asked) => !self.questions.is_empty(),
            Some(Until::Seen) => !self.keyboard.adrift,
            Some(Until::Needed) => self.needing_person().next().is_some(),
        };
        if over {
            self.note = None;
        }
    }

    /// Whether it runs and reads what is typed. One that only begins may yet not come to that.
    pub fn at_work(&self, name: &str) -> bool {
        let runs =
            |agent: &Agent| agent.info.state != AgentState::Starting && takes_no_keys(self, agent).is_none();
        self.agent(name).is_some_and(runs)
    }
}
