//! Numbers and texts within the payloads that are not JSON: pictures and keys.
//!
//! A number is LEB128, a text is its length in bytes and UTF-8. Reading takes any bytes and never panics.

use super::frame::Malformed;

/// No number that is read is larger: no length in a frame is, and no id before 268 million requests.
pub const LARGEST: usize = (1 << 28) - 1;

pub fn number(mut value: usize, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub fn text(text: &str, out: &mut Vec<u8>) {
    number(text.len(), out);
    out.extend_from_slice(text.as_bytes());
}

/// What of a payload is not read yet.
pub struct Unread<'a>(pub &'a [u8]);

impl<'a> Unread<'a> {
    pub fn byte(&mut self) -> Result<u8, Malformed> {
        let (first, rest) = self.0.split_first().ok_or(Malformed("its end missing"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Malformed("its end missing"))?;
        self.0 = rest;
        Ok(bytes)
    }

    /// At most `LARGEST`.
    pub fn number(&mut self) -> Result<usize, Malformed> {
        let mut value = 0;
        for shift in [0, 7, 14, 21] {
            let byte = self.byte()?;
            value |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Malformed("a number too long"))
    }

    pub fn small(&mut self) -> Result<u16, Malformed> {
        u16::try_from(self.number()?).map_err(|_| Malformed("a number too large"))
    }

    pub fn text(&mut self) -> Result<&'a str, Malformed> {
        let length = self.number()?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| Malformed("a text that is no UTF-8"))
    }

    /// Everything has been read.
    pub fn end(&self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed("bytes after its end")) }
    }
}
