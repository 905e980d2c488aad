//! The terminal behind a pane: whether it collects lines, which tmux does not tell.
//!
//! It is opened for a moment each time: held open, its end would not be seen when the program goes.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use crate::os::pty;
use crate::os::tmux::Seat;

/// Where a pane's terminal is, if that could be found out.
#[derive(Debug, Default)]
pub struct Line(Option<PathBuf>);

impl Line {
    pub async fn of(seat: &Seat) -> Line {
        let seat = seat.clone();
        let asked = move || seat.tmux.terminal(seat.pane);
        Line(tokio::task::spawn_blocking(asked).await.ok().flatten())
    }

    pub fn is_canonical(&self) -> bool {
        let flags = nix::libc::O_NOCTTY | nix::libc::O_NONBLOCK;
        let open = |path| OpenOptions::new().read(true).custom_flags(flags).open(path).ok();
        self.0.as_ref().and_then(open).is_some_and(|terminal| pty::is_canonical(&terminal))
    }
}
