//! A person's terminal while `counsel exec` runs a program: each key goes to the program as it is pressed, and the program's
//! terminal has the size of the person's. The program's terminal alone echoes, and makes lines of keys where it does.
//!
//! `stdin.rs` has it run on a thread of its own. Keys that mean a signal at the person's terminal mean it for this command: ctrl-c
//! ends it and its program, ctrl-z stops it alone.

use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::{Input, KeyPress};
use crate::dashboard::outer::{Events, Outer};
use crate::os::interrupt::{TerminalMode, give_terminal_back};
use crate::os::job_control::{JobControl, Who, is_in_front};
use crate::os::poll::{Want, wait};
use crate::wire::Request;

use super::super::failure::{Failure, REFUSED};
use super::super::link::{Global, Server};

/// Keys that are handed over at once; what is pasted are many.
const PIECE: usize = 1024;
/// What is pasted may come faster than a program is typed into, which is tried again for so long.
const PATIENCE: Duration = Duration::from_secs(2);
const RETRY: Duration = Duration::from_millis(50);
/// Nothing is due: a key or a signal ends the wait.
const IDLE: Duration = Duration::from_secs(3_600);

/// The person's terminal, as keys are read from it. Dropped, it is as it was before, and stays so.
#[derive(Debug)]
pub struct Taken {
    held: Arc<Mutex<Held>>,
    as_printed: bool,
}

#[derive(Debug)]
struct Held {
    mode: Option<TerminalMode>,
    /// The program has ended: whoever goes on behind a stop does not take the terminal again.
    over: bool,
}

impl Taken {
    pub fn now(as_printed: bool) -> Taken {
        let held = Held { mode: TerminalMode::keys(as_printed), over: false };
        Taken { held: Arc::new(Mutex::new(held)), as_printed }
    }

    fn share(&self) -> Shared {
        Shared { held: self.held.clone(), as_printed: self.as_printed }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.over = true;
        drop(held.mode.take());
    }
}

/// The same terminal for whoever stops and goes on.
struct Shared {
    held: Arc<Mutex<Held>>,
    as_printed: bool,
}

impl Shared {
    fn take_again(&self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        // In the background the terminal is left as it is: the kernel would stop us for it.
        if !held.over && is_in_front() {
            // Whatever a shell has set meanwhile is what it is given back with.
            std::mem::forget(held.mode.take());
            held.mode = TerminalMode::keys(self.as_printed);
        }
    }
}

/// What a person does at their terminal, and the program that gets it.
pub struct Keyboard {
    outer: Events,
    job: JobControl,
    terminal: Shared,
    program: Program,
}

impl Keyboard {
    pub fn new(global: &Global, name: &str, taken: &Taken) -> Result<Keyboard, Failure> {
        let failed = |error| Failure::from(format!("the terminal cannot be read: {error}"));
        let (outer, job) = (Events::new().map_err(failed)?, JobControl::listen().map_err(failed)?);
        let program = Program { global: global.clone(), name: name.to_owned(), server: global.server()? };
        Ok(Keyboard { outer, job, terminal: taken.share(), program })
    }

    /// Until the program wants no more, or the terminal is gone.
    pub fn pass_on(mut self) {
        loop {
            let inputs = self.outer.take_inputs();
            if !inputs.chunks(PIECE).all(|piece| self.program.types(piece)) {
                return;
            }
            if let Some(Outer::Resize(cols, rows)) = self.outer.take_next() {
                self.program.resize(Size::new(cols, rows));
            } else if self.outer.is_gone() {
                self.program.types(&[Input::Key(KeyPress::ctrl('d'))]);
                return;
            } else if self.look().is_err() {
                return;
            }
        }
    }

    /// Waits for what comes next.
    fn look(&mut self) -> Result<(), String> {
        let ((keys, size), (stops, goes_on)) = (self.outer.fds(), self.job.fds());
        // What is typed while we are in the background is for whoever is in front.
        let keys = if is_in_front() { keys } else { size.as_fd() };
        let due = self.outer.due().map_or(IDLE, |due| due.saturating_duration_since(Instant::now()));
        let fds = [keys, size, stops, goes_on].map(|fd| (fd, Want::ToRead));
        let [keys, size, stops, goes_on] = wait(fds, due).map_err(|error| error.to_string())?;
        if stops.to_read && self.job.is_to_stop() {
            give_terminal_back();
            self.job.stop(Who::Us).map_err(|error| error.to_string())?;
            self.terminal.take_again();
        } else if goes_on.to_read && self.job.went_on() {
            self.terminal.take_again();
        } else if keys.to_read && is_in_front() {
            self.outer.read();
        }
        if size.to_read {
            self.outer.resized();
        }
        self.outer.flush();
        Ok(())
    }
}

/// The program, by whichever server holds it.
struct Program {
    global: Global,
    name: String,
    server: Server,
}

impl Program {
    /// `false`: it has ended, and wants no more.
    fn types(&mut self, piece: &[Input]) -> bool {
        let (name, input, enter) = (self.name.clone(), piece.to_vec(), false);
        let request = Request::Send { name, input, enter };
        let until = Instant::now() + PATIENCE;
        loop {
            match self.server.tell(request.clone()) {
                Ok(()) => return true,
                Err(failure) if failure.hung_up => {
                    let untyped = self.server.connection.types_no_more();
                    let Ok(next) = self.global.with_agent(&self.name) else { return false };
                    self.server = next;
                    // What may have been typed by a server that died over it is not typed twice.
                    if !untyped {
                        return true;
                    }
                }
                Err(failure) if failure.code == REFUSED && Instant::now() < until => {
                    std::thread::sleep(RETRY);
                }
                // It is paused, and takes no keys.
                Err(failure) => return failure.code == REFUSED,
            }
        }
    }

    /// One that has ended needs no size.
    fn resize(&mut self, size: Size) {
        let request = || Request::Resize { name: self.name.clone(), size };
        if self.server.tell(request()).is_err_and(|failure| failure.hung_up)
            && let Ok(next) = self.global.with_agent(&self.name)
        {
            self.server = next;
            let _ = self.server.tell(request());
        }
    }
}
