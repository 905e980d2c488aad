//! Reads the terminal dry before a key that commits is sent, and before a resize or the end is heard of; and reads what
//! waits before the screen is judged.
//!
//! Called by the session's task. What was read here has been fed when it returns, or no key goes out yet.

use std::time::Instant;

use super::super::message::{Input, Output};
use super::super::setting::Terminal;
use super::{Task, pty, witness};

/// Turns that one drain may cost. What is left is fed afterwards, and until then no key is sent.
const DRAIN_TURNS: usize = 64;
/// Drains in one turn: a key that is due takes one or two. A step that was due and never taken would ask again and again,
/// and keep this thread from all other sessions.
pub(super) const DRAINS: usize = 16;

impl Task {
    /// A reply that a terminal gets while it collects lines waits in one.
    pub(super) fn tell_where_a_reply_goes(&mut self) {
        if self.session.has_replied()
            && let Some(Terminal::Pty(pty)) = &self.terminal
        {
            let canonical = pty.is_canonical();
            self.session.reply_went(canonical);
        }
    }

    /// Feeds what is in the terminal, and lets the session go on with that known.
    pub(super) fn drain(&mut self, reads: usize) -> Vec<Output> {
        self.read_dry(reads);
        let canonical = matches!(&self.terminal, Some(Terminal::Pty(pty)) if pty.is_canonical());
        self.drained(canonical)
    }

    /// Whether this turn may have one more drain.
    pub(super) fn may_drain(&mut self) -> bool {
        self.drains += 1;
        self.drains <= DRAINS
    }

    /// The drain that an earlier turn had no more room for.
    pub(super) fn drain_late(&mut self) {
        if self.drain_at.take_if(|at| Instant::now() >= *at).is_some() {
            self.perform(vec![Output::Drain]);
        }
    }

    /// All that was printed has been fed. A line is typed only where the same read still waits for it.
    pub(super) fn drained(&mut self, canonical: bool) -> Vec<Output> {
        let line = self.session.types_a_line();
        let mut outputs = if line { self.look_at_reader() } else { Vec::new() };
        // Whatever begins to be typed in this very step has been looked at by then.
        let front = witness::front(self.terminal.as_ref(), &self.session.agent());
        outputs.extend(self.session.on(Input::InFront(front), self.clock.now()));
        outputs.extend(self.session.on(Input::Drained { canonical }, self.clock.now()));
        outputs
    }

    /// What its program wrote before it began to wait is read first: it belongs to the screen that is judged.
    pub(super) fn look_at_reader(&mut self) -> Vec<Output> {
        let witness = witness::of(self.terminal.as_ref());
        let mut outputs = self.read_what_waits();
        outputs.extend(self.session.on(Input::Witnessed(witness), self.clock.now()));
        outputs
    }

    /// Takes in one block of what was written and not yet read. On a busy machine the kernel hands the second half of a
    /// frame over many milliseconds after its first, and half a frame is not what its program asks; a read makes it do so
    /// at once.
    pub(super) fn read_what_waits(&mut self) -> Vec<Output> {
        if !self.is_reading() {
            return Vec::new();
        }
        let Some(Terminal::Pty(pty)) = &mut self.terminal else { return Vec::new() };
        let (block, _) = pty.read_block();
        let mut outputs = Vec::new();
        for told in pty.take_told() {
            outputs.extend(self.session.on(told, self.clock.now()));
        }
        if !block.is_empty() {
            (self.unfed, self.fed) = (block, 0);
            outputs.extend(self.feed());
        }
        outputs
    }

    pub(super) fn read_dry(&mut self, reads: usize) {
        let mut turns = 0;
        for _ in 0..reads {
            while self.fed < self.unfed.len() && turns < DRAIN_TURNS {
                self.feed_turn();
                turns += 1;
            }
            if self.fed < self.unfed.len() {
                return;
            }
            let Some(Terminal::Pty(pty)) = &mut self.terminal else { return };
            let (block, rest) = pty.read_block();
            (self.unfed, self.fed) = (block, 0);
            self.heed_disturbance();
            if rest != pty::Output::Bytes(0) {
                break;
            }
        }
        while self.fed < self.unfed.len() && turns < DRAIN_TURNS {
            self.feed_turn();
            turns += 1;
        }
    }
}
