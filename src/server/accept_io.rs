//! Accepts connections and finds out who they are.
//!
//! Started by the server's loop. Looking up a process's ancestors takes reads of `/proc`, and a machine out of
//! descriptors takes a pause: neither is anything the loop may wait for.

use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc::Sender;

use super::client_io;

/// Connections that may wait for the server's loop; the kernel holds further ones.
pub const QUEUE: usize = 64;
/// Out of descriptors: trying again at once would only spin.
const PAUSE: Duration = Duration::from_millis(100);

/// Runs until the server's loop has ended. What comes is the connection, and the connecting process with its
/// ancestors, nearest first.
pub async fn run(listener: UnixListener, joined: Sender<(UnixStream, Vec<u32>)>) {
    loop {
        let Ok(place) = joined.clone().reserve_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                // A stranger to this user is let go without a word.
                if let Some(pids) = client_io::who(&stream) {
                    place.send((stream, pids));
                }
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
