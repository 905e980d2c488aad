//! What the outer terminal sends: keys, pastes, the mouse, its size.
//!
//! Dashboard and attach read it in their own loop, so that a key is handled in the turn it was read. No
//! decisions: a chord is still a key here.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use crate::core::terminal::decode::{Decoded, InputDecoder};
use crate::core::terminal::keys::Input;
use crate::os::poll::{Signals, WINDOW_CHANGE};
use crate::os::stdin::Stdin;

use super::outer_size::outer_size;

/// A terminal hands out less than this at once.
const READ_SIZE: usize = 8 * 1024;
/// The bytes of one key come this close together even over a slow line; nobody types Esc and a letter so fast.
const SEQUENCE: Duration = Duration::from_millis(20);
/// A terminal on this machine answers what it is within this time. One behind a slow line does so later, and gets
/// its keyboard mode then; one that never answers has nobody wait for it.
const ANSWER: Duration = Duration::from_millis(150);
/// Asks for the kitty keyboard flags, which some terminals answer, and for the attributes, which all do.
pub const ASK_KITTY: &[u8] = b"\x1b[?u\x1b[c";
/// Asks for the background's colour; before the others, since the reply to those ends the wait.
pub const ASK_BACKGROUND: &[u8] = b"\x1b]11;?\x1b\\";

/// What happened at the outer terminal.
#[derive(Debug, Clone, PartialEq)]
pub enum Outer {
    Input(Input),
    Resize(u16, u16),
    /// It speaks the kitty keyboard protocol, and says so late.
    Kitty,
}

/// The events of the outer terminal.
#[derive(Debug)]
pub struct Events {
    stdin: Stdin,
    /// What was read goes here.
    buffer: Box<[u8]>,
    decoder: InputDecoder,
    decoded: Vec<Decoded>,
    ready: VecDeque<Outer>,
    resized: Signals,
    /// When what may be Esc, or the beginning of a sequence, is Esc.
    esc_at: Option<Instant>,
    /// What the terminal says of itself is not waited for any more.
    waited: bool,
    /// Whether its background is light, once it has said so.
    light: Option<bool>,
    gone: bool,
}

impl Events {
    pub fn new() -> io::Result<Events> {
        Ok(Events {
            stdin: Stdin::open()?,
            buffer: vec![0; READ_SIZE].into(),
            decoder: InputDecoder::default(),
            decoded: Vec::new(),
            ready: VecDeque::new(),
            resized: Signals::listen(&WINDOW_CHANGE)?,
            esc_at: None,
            waited: false,
            light: None,
            gone: false,
        })
    }

    /// Whether the terminal, which was just asked, speaks the kitty keyboard protocol. Waits a moment for its
    /// answer; keys that come before it are kept, and a late answer is an event.
    pub fn speaks_kitty(&mut self) -> bool {
        let kitty = self.answered();
        self.waited = true;
        kitty
    }

    fn answered(&mut self) -> bool {
        let (until, mut kitty) = (Instant::now() + ANSWER, false);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.stdin.read_within(left, &mut self.buffer) {
                Ok(None) if left.is_zero() => return kitty,
                Ok(None) => continue,
                Ok(Some(0)) | Err(_) => {
                    self.gone = true;
                    return kitty;
                }
                Ok(Some(count)) => self.decoder.push(&self.buffer[..count], &mut self.decoded),
            }
            kitty |= self.decoded.contains(&Decoded::KittyFlags);
            let answered = self.decoded.contains(&Decoded::DeviceAttributes);
            self.sort();
            if answered {
                return kitty;
            }
        }
    }

    /// Whether the terminal's background is light, if it has said so.
    pub fn on_light(&self) -> Option<bool> {
        self.light
    }

    /// Where keys come, and where it is told that the size has changed.
    pub fn fds(&self) -> (BorrowedFd<'_>, BorrowedFd<'_>) {
        (self.stdin.as_fd(), self.resized.as_fd())
    }

    /// Reads the keys that have come.
    pub fn read(&mut self) {
        let count = self.stdin.read(&mut self.buffer);
        self.came(count);
    }

    /// Looks for the new size.
    pub fn resized(&mut self) {
        if self.resized.take()
            && let Ok((cols, rows)) = outer_size()
        {
            self.ready.push_back(Outer::Resize(cols, rows));
        }
    }

    /// When what may be the beginning of a sequence is what it is.
    pub fn due(&self) -> Option<Instant> {
        self.esc_at
    }

    /// Takes what may be the beginning of a sequence for what it is, once that is due.
    pub fn flush(&mut self) {
        if self.esc_at.is_some_and(|at| at <= Instant::now()) {
            self.decoder.flush(&mut self.decoded);
            self.sort();
        }
    }

    /// The next event that was read.
    pub fn take_next(&mut self) -> Option<Outer> {
        self.ready.pop_front()
    }

    /// The inputs that were read together with the last event.
    pub fn take_inputs(&mut self) -> Vec<Input> {
        let mut inputs = Vec::new();
        while let Some(Outer::Input(_)) = self.ready.front() {
            if let Some(Outer::Input(input)) = self.ready.pop_front() {
                inputs.push(input);
            }
        }
        inputs
    }

    /// Nothing more will come.
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    /// An event that has come already.
    pub fn ready(&mut self) -> Option<Outer> {
        if self.ready.is_empty() && !self.gone {
            let count = self.stdin.read_within(Duration::ZERO, &mut self.buffer);
            self.came(count);
        }
        self.ready.pop_front()
    }

    fn came(&mut self, count: io::Result<Option<usize>>) {
        match count {
            Ok(None) => {}
            Ok(Some(0)) | Err(_) => self.gone = true,
            Ok(Some(count)) => {
                self.decoder.push(&self.buffer[..count], &mut self.decoded);
                self.sort();
            }
        }
    }

    /// Takes over what was decoded.
    fn sort(&mut self) {
        let (waited, mut light) = (self.waited, self.light);
        let input = |decoded| match decoded {
            Decoded::Input(input) => Some(Outer::Input(input)),
            Decoded::KittyFlags => waited.then_some(Outer::Kitty),
            Decoded::DeviceAttributes => None,
            Decoded::Background { light: is } => {
                light = Some(is);
                None
            }
        };
        self.ready.extend(self.decoded.drain(..).filter_map(input));
        self.light = light;
        self.esc_at = self.decoder.is_ambiguous().then(|| Instant::now() + SEQUENCE);
    }
}
