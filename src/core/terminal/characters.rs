//! Where a piece of a program's output may be cut without parting a character.
//!
//! `core/terminal/screen.rs` cuts what it reads there. It neither draws nor keeps anything.

/// How many of these bytes come before a character of which only the beginning is there.
pub fn whole_characters(bytes: &[u8]) -> usize {
    for (back, byte) in bytes.iter().rev().take(3).enumerate() {
        let length = match byte {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        return if length > back + 1 { bytes.len() - back - 1 } else { bytes.len() };
    }
    bytes.len()
}
