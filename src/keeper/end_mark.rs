//! The mark in a pane of tmux behind the last byte of an agent: the server that reads through tmux sees no end otherwise.
//!
//! The loop writes it once the agent has ended. It waits for room in the terminal, and never for ever.

use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::core::tmux::END_OF_OUTPUT;

/// How long the end of the output may wait for room in the terminal: longer only if tmux has stopped.
const MARK_PATIENCE: Duration = Duration::from_secs(2);

/// Says in the terminal that what the agent wrote ends here, for the server that reads it through tmux.
pub fn write(terminal: &OwnedFd) {
    let until = Instant::now() + MARK_PATIENCE;
    let mut rest = END_OF_OUTPUT;
    while !rest.is_empty() {
        match nix::unistd::write(terminal, rest) {
            Ok(count) => rest = &rest[count..],
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => {
                let left = until.saturating_duration_since(Instant::now());
                let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
                let room = poll(&mut [PollFd::new(terminal.as_fd(), PollFlags::POLLOUT)], timeout);
                if left.is_zero() || matches!(room, Ok(0)) {
                    return;
                }
            }
            // tmux has closed it: nobody reads any more.
            Err(_) => return,
        }
    }
}
