//! Being stopped and going on, as a shell's ctrl-z and `fg` do it to whoever has its terminal.
//!
//! Dashboard and attach wait for it beside everything else: they give the terminal back before they stop, and take it again
//! when they go on. Nothing here touches the terminal.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, killpg, raise, sigaction};
use nix::unistd::{getpgrp, tcgetpgrp};

use super::interrupt;
use super::poll::Signals;

/// Whether the terminal on standard input is ours to read: in the background it is somebody else's.
pub fn is_in_front() -> bool {
    tcgetpgrp(io::stdin()).ok() == Some(getpgrp())
}

/// Who stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// This process, as whoever sent it the signal wanted.
    Us,
    /// The job that the shell knows, whatever it began with: stopped alone we would leave it waiting in front of the shell.
    OurJob,
}

#[derive(Debug)]
pub struct JobControl {
    /// `None`: whoever started us has us ignore it.
    stops: Option<Signals>,
    goes_on: Signals,
}

impl JobControl {
    /// From here on nobody stops us but by `stop`, and SIGSTOP.
    pub fn listen() -> io::Result<JobControl> {
        let stops = (!interrupt::ignored(Signal::SIGTSTP)).then(|| Signals::listen(&[Signal::SIGTSTP]));
        Ok(JobControl { stops: stops.transpose()?, goes_on: Signals::listen(&[Signal::SIGCONT])? })
    }

    /// Where it is told that we are to stop, and that we go on.
    pub fn fds(&self) -> (BorrowedFd<'_>, BorrowedFd<'_>) {
        let goes_on = self.goes_on.as_fd();
        (self.stops.as_ref().map_or(goes_on, Signals::as_fd), goes_on)
    }

    /// Whether somebody wants us to stop.
    pub fn is_to_stop(&self) -> bool {
        self.stops.as_ref().is_some_and(Signals::take)
    }

    /// Whether we go on after a stop that nobody asked us for.
    pub fn went_on(&self) -> bool {
        self.goes_on.take()
    }

    /// Stops, and returns when we go on. `false`: nobody would ever have let us go on, since no shell started us, and the
    /// kernel stops no such process.
    pub fn stop(&self, who: Who) -> io::Result<bool> {
        self.goes_on.take();
        let usual = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
        // SAFETY: the default handler runs no code of ours, and the former one is put back below.
        let ours = unsafe { sigaction(Signal::SIGTSTP, &usual) }?;
        let stopped = match who {
            Who::Us => raise(Signal::SIGTSTP),
            Who::OurJob => killpg(getpgrp(), Signal::SIGTSTP),
        };
        // SAFETY: as it was.
        unsafe { sigaction(Signal::SIGTSTP, &ours) }?;
        stopped?;
        if let Some(stops) = &self.stops {
            stops.take();
        }
        Ok(self.goes_on.take())
    }
}
