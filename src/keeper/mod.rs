//! The keeper: the small process that parents one agent and holds its terminal, whatever becomes of the
//! server.
//!
//! Started as `counsel keep` by the server, through `os::keeper_link`. It leads the session, the agent is
//! its child in the foreground group; it reads the terminal while no server does. It never looks at what
//! an agent prints, knows no question and no config, and leaves nothing running or stopped behind. Only
//! SIGKILL takes it away without that: the kernel then hangs up the agent's foreground group, and what
//! had left that group lives on.

mod callers;
mod child;
mod commands;
mod end_mark;
mod isolation;
mod line;
mod orphan_timeout;
mod pane;
mod reaper;
mod ring;
mod run;
mod signals;
mod socket;
mod standard;
mod tied;
mod tree;

pub use reaper::reaper_main;

use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use nix::unistd::{ForkResult, Pid, fork, setsid};

use callers::Callers;

use crate::os::keeper_link::{KeeperReady, Orders, Started, remove_files};
use crate::os::{proc, pty};

/// The verb `counsel keep`, or `counsel keep --pane PATH` within tmux: the spec on standard input, one `Started` line on standard output.
pub fn keep_main() -> ExitCode {
    let mut words = std::env::args_os().skip(2);
    if words.next().is_some_and(|word| word == "--pane") {
        return pane::pane_main(Path::new(&words.next().unwrap_or_default()));
    }
    let started = read_orders().and_then(|orders| {
        // SAFETY: this process has one thread; both sides go on as ordinary programs.
        match unsafe { fork() }.map_err(|e| format!("the keeper cannot leave its parent: {}", e.desc()))? {
            // The spawner waits for this process alone; the keeper is nobody's child.
            ForkResult::Parent { .. } => Ok(None),
            ForkResult::Child => start(&orders).map(Some),
        }
    });
    match started {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(keeper)) => keeper.run(),
        Err(cause) => {
            // A spawner that is gone cannot be told.
            let _ = say(&Started::Failed(cause));
            ExitCode::FAILURE
        }
    }
}

fn read_orders() -> Result<Orders, String> {
    let mut text = Vec::new();
    io::stdin().read_to_end(&mut text).map_err(|e| format!("the keeper's orders cannot be read: {e}"))?;
    serde_json::from_slice(&text).map_err(|e| format!("the keeper's orders are damaged: {e}"))
}

fn say(started: &Started) -> io::Result<()> {
    let mut line = serde_json::to_vec(started).expect("a start report is plain JSON");
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    out.flush()
}

/// `counsel keep SECONDS` waits that long for a server; a test cannot wait for the usual time.
fn patience() -> Duration {
    let seconds = std::env::args().nth(2).and_then(|text| text.parse().ok());
    seconds.map_or(orphan_timeout::PATIENCE, Duration::from_secs_f64)
}

/// Everything from the new session to the running agent. What can fail fails before the agent exists.
fn start(orders: &Orders) -> Result<run::Keeper, String> {
    let spec = &orders.spec;
    proc::close_to_others().map_err(|e| format!("the keeper cannot close itself to others: {e}"))?;
    let failed = |what: &str, e: nix::Error| format!("{what}: {}", e.desc());
    setsid().map_err(|e| failed("the keeper has no session of its own", e))?;
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true).map_err(|e| failed("the keeper cannot adopt", e))?;
    let program = child::prepare(spec)?;
    let signals = signals::install().map_err(|e| failed("the keeper cannot take signals", e))?;
    let pty::Pair { master, slave } = pty::open(spec.size.clamped())?;
    control(&slave).map_err(|e| failed("the terminal cannot become the agent's", e))?;
    let listener = socket::listen(&spec.socket)?;
    let agent = match child::spawn(&program, &slave) {
        Ok(agent) => agent,
        Err(cause) => {
            remove_files(&spec.socket);
            return Err(cause);
        }
    };
    let (callers, patience) = (Callers::new(orders), patience());
    let parts = run::Parts { master, slave, listener, agent, signals, patience, callers };
    let mut keeper = run::Keeper::new(spec, parts);
    if ready(agent).is_err() {
        // Nobody would ever come for this agent.
        keeper.give_up(tree::GRACE);
    }
    Ok(keeper)
}

nix::ioctl_write_int_bad!(take_terminal, nix::libc::TIOCSCTTY);

/// Makes the terminal the controlling one of this session.
fn control(slave: &OwnedFd) -> nix::Result<()> {
    // SAFETY: the descriptor is open; 0 means: only if it controls no other session.
    unsafe { take_terminal(slave.as_raw_fd(), 0) }.map(drop)
}

/// Tells the spawner, then gives up its descriptors: they must not hold its pipes open for ever.
fn ready(agent: Pid) -> io::Result<()> {
    let pid = agent.as_raw().unsigned_abs();
    say(&Started::Ready(KeeperReady { keeper_pid: std::process::id(), agent_pid: pid }))?;
    standard::give_up()
}
