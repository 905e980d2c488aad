//! A text that is longer than the terminal, page by page: where nothing can be scrolled back to (a popup of tmux, the
//! kernel's console) all of it is seen all the same.
//!
//! `trust.rs` shows with it what is to be agreed to.

use std::io::{self, BufRead, ErrorKind, Write};

use nix::sys::termios::{FlushArg, tcflush};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::dashboard::outer_size::told_or_usual;

/// What a key means between two pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    On,
    Leave,
}

/// Shows all of it, with one line left below the last page; `false`: the person does not want to see the rest. Nothing that
/// was typed before its last page was shown counts for what is asked behind it.
pub fn show(text: &str, out: &mut impl Write) -> io::Result<bool> {
    let mut rest = text;
    // From the first page on: the echo of a key would push a line off the screen.
    let mut keys: Option<KeyByKey> = None;
    loop {
        // The window may have another size by now.
        let (cols, rows) = size().unwrap_or((u16::MAX, u16::MAX));
        let (page, beyond) = rest.split_at(page_end(rest, cols, rows.saturating_sub(1)));
        let newline = if keys.is_some() { "\r\n" } else { "\n" };
        write!(out, "{}", page.replace('\n', newline))?;
        if beyond.is_empty() {
            out.flush()?;
            if keys.is_some() {
                typed_ahead_is_lost();
            }
            return Ok(true);
        }
        if !page.ends_with('\n') {
            write!(out, "{newline}")?;
        }
        if keys.is_none() {
            keys = Some(KeyByKey::begin()?);
        }
        let words = prompt(lines(beyond, cols), cols);
        typed_ahead_is_lost();
        write!(out, "{words}").and_then(|()| out.flush())?;
        let turn = turn();
        // What comes next stands in the place of these words.
        write!(out, "\r{}\r", " ".repeat(words.width())).and_then(|()| out.flush())?;
        if turn? == Turn::Leave {
            return Ok(false);
        }
        rest = beyond;
    }
}

/// Columns and rows of the terminal, if there is one.
pub fn size() -> Option<(u16, u16)> {
    crossterm::terminal::size().ok().map(told_or_usual)
}

fn prompt(more: usize, cols: u16) -> String {
    let lines = if more == 1 { "line" } else { "lines" };
    let long = format!("-- {more} more {lines}: enter or space goes on, q says no -- ");
    // A word in the last column would begin another line.
    if long.width() < usize::from(cols) { long } else { "-- more -- ".to_owned() }
}

/// Where in a text the first `rows` lines of a terminal end; at least one is shown.
fn page_end(text: &str, cols: u16, rows: u16) -> usize {
    let (cols, rows) = (usize::from(cols.max(2)), usize::from(rows.max(1)));
    let (mut row, mut col) = (0, 0);
    for (at, ch) in text.char_indices() {
        if ch == '\n' {
            (row, col) = (row + 1, 0);
            if row == rows {
                return at + 1;
            }
            continue;
        }
        let width = ch.width().unwrap_or(0);
        if col + width > cols {
            (row, col) = (row + 1, 0);
            if row == rows {
                return at;
            }
        }
        col += width;
    }
    text.len()
}

/// How many lines of a terminal it takes.
fn lines(mut text: &str, cols: u16) -> usize {
    let mut count = 0;
    while !text.is_empty() {
        text = &text[page_end(text, cols, 1)..];
        count += 1;
    }
    count
}

/// Best effort: on a terminal that has no such call what was typed ahead is read as it is.
fn typed_ahead_is_lost() {
    let _ = tcflush(io::stdin(), FlushArg::TCIFLUSH);
}

/// Each key counts at once while this lives.
struct KeyByKey;

impl KeyByKey {
    fn begin() -> io::Result<KeyByKey> {
        crossterm::terminal::enable_raw_mode().map(|()| KeyByKey)
    }
}

impl Drop for KeyByKey {
    fn drop(&mut self) {
        let _ = crossterm::terminal::disable_raw_mode();
    }
}

/// Waits for a key that means something here.
fn turn() -> io::Result<Turn> {
    let mut input = io::stdin().lock();
    loop {
        let typed = match input.fill_buf() {
            Ok(typed) => typed,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let (turn, length) = (meant(typed), typed.len());
        input.consume(length);
        if let Some(turn) = turn {
            return Ok(turn);
        }
    }
}

/// What was typed in one go turns one page at most.
fn meant(typed: &[u8]) -> Option<Turn> {
    match typed {
        [b'\r' | b'\n' | b' ', ..] | b"\x1b[6~" | b"\x1b[B" | b"\x1bOB" => Some(Turn::On),
        // Also where the terminal is gone, and ctrl-c, ctrl-d, Escape.
        [] | [b'q' | b'Q' | b'n' | b'N' | 0x03 | 0x04, ..] | [0x1b] => Some(Turn::Leave),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A team of forty was asked about with only its last agents in view.
    #[test]
    fn pages_are_as_high_as_the_terminal_and_lose_nothing() {
        let pages = |mut text: &str, cols, rows| {
            let mut pages = Vec::new();
            while !text.is_empty() {
                let (page, beyond) = text.split_at(page_end(text, cols, rows));
                pages.push(page.to_owned());
                text = beyond;
            }
            pages
        };
        let text = "starts it\n".repeat(50);
        let heights: Vec<usize> = pages(&text, 80, 23).iter().map(|page| lines(page, 80)).collect();
        assert_eq!(heights, [23, 23, 4]);
        assert_eq!(pages(&text, 80, 50).len(), 1);
        assert_eq!(pages(&text, 80, 0).len(), 50, "one line is always shown");
        assert_eq!(pages("abcdef\ngh\n", 3, 2), ["abcdef\n", "gh\n"], "a full line takes no second one");
        assert_eq!(pages("abcdefgh\n", 3, 2), ["abcdef", "gh\n"], "a long line goes on on the next page");
        assert_eq!(pages("漢字漢", 5, 1), ["漢字", "漢"], "a wide glyph is not halved");
        assert_eq!(lines(&"x".repeat(200), 80), 3);
        for cols in [1, 2, 7, 80] {
            assert_eq!(pages("漢é x\u{301}\n\ny", cols, 3).concat(), "漢é x\u{301}\n\ny");
        }
    }

    #[test]
    fn one_key_turns_one_page_and_a_yes_turns_none() {
        for (typed, turn) in [
            ("\r", Some(Turn::On)),
            (" ", Some(Turn::On)),
            ("\r\ry\r", Some(Turn::On)),
            ("\u{1b}[6~", Some(Turn::On)),
            ("q", Some(Turn::Leave)),
            ("\u{3}", Some(Turn::Leave)),
            ("\u{1b}", Some(Turn::Leave)),
            ("", Some(Turn::Leave)),
            ("y\r", None),
            ("\u{1b}[A", None),
        ] {
            assert_eq!(meant(typed.as_bytes()), turn, "{typed:?}");
        }
    }

    #[test]
    fn the_words_between_two_pages_fit() {
        assert_eq!(prompt(1, 80), "-- 1 more line: enter or space goes on, q says no -- ");
        assert!((1..200).all(|cols| prompt(12, cols).width() < usize::from(cols).max(12)));
    }

    /// One character was shown at a time where a terminal tells no size.
    #[test]
    fn a_terminal_that_tells_no_size_has_the_usual_one() {
        assert_eq!(
            [told_or_usual((0, 0)), told_or_usual((0, 30)), told_or_usual((132, 0))],
            [(80, 24), (80, 30), (132, 24)]
        );
    }
}
