//! The meaning of a control sequence that stands for a key, the mouse, focus or a reply.
//!
//! `decode.rs` has found its end and asks what it is. Sources: xterm's ctlseqs and the kitty keyboard protocol.

use crate::core::terminal::keys::{Action, Button, Input, Key, KeyPress, Mods, Mouse, MouseKind};

/// One thing the terminal sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Decoded {
    Input(Input),
    /// The reply to `CSI ? u`: this terminal speaks the kitty keyboard protocol.
    KittyFlags,
    /// The reply to `CSI c`, which every terminal gives.
    DeviceAttributes,
}

pub(super) fn key(press: KeyPress) -> Decoded {
    Decoded::Input(Input::Key(press))
}

/// The meaning of a control sequence: its parameters, and its last byte.
pub(super) fn sequence(parameters: &[u8], last: u8) -> Option<Decoded> {
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

/// The capital of a letter, where it has one that has no other.
fn capital(ch: char) -> char {
    let mut upper = ch.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(capital), None) if capital.to_lowercase().eq([ch]) => capital,
        _ => ch,
    }
}

pub(super) fn letter(last: u8) -> Option<Key> {
    Some(match last {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' => Key::Right,
        b'D' => Key::Left,
        b'H' => Key::Home,
        b'F' => Key::End,
        b'P'..=b'S' => Key::F(last - b'P' + 1),
        _ => return None,
    })
}

fn numbered(number: u32) -> Option<Key> {
    let function = |less: u32| u8::try_from(number - less).ok().map(Key::F);
    match number {
        1 | 7 => Some(Key::Home),
        2 => Some(Key::Insert),
        3 => Some(Key::Delete),
        4 | 8 => Some(Key::End),
        5 => Some(Key::PageUp),
        6 => Some(Key::PageDown),
        11..=15 => function(10),
        17..=21 => function(11),
        23..=26 => function(12),
        28..=29 => function(13),
        31..=34 => function(14),
        _ => None,
    }
}

/// `code` as xterm numbers buttons and modifiers; the cell is counted from one.
pub(super) fn mouse(code: u16, col: u16, row: u16, released: bool) -> Option<Decoded> {
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
