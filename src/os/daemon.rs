//! Starting the server in the background, once, and knowing when it answers.
//!
//! The command line calls `ensure_server`; the server calls `announce_ready` as soon as it listens. A
//! client that starts it must never become its parent, nor its terminal its terminal.

use std::ffi::OsStr;
use std::fs::{self, File, FileType, OpenOptions};
use std::io::{IsTerminal, PipeReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::SigSet;

use super::socket::{Connection, Error, connect_and_greet};
use super::{descriptors, lock_holder, regular_file, socket};

/// How long whoever else starts a server may keep others waiting.
const TURN_DEADLINE: Duration = Duration::from_secs(5);
/// The same for whoever replaces one: an answer that is being typed is finished first, and its server may be stuck.
const REPLACE_DEADLINE: Duration = Duration::from_secs(60);
/// How long a server may take from exec to listening: a tenth of a second, where many programs share a core, or one is
/// emulated, eight. One that ends is known at once.
const START_DEADLINE: Duration = Duration::from_secs(20);
/// What an agent's environment holds; a server started from a pane must not take it for its own.
const AGENT_VARIABLES: [&str; 3] = ["COUNSEL_AGENT", "COUNSEL_SOCKET", "COUNSEL_TOKEN"];
/// In the environment of a server that a client has started: that one waits for its word.
const ANNOUNCES: &str = "COUNSEL_ANNOUNCES";
/// In a server's environment: it does without the user's configuration where that cannot be read.
pub const WITHOUT_CONFIG: &str = "COUNSEL_WITHOUT_CONFIG";
/// The exit code of what could not be done.
pub const FAILED: u8 = 1;
/// The log of earlier servers is dropped above this size, when a new one starts.
const LOG_MAX: u64 = 4 * 1024 * 1024;

/// Connects to the server of this socket, starting it first if none runs. Of many callers at once one
/// starts it and all get their connection.
pub fn ensure_server(socket: &Path, log: &Path) -> Result<Connection, Error> {
    let exe = own_exe().map_err(|e| Error::Failed(format!("finding this program failed: {e}")))?;
    ensure_server_of(&exe, socket, log)
}

/// The same where the configuration cannot be read: agents that run can be seen and stopped all the same.
pub fn ensure_server_without_config(socket: &Path, log: &Path) -> Result<Connection, Error> {
    let exe = own_exe().map_err(|e| Error::Failed(format!("finding this program failed: {e}")))?;
    ensure(&exe, socket, log, &[(WITHOUT_CONFIG, "1")])
}

/// The same with the program named: what tests start in the server's place.
pub fn ensure_server_of(exe: &Path, socket: &Path, log: &Path) -> Result<Connection, Error> {
    ensure(exe, socket, log, &[])
}

fn ensure(exe: &Path, socket: &Path, log: &Path, env: &[(&str, &str)]) -> Result<Connection, Error> {
    match connect_and_greet(socket, None) {
        Err(Error::Absent(_)) => {}
        other => return other,
    }
    if std::env::var_os("COUNSEL_SOCKET").is_some_and(|own| Path::new(&own) == socket) {
        // It would run below the very agent it supervises, and end with it.
        return Err(Error::Failed(format!(
            "no server runs at {}, and an agent cannot start its own; run `counsel up` outside",
            socket.display()
        )));
    }
    socket::may_be_here(socket)?;
    let _turn = turn(socket, ".start", Instant::now() + TURN_DEADLINE)?;
    match connect_and_greet(socket, None) {
        Err(Error::Absent(_)) => {}
        other => return other,
    }
    let until = Instant::now() + START_DEADLINE;
    let said = start(exe, (socket, log), env, until)?;
    connect_by(socket, until).map_err(|error| match error {
        Error::Absent(_) if said.is_empty() => Error::Failed(format!(
            "the server ended before it listened; see {}, or run `counsel server --foreground`",
            log.display()
        )),
        Error::Absent(_) => not_started(said),
        other => other,
    })
}

/// What a server said instead of listening: its exit code, and why.
fn not_started(said: String) -> Error {
    let coded = said.split_once(' ').and_then(|(code, why)| Some((code.parse().ok()?, why.to_owned())));
    coded.map_or(Error::Failed(said), |(code, message)| Error::Refused { code, message })
}

/// The server's word to the client that started it: it listens, or why it cannot. The word goes to
/// standard output, which is a pipe to that client and is given up here; started by hand, the server
/// tells whoever looks that it listens. In front of why stands the exit code that this is for the client's user.
pub fn announce_ready(failure: Option<(u8, &str)>) -> std::io::Result<()> {
    // Whoever starts it by hand is told by the one line on standard error.
    if failure.is_some() && std::env::var_os(ANNOUNCES).is_none() {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    let word = match failure {
        None => READY.to_owned(),
        Some((code, why)) => format!("{code} {why}"),
    };
    // A client that has gone away meanwhile does not matter to the server.
    let _ = writeln!(out, "{word}").and_then(|()| out.flush());
    if out.is_terminal() {
        return Ok(());
    }
    let null = OpenOptions::new().write(true).open("/dev/null")?;
    nix::unistd::dup2_stdout(&null)?;
    Ok(())
}

/// What a server says once it listens.
const READY: &str = "listening";

/// Waits for this client's turn to put another server in the place of the one that runs: of several at once each would end
/// the server of the one before, which has not taken its agents back yet.
///
/// # Errors
/// Somebody else is at it still.
pub fn turn_to_replace(socket: &Path) -> Result<Option<Flock<File>>, Error> {
    turn(socket, ".restart", Instant::now() + REPLACE_DEADLINE)
}

/// Waits for this client's turn to start the server. The lock goes with the returned value; `None`: an agent holds it,
/// and of servers that are started at once all but one end anyway.
fn turn(socket: &Path, what: &str, until: Instant) -> Result<Option<Flock<File>>, Error> {
    let mut path = socket.as_os_str().to_owned();
    path.push(what);
    let shown = PathBuf::from(&path);
    let failed = |cause: &str| Error::Failed(format!("locking {} failed: {cause}", shown.display()));
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    let file = regular_file::open_or_set_aside(&shown, &mut options).map_err(|error| {
        match socket.parent().filter(|_| error.kind() == std::io::ErrorKind::NotFound) {
            Some(folder) => {
                let folder = folder.display();
                Error::Failed(format!("the folder {folder} does not exist; make it, or name another socket"))
            }
            None => failed(&error.to_string()),
        }
    })?;
    let file = match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
        Ok(lock) => return Ok(Some(lock)),
        Err((_, Errno::EWOULDBLOCK)) if lock_holder::squatter(&shown).is_some() => return Ok(None),
        Err((file, Errno::EWOULDBLOCK)) => file,
        Err((_, errno)) => return Err(failed(errno.desc())),
    };
    match lock_holder::wait_for(file, until) {
        Ok(lock) => Ok(Some(lock)),
        Err(Some(errno)) => Err(failed(errno.desc())),
        Err(None) => Err(match lock_holder::of(&shown) {
            Some(pid) => Error::Held { path: shown, pid },
            None => Error::TimedOut,
        }),
    }
}

/// Starts the server detached and waits until it listens, has failed, or the time is up. What it says
/// about a failure is returned; the caller's attempt to connect decides.
fn start(
    exe: &Path,
    (socket, log): (&Path, &Path),
    env: &[(&str, &str)],
    until: Instant,
) -> Result<String, Error> {
    let failed = |what: &str, cause: &str| Error::Failed(format!("{what} failed: {cause}"));
    let (reader, writer) = std::io::pipe().map_err(|e| failed("opening a pipe", &e.to_string()))?;
    // A log that cannot be had is no reason to do without a server: agents would run with nobody to stop them.
    let log_file = open_log(log).or_else(|_| File::options().write(true).open("/dev/null"));
    let log_file = log_file.map_err(|e| failed("opening /dev/null", &e.to_string()))?;
    let mut command = Command::new(exe);
    command.arg("--socket").arg(socket).args(["server", "--foreground"]).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::from(writer)).stderr(Stdio::from(log_file));
    for name in AGENT_VARIABLES {
        command.env_remove(name);
    }
    command.env(ANNOUNCES, "1").envs(env.iter().copied());
    // SAFETY: `detach` makes async-signal-safe calls only.
    unsafe { command.pre_exec(detach) };
    let mut child =
        command.spawn().map_err(|e| failed(&format!("starting {}", exe.display()), &e.to_string()))?;
    // With the command goes this side's copy of the pipe's writing end.
    drop(command);
    // The process in between ends at once; the server itself belongs to init.
    child.wait().map_err(|e| failed("starting the server", &e.to_string()))?;
    let said = read_until(reader, until)?;
    let said = said.trim_end();
    Ok(if said == READY { String::new() } else { said.to_string() })
}

/// Leaves the caller's session and its care: a new session, a second process without a parent here, and every signal
/// taken, whichever the caller has blocked.
fn detach() -> std::io::Result<()> {
    SigSet::empty().thread_set_mask()?;
    // A lock that a script holds by a descriptor is not to last as long as the server.
    descriptors::close_on_exec();
    nix::unistd::setsid()?;
    // SAFETY: both sides call only async-signal-safe functions: one ends, the other goes on to exec.
    match unsafe { nix::unistd::fork() }? {
        // SAFETY: `_exit` runs no handlers of the program this was forked from.
        nix::unistd::ForkResult::Parent { .. } => unsafe { nix::libc::_exit(0) },
        nix::unistd::ForkResult::Child => Ok(()),
    }
}

fn open_log(path: &Path) -> Result<File, String> {
    let fresh = fs::metadata(path).is_ok_and(|meta| meta.len() > LOG_MAX);
    let mut options = OpenOptions::new();
    options.create(true);
    if fresh {
        options.write(true).truncate(true);
    } else {
        options.append(true);
    }
    let moved = regular_file::set_aside(path, FileType::is_file).map_err(|e| e.to_string())?;
    let mut log = regular_file::open(path, &mut options).map_err(|e| e.to_string())?;
    if let Some(moved) = moved {
        // A log that takes no line is no reason to do without a server.
        let _ = writeln!(log, "what stood in this log's place is at {} now", moved.display());
    }
    Ok(log)
}

/// This very program, also when its file was replaced by an upgrade meanwhile.
pub fn own_exe() -> Result<PathBuf, String> {
    let path = std::env::current_exe().map_err(|e| e.to_string())?;
    if path.exists() { Ok(path) } else { Ok(PathBuf::from("/proc/self/exe")) }
}

/// What the kernel says behind the path of a program whose file is there no more.
const REPLACED: &[u8] = b" (deleted)";

/// The file by which another process can run this program: where an upgrade has replaced it, what stands in its place now.
///
/// # Errors
/// It was taken away.
pub fn exe_for_others() -> Result<PathBuf, String> {
    let path = std::env::current_exe().map_err(|e| e.to_string())?;
    in_its_place(&path).ok_or_else(|| {
        format!(
            "{} is there no more, and this server can hand it to nobody; run 'counsel server restart' with the program that took \
             its place",
            path.display()
        )
    })
}

fn in_its_place(path: &Path) -> Option<PathBuf> {
    if path.exists() {
        return Some(path.to_owned());
    }
    let bytes = path.as_os_str().as_bytes().strip_suffix(REPLACED)?;
    let path = Path::new(OsStr::from_bytes(bytes));
    path.is_file().then(|| path.to_owned())
}

/// Everything written to the pipe until its other end closes.
fn read_until(mut pipe: PipeReader, until: Instant) -> Result<String, Error> {
    let mut text = Vec::new();
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(pipe.as_fd(), PollFlags::POLLIN)], timeout) {
            Ok(0) => return Err(Error::Failed("the server did not start in time".to_string())),
            Err(nix::errno::Errno::EINTR) => continue,
            Err(e) => return Err(Error::Failed(format!("waiting for the server failed: {}", e.desc()))),
            Ok(_) => {}
        }
        let mut buffer = [0; 1024];
        match pipe.read(&mut buffer) {
            Ok(0) => return Ok(String::from_utf8_lossy(&text).into_owned()),
            Ok(n) => text.extend_from_slice(&buffer[..n]),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Error::Failed(format!("waiting for the server failed: {e}"))),
        }
    }
}

/// Connects to the server just started. Only if another one, started by hand in the same instant, took
/// the socket first can there be nobody yet: that one listens microseconds after it has the lock.
fn connect_by(socket: &Path, until: Instant) -> Result<Connection, Error> {
    const STEP: u16 = 10;
    let mut tries = 0;
    loop {
        match connect_and_greet(socket, None) {
            Err(Error::Absent(_)) if tries < 10 && Instant::now() < until => tries += 1,
            other => return other,
        }
        // No event tells of another process's bind; the failure of this poll is only a shorter wait.
        let _ = poll(&mut [], PollTimeout::from(STEP));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    /// A server whose program had been replaced gave agents no hooks, and tmux a path that led nowhere.
    #[test]
    fn a_program_that_was_replaced_is_run_from_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (program, gone) = (folder.path().join("counsel"), folder.path().join("counsel (deleted)"));
        assert_eq!(in_its_place(&gone), None, "it was taken away");
        fs::write(&program, "").unwrap();
        assert_eq!(in_its_place(&gone), Some(program.clone()));
        assert_eq!(in_its_place(&program), Some(program));
        fs::write(&gone, "").unwrap();
        assert_eq!(in_its_place(&gone), Some(gone.clone()), "that is its name");
    }
}
