//! The runtime of a server, and a thread of it for work that waits for the system, kept at hand: once an agent has used up its
//! user's processes none can be started, and whoever then asked the runtime for one would panic, which ends the server.
//!
//! `server/mod.rs` calls it. A thread that is there takes what is queued, one piece after the other.

use std::time::Duration;

/// The runtime lets go of a thread that has had nothing to do for 10 s (tokio's `thread_keep_alive`).
const OFTEN: Duration = Duration::from_secs(5);

/// Threads: a hundred agents that stream take less than one core.
const MAX_WORKERS: usize = 4;

/// The runtime panics where the system gives it no thread.
pub fn build() -> Result<tokio::runtime::Runtime, String> {
    let build = || tokio::runtime::Builder::new_multi_thread().worker_threads(workers()).enable_all().build();
    match std::panic::catch_unwind(build) {
        Ok(built) => built.map_err(|error| format!("its event loop could not be made: {error}")),
        Err(_) => Err("no thread can be started; 'ps' shows who has them all".into()),
    }
}

/// At least two threads: while one feeds a costly block of one agent, the others are served.
fn workers() -> usize {
    std::thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, MAX_WORKERS))
}

/// Gives the runtime's threads something to do, for as long as it runs.
pub async fn keep_a_thread() {
    loop {
        // Where even the first cannot be had, its panic is this task's alone.
        if tokio::task::spawn_blocking(|| {}).await.is_err() {
            return;
        }
        tokio::time::sleep(OFTEN).await;
    }
}
