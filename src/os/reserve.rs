//! Descriptors kept aside, so that whoever uses up all others keeps no person out.
//!
//! The server holds one from its start. What it does to learn who somebody is goes on by it when the process,
//! or the machine, has no descriptor left.

use std::fs::File;
use std::io;
use std::sync::{Mutex, PoisonError};

use nix::libc;

/// Enough to accept somebody, hold a handle of that process, and read one file of `/proc` at a time.
const KEPT: usize = 4;

#[derive(Debug, Default)]
pub struct Reserve {
    spare: Mutex<Vec<File>>,
}

impl Reserve {
    pub fn new() -> Reserve {
        let reserve = Reserve::default();
        reserve.refill();
        reserve
    }

    /// Does it, and once more with the reserve given up if no descriptor was left.
    pub fn lend<T>(&self, act: impl Fn() -> io::Result<T>) -> io::Result<T> {
        match act() {
            Err(error) if is_exhausted(&error) => {}
            done => return done,
        }
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let done = act();
        self.refill();
        done
    }

    /// Whether nothing of it is lent: there are descriptors for everybody.
    pub fn is_whole(&self) -> bool {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).len() >= KEPT
    }

    /// Takes back what was lent, as far as there is any.
    pub fn refill(&self) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        while spare.len() < KEPT {
            let Ok(file) = File::open("/dev/null") else { return };
            spare.push(file);
        }
    }
}

fn is_exhausted(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}
