//! Standard input of `counsel exec`, passed on to the program.
//!
//! A person's keys go to the program's terminal as they are pressed (`keys.rs`). A file or a pipe is the program's standard input
//! itself, by a pipe, byte for byte: a terminal cuts long lines, acts on control characters, and takes no more than it is read.

use std::io::IsTerminal;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use nix::sys::stat::fstat;

use crate::core::terminal::keys::{Input, KeyPress};
use crate::os::input_pipe::InputPipe;
use crate::os::job_control::is_in_front;
use crate::wire::Request;

use super::super::failure::Failure;
use super::super::link::Global;
use super::keys::{Keyboard, Taken};

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
            return Ok(if is_in_front() { Source::Keys } else { Source::Background });
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

    /// Passes on what comes, from a thread of its own, until this process ends. What is returned gives a person's terminal back
    /// as it was. `as_printed`: the program's control sequences reach that terminal.
    pub fn pass_on(self, global: &Global, name: &str, as_printed: bool) -> Result<Option<Taken>, Failure> {
        match self {
            Source::Keys => {
                let taken = Taken::now(as_printed);
                let keyboard = Keyboard::new(global, name, &taken)?;
                beside(move || keyboard.pass_on())?;
                Ok(Some(taken))
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
                let end = vec![Input::Key(KeyPress::ctrl('d'))];
                // It may have ended already.
                let _ =
                    global.server()?.tell(Request::Send { name: name.to_owned(), input: end, enter: false });
                Ok(None)
            }
            Source::Background => Ok(None),
        }
    }
}

/// On a thread of its own.
fn beside(work: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    let begun = std::thread::Builder::new().spawn(work);
    begun.map(drop).map_err(|error| format!("its standard input cannot be passed on: {error}").into())
}
