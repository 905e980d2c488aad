//! Any bytes through the emulator, the tee parser and what follows: replies, history, pictures, painting.
//!
//! The first three bytes are columns, rows and the length of the pieces in which the rest arrives.
#![no_main]

use counsel::core::terminal::cost::Cost;
use counsel::core::terminal::grid::{Grid, Size};
use counsel::core::terminal::history::History;
use counsel::core::terminal::paint::Painter;
use counsel::core::terminal::picture::Picture;
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::repaint::repaint;
use counsel::core::terminal::screen::Screen;
use counsel::core::terminal::tail::Tail;
use libfuzzer_sys::fuzz_target;

/// Lines of history kept here: few, so that dropping is exercised.
const LINES: usize = 20;
/// Reply bytes for one feed, as the screen promises, and one reply above it.
const MAX_REPLIES: usize = 16 * 1024 + 8 * 1024;

/// What a step may cost here: little, so that steps end everywhere.
const BUDGET: Cost = Cost(1_000);
/// The costliest sequence on the largest of these screens, three times all its cells, or the costliest bytes that
/// are read before their cost is looked at.
const COSTLIEST: u64 = 512 * 1024;

fuzz_target!(|bytes: &[u8]| {
    let [cols, rows, length, rest @ ..] = bytes else { return };
    let size = Size::new(u16::from(*cols), u16::from(*rows));
    let mut screen = Screen::new(size, TerminalIdentity::default());
    let (mut history, mut tail) = (History::new(LINES), Tail::new(1000));
    let (mut shadow, mut client) = (Grid::default(), Grid::default());
    let mut painter = Painter::new(Size::new(80, 24), true);
    for piece in rest.chunks(usize::from(*length).max(1) * 16) {
        let mut left = piece;
        while !left.is_empty() {
            let (taken, fed) = screen.feed_some(left, BUDGET);
            left = &left[taken..];
            assert!(taken > 0 && fed.cost.0 <= BUDGET.0 + COSTLIEST, "{taken} bytes cost {:?}", fed.cost);
            assert!(!fed.reset, "the emulator failed");
            assert!(fed.replies.len() <= MAX_REPLIES);
            history.push(&fed.scrolled);
        }
        tail.push(piece);
        let modes = screen.modes();
        if let Some(rows) = Picture::delta(&mut shadow, screen.grid()) {
            let (size, cursor, title) = (screen.size(), screen.grid().cursor, screen.title().to_owned());
            let picture = Picture { size, rows, cursor, modes, title };
            picture.apply(&mut client);
            painter.apply(&picture);
            painter.frame();
        }
        assert_eq!(client.text(), screen.grid().text());
    }
    tail.since(0, true);
    let from = history.first();
    history.lines(from, 10, u16::from(*cols));
    assert!(history.text(from).len() <= LINES);
    let mut again = Screen::new(screen.size(), TerminalIdentity::default());
    again.feed(&repaint(screen.grid(), screen.modes()));
});
