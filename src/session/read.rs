//! Text for programs: `read`, the scrollback, and reads that wait for output.
//!
//! A cursor names a place in one life of an agent: the number of a logical line and a character in it, or a byte
//! of the raw output. Lines are numbered from the agent's start, those still on the main screen included, so a
//! cursor neither repeats nor skips whatever scrolls.

use crate::core::terminal::cursor::{LIFE_MASK, LIFE_SHIFT, Place, RAW_LIFE};
use crate::wire::message::{ReadMode, ReadText, Reply, ServerMessage};
use crate::wire::{Notice, Request};

use super::message::{ClientKey, News, Output};
use super::{Life, Session};

/// Longest a `read` may wait.
const MAX_WAIT_MS: u64 = 30_000;
/// Exit codes of the contract: bad usage, refused by policy.
const USAGE: u8 = 2;
const REFUSED: u8 = 4;

/// A `read --wait` that has nothing to say yet.
#[derive(Debug)]
pub(super) struct PendingRead {
    client: ClientKey,
    id: u64,
    wanted: Wanted,
    /// What is given begins here.
    from: u64,
    /// What lies beyond is new to whoever asks.
    known: u64,
    pub until_ms: u64,
}

/// What a `read` asks for.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    since: Option<u64>,
    seen: Option<u64>,
    tail: Option<u64>,
    mode: ReadMode,
}

impl Session {
    /// A request about this agent alone.
    pub(super) fn request(&mut self, client: ClientKey, id: u64, request: Request) {
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
                Ok(()) if enter => return self.send_with_enter(client, id, &input),
                Ok(()) => self.typed_by(&input, false),
            },
            Request::Resize { size, .. } => {
                let reply = Box::new(self.resize_reply(size));
                // Whoever is answered may ask the hub at once, which must know the size by then.
                self.tell_sight();
                return self.tell(News::Reply { client, id, reply });
            }
            Request::Record { path, .. } => self.record(path),
            Request::History { from, count, .. } => self.history(from, count),
            Request::Read { since, seen, tail, wait_ms, mode, .. } => {
                return self.read(client, id, Wanted { since, seen, tail, mode }, wait_ms);
            }
            Request::Wait { what, timeout_ms, .. } => {
                return self.tell(News::Wait { client, id, what, timeout_ms });
            }
            _ => Reply::error(1, "this is no request about one agent"),
        };
        self.out.push(Output::Reply { client, id, reply });
    }

    /// The life of the agent that its cursors belong to: its process tells it from the one before.
    pub(super) fn begin_life(&mut self, pid: u32) {
        self.life_id = u64::from(pid) & LIFE_MASK;
    }

    /// What stands in the cursors of this life for the life.
    fn life_of(&self, mode: ReadMode) -> u64 {
        match mode {
            ReadMode::Raw => self.life_id ^ RAW_LIFE,
            ReadMode::Output | ReadMode::Screen | ReadMode::Scrollback => self.life_id,
        }
    }

    fn cursor(&self, place: u64, mode: ReadMode) -> u64 {
        (self.life_of(mode) << LIFE_SHIFT) | place
    }

    /// The place a cursor names, if it is one of this life and not beyond its end.
    fn place(&self, cursor: u64, mode: ReadMode) -> Result<u64, Reply> {
        let (life, place) = (cursor >> LIFE_SHIFT, cursor & ((1 << LIFE_SHIFT) - 1));
        let end = self.end_place(mode);
        // 0 is where every life begins.
        if cursor == 0 || (life == self.life_of(mode) && place <= end) {
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

    fn end_place(&self, mode: ReadMode) -> u64 {
        match mode {
            ReadMode::Raw => self.terminal.raw.since(u64::MAX, true).2,
            ReadMode::Output | ReadMode::Screen | ReadMode::Scrollback => self.output_since(0).2,
        }
    }

    /// The lines still on the main screen, the last of them being where the cursor stands.
    fn screen_lines(&self) -> Vec<String> {
        let grid = self.terminal.screen.grid();
        let last_filled = grid.rows.iter().rposition(|row| !row.text().is_empty());
        let last = last_filled.unwrap_or(0).max(usize::from(grid.cursor.row));
        let mut lines: Vec<String> = Vec::new();
        let mut open = self.terminal.history.open_line();
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

    /// Everything from a place on (`None`: nothing new), whether lines before it are lost, and the place behind it.
    fn output_since(&self, since: u64) -> (Option<String>, bool, u64) {
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
        (Some(lines.join("\n")), lost, end.number())
    }

    /// As `output_since`, in the form asked for.
    fn since(&self, mode: ReadMode, since: u64) -> (Option<String>, bool, u64) {
        match mode {
            ReadMode::Raw => {
                let (text, lost, place) = self.terminal.raw.since(since, self.gone());
                ((!text.is_empty()).then_some(text), lost, place)
            }
            ReadMode::Output | ReadMode::Screen | ReadMode::Scrollback => self.output_since(since),
        }
    }

    fn read(&mut self, client: ClientKey, id: u64, wanted: Wanted, wait_ms: u64) {
        let Wanted { since, seen, tail, mode } = wanted;
        let place = match since.map_or(Ok(0), |cursor| self.place(cursor, mode)) {
            Ok(place) => place,
            Err(reply) => return self.out.push(Output::Reply { client, id, reply }),
        };
        if mode == ReadMode::Screen {
            let (text, cut) = tailed(self.terminal.screen.grid().text(), tail);
            return self.reply_text(client, id, text, self.cursor(self.end_place(mode), mode), cut);
        }
        let from = if mode == ReadMode::Scrollback { 0 } else { place };
        if wait_ms > 0 && !self.gone() {
            let known = match (since, seen) {
                (Some(_), _) => from,
                // What was seen of an earlier life is nothing of this one.
                (None, Some(seen)) => self.place(seen, mode).unwrap_or(0),
                (None, None) => self.end_place(mode),
            };
            if !self.has_news(mode, known, since.is_some()) {
                let until_ms = self.now.ms + wait_ms.min(MAX_WAIT_MS);
                self.reads.push(PendingRead { client, id, wanted, from, known, until_ms });
                return;
            }
        }
        self.reply_since(client, id, wanted, from);
    }

    /// Whether there is something beyond a place. A line with nothing on it yet is nothing to a reader without a cursor.
    fn has_news(&self, mode: ReadMode, known: u64, blank: bool) -> bool {
        self.since(mode, known).0.is_some_and(|text| blank || !text.trim().is_empty())
    }

    fn reply_since(&mut self, client: ClientKey, id: u64, wanted: Wanted, from: u64) {
        let (text, lost, end) = self.since(wanted.mode, from);
        // A line with nothing on it yet is nothing to a first reader.
        let text = text.filter(|text| wanted.since.is_some() || !text.trim().is_empty());
        let (text, cut) = tailed(text.unwrap_or_default(), wanted.tail);
        self.reply_text(client, id, text, self.cursor(end, wanted.mode), lost || cut);
    }

    fn reply_text(&mut self, client: ClientKey, id: u64, text: String, cursor: u64, truncated: bool) {
        let exit_code = if let Life::Exited(code) = self.life { Some(code) } else { None };
        let text = ReadText { state: self.state, cursor, text, truncated, exit_code };
        self.out.push(Output::Reply { client, id, reply: Reply::Text(text) });
    }

    /// Answers the reads that have something to say by now, or have waited long enough.
    pub(super) fn answer_reads(&mut self) {
        for read in std::mem::take(&mut self.reads) {
            let blank = read.wanted.since.is_some() && read.from > 0;
            let waits = self.now.ms < read.until_ms && !self.gone();
            if waits && !self.has_news(read.wanted.mode, read.known, blank) {
                self.reads.push(read);
                continue;
            }
            self.reply_since(read.client, read.id, read.wanted, read.from);
        }
    }

    pub(super) fn left(&mut self, client: ClientKey) {
        self.unwatch(client);
        self.reads.retain(|read| read.client != client);
    }

    fn history(&self, from: u64, count: u64) -> Reply {
        let history = &self.terminal.history;
        let (first, end) = (history.first(), history.end());
        let from = from.clamp(first, end);
        let lines = history.lines(from, count, self.terminal.screen.size().cols);
        Reply::History { from, first, end, lines }
    }
}

/// The last lines of a text, and whether that is less than all.
fn tailed(text: String, tail: Option<u64>) -> (String, bool) {
    let Some(tail) = tail.and_then(|tail| usize::try_from(tail).ok()) else { return (text, false) };
    let count = text.lines().count();
    match count <= tail {
        true => (text, false),
        false => (text.lines().skip(count - tail).collect::<Vec<_>>().join("\n"), true),
    }
}
