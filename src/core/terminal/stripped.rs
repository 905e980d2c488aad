//! What a program wrote, byte for byte, without what only a terminal acts upon.
//!
//! `counsel exec` passes output through it to whoever is no terminal. It makes no picture: what a program drew over stays.

/// Takes the control sequences out of a stream, and what the terminal's line discipline put in: a carriage return before
/// each line feed. Bytes that are no text stay as they are.
#[derive(Debug, Default)]
pub struct Stripped {
    state: State,
    /// A carriage return that is the line discipline's if a line feed comes next.
    held: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Text,
    /// Behind ESC.
    Escape,
    /// Behind ESC and bytes that go on with it.
    Intermediate,
    /// Behind ESC [.
    Csi,
    /// In a string: OSC, DCS, SOS, PM, APC.
    String,
    /// Behind ESC in a string: it ends it, whatever follows.
    StringEscape,
    /// Behind the first byte of a character that may be a control function of one byte: C1, as UTF-8 has it.
    Lead,
    /// The same in a string.
    StringLead,
}

const ESC: u8 = 0x1b;
/// Begins U+0080 to U+00BF in UTF-8.
const C1_LEAD: u8 = 0xc2;
/// A C1 control is ESC and the byte so much below its own: ECMA-48, 5.3.
const C1_OFFSET: u8 = 0x40;
/// CAN and SUB break any sequence off.
const BREAKS: [u8; 2] = [0x18, 0x1a];

impl Stripped {
    /// Appends what is left of the next bytes.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for byte in bytes {
            self.state = match self.state {
                State::Text => self.text(*byte, out),
                State::Lead => self.led(*byte, out),
                _ if BREAKS.contains(byte) => State::Text,
                _ if *byte == ESC && !matches!(self.state, State::String | State::StringLead) => {
                    State::Escape
                }
                State::Escape => self.escape(*byte, out),
                State::Intermediate => match byte {
                    0x20..=0x2f => State::Intermediate,
                    _ => State::Text,
                },
                State::Csi => match byte {
                    0x40..=0x7e => State::Text,
                    b'\t' | b'\n' | b'\r' => {
                        self.text(*byte, out);
                        State::Csi
                    }
                    0x80.. => self.text(*byte, out),
                    _ => State::Csi,
                },
                State::StringLead if *byte == 0x9c => State::Text,
                State::String | State::StringLead => match *byte {
                    0x07 => State::Text,
                    ESC => State::StringEscape,
                    C1_LEAD => State::StringLead,
                    _ => State::String,
                },
                State::StringEscape if *byte == b'\\' => State::Text,
                State::StringEscape => self.escape(*byte, out),
            };
        }
    }

    /// The stream has ended.
    pub fn end(&mut self, out: &mut Vec<u8>) {
        if std::mem::take(&mut self.held) {
            out.push(b'\r');
        }
        if self.state == State::Lead {
            out.push(C1_LEAD);
        }
    }

    /// Behind the byte that may begin a C1 control.
    fn led(&mut self, byte: u8, out: &mut Vec<u8>) -> State {
        if matches!(byte, 0x80..=0x9f) {
            return self.escape(byte - C1_OFFSET, out);
        }
        out.push(C1_LEAD);
        self.text(byte, out)
    }

    fn text(&mut self, byte: u8, out: &mut Vec<u8>) -> State {
        if byte == ESC {
            return State::Escape;
        }
        // What has no place in a text, and no effect in a file.
        if byte < 0x20 && !byte.is_ascii_whitespace() && byte != 0x0b {
            return State::Text;
        }
        if self.held && byte != b'\n' {
            out.push(b'\r');
        }
        if byte == C1_LEAD {
            self.held = false;
            return State::Lead;
        }
        self.held = byte == b'\r';
        if !self.held {
            out.push(byte);
        }
        State::Text
    }

    fn escape(&mut self, byte: u8, out: &mut Vec<u8>) -> State {
        match byte {
            b'[' => State::Csi,
            b']' | b'P' | b'X' | b'^' | b'_' => State::String,
            0x20..=0x2f => State::Intermediate,
            // No sequence begins so: the byte stands for itself.
            0..0x20 | 0x80.. => self.text(byte, out),
            _ => State::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(bytes: &[u8], at_once: usize) -> Vec<u8> {
        let (mut stripped, mut out) = (Stripped::default(), Vec::new());
        bytes.chunks(at_once).for_each(|piece| stripped.push(piece, &mut out));
        stripped.end(&mut out);
        out
    }

    #[test]
    fn sequences_go_and_all_else_stays_however_it_is_cut() {
        let cases: [(&[u8], &[u8]); 11] = [
            (b"a\tb \r\n", b"a\tb \n"),
            // A line that ends in a carriage return of its own keeps it.
            (b"dos\r\r\nlast\r", b"dos\r\nlast\r"),
            (b"10%\r20%\r\n", b"10%\r20%\n"),
            (b"\x1b[1;31mred\x1b[m \x1b(Bplain\x1b7\x1b8", b"red plain"),
            (b"\x1b]0;title\x07one\x1b]8;;http://x\x1b\\two\x1bP1$r\x1b\\three", b"onetwothree"),
            // A string that is broken off, and a sequence that is none.
            (b"\x1b]0;title\x1b[1mone\x1b]0;t\x18two\x1b\nthree", b"onetwo\nthree"),
            // Latin-1, and half a character at the end.
            (b"caf\xe9 \x9b1m\r\n\xe6\xbc", b"caf\xe9 \x9b1m\n\xe6\xbc"),
            // C1 controls as UTF-8 has them, and its other characters.
            (b"\xc2\x9b31mred\xc2\x9bm\xc2\x9d0;t\x07 \xc2\x90q\xc2\x9cx\xc2\x85y", b"red xy"),
            (b"\xc2\xa9 \xc2\xb0 \xc3\xa9 \xc2\x1b[1m\xc2", b"\xc2\xa9 \xc2\xb0 \xc3\xa9 \xc2\xc2"),
            (b"b\x08bell\x07\0form\x0cfeed", b"bbellform\x0cfeed"),
            (b"line\r\x1b[K\nnext", b"line\nnext"),
        ];
        for (given, want) in cases {
            for at_once in [1, 3, 1000] {
                let got = stripped(given, at_once);
                assert_eq!(got, want, "{} by {at_once}", String::from_utf8_lossy(given));
            }
        }
    }
}
