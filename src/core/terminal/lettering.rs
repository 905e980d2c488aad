//! Whether what a program writes is drawn as the letters it wrote.
//!
//! A terminal can be told to draw letters as lines (DEC special graphics), or all of them within a few rows (a scroll region),
//! and the kernel to make every one of them a capital (`OLCUC`), which breaks the sequences between them. Whoever else has
//! the terminal open can do so for as long as a request is being drawn, and nobody could read it. `query_parser.rs` tells
//! what is printed and which sequences come; `screen.rs` hands on what is found. Nothing is drawn or decided here.

/// Letters that a frame is not made of: some of them stand in every sentence.
const NO_FRAME: &str = "bcdefghioprsyz";

/// In a scroll region of fewer rows no request for consent is ever whole. Codex writes its history into regions of five.
const LEAST_ROWS: u16 = 5;
/// In a region that its writer did not set a request may be whole from so many rows on: what was seen to be drawn has sixteen
/// at most. Who draws in regions sets one within each frame.
const OTHERS_ROWS: u16 = 16;

/// The four sets of characters (G0 to G3) and the one that is written in.
#[derive(Debug, Default, Clone, Copy)]
struct Sets {
    lines: [bool; 4],
    active: usize,
}

#[derive(Debug, Default)]
pub struct Lettering {
    sets: Sets,
    saved: Sets,
    /// Rows of the scroll region, where there is one.
    region: Option<u16>,
    /// It was set within the frame (a synchronized update) that is being drawn.
    of_frame: bool,
    in_frame: bool,
    /// Rows are counted from the region's top, and none outside of it can be written (DECOM).
    origin: bool,
    /// Something was not drawn as it was written, since that was last asked.
    garbled: bool,
}

impl Lettering {
    pub fn print(&mut self, letter: char) {
        if self.may_garble() && NO_FRAME.contains(letter) {
            self.garbled = true;
        }
    }

    /// Whether letters may not be read as they are written now.
    pub fn may_garble(&self) -> bool {
        let least = if self.of_frame { LEAST_ROWS } else { OTHERS_ROWS };
        let crowded = self.region.is_some_and(|rows| self.origin || rows < least);
        crowded || self.sets.lines[self.sets.active]
    }

    /// DECSTBM: rows from 1; 0 is the screen's own first or last one.
    pub fn region(&mut self, top: u16, bottom: u16) {
        self.region = (bottom > 0).then(|| bottom.saturating_add(1).saturating_sub(top.max(1)));
        self.of_frame = self.in_frame;
    }

    pub fn has_region(&self) -> bool {
        self.region.is_some()
    }

    /// SO and SI.
    pub fn shift(&mut self, byte: u8) {
        match byte {
            0x0e => self.sets.active = 1,
            0x0f => self.sets.active = 0,
            _ => {}
        }
    }

    /// `ESC ( 0` and its like, and what saves and restores them with the cursor.
    pub fn escape(&mut self, intermediates: &[u8], last: u8) {
        match (intermediates, last) {
            ([], b'7') => self.saved = self.sets,
            ([], b'8') => self.restore(),
            ([set], _) => {
                if let Some(which) = b"()*+".iter().position(|known| known == set) {
                    self.sets.lines[which] = last == b'0';
                }
            }
            _ => {}
        }
    }

    /// Private modes that save and restore the cursor.
    pub fn mode(&mut self, mode: u16, on: bool) {
        match (mode, on) {
            (6, _) => self.origin = on,
            (2026, _) => (self.in_frame, self.of_frame) = (on, false),
            (1048 | 1049, true) => self.saved = self.sets,
            (1048 | 1049, false) => self.restore(),
            _ => {}
        }
    }

    /// Each screen saves for itself, and which one did is not followed: what one of them may have had counts.
    fn restore(&mut self) {
        let lines = self.sets.lines.iter().zip(self.saved.lines).map(|(now, then)| *now || then);
        let mut either = Sets { active: self.saved.active, ..Sets::default() };
        either.lines.iter_mut().zip(lines).for_each(|(set, lines)| *set = lines);
        self.sets = either;
    }

    /// A sequence that no program writes, and that one becomes whose letters were made capitals: colours (`m`), modes
    /// (`h`, `l`).
    pub fn sequence(&mut self, private: bool, parameters: usize, last: char) {
        self.garbled |= match last {
            'H' | 'L' => private,
            'M' => !private && parameters > 1,
            _ => false,
        };
    }

    /// The terminal is as it was when the program began.
    pub fn reset(&self) -> Lettering {
        Lettering { garbled: self.garbled, ..Lettering::default() }
    }

    pub fn take_garbled(&mut self) -> bool {
        std::mem::take(&mut self.garbled)
    }
}

#[cfg(test)]
mod tests {
    use crate::core::terminal::grid::Size;
    use crate::core::terminal::query_replies::TerminalIdentity;
    use crate::core::terminal::screen::Screen;

    fn garbled(bytes: &str) -> bool {
        let mut screen = Screen::new(Size::new(80, 24), TerminalIdentity::default());
        bytes.as_bytes().iter().map(|byte| screen.feed(&[*byte]).garbled).fold(false, |any, it| any | it)
    }

    #[test]
    fn what_was_garbled_before_a_reset_is_told() {
        let mut screen = Screen::new(Size::new(80, 24), TerminalIdentity::default());
        assert!(screen.feed(b"\x1b(0Would you\x1bc").garbled);
    }

    #[test]
    fn letters_that_are_drawn_as_lines_are_told() {
        let asks = "Would you like to run this?";
        for lines in [
            "\x1b(0",
            "\x1b)0\x0e",
            "\x1b(0\x1b7\x1b(B\x1b8",
            "\x1b(0\x1b[?1049h",
            "\x1b(0\x1b[?1048h\x1b[?1048l",
        ] {
            assert!(garbled(&format!("{lines}{asks}")), "{lines:?}");
        }
        for plain in ["", "\x1b(0\x1b(B", "\x1b)0", "\x1b)0\x0e\x0f", "\x1b(0\x1bc"] {
            assert!(!garbled(&format!("{plain}{asks}")), "{plain:?}");
        }
        assert!(!garbled("\x1b(0lqqqk\r\nx   x\r\nmqqqj\x1b(B"), "a frame is made of lines");
    }

    #[test]
    fn letters_within_rows_too_few_for_a_request_are_told() {
        let asks = "Would you like to run this?";
        let (begins, ends) = ("\x1b[?2026h", "\x1b[?2026l");
        for crowded in [
            "\x1b[1;2r",
            "\x1b[10;24r",
            &format!("{begins}\x1b[1;4r"),
            &format!("{begins}\x1b[1;9r{begins}"),
            &format!("{begins}\x1b[1;9r{ends}"),
            "\x1b[1;20r\x1b[?6h",
            "\x1b[?6h\x1b[9;24r",
        ] {
            assert!(garbled(&format!("{crowded}{asks}")), "{crowded:?}");
            assert!(!garbled(&format!("{crowded}\x1b[?6l\x1b[r{asks}")), "{crowded:?}");
        }
        let of_frame = format!("{begins}\x1b[1;9r");
        for plain in
            ["\x1b[1;20r", &of_frame, "\x1b[r", "\x1b[?6h", "\x1b[5r", "\x1b[1;2r\x1bc", "\x1b[1;3r\n\x1b[r"]
        {
            assert!(!garbled(&format!("{plain}{asks}")), "{plain:?}");
        }
    }

    #[test]
    fn sequences_in_capitals_are_told() {
        let drawn = "\x1b[?25l\x1b[2J\x1b[38;5;12mYes\x1b[0m\x1b[3;1H\x1b[2M\x1b[2L\x1b[?25h\x1b]0;title\x07";
        assert!(!garbled(drawn));
        assert!(garbled(&drawn.to_uppercase()));
        assert!(garbled("\x1b[?25L") && garbled("\x1b[38;5;12M"));
    }
}
