//! What a terminal sends for keys, pastes and the mouse, as values: the inverse of `encode.rs`.
//!
//! Clients feed it what the outer terminal wrote, in any pieces. An unknown sequence is dropped whole, by its own grammar, and swallows
//! no key behind it. Sources: ECMA-48, xterm's ctlseqs and the kitty keyboard protocol.

use super::background::is_light;
use crate::core::terminal::key_codes::{capital, letter, numbered};
use crate::core::terminal::keys::{Action, Button, Input, Key, KeyPress, Mods, Mouse, MouseKind};

const ESC: u8 = 0x1b;
const PASTE_ENDS: &[u8] = b"\x1b[201~";
/// A paste longer than this arrives as several: each fits a frame of the socket even when JSON writes every byte as six.
const PASTE_PIECE: usize = 2 * 1024 * 1024;
/// No key has a longer sequence. One that goes on is dropped.
const MAX_SEQUENCE: usize = 64;
/// The same for replies that carry a text.
const MAX_STRING: usize = 4096;

/// One thing the terminal sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Decoded {
    Input(Input),
    /// The reply to `CSI ? u`: this terminal speaks the kitty keyboard protocol.
    KittyFlags,
    /// The reply to `CSI c`, which every terminal gives.
    DeviceAttributes,
    /// The reply to `OSC 11 ; ?`: whether its background is nearer to white than to black.
    Background {
        light: bool,
    },
}

/// Cuts the bytes of a terminal into what they mean.
#[derive(Debug, Default)]
pub struct InputDecoder {
    /// The beginning of a sequence.
    pending: Vec<u8>,
    /// The text of a paste that has not ended.
    paste: Option<Vec<u8>>,
}

/// What stands at the front of the bytes.
enum Front {
    /// So many bytes, and what they mean to us, if anything.
    Whole(usize, Option<Decoded>),
    PasteBegins(usize),
    /// The rest is yet to come.
    Begun,
}

impl InputDecoder {
    /// Takes what came and appends what is whole.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Decoded>) {
        self.pending.extend_from_slice(bytes);
        let pending = std::mem::take(&mut self.pending);
        let mut rest = pending.as_slice();
        while !rest.is_empty() {
            if let Some(paste) = &mut self.paste {
                let (taken, ended) = pasted(rest);
                paste.extend_from_slice(&rest[..taken]);
                rest = &rest[taken..];
                if ended {
                    rest = &rest[PASTE_ENDS.len()..];
                } else if paste.len() < PASTE_PIECE {
                    break;
                }
                let text = self.paste.replace(Vec::new()).unwrap_or_default();
                if ended {
                    self.paste = None;
                }
                out.push(Decoded::Input(Input::Paste(String::from_utf8_lossy(&text).into_owned())));
                continue;
            }
            match front(rest) {
                Front::Whole(length, decoded) => {
                    out.extend(decoded);
                    rest = &rest[length..];
                }
                Front::PasteBegins(length) => {
                    self.paste = Some(Vec::new());
                    rest = &rest[length..];
                }
                Front::Begun => break,
            }
        }
        self.pending = rest.to_vec();
    }

    /// Whether what has come may be a key of its own, or the beginning of a sequence: only time will tell.
    pub fn is_ambiguous(&self) -> bool {
        self.paste.is_none() && ambiguous(&self.pending) > 0
    }

    /// Nothing followed within the time a sequence takes: it was a key of its own.
    pub fn flush(&mut self, out: &mut Vec<Decoded>) {
        while self.is_ambiguous() {
            let rest = self.pending.split_off(ambiguous(&self.pending));
            let key = match self.pending[..] {
                [_, byte] => pressed(byte).map(with_alt),
                _ => Some(KeyPress::plain(Key::Esc)),
            };
            out.extend(key.map(|press| Decoded::Input(Input::Key(press))));
            self.pending.clear();
            self.push(&rest, out);
        }
    }
}

/// How many bytes at the front are a key, should nothing follow: none where the sequence is surely one.
fn ambiguous(pending: &[u8]) -> usize {
    match pending {
        [ESC] => 1,
        [ESC, b'[' | b'O'] => 2,
        [ESC, byte, ..] if begins_string(*byte) => 2,
        _ => 0,
    }
}

/// OSC, DCS, SOS, PM and APC: replies with a text.
fn begins_string(byte: u8) -> bool {
    matches!(byte, b']' | b'P' | b'X' | b'^' | b'_')
}

/// How much belongs to the paste, and whether its end follows.
fn pasted(rest: &[u8]) -> (usize, bool) {
    match rest.windows(PASTE_ENDS.len()).position(|window| window == PASTE_ENDS) {
        Some(at) => (at, true),
        // The last bytes may be the beginning of the end.
        None => (rest.len().saturating_sub(PASTE_ENDS.len() - 1), false),
    }
}

fn front(bytes: &[u8]) -> Front {
    match bytes {
        [ESC] => Front::Begun,
        [ESC, b'[', ..] => csi(bytes),
        [ESC, b'O'] => Front::Begun,
        [ESC, b'O', last, ..] => match letter(*last) {
            Some(key) => Front::Whole(3, Some(plain(key))),
            None => Front::Whole(2, pressed(b'O').map(with_alt).map(key)),
        },
        [ESC, byte, ..] if begins_string(*byte) => string(bytes),
        // Two of them: the first one stands alone.
        [ESC, ESC, ..] => Front::Whole(1, Some(plain(Key::Esc))),
        [ESC, after @ ..] => match character(after) {
            (0, _) => Front::Begun,
            (length, press) => Front::Whole(1 + length, press.map(with_alt).map(key)),
        },
        _ => match character(bytes) {
            (0, _) => Front::Begun,
            (length, press) => Front::Whole(length, press.map(key)),
        },
    }
}

fn key(press: KeyPress) -> Decoded {
    Decoded::Input(Input::Key(press))
}

fn plain(code: Key) -> Decoded {
    key(KeyPress::plain(code))
}

fn with_alt(press: KeyPress) -> KeyPress {
    KeyPress { mods: Mods(press.mods.0 | Mods::ALT.0), ..press }
}

/// A character or control byte at the front: its length, and its key. Length 0: not all of it is there yet.
fn character(bytes: &[u8]) -> (usize, Option<KeyPress>) {
    let length = match bytes[0] {
        0..0x80 => return (1, pressed(bytes[0])),
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return (1, None),
    };
    match std::str::from_utf8(&bytes[..length.min(bytes.len())]) {
        Ok(text) => (length, text.chars().next().map(typed)),
        Err(error) if error.error_len().is_none() => (0, None),
        Err(_) => (1, None),
    }
}

/// The key a byte below 0x80 stands for.
fn pressed(byte: u8) -> Option<KeyPress> {
    let ctrl = |ch: u8| Some(KeyPress::ctrl(char::from(ch)));
    match byte {
        b'\r' => Some(KeyPress::plain(Key::Enter)),
        b'\t' => Some(KeyPress::plain(Key::Tab)),
        0x7f => Some(KeyPress::plain(Key::Backspace)),
        ESC => Some(KeyPress::plain(Key::Esc)),
        0 => ctrl(b' '),
        1..=26 => ctrl(byte - 1 + b'a'),
        // ctrl-4 to ctrl-7 make the same bytes, and nobody presses those.
        28..=31 => ctrl(br"\]^_"[usize::from(byte - 28)]),
        _ => Some(typed(char::from(byte))),
    }
}

/// A capital letter is one that was typed with shift.
fn typed(ch: char) -> KeyPress {
    let mods = if ch.is_uppercase() { Mods::SHIFT } else { Mods::NONE };
    KeyPress { mods, ..KeyPress::plain(Key::Char(ch)) }
}

fn string(bytes: &[u8]) -> Front {
    // A reply begins with these; alt with the same key, and another key at once after it, does not.
    let reply = match bytes.get(1..3) {
        None => return Front::Begun,
        Some([b']', next]) => next.is_ascii_digit(),
        Some([b'P', next]) => next.is_ascii_digit() || matches!(next, b'>' | b'!'),
        Some([b'_', next]) => *next == b'G',
        Some(_) => false,
    };
    if !reply || bytes.len() > MAX_STRING {
        return Front::Whole(2, pressed(bytes[1]).map(with_alt).map(key));
    }
    let told = |at: usize| is_light(&bytes[..at]).map(|light| Decoded::Background { light });
    for (at, byte) in bytes.iter().enumerate().skip(2) {
        match (byte, bytes.get(at + 1)) {
            (0x07, _) => return Front::Whole(at + 1, told(at)),
            (&ESC, Some(b'\\')) => return Front::Whole(at + 2, told(at)),
            _ => {}
        }
    }
    Front::Begun
}

fn csi(bytes: &[u8]) -> Front {
    match bytes[2..] {
        [] | [b'['] => return Front::Begun,
        // The console of Linux.
        [b'[', last, ..] => {
            let function = matches!(last, b'A'..=b'E').then(|| plain(Key::F(last - b'A' + 1)));
            return Front::Whole(4, function);
        }
        // The old encoding of the mouse, three bytes of any value.
        [b'M', code, col, row, ..] => {
            let less = |byte: u8| u16::from(byte.saturating_sub(32));
            return Front::Whole(6, mouse(less(code), less(col), less(row), false));
        }
        [b'M', ..] => return Front::Begun,
        _ => {}
    }
    let body = bytes[2..].iter().position(|byte| !matches!(byte, 0x20..=0x3f));
    let Some(length) = body else {
        return if bytes.len() > MAX_SEQUENCE { Front::Whole(bytes.len(), None) } else { Front::Begun };
    };
    let (parameters, last) = (&bytes[2..2 + length], bytes[2 + length]);
    match last {
        b'~' if parameters == b"200" => Front::PasteBegins(3 + length),
        0x40..=0x7e => Front::Whole(3 + length, sequence(parameters, last)),
        // Broken off: the byte that did it begins anew.
        _ => Front::Whole(2 + length, None),
    }
}

/// The meaning of a control sequence: its parameters, and its last byte.
fn sequence(parameters: &[u8], last: u8) -> Option<Decoded> {
    let (private, numbers) = match parameters {
        [mark @ b'<'..=b'?', numbers @ ..] => (Some(*mark), numbers),
        numbers => (None, numbers),
    };
    let numbers = Numbers::read(numbers)?;
    match (private, last) {
        (Some(b'?'), b'u') => Some(Decoded::KittyFlags),
        (Some(b'?'), b'c') => Some(Decoded::DeviceAttributes),
        (Some(b'<'), b'M' | b'm') => {
            let at = |place| u16::try_from(numbers.at(place)?).ok();
            mouse(at(0)?, at(1)?, at(2)?, last == b'm')
        }
        (Some(_), _) => None,
        (None, b'I') => Some(Decoded::Input(Input::Focus(true))),
        (None, b'O') => Some(Decoded::Input(Input::Focus(false))),
        // The encoding of rxvt.
        (None, b'M') => {
            let at = |place| u16::try_from(numbers.at(place)?).ok();
            mouse(at(0)?.checked_sub(32)?, at(1)?, at(2)?, false)
        }
        (None, b'u') => coded(&numbers, numbers.at(0)?),
        // xterm's modifyOtherKeys.
        (None, b'~') if numbers.at(0) == Some(27) => coded(&numbers, numbers.at(2)?),
        (None, b'~') => Some(numbers.key(numbered(numbers.at(0)?)?)),
        (None, b'Z') => {
            let mods = Mods(numbers.mods().0 | Mods::SHIFT.0);
            Some(key(KeyPress { key: Key::Tab, mods, action: numbers.action() }))
        }
        // Otherwise it says where the cursor is.
        (None, b'R') if numbers.at(0) != Some(1) => None,
        (None, _) => Some(numbers.key(letter(last)?)),
    }
}

/// Parameters, and what is behind a colon in each.
struct Numbers(Vec<[Option<u32>; 2]>);

impl Numbers {
    /// `None`: they are none.
    fn read(bytes: &[u8]) -> Option<Numbers> {
        let text = std::str::from_utf8(bytes).ok()?;
        let number = |part: Option<&str>| match part {
            None | Some("") => Some(None),
            Some(digits) => digits.parse::<u32>().ok().map(Some),
        };
        let pair = |part: &str| {
            let mut parts = part.split(':');
            Some([number(parts.next())?, number(parts.next())?])
        };
        text.split(';').map(pair).collect::<Option<Vec<_>>>().map(Numbers)
    }

    fn at(&self, place: usize) -> Option<u32> {
        self.0.get(place)?[0]
    }

    /// xterm's modifier parameter: 1 and the bits shift 1, alt 2, ctrl 4, super 8; locks are above.
    fn mods(&self) -> Mods {
        let bits = self.at(1).unwrap_or(1).saturating_sub(1);
        let pairs = [(1, Mods::SHIFT), (2, Mods::ALT), (4, Mods::CTRL), (8, Mods::SUPER)];
        Mods(pairs.iter().filter(|(bit, _)| bits & bit != 0).fold(0, |mods, (_, held)| mods | held.0))
    }

    fn action(&self) -> Action {
        match self.0.get(1).and_then(|pair| pair[1]) {
            Some(2) => Action::Repeat,
            Some(3) => Action::Release,
            _ => Action::Press,
        }
    }

    fn key(&self, code: Key) -> Decoded {
        key(KeyPress { key: code, mods: self.mods(), action: self.action() })
    }
}

/// A key told by its code point, as the kitty protocol does it.
fn coded(numbers: &Numbers, code: u32) -> Option<Decoded> {
    let mods = numbers.mods();
    let code = match code {
        8 | 127 => Key::Backspace,
        9 => Key::Tab,
        13 | 57414 => Key::Enter,
        27 => Key::Esc,
        // Of the number block.
        57399..=57408 => Key::Char(char::from_digit(code - 57399, 10)?),
        57409 => Key::Char('.'),
        57410 => Key::Char('/'),
        57411 => Key::Char('*'),
        57412 => Key::Char('-'),
        57413 => Key::Char('+'),
        57415 => Key::Char('='),
        57416 => Key::Char(','),
        57417 => Key::Left,
        57418 => Key::Right,
        57419 => Key::Up,
        57420 => Key::Down,
        57421 => Key::PageUp,
        57422 => Key::PageDown,
        57423 => Key::Home,
        57424 => Key::End,
        57425 => Key::Insert,
        57426 => Key::Delete,
        57376..=57398 => Key::F(u8::try_from(code - 57376 + 13).ok()?),
        // Locks, media keys, modifiers alone.
        57344..=63743 => return None,
        _ => {
            let ch = char::from_u32(code).filter(|ch| !ch.is_control())?;
            let shifted = numbers.0[0][1].and_then(char::from_u32).filter(|ch| !ch.is_control());
            Key::Char(if mods == Mods::SHIFT { shifted.unwrap_or_else(|| capital(ch)) } else { ch })
        }
    };
    Some(key(KeyPress { key: code, mods, action: numbers.action() }))
}

/// `code` as xterm numbers buttons and modifiers; the cell is counted from one.
fn mouse(code: u16, col: u16, row: u16, released: bool) -> Option<Decoded> {
    let button = match code & 0b11 {
        0 => Some(Button::Left),
        1 => Some(Button::Middle),
        2 => Some(Button::Right),
        _ => None,
    };
    let (kind, button) = match (code & 0b1110_0000, button) {
        (64, Some(Button::Left)) => (MouseKind::WheelUp, None),
        (64, Some(Button::Middle)) => (MouseKind::WheelDown, None),
        (32, None) => (MouseKind::Move, None),
        (32, button) => (MouseKind::Drag, button),
        (0, button) if released => (MouseKind::Release, button),
        // The old encodings do not say which.
        (0, None) => (MouseKind::Release, Some(Button::Left)),
        (0, button) => (MouseKind::Press, button),
        // A sideways wheel, and buttons no program among those we know takes.
        _ => return None,
    };
    let held = |bit: u16, mods: Mods| if code & bit != 0 { mods.0 } else { 0 };
    let mods = Mods(held(4, Mods::SHIFT) | held(8, Mods::ALT) | held(16, Mods::CTRL));
    let (col, row) = (col.saturating_sub(1), row.saturating_sub(1));
    Some(Decoded::Input(Input::Mouse(Mouse { kind, button, row, col, mods })))
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
