//! Standard input of `counsel exec`, passed on to the program: as pastes, whose control characters cannot act, and its end
//! as ctrl-d.
//!
//! What comes from a file or a pipe is not echoed by the program's terminal; what a person types is echoed by it alone.

use std::fs::OpenOptions;
use std::io::{IsTerminal, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use nix::libc;
use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};
use nix::unistd::{getpgrp, tcgetpgrp};

use crate::core::terminal::keys::{Input, KeyPress};
use crate::os::interrupt::TerminalMode;
use crate::wire::Request;

use super::super::failure::Failure;
use super::super::link::{Global, Server};

/// One piece: what a terminal takes at once.
const PIECE: usize = 4096;

/// Passes on what comes, from a thread of its own, until this process ends. What is returned gives a person's terminal its
/// echo back.
pub fn pass_on(global: &Global, server: &mut Server, name: &str) -> Result<Option<TerminalMode>, Failure> {
    let stdin = std::io::stdin();
    let person = stdin.is_terminal();
    if person && tcgetpgrp(&stdin).ok() != Some(getpgrp()) {
        // In the background the terminal is not ours to read.
        return Ok(None);
    }
    let mode = if person { TerminalMode::without_echo() } else { None };
    if !person {
        let pid = server.agent(name)?.pid;
        // Without it the input shows in the output, which is no more than untidy.
        let _ = pid.map(silence);
    }
    let (mut line, name) = (global.server()?, name.to_owned());
    std::thread::spawn(move || {
        let mut send = |input: Input| {
            let request = Request::Send { name: name.clone(), input: vec![input], enter: false };
            line.tell(request).is_ok()
        };
        let (mut rest, mut piece, mut open_line) = (Vec::new(), [0; PIECE], false);
        loop {
            let count = match std::io::stdin().lock().read(&mut piece) {
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => 0,
            };
            if count == 0 {
                break;
            }
            rest.extend_from_slice(&piece[..count]);
            let text = whole_characters(&mut rest);
            open_line = !text.ends_with('\n');
            if !text.is_empty() && !send(Input::Paste(text)) {
                // It has ended, and wants no more.
                return;
            }
        }
        // A line that was not ended is handed over by the first, as with a keyboard.
        for _ in 0..=usize::from(open_line) {
            send(Input::Key(KeyPress::ctrl('d')));
        }
    });
    Ok(mode)
}

/// Takes the text off the front; the beginning of a character stays for the next piece.
fn whole_characters(bytes: &mut Vec<u8>) -> String {
    let whole = match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Ok(_) | Err(_) => bytes.len(),
    };
    let rest = bytes.split_off(whole);
    String::from_utf8_lossy(&std::mem::replace(bytes, rest)).into_owned()
}

/// Switches off the echo of the terminal that this program runs on.
fn silence(pid: u32) -> Option<()> {
    let terminal = std::fs::read_link(PathBuf::from(format!("/proc/{pid}/fd/0"))).ok()?;
    if !terminal.starts_with("/dev/pts") {
        return None;
    }
    let terminal =
        OpenOptions::new().read(true).write(true).custom_flags(libc::O_NOCTTY).open(terminal).ok()?;
    let mut mode = tcgetattr(&terminal).ok()?;
    mode.local_flags.remove(LocalFlags::ECHO);
    tcsetattr(&terminal, SetArg::TCSANOW, &mode).ok()
}

#[cfg(test)]
mod tests {
    use super::whole_characters;

    #[test]
    fn a_character_cut_in_two_waits_for_its_end() {
        let mut bytes = "a漢".as_bytes()[..3].to_vec();
        assert_eq!(whole_characters(&mut bytes), "a");
        bytes.extend(&"漢".as_bytes()[2..]);
        assert_eq!((whole_characters(&mut bytes), bytes.len()), ("漢".to_owned(), 0));
        assert_eq!(whole_characters(&mut b"\xffz".to_vec()), "\u{fffd}z");
    }
}
