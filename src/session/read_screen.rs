//! `read --screen`: the screen as it stands, at once or once something was printed that is new to whoever asks.
//!
//! `read.rs` comes here. A screen may change without a line more, so what was printed wakes whoever waits, and not where
//! the lines end.

use crate::wire::message::ReadMode;

use super::Session;
use super::message::ClientKey;
use super::pending_read::{PendingRead, Wanted};
use super::read::{MAX_WAIT_MS, tailed};

impl Session {
    /// `place`: where the cursor leads that was given.
    pub(super) fn read_screen(
        &mut self,
        (client, id): (ClientKey, u64),
        wanted: Wanted,
        place: u64,
        wait_ms: u64,
    ) {
        let mode = ReadMode::Screen;
        let printed = match (wanted.since, wanted.seen) {
            (Some(_), _) => self.has_news(mode, place, true),
            // What was seen of an earlier life is nothing of this one.
            (None, Some(seen)) => {
                self.place(seen, mode).map_or(true, |seen| self.has_news(mode, seen, false))
            }
            (None, None) => false,
        };
        if wait_ms == 0 || printed || self.gone() {
            return self.reply_screen(client, id, wanted.tail);
        }
        let until_ms = self.now.ms + wait_ms.min(MAX_WAIT_MS);
        let known = self.terminal.raw.end();
        self.reads.push(PendingRead { client, id, wanted, from: place, known, until_ms });
    }

    pub(super) fn reply_screen(&mut self, client: ClientKey, id: u64, tail: Option<u64>) {
        let (text, cut) = tailed(self.terminal.screen.grid().text(), tail);
        let cursor = self.cursor(self.end_place(ReadMode::Screen), ReadMode::Screen);
        self.reply_text(client, id, text, (cursor, cursor), (cut, false));
    }
}
