//! Who reads a terminal: looks through `/proc` at the programs in its foreground.
//!
//! Whoever holds the terminal's master calls `look` when a prompt is suspected; for a pane of a tmux server,
//! `look_at_pane`. No right but that of an ancestor or of the same user is needed, nothing is attached to, and
//! nothing changes for the programs. It judges no screen: `core/detect/witness.rs` says what the result means.

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod background;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod blocked;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod linux;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod processes;

use std::os::fd::AsFd;

use nix::sys::termios::{LocalFlags, Termios, tcgetattr};

use crate::core::detect::witness::{Blind, Reader, Witness};
use crate::core::tmux::PaneTty;

/// The terminal's flags alone, as (canonical, echo): one system call. None once the terminal is gone.
pub fn flags(terminal: &impl AsFd) -> Option<(bool, bool)> {
    tcgetattr(terminal).ok().map(|termios| modes(&termios))
}

fn modes(termios: &Termios) -> (bool, bool) {
    (termios.local_flags.contains(LocalFlags::ICANON), termios.local_flags.contains(LocalFlags::ECHO))
}

/// Who reads the terminal of which this is the master.
pub fn look(master: &impl AsFd) -> Witness {
    // The flags are read first: a program switches echo off before it asks.
    let flags = flags(master);
    with(flags, linux_look(master))
}

/// The same for a terminal that another program is the master of.
pub fn look_at_pane(pane: &PaneTty) -> Witness {
    let (flags, reader) = linux_look_at_pane(&pane.path, pane.leader);
    with(flags, reader)
}

fn with(flags: Option<(bool, bool)>, reader: Reader) -> Witness {
    match flags {
        Some((canonical, echo)) => Witness { reader, canonical, echo },
        None => Witness { reader: Reader::Unknown(Blind::NoForeground), canonical: false, echo: false },
    }
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
use linux::{look as linux_look, look_at_pane as linux_look_at_pane};

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn linux_look(_: &impl AsFd) -> Reader {
    Reader::Unknown(Blind::Unsupported)
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn linux_look_at_pane(_: &std::path::Path, _: u32) -> (Option<(bool, bool)>, Reader) {
    (None, Reader::Unknown(Blind::Unsupported))
}

#[cfg(test)]
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "tty_witness_tests.rs"]
mod tests;
