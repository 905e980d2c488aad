//! A second parser over an agent's output, for what the emulator does not tell: queries that want a
//! reply, reports the program makes of itself, the title, and the modes that decide how keys are sent.
//!
//! `core/terminal/screen.rs` feeds it the same bytes as the emulator and stops at every query, so that a
//! reply is made from the state at that very point of the stream, and at every sequence whose cost or effect on
//! the whole screen has to be known before more is read. It never paints and never replies.

use std::collections::{BTreeSet, VecDeque};

use vte::{Params, Perform};

use crate::core::terminal::lettering::Lettering;
use crate::core::terminal::modes::{KittyStack, Modes};
use crate::core::terminal::program_status::{MAX_TEXT, ProgramStatus, printable};

/// A question the program asks of its terminal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Query {
    PrimaryAttributes,
    SecondaryAttributes,
    TertiaryAttributes,
    Version,
    OperatingStatus,
    CursorPosition {
        dec: bool,
    },
    TextAreaPixels,
    CellPixels,
    TextAreaCells,
    /// DECRQM for a DEC private mode.
    PrivateMode(u16),
    AnsiMode(u16),
    KittyFlags,
    /// OSC 10, 11 or 12.
    DynamicColor {
        number: u16,
        bel: bool,
    },
    PaletteColor {
        index: u8,
        bel: bool,
    },
    ColorScheme,
    ProgramStatus,
    /// DECRQSS or XTGETTCAP: answered with a fixed refusal.
    SettingRefused {
        termcap: bool,
    },
}

impl Query {
    /// What is asked, whichever way the reply is to end.
    pub fn kind(self) -> Query {
        match self {
            Query::DynamicColor { number, .. } => Query::DynamicColor { number, bel: false },
            Query::PaletteColor { index, .. } => Query::PaletteColor { index, bel: false },
            other => other,
        }
    }
}

/// What a program says of itself, or does to its terminal besides drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    Title(String),
    Status(ProgramStatus),
    Bell,
    /// OSC 52 set: what the program wants on the clipboard, still in base64.
    Clipboard(String),
    /// OSC 9, 777 or 99 notification text.
    Notification(String),
}

/// Why the emulator has to draw what was read so far before more is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// A sequence that may touch every cell of the screen.
    Costly,
    /// One that erases it: wholly, or from the cursor on.
    Erases {
        wholly: bool,
    },
    /// REP: the last character again, so often.
    Repeat(u16),
    /// Mode 2026: what follows is shown when all of it is there.
    SyncBegins,
    SyncEnds,
    /// RIS: the terminal is as it was when the program began.
    Reset,
}

/// The parser's receiver. `queue` holds queries not yet replied to.
#[derive(Debug, Default)]
pub struct QueryParser {
    pub queue: VecDeque<Query>,
    pub reports: Vec<Report>,
    /// The last sequence read is one to stop at.
    pub boundary: Option<Boundary>,
    /// Something was read besides the inside of a string.
    pub active: bool,
    /// A sequence has ended, and nothing was read since.
    pub ended: bool,
    pub lettering: Lettering,
    private: BTreeSet<u16>,
    ansi: BTreeSet<u16>,
    keypad: bool,
    main_keys: KittyStack,
    alt_keys: KittyStack,
    device_string: Vec<u8>,
    device_kind: Option<bool>,
    /// Within what a program hands through tmux to the terminal around it, which there is none here: until its end.
    passthrough: bool,
}

/// Modes of ANSI that are kept: insert, and a line feed that is a new line.
const KNOWN_ANSI: [u16; 2] = [4, 20];
/// The private mode of a synchronized update.
const SYNC: u16 = 2026;
/// Private modes that blank a screen: another width, the alternate screen.
const BLANKING: [u16; 2] = [3, 1049];
/// Private modes that are on in a fresh terminal: autowrap and a visible cursor.
const DEFAULT_ON: [u16; 2] = [7, 25];
/// Private modes that can be asked for by DECRQM and are kept here.
const KNOWN_PRIVATE: [u16; 20] =
    [1, 3, 6, 7, 12, 25, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1047, 1048, 1049, 2004, 2026];

impl QueryParser {
    pub fn new() -> QueryParser {
        QueryParser { private: DEFAULT_ON.into(), ..QueryParser::default() }
    }

    pub fn modes(&self) -> Modes {
        let on = |mode: u16| self.private.contains(&mode);
        Modes {
            application_cursor: on(1),
            application_keypad: self.keypad,
            bracketed_paste: on(2004),
            focus_events: on(1004),
            mouse_click: on(1000) || on(1002) || on(1003),
            mouse_drag: on(1002) || on(1003),
            mouse_motion: on(1003),
            mouse_sgr: on(1006),
            alternate_scroll: on(1007),
            alternate_screen: self.alternate(),
            line_feed_new_line: self.ansi.contains(&20),
            kitty: self.keys().flags(),
        }
    }

    /// DECRPM value: 1 set, 2 reset, 0 not recognised.
    pub fn private_mode(&self, mode: u16) -> u8 {
        told(KNOWN_PRIVATE.contains(&mode), self.private.contains(&mode))
    }

    pub fn ansi_mode(&self, mode: u16) -> u8 {
        told(KNOWN_ANSI.contains(&mode), self.ansi.contains(&mode))
    }

    fn alternate(&self) -> bool {
        [47, 1047, 1049].iter().any(|mode| self.private.contains(mode))
    }

    fn keys(&self) -> &KittyStack {
        if self.alternate() { &self.alt_keys } else { &self.main_keys }
    }

    fn keys_mut(&mut self) -> &mut KittyStack {
        if self.alternate() { &mut self.alt_keys } else { &mut self.main_keys }
    }

    fn set_private(&mut self, params: &Params, on: bool) {
        let modes = || params.iter().filter_map(|p| p.first().copied());
        if modes().any(|mode| BLANKING.contains(&mode)) {
            self.boundary = Some(Boundary::Costly);
        }
        if modes().any(|mode| mode == SYNC) {
            self.boundary = Some(if on { Boundary::SyncBegins } else { Boundary::SyncEnds });
        }
        for mode in modes() {
            // Others are neither told nor kept: there are 65,536 of them.
            if !KNOWN_PRIVATE.contains(&mode) {
                continue;
            }
            self.lettering.mode(mode, on);
            if on {
                self.private.insert(mode);
            } else {
                if [47, 1047, 1049].contains(&mode) {
                    self.alt_keys = KittyStack::default();
                }
                self.private.remove(&mode);
            }
        }
    }

    fn private_csi(&mut self, params: &Params, first: u16, action: char) {
        match (action, first) {
            ('h', _) => self.set_private(params, true),
            ('l', _) => self.set_private(params, false),
            ('n', 6) => self.queue.push_back(Query::CursorPosition { dec: true }),
            ('n', 996) => self.queue.push_back(Query::ColorScheme),
            ('u', _) => self.queue.push_back(Query::KittyFlags),
            _ => {}
        }
    }

    fn plain_csi(&mut self, params: &Params, first: u16, action: char) {
        match (action, first) {
            ('c', 0) => self.queue.push_back(Query::PrimaryAttributes),
            ('n', 5) => self.queue.push_back(Query::OperatingStatus),
            ('n', 6) => self.queue.push_back(Query::CursorPosition { dec: false }),
            ('t', 14) => self.queue.push_back(Query::TextAreaPixels),
            ('t', 16) => self.queue.push_back(Query::CellPixels),
            ('t', 18) => self.queue.push_back(Query::TextAreaCells),
            ('h' | 'l', _) => {
                for mode in params.iter().filter_map(|p| p.first().copied()) {
                    if action == 'l' {
                        self.ansi.remove(&mode);
                    } else if KNOWN_ANSI.contains(&mode) {
                        self.ansi.insert(mode);
                    }
                }
            }
            ('r', top) => {
                self.lettering.region(top, params.iter().nth(1).and_then(|p| p.first().copied()).unwrap_or(0))
            }
            ('b', _) => self.boundary = Some(Boundary::Repeat(first.max(1))),
            // Erasing the screen, scrolling it, inserting lines and deleting them.
            ('J', 0 | 2) => self.boundary = Some(Boundary::Erases { wholly: first == 2 }),
            ('J' | 'S' | 'T' | 'L' | 'M', _) => self.boundary = Some(Boundary::Costly),
            _ => {}
        }
    }

    fn osc_color(&mut self, number: u16, params: &[&[u8]], bel: bool) {
        // `OSC 10 ; ? ; ?` asks for 10 and 11: each further field is the next colour.
        for (offset, field) in params[1..].iter().enumerate() {
            let number = number + offset as u16;
            if *field == b"?" && number <= 12 {
                self.queue.push_back(Query::DynamicColor { number, bel });
            }
        }
    }

    fn osc_palette(&mut self, params: &[&[u8]], bel: bool) {
        for pair in params[1..].chunks(2) {
            let index = std::str::from_utf8(pair[0]).ok().and_then(|t| t.parse::<u8>().ok());
            if let (Some(index), Some(b"?")) = (index, pair.get(1).copied()) {
                self.queue.push_back(Query::PaletteColor { index, bel });
            }
        }
    }

    fn osc_status(&mut self, data: &str) {
        if data.starts_with('?') {
            self.queue.push_back(Query::ProgramStatus);
        } else {
            self.reports.extend(ProgramStatus::read(data).map(Report::Status));
        }
    }
}

fn told(known: bool, set: bool) -> u8 {
    if known { 2 - u8::from(set) } else { 0 }
}

fn text_of(params: &[&[u8]]) -> String {
    printable(&String::from_utf8_lossy(&params.join(&b';')))
}

impl Perform for QueryParser {
    fn print(&mut self, letter: char) {
        self.active = true;
        self.lettering.print(letter);
    }

    fn execute(&mut self, byte: u8) {
        self.active = true;
        self.lettering.shift(byte);
        if byte == 0x07 {
            self.reports.push(Report::Bell);
        }
    }

    fn hook(&mut self, _params: &Params, intermediates: &[u8], _ignore: bool, action: char) {
        self.active = true;
        self.device_string.clear();
        self.passthrough = action == 't';
        self.device_kind = match (intermediates, action) {
            ([b'$'], 'q') => Some(false),
            ([b'+'], 'q') => Some(true),
            _ => None,
        };
    }

    fn put(&mut self, byte: u8) {
        self.active = true;
        if self.device_kind.is_some() && self.device_string.len() < MAX_TEXT {
            self.device_string.push(byte);
        }
    }

    fn unhook(&mut self) {
        if let Some(termcap) = self.device_kind.take() {
            self.queue.push_back(Query::SettingRefused { termcap });
        }
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], bel_terminated: bool) {
        self.active = true;
        // Another end is the beginning of a sequence of its own.
        self.ended = bel_terminated;
        let Some(code) = params.first() else { return };
        match *code {
            b"0" | b"2" if params.len() > 1 => self.reports.push(Report::Title(text_of(&params[1..]))),
            b"4" => self.osc_palette(params, bel_terminated),
            b"10" => self.osc_color(10, params, bel_terminated),
            b"11" => self.osc_color(11, params, bel_terminated),
            b"12" => self.osc_color(12, params, bel_terminated),
            b"52" => {
                if let Some(data) = params.get(2).filter(|d| **d != b"?" && !self.passthrough) {
                    self.reports.push(Report::Clipboard(String::from_utf8_lossy(data).into_owned()));
                }
            }
            // OSC 9;4 is progress, not a notification.
            b"9" if params.get(1) != Some(&&b"4"[..]) && params.len() > 1 => {
                self.reports.push(Report::Notification(text_of(&params[1..])));
            }
            b"777" if params.len() > 2 => self.reports.push(Report::Notification(text_of(&params[2..]))),
            b"7501" => self.osc_status(&text_of(&params[1..])),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        (self.active, self.ended) = (true, true);
        if ignore {
            return;
        }
        let nth = |n: usize| params.iter().nth(n).and_then(|p| p.first().copied()).unwrap_or(0);
        let first = nth(0);
        self.lettering.sequence(intermediates == [b'?'], params.len(), action);
        match intermediates {
            [] => self.plain_csi(params, first, action),
            [b'?'] => self.private_csi(params, first, action),
            [b'>'] if action == 'c' && first == 0 => self.queue.push_back(Query::SecondaryAttributes),
            [b'='] if action == 'c' && first == 0 => self.queue.push_back(Query::TertiaryAttributes),
            [b'>'] if action == 'q' && first == 0 => self.queue.push_back(Query::Version),
            [b'>'] if action == 'u' => self.keys_mut().push(first),
            [b'<'] if action == 'u' => self.keys_mut().pop(first.max(1)),
            [b'='] if action == 'u' => self.keys_mut().set(first, nth(1)),
            [b'?', b'$'] if action == 'p' => self.queue.push_back(Query::PrivateMode(first)),
            [b'$'] if action == 'p' => self.queue.push_back(Query::AnsiMode(first)),
            [b'!'] if action == 'p' => {
                self.private = DEFAULT_ON.into();
                self.ansi.clear();
                self.keypad = false;
            }
            _ => {}
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _ignore: bool, byte: u8) {
        (self.active, self.ended) = (true, true);
        self.lettering.escape(intermediates, byte);
        match (intermediates, byte) {
            ([], b'\\') => self.passthrough = false,
            ([], b'c') => {
                let (queue, reports) = (std::mem::take(&mut self.queue), std::mem::take(&mut self.reports));
                let (boundary, lettering) = (Some(Boundary::Reset), self.lettering.reset());
                *self = QueryParser {
                    queue,
                    reports,
                    boundary,
                    lettering,
                    active: true,
                    ended: true,
                    ..QueryParser::new()
                };
            }
            // The alignment test fills the screen.
            ([b'#'], b'8') => self.boundary = Some(Boundary::Costly),
            ([], b'=') => self.keypad = true,
            ([], b'>') => self.keypad = false,
            _ => {}
        }
    }

    fn terminated(&self) -> bool {
        self.ended || self.boundary.is_some() || !self.queue.is_empty()
    }
}

#[cfg(test)]
#[path = "query_parser_tests.rs"]
mod tests;
