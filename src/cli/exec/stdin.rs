//! Standard input of `counsel exec`, passed on to the program.
//!
//! A person's keys go to the program's terminal as they were typed, each line's end as Enter and the end of all as ctrl-d;
//! that terminal alone echoes them. A file or a pipe is the program's standard input itself, by a pipe, byte for byte: a
//! terminal cuts long lines, acts on control characters, and takes no more than it is read.

use std::io::{IsTerminal, Read};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use nix::sys::stat::fstat;
use nix::unistd::{getpgrp, tcgetpgrp};

use crate::core::terminal::keys::{Input, KeyPress};
use crate::os::input_pipe::InputPipe;
use crate::os::interrupt::TerminalMode;
use crate::wire::Request;

use super::super::failure::Failure;
use super::super::link::{Global, Server};

/// One piece: what a terminal, or a pipe, takes at once.
const PIECE: usize = 4096;

/// Where the program's input comes from.
#[derive(Debug)]
pub enum Source {
    /// A person types it.
    Keys,
    /// A file, a pipe.
    Data(InputPipe),
    /// There is none: what it reads from its terminal is at its end.
    Nothing,
    /// In the background the terminal is not ours to read.
    Background,
}

impl Source {
    pub fn find() -> Result<Source, Failure> {
        let stdin = std::io::stdin();
        if stdin.is_terminal() {
            let ours = tcgetpgrp(&stdin).ok() == Some(getpgrp());
            return Ok(if ours { Source::Keys } else { Source::Background });
        }
        let null = std::fs::metadata("/dev/null").map(|null| null.rdev());
        match (fstat(&stdin), null) {
            (Ok(stdin), Ok(null)) if stdin.st_rdev == null => Ok(Source::Nothing),
            (Err(_), _) => Ok(Source::Nothing),
            (Ok(_), _) => InputPipe::new()
                .map(Source::Data)
                .map_err(|error| format!("no pipe for its standard input: {error}").into()),
        }
    }

    /// What the program's keeper opens.
    pub fn path(&self) -> Option<PathBuf> {
        if let Source::Data(pipe) = self { Some(pipe.path().to_path_buf()) } else { None }
    }

    /// Passes on what comes, from a thread of its own, until this process ends. What is returned gives a person's terminal
    /// its echo back.
    pub fn pass_on(self, global: &Global, name: &str) -> Result<Option<TerminalMode>, Failure> {
        match self {
            Source::Keys => {
                let mode = TerminalMode::without_echo();
                let (global, name) = (global.clone(), name.to_owned());
                let mut line = global.server()?;
                let mut hand_over = move |input: Vec<Input>| {
                    let done = send(&mut line, &name, input.clone());
                    if !done.as_ref().is_err_and(|failure| failure.hung_up) {
                        return done.is_ok();
                    }
                    let untyped = line.connection.types_no_more();
                    let next = global.with_agent(&name);
                    next.is_ok_and(|next| {
                        line = next;
                        // What may have been typed by a server that died over it is not typed twice.
                        !untyped || send(&mut line, &name, input).is_ok()
                    })
                };
                beside(move || type_keys(&mut hand_over))?;
                Ok(mode)
            }
            Source::Data(pipe) => {
                let mut writer = pipe
                    .writer()
                    .map_err(|error| format!("its standard input cannot be written: {error}"))?;
                drop(pipe);
                // A program that wants no more has closed its end; a file that cannot be read has ended.
                beside(move || drop(std::io::copy(&mut std::io::stdin().lock(), &mut writer)))?;
                Ok(None)
            }
            Source::Nothing => {
                // It may have ended already.
                let _ = send(&mut global.server()?, name, vec![Input::Key(KeyPress::ctrl('d'))]);
                Ok(None)
            }
            Source::Background => Ok(None),
        }
    }
}

fn send(line: &mut Server, name: &str, input: Vec<Input>) -> Result<(), Failure> {
    line.tell(Request::Send { name: name.to_owned(), input, enter: false })
}

/// `hand_over` says whether it was taken.
fn type_keys(hand_over: &mut impl FnMut(Vec<Input>) -> bool) {
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
        if !bytes.is_empty() && !hand_over(inputs(&bytes)) {
            // It has ended, and wants no more.
            return;
        }
    }
    if !rest.is_empty() {
        // The beginning of a character, and no end of it.
        open_line = true;
        hand_over(inputs(&rest));
    }
    // A line that was not ended is handed over by the first, as with a keyboard.
    for _ in 0..=usize::from(open_line) {
        hand_over(vec![Input::Key(KeyPress::ctrl('d'))]);
    }
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

/// Text as it was typed, and between it the bytes that are no text. Those are all above ASCII, where no terminal has a key.
/// It is no paste: to a program that tells the two apart, the Enter of one is a line feed in it.
fn inputs(bytes: &[u8]) -> Vec<Input> {
    let mut inputs = Vec::new();
    for chunk in bytes.utf8_chunks() {
        if !chunk.valid().is_empty() {
            inputs.push(Input::Text(chunk.valid().to_owned()));
        }
        if !chunk.invalid().is_empty() {
            inputs.push(Input::Raw(chunk.invalid().to_vec()));
        }
    }
    inputs
}

/// On a thread of its own.
fn beside(work: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    let begun = std::thread::Builder::new().spawn(work);
    begun.map(drop).map_err(|error| format!("its standard input cannot be passed on: {error}").into())
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

    #[test]
    fn bytes_that_are_no_text_stay_what_they_are() {
        assert_eq!(
            inputs(b"caf\xe9\nb"),
            [Input::Text("caf".into()), Input::Raw(vec![0xe9]), Input::Text("\nb".into())]
        );
    }
}
