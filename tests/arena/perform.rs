//! The loop of a program that draws inline on a terminal, as fake agents and the fake consultant share it.

use counsel::core::terminal::grid::Size;
use counsel::demo::draw::{Painter, Paragraph};
use counsel::demo::keys::{Decoder, Probe, Token};

use super::terminal::{Heard, Terminal};

/// How long an escape byte may wait for the rest of its sequence before it is the Esc key.
const ESCAPE_MS: u64 = 40;

pub trait Performs {
    /// Whether the terminal's own cursor is to be seen.
    fn cursor(&self) -> bool;
    fn transcript(&self) -> &[Paragraph];
    fn live(&self, size: Size) -> Vec<String>;
    /// Called once a frame is out.
    fn drawn(&mut self);
    /// How long it may be left alone.
    fn wait_ms(&self) -> u64;
    /// What one read brought.
    fn hear(&mut self, tokens: &[Token]);
    fn tick(&mut self);
}

/// Performs until the terminal is hung up. The terminal is taken first: a program that is slow to come up and has
/// set nothing on it is taken for one that has ended.
pub fn perform<P: Performs>(title: &str, performer: impl FnOnce() -> P) {
    let mut terminal = Terminal::raw();
    let queries: String = Probe::ALL.iter().map(|probe| probe.query()).collect();
    terminal.put(&format!("\x1b[?25l\x1b[?2004h\x1b[?1004h\x1b[2J\x1b[H\x1b]0;{title}\x07{queries}"));
    let mut performer = performer();
    if performer.cursor() {
        terminal.put("\x1b[?25h");
    }
    let (mut painter, mut decoder) = (Painter::default(), Decoder::default());
    let (mut before, mut printed) = (terminal.size(), 0);
    loop {
        let now = terminal.size();
        let lines = |from: &[Paragraph]| from.iter().flat_map(|p| p.lines(now.cols)).collect::<Vec<String>>();
        let live = performer.live(now);
        let transcript = performer.transcript();
        let frame = if now == before {
            painter.frame(&lines(&transcript[printed..]), &live, now)
        } else {
            painter.repaint(&lines(transcript), &live, now)
        };
        (before, printed) = (now, transcript.len());
        terminal.put(&frame);
        performer.drawn();
        let wait = if decoder.waits() { ESCAPE_MS } else { performer.wait_ms() };
        match terminal.hear(wait) {
            Heard::Bytes(bytes) => performer.hear(&decoder.push(&bytes)),
            Heard::Nothing => performer.hear(&decoder.flush()),
            Heard::HungUp => return,
        }
        performer.tick();
    }
}
