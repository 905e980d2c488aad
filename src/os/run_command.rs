//! A short program run to its end within a time: what it said, or why not.
//!
//! The command line asks tmux, git and the agents' `--version` through it, the server the last. Never for an agent itself:
//! what runs here has no terminal, and is killed when its time is over. An agent may have written the
//! program: neither it nor what it leaves behind is a person.

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::generation;

/// More than any answer asked for here; the rest is dropped, so that a flood cannot fill the memory.
const OUTPUT_MAX: u64 = 1024 * 1024;
/// How often a program that has closed its outputs is looked at until it has ended as well.
const END_STEP: Duration = Duration::from_millis(2);

/// How it ended.
#[derive(Debug)]
pub struct Output {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

/// Why nothing came of it. `Display` is a fragment fit for "could not …: cause".
#[derive(Debug)]
pub enum Error {
    /// There is no such program.
    Missing,
    TooLong(Duration),
    Failed(io::Error),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Missing => f.write_str("there is no such program"),
            Error::TooLong(limit) => write!(f, "it did not end within {} s", limit.as_secs_f32()),
            Error::Failed(error) => write!(f, "{error}"),
        }
    }
}

/// Runs it and waits, at most this long.
pub fn run(command: &mut Command, limit: Duration) -> Result<Output, Error> {
    run_with(command, Vec::new(), limit)
}

/// The same with something for it to read.
pub fn run_with(command: &mut Command, input: Vec<u8>, limit: Duration) -> Result<Output, Error> {
    // A group of its own: it cannot take the terminal, and its children end with it.
    command.process_group(0);
    generation::start_below(command);
    let end = |child: &mut Child| {
        if let Ok(pid) = i32::try_from(child.id()) {
            // It may have ended by itself at this very moment.
            let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
        }
        let _ = child.wait();
    };
    let said = watch(command, input, limit, OUTPUT_MAX, end)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Output { status: said.status, out: text(&said.stdout), err: text(&said.stderr) })
}

/// Runs it beside its caller, in whose group it stays: a Ctrl-C is for both, and it ends with this thread. All it says comes back.
pub fn run_whole(command: &mut Command, limit: Duration) -> Result<std::process::Output, Error> {
    #[cfg(target_os = "linux")]
    // SAFETY: between fork and exec one system call is made, which touches no memory of this process.
    unsafe {
        command.pre_exec(|| nix::sys::prctl::set_pdeathsig(Signal::SIGKILL).map_err(io::Error::from));
    }
    let end = |child: &mut Child| {
        let _ = child.kill();
        let _ = child.wait();
    };
    watch(command, Vec::new(), limit, u64::MAX, end)
}

/// Its end within the time, or what ends it, which must wait for it: until then its pid is its own.
fn watch(
    command: &mut Command,
    input: Vec<u8>,
    limit: Duration,
    most: u64,
    end: impl Fn(&mut Child),
) -> Result<std::process::Output, Error> {
    let until = Instant::now() + limit;
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::Missing,
        _ => Error::Failed(error),
    })?;
    let begun = (|| {
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not want all of it says so by its exit code.
            thread::Builder::new().spawn(move || stdin.write_all(&input))?;
        }
        let out = collect(child.stdout.take().expect("stdout is piped"), most)?;
        Ok((out, collect(child.stderr.take().expect("stderr is piped"), most)?))
    })();
    let (out, err) = match begun {
        Ok(both) => both,
        Err(error) => {
            end(&mut child);
            return Err(Error::Failed(error));
        }
    };
    let said = (receive(&out, until), receive(&err, until));
    let (Some(stdout), Some(stderr)) = said else {
        end(&mut child);
        return Err(Error::TooLong(limit));
    };
    loop {
        match child.try_wait().map_err(Error::Failed)? {
            Some(status) => return Ok(std::process::Output { status, stdout, stderr }),
            None if Instant::now() >= until => break,
            None => thread::sleep(END_STEP),
        }
    }
    end(&mut child);
    Err(Error::TooLong(limit))
}

fn collect(mut pipe: impl Read + Send + 'static, most: u64) -> io::Result<mpsc::Receiver<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.by_ref().take(most).read_to_end(&mut bytes);
        // Whoever still writes must not be blocked by a full pipe.
        let _ = read.and_then(|_| io::copy(&mut pipe, &mut io::sink()));
        // Nobody listens any more once the time is over.
        let _ = sender.send(bytes);
    })?;
    Ok(receiver)
}

fn receive(from: &mpsc::Receiver<Vec<u8>>, until: Instant) -> Option<Vec<u8>> {
    from.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<Output, Error> {
        run(Command::new("sh").args(["-c", script]), limit)
    }

    #[test]
    fn what_it_said_comes_back() {
        let said = shell("echo out; echo err >&2; exit 3", Duration::from_secs(60)).unwrap();
        assert_eq!((said.out.as_str(), said.err.as_str(), said.status.code()), ("out\n", "err\n", Some(3)));
    }

    #[test]
    fn a_program_that_does_not_end_is_ended_with_its_children() {
        let silent = shell("sleep 600 & echo $!; wait", Duration::from_millis(300)).unwrap_err();
        assert!(matches!(silent, Error::TooLong(_)), "{silent}");
        // It closes its outputs and stays: the end of the output is not its own.
        let silent = shell("exec sleep 600 >&- 2>&-", Duration::from_millis(300)).unwrap_err();
        assert!(matches!(silent, Error::TooLong(_)), "{silent}");
    }

    #[test]
    fn it_reads_what_it_is_given() {
        let text = vec![b'x'; 300_000];
        let said = run_with(Command::new("wc").arg("-c"), text, Duration::from_secs(60)).unwrap();
        assert_eq!(said.out.trim(), "300000");
    }

    #[test]
    fn a_missing_program_is_told_from_a_failing_one() {
        let silent = run(&mut Command::new("/no/such/program"), Duration::from_secs(60)).unwrap_err();
        assert!(matches!(silent, Error::Missing), "{silent}");
    }
}
