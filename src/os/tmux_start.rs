//! Starting a keeper in a pane: tmux executes it, so its orders wait for it at a socket.
//!
//! `server/tmux_io.rs` binds the socket, opens the pane, watches it, and only then hands the orders over:
//! not a byte the agent prints can be missed. The orders never touch the disk, for they hold the agent's
//! environment.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::keeper_link::{self, KeeperReady, KeeperSpec, Orders, Started};
use super::peer;

/// tmux needs milliseconds to execute a program; on a machine out of memory it takes for ever.
const CALL_DEADLINE: Duration = Duration::from_secs(10);
/// Starting the agent is as quick; on a folder of a dead file server it is not.
const START_DEADLINE: Duration = Duration::from_secs(10);

/// Orders that wait for a keeper. Dropped before it has said it is ready, nothing is left of it.
#[derive(Debug)]
pub struct Waiting {
    listener: UnixListener,
    path: PathBuf,
    orders: Orders,
    done: bool,
}

impl Waiting {
    /// Waits for the keeper at `path()`.
    pub fn new(spec: KeeperSpec, manifest: &serde_json::Value) -> Result<Waiting, String> {
        if keeper_link::answers(&spec.socket) {
            return Err(format!("an agent '{}' still runs; stop it first", spec.name));
        }
        keeper_link::remove_files(&spec.socket);
        let orders = Orders::new(&spec, manifest)?;
        let path = spec.socket.with_extension("start");
        // Left by a server that was killed in the middle of a start.
        let _ = std::fs::remove_file(&path);
        let failed = |e: std::io::Error| format!("nobody can be waited for at {}: {e}", path.display());
        let listener = UnixListener::bind(&path).map_err(failed)?;
        let waiting = Waiting { listener, path: path.clone(), orders, done: false };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
        Ok(waiting)
    }

    /// What the keeper is called with.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the keeper its orders and waits until the agent runs. `first`: the process that tmux started in the pane; the
    /// orders hold the agent's token and environment, and are nobody else's. Blocks.
    pub fn hand_over(mut self, first: u32) -> Result<KeeperReady, String> {
        let orders = self.orders.written()?;
        let mut keeper = self.accept(first)?;
        let lost = |e: std::io::Error| format!("the keeper in the pane went away: {e}");
        keeper.write_all(&orders).map_err(lost)?;
        keeper.shutdown(Shutdown::Write).map_err(lost)?;
        keeper.set_read_timeout(Some(START_DEADLINE)).map_err(lost)?;
        let mut said = Vec::new();
        keeper.read_to_end(&mut said).map_err(lost)?;
        match serde_json::from_slice(&said) {
            Ok(Started::Ready(ready)) => {
                self.done = true;
                Ok(ready)
            }
            Ok(Started::Failed(cause)) => Err(cause),
            Err(_) => Err("the keeper in the pane ended without a word".to_owned()),
        }
    }

    /// Waits until that process comes. Whoever else does is hung up on.
    fn accept(&self, first: u32) -> Result<UnixStream, String> {
        let until = Instant::now() + CALL_DEADLINE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
            match poll(&mut [PollFd::new(self.listener.as_fd(), PollFlags::POLLIN)], timeout) {
                Ok(0) => return Err(format!("tmux started nothing within {CALL_DEADLINE:?}")),
                Err(Errno::EINTR) => {}
                Err(e) => return Err(format!("the pane cannot be waited for: {}", e.desc())),
                Ok(_) => {
                    let accepted = self.listener.accept();
                    let (keeper, _) =
                        accepted.map_err(|e| format!("the keeper in the pane cannot be reached: {e}"))?;
                    if peer::of(&keeper).is_ok_and(|peer| peer.is_us() && peer.pid == Some(first)) {
                        return Ok(keeper);
                    }
                }
            }
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // What is gone already is as wanted.
        let _ = std::fs::remove_file(&self.path);
        if !self.done {
            keeper_link::remove_files(&self.orders.spec.socket);
        }
    }
}
