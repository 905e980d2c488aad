//! Asking a person who sits at the terminal.

use std::io::{self, BufRead, Write};

use nix::sys::termios::{FlushArg, tcflush};

/// Writes the question and reads the line that answers it, without its blanks. What was typed before is no answer to what was not
/// to be seen yet, and is thrown away.
///
/// # Errors
/// The question cannot be written, or no answer read.
pub fn answer(question: &str, mut out: impl Write) -> io::Result<String> {
    // What is no terminal has nothing of that kind.
    let _ = tcflush(io::stdin(), FlushArg::TCIFLUSH);
    out.write_all(question.as_bytes())?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim().to_owned())
}
