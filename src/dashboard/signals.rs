//! Signals that end or stop a client which has the terminal. Dashboard and attach wait for them beside everything else.

use std::os::fd::{AsFd, BorrowedFd};

use crate::os::interrupt::{self, Deferred, ENDING};
use crate::os::job_control::JobControl;
use crate::os::poll::Signals;

/// Signals that end us; the terminal is given back first. It is kept for as long as we have the terminal.
#[derive(Debug)]
pub struct Ends {
    signals: Signals,
    job: JobControl,
    _deferred: Deferred,
}

impl Ends {
    pub fn new() -> Result<Ends, String> {
        let failed = |error| format!("could not listen for signals: {error}");
        let signals = Signals::listen(&ENDING).map_err(failed)?;
        let job = JobControl::listen().map_err(failed)?;
        // Now that we listen: at no time does a signal go by unseen.
        Ok(Ends { signals, job, _deferred: interrupt::defer() })
    }

    pub fn job(&self) -> &JobControl {
        &self.job
    }

    /// Whether one of them has come since this was asked last.
    pub fn came(&self) -> bool {
        self.signals.take()
    }
}

impl AsFd for Ends {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.signals.as_fd()
    }
}
