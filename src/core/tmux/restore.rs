//! A captured pane as bytes that make a fresh terminal show the same: history, screen, cursor, modes.
//!
//! Called when counsel meets a pane that was there before it, or has lost sight of one. The capture holds
//! text and SGR sequences only; everything else comes from tmux's own formats, as numbers.

use std::fmt::Write;

use super::{PaneId, Reply, unescape};
use crate::core::terminal::grid::Size;
use crate::core::terminal::modes::Modes;

/// What is asked of the pane; read by `State::read`. The title is last, for it may hold anything.
pub const STATE: &str = "#{pane_id} #{pane_pid} #{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag} \
#{alternate_on} #{alternate_saved_x} #{alternate_saved_y} #{history_size} #{pane_dead} \
#{keypad_cursor_flag} #{keypad_flag} #{insert_flag} #{origin_flag} #{wrap_flag} \
#{scroll_region_upper} #{scroll_region_lower} \
#{mouse_standard_flag} #{mouse_button_flag} #{mouse_all_flag} #{mouse_sgr_flag} \
#{==:#{pane_title},#{host}} #{pane_title}";
/// Numbers before the title.
const NUMBERS: usize = 23;

/// What tmux knows of a pane beside its cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The process the pane was started with.
    pub first: u32,
    pub size: Size,
    pub dead: bool,
    pub alternate: bool,
    pub title: String,
    pub history: u32,
    cursor: (u16, u16),
    cursor_shown: bool,
    saved: (u16, u16),
    cursor_keys: bool,
    keypad: bool,
    insert: bool,
    origin: bool,
    wrap: bool,
    region: (u16, u16),
    mouse: [bool; 4],
}

impl State {
    pub fn read(line: &[u8]) -> Option<State> {
        let text = String::from_utf8_lossy(line);
        let mut words = text.splitn(NUMBERS + 2, ' ');
        words.next()?.parse::<PaneId>().ok()?;
        // A number that does not apply is empty: the cursor saved by an alternate screen that is not on.
        let mut number = || -> Option<u32> { Some(words.next()?.parse().unwrap_or(0)) };
        let short = |value: u32| u16::try_from(value).unwrap_or(u16::MAX);
        let first = number()?;
        let size = Size::new(short(number()?), short(number()?));
        let cursor = (short(number()?), short(number()?));
        let cursor_shown = number()? != 0;
        let alternate = number()? != 0;
        let saved = (short(number()?), short(number()?));
        let history = number()?;
        let mut flag = || Some(number()? != 0);
        let dead = flag()?;
        let (cursor_keys, keypad, insert) = (flag()?, flag()?, flag()?);
        let (origin, wrap) = (flag()?, flag()?);
        let region = (short(number()?), short(number()?));
        let mut flag = || Some(number()? != 0);
        let mouse = [flag()?, flag()?, flag()?, flag()?];
        let untitled = flag()?;
        let title = words.next().filter(|_| !untitled).unwrap_or_default().to_owned();
        Some(State {
            first,
            size,
            dead,
            alternate,
            title,
            history,
            cursor,
            cursor_shown,
            saved,
            cursor_keys,
            keypad,
            insert,
            origin,
            wrap,
            region,
            mouse,
        })
    }
}

/// The replies to `command::capture`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    pub state: State,
    screen: Vec<Vec<u8>>,
    below: Vec<Vec<u8>>,
    begun: Vec<u8>,
    history: Vec<Vec<u8>>,
}

impl Capture {
    pub fn read(replies: Vec<Reply>) -> Result<Capture, String> {
        if let Some(refused) = replies.iter().find(|reply| !reply.ok) {
            return Err(refused.text());
        }
        let mut parts = replies.into_iter().map(|reply| reply.lines);
        let mut next = || parts.next().unwrap_or_default();
        let state =
            next().first().and_then(|line| State::read(line)).ok_or("tmux does not tell its state")?;
        let (screen, below) = (next(), next());
        let begun = next().first().map(|line| unescape(line)).unwrap_or_default();
        let history = if state.history > 0 { next() } else { Vec::new() };
        Ok(Capture { state, screen, below, begun, history })
    }

    /// The bytes for a terminal of `state.size`, to be fed one after the other: the emulator hands its history
    /// out between them, which it does not from below an alternate screen. `modes`: what tmux does not tell.
    pub fn bytes(&self, modes: Modes) -> [Vec<u8>; 2] {
        let mut out = b"\x1bc\x1b)0\x1b[H".to_vec();
        let mut style = Pen::default();
        for line in &self.history {
            style.follow(line);
            out.extend_from_slice(line);
            // A line feed fills the new row with the colour in force, which belongs to the text only.
            out.extend_from_slice(b"\x0f\x1b[m\r\n");
            out.extend(style.sequences());
        }
        // Clearing the screen sends what is on it into the history.
        out.extend_from_slice(b"\x1b[m\x1b[2J");
        let history = std::mem::take(&mut out);
        if self.state.alternate {
            rows(&mut out, &self.below);
            place(&mut out, self.state.saved, 0);
            out.extend_from_slice(b"\x1b[?1049h\x1b[2J");
        }
        rows(&mut out, &self.screen);
        self.modes(&mut out, modes);
        out.extend_from_slice(&self.begun);
        [history, out]
    }

    fn modes(&self, out: &mut Vec<u8>, modes: Modes) {
        let State { region, cursor, size, .. } = self.state;
        let mut text = String::new();
        if region.0 < region.1 && region != (0, size.rows.saturating_sub(1)) {
            let _ = write!(text, "\x1b[{};{}r", region.0 + 1, region.1 + 1);
        }
        let [click, drag, motion, sgr] = self.state.mouse;
        let private = [
            (self.state.cursor_keys, 1),
            (self.state.origin, 6),
            (click, 1000),
            (drag, 1002),
            (motion, 1003),
            (modes.focus_events, 1004),
            (sgr, 1006),
            (modes.alternate_scroll, 1007),
            (modes.bracketed_paste, 2004),
        ];
        for (_, mode) in private.iter().filter(|(on, _)| *on) {
            let _ = write!(text, "\x1b[?{mode}h");
        }
        text.push_str(if self.state.keypad { "\x1b=" } else { "" });
        text.push_str(if self.state.insert { "\x1b[4h" } else { "" });
        text.push_str(if self.state.wrap { "" } else { "\x1b[?7l" });
        text.push_str(if self.state.cursor_shown { "" } else { "\x1b[?25l" });
        let title: String = self.state.title.chars().filter(|ch| !ch.is_control()).collect();
        if !title.is_empty() {
            let _ = write!(text, "\x1b]2;{title}\x1b\\");
        }
        out.extend(text.bytes());
        place(out, cursor, if self.state.origin { region.0 } else { 0 });
    }
}

/// Puts the cursor to a column and a row, counted from `top`.
fn place(out: &mut Vec<u8>, (column, row): (u16, u16), top: u16) {
    out.extend(format!("\x1b[{};{}H", row.saturating_sub(top) + 1, column + 1).bytes());
}

/// Rows of a screen, each at its place. The style goes on from row to row, as tmux writes it.
fn rows(out: &mut Vec<u8>, rows: &[Vec<u8>]) {
    out.extend_from_slice(b"\x1b[m");
    for (number, row) in rows.iter().enumerate() {
        place(out, (0, u16::try_from(number).unwrap_or(u16::MAX)), 0);
        out.extend_from_slice(row);
    }
    out.extend_from_slice(b"\x0f\x1b[m");
}

/// The style in force in the middle of a capture, as the sequences that made it.
#[derive(Debug, Default)]
struct Pen {
    /// Since the last reset, at most one for each kind.
    sequences: Vec<(u8, Vec<u8>)>,
    /// The line-drawing characters are switched on.
    drawing: bool,
}

impl Pen {
    fn follow(&mut self, line: &[u8]) {
        let mut at = 0;
        while at < line.len() {
            match line[at] {
                0x0e => self.drawing = true,
                0x0f => self.drawing = false,
                0x1b if line.get(at + 1) == Some(&b'[') => {
                    let end = line[at..].iter().position(|byte| *byte == b'm');
                    let Some(end) = end.map(|length| at + length) else { return };
                    self.take(&line[at..=end]);
                    at = end;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn take(&mut self, sequence: &[u8]) {
        let first: u16 = std::str::from_utf8(&sequence[2..sequence.len() - 1])
            .ok()
            .and_then(|text| text.split([';', ':']).next()?.parse().ok())
            .unwrap_or(0);
        let kind = match first {
            0 => {
                self.sequences.clear();
                0
            }
            30..=39 | 90..=97 => 1,
            40..=49 | 100..=107 => 2,
            58 | 59 => 3,
            attribute => 4 + u8::try_from(attribute).unwrap_or(0),
        };
        self.sequences.retain(|(other, _)| *other != kind);
        self.sequences.push((kind, sequence.to_vec()));
    }

    fn sequences(&self) -> Vec<u8> {
        let drawing: &[u8] = if self.drawing { b"\x0e" } else { b"" };
        self.sequences.iter().flat_map(|(_, sequence)| sequence).chain(drawing).copied().collect()
    }
}

/// One client of a tmux server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// A program like this one, not a person's terminal.
    pub control: bool,
    /// When it last heard from its user: unix seconds.
    pub activity: u64,
    /// The pane its user types into.
    pub pane: PaneId,
    pub name: String,
}

/// The clients, as `command::ask_clients` has them listed.
pub fn clients(reply: &Reply) -> Vec<Client> {
    let read = |line: &Vec<u8>| {
        let text = String::from_utf8_lossy(line);
        let mut words = text.splitn(4, ' ');
        Some(Client {
            control: words.next()? == "1",
            activity: words.next()?.parse().ok()?,
            pane: words.next()?.parse().ok()?,
            name: words.next()?.to_owned(),
        })
    };
    reply.lines.iter().filter_map(read).collect()
}
