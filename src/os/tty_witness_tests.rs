//! What the kernel tells of a reader whose calls nobody may see. What it tells of real programs is tried in
//! `tests/tty_witness.rs`.

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::blocked::{Doing, Tty, unprivileged};
use super::*;
use crate::core::terminal::grid::Size;
use crate::os::pty::{self, Output};

/// A machine with a dozen builds on it still gets there.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between two looks at a program that has not come so far yet.
const AGAIN: Duration = Duration::from_millis(5);

/// A shell with a terminal as its own, which has printed `word? `.
struct Shell {
    child: Child,
    tty: Tty,
    master: File,
}

impl Shell {
    /// `beside`: something else that it has open.
    fn start(script: &str, beside: Option<&UnixStream>) -> Shell {
        let pair = pty::open(Size::new(80, 24)).unwrap();
        let end = |fd: &OwnedFd| Stdio::from(fd.try_clone().unwrap());
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .stdin(end(&pair.slave))
            .stdout(end(&pair.slave))
            .stderr(end(&pair.slave));
        let beside = beside.map(AsRawFd::as_raw_fd);
        // SAFETY: setsid, dup2 and ioctl are async-signal-safe and touch no memory of the parent.
        unsafe {
            command.pre_exec(move || {
                nix::unistd::setsid()?;
                if beside.is_some_and(|fd| nix::libc::dup2(fd, 9) < 0) {
                    return Err(std::io::Error::last_os_error());
                }
                match nix::libc::ioctl(0, nix::libc::TIOCSCTTY, 0) {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            });
        }
        let child = command.spawn().unwrap();
        let master: File = pair.master.into();
        let mut printed = Vec::new();
        let until = Instant::now() + PATIENCE;
        while !printed.ends_with(b"word? ") {
            let mut bytes = [0; 64];
            assert!(Instant::now() < until, "{printed:?}");
            match pty::read(&master, &mut bytes) {
                Ok(Output::Bytes(count)) => printed.extend(&bytes[..count]),
                Ok(Output::Told { .. } | Output::Empty | Output::End) | Err(_) => std::thread::sleep(AGAIN),
            }
        }
        let tty = linux::of_master(&master, child.id()).unwrap();
        Shell { child, tty, master }
    }

    /// Until it comes to its read it is nowhere in particular.
    fn comes_to(&self, what: &str, wanted: impl Fn(&Doing) -> bool) {
        let until = Instant::now() + PATIENCE;
        loop {
            let doing = unprivileged(self.child.id(), self.child.id(), self.tty);
            if wanted(&doing) {
                return;
            }
            assert!(Instant::now() < until, "{what}: {doing:?}");
            std::thread::sleep(AGAIN);
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // The session's leader takes the others with it: the terminal hangs up.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where `ptrace_scope` keeps calls from whoever is no ancestor, a program with nothing but the terminal open is
/// still known to read it; one with a socket may be waiting for that.
#[test]
fn without_the_right_to_see_calls_a_plain_reader_is_told_by_exclusion() {
    Shell::start("printf 'word? '; read a", None)
        .comes_to("a plain reader", |doing| matches!(doing, Doing::Reads { blocking: true, .. }));
    let (socket, _other) = UnixStream::pair().unwrap();
    Shell::start("printf 'word? '; read a", Some(&socket))
        .comes_to("one with a socket", |doing| *doing == Doing::MayRead);
    Shell::start("printf 'word? '; sleep 60; true", None).comes_to("a waiter", |doing| *doing == Doing::Else);
}

/// A word went to the question it was for with its first letter alone, and to the next one with the rest (`EXTPROC`); another was
/// read in small letters (`IUCLC`), and logged as typed.
#[test]
fn a_terminal_that_makes_something_else_of_letters_is_remapped() {
    use nix::sys::termios::{SetArg, Termios, tcsetattr};

    use crate::core::profile::Profiles;

    type Change = fn(&mut Termios);
    let profile = Profiles::builtin().get("generic").unwrap();
    let agent = Started { profile: &profile, command: &[] };
    let changes: [(Change, bool); 8] = [
        // What was left of an answer was taken for wiped away by a ctrl-u that is none there.
        (|termios| termios.control_chars[SpecialCharacterIndices::VKILL as usize] = 0x18, true),
        (|termios| termios.local_flags.remove(LocalFlags::ISIG), true),
        (|_| (), false),
        (|termios| termios.local_flags.remove(LocalFlags::ECHO), false),
        (|termios| termios.local_flags.insert(LocalFlags::EXTPROC), true),
        #[cfg(target_os = "linux")]
        (|termios| termios.input_flags.insert(InputFlags::IUCLC), true),
        #[cfg(not(target_os = "linux"))]
        (|termios| termios.input_flags.insert(InputFlags::ISTRIP), true),
        (|termios| termios.input_flags.insert(InputFlags::INLCR), true),
        (|termios| termios.control_chars[SpecialCharacterIndices::VINTR as usize] = b'y', true),
    ];
    for (at, (change, remapped)) in changes.into_iter().enumerate() {
        let pair = pty::open(Size::new(80, 24)).unwrap();
        let mut termios = tcgetattr(&pair.slave).unwrap();
        change(&mut termios);
        tcsetattr(&pair.slave, SetArg::TCSANOW, &termios).unwrap();
        assert_eq!(front(&pair.master, &agent) == Front::Remapped, remapped, "{at}");
    }
}

/// The Enter of an answer waited in the terminal of a program that somebody had stopped behind its wrapper, or held with a
/// debugger. Once it went on, that approved what it asked next.
#[test]
fn who_stands_still_takes_no_keys() {
    use crate::core::profile::Profiles;

    let profile = Profiles::builtin().get("claude").unwrap();
    let command = ["sh".to_owned(), "-c".to_owned(), "printf 'word? '; read a".to_owned()];
    let agent = Started { profile: &profile, command: &command };
    let shell = Shell::start(&command[2], None);
    let comes_to = |wanted: Front| {
        let until = Instant::now() + PATIENCE;
        while front(&shell.master, &agent) != wanted {
            assert!(Instant::now() < until, "{wanted:?}: {:?}", front(&shell.master, &agent));
            std::thread::sleep(AGAIN);
        }
    };
    comes_to(Front::Agent);
    let pid = nix::unistd::Pid::from_raw(shell.child.id().try_into().unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::SIGSTOP).unwrap();
    comes_to(Front::Held);
    nix::sys::signal::kill(pid, nix::sys::signal::SIGCONT).unwrap();
    comes_to(Front::Agent);
}
