//! What a piece of output does to what stands on the screen, as far as that can be told from its bytes.
//!
//! `Overdrawn::feed` cuts output into such pieces. Nothing is drawn here; what is not known counts as destroying
//! everything.

pub(super) const ESC: u8 = 0x1b;

/// What a piece of output does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It sets colours or modes, moves the cursor or reports.
    None,
    /// It writes where the cursor stands.
    Text,
    /// It erases or moves what stands in the cursor's row from the cursor on.
    Rest,
    /// The same with the whole row.
    Row,
    /// From the cursor to the end of the screen.
    Below,
    /// To the next row, or scrolls.
    LineFeed,
    /// Everything on the screen is gone.
    Screen,
    /// Anything on the screen.
    All,
    /// A sequence that goes on in the next block: nothing yet.
    Part,
}

/// Modes that switch to another screen, or clear it.
const SWITCHES: [&[u8]; 4] = [b"3", b"47", b"1047", b"1049"];

/// The first piece of output that can be told from the rest: its bytes and what it does. `room`: cells left in the row of
/// the cursor; a text of more characters is cut.
pub(super) fn first(bytes: &[u8], room: usize) -> (usize, Effect) {
    match bytes {
        [0x1b, b'[', rest @ ..] => match rest.iter().position(|byte| (0x40..=0x7e).contains(byte)) {
            Some(end) => (end + 3, of_sequence(&rest[..end], rest[end], room)),
            None if rest.iter().all(|byte| (0x20..=0x3f).contains(byte)) => (bytes.len(), Effect::Part),
            None => (bytes.len(), Effect::All),
        },
        [0x1b, kind @ (b']' | b'P' | b'_' | b'^' | b'X'), rest @ ..] => {
            (2 + string_end(*kind, rest).unwrap_or(rest.len()), Effect::None)
        }
        [0x1b, b'7' | b'8' | b'=' | b'>' | b'\\', ..] => (2, Effect::None),
        [0x1b, b'(' | b')' | b'*' | b'+', 0x30..=0x7e, ..] => (3, Effect::None),
        [0x1b, _, ..] => (2, Effect::All),
        [0x1b] => (1, Effect::Part),
        [b'\n' | 0x0b | 0x0c, ..] => (1, Effect::LineFeed),
        [..=0x1f, ..] => (1, Effect::None),
        _ => {
            let ends = |(at, byte): (usize, &u8)| (*byte < 0x20).then_some(at);
            let end = bytes.iter().enumerate().find_map(ends).unwrap_or(bytes.len());
            (of_cells(&bytes[..end], room.max(1)), Effect::Text)
        }
    }
}

/// Where a string ends that `ESC kind` began, with what belongs to it of its end; `None`: it goes on.
pub(super) fn string_end(kind: u8, rest: &[u8]) -> Option<usize> {
    // ST in one byte ends a device's string alone, and BEL an OSC; in others they are part of it.
    let ends = |byte: &u8| match byte {
        0x18 | 0x1a | 0x1b => true,
        0x07 => kind == b']',
        0x9c => kind == b'P',
        _ => false,
    };
    rest.iter().position(ends).map(|end| end + usize::from(rest[end] != 0x1b))
}

/// So many bytes of a text as surely fit into these cells, one character at least: what is no ASCII may take two cells.
fn of_cells(text: &[u8], room: usize) -> usize {
    let mut cells = 0;
    for (at, byte) in text.iter().enumerate().filter(|(_, byte)| *byte & 0xc0 != 0x80) {
        cells += if byte.is_ascii() { 1 } else { 2 };
        if at > 0 && cells > room {
            return at;
        }
    }
    text.len()
}

fn of_sequence(parameters: &[u8], last: u8, room: usize) -> Effect {
    // A control within a sequence is carried out, and some end it.
    if parameters.iter().any(|byte| !(0x20..=0x3f).contains(byte)) {
        return Effect::All;
    }
    let first = parameters.split(|byte| *byte == b';').next().unwrap_or_default();
    match (last, first) {
        (b'm' | b'n' | b'c' | b'q' | b'u' | b't' | b'g' | b's', _) => Effect::None,
        (b'A'..=b'I' | b'Z' | b'`' | b'a' | b'd' | b'e' | b'f', _) => Effect::None,
        (b'h' | b'l', _) => {
            let modes = parameters.strip_prefix(b"?").unwrap_or(parameters);
            let switches = modes.split(|byte| *byte == b';').any(|mode| SWITCHES.contains(&mode));
            if switches { Effect::Screen } else { Effect::None }
        }
        // What was scrolled out earlier.
        (b'J', b"3") => Effect::None,
        (b'J', b"" | b"0") => Effect::Below,
        (b'J', b"2") => Effect::Screen,
        // The last character again, which may be two cells wide, beyond the end of the row too.
        (b'b', b"") if room > 1 => Effect::Rest,
        (b'b', count) => {
            match std::str::from_utf8(count).ok().and_then(|count| count.parse::<usize>().ok()) {
                Some(count) if count.max(1).saturating_mul(2) <= room => Effect::Rest,
                _ => Effect::All,
            }
        }
        (b'K', b"" | b"0") | (b'X' | b'P' | b'@', _) => Effect::Rest,
        (b'K', _) => Effect::Row,
        _ => Effect::All,
    }
}
