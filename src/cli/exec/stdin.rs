//! Standard input of `counsel exec`, passed on to the program: text as pastes, whose control characters cannot act, what is
//! no text byte by byte as it is, and its end as ctrl-d.
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
        let mut send = |input: Vec<Input>| {
            let request = Request::Send { name: name.clone(), input, enter: false };
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
            let bytes = whole_characters(&mut rest);
            open_line = bytes.last() != Some(&b'\n');
            if !bytes.is_empty() && !send(inputs(&bytes)) {
                // It has ended, and wants no more.
                return;
            }
        }
        if !rest.is_empty() {
            // The beginning of a character, and no end of it.
            open_line = true;
            send(inputs(&rest));
        }
        // A line that was not ended is handed over by the first, as with a keyboard.
        for _ in 0..=usize::from(open_line) {
            send(vec![Input::Key(KeyPress::ctrl('d'))]);
        }
    });
    Ok(mode)
}

/// Takes off the front what is whole; the beginning of a character stays for the next piece.
fn whole_characters(bytes: &mut Vec<u8>) -> Vec<u8> {
    let cut = bytes.utf8_chunks().last().map_or(0, |chunk| unended(chunk.invalid()));
    let rest = bytes.split_off(bytes.len() - cut);
    std::mem::replace(bytes, rest)
}

/// How many of these last bytes may be the beginning of a character whose end is still to come.
fn unended(invalid: &[u8]) -> usize {
    let begun = std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
    if begun { invalid.len() } else { 0 }
}

/// Text as pastes, and between them the bytes that are no text. Those are all above ASCII, where no terminal has a key.
fn inputs(bytes: &[u8]) -> Vec<Input> {
    let mut inputs = Vec::new();
    for chunk in bytes.utf8_chunks() {
        if !chunk.valid().is_empty() {
            inputs.push(Input::Paste(chunk.valid().to_owned()));
        }
        if !chunk.invalid().is_empty() {
            inputs.push(Input::Raw(chunk.invalid().to_vec()));
        }
    }
    inputs
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
    use super::{inputs, whole_characters};
    use crate::core::terminal::keys::Input;

    #[test]
    fn a_character_cut_in_two_waits_for_its_end() {
        let mut bytes = "a漢".as_bytes()[..3].to_vec();
        assert_eq!(whole_characters(&mut bytes), b"a");
        bytes.extend(&"漢".as_bytes()[2..]);
        assert_eq!((whole_characters(&mut bytes), bytes.len()), ("漢".into(), 0));
        assert_eq!(whole_characters(&mut b"\xffz".to_vec()), b"\xffz");
    }

    /// A file in Latin-1 arrived with a replacement character in the place of each letter above ASCII.
    #[test]
    fn bytes_that_are_no_text_stay_what_they_are() {
        assert_eq!(
            inputs(b"caf\xe9\nb"),
            [Input::Paste("caf".into()), Input::Raw(vec![0xe9]), Input::Paste("\nb".into())]
        );
    }
}
