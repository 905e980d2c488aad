//! A keeper inside a pane of tmux: tmux holds the terminal, the keeper parents the agent there.
//!
//! Started by tmux as `counsel keep --pane PATH`, as the pane's first process and so the leader of its
//! session. It fetches its orders from the server's socket at PATH, starts the agent as everywhere else and
//! keeps no output: tmux does. It must never read the terminal, whose input is the agent's.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;

use nix::libc;
use nix::unistd::{Pid, getpid, getsid};

use super::callers::Callers;
use super::run::{Keeper, Parts};
use super::{child, orphan_timeout, signals, socket, standard, tree};
use crate::os::keeper_link::{KeeperReady, Orders, Started, remove_files};
use crate::os::proc;

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
                keeper.give_up(tree::GRACE);
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
    let listener = socket::listen(&spec.socket)?;
    let agent = child::spawn(&program, &slave).inspect_err(|_| remove_files(&spec.socket))?;
    standard::give_up().map_err(no_terminal)?;
    let (callers, patience) = (Callers::new(orders), orphan_timeout::PATIENCE);
    let parts = Parts { master, slave, listener, agent, signals, patience, callers };
    Ok((ready(agent), Keeper::in_pane(&spec, parts)))
}

fn ready(agent: Pid) -> KeeperReady {
    KeeperReady { keeper_pid: std::process::id(), agent_pid: agent.as_raw().unsigned_abs() }
}
