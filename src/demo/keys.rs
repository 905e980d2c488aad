//! What arrives on a scripted agent's terminal, cut into keys, pastes and replies to its queries.
//!
//! Every byte ends up in exactly one token, so that a log of tokens is a log of bytes. Pure: `agent.rs`
//! feeds it what it read, and says when a lone escape byte has waited long enough to be a key.

use crate::core::terminal::keys::{Key, KeyPress, Mods};

/// A query a scripted agent sends at its start, and waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Probe {
    PrimaryAttributes,
    Version,
    KittyFlags,
    SynchronizedUpdates,
    Background,
    CursorPosition,
    ProgramStatus,
}

impl Probe {
    pub const ALL: [Probe; 7] = [
        Probe::Version,
        Probe::KittyFlags,
        Probe::SynchronizedUpdates,
        Probe::Background,
        Probe::CursorPosition,
        Probe::ProgramStatus,
        // Last: its reply tells that everything before it was read.
        Probe::PrimaryAttributes,
    ];

    /// The bytes that ask.
    pub fn query(self) -> &'static str {
        match self {
            Probe::PrimaryAttributes => "\x1b[c",
            Probe::Version => "\x1b[>0q",
            Probe::KittyFlags => "\x1b[?u",
            Probe::SynchronizedUpdates => "\x1b[?2026$p",
            Probe::Background => "\x1b]11;?\x1b\\",
            Probe::CursorPosition => "\x1b[6n",
            Probe::ProgramStatus => "\x1b]7501;?\x07",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Probe::PrimaryAttributes => "DA1",
            Probe::Version => "XTVERSION",
            Probe::KittyFlags => "kitty flags",
            Probe::SynchronizedUpdates => "mode 2026",
            Probe::Background => "OSC 11",
            Probe::CursorPosition => "cursor position",
            Probe::ProgramStatus => "OSC 7501",
        }
    }
}

/// What some bytes mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    Key(KeyPress),
    Paste(String),
    Reply(Probe),
    /// Mode 1004: the pane got or lost the focus. Not typed by anybody.
    Focus,
    Unknown,
}

/// Some bytes and what they mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub bytes: Vec<u8>,
    pub typed: Typed,
}

const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// Bytes not yet understood.
#[derive(Debug, Default)]
pub struct Decoder {
    rest: Vec<u8>,
}

impl Decoder {
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Token> {
        self.rest.extend_from_slice(bytes);
        self.take(false)
    }

    /// Nothing more came: what is left is as it is, a lone escape byte the key.
    pub fn flush(&mut self) -> Vec<Token> {
        self.take(true)
    }

    /// Whether an unfinished sequence waits for more bytes, or for `flush`.
    pub fn waits(&self) -> bool {
        !self.rest.is_empty()
    }

    fn take(&mut self, last: bool) -> Vec<Token> {
        let mut tokens = Vec::new();
        while !self.rest.is_empty() {
            let length = match sequence(&self.rest) {
                Some(length) => length,
                // A paste may take longer than any pause; everything else is cut off after one.
                None if last && !self.rest.starts_with(PASTE_START) => self.rest.len(),
                None => break,
            };
            let bytes: Vec<u8> = self.rest.drain(..length).collect();
            let typed = meaning(&bytes);
            tokens.push(Token { bytes, typed });
        }
        tokens
    }
}

/// Length of the first whole sequence; `None` while it is unfinished.
fn sequence(bytes: &[u8]) -> Option<usize> {
    let first = *bytes.first()?;
    if first != 0x1b {
        let length = match first {
            0x00..=0x7f => 1,
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            0x80..=0xbf | 0xf8..=0xff => 1,
        };
        return (bytes.len() >= length).then_some(length);
    }
    match *bytes.get(1)? {
        b'[' if bytes.starts_with(PASTE_START) => {
            let end = bytes.windows(PASTE_END.len()).position(|window| window == PASTE_END)?;
            Some(end + PASTE_END.len())
        }
        b'[' => {
            let end = bytes[2..].iter().position(|byte| (0x40..=0x7e).contains(byte))?;
            Some(2 + end + 1)
        }
        b']' | b'P' => {
            let end = bytes[2..].iter().position(|byte| *byte == 0x07 || *byte == 0x1b)? + 2;
            if bytes[end] == 0x07 {
                return Some(end + 1);
            }
            (bytes.len() > end + 1).then_some(end + 2)
        }
        b'O' => (bytes.len() >= 3).then_some(3),
        _ => Some(2),
    }
}

fn meaning(bytes: &[u8]) -> Typed {
    let plain = |key| Typed::Key(KeyPress::plain(key));
    match bytes {
        b"\r" => plain(Key::Enter),
        b"\t" => plain(Key::Tab),
        b"\x7f" | b"\x08" => plain(Key::Backspace),
        b"\x1b" => plain(Key::Esc),
        b"\x1b[Z" => Typed::Key(KeyPress { mods: Mods::SHIFT, ..KeyPress::plain(Key::Tab) }),
        b"\x1b[I" | b"\x1b[O" => Typed::Focus,
        [0x1b, b'[' | b'O', arrow] => match arrow {
            b'A' => plain(Key::Up),
            b'B' => plain(Key::Down),
            b'C' => plain(Key::Right),
            b'D' => plain(Key::Left),
            b'H' => plain(Key::Home),
            b'F' => plain(Key::End),
            _ => Typed::Unknown,
        },
        [0x1b, b'[', inside @ .., last] => csi(bytes, inside, *last),
        [0x1b, b']', rest @ ..] if rest.starts_with(b"11;rgb:") => Typed::Reply(Probe::Background),
        [0x1b, b']', rest @ ..] if rest.starts_with(b"7501;?") => Typed::Reply(Probe::ProgramStatus),
        [0x1b, b'P', b'>', b'|', ..] => Typed::Reply(Probe::Version),
        [0x1b, ..] => Typed::Unknown,
        [control @ 1..=26] => Typed::Key(KeyPress::ctrl(char::from(control + b'a' - 1))),
        other => match std::str::from_utf8(other).ok().and_then(|text| text.chars().next()) {
            Some(ch) if !ch.is_control() => plain(Key::Char(ch)),
            Some(_) | None => Typed::Unknown,
        },
    }
}

fn csi(bytes: &[u8], inside: &[u8], last: u8) -> Typed {
    if let Some(text) = bytes.strip_prefix(PASTE_START).and_then(|rest| rest.strip_suffix(PASTE_END)) {
        return Typed::Paste(String::from_utf8_lossy(text).into_owned());
    }
    match (inside.first(), last) {
        (Some(b'?'), b'c') => Typed::Reply(Probe::PrimaryAttributes),
        (Some(b'?'), b'u') => Typed::Reply(Probe::KittyFlags),
        (Some(b'?'), b'y') if inside.starts_with(b"?2026;") => Typed::Reply(Probe::SynchronizedUpdates),
        (Some(b'0'..=b'9'), b'R') => Typed::Reply(Probe::CursorPosition),
        _ => Typed::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::grid::Size;
    use crate::core::terminal::query_replies::TerminalIdentity;
    use crate::core::terminal::screen::Screen;

    fn decode(bytes: &[u8]) -> Vec<Typed> {
        let mut decoder = Decoder::default();
        let mut tokens = decoder.push(bytes);
        tokens.extend(decoder.flush());
        assert_eq!(
            tokens.iter().flat_map(|t| t.bytes.clone()).collect::<Vec<u8>>(),
            bytes,
            "a byte got lost"
        );
        tokens.into_iter().map(|token| token.typed).collect()
    }

    #[test]
    fn keys_are_told_apart() {
        let key = |key| Typed::Key(KeyPress::plain(key));
        let got = decode(b"2\x1b[B\x1bOA \r\x7f\x03\xc3\xa4\x1b[1;5C\x1b");
        let want = [
            key(Key::Char('2')),
            key(Key::Down),
            key(Key::Up),
            key(Key::Char(' ')),
            key(Key::Enter),
            key(Key::Backspace),
            Typed::Key(KeyPress::ctrl('c')),
            key(Key::Char('ä')),
            Typed::Unknown,
            key(Key::Esc),
        ];
        assert_eq!(got, want);
    }

    #[test]
    fn a_paste_is_one_token_however_it_is_split() {
        let bytes = b"\x1b[200~two\rlines \x1b[A\x1b[201~\r";
        for at in 1..bytes.len() {
            let mut decoder = Decoder::default();
            let mut tokens = decoder.push(&bytes[..at]);
            tokens.extend(decoder.push(&bytes[at..]));
            let typed: Vec<Typed> = tokens.into_iter().map(|token| token.typed).collect();
            let want = [Typed::Paste("two\rlines \x1b[A".into()), Typed::Key(KeyPress::plain(Key::Enter))];
            assert_eq!(typed, want, "split at {at}");
        }
    }

    #[test]
    fn the_responder_answers_every_probe_and_each_reply_is_known() {
        let mut screen = Screen::new(Size::new(80, 24), TerminalIdentity::default());
        for probe in Probe::ALL {
            let replies = screen.feed(probe.query().as_bytes()).replies;
            assert_eq!(decode(&replies), [Typed::Reply(probe)], "{}", probe.name());
        }
    }
}
