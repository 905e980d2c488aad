//! How long a string a program may send (OSC, DCS, APC) is read.
//!
//! `core/terminal/screen.rs` tells of what was read, and throws away what this says. It knows no parser.

/// Bytes of one OSC, DCS or APC string. A longer one is thrown away, as tmux does at about this length: the
/// parsers would keep it until it ends, and it need never end.
const LONGEST_STRING: usize = 1_000_000;

/// The string a stream of output is in, if it is in one.
#[derive(Debug, Default)]
pub struct StringLimit {
    /// Bytes of it.
    read: usize,
    /// The rest of it is being thrown away.
    overlong: bool,
}

impl StringLimit {
    pub fn is_overlong(&self) -> bool {
        self.overlong
    }

    /// So many bytes were read, all of them inside of a string or not; whether it is too long now.
    pub fn count(&mut self, read: usize, inside: bool) -> bool {
        self.read = if inside { self.read + read } else { 0 };
        if self.read > LONGEST_STRING {
            (self.read, self.overlong) = (0, true);
        }
        self.overlong
    }

    /// How much of this is the rest of a string that is too long.
    pub fn skip(&mut self, piece: &[u8]) -> usize {
        // BEL, CAN and SUB belong to the string they end; an ESC begins something of its own.
        let end = piece.iter().position(|byte| matches!(byte, 0x07 | 0x18 | 0x1a | 0x1b));
        self.overlong = end.is_none();
        match end {
            Some(end) => end + usize::from(piece[end] != 0x1b),
            None => piece.len(),
        }
    }
}
