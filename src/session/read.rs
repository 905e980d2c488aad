//! Text for programs: `read`, the scrollback, and reads that wait for output.
//!
//! A cursor names a place in one life of an agent: the number of a logical line and a character in it, or a byte
//! of the raw output. Lines are numbered from the agent's start, those still on the main screen included, so a
//! cursor neither repeats nor skips whatever scrolls.

use crate::core::terminal::cursor::{LIFE_MASK, LIFE_SHIFT, Place, RAW_LIFE};
use crate::core::terminal::history::History;
use crate::wire::message::{ReadMode, ReadText, Reply, ServerMessage};
use crate::wire::{Notice, Request};

use super::message::{ClientKey, News, Output};
use super::pending_read::{PendingRead, Wanted};
use super::{Life, Session};

/// Longest a `read` may wait: a day. An agent may be silent for hours, and whoever waits costs an entry in a list.
pub(super) const MAX_WAIT_MS: u64 = 86_400_000;
/// Exit codes of the contract: bad usage, refused by policy.
const USAGE: u8 = 2;
const REFUSED: u8 = 4;

/// Bytes of one reply, and up to six times as many on the wire, which takes no more than 16 MiB at once. Whoever wants
/// the rest asks for it by the reply's cursor.
const PIECE: usize = 1024 * 1024;
/// How far such a reader may lag behind before the program is held up.
const READER_LAG: u64 = 4 * PIECE as u64;

impl Session {
    /// A request about this agent alone.
    pub(super) fn request(&mut self, client: ClientKey, id: u64, request: Request) {
        if let Some(request) = self.hold_until_started(client, id, request) {
            self.take_request(client, id, request);
        }
    }

    pub(super) fn take_request(&mut self, client: ClientKey, id: u64, request: Request) {
        let reply = match request {
            Request::Keys { input, .. } => {
                if self.viewers.typed(client, self.now.ms) {
                    self.agree_on_size();
                }
                // Many a second while a person types: no reply, only news of what was not typed.
                if let Reply::Error { message, .. } = self.typed_by(&input, true) {
                    let notice = Notice::KeysRefused { name: self.name.clone(), message };
                    let message = Box::new(ServerMessage::Notice(notice));
                    self.out.push(Output::Send { client, message });
                }
                return;
            }
            Request::Send { input, enter, .. } => match self.typing_limit.take(&input, self.now.ms) {
                Err(why) => Reply::error(REFUSED, why),
                Ok(()) => return self.send_text(client, id, input, enter),
            },
            Request::Resize { size, .. } => match self.resize_reply(size) {
                Reply::Done if self.terminal.awaits_size() => return self.resizing.push((client, id)),
                reply => reply,
            },
            Request::Record { path, .. } => return self.record((client, id), path),
            Request::History { from, count, .. } => {
                // Rows that are there whatever the hub knows, and whoever scrolls waits for them.
                let reply = self.history(from, count);
                return self.out.push(Output::Reply { client, id, reply });
            }
            Request::Read { since, seen, tail, wait_ms, mode, .. } => {
                // What is shown here is what the hub is told of.
                self.look_if_due();
                return self.read(client, id, Wanted { since, seen, tail, mode }, wait_ms);
            }
            Request::Wait { what, timeout_ms, .. } => {
                return self.tell(News::Wait { client, id, what, timeout_ms });
            }
            _ => Reply::error(1, "this is no request about one agent"),
        };
        self.reply_to(client, id, reply);
    }

    /// Answers by way of the hub: whoever is answered may ask it at once, and it must know by then what has changed.
    pub(super) fn reply_to(&mut self, client: ClientKey, id: u64, reply: Reply) {
        self.tell_sight();
        self.tell(News::Reply { client, id, reply: Box::new(reply) });
    }

    /// What stands in the cursors of this life for the life.
    fn life_of(&self, mode: ReadMode) -> u64 {
        let life = self.life_id.unwrap_or(0) & LIFE_MASK;
        match mode {
            ReadMode::Raw | ReadMode::Bytes => life ^ RAW_LIFE,
            ReadMode::Output | ReadMode::Screen | ReadMode::Scrollback => life,
        }
    }

    pub(super) fn cursor(&self, place: u64, mode: ReadMode) -> u64 {
        (self.life_of(mode) << LIFE_SHIFT) | place
    }

    /// The place a cursor names, if it is one of this life and not beyond its end, or the end it had when the cursor was
    /// given.
    pub(super) fn place(&self, cursor: u64, mode: ReadMode) -> Result<u64, Reply> {
        let (life, place) = (cursor >> LIFE_SHIFT, cursor & ((1 << LIFE_SHIFT) - 1));
        let end = self.end_place(mode);
        // 0 is where every life begins.
        let given = if matches!(mode, ReadMode::Raw | ReadMode::Bytes) { 0 } else { self.given.furthest() };
        if cursor == 0 || (life == self.life_of(mode) && place <= end.max(given)) {
            return Ok(place);
        }
        let now = self.cursor(end, mode);
        let why = match life ^ self.life_of(mode) {
            0 => "lies beyond the end of the output",
            RAW_LIFE if mode == ReadMode::Raw => "is not one of 'read --raw'",
            RAW_LIFE => "is one of 'read --raw'",
            _ => "belongs to an earlier life of the agent",
        };
        Err(Reply::error(USAGE, format!("the cursor {cursor} {why}; the current one is {now}")))
    }

    pub(super) fn end_place(&self, mode: ReadMode) -> u64 {
        match mode {
            ReadMode::Raw | ReadMode::Bytes => self.terminal.raw.end(),
            ReadMode::Output | ReadMode::Screen | ReadMode::Scrollback => {
                // From the screen's first line on: whoever reads on asks for the end each time, and all of the history
                // would be gone through for it.
                self.output_since(self.screen_start(), usize::MAX).2
            }
        }
    }

    fn screen_start(&self) -> u64 {
        Place { line: self.first_line_shown(), char: 0 }.number()
    }

    /// The number of the line that the screen begins with, or goes on with.
    pub(super) fn first_line_shown(&self) -> u64 {
        let history = &self.terminal.history;
        history.end() - u64::from(history.open_line())
    }

    /// The line that the first row of the main screen belongs to, counted as those for readers are.
    pub(super) fn first_row_line(&self) -> Option<u64> {
        let screen = &self.terminal.screen;
        // Above the rows of the size that it has now there may be some that go on with the open line.
        let above =
            screen.pushed_out().map_or(0, |pushed| pushed.texts().count() - usize::from(pushed.open()));
        let line = self.first_line_shown() + above as u64;
        (!screen.modes().alternate_screen).then_some(line)
    }

    /// The number of the last line there is.
    pub(super) fn end_of_lines(&self) -> u64 {
        Place::of(self.end_place(ReadMode::Output)).line
    }

    /// The lines still on the main screen, the last of them being where the cursor stands; first those that its size has
    /// no room for.
    fn screen_lines(&self) -> Vec<String> {
        let grid = self.terminal.screen.grid();
        let last_filled = grid.rows.iter().rposition(|row| !row.text().is_empty());
        let last = last_filled.unwrap_or(0).max(usize::from(grid.cursor.row));
        let mut lines: Vec<String> = Vec::new();
        let mut open = self.terminal.history.open_line();
        if let Some(pushed) = self.terminal.screen.pushed_out() {
            lines.extend(pushed.texts().map(str::to_owned));
            open = pushed.open();
        }
        for row in grid.rows.iter().take(last + 1) {
            let text = if row.wrapped { row.full_text() } else { row.text() };
            match (open, lines.last_mut()) {
                (true, Some(line)) => line.push_str(&text),
                // The first row goes on with a line whose beginning has scrolled off.
                (true, None) | (false, _) => lines.push(text),
            }
            open = row.wrapped;
        }
        lines
    }

    /// So many bytes at most from a place on (`None`: nothing new), whether lines before it are lost, and the place behind
    /// it.
    fn output_since(&self, since: u64, most: usize) -> (Option<String>, bool, u64) {
        let history = &self.terminal.history;
        let open = history.open_line();
        let (first, base) = (history.first(), history.end() - u64::from(open));
        let lost = Place::of(since).line < first;
        let from = if lost { Place { line: first, char: 0 } } else { Place::of(since) };
        let start = from.line.min(base);
        let mut lines = history.text(start);
        let prefix = if open { lines.pop().unwrap_or_default() } else { String::new() };
        let mut on_screen = self.screen_lines();
        if let Some(line) = on_screen.first_mut() {
            line.insert_str(0, &prefix);
        }
        lines.extend(on_screen);
        let beyond = usize::try_from(from.line - start).unwrap_or(usize::MAX);
        lines.drain(..beyond.min(lines.len()));
        let last_chars = lines.last().map_or(0, |line| line.chars().count() as u64);
        let end = Place { line: (from.line + lines.len() as u64).saturating_sub(1), char: last_chars };
        if lines.is_empty() || end <= from {
            return (None, lost, from.number());
        }
        if let Some(line) = lines.first_mut() {
            *line = line.chars().skip(usize::try_from(from.char).unwrap_or(usize::MAX)).collect();
        }
        let mut text = lines.join("\n");
        if text.len() <= most {
            return (Some(text), lost, end.number());
        }
        text.truncate(text.floor_char_boundary(most));
        let end = behind(from, &text);
        (Some(text), lost, end.number())
    }

    /// A reader has come to this place.
    fn note(&mut self, place: u64) {
        let before = self.before(place);
        self.given.note(place, &before);
    }

    /// What stands before a place in its line.
    fn before(&self, place: u64) -> String {
        let Place { line, char } = Place::of(place);
        let (text, ..) = self.output_since(Place { line, char: 0 }.number(), PIECE);
        let text = text.unwrap_or_default();
        let first = text.split('\n').next().unwrap_or_default();
        first.chars().take(usize::try_from(char).unwrap_or(usize::MAX)).collect()
    }

    /// The place, or the beginning of its line where that was drawn over since a reader came to it.
    fn reread_from(&self, place: u64) -> u64 {
        match Place::of(place).char > 0 && self.given.is_drawn_over(place, &self.before(place)) {
            true => Place { char: 0, ..Place::of(place) }.number(),
            false => place,
        }
    }

    /// As `output_since`, in the form asked for.
    fn since(&self, mode: ReadMode, since: u64, most: usize) -> (Option<String>, bool, u64) {
        match mode {
            ReadMode::Raw => {
                let (text, lost, place) = self.terminal.raw.since(since, most, self.gone());
                ((!text.is_empty()).then_some(text), lost, place)
            }
            ReadMode::Bytes => {
                let (bytes, lost, place) = self.terminal.raw.bytes_since(since, PIECE);
                ((!bytes.is_empty()).then(|| bytes.into_iter().map(char::from).collect()), lost, place)
            }
            ReadMode::Output | ReadMode::Screen | ReadMode::Scrollback => {
                let since = self.reread_from(since);
                // The screen that was read up to there is gone: all of this one is new to whoever had it.
                let shrunk = since > 0 && since > self.end_place(mode);
                self.output_since(if shrunk { self.screen_start() } else { since }, most)
            }
        }
    }

    fn read(&mut self, client: ClientKey, id: u64, wanted: Wanted, wait_ms: u64) {
        let Wanted { since, seen, mode, .. } = wanted;
        let place = match since.map_or(Ok(0), |cursor| self.place(cursor, mode)) {
            Ok(place) => place,
            Err(reply) => return self.reply_to(client, id, reply),
        };
        if mode == ReadMode::Screen {
            return self.read_screen((client, id), wanted, place, wait_ms);
        }
        let from = if mode == ReadMode::Scrollback { 0 } else { place };
        if wait_ms > 0 && !self.gone() {
            let known = match (since, seen) {
                (Some(_), _) => from,
                // What was seen of an earlier life is nothing of this one.
                (None, Some(seen)) => self.place(seen, mode).unwrap_or(0),
                (None, None) => self.end_place(mode),
            };
            if since.is_none() && mode != ReadMode::Raw && mode != ReadMode::Bytes {
                self.note(known);
            }
            if !self.has_news(mode, known, since.is_some()) {
                let until_ms = self.now.ms + wait_ms.min(MAX_WAIT_MS);
                self.reads.push(PendingRead { client, id, wanted, from, known, until_ms });
                return;
            }
        }
        self.reply_since(client, id, wanted, from);
    }

    /// Whether there is something beyond a place. A line with nothing on it yet is nothing to a reader without a cursor.
    pub(super) fn has_news(&self, mode: ReadMode, known: u64, blank: bool) -> bool {
        if mode == ReadMode::Bytes {
            return self.terminal.raw.end() > known;
        }
        self.since(mode, known, PIECE).0.is_some_and(|text| blank || !text.trim().is_empty())
    }

    fn reply_since(&mut self, client: ClientKey, id: u64, wanted: Wanted, from: u64) {
        // Whoever wants the last lines gets those, wherever the first ones end.
        let most = if wanted.tail.is_some() { usize::MAX } else { PIECE };
        let anew = wanted.mode == ReadMode::Output && self.reread_from(from) != from;
        let (text, lost, end) = self.since(wanted.mode, from, most);
        if wanted.mode == ReadMode::Bytes {
            self.follower = Some((client, end));
        }
        // A line with nothing on it yet is nothing to a first reader; as it was printed it is output like any other.
        let lines = !matches!(wanted.mode, ReadMode::Raw | ReadMode::Bytes);
        let text = text.filter(|text| !lines || wanted.since.is_some() || !text.trim().is_empty());
        let (text, cut) = tailed(text.unwrap_or_default(), wanted.tail);
        let behind = self.end_place(wanted.mode).max(end);
        let (cursor, end) = (self.cursor(end, wanted.mode), self.cursor(behind, wanted.mode));
        self.reply_text(client, id, text, (cursor, end), (lost || cut, anew));
    }

    /// Whether somebody takes in the whole output and is behind: what is printed meanwhile is left in the terminal.
    pub fn waits_for_reader(&self) -> bool {
        self.follower.is_some_and(|(_, place)| self.terminal.raw.end().saturating_sub(place) > READER_LAG)
    }

    pub(super) fn reply_text(
        &mut self,
        client: ClientKey,
        id: u64,
        text: String,
        (cursor, end): (u64, u64),
        (truncated, anew): (bool, bool),
    ) {
        let exit_code = if let Life::Exited(code) = self.life { Some(code) } else { None };
        if cursor >> LIFE_SHIFT == self.life_of(ReadMode::Output) {
            self.note(cursor & ((1 << LIFE_SHIFT) - 1));
        }
        let text = ReadText { state: self.state, cursor, text, truncated, exit_code, end, anew };
        self.reply_to(client, id, Reply::Text(text));
    }

    /// Answers the reads that have something to say by now, or have waited long enough.
    pub(super) fn answer_reads(&mut self) {
        for read in std::mem::take(&mut self.reads) {
            let blank = read.wanted.since.is_some() && read.from > 0;
            let waits = self.now.ms < read.until_ms && !self.gone();
            let screen = read.wanted.mode == ReadMode::Screen;
            let news = match screen {
                true => self.terminal.raw.end() > read.known,
                false => self.has_news(read.wanted.mode, read.known, blank),
            };
            if waits && !news {
                self.reads.push(read);
            } else if screen {
                self.reply_screen(read.client, read.id, read.wanted.tail);
            } else {
                self.reply_since(read.client, read.id, read.wanted, read.from);
            }
        }
    }

    pub(super) fn left(&mut self, client: ClientKey) {
        self.unwatch(client);
        self.reads.retain(|read| read.client != client);
        self.unstarted.retain(|held| held.client != client);
        self.follower.take_if(|(follower, _)| *follower == client);
        self.resizing.retain(|(of, _)| *of != client);
        self.slot.sends.retain(|send| send.client != client);
    }

    fn history(&self, from: u64, count: u64) -> Reply {
        let history = &self.terminal.history;
        let (first, last, cols) = (history.first(), history.end(), self.terminal.screen.size().cols);
        // Behind it what the screen has no room for: whoever looks sees the screen as it is.
        let mut pushed = History::new(usize::MAX);
        pushed.begin_at(last);
        self.terminal.screen.pushed_out().into_iter().for_each(|rows| pushed.push(rows));
        let end = pushed.end();
        let from = from.clamp(first, end);
        let mut lines = history.lines(from, count, cols);
        let rest = count.saturating_sub(last.saturating_sub(from));
        lines.extend(pushed.lines(from.max(last), rest, cols));
        Reply::History { from, first, end, lines }
    }
}

/// The last lines of a text, and whether that is less than all.
pub(super) fn tailed(text: String, tail: Option<u64>) -> (String, bool) {
    let Some(tail) = tail.and_then(|tail| usize::try_from(tail).ok()) else { return (text, false) };
    let count = text.lines().count();
    let (text, cut) = match count <= tail {
        true => (text, false),
        false => (text.lines().skip(count - tail).collect::<Vec<_>>().join("\n"), true),
    };
    match text.len() <= PIECE {
        true => (text, cut),
        false => (text[text.ceil_char_boundary(text.len() - PIECE)..].to_owned(), true),
    }
}

/// The place behind a text that begins at this one.
fn behind(from: Place, text: &str) -> Place {
    match text.rsplit_once('\n') {
        None => Place { line: from.line, char: from.char + text.chars().count() as u64 },
        Some((before, last)) => {
            let lines = before.matches('\n').count() as u64 + 1;
            Place { line: from.line + lines, char: last.chars().count() as u64 }
        }
    }
}
