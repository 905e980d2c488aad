//! The socket at which a keeper is found.
//!
//! Made before the agent is started, and again when somebody has removed it.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;

use crate::os::paths;

/// Listens there, for this user alone, without ever waiting in `accept`.
///
/// # Errors
/// In words: the path is too long, taken, or in a folder that is not there.
pub fn listen(socket: &Path) -> Result<UnixListener, String> {
    let shown = socket.display();
    paths::fits_socket(socket)?;
    let failed = |e: io::Error| format!("the keeper cannot listen at {shown}: {e}");
    let listener = UnixListener::bind(socket).map_err(failed)?;
    std::fs::set_permissions(socket, Permissions::from_mode(0o600)).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}
