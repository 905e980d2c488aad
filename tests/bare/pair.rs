//! A program in a pane of the dashboard, and the same on a terminal of that size: both get the same keys and sizes.

use std::time::{Duration, Instant};

use counsel::core::terminal::grid::Size;

use super::{Bare, DEADLINE, Look, difference, looks};

const RESIZES: usize = 50;
/// The border of the one pane of a zoomed dashboard, and the row below it.
const AROUND: (u16, u16) = (2, 3);
/// Where the pane's screen begins.
const CORNER: (u16, u16) = (1, 1);

/// The pane's screen in a dashboard of this size.
pub fn inner(outer: Size) -> Size {
    Size::new(outer.cols - AROUND.0, outer.rows - AROUND.1)
}

pub struct Pair {
    pub dashboard: Bare,
    pub bare: Bare,
    pub size: Size,
}

impl Pair {
    /// A dashboard that shows the one pane alone, and a terminal of the pane's size.
    pub fn new(dashboard: Bare, bare: Bare, outer: Size) -> Pair {
        Pair { dashboard, bare, size: inner(outer) }
    }

    /// Until both show this.
    pub fn show(&mut self, what: &str) {
        self.bare.shows(what);
        self.dashboard.shows(what);
    }

    pub fn types(&mut self, keys: &str) {
        self.dashboard.types(keys.as_bytes());
        self.bare.types(keys.as_bytes());
    }

    pub fn resize(&mut self, outer: Size) {
        self.size = inner(outer);
        self.bare.resize(self.size);
        self.dashboard.resize(outer);
    }

    /// Until both have drawn what they draw at this size: `drawn` is asked about the rows of each, as text.
    pub fn drawn(&mut self, what: &str, drawn: impl Fn(&[String]) -> bool) {
        let until = Instant::now() + DEADLINE;
        while !(drawn(&rows(&self.dashboard, CORNER, self.size))
            && drawn(&rows(&self.bare, (0, 0), self.size)))
        {
            let (pane, bare) = (self.dashboard.text(), self.bare.text());
            assert!(Instant::now() < until, "{what} at {}\n{pane}\n--- bare:\n{bare}", self.size);
            self.take(Duration::from_millis(10));
        }
    }

    /// What both print within this time; false: they said nothing.
    pub fn take(&mut self, within: Duration) -> bool {
        let came = self.dashboard.take(within);
        self.bare.take(within) || came
    }

    /// Until both show these words, and the same everywhere.
    pub fn alike(&mut self, what: &str, words: &str) {
        let until = Instant::now() + DEADLINE;
        loop {
            if self.take(Duration::from_millis(10)) {
                continue;
            }
            let difference = difference(&self.dashboard, CORNER, &self.bare, self.size);
            if difference.is_none() && self.bare.text().contains(words) {
                return;
            }
            let (pane, bare) = (self.dashboard.text(), self.bare.text());
            let why = difference.unwrap_or_else(|| format!("no {words:?}"));
            assert!(Instant::now() < until, "{what} at {}: {why}\n{pane}\n--- bare:\n{bare}", self.size);
        }
    }

    /// Until what both draw now is the same: so many rows, the first of which holds these words. What a program leaves
    /// above them on the main screen when its terminal changes depends on how many frames it drew meanwhile.
    pub fn frame_alike(&mut self, what: &str, first: &str, count: u16) {
        let until = Instant::now() + DEADLINE;
        loop {
            if self.take(Duration::from_millis(10)) {
                continue;
            }
            let shown = frame(&self.dashboard, CORNER, self.size, first, count);
            if shown.is_some() && shown == frame(&self.bare, (0, 0), self.size, first, count) {
                return;
            }
            let (pane, bare) = (self.dashboard.text(), self.bare.text());
            assert!(Instant::now() < until, "{what} at {}:\n{pane}\n--- bare:\n{bare}", self.size);
        }
    }
}

/// The text of the rows from this place on, each as wide as the size.
fn rows(terminal: &Bare, corner: (u16, u16), size: Size) -> Vec<String> {
    let rows = looks(terminal.screen.grid(), corner, size);
    rows.into_iter().map(|row| row.into_iter().map(|(glyph, ..)| glyph).collect()).collect()
}

/// Rows that a program draws, and where its cursor stands among them, if it shows one.
type Frame = (Vec<Vec<Look>>, Option<(u16, u16)>);

/// What a program draws from the row with these words on; `None`: it is not there.
fn frame(terminal: &Bare, corner: (u16, u16), size: Size, first: &str, count: u16) -> Option<Frame> {
    let texts = rows(terminal, corner, size);
    let top = texts.iter().rposition(|row| row.contains(first))? as u16;
    let shown = looks(terminal.screen.grid(), corner, size);
    let cursor = terminal.screen.grid().cursor;
    let place = (cursor.row.wrapping_sub(top + corner.1), cursor.col.wrapping_sub(corner.0));
    let last = usize::from(top + count);
    (last <= shown.len()).then(|| (shown[usize::from(top)..last].to_vec(), cursor.visible.then_some(place)))
}

/// Sizes of the dashboard's terminal, the same every time: at least this large, and smaller than so much more.
pub fn sizes(least: Size, more: Size) -> impl Iterator<Item = Size> {
    let mut dice = 0x2545_f491_4f6c_dd1d_u64;
    let mut roll = move |below: u16| {
        // xorshift
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        (dice % u64::from(below)) as u16
    };
    std::iter::repeat_with(move || Size::new(least.cols + roll(more.cols), least.rows + roll(more.rows)))
        .take(RESIZES)
}
