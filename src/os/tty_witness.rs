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
mod executable;
mod flags;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod linux;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod processes;

use std::os::fd::AsFd;
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
use std::path::Path;

use nix::sys::termios::{InputFlags, LocalFlags, SpecialCharacterIndices, Termios, tcgetattr};

use crate::core::detect::front::{Front, Started};
use crate::core::detect::witness::{Blind, Reader, Witness};
use crate::core::tmux::PaneTty;
pub use flags::flags;
use flags::open;

/// Who would take a key that is typed into the terminal of which this is the master.
pub fn front(master: &impl AsFd, agent: &Started) -> Front {
    match remaps(master) {
        true => Front::Remapped,
        false if agent.profile.any_program => Front::Unseen,
        false => linux_front(master, agent),
    }
}

/// The same of a pane.
pub fn front_of_pane(pane: &PaneTty, agent: &Started) -> Front {
    if let Some(other) = instead(pane) {
        return Front::Other(other);
    }
    match open(&pane.path).is_some_and(|terminal| remaps(&terminal)) {
        true => Front::Remapped,
        false if agent.profile.any_program => Front::Unseen,
        false => linux_front_of_pane(&pane.path, pane.leader, agent),
    }
}

/// The program that has an adopted one's terminal in its place: the shell it was sent to the background of, or another job.
pub fn instead(pane: &PaneTty) -> Option<String> {
    processes::in_front_of(pane.program?, pane.leader)
}

/// Characters that a terminal acts upon instead of handing them over, once it is told which.
const SPECIAL: [SpecialCharacterIndices; 13] = [
    SpecialCharacterIndices::VINTR,
    SpecialCharacterIndices::VQUIT,
    SpecialCharacterIndices::VSUSP,
    SpecialCharacterIndices::VEOF,
    SpecialCharacterIndices::VEOL,
    SpecialCharacterIndices::VEOL2,
    SpecialCharacterIndices::VERASE,
    SpecialCharacterIndices::VKILL,
    SpecialCharacterIndices::VWERASE,
    SpecialCharacterIndices::VLNEXT,
    SpecialCharacterIndices::VREPRINT,
    SpecialCharacterIndices::VSTART,
    SpecialCharacterIndices::VSTOP,
];

/// Whether what is typed there would become something else: a letter or Return a signal, an erasure, an end of file, a capital a
/// small letter; or whether what takes a line back does not. A terminal whose lines are made elsewhere (`EXTPROC`) hands each
/// letter over by itself.
fn remaps(terminal: &impl AsFd) -> bool {
    let Ok(termios) = tcgetattr(terminal) else { return false };
    let acts = LocalFlags::ISIG | LocalFlags::ICANON | LocalFlags::IEXTEN;
    let flow = termios.input_flags.contains(InputFlags::IXON);
    // In raw mode VEOF and VEOL hold a count and a time.
    let line = termios.local_flags.contains(LocalFlags::ICANON);
    let counts = [SpecialCharacterIndices::VEOF, SpecialCharacterIndices::VEOL];
    let typed = |byte: u8| matches!(byte, b'\r' | b'\n' | b' '..=b'~') || (0x80..0xff).contains(&byte);
    let special = SPECIAL.iter().filter(|at| line || !counts.contains(at));
    let letter = special.into_iter().any(|at| typed(termios.control_chars[*at as usize]));
    #[cfg(target_os = "linux")]
    if termios.input_flags.contains(InputFlags::IUCLC) {
        return true;
    }
    if termios.local_flags.contains(LocalFlags::EXTPROC) {
        return true;
    }
    if line && !edits_as_usual(&termios) {
        return true;
    }
    let changed = InputFlags::IGNCR | InputFlags::INLCR | InputFlags::ISTRIP;
    let returns = termios.input_flags.intersects(changed) || !termios.input_flags.contains(InputFlags::ICRNL);
    (letter && (termios.local_flags.intersects(acts) || flow)) || (line && returns)
}

/// Whether a line is taken back, given up and ended by the keys that everybody knows: what is left in it is known by them.
fn edits_as_usual(termios: &Termios) -> bool {
    let usual = [
        (SpecialCharacterIndices::VINTR, 0x03),
        (SpecialCharacterIndices::VEOF, 0x04),
        (SpecialCharacterIndices::VERASE, 0x7f),
        (SpecialCharacterIndices::VKILL, 0x15),
        (SpecialCharacterIndices::VWERASE, 0x17),
    ];
    let acts = termios.local_flags.contains(LocalFlags::ISIG | LocalFlags::IEXTEN);
    acts && usual.iter().all(|(at, byte)| termios.control_chars[*at as usize] == *byte)
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
use linux::{
    front as linux_front, front_of_pane as linux_front_of_pane, look as linux_look,
    look_at_pane as linux_look_at_pane,
};

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn linux_look(_: &impl AsFd) -> Reader {
    Reader::Unknown(Blind::Unsupported)
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn linux_front(_: &impl AsFd, _: &Started) -> Front {
    Front::Unseen
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn linux_front_of_pane(_: &Path, _: u32, _: &Started) -> Front {
    Front::Unseen
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn linux_look_at_pane(_: &Path, _: u32) -> (Option<(bool, bool)>, Reader) {
    (None, Reader::Unknown(Blind::Unsupported))
}

#[cfg(test)]
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "tty_witness_tests.rs"]
mod tests;
