//! A terminal for one agent program without counsel in between: proves the scripted model and the made-up
//! home, so that a failed scenario is counsel's.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use counsel::core::terminal::grid::Size;
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::screen::Screen;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// From one event on the screen to the next; a start-up takes up to 3 s.
const DEADLINE: Duration = Duration::from_secs(20);

pub struct Terminal {
    master: File,
    child: Child,
    screen: Screen,
}

impl Terminal {
    pub fn start(mut command: Command) -> Terminal {
        let size = nix::pty::Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = nix::pty::openpty(Some(&size), None).expect("a terminal can be opened");
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
        let child = command.spawn().expect("the agent program starts");
        let screen = Screen::new(Size::new(120, 40), TerminalIdentity::default());
        Terminal { master: pty.master.into(), child, screen }
    }

    pub fn text(&self) -> String {
        self.screen.grid().text()
    }

    /// Reads and answers queries until the screen is as wanted.
    pub fn until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + DEADLINE;
        while !wanted(&self.text()) {
            assert!(self.pump(deadline), "{what} was not seen on\n{}", self.text());
        }
    }

    pub fn shows(&mut self, text: &str) {
        self.until(text, |screen| screen.contains(text));
    }

    /// Whether the text comes within this time.
    pub fn shows_within(&mut self, text: &str, within: Duration) -> bool {
        let deadline = Instant::now() + within;
        loop {
            if self.text().contains(text) {
                return true;
            }
            if !self.pump(deadline) {
                return false;
            }
        }
    }

    /// One round of output; false if the time is up or the program has ended.
    fn pump(&mut self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut fds = [PollFd::new(self.master.as_fd(), PollFlags::POLLIN)];
        let timeout = PollTimeout::try_from(left).expect("less than a day");
        if left.is_zero() || poll(&mut fds, timeout).is_ok_and(|ready| ready == 0) {
            return false;
        }
        let mut buffer = [0; 16384];
        let Ok(count @ 1..) = self.master.read(&mut buffer) else { return false };
        let replies = self.screen.feed(&buffer[..count]).replies;
        self.master.write_all(&replies).expect("the program reads");
        true
    }

    /// One key, or one text, as one write.
    pub fn key(&mut self, bytes: &str) {
        // A dialog drops keys for 140 ms after it is drawn, and says nothing when that is over.
        let heard = Instant::now() + Duration::from_millis(250);
        while self.pump(heard) {}
        thread::sleep(heard.saturating_duration_since(Instant::now()));
        self.master.write_all(bytes.as_bytes()).expect("the program reads");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
