//! What a program wrote, as words: the text of its output without the sequences, wherever on the screen it went and
//! whether or not it still stands there.
//!
//! Detection weighs it where a prompt may have been cleared away. It must never be shown as the screen.

/// The words in a stream of output; a sequence that moves the cursor parts them.
#[derive(Default)]
pub struct Words {
    parser: vte::Parser,
    written: Written,
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Words").field("bytes", &self.text().len()).finish_non_exhaustive()
    }
}

impl Words {
    pub fn feed(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.written, bytes);
    }

    pub fn text(&self) -> &str {
        &self.written.text
    }

    /// Takes off all but about the newest `kept` bytes, from the beginning of a line on, and returns it.
    pub fn shorten(&mut self, kept: usize) -> String {
        let text = &mut self.written.text;
        let from = text.floor_char_boundary(text.len().saturating_sub(kept));
        // One line longer than all that is kept is cut where it is.
        let from = text[..from].rfind('\n').map_or(from, |end| end + 1);
        let rest = text.split_off(from);
        std::mem::replace(text, rest)
    }
}

#[derive(Default)]
struct Written {
    text: String,
    /// Whether the two sets of characters are those that draw lines, and which of the two is in use: `lqqk` is a box then.
    draws: [bool; 2],
    shifted: usize,
}

impl Written {
    fn part(&mut self, by: char) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.push(by);
        }
    }
}

impl vte::Perform for Written {
    fn print(&mut self, c: char) {
        match c {
            '`'..='~' if self.draws[self.shifted] => self.part(' '),
            _ => self.text.push(c),
        }
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' | b'\r' | 0x0b | 0x0c => self.part('\n'),
            b'\t' => self.part(' '),
            0x0e => self.shifted = 1,
            0x0f => self.shifted = 0,
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, _: &vte::Params, _: &[u8], _: bool, action: char) {
        // Colours and modes leave the cursor where it is.
        if !matches!(action, 'm' | 'h' | 'l' | 'q' | 'n' | 'c') {
            self.part(' ');
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _: bool, byte: u8) {
        match intermediates {
            b"(" => self.draws[0] = byte == b'0',
            b")" => self.draws[1] = byte == b'0',
            // RIS
            [] if byte == b'c' => (self.draws, self.shifted) = ([false; 2], 0),
            _ => {}
        }
        self.part(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frames of `dialog` were words that nobody knew.
    #[test]
    fn what_draws_lines_is_no_word() {
        let mut words = Words::default();
        words.feed(b"\x1b(0lqqk\x1b(B\r\n\x1b(0x\x1b(B Use it?\x1b)0\x0emqqj\x0f yes\x1b(0\x1bcmq");
        assert_eq!(words.text(), " Use it?  yes mq");
    }

    #[test]
    fn what_was_cleared_away_was_written_all_the_same() {
        let written = b"This dele\x1b[1mtes\x1b[m /home.\r\n\x1b[2J\x1b[HUse it? \x1b]0;title\x07[Y/n] ";
        let mut words = Words::default();
        written.chunks(5).for_each(|piece| words.feed(piece));
        assert_eq!(words.text(), "This deletes /home.\nUse it? [Y/n] ");
    }
}
