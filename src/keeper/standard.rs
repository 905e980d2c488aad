//! The keeper's own standard descriptors: its spawner's until it is ready, or the agent's in a pane, and nobody's then.
//!
//! Both ways of starting call it. A pipe or a terminal that stays open here never ends for whoever waits for its end.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use nix::errno::Errno;
use nix::libc;

const STANDARD: [i32; 3] = [0, 1, 2];

/// Puts nothing in their places.
///
/// # Errors
/// The system's.
pub fn give_up() -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    for fd in STANDARD {
        // SAFETY: the three standard descriptors are replaced as a whole; `null` outlives the call.
        Errno::result(unsafe { libc::dup2(null.as_raw_fd(), fd) })?;
    }
    Ok(())
}
