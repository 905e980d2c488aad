//! The input modes a program has switched on in its terminal: they decide how a key is encoded.
//!
//! `core/terminal/query_parser.rs` keeps them, `core/terminal/keys.rs` reads them, clients mirror them. Plain data.

use serde::{Deserialize, Serialize};

/// Entries a kitty keyboard stack keeps; kitty itself keeps eight, and a program that pushes
/// without popping must not grow us.
const KITTY_STACK: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Modes {
    /// DECCKM: cursor keys send `ESC O` instead of `ESC [`.
    pub application_cursor: bool,
    pub application_keypad: bool,
    /// Mode 2004.
    pub bracketed_paste: bool,
    /// Mode 1004.
    pub focus_events: bool,
    /// Modes 1000, 1002 or 1003.
    pub mouse_click: bool,
    pub mouse_drag: bool,
    pub mouse_motion: bool,
    /// Mode 1006; without it mouse reports use the old byte encoding.
    pub mouse_sgr: bool,
    /// Mode 1007: the wheel sends cursor keys on the alternate screen.
    pub alternate_scroll: bool,
    pub alternate_screen: bool,
    pub line_feed_new_line: bool,
    /// Kitty progressive enhancement flags in force.
    pub kitty: u8,
}

impl Modes {
    /// As whoever reads a line that the terminal collects is to get its keys, whatever a program before it, perhaps one that was
    /// killed, has left switched on: a Return of another protocol ends no line.
    pub fn of_lines(self) -> Modes {
        Modes { application_cursor: false, application_keypad: false, kitty: 0, ..self }
    }
}

/// The kitty keyboard protocol's stack of flags for one screen.
#[derive(Debug, Default)]
pub struct KittyStack {
    current: u8,
    below: Vec<u8>,
}

impl KittyStack {
    pub fn flags(&self) -> u8 {
        self.current
    }

    pub fn push(&mut self, flags: u16) {
        if self.below.len() == KITTY_STACK {
            self.below.remove(0);
        }
        self.below.push(self.current);
        self.current = valid(flags);
    }

    pub fn pop(&mut self, count: u16) {
        for _ in 0..usize::from(count).min(KITTY_STACK + 1) {
            self.current = self.below.pop().unwrap_or(0);
        }
    }

    /// `CSI = flags ; mode u`: 1 (or 0, the default) replaces, 2 adds, 3 removes.
    pub fn set(&mut self, flags: u16, mode: u16) {
        match mode {
            0 | 1 => self.current = valid(flags),
            2 => self.current |= valid(flags),
            3 => self.current &= !valid(flags),
            _ => {}
        }
    }
}

/// The protocol defines five flag bits.
fn valid(flags: u16) -> u8 {
    (flags & 0b1_1111) as u8
}
