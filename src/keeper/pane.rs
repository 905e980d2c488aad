//! A keeper inside a pane of tmux: tmux holds the terminal, the keeper parents the agent there.
//!
//! Started by tmux as `counsel keep --pane PATH`, as the pane's first process and so the leader of its
//! session. It fetches its orders from the server's socket at PATH, starts the agent as everywhere else and
//! keeps no output: tmux does. It must never read the terminal, whose input is the agent's.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{Pid, getpid, getsid};

use super::callers::Callers;
use super::run::{Keeper, Parts};
use super::{STANDARD, child, commands, listen, orphan_timeout, signals};
use crate::core::tmux::END_OF_OUTPUT;
use crate::os::keeper_link::{KeeperReady, Orders, Started, remove_files};
use crate::os::proc;

/// How long the end of the output may wait for room in the terminal: longer only if tmux has stopped.
const MARK_PATIENCE: Duration = Duration::from_secs(2);

/// The verb `counsel keep --pane PATH`.
pub fn pane_main(path: &Path) -> ExitCode {
    let mut server = match UnixStream::connect(path) {
        Ok(server) => server,
        Err(error) => {
            // Whoever looks at the pane sees it.
            eprintln!("counsel: no server waits for this pane at {}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    };
    let started = orders_of(&mut server).and_then(|orders| start(&orders));
    let (report, keeper) = match started {
        Ok((ready, keeper)) => (Started::Ready(ready), Some(keeper)),
        Err(cause) => (Started::Failed(cause), None),
    };
    let told = server.write_all(&serde_json::to_vec(&report).expect("a start report is plain JSON"));
    drop(server);
    match keeper {
        None => ExitCode::FAILURE,
        Some(mut keeper) => {
            if told.is_err() {
                // Nobody would ever come for this agent.
                keeper.give_up(commands::GRACE);
            }
            keeper.run()
        }
    }
}

fn orders_of(server: &mut UnixStream) -> Result<Orders, String> {
    let mut text = Vec::new();
    server.read_to_end(&mut text).map_err(|e| format!("the keeper's orders cannot be read: {e}"))?;
    // Nothing more will be asked; the answer goes the other way.
    let _ = server.shutdown(Shutdown::Read);
    serde_json::from_slice(&text).map_err(|e| format!("the keeper's orders are damaged: {e}"))
}

fn start(orders: &Orders) -> Result<(KeeperReady, Keeper), String> {
    proc::close_to_others().map_err(|e| format!("the keeper cannot close itself to others: {e}"))?;
    let failed = |what: &str, e: nix::Error| format!("{what}: {}", e.desc());
    if getsid(None).map_err(|e| failed("the keeper has no session", e))? != getpid() {
        return Err("it is not the first program of its pane".to_owned());
    }
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true).map_err(|e| failed("the keeper cannot adopt", e))?;
    let mut spec = orders.spec.clone();
    if let Ok(term) = std::env::var("TERM") {
        // The terminal is tmux, whatever the agent was to be told it is.
        spec.env.insert("TERM".into(), term);
    }
    let program = child::prepare(&spec)?;
    let signals = signals::install().map_err(|e| failed("the keeper cannot take signals", e))?;
    let no_terminal = |e: std::io::Error| format!("the pane's terminal cannot be opened: {e}");
    // Opened anew: a descriptor that does not wait must not be the one the agent reads from.
    let master = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/tty");
    let master: OwnedFd = master.map_err(no_terminal)?.into();
    let slave = std::io::stdin().as_fd().try_clone_to_owned().map_err(no_terminal)?;
    let listener = listen(&spec.socket)?;
    let agent = child::spawn(&program, &slave).inspect_err(|_| remove_files(&spec.socket))?;
    give_up_standard().map_err(no_terminal)?;
    let (callers, patience) = (Callers::new(orders), orphan_timeout::PATIENCE);
    let parts = Parts { master, slave, listener, agent, signals, patience, callers };
    Ok((ready(agent), Keeper::in_pane(&spec, parts)))
}

fn ready(agent: Pid) -> KeeperReady {
    KeeperReady { keeper_pid: std::process::id(), agent_pid: agent.as_raw().unsigned_abs() }
}

/// The terminal on the standard descriptors is the agent's alone.
fn give_up_standard() -> std::io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    for fd in STANDARD {
        // SAFETY: the three standard descriptors are replaced as a whole; `null` outlives the call.
        Errno::result(unsafe { libc::dup2(null.as_raw_fd(), fd) })?;
    }
    Ok(())
}

/// Says in the terminal that what the agent wrote ends here, for the server that reads it through tmux.
pub fn mark_end(terminal: &OwnedFd) {
    let until = Instant::now() + MARK_PATIENCE;
    let mut rest = END_OF_OUTPUT;
    while !rest.is_empty() {
        match nix::unistd::write(terminal, rest) {
            Ok(count) => rest = &rest[count..],
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => {
                let left = until.saturating_duration_since(Instant::now());
                let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
                let room = poll(&mut [PollFd::new(terminal.as_fd(), PollFlags::POLLOUT)], timeout);
                if left.is_zero() || matches!(room, Ok(0)) {
                    return;
                }
            }
            // tmux has closed it: nobody reads any more.
            Err(_) => return,
        }
    }
}
