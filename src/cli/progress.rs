//! A line on the terminal that says how far something is that takes long; gone when it is dropped.
//!
//! Verbs use it that keep a person waiting. It writes to standard error, and only where that is a terminal: what a program
//! reads never holds it.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use unicode_width::UnicodeWidthStr;

use crate::core::visible::visible;

/// What is over within this time needs no word.
const PATIENCE: Duration = Duration::from_millis(400);
/// Nobody reads faster, and a terminal far away is not flooded.
const PAUSE: Duration = Duration::from_millis(100);
/// A terminal that does not say how wide it is.
const USUAL_COLS: usize = 80;

#[derive(Debug)]
pub struct Progress {
    /// When the next words may be shown; `None`: nobody sees them.
    next: Option<Instant>,
    shown: bool,
}

impl Progress {
    pub fn begin() -> Progress {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let seen = io::stderr().is_terminal() && !dumb;
        Progress { next: seen.then(|| Instant::now() + PATIENCE), shown: false }
    }

    /// Says at once what is waited for, where it is known to take its time.
    pub fn waiting(words: &str) -> Progress {
        let mut progress = Progress::begin();
        progress.next = progress.next.map(|_| Instant::now());
        progress.tell(words);
        progress
    }

    pub fn tell(&mut self, words: &str) {
        let now = Instant::now();
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        (self.next, self.shown) = (Some(now + PAUSE), true);
        let cols = super::out::terminal_width().unwrap_or(USUAL_COLS);
        let _ = write!(io::stderr().lock(), "\r{}\x1b[K", cut(&visible(words), cols.saturating_sub(1)));
        let _ = io::stderr().flush();
    }

    /// Makes room for another line.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A line that would wrap could not be taken away again.
fn cut(words: &str, cols: usize) -> String {
    let mut line = String::new();
    for ch in words.chars() {
        if line.width() + ch.to_string().width() > cols {
            break;
        }
        line.push(ch);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_progress_does_not_wrap() {
        assert_eq!(cut("starting 3 of 20: api", 10), "starting 3");
        assert_eq!(cut("漢字漢字", 5), "漢字");
        assert_eq!(cut("short", 80), "short");
    }
}
