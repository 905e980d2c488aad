//! A program in a pane of the dashboard, and the same on a terminal of that size: both get the same keys and sizes.

use std::time::{Duration, Instant};

use counsel::core::terminal::grid::Size;

use super::{Bare, DEADLINE, difference, shown_otherwise};

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

    /// What both print within this time; false: they said nothing.
    pub fn take(&mut self, within: Duration) -> bool {
        let came = self.dashboard.take(within);
        self.bare.take(within) || came
    }

    /// Until both show these words, and the same everywhere.
    pub fn alike(&mut self, what: &str, words: &str) {
        self.alike_by(what, words, difference);
    }

    /// The same by counsel's own emulator alone: what a program leaves on the main screen when its terminal changes depends
    /// on how the emulator wraps its lines anew, which the other one does not do.
    pub fn alike_on_the_main_screen(&mut self, what: &str, words: &str) {
        self.alike_by(what, words, shown_otherwise);
    }

    fn alike_by(
        &mut self,
        what: &str,
        words: &str,
        difference: fn(&Bare, (u16, u16), &Bare, Size) -> Option<String>,
    ) {
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
