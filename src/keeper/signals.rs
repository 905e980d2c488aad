//! Signals to the keeper, as bytes in a pipe that its loop can poll.
//!
//! Keyboard and job-control signals are not for the keeper and are ignored; the agent gets its own
//! defaults back before it is executed.

use std::os::fd::{IntoRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, Ordering};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::libc::c_int;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// These wake the loop.
const HEARD: [Signal; 3] = [Signal::SIGCHLD, Signal::SIGTERM, Signal::SIGHUP];
/// These would end or stop the keeper where they are not meant for it.
const IGNORED: [Signal; 9] = [
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTSTP,
    Signal::SIGTTIN,
    Signal::SIGTTOU,
    Signal::SIGPIPE,
    Signal::SIGALRM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
];

/// The writing end, for the handler. A handler can reach nothing but a static.
static WRITER: AtomicI32 = AtomicI32::new(-1);

#[derive(Debug)]
pub struct Signals {
    pub pipe: OwnedFd,
}

/// Installs the handlers for the rest of the process's life.
pub fn install() -> nix::Result<Signals> {
    let (pipe, writer) = nix::unistd::pipe()?;
    for end in [&pipe, &writer] {
        fcntl(end, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
        fcntl(end, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    }
    WRITER.store(writer.into_raw_fd(), Ordering::Relaxed);
    let ignore = SigAction::new(SigHandler::SigIgn, SaFlags::empty(), SigSet::empty());
    let note = SigAction::new(SigHandler::Handler(note), SaFlags::SA_RESTART, SigSet::empty());
    for (signals, action) in [(&IGNORED[..], ignore), (&HEARD[..], note)] {
        for signal in signals {
            // SAFETY: `note` makes async-signal-safe calls only.
            unsafe { sigaction(*signal, &action) }?;
        }
    }
    // A spawner may have had some of them blocked.
    SigSet::empty().thread_set_mask()?;
    Ok(Signals { pipe })
}

extern "C" fn note(signal: c_int) {
    let before = Errno::last_raw();
    let byte = [u8::try_from(signal).unwrap_or(0)];
    // SAFETY: write is async-signal-safe. A full pipe loses the byte but still wakes the loop.
    unsafe { nix::libc::write(WRITER.load(Ordering::Relaxed), byte.as_ptr().cast(), 1) };
    Errno::set_raw(before);
}

impl Signals {
    /// Empties the pipe; true if somebody wants the keeper to end. A child's change needs no word: the
    /// loop looks at its children on every turn.
    pub fn take_end(&self) -> bool {
        let mut end = false;
        let mut buffer = [0; 64];
        while let Ok(n @ 1..) = nix::unistd::read(&self.pipe, &mut buffer) {
            end |= buffer[..n].iter().any(|byte| i32::from(*byte) != Signal::SIGCHLD as i32);
        }
        end
    }
}
