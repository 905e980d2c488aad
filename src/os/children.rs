//! SIGCHLD as every program of counsel needs it.
//!
//! `main` asks for it before anything else. A parent that ignores SIGCHLD hands that on, and then the kernel keeps no exit
//! status of a child: whoever waits for one is told that there is no such child (wait(2), "Notes").

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// The end of a child is to be heard of again.
pub fn hear() {
    let usual = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    // SAFETY: the default action of this signal is to do nothing, and no handler of ours is set yet.
    let _ = unsafe { sigaction(Signal::SIGCHLD, &usual) };
}
