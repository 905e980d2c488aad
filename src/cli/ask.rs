//! Asking a person who sits at the terminal.

use std::io::{self, BufRead, IsTerminal, Write};
use std::os::fd::AsFd;
use std::time::Duration;

use nix::sys::signal::Signal;
use nix::sys::termios::{FlushArg, tcflush};

use crate::os::job_control::is_in_front;
use crate::os::poll::{Signals, Want, wait};

/// Nothing is due: what is typed, or a signal, ends the wait.
const IDLE: Duration = Duration::from_secs(3_600);

/// Writes the question and reads the line that answers it, without its blanks. What was typed before is no answer to what was not
/// to be seen yet, and is thrown away.
///
/// # Errors
/// The question cannot be written, or no answer read.
pub fn answer(question: &str, mut out: impl Write) -> io::Result<String> {
    // What is no terminal has nothing of that kind.
    let _ = tcflush(io::stdin(), FlushArg::TCIFLUSH);
    let went_on = Signals::listen(&[Signal::SIGCONT])?;
    write(question, &mut out)?;
    while io::stdin().is_terminal() {
        let stdin = io::stdin();
        // What is typed while we are in the background is for whoever is in front.
        let keys = if is_in_front() { stdin.as_fd() } else { went_on.as_fd() };
        let [typed, on] = wait([(keys, Want::ToRead), (went_on.as_fd(), Want::ToRead)], IDLE)?;
        if on.to_read && went_on.take() {
            // A shell has had the terminal meanwhile, and has written behind the question.
            if is_in_front() {
                write(question, &mut out)?;
            }
        } else if typed.to_read {
            break;
        }
    }
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim().to_owned())
}

fn write(question: &str, out: &mut impl Write) -> io::Result<()> {
    out.write_all(question.as_bytes())?;
    out.flush()
}
