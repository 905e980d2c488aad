//! The terminal behind a pane: where it is, and whether it collects lines, which tmux does not tell.
//!
//! It is opened for a moment each time: held open, its end would not be seen when the program goes.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;

use crate::core::tmux::PaneTty;
use crate::os::pty;
use crate::os::tmux::Seat;

/// Where a pane's terminal is, if that could be found out.
pub async fn of(seat: &Seat) -> Option<PaneTty> {
    let seat = seat.clone();
    let asked = move || seat.tmux.terminal(seat.pane);
    let (path, leader) = tokio::task::spawn_blocking(asked).await.ok().flatten()?;
    Some(PaneTty { path, leader, program: None })
}

pub fn is_canonical(line: Option<&PaneTty>) -> bool {
    let flags = nix::libc::O_NOCTTY | nix::libc::O_NONBLOCK;
    let open = |tty: &PaneTty| OpenOptions::new().read(true).custom_flags(flags).open(&tty.path).ok();
    line.and_then(open).is_some_and(|terminal| pty::is_canonical(&terminal))
}
