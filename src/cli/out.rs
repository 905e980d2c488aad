//! How verbs print: lines and JSON that survive a closed pipe and a closed terminal, times for people.
//!
//! Everything the command line says goes through here: `println!` panics where it cannot write.

use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::OnceLock;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde::Serialize;

use super::failure::Failure;
use super::fold;
use crate::core::visible::{visible, visible_json};

/// One line on standard output. A reader that has gone away (`| head`) ends the program quietly.
pub fn line(text: &str) -> Result<(), Failure> {
    raw(format!("{text}\n").as_bytes())
}

/// Words that are read one entry after the other, without leaving anything out: on a terminal folded to its width, with
/// `indent` columns before what goes on.
pub fn prose(text: &str, indent: usize) -> Result<(), Failure> {
    match terminal_width() {
        Some(width) => line(&fold::fold(text, width, indent)),
        None => line(text),
    }
}

pub fn raw(bytes: &[u8]) -> Result<(), Failure> {
    if write(bytes)? { Ok(()) } else { std::process::exit(0) }
}

/// The same for a program that has something to do before it ends; `false`: nobody reads any more.
pub fn write(bytes: &[u8]) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::new(1, format!("could not write the output: {error}"))),
    }
}

/// Whether whoever read standard output has closed it; seen without writing.
pub fn reader_has_gone() -> bool {
    let out = io::stdout();
    let mut fds = [PollFd::new(out.as_fd(), PollFlags::empty())];
    let looked = poll(&mut fds, PollTimeout::ZERO).is_ok();
    looked && fds[0].revents().is_some_and(|seen| seen.intersects(PollFlags::POLLERR | PollFlags::POLLHUP))
}

/// Ends this process once whoever read standard output has closed it, also while there is nothing to write. Not where a
/// terminal shows it: that says by a signal that it goes.
pub fn end_with_reader() {
    if io::stdout().is_terminal() {
        return;
    }
    // Without a thread the end of the reader is seen at the next line.
    let _ = std::thread::Builder::new().spawn(|| {
        let out = io::stdout();
        let mut fds = [PollFd::new(out.as_fd(), PollFlags::empty())];
        // What cannot be watched is seen to be closed at the next line.
        while poll(&mut fds, PollTimeout::NONE) == Err(Errno::EINTR) {}
        if reader_has_gone() {
            std::process::exit(0);
        }
    });
}

pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(|error| Failure::new(1, error.to_string()))?;
    line(&visible_json(&text))
}

/// One line on standard error, whatever is in the words. Where nobody can be told, nobody is.
pub fn complain(words: &str) {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let _ = writeln!(io::stderr().lock(), "counsel: {}", visible(&words));
}

/// The same of words in which every blank counts.
pub fn complain_exactly(words: &str) {
    let _ = writeln!(io::stderr().lock(), "counsel: {}", visible(words));
}

/// When colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

static COLOR: OnceLock<Color> = OnceLock::new();

/// Once, from `--color`.
pub fn set_color(color: Color) {
    let _ = COLOR.set(color);
}

/// Whether standard output gets colours.
pub fn colored() -> bool {
    let said = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    match COLOR.get().copied().unwrap_or_default() {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => io::stdout().is_terminal() && !said("NO_COLOR") && !dumb,
    }
}

/// Columns of the terminal that shows standard output; `None` if none does, and nothing is cut.
pub fn terminal_width() -> Option<usize> {
    let shown = io::stdout().is_terminal();
    let size = shown.then(crossterm::terminal::size).and_then(Result::ok)?;
    (size.0 > 0).then_some(usize::from(size.0))
}

/// `1 agent`, `2 agents`.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A span of time in its largest two units.
pub fn duration(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h{:02}m", seconds / 3_600, seconds / 60 % 60),
        _ => format!("{}d{:02}h", seconds / 86_400, seconds / 3_600 % 24),
    }
}

/// A wall-clock time in milliseconds as UTC, to the second.
pub fn clock(unix_ms: u64) -> String {
    let time =
        i64::try_from(unix_ms / 1000).ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    time.map_or_else(|| "-".to_owned(), |time| time.strftime("%Y-%m-%d %H:%M:%SZ").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_show_civil_dates() {
        assert_eq!(clock(0), "1970-01-01 00:00:00Z");
        assert_eq!(clock(1_709_210_096_789), "2024-02-29 12:34:56Z");
        assert_eq!(clock(1_735_689_599_000), "2024-12-31 23:59:59Z");
    }

    #[test]
    fn times_are_short() {
        assert_eq!(
            [0.4, 59.0, 61.0, 3_660.0, 90_000.0].map(duration),
            ["0s", "59s", "1m01s", "1h01m", "1d01h"]
        );
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!([0, 1, 2].map(|number| count(number, "agent")), ["0 agents", "1 agent", "2 agents"]);
    }
}
