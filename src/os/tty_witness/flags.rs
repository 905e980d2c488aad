//! A terminal's flags, and the terminal behind a path.
//!
//! `tty_witness.rs` and what it looks through ask for them. Nothing is changed by a look.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::sys::termios::{LocalFlags, Termios, tcgetattr};

/// The terminal's flags alone, as (canonical, echo): one system call. None once the terminal is gone.
pub fn flags(terminal: &impl AsFd) -> Option<(bool, bool)> {
    tcgetattr(terminal).ok().map(|termios| modes(&termios))
}

/// Those flags of what was read already.
pub fn modes(termios: &Termios) -> (bool, bool) {
    (termios.local_flags.contains(LocalFlags::ICANON), termios.local_flags.contains(LocalFlags::ECHO))
}

/// The terminal behind a path, for a moment.
pub fn open(path: &Path) -> Option<File> {
    let mut options = File::options();
    options.read(true).custom_flags(nix::libc::O_NOCTTY | nix::libc::O_NONBLOCK);
    options.open(path).ok()
}
