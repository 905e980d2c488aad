//! The terminal of one agent: bytes into the emulator, what comes of them, its size, and how far its program is
//! with drawing after a change.
//!
//! `Session` calls it for output and resizes. Nothing here is decided about a question.

use crate::core::agent::Host;
use crate::core::terminal::cost::Cost;
use crate::core::terminal::grid::Size;
use crate::core::terminal::query_parser::Report;
use crate::core::terminal::repaint::repaint;
use crate::core::terminal::screen::{Fed, SYNC_LIMIT_MS};
use crate::wire::Notice;
use crate::wire::message::Reply;

use super::emulation::{REDRAW_MS, Redraw, narrower};
use super::message::{JournalPart, News, Output};
use super::observation::DRAWN_ANEW_MS;
use super::{Life, Session};

/// A program that has said nothing so long after a resize does not draw upon one. Others answer within
/// 100 ms; on a busy machine within a second.
const SILENT_MS: u64 = 2_000;
/// The last of what a program draws for another size has been looked at by then, however long it is waited for more.
const LOOKED_ANEW_MS: u64 = 2_000;
/// Leaves the alternate screen, and what was below it.
const CLEAR: &[u8] = b"\x1b[?1049l\x1b[m\x1b[2J";

impl Session {
    /// Feeds as many of these bytes as one turn may cost.
    pub(super) fn output(&mut self, bytes: &[u8]) -> usize {
        let now = self.now;
        let (overdrawn, screen) = (&mut self.observation.overdrawn, &mut self.terminal.screen);
        let (taken, fed) = overdrawn.feed(&self.profile, screen, bytes, Cost::STEP);
        let bytes = &bytes[..taken];
        let terminal = &mut self.terminal;
        terminal.raw.push(bytes);
        self.slot.draft.printed(bytes);
        self.slot.untouched |= bytes.contains(&b'\n');
        terminal.printed += bytes.len() as u64;
        terminal.output_ms = now.ms;
        terminal.redraw = terminal.redraw.filter(|redraw| matches!(redraw, Redraw::Narrow { .. }));
        terminal.sync_since = match (terminal.screen.in_sync(), terminal.sync_since) {
            (true, since) => since.or(Some(now.ms)),
            (false, _) => None,
        };
        self.observation.watcher.saw_output(now.ms);
        self.log_output(bytes);
        self.absorb(fed);
        taken
    }

    /// Bytes go to the program: of the line that stands there, some may be their echo from now on.
    pub(super) fn write(&mut self, bytes: Vec<u8>) {
        self.slot.untouched = false;
        self.out.push(Output::Write(bytes));
    }

    fn absorb(&mut self, fed: Fed) {
        if !fed.replies.is_empty() {
            self.write(fed.replies);
            self.slot.draft.replied();
        }
        self.terminal.history.push(&fed.scrolled);
        for report in fed.reports {
            match report {
                Report::Title(_) => self.title_changed(),
                Report::Status(status) => {
                    self.terminal.status = (status.state != "clear").then_some(status);
                }
                Report::Bell | Report::Notification(_) => self.terminal.bell.set(()),
                Report::Clipboard(data) => self.terminal.clipboard.set(data),
            }
        }
        if fed.reset {
            self.redraw();
        }
        self.viewers.mark_dirty();
    }

    fn title_changed(&mut self) {
        if self.terminal.title_words() != self.terminal.told_title {
            self.terminal.title.set(());
        }
    }

    /// What its program has called for, if it is time to tell.
    pub(super) fn tell_calls(&mut self) {
        let now_ms = self.now.ms;
        if self.terminal.title.take(now_ms).is_some() {
            let words = self.terminal.title_words().to_owned();
            self.moved |= words != self.terminal.told_title;
            self.terminal.told_title = words;
        }
        if self.terminal.bell.take(now_ms).is_some() {
            self.tell(News::Bell);
        }
        if let Some(data) = self.terminal.clipboard.take(now_ms) {
            let name = self.name.clone();
            self.tell_viewers(&Notice::Clipboard { name, data });
        }
    }

    /// What the screen shows becomes history, as it does for a person who clears it: the next life begins below.
    pub(super) fn clear_into_history(&mut self) {
        let terminal = &mut self.terminal;
        let scrolled = [terminal.screen.end_sync(), terminal.screen.feed(CLEAR).scrolled];
        scrolled.iter().for_each(|rows| terminal.history.push(rows));
    }

    /// Ends a synchronized update that its program leaves open.
    pub(super) fn end_overdue_sync(&mut self) {
        let now = self.now;
        let terminal = &mut self.terminal;
        if terminal.sync_since.is_some_and(|since| now.ms >= since + SYNC_LIMIT_MS) {
            let scrolled = terminal.screen.end_sync();
            terminal.history.push(&scrolled);
            terminal.sync_since = None;
            self.observation.watcher.saw_half_a_frame(now.ms);
            // Looks taken meanwhile saw the frame before it.
            self.observation.changed_ms = now.ms;
            self.viewers.mark_dirty();
        }
    }

    /// Whether it has another size, and what was drawn for it may not have been looked at.
    pub(super) fn is_drawing(&self) -> bool {
        let since = self.terminal.ordered_size_ms.map(|at| self.now.ms.saturating_sub(at));
        let unjudged = self.observation.watcher.unjudged();
        since.is_some_and(|ms| ms < DRAWN_ANEW_MS || ms < LOOKED_ANEW_MS && unjudged)
    }

    pub(super) fn terminal_wake(&self) -> Option<u64> {
        let terminal = &self.terminal;
        let sync = terminal.sync_since.map(|since| since + SYNC_LIMIT_MS);
        let redraw = terminal.redraw.map(Redraw::until_ms);
        let size = terminal.awaits_size.and_then(|size| terminal.noticed_from(size.clamped()));
        let calls = [terminal.title.wake(), terminal.bell.wake(), terminal.clipboard.wake()];
        [sync, redraw, size].into_iter().chain(calls).flatten().min()
    }

    /// Gives the agent another size: the viewers', or the one that was asked for. A program that goes there and back
    /// again before it looks sees no change and draws nothing, though its rows were cut and read at the size between:
    /// it has the one until it has looked, and then the other.
    pub(super) fn resize(&mut self, size: Size) {
        let now = self.now;
        self.terminal.awaits_size = None;
        // An adopted pane is as large as its user's tmux has it.
        if self.terminal.screen.size() == size.clamped() || self.adopted_pane {
            return;
        }
        if self.terminal.noticed_from(size.clamped()).is_none_or(|from| now.ms < from) {
            self.terminal.awaits_size = Some(size);
            return;
        }
        self.terminal.gives_up(self.terminal.screen.size(), now.ms);
        self.change_size(size);
    }

    fn change_size(&mut self, size: Size) {
        let now = self.now;
        self.terminal.screen.resize(size);
        (self.terminal.resized_ms, self.terminal.ordered_size_ms) = (now.ms, Some(now.ms));
        self.terminal.redraw = Some(Redraw::Resized { until_ms: now.ms + SILENT_MS });
        self.size_changed(size);
        self.out.push(Output::Journal(vec![JournalPart::Resized(size)]));
        self.out.push(Output::Resize(size));
    }

    /// The terminal has another size than was ordered last, or was given one by a person.
    pub(super) fn terminal_resized(&mut self, size: Size) {
        let own = self.terminal.screen.size();
        // The size it is shown for a moment is not its own: it would be given that one back.
        let shown =
            matches!(self.terminal.redraw, Some(Redraw::Narrow { .. })) && size.clamped() == narrower(own);
        if own != size.clamped() && !shown {
            self.terminal.screen.resize(size);
            self.size_changed(size);
        }
    }

    fn size_changed(&mut self, size: Size) {
        self.observation.resized(self.now.ms);
        if self.log.recorded.any() {
            self.out.push(Output::RecordedSize(size));
        }
        self.viewers.mark_dirty();
        self.moved = true;
    }

    pub(super) fn resize_reply(&mut self, size: Size) -> Reply {
        if self.adopted_pane {
            let name = &self.name;
            let why = format!("{name} runs in a pane of your own tmux; it can be resized only there");
            return Reply::error(1, why);
        }
        if let Life::Exited(_) = self.life {
            let name = &self.name;
            return Reply::error(1, format!("{name} has exited; run 'counsel restart {name}' first"));
        }
        self.resize(size);
        Reply::Done
    }

    /// Tells those who wanted another size that it is there, or that somebody else wanted another one since.
    pub(super) fn answer_resizes(&mut self) {
        if !self.terminal.awaits_size() {
            for (client, id) in std::mem::take(&mut self.resizing) {
                self.reply_to(client, id, Reply::Done);
            }
        }
    }

    /// Makes a program draw its whole screen: for a moment its terminal is a column narrower. Both sizes
    /// at once would be seen as no change.
    pub(super) fn redraw(&mut self) {
        let other = narrower(self.terminal.screen.size());
        self.terminal.redraw = Some(Redraw::Narrow { until_ms: self.now.ms + REDRAW_MS });
        self.observation.redrawing();
        self.out.push(Output::Resize(other));
    }

    /// Gives a redrawing program its own size back, or the one it is to have meanwhile, and time to draw.
    pub(super) fn redrawn(&mut self) {
        let now = self.now;
        let terminal = &mut self.terminal;
        if let Some(size) = terminal.awaits_size
            && terminal.noticed_from(size.clamped()).is_some_and(|from| from <= now.ms)
        {
            return self.resize(size);
        }
        if terminal.redraw.is_none_or(|redraw| now.ms < redraw.until_ms()) {
            return;
        }
        if let Some(Redraw::Narrow { .. }) = terminal.redraw {
            let size = terminal.screen.size();
            let narrow = narrower(size);
            terminal.gives_up(narrow, now.ms);
            // Any size but the narrower one is a change to it.
            if let Some(other) = terminal.awaits_size.take_if(|other| other.clamped() != narrow) {
                terminal.redraw = None;
                return self.change_size(other);
            }
            terminal.resized_ms = now.ms;
            terminal.redraw = Some(Redraw::Back { until_ms: now.ms + SILENT_MS });
            self.observation.resized(now.ms);
            self.out.push(Output::Resize(size));
        } else {
            terminal.redraw = None;
        }
        self.moved = true;
    }

    /// It draws more than a line prompt.
    pub(super) fn draws_a_screen(&self) -> bool {
        self.highlights() || self.terminal.screen.modes().bracketed_paste
    }

    /// What it reads are keys, and its terminal is to hand them over one by one. Programs draw their first dialog a
    /// moment before they switch it, on a busy machine a long one.
    pub(super) fn reads_keys(&self) -> bool {
        // In tmux pastes are handed over in brackets whatever the program has asked for.
        self.highlights() || (self.terminal.screen.modes().bracketed_paste && !self.is_in_tmux())
    }

    pub(super) fn is_in_tmux(&self) -> bool {
        self.host == Host::Tmux || self.adopted_pane
    }

    fn highlights(&self) -> bool {
        let question = self.observation.verdict.question.as_ref();
        question.is_some_and(|question| question.selected.is_some() || question.origin.passing.is_some())
    }

    /// What draws the screen as it stands.
    pub(super) fn repainted(&self) -> Vec<u8> {
        repaint(self.terminal.screen.grid(), self.terminal.screen.modes())
    }

    /// Nothing may be typed: it does not run, or is about to be stopped.
    pub(super) fn not_running(&self) -> bool {
        self.life != Life::Running || self.stands_still()
    }
}

#[cfg(test)]
#[path = "redraw_tests.rs"]
mod tests;
