//! One agent's terminal: bytes in; a grid, replies, reports and rows for the history out.
//!
//! Whoever reads a program's output feeds it here; detection and the clients read its grid. It knows no clock
//! and no file descriptor: replies are returned, and the caller writes them. What a step costs is counted and
//! bounded, see `feed_some`.

use std::cell::{Cell, OnceCell};
use std::collections::HashSet;

use crate::core::terminal::characters::whole_characters;
use crate::core::terminal::cost::Cost;
use crate::core::terminal::engine::{Damage, Engine, Failed, Saved};
use crate::core::terminal::grid::{Grid, Size};
use crate::core::terminal::modes::Modes;
use crate::core::terminal::query_parser::{Boundary, Query, QueryParser, Report};
use crate::core::terminal::query_replies::{self, TerminalIdentity};
use crate::core::terminal::scrolled::{LineSize, Packer, Scrolled};
use crate::core::terminal::shown::Shown;
use crate::core::terminal::string_limit::StringLimit;

/// Bytes read before what they cost is looked at. After a sequence that may cost more than two rows and a column
/// of the screen it is looked at anyway.
const PIECE: usize = 512;
/// The same on a large screen: so few that they cannot cost more than this.
const PIECE_COST: usize = Cost::STEP.0 as usize;
/// Reply bytes one step may produce; a stream of nothing but queries gets no more than this.
const MAX_REPLY: usize = 16 * 1024;
const ESC: u8 = 0x1b;

/// What came of feeding bytes.
#[derive(Debug, Default)]
pub struct Fed {
    /// To be written to the program at once.
    pub replies: Vec<u8>,
    pub reports: Vec<Report>,
    /// Rows that left the top of the main screen, for the history. Within a synchronized update there are
    /// none; they come when it ends, so that history and grid always belong together.
    pub scrolled: Scrolled,
    /// What it took.
    pub cost: Cost,
    /// The emulator failed on these bytes and was started afresh; the program should redraw.
    pub reset: bool,
    /// Something was not drawn as it was written (`lettering.rs`).
    pub garbled: bool,
}

/// A synchronized update that lasts longer than this, in milliseconds, is shown as far as it has come, as
/// by a terminal. A second, as tmux has it: a program on a busy machine pauses within a frame for longer
/// than the 150 ms some terminals allow, and half a frame can look like a dialog.
pub const SYNC_LIMIT_MS: u64 = 1_000;

/// The screen before it was resized, while the program has not printed since.
struct Resized {
    size: Size,
    saved: Saved,
    line: LineSize,
    /// Rows there was no room for. They have left the screen once the program goes on at the new size.
    pushed: Scrolled,
}

/// A terminal emulator with the responder that goes with it.
pub struct Screen {
    size: Size,
    terminal_identity: TerminalIdentity,
    engine: Engine,
    parser: vte::Parser,
    query_parser: QueryParser,
    title: String,
    /// What it shows, once somebody has asked for it since it changed.
    shown: OnceCell<Shown>,
    /// What it showed before that, and what has changed since.
    former: Cell<Option<Shown>>,
    damage: Damage,
    /// Rows on their way into the history.
    pub(super) packer: Packer,
    /// Within a synchronized update `shown` stays what it was before.
    in_sync: bool,
    /// Kinds of queries that were answered, for a terminal identity that answers each only once.
    answered: HashSet<Query>,
    resized: Option<Resized>,
    /// The beginning of a character whose end is still to come.
    begun: Vec<u8>,
    /// Both parsers are between two sequences.
    ground: bool,
    string: StringLimit,
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").field("size", &self.size).field("title", &self.title).finish_non_exhaustive()
    }
}

impl Screen {
    pub fn new(size: Size, terminal_identity: TerminalIdentity) -> Screen {
        let size = size.clamped();
        Screen {
            size,
            terminal_identity,
            engine: Engine::new(size),
            parser: vte::Parser::new(),
            query_parser: QueryParser::new(),
            title: String::new(),
            shown: OnceCell::new(),
            former: Cell::new(None),
            damage: Damage::all(),
            packer: Packer::default(),
            in_sync: false,
            answered: HashSet::new(),
            resized: None,
            begun: Vec::new(),
            ground: true,
            string: StringLimit::default(),
        }
    }

    /// Takes bytes the program wrote, all of them, whatever that costs. Split anywhere: sequences and UTF-8 go
    /// on in the next call. For those who make nobody wait: recordings, tests, a screen that is rebuilt.
    pub fn feed(&mut self, bytes: &[u8]) -> Fed {
        self.feed_some(bytes, Cost::UNBOUNDED).1
    }

    /// Takes bytes the program wrote until they have cost `budget`, and tells how many it took: at least one,
    /// if there is one. The caller goes on with the rest after others had their turn.
    ///
    /// What it costs beyond the budget is at most one sequence, that is three screens full of cells (a screen
    /// erased that scrolls into the history), or as much as a step again in sequences that touch a row each.
    pub fn feed_some(&mut self, bytes: &[u8], budget: Cost) -> (usize, Fed) {
        let mut fed = Fed::default();
        if bytes.is_empty() {
            return (0, fed);
        }
        if let Some(resized) = self.resized.take() {
            self.packer.add(resized.pushed);
        }
        self.outdate();
        let costliest = usize::from(self.size.rows) + 2 * usize::from(self.size.cols);
        let most = PIECE.min(PIECE_COST / costliest);
        let mut taken = self.finish_character(bytes, &mut fed);
        while taken < bytes.len() && fed.cost < budget {
            let piece = &bytes[taken..bytes.len().min(taken + most)];
            let whole = whole_characters(piece);
            if whole == 0 {
                self.begun.extend_from_slice(piece);
                taken += piece.len();
            } else {
                taken += self.read(&piece[..whole], &mut fed);
            }
        }
        self.engine.add_damage(&mut self.damage);
        if !self.in_sync {
            fed.scrolled.append(self.packer.take());
        }
        (taken, fed)
    }

    /// Ends a synchronized update that has lasted too long (the caller's clock decides): what there is of it is
    /// shown. The rows that scrolled off meanwhile.
    pub fn end_sync(&mut self) -> Scrolled {
        self.sync_ended();
        self.packer.take()
    }

    /// Inside a synchronized update (mode 2026): the grid is the last whole frame.
    pub fn in_sync(&self) -> bool {
        self.in_sync
    }

    pub fn has_region(&self) -> bool {
        self.query_parser.lettering.has_region()
    }

    /// Gives the screen another size. One that had this size before, and on which nothing was printed since,
    /// is what it was: a program that is resized there and back at once sees no change, and draws nothing.
    pub fn resize(&mut self, size: Size) {
        let (former, size) = (self.size, size.clamped());
        if former == size {
            return;
        }
        let mut resized = match self.resized.take() {
            Some(resized) => resized,
            None => {
                let (saved, line) = (self.engine.save(), self.packer.line());
                Resized { size: former, saved, line, pushed: Scrolled::default() }
            }
        };
        self.outdate();
        let kept = self.packer.take();
        self.engine.resize(size, &mut self.packer);
        self.size = size;
        if resized.size == size {
            self.engine.restore(resized.saved);
            drop(self.packer.take());
            self.packer.back_to(resized.line);
        } else {
            resized.pushed.append(self.packer.take());
            self.resized = Some(resized);
        }
        self.packer.add_before(kept);
        self.engine.add_damage(&mut self.damage);
        if self.in_sync
            && let Some(shown) = self.shown.get_mut()
        {
            // What stands behind it is half a frame. The program will draw a whole one at this size.
            shown.grid.cut(size);
            shown.all_changed();
        }
    }

    /// Rows that its size leaves no room for. They are the screen's still: until the program prints they come back with
    /// the room, and are not in what `feed` hands out.
    pub fn pushed_out(&self) -> Option<&Scrolled> {
        self.resized.as_ref().map(|resized| &resized.pushed).filter(|pushed| !pushed.is_empty())
    }

    pub fn size(&self) -> Size {
        self.size
    }

    /// What the screen shows. Made when it is asked for, from the rows that changed: a screen nobody looks at
    /// costs nothing.
    pub fn grid(&self) -> &Grid {
        &self.shown().grid
    }

    /// Of each row of the grid: which of this screen's rows it is. A row has the same number for as long as it
    /// shows the same, and no other row ever has it.
    pub fn versions(&self) -> &[u64] {
        &self.shown().versions
    }

    fn shown(&self) -> &Shown {
        self.shown.get_or_init(|| {
            let mut shown = self.former.take().unwrap_or_default();
            shown.refresh(&self.engine, &self.damage);
            shown
        })
    }

    /// What is drawn by now, also within a synchronized update.
    pub fn drawn(&self) -> Grid {
        let mut shown = Shown::default();
        shown.refresh(&self.engine, &Damage::all());
        shown.grid
    }

    /// Where the next character is drawn: row and column, or the column behind the last where it goes to the next row.
    pub fn cursor(&self) -> (u16, u16) {
        let cursor = self.engine.cursor();
        (cursor.row, if self.engine.wraps_next() { self.size.cols } else { cursor.col })
    }

    pub fn modes(&self) -> Modes {
        self.query_parser.modes()
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    /// What is read or done next may change the screen.
    fn outdate(&mut self) {
        if self.in_sync {
            return;
        }
        if let Some(shown) = self.shown.take() {
            self.former.set(Some(shown));
            self.damage = Damage::none(usize::from(self.size.rows));
        }
    }

    /// Reads a character of which the bytes before held only the beginning. The parsers are given whole ones
    /// only: one that gets the end of a character, another one and half of a third drops the second.
    fn finish_character(&mut self, bytes: &[u8], fed: &mut Fed) -> usize {
        let mut begun = std::mem::take(&mut self.begun);
        let mut taken = 0;
        while !begun.is_empty() {
            let whole = whole_characters(&begun);
            if whole > 0 {
                let read = self.read(&begun[..whole], fed);
                begun.drain(..read);
            } else if let Some(byte) = bytes.get(taken) {
                begun.push(*byte);
                taken += 1;
            } else {
                self.begun = begun;
                break;
            }
        }
        taken
    }

    /// Reads and draws up to the next sequence to stop at, or to the end of what can be drawn without being looked at twice.
    fn read(&mut self, piece: &[u8], fed: &mut Fed) -> usize {
        if self.string.is_overlong() {
            return self.string.skip(piece);
        }
        if self.ground && !self.query_parser.lettering.may_garble() {
            let (read, drawn) = self.engine.draw_text(piece, &mut self.packer);
            self.account(drawn, read, fed);
            if read > 0 {
                self.string.count(read, false);
                return read;
            }
        }
        self.read_sequence(piece, fed)
    }

    /// The same for what only the parsers can tell: one sequence, or what stands before it.
    fn read_sequence(&mut self, piece: &[u8], fed: &mut Fed) -> usize {
        self.query_parser.active = false;
        let text = piece.iter().position(|byte| *byte == ESC).unwrap_or(piece.len());
        // Nothing but ESC begins a sequence. The parsers find out what becomes of half a character before it.
        let stays = self.ground && text > 0 && whole_characters(&piece[..text]) == text;
        let piece = if stays { &piece[..text] } else { piece };
        self.query_parser.ended = false;
        let read = self.parser.advance_until_terminated(&mut self.query_parser, piece);
        let bytes = &piece[..read];
        self.ground = stays || self.query_parser.ended;
        let boundary = self.query_parser.boundary.take();
        let drawn = match boundary {
            Some(Boundary::Repeat(count)) => self.engine.draw_repeated(bytes, count, &mut self.packer),
            _ => self.engine.draw(bytes, &mut self.packer),
        };
        self.account(drawn, read, fed);
        match boundary {
            Some(Boundary::Erases { wholly }) => self.erased(wholly),
            Some(Boundary::SyncBegins) if !self.in_sync => self.sync_begins(fed),
            Some(Boundary::SyncEnds | Boundary::Reset) => self.sync_ended(),
            _ => {}
        }
        if self.string.count(read, !self.query_parser.active) {
            self.parser = vte::Parser::new();
            self.engine.abandon_sequence();
            self.ground = true;
        }
        fed.garbled |= self.query_parser.lettering.take_garbled();
        self.answer(fed);
        read
    }

    fn account(&mut self, drawn: Result<Cost, Failed>, read: usize, fed: &mut Fed) {
        fed.cost += Cost(read as u64);
        match drawn {
            Ok(cost) => fed.cost += cost,
            Err(Failed) => {
                fed.reset = true;
                self.damage = Damage::all();
            }
        }
    }

    /// From now on the grid stays as it is.
    fn sync_begins(&mut self, fed: &mut Fed) {
        self.engine.add_damage(&mut self.damage);
        let rows = self.damage.rows(self.size);
        fed.cost += Cost((rows * usize::from(self.size.cols)) as u64);
        self.grid();
        self.damage = Damage::none(usize::from(self.size.rows));
        fed.scrolled.append(self.packer.take());
        self.in_sync = true;
    }

    fn sync_ended(&mut self) {
        if std::mem::take(&mut self.in_sync)
            && let Some(shown) = self.shown.take()
        {
            self.former.set(Some(shown));
        }
    }

    fn answer(&mut self, fed: &mut Fed) {
        for report in self.query_parser.reports.drain(..) {
            if let Report::Title(title) = &report {
                self.title.clone_from(title);
            }
            fed.reports.push(report);
        }
        while let Some(query) = self.query_parser.queue.pop_front() {
            if self.terminal_identity.silent || fed.replies.len() > MAX_REPLY {
                continue;
            }
            if self.terminal_identity.once && !self.answered.insert(query.clone().kind()) {
                continue;
            }
            let cursor = self.engine.cursor();
            let reply =
                query_replies::reply(&query, &self.terminal_identity, self.size, cursor, &self.query_parser);
            fed.replies.extend_from_slice(reply.as_bytes());
        }
    }
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "screen_cost_tests.rs"]
mod cost_tests;
