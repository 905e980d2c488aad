//! The process that an agent is to end with, where no server looks after it.
//!
//! A server that runs orders the stop itself. The keeper ends the agent only while nobody is on the line: whoever had it run may
//! have been killed together with the server, and no next one may ever come.

use std::os::fd::{AsFd, OwnedFd};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::core::agent::Tie;
use crate::os::tie::{Found, find};

/// That process, as long as it is to be looked after.
#[derive(Debug)]
pub(super) enum Tied {
    /// It becomes readable when the process has ended.
    To(OwnedFd),
    Cut,
}

impl Tied {
    pub(super) fn to(tie: Option<Tie>) -> Option<Tied> {
        match find(tie?) {
            Found::Here(handle) => Some(Tied::To(handle)),
            Found::Ended => Some(Tied::Cut),
            Found::Untold => None,
        }
    }

    pub(super) fn poll_fd(&self) -> Option<PollFd<'_>> {
        match self {
            Tied::To(handle) => Some(PollFd::new(handle.as_fd(), PollFlags::POLLIN)),
            Tied::Cut => None,
        }
    }

    pub(super) fn is_cut(&self) -> bool {
        self.poll_fd().is_none_or(|fd| matches!(poll(&mut [fd], PollTimeout::ZERO), Ok(1..)))
    }
}
