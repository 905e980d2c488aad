//! What the codes of keys in a terminal's input mean: last bytes, numbers, capitals.
//!
//! `decode.rs` reads sequences with these tables. Pure; source: xterm's ctlseqs and the kitty keyboard protocol.

use crate::core::terminal::keys::Key;

/// The capital of a letter, where it has one that has no other.
pub fn capital(ch: char) -> char {
    let mut upper = ch.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(capital), None) if capital.to_lowercase().eq([ch]) => capital,
        _ => ch,
    }
}

/// The key that a sequence with this last byte names: `CSI A`, `SS3 P`.
pub fn letter(last: u8) -> Option<Key> {
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

/// The key of `CSI number ~`, as xterm and rxvt count them.
pub fn numbered(number: u32) -> Option<Key> {
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
