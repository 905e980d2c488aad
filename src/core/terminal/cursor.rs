//! Cursors of `read`: numbers that name a place in one life of an agent.
//!
//! A session gives and takes them; whoever searches output reckons with them. A place is the number of a logical line and
//! a character in it. Lines are numbered from the agent's start, those still on the main screen included.

/// A cursor is a number that JSON readers hold exactly, below 2^53: ten bits tell the agent's life, the others the
/// place.
pub const LIFE_SHIFT: u32 = 43;
pub const LIFE_MASK: u64 = (1 << 10) - 1;
/// Turned over in the life of a cursor of `read --raw`, which counts bytes where the others count lines: neither kind is
/// taken for the other, and no bit is spent on it.
pub const RAW_LIFE: u64 = 1 << 9;
/// A place holds the character within the line in this many low bits: history cuts lines at 64 KiB.
const CHAR_BITS: u32 = 17;

/// A place in the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: u64,
    pub char: u64,
}

impl Place {
    pub fn of(place: u64) -> Place {
        Place { line: place >> CHAR_BITS, char: place & ((1 << CHAR_BITS) - 1) }
    }

    pub fn number(self) -> u64 {
        (self.line << CHAR_BITS) | self.char.min((1 << CHAR_BITS) - 1)
    }
}

/// The number of the line so many above the one a cursor names, and the cursor of its beginning.
pub fn lines_back(cursor: u64, lines: u64) -> (u64, u64) {
    let place = Place::of(cursor & ((1 << LIFE_SHIFT) - 1));
    let line = place.line.saturating_sub(lines);
    let life = (cursor >> LIFE_SHIFT) << LIFE_SHIFT;
    (line, life | Place { line, char: 0 }.number())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_above_is_of_the_same_life() {
        let cursor = (5 << LIFE_SHIFT) | Place { line: 12, char: 30 }.number();
        let (line, above) = lines_back(cursor, 2);
        assert_eq!((line, above), (10, (5 << LIFE_SHIFT) | Place { line: 10, char: 0 }.number()));
        assert_eq!(lines_back(cursor, 99).0, 0);
    }
}
