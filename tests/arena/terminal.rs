//! A fake agent's side of its terminal. The test program around it prints to standard output, which is put
//! away first: an agent's screen shows what the agent draws and nothing else.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::time::Duration;

use counsel::core::terminal::grid::Size;
use crossterm::terminal;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::dup2_stdout;

pub struct Terminal(File);

pub enum Heard {
    Bytes(Vec<u8>),
    Nothing,
    HungUp,
}

impl Terminal {
    pub fn raw() -> Terminal {
        let out = File::from(io::stdout().as_fd().try_clone_to_owned().unwrap());
        dup2_stdout(File::options().write(true).open("/dev/null").unwrap()).unwrap();
        terminal::enable_raw_mode().unwrap();
        Terminal(out)
    }

    pub fn put(&mut self, text: &str) {
        // A terminal that is gone is seen by the next read.
        let _ = self.0.write_all(text.as_bytes());
    }

    pub fn size(&self) -> Size {
        terminal::size().map_or(Size::FALLBACK, |(cols, rows)| Size::new(cols, rows)).clamped()
    }

    /// One read is one batch.
    pub fn hear(&self, ms: u64) -> Heard {
        let stdin = io::stdin();
        let mut fds = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        let timeout = PollTimeout::try_from(Duration::from_millis(ms)).unwrap();
        match poll(&mut fds, timeout) {
            Ok(0) | Err(nix::errno::Errno::EINTR) => return Heard::Nothing,
            Ok(_) => {}
            Err(_) => return Heard::HungUp,
        }
        let mut buffer = [0; 4096];
        let mut input = File::from(stdin.as_fd().try_clone_to_owned().unwrap());
        match input.read(&mut buffer) {
            Ok(0) | Err(_) => Heard::HungUp,
            Ok(count) => Heard::Bytes(buffer[..count].to_vec()),
        }
    }
}
