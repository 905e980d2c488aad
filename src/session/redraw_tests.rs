//! After any starts, reopenings and resizes the screen is what a redraw would make of it: a thousand random lives of a
//! program that draws when its terminal's size has changed, as most do, whatever was on its way meanwhile.

use std::collections::VecDeque;

use super::*;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;
use crate::session::Setup;
use crate::session::message::Now;
use crate::session::message::{ClientKey, Input, Output, Started};

const SIZES: [(u16, u16); 5] = [(20, 6), (30, 6), (20, 9), (19, 6), (31, 4)];
/// Programs gather resizes for up to this long.
const GATHERS_MS: u64 = 100;
const VIEWER: ClientKey = ClientKey(7);

/// The same numbers for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// A program on the alternate screen that draws everything when it finds its terminal changed, and now and then a row.
struct Program {
    /// Its terminal's size now, and as it last saw it.
    terminal: Size,
    known: Size,
    /// When it looks: a signal has come.
    looks_ms: Option<u64>,
    /// How often each row has changed.
    ticks: [u64; 20],
    /// What it wrote and nobody has read.
    written: VecDeque<u8>,
}

impl Program {
    fn row(&self, row: u16) -> String {
        let text = format!("row {row} of {} after {} ticks ", self.known, self.ticks[usize::from(row)]);
        let text: String = text.chars().cycle().take(self.known.cols.into()).collect();
        format!("\x1b[{};1H\x1b[3{}m{text}\x1b[m", row + 1, row % 8)
    }

    fn drawing(&self) -> String {
        let rows: String = (0..self.known.rows).map(|row| self.row(row)).collect();
        format!("\x1b[?1049h\x1b[H\x1b[2J{rows}")
    }

    /// The kernel signals a size that differs, and nothing else.
    fn resized(&mut self, size: Size, now_ms: u64, dice: &mut Dice) {
        if self.terminal != size {
            self.terminal = size;
            self.looks_ms.get_or_insert(now_ms + dice.below(GATHERS_MS));
        }
    }

    fn look(&mut self, now_ms: u64) {
        if self.looks_ms.is_some_and(|due| due <= now_ms) {
            self.looks_ms = None;
            if self.known != self.terminal {
                self.known = self.terminal;
                let drawing = self.drawing();
                self.written.extend(drawing.bytes());
            }
        }
    }

    /// A clock in one row, a row that changes.
    fn tick(&mut self, dice: &mut Dice) {
        let row = dice.below(self.known.rows.into()) as u16;
        self.ticks[usize::from(row)] += 1;
        let text = self.row(row);
        self.written.extend(text.bytes());
    }
}

struct Life {
    session: Session,
    program: Program,
    now_ms: u64,
    dice: Dice,
}

fn session(size: Size) -> Session {
    let setup = Setup::plain("generic", size);
    Session::new(setup, Now::default())
}

impl Life {
    fn begin(seed: u64) -> Life {
        let mut dice = Dice(seed);
        let size = size(&mut dice);
        let mut program =
            Program { terminal: size, known: size, looks_ms: None, ticks: [0; 20], written: VecDeque::new() };
        let drawing = program.drawing();
        program.written.extend(drawing.bytes());
        let mut life = Life { session: session(size), program, now_ms: 1_000, dice };
        life.input(Input::Started(Box::new(Started { size: Some(size), ..Started::default() })));
        life
    }

    fn now(&self) -> Now {
        Now { ms: self.now_ms, unix_ms: self.now_ms }
    }

    fn perform(&mut self, outputs: Vec<Output>) {
        for output in outputs {
            if let Output::Resize(size) = output {
                self.program.resized(size, self.now_ms, &mut self.dice);
            }
        }
    }

    fn input(&mut self, input: Input) {
        let outputs = self.session.on(input, self.now());
        self.perform(outputs);
    }

    /// The session reads so many bytes.
    fn read(&mut self, count: usize) {
        let count = count.min(self.program.written.len());
        let bytes: Vec<u8> = self.program.written.drain(..count).collect();
        let mut bytes = &bytes[..];
        while !bytes.is_empty() {
            let (taken, outputs) = self.session.feed(bytes, self.now());
            self.perform(outputs);
            bytes = &bytes[taken..];
        }
    }

    fn step(&mut self) {
        match self.dice.below(10) {
            0..3 => {
                let size = Some(size(&mut self.dice));
                self.input(Input::Watch { client: VIEWER, size });
            }
            3..5 => self.program.tick(&mut self.dice),
            5 if self.dice.below(4) == 0 => self.reopen(),
            5..7 => {
                let count = self.dice.below(400) as usize;
                self.read(count);
            }
            _ => self.pass(),
        }
    }

    /// Time passes, a little or more.
    fn pass(&mut self) {
        self.now_ms += [1, 20, 90, 200][self.dice.below(4) as usize];
        self.program.look(self.now_ms);
        if self.session.next_wake().is_some_and(|wake| wake <= self.now_ms) {
            self.input(Input::Wake);
        }
    }

    /// Another server takes over, which has nothing of the one before but the terminal.
    fn reopen(&mut self) {
        let size = self.program.terminal;
        self.session = session(size);
        let started = Started { adopted: true, size: Some(size), ..Started::default() };
        self.input(Input::Started(Box::new(started)));
    }

    /// Nothing happens any more but what has begun.
    fn rest(&mut self) {
        for _ in 0..40 {
            self.now_ms += 25;
            self.program.look(self.now_ms);
            self.read(usize::MAX);
            if self.session.next_wake().is_some_and(|wake| wake <= self.now_ms) {
                self.input(Input::Wake);
            }
        }
    }
}

fn size(dice: &mut Dice) -> Size {
    let (cols, rows) = SIZES[dice.below(SIZES.len() as u64) as usize];
    Size::new(cols, rows)
}

/// There and back again, a program saw no change of size where its rows had been cut or read at the other width:
/// they stood wrong until it drew for a reason of its own.
#[test]
fn the_screen_is_what_a_redraw_would_make_of_it() {
    for seed in 0..1_000 {
        let mut life = Life::begin(seed);
        for _ in 0..30 {
            life.step();
        }
        life.rest();
        let size = life.session.terminal.screen.size();
        assert_eq!((life.program.terminal, life.program.known), (size, size), "life {seed}");
        let mut wanted = Screen::new(size, TerminalIdentity::default());
        let shown = life.session.terminal.screen.grid().clone();
        wanted.feed(life.program.drawing().as_bytes());
        assert_eq!(shown.text(), wanted.grid().text(), "life {seed} at {size}");
        assert_eq!(&shown.rows, &wanted.grid().rows, "life {seed} at {size}");
    }
}
