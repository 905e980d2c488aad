//! A program on a PTY with nothing in between, and what two emulators make of its output: counsel's own, which knows
//! every style, and one that is not ours.
//!
//! Nothing sleeps: whoever waits says what for, and every wait has a deadline.
#![allow(dead_code, reason = "each test file uses its part of it")]

mod pair;

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use counsel::core::terminal::grid::{Grid, Size, Style, Width};
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::screen::Screen;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

pub use pair::{Pair, inner, sizes};

/// For a program to draw what it was asked for, on a machine with ten times more to do than it has cores.
pub const DEADLINE: Duration = Duration::from_secs(60);

pub struct Bare {
    master: File,
    child: Child,
    pub screen: Screen,
    pub judge: vt100::Parser,
    ended: bool,
}

fn winsize(size: Size) -> nix::pty::Winsize {
    nix::pty::Winsize { ws_row: size.rows, ws_col: size.cols, ws_xpixel: 0, ws_ypixel: 0 }
}

fn count(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("a terminal has rows and columns")
}

impl Bare {
    pub fn start(mut command: Command, size: Size) -> Bare {
        let pty = nix::pty::openpty(Some(&winsize(size)), None).expect("a terminal can be opened");
        let slave = || Stdio::from(pty.slave.try_clone().expect("a descriptor can be copied"));
        command.stdin(slave()).stdout(slave()).stderr(slave());
        // SAFETY: both calls are async-signal-safe.
        unsafe {
            command.pre_exec(|| {
                nix::unistd::setsid()?;
                if nix::libc::ioctl(0, nix::libc::TIOCSCTTY, 0) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
                Ok(())
            });
        }
        let child = command.spawn().expect("the program starts");
        let screen = Screen::new(size, TerminalIdentity::default());
        let judge = vt100::Parser::new(count(size.rows), count(size.cols), 0);
        Bare { master: pty.master.into(), child, screen, judge, ended: false }
    }

    /// Another size: first of the terminal, then the program hears of it.
    pub fn resize(&mut self, size: Size) {
        self.take(Duration::ZERO);
        self.screen.resize(size);
        self.judge.screen_mut().set_size(count(size.rows), count(size.cols));
        let winsize = winsize(size);
        // SAFETY: the descriptor is open, and the kernel copies the struct.
        let done = unsafe {
            nix::libc::ioctl(
                std::os::fd::AsRawFd::as_raw_fd(&self.master),
                nix::libc::TIOCSWINSZ,
                &raw const winsize,
            )
        };
        assert_eq!(done, 0, "{}", std::io::Error::last_os_error());
    }

    pub fn types(&mut self, bytes: &[u8]) {
        self.master.write_all(bytes).expect("the program reads");
    }

    /// Takes what the program prints within this time, and answers its queries; false: it said nothing.
    pub fn take(&mut self, within: Duration) -> bool {
        let mut fds = [PollFd::new(self.master.as_fd(), PollFlags::POLLIN)];
        let timeout = PollTimeout::try_from(within).expect("less than a day");
        if self.ended || poll(&mut fds, timeout).is_ok_and(|ready| ready == 0) {
            return false;
        }
        let mut buffer = [0; 16384];
        let Ok(count @ 1..) = self.master.read(&mut buffer) else {
            self.ended = true;
            return false;
        };
        self.judge.process(&buffer[..count]);
        let replies = self.screen.feed(&buffer[..count]).replies;
        self.master.write_all(&replies).is_ok()
    }

    pub fn text(&self) -> String {
        self.screen.grid().text()
    }

    /// Until the screen holds these words.
    pub fn shows(&mut self, words: &str) {
        let until = Instant::now() + DEADLINE;
        while !self.text().contains(words) {
            assert!(!self.ended && Instant::now() < until, "no {words:?} on\n{}", self.text());
            self.take(Duration::from_millis(50));
        }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a cell shows: glyph, width, style, where it leads. A blank has no ink, so the colour of it is not seen.
pub type Look = (String, Width, Style, Option<String>);

/// The cells of a screen within so many columns and rows from this place on.
pub fn looks(grid: &Grid, (left, top): (u16, u16), size: Size) -> Vec<Vec<Look>> {
    let look = |row: u16, col: u16| {
        let cell = grid.cell(top + row, left + col).cloned().unwrap_or_default();
        let mut glyph = String::new();
        cell.push_to(&mut glyph);
        let link = cell.link().map(|link| link.uri.to_string());
        let width = if cell.width == Width::Spacer { Width::Spacer } else { cell.width };
        (glyph, width, cell.style, link)
    };
    (0..size.rows).map(|row| (0..size.cols).map(|col| look(row, col)).collect()).collect()
}

/// The same as the emulator that is not ours sees them.
pub fn judged(
    judge: &vt100::Parser,
    (left, top): (u16, u16),
    size: Size,
) -> Vec<Vec<impl PartialEq + std::fmt::Debug + use<>>> {
    let look = |row: u16, col: u16| {
        let cell = judge.screen().cell(top + row, left + col);
        cell.map(|cell| {
            let glyph = if cell.has_contents() { cell.contents().to_owned() } else { " ".to_owned() };
            let modes = [cell.bold(), cell.dim(), cell.italic(), cell.underline(), cell.inverse()];
            let inked = glyph != " " || cell.underline() || cell.inverse();
            (glyph, inked.then(|| cell.fgcolor()), cell.bgcolor(), modes)
        })
    };
    (0..size.rows).map(|row| (0..size.cols).map(|col| look(row, col)).collect()).collect()
}

/// What differs between a pane, whose screen begins at `corner`, and a bare terminal of that size, in words; `None`:
/// nothing does.
pub fn difference(pane: &Bare, corner: (u16, u16), bare: &Bare, size: Size) -> Option<String> {
    shown_otherwise(pane, corner, bare, size).or_else(|| judged_otherwise(pane, corner, bare, size))
}

/// The same by counsel's own emulator alone.
pub fn shown_otherwise(pane: &Bare, corner: (u16, u16), bare: &Bare, size: Size) -> Option<String> {
    let (shown, wanted) = (looks(pane.screen.grid(), corner, size), looks(bare.screen.grid(), (0, 0), size));
    for (row, (shown, wanted)) in shown.iter().zip(&wanted).enumerate() {
        if let Some(col) = (0..shown.len()).find(|col| shown[*col] != wanted[*col]) {
            return Some(format!("{row},{col}: {:?}, wanted {:?}", shown[col], wanted[col]));
        }
    }
    let (at, wanted) = (pane.screen.grid().cursor, bare.screen.grid().cursor);
    if (at.visible, at.shape) != (wanted.visible, wanted.shape)
        || at.visible && (at.row, at.col) != (wanted.row + corner.1, wanted.col + corner.0)
    {
        return Some(format!("the cursor: {at:?}, wanted {wanted:?}"));
    }
    None
}

/// By the one that is not ours.
fn judged_otherwise(pane: &Bare, corner: (u16, u16), bare: &Bare, size: Size) -> Option<String> {
    let (shown, wanted) = (judged(&pane.judge, corner, size), judged(&bare.judge, (0, 0), size));
    for (row, (shown, wanted)) in shown.iter().zip(&wanted).enumerate() {
        if let Some(col) = (0..shown.len()).find(|col| shown[*col] != wanted[*col]) {
            let (shown, wanted) = (&shown[col], &wanted[col]);
            return Some(format!("by the other emulator {row},{col}: {shown:?}, wanted {wanted:?}"));
        }
    }
    None
}
